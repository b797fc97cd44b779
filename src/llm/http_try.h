/* SPDX-License-Identifier: Apache-2.0
 *
 * http_try - one try to send a request to a server, and its outcome.
 */
#ifndef AY_LLM_HTTP_TRY_H
#define AY_LLM_HTTP_TRY_H

#include "llm/http.h"
#include "llm/provider.h"
#include "llm/retry.h"
#include "llm/sse.h"

/* What the caller must do after the try. */
enum ay_try_kind {
	AY_TRY_ANSWERED,
	AY_TRY_AGAIN, /* may succeed if tried again */
	AY_TRY_NEVER, /* this request will never be answered */
	/* HTTP 403, 404, a refused parameter: no request will succeed unless others did */
	AY_TRY_REFUSED,
	AY_TRY_FATAL, /* no request will succeed: a wrong key, no credit */
};

struct ay_try_end {
	enum ay_try_kind kind;
	int http;
	bool unreached_server; /* AGAIN: there was no connection */
	double told_s;         /* AGAIN: the waiting time that the server asks for; < 0: none */
	char text[700];        /* what happened (unless ANSWERED) */
	char hint[300];        /* REFUSED, FATAL or unreached_server: what to set */
	bool no_options;       /* REFUSED because of stream_options, which can be left out */
};

struct ay_try {
	struct ay_http_request request;
	const struct ay_provider *provider;
	const char *model, *place; /* place: the address without its secret parts */
	struct ay_sse sse;
	struct ay_response heard;
	struct ay_str raw; /* a body that is not an event stream */
	struct ay_limits limits;
	size_t bytes;
	int status;
	bool plain, malformed, too_long, over; /* over: `end` is filled in */
	int64_t began_ns, ended_ns;
	struct ay_try_end end;
};

/* Initialises a try, whatever *t held before. Borrows provider, model and place. */
void ay_try_init(struct ay_try *t, const struct ay_provider *p, const char *model, const char *place);
void ay_try_release(struct ay_try *t);
/* The callbacks of its HTTP request. ay_try_done fills in `end`. */
void ay_try_header(struct ay_try *t, const char *line, size_t n);
bool ay_try_bytes(struct ay_try *t, const char *data, size_t n);
void ay_try_done(struct ay_try *t, const struct ay_http_end *end);
/* Returns an address without user, password and query, which may be shown. */
const char *ay_try_place(struct ay_arena *a, const char *url);

#endif
