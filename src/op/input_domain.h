/* SPDX-License-Identifier: Apache-2.0
 *
 * meaning - what inputs must be like for operators that have no file under ops/: lines of a trace say shapes and
 * dtypes, but an index must lie in what it indexes, a variance is positive, a pooling index lies in its window.
 * Without that such operators raise, or work on a corner of their domain, or give the same answer whatever a
 * kernel does.
 *
 * The rows are operators of ATen; the language is that of struct ay_op's fills. In-place and out= forms share the
 * row of their function. Lines that name a fill keep it.
 */
#ifndef AY_OP_INPUT_DOMAIN_H
#define AY_OP_INPUT_DOMAIN_H

#include "op/op.h"

/* For struct ay_op.fills; NULL: the fills by dtype will do. */
const char *ay_input_domain_fills(const struct ay_schema *s);
/* What those fills need beyond the general ones is ay_input_domain_makers of op.h. */

/* The table, for those who check it: names separated by blanks, "base" or "base.overload". Ended by NULLs. */
struct ay_input_domain {
	const char *names, *fills;
};
extern const struct ay_input_domain ay_input_domains[];

#endif
