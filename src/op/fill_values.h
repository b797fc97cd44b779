/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_values - numbers made from random bits, for the fills of fill.c that need more than one
 * expression. They use integers and powers of two only, so they give the same bits everywhere.
 */
#ifndef AY_OP_FILL_VALUES_H
#define AY_OP_FILL_VALUES_H

#include "base/rng.h"
#include "tensor/dtype.h"

/* Returns 53 random bits as a number in [0, 1). */
static inline double ay_fill_unit(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

/* Returns a heavy-tailed number. |x| doubles with every leading zero: P(|x| > t) ~ 1/t, up to
 * 2^10. */
double ay_fill_heavy(const uint64_t random[2]);

/* Returns a NaN, an infinity, a zero, a subnormal, the least normal or the largest number of dt, or
 * 1 or -1. */
double ay_fill_special(enum ay_dt dt, uint64_t random);

/* A bijection of [0, n), drawn by key and stream. */
uint64_t ay_fill_permuted(struct ay_key key, uint64_t stream, uint64_t n, uint64_t i);

/* Returns the number of value bits whose integers dtype dt holds without rounding: without the sign
 * for integers, with the leading bit for floats. */
int ay_fill_edge_bits(enum ay_dt dt);

/* Returns an integer of up to `bits` value bits, with a sign unless dt is u8 or b8. One in four is
 * within 3 of the largest or the smallest, one in four is beside a power of two, and the others are
 * drawn evenly. */
long double ay_fill_edge(enum ay_dt dt, int bits, const uint64_t random[2]);

/* Returns true if dtype `in` has numbers half-way between neighbours of the float dtype `of`. */
bool ay_fill_has_ties(enum ay_dt of, enum ay_dt in);

/* Returns a number of dtype `in`. Three in four are half-way between two neighbours of dtype `of`; the
 * others are the next number of `in` above or below such a tie. Half of them have the size of 1 / 16
 * to 16, the others any size, and the subnormal numbers of `of` are among them. */
long double ay_fill_tie(enum ay_dt of, enum ay_dt in, const uint64_t random[2]);

#endif
