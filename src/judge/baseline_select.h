/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline_select - finds, builds and checks the baseline of a case: the internal part of perf.h.
 */
#ifndef AY_JUDGE_BASELINE_SELECT_H
#define AY_JUDGE_BASELINE_SELECT_H

#include "judge/perf.h"

bool ay_perf_is_aten(const char *name);
bool ay_perf_is_library(const char *name);
/* Returns true if the kernel runs on a GPU. */
bool ay_perf_is_cuda(const struct ay_judge *j);
/* Judges the baseline on the case, because a wrong baseline may be fast for the wrong reason.
 * If it is wrong, *against becomes the reference or none. If it becomes none, *why gives the
 * reason. */
int ay_perf_trust(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a,
		  enum ay_baseline_kind *against, const char **why, struct ay_err *err);
/* Releases the current baseline. */
void ay_perf_drop_base(struct ay_perf *k);

#endif
