/* SPDX-License-Identifier: Apache-2.0
 *
 * normal - the number that a fill makes of the sum of eight 16-bit words: centred, and scaled to unit variance (that
 * of one word is (65536^2 - 1) / 12). Tails to 4.9 sigma, no libm.
 *
 * What is meant is the division by sqrt(8 * (65536^2 - 1) / 12), rounded once. The inverse in two parts gives it for
 * every sum there is (a test goes through all), without the division: the first part is short enough for an exact
 * product with 18 bits, the second is all of the rest that could matter.
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
