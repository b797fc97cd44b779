/* SPDX-License-Identifier: Apache-2.0
 *
 * reference - the backend `reference`: the operators' own references, judged like kernels.
 *
 * The reference accumulates in f32 (f64 for f64), so it shows what an honest plain kernel would
 * answer. It runs in the judge, not in an executor, because it is trusted. It shows that a suite
 * is sound and how much time it takes.
 */
#ifndef AY_JUDGE_REFERENCE_H
#define AY_JUDGE_REFERENCE_H

#include "judge/judge.h"

int ay_reference_case(const struct ay_policy *p, const struct ay_suite_case *sc, uint64_t seed, struct ay_arena *a,
		      struct ay_report *rep, struct ay_err *err);

#endif
