/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "base/rng.h"

#include <string.h>

/* Known answers of the Random123 distribution for philox4x64 with 10 rounds. */
TEST(rng_philox_known_answers)
{
	static const struct {
		uint64_t ctr[4], key[2], want[4];
	} kat[] = {
		{ { 0, 0, 0, 0 },
		  { 0, 0 },
		  { 0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b } },
		{ { ~0ull, ~0ull, ~0ull, ~0ull },
		  { ~0ull, ~0ull },
		  { 0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0 } },
		{ { 0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89 },
		  { 0x452821e638d01377, 0xbe5466cf34e90c6c },
		  { 0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6 } },
	};

	for (size_t i = 0; i < sizeof kat / sizeof *kat; i++) {
		struct ay_key key = { { kat[i].key[0], kat[i].key[1] } };
		uint64_t got[4];

		ay_philox(key, kat[i].ctr, got);
		CHECKF(!memcmp(got, kat[i].want, sizeof got), "vector %zu", i);
	}
}

static int32_t word_sum(uint64_t x)
{
	return (int32_t)((x & 0xffff) + (x >> 16 & 0xffff) + (x >> 32 & 0xffff) + (x >> 48));
}

/* Every length up to several blocks, and the counter wraps at every place. */
TEST(rng_run_is_block_after_block)
{
	enum { MOST = 67 };
	const struct ay_key key = { { 0x452821e638d01377, 0xbe5466cf34e90c6c } };
	uint64_t run[MOST + 1][4], one[4];
	int32_t sum[MOST + 1][2];

	for (int64_t n = 0; n <= MOST; n++) {
		const uint64_t first[4] = { (uint64_t) - (n * 5 % 64), ~0ull / 3 * (uint64_t)n, (uint64_t)n,
					    ~(uint64_t)n };

		memset(run, 0xee, sizeof run);
		memset(sum, 0xee, sizeof sum);
		ay_philox_run(key, first, n, run);
		ay_philox_sums(key, first, n, sum);
		for (int64_t i = 0; i < n; i++) {
			const uint64_t ctr[4] = { first[0] + (uint64_t)i, first[1], first[2], first[3] };

			ay_philox(key, ctr, one);
			CHECKF(!memcmp(run[i], one, sizeof one), "block %d of %d", (int)i, (int)n);
			CHECKF(sum[i][0] == word_sum(one[0]) + word_sum(one[1]) &&
				       sum[i][1] == word_sum(one[2]) + word_sum(one[3]),
			       "sums of block %d of %d", (int)i, (int)n);
		}
		CHECK(run[n][0] == 0xeeeeeeeeeeeeeeee && sum[n][0] == (int32_t)0xeeeeeeee);
	}
}

TEST(rng_keys_differ_by_seed_and_label)
{
	struct ay_key a = ay_key_from_seed("x", 1), b = ay_key_from_seed("x", 2), c = ay_key_from_seed("y", 1);

	CHECK(memcmp(&a, &b, sizeof a));
	CHECK(memcmp(&a, &c, sizeof a));
	b = ay_key_from_seed("x", 1);
	CHECK(!memcmp(&a, &b, sizeof a));
	/* HMAC-SHA-256(key "x", 1 as 8 bytes little-endian), first 16 bytes, as Python's hmac
	 * module gives it */
	CHECK(a.k[0] == 0x3aba326899f367ce && a.k[1] == 0x23eb987b659ef127);
}

TEST(rng_below_is_in_range)
{
	int seen[7] = { 0 };

	for (int i = 0; i < 2000; i++)
		seen[ay_secret_below(7)]++;
	for (int i = 0; i < 7; i++)
		CHECK(seen[i] > 150); /* 286 expected; 8 sd below */
}
