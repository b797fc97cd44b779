/* SPDX-License-Identifier: Apache-2.0
 *
 * hash - SHA-256, used to identify kernels, case lines and builds.
 */
#ifndef AY_BASE_HASH_H
#define AY_BASE_HASH_H

#include <stddef.h>

enum { AY_SHA256_HEX = 65 };

struct ay_hash {
	void *ctx;
};

/* Starts a hash. Every started hash must be ended with ay_hash_end. */
void ay_hash_init(struct ay_hash *h);
void ay_hash_add(struct ay_hash *h, const void *data, size_t n);
/* Adds the string's length and then the string, so that ("ab","c") and ("a","bc") give
 * different hashes. */
void ay_hash_add_str(struct ay_hash *h, const char *s);
/* Writes 64 hex digits and a NUL, and releases h. */
void ay_hash_end(struct ay_hash *h, char hex[AY_SHA256_HEX]);

#endif
