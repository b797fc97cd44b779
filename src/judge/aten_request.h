/* SPDX-License-Identifier: Apache-2.0
 *
 * question - what a witness is asked about a call: its answer, what the answer is like, or whether results are right.
 *
 * The oracle is a function like the operator, so a question is a call, of a schema with two arguments more that no operator
 * has (torch/assay/oracle.py): assay_got, the results that are held against the answer, and assay_bound, for each of them
 * two numbers: an error of the first times the wanted value plus the second times its weight is within the bound, where
 * that value is not 0. Without either it is the answer that is asked for; without results their shapes and dtypes alone.
 */
#ifndef AY_JUDGE_ATEN_REQUEST_H
#define AY_JUDGE_ATEN_REQUEST_H

#include "op/registry.h"

enum ay_aten_request { AY_ATEN_REQUEST_ANSWER, AY_ATEN_REQUEST_SHAPES, AY_ATEN_REQUEST_RIGHT, AY_ATEN_REQUESTS };

/* The schema with those arguments. In the arena, as all that follows. */
struct ay_schema *ay_aten_request_schema(struct ay_arena *a, const struct ay_schema *s);
/* The call as a question. RIGHT: c is closed, and all that it names lies in memory; it is asked of the results that lie
 * there. NULL: of this call that cannot be asked. */
struct ay_call *ay_aten_request_call(struct ay_arena *a, const struct ay_entry_op *op, const struct ay_call *c,
				     enum ay_aten_request q);

#endif
