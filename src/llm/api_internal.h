/* SPDX-License-Identifier: Apache-2.0
 *
 * api_internal - the state that the two files of the API process share. api_process.c runs the
 * process and talks to its parent; request.c handles each request.
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
	bool written;       /* its "asked" line is in exchanges.jsonl */
	struct ay_str body; /* the JSON body of the last try */
	char sha256[AY_SHA256_HEX];
	int tries, unreached;     /* unreached: how many of these tries found no server */
	int64_t due_ns, first_ns; /* first_ns: start of its first try */
	struct ay_try *now;       /* the try in progress; NULL: the request waits */
	struct api_request *next;
	struct api_process *api;
};

struct api_process {
	const struct ay_api_process_spec *spec;
	const struct ay_chat_spec *chat;
	double timeout_s;
	int tries;
	struct ay_http *http;
	struct ay_arena arena;
	const char *place;
	json_t *shown; /* request headers without the key */
	struct api_request *first, **last;
	int in_flight, running;
	struct ay_api_quirks dialect;
	int64_t hold_ns;            /* no try begins before this time */
	int64_t answered, heard_ns; /* heard_ns: when the server last answered; 0 = never */
	int refused;                /* requests refused in a row */
	int failed;                 /* requests that failed for good, in a row */
	bool troubled;              /* a try has failed */
	struct ay_str in, out;
	size_t sent;
	bool is_fatal;
};

/* Queues a frame for the parent and frees j. */
void ay_api_process_say(struct api_process *sp, json_t *j);
/* Ends all requests because none can be answered: notes them as dropped, frees them and tells the
 * parent why. */
void ay_api_process_fatal(struct api_process *sp, const char *text, const char *hint);

/* Adds a request to the queue. Takes its own reference to messages. */
void ay_request_add(struct api_process *sp, int64_t number, const char *id, json_t *messages);
void ay_request_drop(struct api_process *sp, int64_t number);
/* Notes every request that is in exchanges.jsonl as dropped. Frees none. */
void ay_requests_note(struct api_process *sp, const char *why);
void ay_requests_free(struct api_process *sp);
/* Begins the requests that are due, the oldest first. */
void ay_requests_begin(struct api_process *sp);
/* Ends the tries that libcurl has finished and those that exceed a time limit. */
void ay_requests_end(struct api_process *sp);
/* Returns the milliseconds until the next time limit or due time. */
int ay_requests_wait_ms(const struct api_process *sp);

#endif
