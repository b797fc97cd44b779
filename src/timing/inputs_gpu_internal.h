/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of timed sets on a GPU, shared by inputs_gpu.c, which makes them, fetch_gpu.c, which brings them here,
 * and matmul_gpu.c, which has them compared there.
 */
#ifndef AY_TIMING_INPUTS_GPU_INTERNAL_H
#define AY_TIMING_INPUTS_GPU_INTERNAL_H

#include "device/dev_fill.h"
#include "timing/inputs.h"

enum {
	SLOT_IN,
	SLOT_OUT,
	SLOT_TOLD,    /* where an executor tells of results */
	SLOT_NUMBERS, /* plain numbers that stand for tensors, in this machine's memory, for Python */
	SLOTS,
};

struct ay_gpu_master {
	struct ay_dev *dev;
	bool can_make;           /* there is NVRTC */
	struct ay_dev_mem base;  /* masters and noise */
	uint64_t *at, noise;     /* their addresses */
	struct ay_dev_mem spare; /* as much as one set, for inputs that are made again, */
	uint64_t *again;         /* each at its address */
	struct ay_dev_mem stage; /* what was made here, on its way */
	uint8_t *made;           /* and here */
	uint64_t made_bytes;
	struct ay_fill_op *job;
	int njob;
};

/* The judge's address of storage in lent memory: operand k % noperand of set k / noperand. */
uint64_t ay_input_sets_address(const struct ay_input_sets *s, int k);
/* All inputs of a set as they were made, in the judge's own memory on the device: gpu->again. There must be NVRTC. *changed:
 * a lent one is not the same. */
int ay_input_sets_again(struct ay_input_sets *s, int set, bool *changed, struct ay_err *err);
/* The i-th of the master's list of jobs. It moves as it grows. */
struct ay_fill_op *ay_input_sets_job(const struct ay_input_sets *s, int i);

#endif
