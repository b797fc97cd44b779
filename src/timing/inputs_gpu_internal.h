/* SPDX-License-Identifier: Apache-2.0
 *
 * inputs_gpu_internal - what the files for timed sets on a GPU share.
 *
 * inputs_gpu.c makes the sets, fetch_gpu.c copies them to the host and matmul_gpu.c checks them on
 * the device.
 */
#ifndef AY_TIMING_INPUTS_GPU_INTERNAL_H
#define AY_TIMING_INPUTS_GPU_INTERNAL_H

#include "device/dev_fill.h"
#include "timing/inputs.h"

enum {
	SLOT_IN,
	SLOT_OUT,
	SLOT_TOLD, /* where an executor describes its results */
	/* in host memory: 0-dimensional tensors that stand for numbers, for Python, and the states of
	 * random generators */
	SLOT_NUMBERS,
	SLOTS,
};

struct ay_gpu_master {
	struct ay_dev *dev;
	bool can_make;           /* NVRTC is available, so sets can be made on the device */
	struct ay_dev_mem base;  /* templates and noise */
	uint64_t *at, noise;     /* addresses of the templates, and of the noise */
	struct ay_dev_mem spare; /* memory for one set, where its inputs are made again */
	uint64_t *again;         /* address of each input there */
	struct ay_dev_mem stage; /* device buffer for content that was made on the host */
	uint8_t *made;           /* host buffer for this content */
	uint64_t made_bytes;
	struct ay_fill_op *job;
	int njob;
};

/* Returns the judge's address of the storage of operand k % noperand of set k / noperand. */
uint64_t ay_input_sets_address(const struct ay_input_sets *s, int k);
/* Makes all inputs of a set again in the judge's own device memory: gpu->again. Needs NVRTC.
 * *changed: an input that the executor could access differs. */
int ay_input_sets_again(struct ay_input_sets *s, int set, bool *changed, struct ay_err *err);
/* Returns the i-th fill operation of the template's list. The list moves when it grows. */
struct ay_fill_op *ay_input_sets_job(const struct ay_input_sets *s, int i);

#endif
