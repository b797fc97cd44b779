/* SPDX-License-Identifier: Apache-2.0
 *
 * reference - the operators' own references as a backend: what an honest plain kernel that accumulates in f32 (f64
 * for f64) would answer. It runs here, not in an executor: it is ours. It shows that a suite is sound and what it
 * costs.
 */
#ifndef AY_JUDGE_REFERENCE_H
#define AY_JUDGE_REFERENCE_H

#include "judge/judge.h"

int ay_reference_case(const struct ay_policy *p, const struct ay_suite_case *sc, uint64_t seed, struct ay_arena *a,
		      struct ay_report *rep, struct ay_err *err);

#endif
