/* SPDX-License-Identifier: Apache-2.0
 *
 * openai - the wire format of OpenAI's chat completions, also used by vLLM, llama.cpp, Ollama and
 * relays. Thinking comes as "reasoning_content" (DeepSeek, vLLM) or "reasoning" (OpenRouter). The
 * stream ends with "[DONE]"; if that is missing, a finish_reason suffices.
 */
#include "llm/provider.h"

#include <string.h>

static json_t *request(const struct ay_chat_spec *s, const json_t *messages, const struct ay_api_quirks *d)
{
	json_t *j = json_pack("{s:s, s:O, s:b}", "model", s->model, "messages", messages, "stream", 1);

	if (!d->plain)
		json_object_set_new(j, "stream_options", json_pack("{s:b}", "include_usage", 1));
	if (s->temperature >= 0)
		json_object_set_new(j, "temperature", json_real(s->temperature));
	/* OpenAI has renamed this field and refuses the old name for some models; other servers may
	 * not know the new name */
	if (s->max_tokens > 0)
		json_object_set_new(j, d->own ? "max_completion_tokens" : "max_tokens",
				    json_integer(s->max_tokens));
	return j;
}

static void hear_usage(struct ay_response *h, json_t *usage)
{
	if (!json_is_object(usage))
		return;
	ay_response_count(&h->tokens_in, json_object_get(usage, "prompt_tokens"));
	ay_response_count(&h->tokens_out, json_object_get(usage, "completion_tokens"));
	json_decref(h->usage);
	h->usage = json_incref(usage);
}

/* Reads a message, or an addition to one. */
static void hear_message(struct ay_response *h, const json_t *m)
{
	const json_t *part;
	size_t i;

	ay_response_add(&h->text, json_object_get(m, "content"));
	json_array_foreach(json_object_get(m, "content"), i, part)
		ay_response_add(&h->thinking, json_object_get(part, "thinking"));
	ay_response_add(&h->thinking, json_object_get(m, "reasoning_content"));
	if (!json_object_get(m, "reasoning_content"))
		ay_response_add(&h->thinking, json_object_get(m, "reasoning"));
	ay_response_add(&h->refusal, json_object_get(m, "refusal"));
}

static int hear(struct ay_response *h, const json_t *j, const char *what)
{
	const json_t *choices = json_object_get(j, "choices"), *c;
	size_t i;

	if (ay_response_error(h, j))
		return 0;
	if (!json_is_array(choices) && !json_is_object(json_object_get(j, "usage")))
		return -1;
	ay_response_keep(h->id, sizeof h->id, json_object_get(j, "id"));
	ay_response_keep(h->model, sizeof h->model, json_object_get(j, "model"));
	hear_usage(h, json_object_get(j, "usage"));
	json_array_foreach(choices, i, c)
	{
		if (json_integer_value(json_object_get(c, "index")))
			continue; /* only one answer was requested */
		hear_message(h, json_object_get(c, what));
		ay_response_keep(h->reason, sizeof h->reason, json_object_get(c, "finish_reason"));
	}
	return 0;
}

static int event(struct ay_response *h, const char *data, size_t n)
{
	json_t *j;
	int rc;

	if (n == 6 && !memcmp(data, "[DONE]", 6)) {
		h->ended = true;
		return 0;
	}
	j = json_loadb(data, n, JSON_ALLOW_NUL, NULL);
	rc = json_is_object(j) ? hear(h, j, "delta") : -1;
	json_decref(j);
	return rc;
}

static int whole(struct ay_response *h, const json_t *reply)
{
	int rc = hear(h, reply, "message");

	h->ended = !rc && !h->error.len && json_array_size(json_object_get(reply, "choices")) > 0;
	return rc;
}

static const char *const headers[] = { NULL };

const struct ay_provider ay_provider_openai = {
	.name = "openai",
	.key_variable = "OPENAI_API_KEY",
	.base_variable = "OPENAI_BASE_URL",
	.base = "https://api.openai.com/v1",
	.path = "/chat/completions",
	.key_header = "authorization",
	.key_before = "Bearer ",
	.headers = headers,
	.request = request,
	.event = event,
	.whole = whole,
};
