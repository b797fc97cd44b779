/* SPDX-License-Identifier: Apache-2.0
 *
 * rng - two sources of random numbers that must not be mixed.
 *
 * ay_philox is a pure function of a key and a counter. Inputs come from it, so that any element can
 * be generated again alone, on any host, in any order. ay_secret_* is the judge's own randomness
 * (poisons, placement, seeds): an executor cannot derive it from what it receives.
 */
#ifndef AY_BASE_RNG_H
#define AY_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct ay_key {
	uint64_t k[2];
};

/* Computes one block of Philox4x64-10 of Salmon et al., SC'11. */
void ay_philox(struct ay_key key, const uint64_t counter[4], uint64_t out[4]);
/* Computes n blocks, whose counters differ in the first word: counter[0], counter[0] + 1, and so
 * on. It is faster than n calls of ay_philox. */
void ay_philox_run(struct ay_key key, const uint64_t counter[4], int64_t n, uint64_t (*out)[4]);
/* Computes the n blocks of ay_philox_run. Of each block it stores two sums: of the eight 16-bit
 * words of the lower half, and of those of the upper half. A sum is at most 524280 and
 * approximately normal. */
void ay_philox_sums(struct ay_key key, const uint64_t counter[4], int64_t n, int32_t (*sum)[2]);

/* Returns the key of a case line's seed=, or of any labelled number: the first 128 bits of
 * HMAC-SHA-256(label, seed). */
struct ay_key ay_key_from_seed(const char *label, uint64_t seed);

/* Returns 64 bits from the secret source. */
uint64_t ay_secret_u64(void);
/* Returns a uniform number in [0, n); n > 0. */
uint64_t ay_secret_below(uint64_t n);

#endif
