/* SPDX-License-Identifier: Apache-2.0
 *
 * normal - turns the sum of eight random 16-bit words into a normal number: centred and scaled to
 * unit variance (the variance of one word is (65536^2 - 1) / 12). The tails reach 4.9 sigma. It
 * uses no libm.
 *
 * The exact definition is a division by sqrt(8 * (65536^2 - 1) / 12), rounded once. Multiplying by
 * the inverse in two parts gives the same bits for every possible sum (a test checks them all),
 * without a division. The first part is short enough for an exact product with 18 bits. The second
 * part holds all remaining bits that can matter.
 */
#ifndef AY_OP_NORMAL_H
#define AY_OP_NORMAL_H

#include <stdint.h>

enum { AY_SUM_MOST = 8 * 65535 };

static inline double ay_normal_of(int32_t sum)
{
	const double x = sum - AY_SUM_MOST / 2;

	return x * 0x1.3988e141p-16 + x * 0x1.76badd0594a32p-51;
}

#endif
