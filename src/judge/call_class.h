/* SPDX-License-Identifier: Apache-2.0
 *
 * call_class - which kernels that are wrong on a whole class of calls the cases of an operator
 * refuse: wrong where a tensor has five dimensions, where keepdim is true, where the last size is
 * 3 more than a multiple of 13.
 *
 * A mutant here is an overload and one property that a call may have. It stands for a kernel whose
 * results are wrong in every call with that property, and right in all others. Cases refuse it if one
 * of them has the property and a result with elements. That a wrong element is refused is shown by
 * mutation.h. Mutants are planted for the properties that occur among many drawn cases
 * (op/drawn.h), so for those that the operator's file says may vary.
 */
#ifndef AY_JUDGE_CALL_CLASS_H
#define AY_JUDGE_CALL_CLASS_H

#include "op/drawn.h"

/*    name     word       the kernel is wrong where ... */
#define AY_CALL_CLASSES(C)                                                                \
	C(RANK, "rank", "a tensor has five (or six) dimensions")                          \
	C(LAYOUT, "layout", "one argument has three or more dimensions and is not dense") \
	C(FLAG, "flag", "one flag, word or optional argument has one of its values")      \
	C(RESIDUE, "residue", "the last size leaves a remainder, modulo 2 to 16")         \
	C(LARGE, "large", "a tensor is larger than any listed quick one")                 \
	C(LAZY, "lazy", "an argument is lazily conjugated or negated")

enum ay_call_class {
#define C(name, word, text) AY_CALL_CLASS_##name,
	AY_CALL_CLASSES(C)
#undef C
		AY_CALL_CLASS_COUNT,
};

struct ay_call_class_info {
	const char *word, *text;
};
extern const struct ay_call_class_info ay_call_class_table[AY_CALL_CLASS_COUNT];

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
