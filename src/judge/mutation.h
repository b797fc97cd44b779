/* SPDX-License-Identifier: Apache-2.0
 *
 * mutation - tests the checker of an operator: wrong answers (mutants) are planted and must be
 * refused.
 *
 * Most mutants are made from the right answer of a case. A mutant that equals the right answer bit
 * for bit is equivalent there and does not count. Precision mutants run the reference itself with
 * a narrow accumulator or narrow inputs. Small cases cannot distinguish them from honest rounding.
 * So such a mutant is killed if any case of its overload and dtype refuses it. The same holds for
 * all mutants of random operators, since six draws prove nothing. An operator that promises no
 * content (AY_META) has no wrong answers to plant. The samples show that
 * writing outside of the result is refused.
 */
#ifndef AY_JUDGE_MUTATION_H
#define AY_JUDGE_MUTATION_H

#include "op/suite.h"

enum ay_mutant_class { AY_MUTANT_NULL, AY_MUTANT_PARTIAL, AY_MUTANT_PRECISION };

#define AY_MUTANTS(M)                                                         \
	M(ZEROS, NULL, "zeros", "every element is 0")                         \
	M(ONES, NULL, "ones", "every element is 1")                           \
	M(COPY, NULL, "copy", "the first input instead of the result")        \
	M(PREVIOUS, NULL, "previous", "the right answer to other inputs")     \
	M(TAIL, PARTIAL, "tail", "the last eighth of an output is 0")         \
	M(SHIFT, PARTIAL, "shift", "every element is its neighbour's")        \
	M(ONE, PARTIAL, "one", "a single element is wrong by half")           \
	M(STRIDES, PARTIAL, "strides", "the last two dimensions are swapped") \
	M(KIND, PARTIAL, "kind", "a number of another kind: 3.0 for 3")       \
	M(HALF, PRECISION, "half", "accumulators of 11 bits (8 for bf16)")    \
	M(TF32, PRECISION, "tf32", "f32 inputs rounded to 11 bits")           \
	M(NARROW, PRECISION, "narrow", "accumulators of 24 bits for f64 results")

enum ay_mutant {
#define M(name, cls, word, text) AY_MUTANT_##name##_KIND,
	AY_MUTANTS(M)
#undef M
		AY_MUTANT_COUNT,
};

struct ay_mutant_info {
	enum ay_mutant_class cls;
	const char *word, *text;
};
extern const struct ay_mutant_info ay_mutant_table[AY_MUTANT_COUNT];

struct ay_survivor {
	enum ay_mutant mutant;
	const char *line; /* for precision mutants: "overload dtype" */
	struct ay_survivor *next;
};

struct ay_mutation {
	int planted[AY_MUTANT_COUNT], equivalent[AY_MUTANT_COUNT], killed[AY_MUTANT_COUNT];
	int cases;
	struct ay_survivor *survivors; /* in the arena */
};

/* Runs all mutants over the quick cases of an operator, with the same seeds every time. */
int ay_mutate(const struct ay_registry *r, const struct ay_entry_op *e, struct ay_arena *a, struct ay_mutation *m,
	      struct ay_err *err);

#endif
