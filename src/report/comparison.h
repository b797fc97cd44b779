/* SPDX-License-Identifier: Apache-2.0
 *
 * compare - what changed between two runs.
 *
 * Cases are paired by overload and the suite's line; of several kernels on one case the worst verdict and the
 * longest time count. Where a run has no cases of an overload (its kernel was not built, is not there), its
 * verdict is compared as a whole. WEAK_CASE says nothing about a kernel and so is no change in either direction.
 *
 * A case that passed in both is SLOWER or FASTER if the intervals of its time are disjoint and the times more than
 * 3 % apart; only where both runs were made on the same kind of CPU with as many cores, and with as many threads.
 *
 * A case that passed once and failed once is FLAKY, not BROKEN or FIXED, if both runs judged the same source with the
 * same build of assay: what differed are the inputs, which every run draws anew unless it has a --seed. Such a verdict
 * says that the kernel is wrong on some inputs, and nothing about what changed between the runs.
 */
#ifndef AY_REPORT_COMPARISON_H
#define AY_REPORT_COMPARISON_H

#include "report/run_report.h"

/* Worst first.        a regression? */
#define AY_CHANGES(C)                                                                             \
	C(BROKEN, "broken", true, "passed before and does not now")                               \
	C(SLOWER, "slower", true, "its time got longer")                                          \
	C(MISSING, "missing", true, "was judged before and is not now")                           \
	C(FIXED, "fixed", false, "passes now and did not before")                                 \
	C(FASTER, "faster", false, "its time got shorter")                                        \
	C(FLAKY, "flaky", false, "the same kernel passes with some inputs and fails with others") \
	C(NEW, "new", false, "was not judged before")

enum ay_change_kind {
#define C(name, text, regression, meaning) AY_CHANGE_##name,
	AY_CHANGES(C)
#undef C
		AY_CHANGE_COUNT
};

/* One case, or a whole overload where was and is are NULL. */
struct ay_change {
	enum ay_change_kind kind;
	const char *overload;
	const struct ay_sum_case *was, *is; /* NULL: not in that run */
	enum ay_verdict was_verdict, is_verdict;
};

/* The caller's summaries must outlive it. {0} first. */
struct ay_comparison {
	const struct ay_summary *a, *b;
	struct ay_change *change; /* by kind, then by overload */
	int n, count[AY_CHANGE_COUNT];
	int same;             /* cases that passed in both and did not change */
	int failing;          /* cases that failed in both */
	bool same_build;      /* of assay: one judged all of both */
	int times;            /* pairs of times that were compared */
	const char *no_times; /* why none could be; NULL = they could */
};

void ay_compare(struct ay_comparison *c, const struct ay_summary *a, const struct ay_summary *b);
void ay_comparison_release(struct ay_comparison *c);
int ay_regressions(const struct ay_comparison *c);
/* TEXT, MD or JSON. */
void ay_comparison_print(struct ay_str *out, const struct ay_comparison *c, enum ay_format f,
			 const struct ay_screen *screen);

#endif
