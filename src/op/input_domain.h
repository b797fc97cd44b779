/* SPDX-License-Identifier: Apache-2.0
 *
 * input_domain - what inputs must be like for operators that have no file under ops/. The lines of
 * a trace give shapes and dtypes. But an index must lie in what it indexes, a variance must be
 * positive, and a pooling index must lie in its window. With arbitrary inputs such operators raise
 * an error, or work on a corner of their domain, or give one answer for any kernel.
 *
 * The rows are operators of ATen. The syntax is that of struct ay_op's fills. In-place and out=
 * forms share the row of their function. A fill that a line names takes precedence.
 */
#ifndef AY_OP_INPUT_DOMAIN_H
#define AY_OP_INPUT_DOMAIN_H

#include "op/op.h"

/* Returns the fills for struct ay_op.fills. NULL: the fills by dtype are good enough. */
const char *ay_input_domain_fills(const struct ay_schema *s);
/* Fills that exist only for this table are in ay_input_domain_makers of op.h. */

/* The table, for tests. `names` are separated by blanks, each "base" or "base.overload". The table
 * ends with NULLs. */
struct ay_input_domain {
	const char *names, *fills;
};
extern const struct ay_input_domain ay_input_domains[];

#endif
