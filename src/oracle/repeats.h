/* SPDX-License-Identifier: Apache-2.0
 *
 * repeats - finds draws that were kept: content that two results of a random operator share, though
 * their generators had different states, or that one result has twice.
 *
 * Drawing costs more than copying. So a kernel may draw once, at its start or in its first call, and
 * then copy what it has: as it is, rolled, reversed, in another order, or from a pool that is larger
 * than one result. In each single result such draws follow their law. Two tests compare results:
 *
 * - Runs. A run of draws with at least RUN_BITS bits of chance in it occurs once. Hashes of runs are
 *   kept: of those in order, and, where single draws have much chance, of those in any order. Which
 *   runs are kept depends on their content alone, so a copy is found wherever it lies.
 * - Counts. Two results have the same number of draws of every value if one is a permutation of the
 *   other. Values are counted in COUNTERS classes. For draws of few values (0 and 1) several equal
 *   counts are necessary.
 *
 * Where the operator's check computes deviations from the mean, their correlation is tested too
 * (ay_draws_apart). This finds draws that were negated, turned, mixed or changed in their last bits.
 *
 * All tests of 200 results together raise a false alarm with probability 1e-9 at most. How much
 * chance a draw holds is known from its law: see log2_top of struct ay_op.
 */
#ifndef AY_ORACLE_REPEATS_H
#define AY_ORACLE_REPEATS_H

#include "op/op.h"

struct ay_repeats;

enum ay_repeated {
	AY_REPEATED_NOT,
	AY_REPEATED_WITHIN,  /* one result has the same draws twice */
	AY_REPEATED_BETWEEN, /* two results share draws */
};

/* Returns a new comparer; free it with ay_repeats_free. `results`: about how many results it will
 * see. */
struct ay_repeats *ay_repeats_new(int results);
/* r may be NULL. */
void ay_repeats_free(struct ay_repeats *r);
/* Compares the first output of the call, whose operands point at their data, with all results before
 * it, and keeps what later results are compared with. All of them must have the same shape. text:
 * receives a description of what was found. */
enum ay_repeated ay_repeats_look(struct ay_repeats *r, const struct ay_op *op, const struct ay_call *c,
				 char text[200]);

#endif
