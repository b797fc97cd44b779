/* SPDX-License-Identifier: Apache-2.0
 *
 * in_bound - checks one floating-point element against its error bound. This is the oracle's rule
 * (oracle/oracle.h) without the computation of the bound, so that a device can apply it too. Both C
 * and CUDA compile this header.
 *
 * NaN matches only NaN. Infinity matches infinity of its own sign; an infinite result also matches
 * a finite wanted value that rounding may have made infinite. A negative bound requires the same
 * value, and zeros of the same sign. A bound of minus infinity accepts everything. A bound of plus
 * infinity or NaN accepts no result for a finite wanted value.
 *
 * The judge's processor computes in long double, a device in double. The two agree for values that
 * fit in double, except within the last bit of the bound.
 */
#ifndef AY_TENSOR_IN_BOUND_H
#define AY_TENSOR_IN_BOUND_H

#ifndef AY_BASE_HOST_DEVICE_H
#include "base/host_device.h"
#endif

/* Defines the check `name` on numbers of type `real`. `largest` is the largest finite value of the
 * dtype. Where |want| is below `flushed`, a zero of the same sign is accepted too (0: nowhere). */
#define AY_WITHIN(name, real)                                                                      \
	AY_HOST_DEVICE real name##_size(real x)                                                    \
	{                                                                                          \
		return x < 0 ? -x : x;                                                             \
	}                                                                                          \
                                                                                                   \
	AY_HOST_DEVICE bool name##_same_sign(real x, real y)                                       \
	{                                                                                          \
		return (x < 0 || (x == 0 && 1 / x < 0)) == (y < 0 || (y == 0 && 1 / y < 0));       \
	}                                                                                          \
                                                                                                   \
	AY_HOST_DEVICE bool name##_is_infinite(real x)                                             \
	{                                                                                          \
		return x == x && x - x != 0;                                                       \
	}                                                                                          \
                                                                                                   \
	AY_HOST_DEVICE bool name(real want, real got, real bound, real largest, real flushed)      \
	{                                                                                          \
		if (bound < 0 && name##_is_infinite(bound))                                        \
			return true;                                                               \
		if (want != want || got != got)                                                    \
			return want != want && got != got;                                         \
		if (bound < 0 || name##_is_infinite(want))                                         \
			return want == got && name##_same_sign(want, got);                         \
		if (name##_is_infinite(bound))                                                     \
			return false;                                                              \
		if (name##_is_infinite(got))                                                       \
			return name##_same_sign(want, got) && name##_size(want) + bound > largest; \
		if (name##_size(got - want) <= bound)                                              \
			return true;                                                               \
		/* kernels that flush subnormals to zero are accepted */                           \
		return got == 0 && name##_size(want) < flushed && name##_same_sign(want, got);     \
	}

#endif
