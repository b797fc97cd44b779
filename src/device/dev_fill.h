/* SPDX-License-Identifier: Apache-2.0
 *
 * dev_fill - writes the content of timed sets on the device, with the judge's own kernels.
 *
 * The caller gives a list of byte ranges, which one launch fills. The bits equal those that
 * timing/inputs.c makes on the processor: both use the same functions of one line or element
 * (device/fill_units.h), which C and CUDA both compile.
 */
#ifndef AY_DEVICE_DEV_FILL_H
#define AY_DEVICE_DEV_FILL_H

#include "device/device.h"
#include "device/fill_units.h"
#include "tensor/dtype.h"

/* Returns the lane kind of this dtype; AY_LANES_NONE if it has no significand that could be
 * changed. */
enum ay_lane_kind ay_lane_kind(enum ay_dt dt);

/* Sets the addresses that an operation reads. PICK's second content follows the first, from the
 * next line on. */
static inline void ay_fill_op_aim(struct ay_fill_op *m, uint64_t from, uint64_t noise)
{
	m->from = from;
	m->with = m->how == AY_FILL_OP_PICK ? from + (m->bytes + AY_LINE - 1) / AY_LINE * AY_LINE : noise;
}

/* Performs n operations (struct ay_fill_op: fill_units.h) and returns when they are done. The list
 * is copied. */
int ay_dev_fill(struct ay_dev *d, const struct ay_fill_op *m, int n, struct ay_err *err);

#endif
