/* SPDX-License-Identifier: Apache-2.0
 *
 * reply - finds the kernel in a model's answer.
 *
 * Code may stand in fenced blocks of any kind (``` or ~~~, any label or none, indented) or without
 * a fence. There may be several blocks, thinking before them, and the answer may be cut off. Of
 * several blocks, the last one that defines the operator's function counts. Blocks that belong
 * together, such as a header and a kernel, are joined if the wanted one needs them.
 *
 * The result consists of whole lines of the answer; only blanks at their beginning and a carriage
 * return at their end may be removed. The code is not parsed (code_fences.h, symbols.h and
 * unfenced_code.h work on words and lines). That suffices: the judge compiles the result, and a
 * wrong choice is a kernel that fails.
 */
#ifndef AY_LLM_REPLY_H
#define AY_LLM_REPLY_H

#include "base/arena.h"
#include "forge/forge.h"
#include "llm/chat.h"

#include <stdbool.h>

/* What was found; the name is written to the record. */
#define AY_REPLIES(R)                                                        \
	R(FENCED, "fenced", "one block")                                     \
	R(SEVERAL, "several", "several blocks, one was chosen")              \
	R(JOINED, "joined", "several blocks that are one file")              \
	R(BARE, "bare", "code without a fence")                              \
	R(UNCLOSED, "unclosed", "a block without an end, in a whole answer") \
	R(TRUNCATED, "truncated", "cut off before its end")                  \
	R(NO_CODE, "no code", "nothing that looks like a kernel")            \
	R(REFUSED, "refused", "the model would not")                         \
	R(EMPTY, "empty", "nothing at all")

#define R(id, name, text) AY_REPLY_##id,
enum ay_reply_kind { AY_REPLIES(R) AY_REPLY_KINDS };
#undef R

struct ay_reply {
	enum ay_reply_kind kind;
	const char *source; /* NULL: nothing to judge (truncated code is not judged) */
	size_t len;
	int blocks; /* number of fenced blocks in the answer */
};

const char *ay_reply_name(enum ay_reply_kind k);
const char *ay_reply_text(enum ay_reply_kind k);
/* names: functions that the kernel may define, NULL at the end. Strings are in the arena. Never
 * fails. */
void ay_reply_parse(struct ay_arena *a, const struct ay_chat_answer *answer, enum ay_lang lang,
		    const char *const *names, struct ay_reply *r);
/* Finds the kernel in any bytes. cut: the answer was cut off at its length limit. */
void ay_reply_find(struct ay_arena *a, const char *text, size_t len, bool cut, enum ay_lang lang,
		   const char *const *names, struct ay_reply *r);

#endif
