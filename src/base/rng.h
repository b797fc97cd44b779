/* SPDX-License-Identifier: Apache-2.0
 *
 * rng - two sources of chance that must not be mixed.
 *
 * ay_philox is a pure function of a key and a counter: inputs come from it, so that every element can be made
 * again alone, on any host, in any order. ay_secret_* is the judge's own chance (poisons, placement, seeds): no
 * executor can learn it from what it holds.
 */
#ifndef AY_BASE_RNG_H
#define AY_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct ay_key {
	uint64_t k[2];
};

/* Philox4x64-10 of Salmon et al., SC'11. */
void ay_philox(struct ay_key key, const uint64_t counter[4], uint64_t out[4]);
/* The same for n counters, of which the first word goes up by one: faster than one after the other. */
void ay_philox_run(struct ay_key key, const uint64_t counter[4], int64_t n, uint64_t (*out)[4]);
/* Of each of these blocks the sum of the eight 16-bit words of either half: up to 524280, about normal. */
void ay_philox_sums(struct ay_key key, const uint64_t counter[4], int64_t n, int32_t (*sum)[2]);

/* The key of a line's seed= (or of any labelled number): first 128 bits of HMAC-SHA-256(label, seed). */
struct ay_key ay_key_from_seed(const char *label, uint64_t seed);

uint64_t ay_secret_u64(void);
/* Uniform in [0, n); n > 0. */
uint64_t ay_secret_below(uint64_t n);

#endif
