/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers for a kernel in C. Number i is a hash of seed, offset and i: any thread can draw it.
 */
#ifndef ASSAY_KERNEL_RANDOM_H
#define ASSAY_KERNEL_RANDOM_H

#include <assay/kernel.h>

/* The finisher of splitmix64: a bijection that mixes all bits. */
static inline uint64_t ay_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline uint64_t ay_rng_key(const ay_rng *g)
{
	return ay_mix(g->seed + 0x9e3779b97f4a7c15u) + ay_mix(g->offset ^ 0xd1b54a32d192ed03u);
}

/* Returns 53 random bits from a state that differs from number to number. */
static inline uint64_t ay_random_bits(uint64_t state, uint64_t key)
{
	return ay_mix(ay_mix(state + key) + key) >> 11;
}

/* Returns number i, uniform in [0, 1), a multiple of 2^-53. */
static inline double ay_uniform(const ay_rng *g, int64_t i)
{
	return (double)ay_random_bits((uint64_t)i * 0x9e3779b97f4a7c15u, ay_rng_key(g)) * 0x1p-53;
}

#endif
