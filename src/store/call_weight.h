/* SPDX-License-Identifier: Apache-2.0
 *
 * weight - a run's score by calls: a case counts as often as the traced models made its call ("calls" in its
 * record).
 *
 * Beside the plain scores, never instead of them: a mean over operators says how many problems are solved, this
 * says how much of the models' work is. The denominator is all calls of the suite ("calls_by_overload" of its
 * record), so that operators without a kernel count. The speed-up is a ratio of totals, sum(calls * baseline time)
 * / sum(calls * time), over scored cases that passed, with the number of calls it is made of; an undecided case
 * counts as its lower bound, as everywhere. Cases that several kernels answer count once, by the worst of them.
 */
#ifndef AY_STORE_CALL_WEIGHT_H
#define AY_STORE_CALL_WEIGHT_H

#include "base/json.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct ay_summary;

/* calls == 0: nothing is known, or nothing was ever called; then there is no score. */
struct ay_by_calls {
	int64_t calls;   /* the denominator */
	int64_t right;   /* calls of cases that passed */
	int64_t wrong;   /* calls of cases with a verdict against the kernel; the rest of `calls` is not judged */
	int64_t timed;   /* calls that the speed-up is made of */
	int64_t cases;   /* judged, with a count */
	int64_t unknown; /* judged, without one: no part of this score */
	double speedup, lo, hi; /* 0 = none; hi 0 = no upper end */
};

enum { AY_CALLS_MAX = 1 << 30 /* what one case may claim: sums of millions must not overflow */ };

/* From the cases and overloads of a summary that is otherwise done. */
void ay_call_weights_add(struct ay_summary *s);
/* "by calls: 90 of 120 calls are right (75.0 %), 10 are wrong, 20 are not judged" and, where anything was timed,
 * "; speed-up ..."; no line end.
 * Nothing where there is no score. */
void ay_by_calls_print(struct ay_str *b, const struct ay_by_calls *w, bool timed);
/* NULL where there is no score. */
json_t *ay_by_calls_json(const struct ay_by_calls *w);

#endif
