/* SPDX-License-Identifier: Apache-2.0
 *
 * against - the baseline in a clock's hands: the inside of perf.h.
 */
#ifndef AY_JUDGE_BASELINE_SELECT_H
#define AY_JUDGE_BASELINE_SELECT_H

#include "judge/perf.h"

bool ay_perf_is_aten(const char *name);
bool ay_perf_is_library(const char *name);
/* Does the kernel run on a GPU? */
bool ay_perf_is_cuda(const struct ay_judge *j);
/* A wrong baseline may be fast for the same reason: *against becomes less where it is, and *why says so. */
int ay_perf_trust(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a,
		  enum ay_baseline_kind *against, const char **why, struct ay_err *err);
/* Lets go of the baseline in hand. */
void ay_perf_drop_base(struct ay_perf *k);

#endif
