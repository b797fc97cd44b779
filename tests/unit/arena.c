/* SPDX-License-Identifier: Apache-2.0
 *
 * arena - tests of arena memory: it is zero, whether large or small, new or used before.
 */
#include "base/arena.h"
#include "test.h"

#include <string.h>

static bool is_zero(const unsigned char *p, size_t n)
{
	return !p[0] && !memcmp(p, p + 1, n - 1);
}

TEST(arena_gives_zeros)
{
	static const size_t sizes[] = { 100, 40 << 20, 3, 17 << 20, 100000 };
	struct ay_arena a = { 0 };

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			unsigned char *p = ay_alloc(&a, sizes[i]);

			CHECKF(is_zero(p, sizes[i]), "round %d, %zu bytes", round, sizes[i]);
			memset(p, 0xaa, sizes[i]);
		}
		if (round != 1) /* the arena keeps the last block, or a large one that is at hand */
			ay_alloc(&a, 20 << 20);
		ay_arena_clear(&a);
	}
	ay_arena_release(&a);
}
