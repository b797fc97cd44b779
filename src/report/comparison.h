/* SPDX-License-Identifier: Apache-2.0
 *
 * comparison - finds what changed between two runs.
 *
 * Cases are paired by overload and the suite's line. If several kernels have one case, the worst
 * verdict and the longest time count. If a run has no cases of an overload (its kernel was not
 * built or does not exist), the overload's verdict is compared as a whole. WEAK_CASE says nothing
 * about a kernel, so it is no change in either direction.
 *
 * A case that passed in both runs is SLOWER or FASTER if the intervals of its two times are
 * disjoint and the times differ by more than 3 %. This needs two runs on the same kind of CPU with
 * equal numbers of cores and threads.
 *
 * A case that passed in one run and failed in the other is FLAKY, not BROKEN or FIXED, if both runs
 * judged the same source with the same build of assay. Then only the inputs differed, which every
 * run draws anew unless it has a --seed. FLAKY says that the kernel is wrong on some inputs. It
 * says nothing about a change between the runs.
 *
 * Runs with different seeds draw different cases (op/drawn.h). A drawn case that only one run has is
 * compared with the other run's verdict on its overload.
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

/* One case. If `was` and `is` are NULL, a whole overload. */
struct ay_change {
	enum ay_change_kind kind;
	const char *overload;
	const struct ay_sum_case *was, *is; /* NULL: not in that run */
	enum ay_verdict was_verdict, is_verdict;
};

/* Start with {0}. The caller's summaries must outlive it. */
struct ay_comparison {
	const struct ay_summary *a, *b;
	struct ay_change *change; /* sorted by kind, then by overload */
	int n, count[AY_CHANGE_COUNT];
	int same;             /* cases that passed in both and did not change */
	int failing;          /* cases that failed in both */
	bool same_build;      /* one build of assay judged both runs */
	int times;            /* pairs of times that were compared */
	const char *no_times; /* why no times could be compared; NULL = they could be */
};

void ay_compare(struct ay_comparison *c, const struct ay_summary *a, const struct ay_summary *b);
void ay_comparison_release(struct ay_comparison *c);
int ay_regressions(const struct ay_comparison *c);
/* Prints as AY_FORMAT_TEXT, AY_FORMAT_MD or AY_FORMAT_JSON. */
void ay_comparison_print(struct ay_str *out, const struct ay_comparison *c, enum ay_format f,
			 const struct ay_screen *screen);

#endif
