/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/http_try.h"
#include "base/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { ANSWER_MAX = 64 << 20, ERROR_MAX = 1 << 20, SHOWN = 400 };

static int on_event(void *user, const char *data, size_t n)
{
	struct ay_try *t = user;

	t->malformed = t->provider->event(&t->heard, data, n);
	return t->malformed || t->heard.error.len;
}

void ay_try_init(struct ay_try *t, const struct ay_provider *p, const char *model, const char *place)
{
	*t = (struct ay_try){ .provider = p, .model = model, .place = place, .began_ns = ay_now_ns() };
	t->sse = (struct ay_sse){ .event = on_event, .user = t };
	t->end.told_s = -1;
	ay_response_init(&t->heard);
}

void ay_try_release(struct ay_try *t)
{
	ay_sse_release(&t->sse);
	ay_response_release(&t->heard);
	ay_str_release(&t->raw);
}

const char *ay_try_place(struct ay_arena *a, const char *url)
{
	const char *host = strstr(url, "://"), *at, *end;

	host = host ? host + 3 : url;
	end = host + strcspn(host, "/?#");
	at = memrchr(host, '@', (size_t)(end - host));
	return ay_sprintf(a, "%.*s%.*s%.*s", (int)(host - url), url, (int)(end - (at ? at + 1 : host)),
			  at ? at + 1 : host, (int)strcspn(end, "?#"), end);
}

/* --- as it comes ------------------------------------------------------------------------------ */

void ay_try_header(struct ay_try *t, const char *line, size_t n)
{
	static const char type[] = "content-type:";

	/* a proxy's answer or 100 Continue may come first; the last status counts */
	if (n > 9 && !strncasecmp(line, "HTTP/", 5)) {
		const char *space = memchr(line, ' ', n);

		t->status = space ? (int)strtol(space, NULL, 10) : 0;
		t->limits = (struct ay_limits){ 0 };
		t->plain = t->status < 200 || t->status > 299;
		return;
	}
	if (n > sizeof type && !strncasecmp(line, type, sizeof type - 1))
		t->plain |= memmem(line, n, "json", 4) || memmem(line, n, "html", 4);
	ay_limits_header(&t->limits, line, n);
}

bool ay_try_bytes(struct ay_try *t, const char *data, size_t n)
{
	const size_t max = t->status >= 400 ? ERROR_MAX : ANSWER_MAX;

	t->bytes += n;
	if (t->bytes > max) {
		t->too_long = true;
		return false;
	}
	if (t->plain) {
		ay_str_addn(&t->raw, data, n);
		return true;
	}
	return !ay_sse_feed(&t->sse, data, n);
}

/* --- when it is over -------------------------------------------------------------------------- */

static void fail(struct ay_try *t, enum ay_try_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void fail(struct ay_try *t, enum ay_try_kind kind, const char *fmt, ...)
{
	va_list ap;

	t->end.kind = kind;
	va_start(ap, fmt);
	vsnprintf(t->end.text, sizeof t->end.text, fmt, ap);
	va_end(ap);
}

/* Maps an error type, as sent inside a stream or with another status, to an HTTP status. */
static int status_of_type(const char *type, int status)
{
	static const struct {
		const char *type;
		int status;
	} types[] = {
		{ "invalid_request_error", 400 }, { "authentication_error", 401 }, { "invalid_api_key", 401 },
		{ "insufficient_quota", 402 },    { "billing_error", 402 },        { "permission_error", 403 },
		{ "not_found_error", 404 },       { "model_not_found", 404 },      { "request_too_large", 413 },
		{ "rate_limit_error", 429 },      { "rate_limit_exceeded", 429 },  { "overloaded_error", 529 },
	};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(type, types[i].type))
			return types[i].status;
	return status;
}

/* Returns the parameter that the server refuses, if its error names one. */
static const char *parameter(const struct ay_try *t)
{
	static const char *const names[] = { "temperature", "max_completion_tokens", "max_tokens",
					     "stream_options" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(t->heard.error_param, names[i]) || strstr(ay_str_text(&t->raw), names[i]))
			return names[i];
	return NULL;
}

static void hint_parameter(struct ay_try *t, const char *name)
{
	static const struct {
		const char *name, *text;
	} hints[] = {
		{ "temperature", "set --temperature to what the model takes" },
		{ "max_completion_tokens", "set --max-tokens to what the model takes, or leave it out" },
		{ "max_tokens", "set --max-tokens to what the model takes, or leave it out" },
	};

	t->end.kind = AY_TRY_REFUSED;
	t->end.no_options = !strcmp(name, "stream_options");
	snprintf(t->end.hint, sizeof t->end.hint, "%s does not take the parameter '%s'", t->model, name);
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		if (!strcmp(name, hints[i].name))
			snprintf(t->end.hint, sizeof t->end.hint, "%s", hints[i].text);
}

static void hint(struct ay_try *t, int status)
{
	const struct ay_provider *p = t->provider;
	const char *refused = parameter(t);
	char *s = t->end.hint;
	size_t n = sizeof t->end.hint;

	switch (status) {
	case 400:
	case 422:
		if (refused)
			hint_parameter(t, refused);
		break;
	case 401: snprintf(s, n, "set %s to a key that %s takes", p->key_variable, t->place); break;
	case 402: snprintf(s, n, "the account of %s has nothing left to spend", p->key_variable); break;
	case 403:
		snprintf(s, n, "set %s to a key that may use '%s', or --model-name to another model",
			 p->key_variable, t->model);
		break;
	case 404:
	case 405:
		snprintf(s, n, "set --model-name to a model that is there (it is '%s'), or %s to another address",
			 t->model, p->base_variable);
		break;
	default:
		if (status >= 300 && status < 400)
			snprintf(s, n, "set %s to where it leads", p->base_variable);
	}
}

static enum ay_try_kind kind_of(int status)
{
	static const struct {
		int from, to;
		enum ay_try_kind kind;
	} kinds[] = {
		{ 300, 399, AY_TRY_FATAL }, { 401, 402, AY_TRY_FATAL }, { 403, 405, AY_TRY_REFUSED },
		{ 408, 409, AY_TRY_AGAIN }, { 425, 425, AY_TRY_AGAIN }, { 429, 429, AY_TRY_AGAIN },
		{ 500, 599, AY_TRY_AGAIN },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (status >= kinds[i].from && status <= kinds[i].to)
			return kinds[i].kind;
	return AY_TRY_NEVER;
}

/* Handles an error that the server reports by its status, or in a stream that began well. */
static void failed(struct ay_try *t, int status)
{
	struct ay_str b = { 0 };

	if (t->heard.error.len)
		ay_str_add_safe(&b, t->heard.error.s, t->heard.error.len, SHOWN);
	else
		ay_str_add_safe(&b, ay_str_text(&t->raw), t->raw.len, SHOWN);
	if (status >= 200 && status < 300)
		status = t->heard.error_status ? t->heard.error_status : 500;
	status = status_of_type(t->heard.error_type, status);
	if (status == 400 && strstr(ay_str_text(&t->heard.error), "credit balance"))
		status = 402; /* Anthropic's error for an empty account */
	fail(t, kind_of(status), "HTTP %d%s%s", t->status, b.len ? ": " : "", ay_str_text(&b));
	if (t->end.kind == AY_TRY_AGAIN)
		t->end.told_s = ay_limits_wait(&t->limits, (double)time(NULL));
	hint(t, status);
	ay_str_release(&b);
}

/* Reads a body that is not an event stream: an error in JSON or other text, or a whole answer. */
static void take_raw(struct ay_try *t)
{
	json_t *j = json_loadb(ay_str_text(&t->raw), t->raw.len, JSON_ALLOW_NUL, NULL);

	if (t->status >= 300) /* Google's errors come in a list */
		ay_response_error(&t->heard, json_is_array(j) ? json_array_get(j, 0) : j);
	else
		t->malformed = !json_is_object(j) || t->provider->whole(&t->heard, j);
	json_decref(j);
}

/* Returns true if the stop reason means that the server ran out of a resource or failed. */
static bool is_broken_off(const struct ay_response *h)
{
	static const char *const reasons[] = { "insufficient_system_resource", "error" };

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (!strcmp(h->reason, reasons[i]))
			return true;
	return false;
}

void ay_try_done(struct ay_try *t, const struct ay_http_end *end)
{
	t->over = true;
	t->ended_ns = ay_now_ns();
	t->end.http = t->status;
	if (t->plain && (end->whole || t->status >= 300))
		take_raw(t);
	else if (end->whole && !t->malformed && !t->heard.error.len && ay_sse_end(&t->sse))
		t->malformed = false; /* an incomplete last event does not count */
	if (!end->status) {
		fail(t, AY_TRY_AGAIN, "%s", end->error ? end->error : "there was no answer");
		t->end.unreached_server = end->unreached_server;
		if (end->untrusted)
			snprintf(t->end.hint, sizeof t->end.hint,
				 "set CURL_CA_BUNDLE to a file with the authority that vouches for %s", t->place);
		else
			snprintf(t->end.hint, sizeof t->end.hint,
				 "set %s (no server answered at %s), or https_proxy to a proxy",
				 t->provider->base_variable, t->place);
	} else if (t->too_long) {
		fail(t, AY_TRY_NEVER, "the answer is longer than %d MiB", ANSWER_MAX >> 20);
	} else if (t->status >= 300 || t->heard.error.len) {
		failed(t, t->status);
	} else if (t->malformed) {
		fail(t, AY_TRY_AGAIN, "what came is no answer of %s's kind", t->provider->name);
	} else if (is_broken_off(&t->heard)) {
		fail(t, AY_TRY_AGAIN, "the server broke off: %s", t->heard.reason);
	} else if (t->heard.ended ? t->heard.reason[0] || t->heard.text.len : end->whole && t->heard.reason[0]) {
		t->end.kind = AY_TRY_ANSWERED;
	} else {
		fail(t, AY_TRY_AGAIN, "the answer was cut off%s%s", end->error ? ": " : "",
		     end->error ? end->error : "");
	}
}
