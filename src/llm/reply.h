/* SPDX-License-Identifier: Apache-2.0
 *
 * reply - the kernel in a model's answer.
 *
 * Answers come as fenced blocks of any kind (``` or ~~~, any label or none, indented), several of them, with thinking
 * text before, without a fence, or cut off. Of several blocks the one that defines the operator's function counts, the
 * last such; blocks that belong together (a header, then the kernel) are joined where the wanted one needs them.
 *
 * What is given is in the answer: whole lines of it, at most without blanks at their beginning and a carriage return at
 * their end. What it means is not understood (code_fences.h, symbols.h, unfenced_code.h count words and lines), and need not be: the
 * judge compiles it, and a wrong choice is a kernel that fails.
 */
#ifndef AY_LLM_REPLY_H
#define AY_LLM_REPLY_H

#include "base/arena.h"
#include "forge/forge.h"
#include "llm/chat.h"

#include <stdbool.h>

/* What was found; the name goes into the record. */
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
	const char *source; /* NULL: there is none to judge (a truncated one is not judged) */
	size_t len;
	int blocks; /* fenced ones that were seen */
};

const char *ay_reply_name(enum ay_reply_kind k);
const char *ay_reply_text(enum ay_reply_kind k);
/* names: functions that the kernel may define, NULL at the end. Strings live in the arena; never fails. */
void ay_reply_parse(struct ay_arena *a, const struct ay_chat_answer *answer, enum ay_lang lang,
		    const char *const *names, struct ay_reply *r);
/* The same of any bytes. cut: the answer ended where it had to, not where it wanted to. */
void ay_reply_find(struct ay_arena *a, const char *text, size_t len, bool cut, enum ay_lang lang,
		   const char *const *names, struct ay_reply *r);

#endif
