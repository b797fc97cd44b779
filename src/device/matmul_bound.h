/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul_bound - on a device, for a matrix product: its factors in double, and the bound of each
 * sum. C and CUDA both compile this file (base/host_device.h).
 */
#ifndef AY_DEVICE_MATMUL_BOUND_H
#define AY_DEVICE_MATMUL_BOUND_H

#ifndef AY_DEVICE_COMPARE_UNITS_H
#include "device/compare_units.h"
#endif
#ifndef AY_TENSOR_ERROR_WEIGHT_H
#include "tensor/error_weight.h"
#endif

enum { AY_TERMS_DIMS = 8 };

/* Copies elements of a strided tensor to consecutive doubles. */
struct ay_widen {
	uint64_t from, to; /* addresses of element 0 */
	uint64_t n;
	uint64_t shape[AY_TERMS_DIMS];
	int64_t stride[AY_TERMS_DIMS];
	uint32_t ndim, kind; /* enum ay_lane_kind */
};

AY_HOST_DEVICE double ay_widen_at(const struct ay_widen *w, uint64_t i)
{
	int64_t at = 0;

	for (uint32_t d = w->ndim; d-- > 0; i /= w->shape[d])
		at += (int64_t)(i % w->shape[d]) * w->stride[d];
	return ay_number_at(w->kind, w->from, (uint64_t)at);
}

/* Each sum and the sum of its terms' squares. They are replaced by the expected value and its
 * bound. */
struct ay_sums {
	uint64_t sum, squares; /* addresses of n doubles each */
	uint64_t n, columns;
	uint64_t bias, old; /* addresses of elements of kind_in and of kind_out; 0: none */
	int64_t bias_stride;
	double growth, k_out, per_mag; /* of AY_BOUND_OF */
	double alpha, beta;            /* used if scaled */
	/* factor of the bound, below 1: the bound is smaller than the oracle's, which decides */
	double less;
	uint32_t scaled, kind_in, kind_out;
};

/* As ay_dt_ulp, for a double x and a lane kind. */
AY_HOST_DEVICE double ay_ulp_of(uint32_t kind, double x)
{
	const int64_t mant = kind == AY_LANES_F16    ? 11
			     : kind == AY_LANES_BF16 ? 8
			     : kind == AY_LANES_F32  ? 24
						     : 53;
	const int64_t emin = kind == AY_LANES_F16 ? -14 : kind == AY_LANES_F64 ? -1022 : -126, emax = 1 - emin;
	int64_t e = (int64_t)(ay_bits_of_double(x) >> 52 & 2047) - 1023;

	if (x != x)
		return x;
	e = e < emin ? emin : e > emax ? emax : e;
	e = e - mant + 1;
	if (e < -1022)
		return ay_double_of_bits(1ull << (e + 1074));
	return ay_double_of_bits((uint64_t)(e + 1023) << 52);
}

AY_HOST_DEVICE void ay_sums_judge(const struct ay_sums *s, uint64_t i, double root_of_squares, double *want,
				  double *bound)
{
	double sum = ((const double *)s->sum)[i], mag, t, c;

	if (s->bias)
		sum += ay_number_at(s->kind_in, s->bias, (uint64_t)((int64_t)(i % s->columns) * s->bias_stride));
	mag = ay_sum_weight(s->growth, sum, root_of_squares, 0);
	if (s->scaled) {
		t = s->alpha == 0 ? 0 : s->alpha * sum;
		c = s->beta == 0 ? 0 : s->beta * ay_number_at(s->kind_out, s->old, i);
		mag = ay_scaled_weight(ay_within_d_size(s->alpha), mag, ay_within_d_size(t), ay_within_d_size(c));
		sum = t + c;
	}
	*want = sum;
	*bound = AY_BOUND_OF(s->k_out, ay_ulp_of(s->kind_out, sum), s->per_mag, mag) * s->less;
}

/* Returns the sum of squares of all terms of sum i, bias included; its root is root_of_squares. */
AY_HOST_DEVICE double ay_sums_squares(const struct ay_sums *s, uint64_t i)
{
	double x = ((const double *)s->squares)[i], b;

	if (!s->bias)
		return x;
	b = ay_number_at(s->kind_in, s->bias, (uint64_t)((int64_t)(i % s->columns) * s->bias_stride));
	return x + b * b;
}

#endif
