/* SPDX-License-Identifier: Apache-2.0
 *
 * device_internal - struct gpu, shared by the files of this folder.
 */
#ifndef AY_DEVICE_DEVICE_INTERNAL_H
#define AY_DEVICE_DEVICE_INTERNAL_H

#include "device/cuda.h"
#include "device/gpu.h"

/* Pinned memory through which large reads go; two pieces of it are in flight at once. */
struct gpu_stage {
	uint8_t *mem; /* both pieces; NULL: not allocated yet */
	void *stream[2];
	bool refused; /* the driver refused to allocate it */
};

struct gpu {
	struct ay_dev dev;
	struct ay_arena arena;
	struct ay_cuda cu;
	int device;
	void *context;
	void *check; /* the check kernel, which stores a number at check_at */
	ay_cu_ptr check_at;
	uint32_t checks;
	uint64_t free_mark;
	uint8_t *chunk;
	struct ay_judge_kernels_kept own;
	bool lost; /* a check has failed: the device is not used again; `why` says why */
	struct ay_err why;
	void *stream;    /* for ay_dev_probe */
	uint8_t *probes; /* pinned memory that the copy engine writes to: AY_PROBE_MAX places */
	struct gpu_stage *stage;
	struct ay_multiplier *multiplier; /* matmul_check.c; NULL: not opened yet */
	struct ay_nvml_link *nvml;
	bool no_nvml; /* opening NVML has failed */
};

static inline struct gpu *ay_gpu_of(struct ay_dev *d)
{
	return (struct gpu *)d; /* its first member */
}

/* Fails with `what` and CUDA's error e. Returns -1. */
int ay_gpu_fail(const struct gpu *g, int e, const char *what, struct ay_err *err);
struct ay_cu_prop ay_gpu_memory_kind(const struct gpu *g);
/* Copies n bytes from the device; large copies run at the speed of the bus. Returns CUDA's
 * error. */
int ay_gpu_bring(const struct gpu *g, ay_cu_ptr at, uint8_t *to, uint64_t n);
/* Launches the check kernel, which stores v. Does not wait. Returns CUDA's error. */
int ay_gpu_launch_check(struct gpu *g, uint32_t v);

#endif
