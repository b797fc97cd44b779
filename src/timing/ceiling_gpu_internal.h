/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of measuring a GPU share: bytes and FLOPs (ceiling_gpu.c), products (ceiling_products.c).
 */
#ifndef AY_TIMING_CEILING_GPU_INTERNAL_H
#define AY_TIMING_CEILING_GPU_INTERNAL_H

#include "device/cuda.h"
#include "device/device.h"
#include "timing/ceiling.h"

/* Functions of the driver that nobody needs but who measures: executors, which open all of AY_CUDA, do without. */
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
	void *from, *to; /* events */
	void **kernel;   /* the functions of ceiling.cu, in the order of ceiling_gpu.c's table */
	double empty_ns; /* between two events with an empty kernel between them */
	ay_cu_ptr mem;
	size_t mem_bytes;
};

/* Between these two work is enqueued; gives what it took on the GPU, or a negative number: it failed, or the GPU hangs. */
int ay_bench_start(struct gpu_bench *b);
double ay_bench_stop(struct gpu_bench *b);
/* Random bits where `mask` has ones, `bits` elsewhere. */
int ay_bench_fill(struct gpu_bench *b, ay_cu_ptr p, size_t bytes, uint64_t mask, uint64_t bits);

/* Rates of products by cuBLAS into rate[AY_PRODUCT_COUNT]; 0 where there is none. Takes memory of its own. */
void ay_bench_products(struct gpu_bench *b, double *rate);

#endif
