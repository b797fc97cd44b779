/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/api_internal.h"
#include "base/process.h"
#include "base/rng.h"

#include <stdio.h>
#include <string.h>

enum {
	TRIES_NOBODY = 3, /* tries at an address where no server has ever answered */
	/* refused requests after which the server, not the request, is at fault */
	REFUSED_IN_A_ROW = 5,
	TRIES_SILENT = 2,     /* tries of a server that has never answered */
	FAILED_FIRST = 3,     /* requests failed for good before any answer: the run ends */
	FAILED_IN_A_ROW = 20, /* requests failed for good in a row after an answer: the run ends */
	PROBES = 3,           /* requests sent to a server that has failed and never answered */
	WAIT_MAX_S = 3600,    /* longest waiting time that a server may ask for */
	WHOLE_TIMES = 20,     /* a request may take that many time-outs, if bytes keep coming */
};
#define LINGER_S  1.0 /* after the last event an open connection is cut after that time */
#define SECOND_NS 1e9

static int64_t in_s(double s)
{
	return ay_now_ns() + (int64_t)(s * SECOND_NS);
}

static double chance(void)
{
	return (double)ay_secret_below(1 << 20) / (1 << 20);
}

static json_t *text_of(const char *s)
{
	return ay_json_text(s, strlen(s), strlen(s));
}

static void question_free(struct api_request *q)
{
	struct api_process *sp = q->api;
	struct api_request **p = &sp->first;

	while (*p != q)
		p = &(*p)->next;
	*p = q->next;
	if (sp->last == &q->next)
		sp->last = p;
	if (q->now) {
		ay_http_drop(&q->now->request);
		ay_try_release(q->now);
		ay_xfree(q->now);
		sp->running--;
	}
	json_decref(q->messages);
	ay_str_release(&q->body);
	ay_xfree(q->id);
	ay_xfree(q->header);
	ay_xfree(q);
}

/* Adds a line to the transcript and frees j. Returns -1 if it cannot be written; then all requests
 * have ended. */
static int note(struct api_process *sp, json_t *j)
{
	struct ay_err err = { 0 };
	json_t *clean = ay_api_key_scrub_json(&sp->spec->key, j);
	int rc = ay_transcript_add(sp->spec->file, clean, &err);

	json_decref(clean);
	json_decref(j);
	if (rc)
		ay_api_process_fatal(sp, err.msg, "make room, then resume the run");
	return rc;
}

static void note_dropped(struct api_request *q, const char *why)
{
	json_t *j = ay_transcript_entry("dropped", q->id);

	json_object_set_new(j, "why", text_of(why));
	note(q->api, j);
}

/* --- in line ---------------------------------------------------------------------------------- */

static void sha256_of(const json_t *messages, char hex[AY_SHA256_HEX])
{
	struct ay_hash h;
	const json_t *m;
	size_t i;

	ay_hash_init(&h);
	json_array_foreach(messages, i, m)
	{
		ay_hash_add_str(&h, json_string_value(json_object_get(m, "role")));
		ay_hash_add_str(&h, json_string_value(json_object_get(m, "content")));
	}
	ay_hash_end(&h, hex);
}

/* Makes a header with the request's id, so that a server's log can be compared with the
 * transcript. */
static char *header_of(const char *id)
{
	struct ay_str b = { 0 };

	ay_str_add(&b, "x-client-request-id: ");
	for (; *id && b.len < 400; id++)
		ay_str_addc(&b, *id > ' ' && *id < 0x7f ? *id : '_');
	return b.s;
}

void ay_request_add(struct api_process *sp, int64_t number, const char *id, json_t *messages)
{
	struct api_request *q = ay_xrealloc(NULL, sizeof *q);
	struct ay_str copy = { 0 };

	ay_str_add(&copy, id);
	*q = (struct api_request){ .number = number, .id = copy.s };
	q->header = header_of(q->id);
	q->messages = json_incref(messages);
	q->api = sp;
	sha256_of(q->messages, q->sha256);
	*sp->last = q;
	sp->last = &q->next;
}

void ay_request_drop(struct api_process *sp, int64_t number)
{
	struct api_request *q = sp->first;

	while (q && q->number != number)
		q = q->next;
	if (!q)
		return; /* it has just been answered */
	if (q->written)
		note_dropped(q, "not needed any more");
	if (!sp->is_fatal) /* a fatal error has freed all requests */
		question_free(q);
}

void ay_requests_note(struct api_process *sp, const char *why)
{
	for (struct api_request *q = sp->first; q; q = q->next) {
		json_t *j = ay_transcript_entry("dropped", q->id);
		struct ay_err err = { 0 };

		json_object_set_new(j, "why", text_of(why));
		if (q->written) /* a request whose line cannot be written will count as lost */
			ay_transcript_add(sp->spec->file, j, &err);
		json_decref(j);
	}
}

void ay_requests_free(struct api_process *sp)
{
	while (sp->first)
		question_free(sp->first);
}

/* --- what becomes of one ---------------------------------------------------------------------- */

static void scrub(const struct api_process *sp, struct ay_str *b)
{
	ay_api_key_scrub(&sp->spec->key, b);
}

/* Writes an answer to the transcript, sends it to the parent and frees the request. */
static void answer(struct api_request *q, const struct ay_chat_answer *a, int http, json_t *reply)
{
	struct api_process *sp = q->api;
	json_t *j = ay_transcript_entry("answered", q->id);

	ay_transcript_entry_put(j, a);
	json_object_set_new(j, "http", json_integer(http));
	if (reply)
		json_object_set_new(j, "reply", reply);
	if (!note(sp, json_incref(j))) {
		json_object_del(j, "reply");
		json_object_set_new(j, "answer", json_integer(q->number));
		ay_api_process_say(sp, json_incref(j));
		question_free(q);
	}
	json_decref(j);
}

static void answer_failed(struct api_request *q, const char *text, int http)
{
	struct ay_str b = { 0 };
	struct ay_chat_answer a = { .id = q->id, .end = AY_CHAT_FAILED, .text = "", .tries = q->tries };

	ay_str_add(&b, text);
	if (q->tries > 1)
		ay_str_addf(&b, " (%d tries)", q->tries);
	ay_api_key_scrub(&q->api->spec->key, &b);
	a.error = b.s;
	a.usd = q->api->spec->price.in < 0 ? -1 : 0;
	a.wall_s = q->now ? (double)(ay_now_ns() - q->now->began_ns) / SECOND_NS : 0;
	answer(q, &a, http, NULL);
	ay_str_release(&b);
}

static void answer_heard(struct api_request *q)
{
	struct api_process *sp = q->api;
	struct ay_response *h = &q->now->heard;
	struct ay_chat_answer a = { .id = q->id, .end = ay_response_end(h), .tries = q->tries };
	json_t *reply = json_object();

	scrub(sp, &h->text);
	scrub(sp, &h->thinking);
	scrub(sp, &h->refusal);
	a.text = h->text.len || a.end != AY_CHAT_REFUSED ? ay_str_text(&h->text) : ay_str_text(&h->refusal);
	a.thinking = h->thinking.len ? h->thinking.s : NULL;
	a.tokens_in = h->tokens_in < 0 ? 0 : h->tokens_in;
	a.tokens_out = h->tokens_out < 0 ? 0 : h->tokens_out;
	a.usd = ay_price_of(&sp->spec->price, h->tokens_in, h->tokens_out);
	a.wall_s = (double)(q->now->ended_ns - q->now->began_ns) / SECOND_NS;
	json_object_set_new(reply, "id", text_of(h->id));
	json_object_set_new(reply, "model", text_of(h->model));
	json_object_set_new(reply, "reason", text_of(h->reason));
	if (h->usage)
		json_object_set(reply, "usage", h->usage);
	sp->answered++;
	sp->refused = sp->failed = 0;
	answer(q, &a, q->now->status, reply);
}

/* Returns advice for the user if the server's error has none. */
static const char *advice(struct api_process *sp, int http)
{
	const char *base = sp->spec->provider->base_variable;

	if (!http)
		return ay_sprintf(&sp->arena, "set %s to a server that answers, or a longer --request-timeout",
				  base);
	if (http == 429 || http >= 500)
		return "try again later, or with a smaller --num-workers";
	return ay_sprintf(&sp->arena, "set --model-name, --max-tokens or %s to what the server takes", base);
}

/* Ends a request that will not be answered. If the first few requests, or many in a row, end so,
 * they are not to blame and the run ends. */
static void give_up(struct api_request *q)
{
	struct api_process *sp = q->api;
	const struct ay_try_end *e = &q->now->end;
	char text[sizeof e->text + 100];

	if (++sp->failed < (sp->answered ? FAILED_IN_A_ROW : FAILED_FIRST)) {
		answer_failed(q, e->text, e->http);
		return;
	}
	snprintf(text, sizeof text, "%s%d requests in a row failed for good, the last after %d %s: %s",
		 sp->answered ? "" : "nothing was answered: ", sp->failed, q->tries,
		 q->tries > 1 ? "tries" : "try", e->text);
	ay_api_process_fatal(sp, text, e->hint[0] ? e->hint : advice(sp, e->http));
}

/* Tells the parent the last error, for users who wait. */
static void say_trouble(struct api_process *sp, const char *what)
{
	struct ay_str b = { 0 };

	ay_str_add(&b, what);
	scrub(sp, &b);
	sp->troubled = true;
	ay_api_process_say(sp, json_pack("{s:o}", "trouble", ay_json_text(b.s, b.len, b.len)));
	ay_str_release(&b);
}

/* Returns true if another request waits for an answer and has not failed to connect. Then a server
 * may exist. */
static bool is_waited_for(const struct api_process *sp)
{
	for (const struct api_request *q = sp->first; q; q = q->next)
		if (q->now && !q->now->over && !q->unreached)
			return true;
	return false;
}

/* Holds back all requests, because a rate limit concerns them all. */
static void hold(struct api_process *sp, int64_t until_ns, double s)
{
	sp->hold_ns = until_ns;
	ay_api_process_say(sp, json_pack("{s:f}", "held", s));
}

/* Handles a failed try: schedules the next one, or gives up. */
static void try_again(struct api_request *q)
{
	struct api_process *sp = q->api;
	struct ay_try_end e = q->now->end;
	bool never = e.unreached_server && !sp->heard_ns, gone = e.unreached_server && sp->heard_ns < q->first_ns;
	double wait_s = ay_retry_wait(q->tries, e.told_s, chance());
	json_t *j;

	q->unreached += e.unreached_server;
	if ((never && q->unreached >= TRIES_NOBODY && !is_waited_for(sp)) || (gone && q->tries >= sp->tries)) {
		ay_api_process_fatal(sp, e.text, e.hint);
		return;
	}
	if (q->tries >=
		    (sp->heard_ns || e.unreached_server || sp->tries < TRIES_SILENT ? sp->tries : TRIES_SILENT) ||
	    e.told_s > WAIT_MAX_S) {
		give_up(q);
		return;
	}
	j = ay_transcript_entry("retried", q->id);
	json_object_set_new(j, "try", json_integer(q->tries));
	json_object_set_new(j, "http", json_integer(e.http));
	json_object_set_new(j, "error", text_of(e.text));
	json_object_set_new(j, "wait_s", json_real(wait_s));
	q->due_ns = in_s(wait_s);
	if (e.http == 429 && e.told_s >= 0 && q->due_ns > sp->hold_ns)
		hold(sp, q->due_ns, wait_s);
	say_trouble(sp, e.text);
	ay_try_release(q->now);
	ay_xfree(q->now);
	q->now = NULL;
	sp->running--;
	note(sp, j);
}

static void try_over(struct api_request *q)
{
	struct api_process *sp = q->api;
	struct ay_try_end *e = &q->now->end;

	/* the server does not know stream_options: send requests without it */
	if (e->no_options && !sp->dialect.plain) {
		sp->dialect.plain = true;
		e->kind = AY_TRY_AGAIN;
		e->told_s = 0;
	}
	switch (e->kind) {
	case AY_TRY_ANSWERED: answer_heard(q); break;
	case AY_TRY_AGAIN: try_again(q); break;
	case AY_TRY_NEVER: give_up(q); break;
	case AY_TRY_REFUSED:
		if (sp->answered && ++sp->refused < REFUSED_IN_A_ROW)
			answer_failed(q, e->text, e->http);
		else
			ay_api_process_fatal(sp, e->text, e->hint);
		break;
	case AY_TRY_FATAL: ay_api_process_fatal(sp, e->text, e->hint); break;
	}
}

static void on_header(void *user, const char *line, size_t n)
{
	struct api_request *q = user;

	q->api->heard_ns = ay_now_ns();
	ay_try_header(q->now, line, n);
}

static bool on_bytes(void *user, const char *data, size_t n)
{
	return ay_try_bytes(((struct api_request *)user)->now, data, n);
}

/* Only stores the outcome: handling it may end other requests, and libcurl is still working. */
static void on_done(void *user, const struct ay_http_end *end)
{
	ay_try_done(((struct api_request *)user)->now, end);
}

/* Returns the request's JSON in the provider's format, and stores its text in q->body. */
static json_t *request_of(struct api_request *q)
{
	struct api_process *sp = q->api;
	const struct ay_provider *p = sp->spec->provider;
	json_t *j = p ? p->request(sp->chat, q->messages, &sp->dialect)
		      : json_pack("{s:s, s:O}", "model", sp->chat->model, "messages", q->messages);
	size_t n = json_dumpb(j, NULL, 0, JSON_COMPACT | JSON_REAL_PRECISION(15));

	ay_str_release(&q->body);
	q->body.s = ay_xrealloc(NULL, q->body.cap = n + 1);
	q->body.len = json_dumpb(j, q->body.s, n, JSON_COMPACT | JSON_REAL_PRECISION(15));
	return j;
}

/* Adds the "asked" line before anything is sent. Frees request. */
static int note_asked(struct api_request *q, json_t *request)
{
	struct api_process *sp = q->api;
	const struct ay_provider *p = sp->spec->provider;
	json_t *j = ay_transcript_entry("asked", q->id);

	json_object_set_new(j, "prompt_sha256", json_string(q->sha256));
	json_object_set_new(j, "server", json_string(p ? p->name : "replay"));
	if (p) {
		json_object_set_new(j, "url", text_of(sp->place));
		json_object_set(j, "headers", sp->shown);
	}
	json_object_set_new(j, "request", request);
	q->written = true;
	return note(sp, j);
}

static void replay(struct api_request *q)
{
	struct ay_chat_answer a;
	json_t *reply;

	q->tries = 1;
	if (!ay_transcript_again(q->api->spec->past, q->id, q->sha256, &a)) {
		answer_failed(q, "the run that is replayed has no answer to this question", 0);
		return;
	}
	a.id = q->id;
	reply = json_pack("{s:o}", "replay", text_of(q->api->chat->replay));
	answer(q, &a, 0, reply);
}

static void begin(struct api_request *q)
{
	struct api_process *sp = q->api;
	struct ay_http_request *r;
	struct ay_err err = { 0 };
	json_t *request;

	request = request_of(q);
	if (!q->written && note_asked(q, json_incref(request))) {
		json_decref(request);
		return;
	}
	json_decref(request);
	if (!sp->spec->provider) {
		replay(q);
		return;
	}
	q->now = ay_xrealloc(NULL, sizeof *q->now);
	ay_try_init(q->now, sp->spec->provider, sp->chat->model, sp->place);
	sp->running++;
	q->tries++;
	if (!q->first_ns)
		q->first_ns = q->now->began_ns;
	r = &q->now->request;
	r->body = q->body.s;
	r->len = q->body.len;
	r->header_line = q->header;
	r->user = q;
	r->header = on_header;
	r->bytes = on_bytes;
	r->done = on_done;
	if (ay_http_start(sp->http, r, &err))
		ay_api_process_fatal(sp, err.msg, "");
}

/* Returns true if the server has only failed so far. Then only the oldest few requests are
 * tried. */
static bool is_probing(const struct api_process *sp)
{
	return sp->troubled && !sp->answered;
}

/* Begins the requests that are due, the oldest first. */
void ay_requests_begin(struct api_process *sp)
{
	struct api_request *next;
	int64_t now = ay_now_ns();
	int place = 0;

	if (now < sp->hold_ns)
		return;
	for (struct api_request *q = sp->first; q && sp->running < sp->in_flight && !sp->is_fatal; q = next) {
		next = q->next;
		if (place++ >= PROBES && is_probing(sp))
			return;
		if (!q->now && q->due_ns <= now)
			begin(q);
	}
}

/* Ends the tries that libcurl has finished and those that exceed a time limit. */
void ay_requests_end(struct api_process *sp)
{
	struct api_request *next;
	const struct ay_http_end cut = { .whole = true };

	for (struct api_request *q = sp->first; q && !sp->is_fatal; q = next) {
		struct ay_try *t = q->now;
		double silent_s, whole_s;

		next = q->next;
		if (!t)
			continue;
		silent_s = (double)(ay_now_ns() - t->request.heard_ns) / SECOND_NS;
		whole_s = (double)(ay_now_ns() - t->began_ns) / SECOND_NS;
		if (!t->over && t->heard.ended && silent_s > LINGER_S) {
			ay_http_drop(&t->request);
			ay_try_done(t, &cut);
		}
		if (!t->over && (silent_s > sp->timeout_s || whole_s > WHOLE_TIMES * sp->timeout_s)) {
			ay_http_drop(&t->request);
			ay_try_done(t, &cut);
			t->end = (struct ay_try_end){ AY_TRY_AGAIN, t->status, false, -1, "", "" };
			snprintf(t->end.text, sizeof t->end.text, "%s for %.6g s",
				 silent_s > sp->timeout_s ? "not a byte came" : "no end came",
				 silent_s > sp->timeout_s ? sp->timeout_s : whole_s);
		}
		if (t->over)
			try_over(q);
	}
}

/* Returns the milliseconds until the next time limit or due time. */
int ay_requests_wait_ms(const struct api_process *sp)
{
	int64_t at = in_s(1), now = ay_now_ns();
	int place = 0;

	for (const struct api_request *q = sp->first; q; q = q->next) {
		const bool waits = place++ >= PROBES && is_probing(sp);
		int64_t due = q->due_ns > sp->hold_ns ? q->due_ns : sp->hold_ns;

		if (q->now)
			due = q->now->request.heard_ns + (int64_t)(sp->timeout_s * SECOND_NS);
		else if (waits || sp->running >= sp->in_flight)
			continue;
		if (due < at)
			at = due;
	}
	return at <= now ? 0 : (int)((at - now) / 1000000) + 1;
}
