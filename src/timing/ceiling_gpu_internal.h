/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_gpu_internal - what the measurements of a GPU share: bytes and FLOPs (ceiling_gpu.c),
 * cuBLAS products (ceiling_products.c).
 */
#ifndef AY_TIMING_CEILING_GPU_INTERNAL_H
#define AY_TIMING_CEILING_GPU_INTERNAL_H

#include "device/cuda.h"
#include "device/device.h"
#include "timing/ceiling.h"

/* Driver functions that only these measurements need. Executors, which open all of AY_CUDA, do
 * without them. */
#define GPU_CLOCK(F)                                     \
	F(event_destroy, "cuEventDestroy_v2", (void *e)) \
	F(event_query, "cuEventQuery", (void *e))        \
	F(copy, "cuMemcpyDtoDAsync_v2", (ay_cu_ptr to, ay_cu_ptr from, size_t n, void *stream))

struct gpu_bench {
	struct ay_dev *d;
	const struct ay_cuda *cu;
#define F(field, symbol, params) int(*field) params;
	GPU_CLOCK(F)
#undef F
	void *from, *to; /* events before and after the timed work */
	void **kernel;   /* the functions of ceiling.cu, in the order of ceiling_gpu.c's table */
	double empty_ns; /* time between two events that enclose an empty kernel */
	ay_cu_ptr mem;
	size_t mem_bytes;
};

/* Start and stop a measurement. The caller enqueues work between the two calls. ay_bench_stop
 * returns the GPU time of this work, or a negative number if it failed or the GPU hangs. */
int ay_bench_start(struct gpu_bench *b);
double ay_bench_stop(struct gpu_bench *b);
/* Fills memory with random bits where `mask` has ones, and with `bits` elsewhere. */
int ay_bench_fill(struct gpu_bench *b, ay_cu_ptr p, size_t bytes, uint64_t mask, uint64_t bits);

/* Stores the speeds of cuBLAS products in rate[AY_PRODUCT_COUNT]; 0: not available. Allocates
 * memory of its own. */
void ay_bench_products(struct gpu_bench *b, double *rate);

#endif
