/* SPDX-License-Identifier: Apache-2.0
 *
 * own - the judge's own kernels (make.cu, compare.cu, product.cu) on a GPU: compiled and loaded when one is first used, launched one
 * at a time, waited for.
 */
#ifndef AY_DEVICE_OWN_H
#define AY_DEVICE_OWN_H

#include "device/device.h"

enum ay_own {
	AY_OWN_MAKE,    /* make.h */
	AY_OWN_SAME,    /* compare.h */
	AY_OWN_COMPARE, /* compare.h */
	AY_OWN_WIDEN,   /* product.h, and the next two */
	AY_OWN_SQUARE,
	AY_OWN_BOUND,
	AY_OWN_COUNT
};

enum { AY_OWN_THREADS = 256 }; /* of a block */

/* What is kept of them as long as a device is open; {0} at first. */
struct ay_own_kept {
	void *function[AY_OWN_COUNT];
	uint64_t room; /* memory of the device */
	size_t room_bytes;
};

/* One of them, for whoever launches it himself. -1 as ay_rtc_load. */
int ay_own_function(struct ay_dev *d, enum ay_own which, void **function, struct ay_err *err);

/* Memory of the device for what a kernel is told and tells, the same at every call: its content is what the last one
 * left. */
int ay_own_room(struct ay_dev *d, size_t bytes, uint64_t *at, struct ay_err *err);
int ay_own_copy_in(struct ay_dev *d, uint64_t to, const void *from, size_t bytes, struct ay_err *err);
int ay_own_copy_out(struct ay_dev *d, void *to, uint64_t from, size_t bytes, struct ay_err *err);
/* Blocks of AY_OWN_THREADS; returns when all is done. */
int ay_own_run(struct ay_dev *d, enum ay_own which, uint64_t blocks, void **args, struct ay_err *err);

#endif
