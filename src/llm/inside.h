/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two halves of the speaker share: speaker.c is the process and its parent, question.c what becomes of a
 * question.
 */
#ifndef AY_LLM_INSIDE_H
#define AY_LLM_INSIDE_H

#include "base/hash.h"
#include "llm/speaker.h"
#include "llm/try.h"

struct question {
	int64_t number;
	char *id, *header;
	json_t *messages;
	bool written;       /* in exchanges.jsonl */
	struct ay_str body; /* the request, in the words of the last try */
	char sha256[AY_SHA256_HEX];
	int tries, unreached;     /* unreached: of those, how often nobody was there */
	int64_t due_ns, first_ns; /* first_ns: of its first try */
	struct ay_try *now;       /* NULL: it waits */
	struct question *next;
	struct speaker *speaker;
};

struct speaker {
	const struct ay_speaker_spec *spec;
	const struct ay_chat_spec *chat;
	double timeout_s;
	int tries;
	struct ay_http *http;
	struct ay_arena arena;
	const char *place;
	json_t *shown; /* headers as they may be seen */
	struct question *first, **last;
	int in_flight, running;
	struct ay_dialect dialect;
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
void ay_speaker_say(struct speaker *sp, json_t *j);
/* No question can be answered: what was in flight is dropped, and the parent is told why. */
void ay_speaker_fatal(struct speaker *sp, const char *text, const char *hint);

/* A question in line; messages are borrowed. */
void ay_question_add(struct speaker *sp, int64_t number, const char *id, json_t *messages);
void ay_question_drop(struct speaker *sp, int64_t number);
/* All that were written down are noted as dropped; none is freed. */
void ay_questions_note(struct speaker *sp, const char *why);
void ay_questions_free(struct speaker *sp);
/* Begins those whose turn it is. */
void ay_questions_begin(struct speaker *sp);
/* Ends those that libcurl has finished, and those that take too long. */
void ay_questions_end(struct speaker *sp);
/* Milliseconds until something is due by the clock alone. */
int ay_questions_wait_ms(const struct speaker *sp);

#endif
