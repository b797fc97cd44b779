/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul_gpu - checks large matrix products on a device, for a call whose operands lie in host
 * memory.
 *
 * For timed sets, which lie on the device, see timing/inputs.h.
 */
#ifndef AY_TIMING_MATMUL_GPU_H
#define AY_TIMING_MATMUL_GPU_H

#include "device/matmul_check.h"
#include "op/registry.h"

/* Returns true if the product is so large that checking it on a device pays. */
bool ay_product_is_large(const struct ay_entry_op *op, const struct ay_call *c);
/* Sets *right if the call is a matrix product and the device finds every element of its result
 * within its bound. *right false: not proven. */
int ay_product_is_right(struct ay_dev *d, const struct ay_entry_op *op, const struct ay_call *c, bool *right,
			struct ay_err *err);

#endif
