/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"
#include "base/clones.h"
#include "base/err.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <sys/random.h>

/* Its rounds are written out, so that the keys of a run of blocks are computed once. */
static inline void block(struct ay_key key, uint64_t c0, uint64_t c1, uint64_t c2, uint64_t c3, uint64_t out[4])
{
	const uint64_t m0 = 0xD2E7470EE14C6C93u, m1 = 0xCA5A826395121157u;
	const uint64_t w0 = 0x9E3779B97F4A7C15u, w1 = 0xBB67AE8584CAA73Bu;
	uint64_t k0 = key.k[0], k1 = key.k[1];

#pragma GCC unroll 10
	for (int i = 0; i < 10; i++) {
		unsigned __int128 p0 = (unsigned __int128)m0 * c0, p1 = (unsigned __int128)m1 * c2;

		c0 = (uint64_t)(p1 >> 64) ^ c1 ^ k0;
		c1 = (uint64_t)p1;
		c2 = (uint64_t)(p0 >> 64) ^ c3 ^ k1;
		c3 = (uint64_t)p0;
		k0 += w0;
		k1 += w1;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

void ay_philox(struct ay_key key, const uint64_t counter[4], uint64_t out[4])
{
	block(key, counter[0], counter[1], counter[2], counter[3], out);
}

AY_CLONES("bmi2")
void ay_philox_run(struct ay_key key, const uint64_t counter[4], int64_t n, uint64_t (*out)[4])
{
	for (int64_t i = 0; i < n; i++)
		block(key, counter[0] + (uint64_t)i, counter[1], counter[2], counter[3], out[i]);
}

struct ay_key ay_key_from_seed(const char *label, uint64_t seed)
{
	unsigned char msg[8], mac[EVP_MAX_MD_SIZE];
	unsigned int n = 0;
	struct ay_key key;

	for (int i = 0; i < 8; i++)
		msg[i] = (unsigned char)(seed >> 8 * i);
	if (!HMAC(EVP_sha256(), label, (int)strlen(label), msg, sizeof msg, mac, &n) || n != 32)
		AY_BUG("libcrypto has no HMAC-SHA-256");
	for (int k = 0; k < 2; k++) {
		key.k[k] = 0;
		for (int i = 0; i < 8; i++)
			key.k[k] |= (uint64_t)mac[8 * k + i] << 8 * i;
	}
	return key;
}

uint64_t ay_secret_u64(void)
{
	uint64_t x;

	while (getrandom(&x, sizeof x, 0) != sizeof x)
		if (errno != EINTR)
			AY_BUG("getrandom: %s", strerror(errno));
	return x;
}

uint64_t ay_secret_below(uint64_t n)
{
	uint64_t skip = (0 - n) % n, x; /* 2^64 mod n values at the bottom would be drawn once too often */

	do
		x = ay_secret_u64();
	while (x < skip);
	return x % n;
}
