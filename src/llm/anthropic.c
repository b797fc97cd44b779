/* SPDX-License-Identifier: Apache-2.0
 *
 * anthropic - the wire format of Anthropic's messages. The system prompt stands beside the
 * messages, not among them. A token limit is mandatory. An answer is a list of blocks, of which
 * text and thinking are used. A stream ends with message_stop.
 */
#include "llm/provider.h"

#include <string.h>

enum { MAX_TOKENS = 8192 /* default limit: all models since 2024 accept it */ };

static json_t *request(const struct ay_chat_spec *s, const json_t *messages, const struct ay_api_quirks *d)
{
	json_t *list = json_array(), *j, *m;
	struct ay_str system = { 0 };
	size_t i;

	(void)d;
	json_array_foreach(messages, i, m)
	{
		const char *role = json_string_value(json_object_get(m, "role"));

		if (!role || strcmp(role, "system")) {
			json_array_append(list, m);
			continue;
		}
		if (system.len)
			ay_str_add(&system, "\n\n");
		ay_response_add(&system, json_object_get(m, "content"));
	}
	j = json_pack("{s:s, s:I, s:o, s:b}", "model", s->model, "max_tokens",
		      (json_int_t)(s->max_tokens > 0 ? s->max_tokens : MAX_TOKENS), "messages", list, "stream", 1);
	if (system.len)
		json_object_set_new(j, "system", json_stringn(system.s, system.len));
	if (s->temperature >= 0)
		json_object_set_new(j, "temperature", json_real(s->temperature));
	ay_str_release(&system);
	return j;
}

/* Adds up the usage. Tokens read from or written to a cache count as read too. */
static void hear_usage(struct ay_response *h, json_t *usage)
{
	static const char *const read[] = { "input_tokens", "cache_creation_input_tokens",
					    "cache_read_input_tokens" };
	int64_t in = 0, n;

	if (!json_is_object(usage))
		return;
	for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
		n = 0;
		ay_response_count(&n, json_object_get(usage, read[i]));
		in = in > INT64_MAX - n ? INT64_MAX : in + n;
	}
	/* a proxy may send the count at the start or at the end, and 0 at the other place */
	if (json_object_get(usage, "input_tokens") && in > h->tokens_in)
		h->tokens_in = in;
	ay_response_count(&h->tokens_out, json_object_get(usage, "output_tokens"));
	if (!h->usage)
		h->usage = json_object();
	/* the second message has what changed since the first */
	json_object_update(h->usage, usage);
}

static void hear_block(struct ay_response *h, const json_t *b)
{
	ay_response_add(&h->text, json_object_get(b, "text"));
	ay_response_add(&h->thinking, json_object_get(b, "thinking"));
}

static void hear_head(struct ay_response *h, const json_t *m)
{
	ay_response_keep(h->id, sizeof h->id, json_object_get(m, "id"));
	ay_response_keep(h->model, sizeof h->model, json_object_get(m, "model"));
	ay_response_keep(h->reason, sizeof h->reason, json_object_get(m, "stop_reason"));
	hear_usage(h, json_object_get(m, "usage"));
}

static int hear(struct ay_response *h, const json_t *j)
{
	const char *type = json_string_value(json_object_get(j, "type"));

	if (!type)
		return ay_response_error(h, j) ? 0 : -1;
	if (!strcmp(type, "message_start")) {
		hear_head(h, json_object_get(j, "message"));
	} else if (!strcmp(type, "content_block_start")) {
		hear_block(h, json_object_get(j, "content_block"));
	} else if (!strcmp(type, "content_block_delta")) {
		hear_block(h, json_object_get(j, "delta"));
	} else if (!strcmp(type, "message_delta")) {
		ay_response_keep(h->reason, sizeof h->reason,
				 json_object_get(json_object_get(j, "delta"), "stop_reason"));
		hear_usage(h, json_object_get(j, "usage"));
	} else if (!strcmp(type, "message_stop")) {
		h->ended = true;
	} else if (!strcmp(type, "error")) {
		return ay_response_error(h, j) ? 0 : -1;
	}
	return 0; /* ping, content_block_stop, and future event types */
}

static int event(struct ay_response *h, const char *data, size_t n)
{
	json_t *j = json_loadb(data, n, JSON_ALLOW_NUL, NULL);
	int rc = json_is_object(j) ? hear(h, j) : -1;

	json_decref(j);
	return rc;
}

static int whole(struct ay_response *h, const json_t *reply)
{
	const json_t *blocks = json_object_get(reply, "content"), *b;
	size_t i;

	if (ay_response_error(h, reply))
		return 0;
	if (!json_is_array(blocks))
		return -1;
	hear_head(h, reply);
	json_array_foreach(blocks, i, b) hear_block(h, b);
	h->ended = true;
	return 0;
}

static const char *const headers[] = { "anthropic-version: 2023-06-01", NULL };

const struct ay_provider ay_provider_anthropic = {
	.name = "anthropic",
	.key_variable = "ANTHROPIC_API_KEY",
	.base_variable = "ANTHROPIC_BASE_URL",
	.base = "https://api.anthropic.com",
	.path = "/v1/messages",
	.key_header = "x-api-key",
	.key_before = "",
	.headers = headers,
	.request = request,
	.event = event,
	.whole = whole,
};
