/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange - what was asked of a model and what it answered: exchanges.jsonl of a run, append-only.
 *
 *	{"type": "asked", "id": "aten::add/r1/w0", "time": "...", "request": {...}, "headers": {redacted}}
 *	{"type": "answered", "id": "aten::add/r1/w0", "time": "...", "end": "stop", "text": "...", "thinking": ...,
 *	 "tokens_in": 812, "tokens_out": 411, "usd": 0.0041, "tries": 1, "wall_s": 3.2, "http": 200, "reply": {...}}
 *	{"type": "dropped", "id": ...}
 *
 * A resumed run takes the answers that are there; a question without an answer was in flight when the run was killed:
 * it is lost, is counted, and is asked again. A replay takes them from another run, by id and by the request's text.
 */
#ifndef AY_LLM_EXCHANGE_H
#define AY_LLM_EXCHANGE_H

#include "llm/chat.h"

struct ay_exchanges;

/* Reads DIR/exchanges.jsonl; a torn last line is dropped. No file: no exchanges. */
int ay_exchanges_read(struct ay_exchanges **x, const char *dir, struct ay_err *err);
void ay_exchanges_free(struct ay_exchanges *x);
/* The answer to a question, if there is one; strings live as long as x. */
bool ay_exchanges_answer(const struct ay_exchanges *x, const char *id, struct ay_chat_answer *answer);
int ay_exchanges_answered(const struct ay_exchanges *x);
/* The ids that were asked and neither answered nor dropped. */
int ay_exchanges_lost(const struct ay_exchanges *x, const char *const **ids);

#endif
