/* SPDX-License-Identifier: Apache-2.0
 *
 * transcript - the requests to a model and its answers: exchanges.jsonl of a run, append-only.
 *
 *	{"type": "asked", "id": "aten::add/r1/w0", "time": "...", "prompt_sha256": "...", "server": "openai",
 *	 "url": "...", "headers": {redacted}, "request": {...}}
 *	{"type": "retried", "id": "aten::add/r1/w0", "time": "...", "try": 1, "http": 429, "error": "...",
 *	 "wait_s": 2}
 *	{"type": "answered", "id": "aten::add/r1/w0", "time": "...", "end": "stop", "text": "...",
 *	 "thinking": ..., "tokens_in": 812, "tokens_out": 411, "usd": 0.0041, "tries": 1, "wall_s": 3.2,
 *	 "http": 200, "reply": {...}}
 *	{"type": "dropped", "id": ..., "time": "...", "why": "..."}
 *
 * A resumed run uses the answers in this file. A request without an answer was in flight when the
 * run was killed: it is counted as lost and sent again. A replay takes its answers from another
 * run's file, by id, or else by the hash of the request's text.
 */
#ifndef AY_LLM_TRANSCRIPT_H
#define AY_LLM_TRANSCRIPT_H

#include "llm/chat.h"

#define AY_TRANSCRIPT_FILE "exchanges.jsonl"

struct ay_transcript;

/* Reads DIR/exchanges.jsonl. Ignores a torn last line. If the file does not exist, *x is empty. */
int ay_transcript_read(struct ay_transcript **x, const char *dir, struct ay_err *err);
void ay_transcript_free(struct ay_transcript *x);
/* Finds the answer to a request (of several the last). Returns false if there is none. Strings live
 * as long as x. */
bool ay_transcript_answer(const struct ay_transcript *x, const char *id, struct ay_chat_answer *answer);
int ay_transcript_answered(const struct ay_transcript *x);
/* Returns the number of requests that were sent but neither answered nor dropped, and their ids. */
int ay_transcript_lost(const struct ay_transcript *x, const char *const **ids);
/* Finds an answer for a replay: by id, or else one to the same text. answer->changed: the answer
 * with this id was to a different text. */
bool ay_transcript_again(const struct ay_transcript *x, const char *id, const char *prompt_sha256,
			 struct ay_chat_answer *answer);

/* --- for the API process ---------------------------------------------------------------------- */

/* Opens DIR/exchanges.jsonl for appending and cuts a torn last line off. Returns the descriptor, or
 * -1. */
int ay_transcript_open(const char *dir, struct ay_err *err);
/* Appends one line by one write(2), or nothing. */
int ay_transcript_add(int fd, const json_t *line, struct ay_err *err);
/* Returns a new line with type, id and time. */
json_t *ay_transcript_entry(const char *type, const char *id);
/* Copy an answer into a JSON object and back. Strings go into the arena, or are borrowed from j if
 * a is NULL. ay_transcript_entry_get returns -1 if j is no answer. */
void ay_transcript_entry_put(json_t *j, const struct ay_chat_answer *answer);
int ay_transcript_entry_get(struct ay_arena *a, const json_t *j, struct ay_chat_answer *answer);

#endif
