/* SPDX-License-Identifier: Apache-2.0
 *
 * within - one element of floating point against its bound: the rule of the oracle (oracle/oracle.h), apart from where
 * the bound comes from, so that a device can apply it too. C and CUDA read this text alike.
 *
 * NaN matches NaN only, infinity only its own sign, or a finite value which rounding may have made it. A bound below 0
 * wants the same value, zeros with their sign; one of minus infinity wants nothing; an infinite one, or none (NaN),
 * admits nothing. The judge's processor works in long double, a device in double: for what fits there and is not
 * within the last bit of its bound they agree.
 */
#ifndef AY_TENSOR_IN_BOUND_H
#define AY_TENSOR_IN_BOUND_H

#ifndef AY_BASE_HOST_DEVICE_H
#include "base/host_device.h"
#endif

/* largest: the largest finite value of the dtype; flushed: below this, zero of the same sign will do (0: nowhere). */
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
		/* kernels that flush subnormals to zero are honest */                             \
		return got == 0 && name##_size(want) < flushed && name##_same_sign(want, got);     \
	}

#endif
