/* SPDX-License-Identifier: Apache-2.0
 *
 * error_weight - the parts of an error bound (docs/error-bound.md), defined once for references,
 * the oracle and devices. Both C and CUDA compile this header.
 */
#ifndef AY_TENSOR_ERROR_WEIGHT_H
#define AY_TENSOR_ERROR_WEIGHT_H

#ifndef AY_BASE_HOST_DEVICE_H
#include "base/host_device.h"
#endif

/* Returns the larger of x and y. If one of them is NaN, returns the other. */
AY_HOST_DEVICE double ay_larger(double x, double y)
{
	return x != x || y > x ? y : x;
}

/* Returns the error weight of a sum: `growth`, which depends on its length, times the largest of
 * |sum|, the 2-norm of the terms and the largest prefix sum. */
AY_HOST_DEVICE double ay_sum_weight(double growth, double sum, double norm, double prefix)
{
	return growth * ay_larger(ay_larger(sum < 0 ? -sum : sum, norm), prefix);
}

/* Returns the error weight of alpha * sum + c. `t` is |alpha * sum|; `alpha` and `c` are
 * absolute values. */
AY_HOST_DEVICE double ay_scaled_weight(double alpha, double weight, double t, double c)
{
	return (alpha == 0 ? 0 : alpha * weight) + (t + c);
}

/* The error bound; per_mag is k_acc * u_acc. */
#define AY_BOUND_OF(k_out, ulp, per_mag, mag) ((k_out) * (ulp) + (per_mag) * (mag))

#endif
