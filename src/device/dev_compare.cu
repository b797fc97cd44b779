/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge's own kernels that compare, and helpers. NVRTC compiles this text after the text of the
 * headers.
 */
#ifndef AY_DEVICE_COMPARE_UNITS_H
#include "device/compare_units.h"
#endif

enum { LOADS = 4 }; /* units that are loaded at the same time */

static __device__ __forceinline__ uint64_t my_first(void)
{
	return blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ uint64_t my_step(void)
{
	return gridDim.x * (uint64_t)blockDim.x;
}

static __device__ __forceinline__ bool is_same(struct ay_unit x, struct ay_unit y)
{
	return x.w[0] == y.w[0] && x.w[1] == y.w[1];
}

/* Finds the first byte that differs. Each thread goes upwards and ends at its first difference, or
 * behind a lower one that another thread has found. */
extern "C" __global__ void assay_same(struct ay_fill_op m, struct ay_diff_count *t)
{
	const volatile uint64_t *known = &t->first;
	const uint64_t units = ay_fill_op_units(&m), lead = m.to % AY_UNIT, step = my_step();
	const uint64_t whole = lead || m.from % AY_UNIT ? 0 : m.bytes / AY_UNIT;

	for (uint64_t u = my_first(); u < units && (u * AY_UNIT < lead || u * AY_UNIT - lead <= *known);
	     u += LOADS * step) {
		uint64_t at = AY_NOWHERE;
		bool same = u + (LOADS - 1) * step < whole;

#pragma unroll
		/* most units are equal: no branch until all are loaded */
		for (int k = 0; k < LOADS; k++)
			if (u + k * step < whole)
				same &= is_same(ay_unit_load(m.to + (u + k * step) * AY_UNIT),
						ay_unit_load(m.from + (u + k * step) * AY_UNIT));
#pragma unroll 1
		for (int k = 0; k < LOADS && !same && at == AY_NOWHERE; k++)
			if (u + k * step < units)
				at = ay_unit_differs(&m, u + k * step);
		if (at != AY_NOWHERE) {
			atomicMin((unsigned long long *)&t->first, (unsigned long long)at);
			return;
		}
	}
}

extern "C" __global__ void assay_compare(struct ay_compare_input c, struct ay_diff_count *t)
{
	__shared__ unsigned long long outside, first, worst;
	uint64_t bad = 0, at = AY_NOWHERE;
	double most = 0;

	if (!threadIdx.x) {
		outside = worst = 0;
		first = AY_NOWHERE;
	}
	__syncthreads();
	for (uint64_t i = my_first(); i < c.n; i += my_step()) {
		double ratio;

		if (!ay_element_within(&c, i, &ratio)) {
			bad++;
			at = at < i ? at : i;
		}
		most = most < ratio ? ratio : most;
	}
	if (bad) {
		atomicAdd(&outside, (unsigned long long)bad);
		atomicMin(&first, (unsigned long long)at);
	}
	atomicMax(&worst, (unsigned long long)ay_bits_of_double(most));
	__syncthreads();
	if (!threadIdx.x) {
		atomicAdd((unsigned long long *)&t->outside, outside);
		atomicMin((unsigned long long *)&t->first, first);
		atomicMax((unsigned long long *)&t->worst, worst);
	}
}
