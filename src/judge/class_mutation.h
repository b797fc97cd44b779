/* SPDX-License-Identifier: Apache-2.0
 *
 * class_mutation - which kernels that are wrong on a whole class of calls the cases of an operator
 * refuse: wrong where a tensor has five dimensions, where keepdim is true, where the last size is
 * 3 more than a multiple of 13.
 *
 * A mutant here is an overload and one property that a call may have. It stands for a kernel whose
 * results are wrong in every call with that property, and right in all others. Cases refuse it if one
 * of them has the property and a result with elements. That a wrong element is refused is shown by
 * mutation.h. Mutants are planted for the properties that occur among many drawn cases
 * (op/drawn.h), so for those that the operator's file says may vary.
 */
#ifndef AY_JUDGE_CLASS_MUTATION_H
#define AY_JUDGE_CLASS_MUTATION_H

#include "op/call_class.h"
#include "op/drawn.h"

enum { AY_CALL_CLASS_SEEDS = 5 };

/* Counts over all overloads of an operator. */
struct ay_call_class_score {
	int planted[AY_CALL_CLASS_COUNT];
	int listed[AY_CALL_CLASS_COUNT]; /* refused by the listed quick cases */
	/* refused by those or by the drawn ones of a quick run; the sum over AY_CALL_CLASS_SEEDS seeds */
	int drawn[AY_CALL_CLASS_COUNT];
};

/* Counts the mutants of an operator, with the same seeds every time. */
int ay_call_class_count(const struct ay_registry *r, const struct ay_entry_op *e,
			struct ay_call_class_score *score, struct ay_err *err);

#endif
