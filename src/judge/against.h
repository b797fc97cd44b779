/* SPDX-License-Identifier: Apache-2.0
 *
 * against - the baseline in a clock's hands: the inside of clock.h.
 */
#ifndef AY_JUDGE_AGAINST_H
#define AY_JUDGE_AGAINST_H

#include "judge/clock.h"

bool ay_clock_is_aten(const char *name);
bool ay_clock_is_library(const char *name);
/* Does the kernel run on a GPU? */
bool ay_clock_is_cuda(const struct ay_judge *j);
/* A wrong baseline may be fast for the same reason: *against becomes less where it is, and *why says so. */
int ay_clock_trust(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		   struct ay_arena *a, enum ay_against *against, const char **why, struct ay_err *err);
/* Lets go of the baseline in hand. */
void ay_clock_drop_base(struct ay_clock *k);

#endif
