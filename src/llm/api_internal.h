/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two halves of the speaker share: api_process.c is the process and its parent, request.c what becomes of a
 * question.
 */
#ifndef AY_LLM_API_INTERNAL_H
#define AY_LLM_API_INTERNAL_H

#include "base/hash.h"
#include "llm/api_process.h"
#include "llm/http_try.h"

struct api_request {
	int64_t number;
	char *id, *header;
	json_t *messages;
	bool written;       /* in exchanges.jsonl */
	struct ay_str body; /* the request, in the words of the last try */
	char sha256[AY_SHA256_HEX];
	int tries, unreached;     /* unreached: of those, how often nobody was there */
	int64_t due_ns, first_ns; /* first_ns: of its first try */
	struct ay_try *now;       /* NULL: it waits */
	struct api_request *next;
	struct api_process *speaker;
};

struct api_process {
	const struct ay_api_process_spec *spec;
	const struct ay_chat_spec *chat;
	double timeout_s;
	int tries;
	struct ay_http *http;
	struct ay_arena arena;
	const char *place;
	json_t *shown; /* headers as they may be seen */
	struct api_request *first, **last;
	int in_flight, running;
	struct ay_api_quirks dialect;
	int64_t hold_ns;            /* nothing is begun before */
	int64_t answered, heard_ns; /* heard_ns: when somebody was there last; 0 = never */
	int refused;                /* in a row */
	int failed;                 /* questions, for good, in a row */
	bool troubled;              /* a try has failed */
	struct ay_str in, out;
	size_t sent;
	bool is_fatal;
};

/* Puts a frame into the parent's direction; takes over j. */
void ay_api_process_say(struct api_process *sp, json_t *j);
/* No question can be answered: what was in flight is dropped, and the parent is told why. */
void ay_api_process_fatal(struct api_process *sp, const char *text, const char *hint);

/* A question in line; messages are borrowed. */
void ay_request_add(struct api_process *sp, int64_t number, const char *id, json_t *messages);
void ay_aten_request_drop(struct api_process *sp, int64_t number);
/* All that were written down are noted as dropped; none is freed. */
void ay_requests_note(struct api_process *sp, const char *why);
void ay_requests_free(struct api_process *sp);
/* Begins those whose turn it is. */
void ay_requests_begin(struct api_process *sp);
/* Ends those that libcurl has finished, and those that take too long. */
void ay_requests_end(struct api_process *sp);
/* Milliseconds until something is due by the clock alone. */
int ay_requests_wait_ms(const struct api_process *sp);

#endif
