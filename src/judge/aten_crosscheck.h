/* SPDX-License-Identifier: Apache-2.0
 *
 * concord - whether two witnesses say the same, and of which calls they have to say it.
 *
 * Calls of one kind (overload, dtypes and dimensions, what is None or a flag) take the same way through torch, so to have
 * concurred on one is to have concurred on all of them. The processor would take minutes for one of a billion elements:
 * then a smaller one of its kind is as good a question. Which of a call's sizes belong together is not known here. So some
 * ways of making it smaller are tried in turn, each of which changes a size wherever it stands, and torch says which of them
 * gives a call.
 */
#ifndef AY_JUDGE_ATEN_CROSSCHECK_H
#define AY_JUDGE_ATEN_CROSSCHECK_H

#include "op/call.h"

/* Do both promise results of the same shapes and dtypes? */
bool ay_aten_crosscheck_agree(const struct ay_expected *x, const struct ay_expected *y);
/* And does y have the same values as x, exactly or up to what two ways of computing in double differ by, a small part of
 * the bound, with a bound that is not much wider? */
bool ay_aten_crosscheck_concur(const struct ay_expected *x, const struct ay_expected *y);

/* A number for the kind of a call. */
uint64_t ay_aten_crosscheck_kind(const struct ay_call *c);

enum { AY_ATEN_CROSSCHECK_WAYS = 5 };

/* An open call of the same kind that is smaller in one of so many ways, in the arena; NULL: this way it is not. It may be no
 * call that anybody takes. */
struct ay_call *ay_aten_crosscheck_smaller(struct ay_arena *a, const struct ay_call *c, int way);

#endif
