/* SPDX-License-Identifier: Apache-2.0
 *
 * own - the judge's own kernels (dev_fill.cu, dev_compare.cu, matmul_check.cu) on a GPU: compiled and loaded when one is first used, launched one
 * at a time, waited for.
 */
#ifndef AY_DEVICE_JUDGE_KERNELS_H
#define AY_DEVICE_JUDGE_KERNELS_H

#include "device/device.h"

enum ay_judge_kernels {
	AY_JUDGE_KERNEL_MAKE,    /* dev_fill.h */
	AY_JUDGE_KERNEL_SAME,    /* dev_compare.h */
	AY_JUDGE_KERNEL_COMPARE, /* dev_compare.h */
	AY_JUDGE_KERNEL_WIDEN,   /* matmul_check.h, and the next two */
	AY_JUDGE_KERNEL_SQUARE,
	AY_JUDGE_KERNEL_BOUND,
	AY_JUDGE_KERNEL_COUNT
};

enum { AY_JUDGE_KERNEL_THREADS = 256 }; /* of a block */

/* What is kept of them as long as a device is open; {0} at first. */
struct ay_judge_kernels_kept {
	void *function[AY_JUDGE_KERNEL_COUNT];
	uint64_t room; /* memory of the device */
	size_t room_bytes;
};

/* One of them, for whoever launches it himself. -1 as ay_rtc_load. */
int ay_judge_kernel_id(struct ay_dev *d, enum ay_judge_kernels which, void **function, struct ay_err *err);

/* Memory of the device for what a kernel is told and tells, the same at every call: its content is what the last one
 * left. */
int ay_judge_kernels_room(struct ay_dev *d, size_t bytes, uint64_t *at, struct ay_err *err);
int ay_judge_kernels_copy_in(struct ay_dev *d, uint64_t to, const void *from, size_t bytes, struct ay_err *err);
int ay_judge_kernels_copy_out(struct ay_dev *d, void *to, uint64_t from, size_t bytes, struct ay_err *err);
/* Blocks of AY_JUDGE_KERNEL_THREADS; returns when all is done. */
int ay_judge_kernels_run(struct ay_dev *d, enum ay_judge_kernels which, uint64_t blocks, void **args,
			 struct ay_err *err);

#endif
