/* SPDX-License-Identifier: Apache-2.0
 *
 * call_weight - a run's score by calls: each case is weighted by the number of calls that the
 * traced models made ("calls" in its record).
 *
 * This score is shown beside the plain scores and never replaces them. A mean over operators says
 * how many problems are solved; this score says how much of the models' work is solved. Its
 * denominator is all calls of the suite ("calls_by_overload" of the suite record), so operators
 * without a kernel count too.
 *
 * The speed-up is a ratio of totals over scored cases that passed: sum(calls * baseline time) /
 * sum(calls * time). The number of calls in these totals is given with it. An UNCLEAR case counts
 * as its lower bound, as in the other scores. A case that several kernels answer counts once, with
 * the worst kernel's result.
 */
#ifndef AY_STORE_CALL_WEIGHT_H
#define AY_STORE_CALL_WEIGHT_H

#include "base/json.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct ay_summary;

/* If calls is 0, nothing is known or nothing was ever called; there is no score then. */
struct ay_by_calls {
	int64_t calls; /* the denominator */
	int64_t right; /* calls of cases that passed */
	/* calls of cases with a verdict against the kernel; the rest of `calls` is not judged */
	int64_t wrong;
	int64_t timed;          /* calls that the speed-up covers */
	int64_t cases;          /* judged cases with a call count */
	int64_t unknown;        /* judged cases without a call count; they are not in this score */
	double speedup, lo, hi; /* 0 = no speed-up; hi 0 = no upper end */
};

enum {
	AY_CALLS_MAX = 1 << 30 /* limit for one case: sums of millions must not overflow */
};

/* Computes s->by_calls. All other fields of the summary must be complete. */
void ay_call_weights_add(struct ay_summary *s);
/* Appends "by calls: 90 of 120 calls are right (75.0 %), 10 are wrong, 20 are not judged", without
 * a line end. If `timed`, appends "; speed-up ..." too. Appends nothing if there is no score. */
void ay_by_calls_print(struct ay_str *b, const struct ay_by_calls *w, bool timed);
/* Returns a new reference, or NULL if there is no score. */
json_t *ay_by_calls_json(const struct ay_by_calls *w);

#endif
