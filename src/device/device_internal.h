/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a GPU, shared by the files of this folder.
 */
#ifndef AY_DEVICE_DEVICE_INTERNAL_H
#define AY_DEVICE_DEVICE_INTERNAL_H

#include "device/cuda.h"
#include "device/gpu.h"

/* Pinned memory through which large reads go, two pieces of it in flight. */
struct gpu_stage {
	uint8_t *mem; /* of both; NULL: none yet */
	void *stream[2];
	bool refused; /* there is none */
};

struct gpu {
	struct ay_dev dev;
	struct ay_arena arena;
	struct ay_cuda cu;
	int device;
	void *context;
	void *check; /* the check kernel */
	ay_cu_ptr check_at;
	uint32_t checks;
	uint64_t free_mark;
	uint8_t *chunk;
	struct ay_judge_kernels_kept own;
	bool lost; /* it was found not to be well, and why */
	struct ay_err why;
	void *stream;   /* for looks */
	uint8_t *looks; /* memory that the copy engine writes to: AY_PROBE_MAX of them */
	struct gpu_stage *stage;
	struct ay_multiplier *multiplier; /* matmul_check.c; NULL: not tried */
	struct ay_nvml_link *nvml;
	bool no_nvml; /* it was asked for in vain */
};

static inline struct gpu *ay_gpu_of(struct ay_dev *d)
{
	return (struct gpu *)d; /* its first member */
}

/* Our failure: what, and CUDA's error. */
int ay_gpu_fail(const struct gpu *g, int e, const char *what, struct ay_err *err);
struct ay_cu_prop ay_gpu_memory_kind(const struct gpu *g);
/* n bytes, at the speed of the bus where there are many; CUDA's error. */
int ay_gpu_bring(const struct gpu *g, ay_cu_ptr at, uint8_t *to, uint64_t n);
/* Launches the check kernel, which stores v; does not wait. */
int ay_gpu_launch_check(struct gpu *g, uint32_t v);

#endif
