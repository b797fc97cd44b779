/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_crosscheck - whether two answers of ATen agree, and which calls must be compared.
 *
 * Calls of one kind (overload, dtypes, numbers of dimensions, which arguments are None, flags)
 * take the same path through torch. So an agreement of CPU and GPU on one call stands for all
 * calls of its kind. The CPU would take minutes for a call of a billion elements. Then a smaller
 * call of the same kind is compared instead. assay does not know which sizes of a call depend on
 * each other. So it tries several shrink strategies in turn. Each replaces a size wherever it
 * occurs, and torch decides whether the result is a valid call.
 */
#ifndef AY_JUDGE_ATEN_CROSSCHECK_H
#define AY_JUDGE_ATEN_CROSSCHECK_H

#include "op/call.h"

/* Returns true if both answers have results of the same shapes and dtypes. */
bool ay_aten_crosscheck_agree(const struct ay_expected *x, const struct ay_expected *y);
/* Returns true if, in addition, y has the values of x. The values are equal, or differ by no more
 * than two computations in double do, which is a small part of the error bound. The error weights
 * of y may not be much larger than those of x. */
bool ay_aten_crosscheck_concur(const struct ay_expected *x, const struct ay_expected *y);

/* Returns a hash of the kind of a call. */
uint64_t ay_aten_crosscheck_kind(const struct ay_call *c);

enum { AY_ATEN_CROSSCHECK_WAYS = 5 };

/* Builds a smaller call of the same kind by shrink strategy `way`. Returns NULL if the strategy
 * does not apply. torch may reject the result. The call is open and allocated in `a`. */
struct ay_call *ay_aten_crosscheck_smaller(struct ay_arena *a, const struct ay_call *c, int way);

#endif
