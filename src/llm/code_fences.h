/* SPDX-License-Identifier: Apache-2.0
 *
 * code_fences - splits a text into its fenced blocks of code and removes the model's thinking.
 *
 * A fence is a line of at least three ` or ~ after optional blanks. A label may follow an opening
 * fence. A block ends at a fence of the same character that is at least as long, has no label, and
 * is not indented four or more columns deeper. A labelled fence inside a block means that the block
 * before was never ended or was only a wrapper (```markdown): a new block begins. A fence may also
 * stand at the end of a line: after a sentence if it has a label, after the last line of a block if
 * it has none. Each line of a block loses the indentation of its fence and a carriage return at its
 * end.
 *
 * Thinking is the text between <think> and </think> (or similar tags). The opening tag must begin a
 * line. The closing tag must begin or end a line or stand before a fence. If only the closing tag
 * exists, all text before it is thinking. Text after an opening tag without a closing one is
 * treated as the answer.
 */
#ifndef AY_LLM_CODE_FENCES_H
#define AY_LLM_CODE_FENCES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct ay_block {
	const char *label; /* first word after the fence, in lower case; "" = none */
	/* the line before the block, and its opening line; they may name a file */
	const char *caption;
	const char *text; /* ends with a NUL, but may have NULs inside */
	size_t len;
	bool closed;
};

struct ay_code_fences {
	int seen; /* number of blocks in the text */
	int n;    /* number of blocks that are kept: the last ones */
	struct ay_block *block;
	const char *rest; /* the text without thinking, for code that has no fence */
	size_t rest_len;
	bool thinking; /* a tag was opened and not closed */
};

enum { AY_BLOCKS_KEPT = 64 };

/* Fills in *f. All strings are in the arena. */
void ay_code_fences_find(struct ay_arena *a, const char *text, size_t len, struct ay_code_fences *f);

#endif
