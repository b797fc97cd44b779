/* SPDX-License-Identifier: Apache-2.0
 *
 * read_set - which bytes of a call's tensors the oracle reads to compare some rows of the results.
 *
 * The operator's description says this for four forms: element by element (AY_ALIAS_SAFE), row by
 * row (AY_BY_ROWS), reductions (runs) and products (factors). For other operators, and for tensors
 * outside these forms, the oracle reads everything. A test overwrites all bytes that are not named;
 * the verdict on the rows must not change.
 */
#ifndef AY_ORACLE_READ_SET_H
#define AY_ORACLE_READ_SET_H

#include "op/registry.h"

/* Bytes [lo, hi) of an operand's storage; hi may be beyond its end. */
struct ay_byte_range {
	uint64_t lo, hi;
};

/* Stores in need[i] the range of operand i that is read for rows [lo, hi). `need` has c->noperand
 * entries. Returns false if all operands are read completely. */
bool ay_oracle_read_set(const struct ay_entry_op *op, const struct ay_call *c, int64_t lo, int64_t hi,
			struct ay_byte_range *need);

#endif
