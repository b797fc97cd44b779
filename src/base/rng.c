/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"
#include "base/err.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <sys/random.h>

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
	/* without this skip, the lowest 2^64 mod n values would be drawn once too often */
	uint64_t skip = (0 - n) % n, x;

	do
		x = ay_secret_u64();
	while (x < skip);
	return x % n;
}
