/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two halves of prompt.h share: places that the operator fills (prompt.c), and those of the last attempt
 * (prompt_past.c).
 */
#ifndef AY_LLM_PROMPT_INTERNAL_H
#define AY_LLM_PROMPT_INTERNAL_H

#include "llm/prompt.h"

struct ask {
	const struct ay_prompt_spec *s;
	const struct ay_prompt_past *past; /* NULL = there is none */
	const struct ay_op_doc *page;
	struct ay_arena a;
	int depth; /* of templates inside templates */
};

typedef int ay_put_place(struct ask *q, struct ay_str *b, struct ay_err *err);

/* clang-format off */
#define PAST_PLACES(P) P(SOURCE, source) P(VERDICT, verdict) P(COUNTS, counts) P(CASE, case) P(NUMBERS, numbers) \
	P(DETAIL, detail) P(COMPILER, compiler) P(HINT, hint) P(REPLY, reply) P(TIMES, times)
/* clang-format on */
#define P(name, fn) ay_put_place ay_put_##fn;
PAST_PLACES(P)
#undef P

/* The label of the language's blocks. */
const char *ay_label_of(const struct ask *q);

#endif
