/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/provider.h"

#include <stdlib.h>
#include <string.h>

const struct ay_provider *ay_provider_of(enum ay_server s)
{
	static const struct ay_provider *const all[] = {
		[AY_SERVER_OPENAI] = &ay_provider_openai,
		[AY_SERVER_ANTHROPIC] = &ay_provider_anthropic,
		[AY_SERVER_REPLAY] = NULL,
	};

	return all[s];
}

int ay_provider_url(const struct ay_provider *p, struct ay_arena *a, const char **url, bool *own,
		    struct ay_err *err)
{
	const char *base = getenv(p->base_variable), *path = p->path;
	size_t n;

	*own = !base || !*base;
	if (*own)
		base = p->base;
	if (!ay_starts(base, "http://") && !ay_starts(base, "https://"))
		return ay_fail(err, AY_ERR_USAGE, "%s is '%s': an address begins with https:// or http://",
			       p->base_variable, base);
	for (const char *c = base; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return ay_fail(err, AY_ERR_USAGE, "%s holds a blank or a control character at position %d",
				       p->base_variable, (int)(c - base) + 1);
	for (n = strlen(base); n && base[n - 1] == '/';)
		n--;
	/* users set the base with or without the version */
	if (ay_starts(path, "/v1/") && n > 3 && !strncmp(base + n - 3, "/v1", 3))
		path += 3;
	*url = ay_sprintf(a, "%.*s%s", (int)n, base, path);
	return 0;
}

void ay_response_init(struct ay_response *h)
{
	*h = (struct ay_response){ .tokens_in = -1, .tokens_out = -1 };
}

void ay_response_release(struct ay_response *h)
{
	ay_str_release(&h->text);
	ay_str_release(&h->thinking);
	ay_str_release(&h->refusal);
	ay_str_release(&h->error);
	json_decref(h->usage);
	ay_response_init(h);
}

static void add_string(struct ay_str *to, const json_t *text)
{
	const char *s = json_string_value(text);
	size_t n = json_string_length(text);

	while (n) {
		size_t part = strnlen(s, n);

		ay_str_addn(to, s, part);
		s += part;
		n -= part;
		if (n) {
			ay_str_add(to, "\xef\xbf\xbd");
			s++;
			n--;
		}
	}
}

void ay_response_add(struct ay_str *to, const json_t *text)
{
	const json_t *part;
	size_t i;

	if (json_is_string(text))
		add_string(to, text);
	json_array_foreach(text, i, part) if (json_is_string(json_object_get(part, "text")))
		add_string(to, json_object_get(part, "text"));
}

void ay_response_keep(char *dst, size_t size, const json_t *text)
{
	const char *s = json_string_value(text);

	if (s)
		snprintf(dst, size, "%s", s);
}

void ay_response_count(int64_t *to, const json_t *n)
{
	if (json_is_integer(n) && json_integer_value(n) >= 0)
		*to = json_integer_value(n);
}

bool ay_response_error(struct ay_response *h, const json_t *j)
{
	const json_t *e = json_object_get(j, "error"), *text, *code;

	const char *object = json_string_value(json_object_get(j, "object"));

	if ((!e || json_is_null(e)) && json_is_string(json_object_get(j, "detail")))
		e = json_object_get(j, "detail");
	if ((!e || json_is_null(e)) && object && !strcmp(object, "error"))
		e = j; /* the error is the object itself, as older vLLM versions send it */
	if (!e || json_is_null(e))
		return false;
	code = json_object_get(e, "code");
	if (json_is_integer(code) && json_integer_value(code) >= 400 && json_integer_value(code) <= 599)
		h->error_status = (int)json_integer_value(code);
	text = json_is_object(e) ? json_object_get(e, "message") : e;
	ay_str_clear(&h->error);
	if (json_is_string(text))
		add_string(&h->error, text);
	if (!h->error.len)
		ay_str_add(&h->error, "an error without a word");
	ay_response_keep(h->error_type, sizeof h->error_type, json_object_get(e, "type"));
	/* OpenAI's code says more than its type, which for "insufficient_quota" may differ */
	ay_response_keep(h->error_type, sizeof h->error_type, code);
	ay_response_keep(h->error_param, sizeof h->error_param, json_object_get(e, "param"));
	return true;
}

enum ay_chat_end ay_response_end(const struct ay_response *h)
{
	static const struct {
		const char *reason;
		enum ay_chat_end end;
	} ends[] = {
		{ "length", AY_CHAT_LENGTH },
		{ "max_tokens", AY_CHAT_LENGTH },
		{ "model_context_window_exceeded", AY_CHAT_LENGTH },
		{ "content_filter", AY_CHAT_REFUSED },
		{ "refusal", AY_CHAT_REFUSED },
		/* stop, end_turn, stop_sequence; also tool_calls and tool_use: no tools were
		 * offered, so the text counts */
	};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (!strcmp(h->reason, ends[i].reason))
			return ends[i].end;
	return h->refusal.len ? AY_CHAT_REFUSED : AY_CHAT_STOP;
}
