/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt_internal - what prompt.c and prompt_past.c share. prompt.c fills places from the operator,
 * prompt_past.c from the last attempt.
 */
#ifndef AY_LLM_PROMPT_INTERNAL_H
#define AY_LLM_PROMPT_INTERNAL_H

#include "llm/prompt.h"

struct ask {
	const struct ay_prompt_spec *s;
	const struct ay_prompt_past *past; /* NULL = first attempt */
	const struct ay_op_doc *page;
	struct ay_arena a;
	int depth; /* nesting depth of templates */
};

typedef int ay_put_place(struct ask *q, struct ay_str *b, struct ay_err *err);

/* clang-format off */
#define PAST_PLACES(P) P(SOURCE, source) P(VERDICT, verdict) P(COUNTS, counts) P(CASE, case) P(NUMBERS, numbers) \
	P(DETAIL, detail) P(COMPILER, compiler) P(HINT, hint) P(REPLY, reply) P(TIMES, times)
/* clang-format on */
#define P(name, fn) ay_put_place ay_put_##fn;
PAST_PLACES(P)
#undef P

/* Returns the block label of the language. */
const char *ay_label_of(const struct ask *q);

#endif
