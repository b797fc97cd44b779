/* SPDX-License-Identifier: Apache-2.0
 *
 * judge_kernels - the judge's own kernels (dev_fill.cu, dev_compare.cu, matmul_check.cu) on a GPU.
 * They are compiled and loaded at their first use, launched one at a time, and waited for.
 */
#ifndef AY_DEVICE_JUDGE_KERNELS_H
#define AY_DEVICE_JUDGE_KERNELS_H

#include "device/device.h"

enum ay_judge_kernels {
	AY_JUDGE_KERNEL_MAKE,    /* dev_fill.h */
	AY_JUDGE_KERNEL_SAME,    /* dev_compare.h */
	AY_JUDGE_KERNEL_COMPARE, /* dev_compare.h */
	AY_JUDGE_KERNEL_WIDEN,   /* this and the next two: matmul_check.h */
	AY_JUDGE_KERNEL_SQUARE,
	AY_JUDGE_KERNEL_BOUND,
	AY_JUDGE_KERNEL_COUNT
};

enum { AY_JUDGE_KERNEL_THREADS = 256 }; /* threads of a block */

/* State that lives as long as the device is open; {0} at first. */
struct ay_judge_kernels_kept {
	void *function[AY_JUDGE_KERNEL_COUNT];
	uint64_t room; /* memory of the device for arguments and results */
	size_t room_bytes;
};

/* Gives one of the kernels, for a caller that launches it itself. Fails as ay_rtc_load does. */
int ay_judge_kernel_id(struct ay_dev *d, enum ay_judge_kernels which, void **function, struct ay_err *err);

/* Gives memory of the device, of at least `bytes`, for arguments and results of a kernel. Every
 * call gives the same memory, with the content that the last use left. */
int ay_judge_kernels_room(struct ay_dev *d, size_t bytes, uint64_t *at, struct ay_err *err);
int ay_judge_kernels_copy_in(struct ay_dev *d, uint64_t to, const void *from, size_t bytes, struct ay_err *err);
int ay_judge_kernels_copy_out(struct ay_dev *d, void *to, uint64_t from, size_t bytes, struct ay_err *err);
/* Launches `blocks` blocks of AY_JUDGE_KERNEL_THREADS threads and returns when they are done. */
int ay_judge_kernels_run(struct ay_dev *d, enum ay_judge_kernels which, uint64_t blocks, void **args,
			 struct ay_err *err);

#endif
