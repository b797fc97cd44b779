/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge's own kernels for matrix products. NVRTC compiles this text after the headers and
 * dev_compare.cu.
 */
#ifndef AY_DEVICE_MATMUL_BOUND_H
#include "device/matmul_bound.h"
#endif

extern "C" __global__ void assay_widen(struct ay_widen w)
{
	double *to = (double *)w.to;

	for (uint64_t i = my_first(); i < w.n; i += my_step())
		to[i] = ay_widen_at(&w, i);
}

extern "C" __global__ void assay_square(double *x, uint64_t n)
{
	for (uint64_t i = my_first(); i < n; i += my_step())
		x[i] *= x[i];
}

extern "C" __global__ void assay_bound(struct ay_sums s)
{
	for (uint64_t i = my_first(); i < s.n; i += my_step()) {
		double want, bound;

		ay_sums_judge(&s, i, sqrt(ay_sums_squares(&s, i)), &want, &bound);
		((double *)s.sum)[i] = want;
		((double *)s.squares)[i] = bound;
	}
}
