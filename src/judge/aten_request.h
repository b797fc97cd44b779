/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_request - what the ATen oracle is asked to compute for a call: the answer, its shapes, or
 * whether results are right.
 *
 * The oracle is a function like the operator, so a request is a call. Its schema has two more
 * arguments, which no operator has (torch/assay/oracle.py). assay_got: the results that are
 * compared with the answer. assay_bound: two numbers for each result. An error is within the bound
 * if it is at most the first number times the wanted value plus the second number times its error
 * weight, where the wanted value is not 0. Without both arguments the request is for the answer.
 * Without results it is for their shapes and dtypes only.
 */
#ifndef AY_JUDGE_ATEN_REQUEST_H
#define AY_JUDGE_ATEN_REQUEST_H

#include "op/registry.h"

enum ay_aten_request { AY_ATEN_REQUEST_ANSWER, AY_ATEN_REQUEST_SHAPES, AY_ATEN_REQUEST_RIGHT, AY_ATEN_REQUESTS };

/* Returns the schema with those two arguments, in the arena like everything below. */
struct ay_schema *ay_aten_request_schema(struct ay_arena *a, const struct ay_schema *s);
/* Returns the call as a request. RIGHT checks the results that lie in memory: c is closed, and all
 * its operands lie in memory. Returns NULL if the request is not possible for this call. */
struct ay_call *ay_aten_request_call(struct ay_arena *a, const struct ay_entry_op *op, const struct ay_call *c,
				     enum ay_aten_request q);

#endif
