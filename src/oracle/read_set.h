/* SPDX-License-Identifier: Apache-2.0
 *
 * reach - what of a call's tensors the oracle reads to compare some rows of the results, as far as the operator's
 * description tells: element by element (AY_ALIAS_SAFE), row by row (AY_BY_ROWS), reductions (runs) and products (factors). Of everything
 * else, and of tensors that are none of these, it is all. A test wipes what is not named, and the rows must be judged
 * the same.
 */
#ifndef AY_ORACLE_READ_SET_H
#define AY_ORACLE_READ_SET_H

#include "op/registry.h"

/* Bytes [lo, hi) of an operand's storage; hi may be beyond its end. */
struct ay_byte_range {
	uint64_t lo, hi;
};

/* Of rows [lo, hi): what of each operand is read; need has room for all. False: all of everything. */
bool ay_oracle_read_set(const struct ay_entry_op *op, const struct ay_call *c, int64_t lo, int64_t hi,
			struct ay_byte_range *need);

#endif
