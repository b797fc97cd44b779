/* SPDX-License-Identifier: Apache-2.0
 *
 * fences - a text as blocks of code between fences, without what the model thought aloud.
 *
 * A fence is a line of at least three ` or ~ behind any blanks; behind an opening one may stand a label. A block ends
 * with a fence of the same kind, not shorter, without a label, and not indented four blanks deeper. A labelled fence
 * inside a block means that the block before was never ended, or was only a wrapper (```markdown): a new one begins.
 * A fence may be glued to the end of a line: to a sentence if it has a label, to the last line of a block if not.
 * Lines lose the indentation of their fence and a carriage return at their end.
 *
 * Thinking is what stands between <think> and </think> (and their kin): the first at the beginning of a line, the second
 * there, at the end of one, or before a fence; without the first tag, all before the second. What is never ended is not thinking but an answer that forgot to.
 */
#ifndef AY_LLM_CODE_FENCES_H
#define AY_LLM_CODE_FENCES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct ay_block {
	const char *label; /* first word behind the fence, small letters; "" = none */
	const char *
		caption; /* the line before the block and the one that opens it: where a file's name would stand */
	const char *text; /* NUL behind it, but there may be others inside */
	size_t len;
	bool closed;
};

struct ay_code_fences {
	int seen; /* blocks in all */
	int n;    /* those that are kept: the last ones */
	struct ay_block *block;
	const char *rest; /* the text without thinking, for code that has no fence */
	size_t rest_len;
	bool thinking; /* a tag was opened and not closed */
};

enum { AY_BLOCKS_KEPT = 64 };

/* In the arena. */
void ay_code_fences_find(struct ay_arena *a, const char *text, size_t len, struct ay_code_fences *f);

#endif
