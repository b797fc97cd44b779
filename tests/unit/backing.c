/* SPDX-License-Identifier: Apache-2.0
 *
 * backing - tests of what is behind a range of addresses: both ways of asking Linux, on mappings of
 * this process.
 */
#include "exec/backing.h"
#include "test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 80 };

static int (*const ways[])(const struct ay_jailed *, pid_t, uint64_t, uint64_t, struct ay_backing *,
			   struct ay_err *) = { ay_backing_find, ay_backing_find_in_text };

static struct ay_backing find(size_t way, const void *at, size_t bytes)
{
	const uint64_t lo = (uintptr_t)at;
	struct ay_err err = { 0 };
	struct ay_backing b;

	CHECKF(!ways[way](NULL, getpid(), lo, lo + bytes, &b, &err), "%s", err.msg);
	return b;
}

static int file_of(size_t pages)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	CHECK(fd >= 0 && !ftruncate(fd, (off_t)(pages * PAGE)));
	return fd;
}

static uint8_t *map(int fd, size_t pages, int how, size_t first)
{
	void *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, how, fd, (off_t)(first * PAGE));

	CHECK(p != MAP_FAILED);
	return p;
}

TEST(backing_private_memory_has_no_file)
{
	uint8_t *p = map(-1, 3, MAP_PRIVATE | MAP_ANONYMOUS, 0);

	for (size_t i = 0; i < 2; i++)
		CHECK(find(i, p, (size_t)3 * PAGE).n == 0);
	CHECK(!munmap(p + PAGE, PAGE)); /* a hole */
	for (size_t i = 0; i < 2; i++)
		CHECK(find(i, p, (size_t)3 * PAGE).n == 0);
	munmap(p, (size_t)3 * PAGE);
}

TEST(backing_two_mappings_of_one_file_meet)
{
	const int fd = file_of(4), other = file_of(4);
	uint8_t *x = map(fd, 4, MAP_SHARED, 0), *y = map(fd, 4, MAP_PRIVATE, 0), *z = map(other, 4, MAP_SHARED, 0);

	for (size_t i = 0; i < 2; i++) {
		const struct ay_backing a = find(i, x, 64), b = find(i, y + 60, 64), c = find(i, y + 64, 64);
		const struct ay_backing far = find(i, z, 64);

		CHECK(a.n == 1 && a.piece[0].lo == 0 && a.piece[0].hi == 64);
		CHECK(ay_backing_meets(&a, &b) && !ay_backing_meets(&a, &c) && !ay_backing_meets(&a, &far));
		CHECK(ay_backing_has_file(&a, fd) && ay_backing_has_file(&b, fd));
		CHECK(!ay_backing_has_file(&a, other) && !ay_backing_has_file(&a, -1));
	}
	munmap(x, (size_t)4 * PAGE);
	munmap(y, (size_t)4 * PAGE);
	munmap(z, (size_t)4 * PAGE);
	close(fd);
	close(other);
}

/* A range over many mappings: parts of a file in turn, the same page again, and too many pieces. */
TEST(backing_of_many_pieces)
{
	const int fd = file_of(PAGES);
	uint8_t *p = map(-1, PAGES, MAP_PRIVATE | MAP_ANONYMOUS, 0);

	for (size_t k = 0; k < PAGES; k++)
		CHECK(mmap(p + k * PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd,
			   (off_t)((PAGES - 1 - k) * PAGE)) != MAP_FAILED);
	for (size_t i = 0; i < 2; i++) {
		struct ay_backing b = find(i, p + 1, (size_t)4 * PAGE);

		CHECK(b.n == 5 && !b.more && !ay_backing_repeats(&b));
		CHECK(b.piece[0].lo == (PAGES - 1) * PAGE + 1 && b.piece[4].hi == (PAGES - 5) * PAGE + 1);
		b = find(i, p, (size_t)PAGES * PAGE);
		CHECK(b.n == AY_BACKING_PIECES && b.more);
	}
	CHECK(mmap(p + PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, (off_t)((PAGES - 1) * PAGE)) !=
	      MAP_FAILED);
	for (size_t i = 0; i < 2; i++) {
		const struct ay_backing b = find(i, p, (size_t)2 * PAGE);

		CHECK(b.n == 2 && ay_backing_repeats(&b));
	}
	munmap(p, (size_t)PAGES * PAGE);
	close(fd);
}

TEST(backing_of_a_process_that_has_ended)
{
	struct ay_err err = { 0 };
	struct ay_backing b;

	for (size_t i = 0; i < 2; i++)
		CHECK(!ways[i](NULL, 0x3fffffff, 0, PAGE, &b, &err) && !b.n && !b.more);
}
