/* SPDX-License-Identifier: Apache-2.0
 *
 * product_gpu - large products of a call whose operands lie in this machine's memory, asked of a device. Those of timed
 * sets, which lie there: timing/inputs.h.
 */
#ifndef AY_TIMING_MATMUL_GPU_H
#define AY_TIMING_MATMUL_GPU_H

#include "device/matmul_check.h"
#include "op/registry.h"

/* So large that it is worth asking a device? */
bool ay_product_is_large(const struct ay_entry_op *op, const struct ay_call *c);
/* *right: the call is a product, and every element of its result is within its bound by the device's word; if not,
 * nothing is known. */
int ay_product_is_right(struct ay_dev *d, const struct ay_entry_op *op, const struct ay_call *c, bool *right,
			struct ay_err *err);

#endif
