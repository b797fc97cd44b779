/* SPDX-License-Identifier: Apache-2.0
 *
 * weight - what an error bound is made of (docs/error-bound.md), in one place for references, the oracle and devices. C
 * and CUDA read this text alike.
 */
#ifndef AY_TENSOR_ERROR_WEIGHT_H
#define AY_TENSOR_ERROR_WEIGHT_H

#ifndef AY_BASE_HOST_DEVICE_H
#include "base/host_device.h"
#endif

/* The larger one; of a number and no number, the number. */
AY_HOST_DEVICE double ay_larger(double x, double y)
{
	return x != x || y > x ? y : x;
}

/* Of a sum: growth of its length, times the largest of |sum|, the 2-norm of its terms and its largest prefix. */
AY_HOST_DEVICE double ay_sum_weight(double growth, double sum, double norm, double prefix)
{
	return growth * ay_larger(ay_larger(sum < 0 ? -sum : sum, norm), prefix);
}

/* Of alpha * sum + c, with t = |alpha * sum|, c and alpha as sizes. */
AY_HOST_DEVICE double ay_scaled_weight(double alpha, double weight, double t, double c)
{
	return (alpha == 0 ? 0 : alpha * weight) + (t + c);
}

/* The bound: per_mag is k_acc * u_acc. */
#define AY_BOUND_OF(k_out, ulp, per_mag, mag) ((k_out) * (ulp) + (per_mag) * (mag))

#endif
