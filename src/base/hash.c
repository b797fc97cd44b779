/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "base/err.h"

#include <openssl/evp.h>
#include <stdint.h>
#include <string.h>

void ay_hash_init(struct ay_hash *h)
{
	h->ctx = EVP_MD_CTX_new();
	if (!h->ctx || !EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL))
		AY_BUG("libcrypto has no SHA-256");
}

void ay_hash_add(struct ay_hash *h, const void *data, size_t n)
{
	if (!EVP_DigestUpdate(h->ctx, data, n))
		AY_BUG("SHA-256 failed");
}

void ay_hash_add_str(struct ay_hash *h, const char *s)
{
	uint64_t n = strlen(s);

	ay_hash_add(h, &n, sizeof n);
	ay_hash_add(h, s, n);
}

void ay_hash_end(struct ay_hash *h, char hex[AY_SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned int n = 0;

	if (!EVP_DigestFinal_ex(h->ctx, md, &n) || n != 32)
		AY_BUG("SHA-256 failed");
	for (unsigned int i = 0; i < n; i++) {
		hex[2 * i] = digits[md[i] >> 4];
		hex[2 * i + 1] = digits[md[i] & 15];
	}
	hex[2 * n] = 0;
	EVP_MD_CTX_free(h->ctx);
	h->ctx = NULL;
}
