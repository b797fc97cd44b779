/* SPDX-License-Identifier: Apache-2.0
 *
 * block_cache - tests of the driver's memory blocks that the Python executor keeps. Their addresses
 * are invented.
 */
#include "../../torch/exec/block_cache.h"
#include "test.h"

static int streams[2];
#define ONE   (&streams[0])
#define OTHER (&streams[1])

enum { MB = 1 << 20 };

TEST(block_cache_blocks_come_back_to_their_stream)
{
	struct spare s = { 0 };

	spare_add(&s, 100, 8 * MB, ONE);
	spare_add(&s, 200, 6 * MB, ONE);
	CHECK(!spare_take(&s, 6 * MB, ONE)); /* torch has both */
	CHECK(spare_give(&s, 100) && spare_give(&s, 200) && s.bytes == 14 * MB);
	CHECK(!spare_take(&s, 6 * MB, OTHER)); /* the first stream may still use the block */
	CHECK(!spare_take(&s, 9 * MB, ONE) && !spare_take(&s, 3 * MB - 1, ONE));
	CHECK(spare_take(&s, 5 * MB, ONE) == 200); /* the smallest that will do */
	CHECK(spare_take(&s, 5 * MB, ONE) == 100 && s.bytes == 0);
	CHECK(!spare_take(&s, 5 * MB, ONE));
	CHECK(!spare_give(&s, 300)); /* belongs to another owner */
}

TEST(block_cache_shared_blocks_are_the_drivers)
{
	struct spare s = { 0 };

	spare_add(&s, 100, MB, ONE);
	spare_share(&s, 100, ONE); /* its own stream was known already */
	spare_share(&s, 300, OTHER);
	CHECK(spare_give(&s, 100) && spare_take(&s, MB, ONE) == 100);
	spare_share(&s, 100, OTHER);
	CHECK(!spare_give(&s, 100) && s.n == 0 && s.bytes == 0);
}

TEST(block_cache_blocks_are_dropped)
{
	struct spare s = { 0 };

	for (uint64_t i = 1; i <= 3; i++)
		spare_add(&s, i, MB, ONE);
	CHECK(!spare_drop(&s)); /* all are in use */
	CHECK(spare_give(&s, 2) && spare_give(&s, 3));
	CHECK(spare_give(&s, 3) && s.bytes == 2 * MB); /* twice: it is there once */
	CHECK(spare_drop(&s) + spare_drop(&s) == 2 + 3 && !spare_drop(&s));
	CHECK(s.n == 1 && s.bytes == 0 && spare_give(&s, 1)); /* what torch has stayed */
}

TEST(block_cache_blocks_beyond_the_limits_are_the_drivers)
{
	struct spare s = { 0 };

	for (uint64_t i = 1; i <= SPARE_BLOCKS + 1; i++)
		spare_add(&s, i, MB, ONE);
	CHECK(s.n == SPARE_BLOCKS && spare_give(&s, SPARE_BLOCKS) && !spare_give(&s, SPARE_BLOCKS + 1));
	s = (struct spare){ 0 };
	for (uint64_t i = 1; i <= 3; i++)
		spare_add(&s, i, SPARE_BYTES / 2, ONE);
	CHECK(spare_give(&s, 1) && spare_give(&s, 2) && !spare_give(&s, 3));
	CHECK(s.n == 2 && s.bytes == SPARE_BYTES);
}
