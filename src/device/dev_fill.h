/* SPDX-License-Identifier: Apache-2.0
 *
 * make - content of timed sets, made on the device by the judge's own kernels.
 *
 * What goes where is a list of stretches, done by one launch. The bits are those that timing/inputs.c makes on the
 * processor: both are made of the same functions of one line or element (device/fill_units.h), which C and CUDA read alike.
 */
#ifndef AY_DEVICE_DEV_FILL_H
#define AY_DEVICE_DEV_FILL_H

#include "device/device.h"
#include "device/fill_units.h"
#include "tensor/dtype.h"

/* What an element of this type looks like; AY_LANES_NONE if it has no significand that could be changed. */
enum ay_lane_kind ay_lane_kind(enum ay_dt dt);

/* Where what it is made of lies: PICK has its second content behind the first, from the next line on. */
static inline void ay_fill_op_aim(struct ay_fill_op *m, uint64_t from, uint64_t noise)
{
	m->from = from;
	m->with = m->how == AY_FILL_OP_PICK ? from + (m->bytes + AY_LINE - 1) / AY_LINE * AY_LINE : noise;
}

/* All n of them (struct ay_fill_op: fill_units.h); returns when they are there. The list is copied. */
int ay_dev_fill(struct ay_dev *d, const struct ay_fill_op *m, int n, struct ay_err *err);

#endif
