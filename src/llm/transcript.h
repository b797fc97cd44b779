/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange - what was asked of a model and what it answered: exchanges.jsonl of a run, append-only.
 *
 *	{"type": "asked", "id": "aten::add/r1/w0", "time": "...", "prompt_sha256": "...", "server": "openai",
 *	 "url": "...", "headers": {redacted}, "request": {...}}
 *	{"type": "retried", "id": "aten::add/r1/w0", "time": "...", "try": 1, "http": 429, "error": "...", "wait_s": 2}
 *	{"type": "answered", "id": "aten::add/r1/w0", "time": "...", "end": "stop", "text": "...", "thinking": ...,
 *	 "tokens_in": 812, "tokens_out": 411, "usd": 0.0041, "tries": 1, "wall_s": 3.2, "http": 200, "reply": {...}}
 *	{"type": "dropped", "id": ..., "time": "...", "why": "..."}
 *
 * A resumed run takes the answers that are there; a question without an answer was in flight when the run was killed:
 * it is lost, is counted, and is asked again. A replay takes them from another run, by id, else by the request's
 * text.
 */
#ifndef AY_LLM_TRANSCRIPT_H
#define AY_LLM_TRANSCRIPT_H

#include "llm/chat.h"

#define AY_TRANSCRIPT_FILE "exchanges.jsonl"

struct ay_transcript;

/* Reads DIR/exchanges.jsonl; a torn last line is dropped. No file: no exchanges. */
int ay_transcript_read(struct ay_transcript **x, const char *dir, struct ay_err *err);
void ay_transcript_free(struct ay_transcript *x);
/* The answer to a question, if there is one (of several the last); strings live as long as x. */
bool ay_transcript_answer(const struct ay_transcript *x, const char *id, struct ay_chat_answer *answer);
int ay_transcript_answered(const struct ay_transcript *x);
/* The ids that were asked and neither answered nor dropped. */
int ay_transcript_lost(const struct ay_transcript *x, const char *const **ids);
/* For a replay: the answer by id, else one to the same text. answer->changed: the id's, but to another text. */
bool ay_transcript_again(const struct ay_transcript *x, const char *id, const char *prompt_sha256,
			 struct ay_chat_answer *answer);

/* --- for the speaker ----------------------------------------------------------------------------------------- */

/* A descriptor of DIR/exchanges.jsonl to add to; a torn last line is cut off. */
int ay_transcript_open(const char *dir, struct ay_err *err);
/* One line by one write(2), or nothing at all. */
int ay_transcript_add(int fd, const json_t *line, struct ay_err *err);
/* Starts a line: type, id, time. */
json_t *ay_transcript_entry(const char *type, const char *id);
/* The fields of an answer, into an object and out of it (strings into the arena, borrowed from j if a is NULL). -1:
 * it is none. */
void ay_transcript_entry_put(json_t *j, const struct ay_chat_answer *answer);
int ay_transcript_entry_get(struct ay_arena *a, const json_t *j, struct ay_chat_answer *answer);

#endif
