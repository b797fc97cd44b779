/* SPDX-License-Identifier: Apache-2.0
 *
 * try - a question put to a server once, and what came of it.
 */
#ifndef AY_LLM_HTTP_TRY_H
#define AY_LLM_HTTP_TRY_H

#include "llm/http.h"
#include "llm/provider.h"
#include "llm/retry.h"
#include "llm/sse.h"

/* What is to be done now. */
enum ay_try_kind {
	AY_TRY_ANSWERED,
	AY_TRY_AGAIN,   /* it may go better */
	AY_TRY_NEVER,   /* this question will not be answered */
	AY_TRY_REFUSED, /* nor any, unless others were: of 403, 404, a parameter that is not taken */
	AY_TRY_FATAL,   /* nor any: a wrong key, no credit */
};

struct ay_try_end {
	enum ay_try_kind kind;
	int http;
	bool nobody;     /* AGAIN: there was no connection */
	double told_s;   /* AGAIN: what the server asks to wait; < 0: nothing */
	char text[700];  /* all but ANSWERED: what happened */
	char hint[300];  /* REFUSED, FATAL, nobody: what to set */
	bool no_options; /* REFUSED: for stream_options, which can be left out */
};

struct ay_try {
	struct ay_http_request request;
	const struct ay_provider *provider;
	const char *model, *place; /* place: the address without what is secret in it */
	struct ay_sse sse;
	struct ay_response heard;
	struct ay_str raw; /* a body that is no stream */
	struct ay_limits limits;
	size_t bytes;
	int status;
	bool plain, malformed, too_long, over; /* over: end is filled in */
	int64_t began_ns, ended_ns;
	struct ay_try_end end;
};

/* Where the try is to lie, zeroed. provider, model and place are borrowed. */
void ay_try_init(struct ay_try *t, const struct ay_provider *p, const char *model, const char *place);
void ay_try_release(struct ay_try *t);
/* The callbacks of its request; the last fills in `end`. */
void ay_try_header(struct ay_try *t, const char *line, size_t n);
bool ay_try_bytes(struct ay_try *t, const char *data, size_t n);
void ay_try_done(struct ay_try *t, const struct ay_http_end *end);
/* An address as it may be shown: without user, password and query. */
const char *ay_try_place(struct ay_arena *a, const char *url);

#endif
