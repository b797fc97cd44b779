/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/buffer.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct ay_need three[] = { { 1, false }, { 4096, true }, { 4097, false } };

static struct ay_pool make(int n, const struct ay_need *need)
{
	struct ay_err err = { 0 };
	struct ay_pool p;

	if (ay_pool_init(&p, n, need, &err))
		test_skip("no pool: %s", err.msg);
	return p;
}

TEST(buffer_slots_are_whole_pages)
{
	struct ay_pool p = make(3, three);

	CHECK(p.slot[0].bytes == 4096 && p.slot[1].bytes == 4096 && p.slot[2].bytes == 8192);
	CHECK(p.slot[0].offset == 0 && p.slot[1].offset == 0 && p.slot[2].offset == 4096);
	CHECK(p.size[0] == 12288 && p.size[1] == 4096);
	for (int i = 0; i < 3; i++)
		memset(p.slot[i].mem, i + 1, p.slot[i].bytes);
	CHECK(p.slot[0].mem[4095] == 1 && p.slot[1].mem[0] == 2 && p.slot[2].mem[8191] == 3);
	ay_pool_release(&p);
}

TEST(buffer_empty_pools)
{
	const struct ay_need empty = { 0, true };
	struct ay_pool none = make(0, NULL), one = make(1, &empty), never = { 0 };

	CHECK(none.fd[0] < 0 && none.fd[1] < 0);
	CHECK(one.slot[0].bytes == AY_PAGE && one.fd[0] < 0);
	ay_pool_release(&none);
	ay_pool_release(&one);
	ay_pool_release(&never);
	ay_pool_release(&never);
}

TEST(buffer_reuse_is_exact)
{
	struct ay_pool p = make(3, three), q = make(3, three);
	struct ay_need other[3];

	CHECK(p.id != q.id);
	CHECK(ay_pool_fits(&p, 3, three) && ay_pool_fits(&p, 2, three));
	memcpy(other, three, sizeof other);
	other[0].bytes = 4096;
	CHECK(ay_pool_fits(&p, 3, other));
	other[0].bytes = 4097;
	CHECK(!ay_pool_fits(&p, 3, other));
	other[0] = (struct ay_need){ 1, true };
	CHECK(!ay_pool_fits(&p, 3, other));
	CHECK(!ay_pool_fits(&p, 4, other));
	ay_pool_release(&p);
	CHECK(!ay_pool_fits(&p, 0, NULL));
	ay_pool_release(&q);
}

/* Tries what an executor could do with its descriptors. Returns a bit for each attempt that
 * works. */
static int attack(const struct ay_pool *p)
{
	const int holes = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	void *m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, p->fd[0], 0);
	int bad = 0;

	bad |= (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd[0], 0) != MAP_FAILED) << 0;
	bad |= !mprotect(m, 4096, PROT_READ | PROT_WRITE) << 1;
	bad |= (pwrite(p->fd[0], "x", 1, 0) == 1) << 2;
	bad |= !fallocate(p->fd[0], holes, 0, 4096) << 3;
	for (int i = 0; i < 2; i++) {
		bad |= !ftruncate(p->fd[i], 0) << 4;
		bad |= !ftruncate(p->fd[i], 1 << 20) << 5;
		bad |= !fcntl(p->fd[i], F_ADD_SEALS, F_SEAL_WRITE) << 6;
	}
	bad |= (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd[1], 0) == MAP_FAILED) << 7;
	return bad;
}

TEST(buffer_memory_is_cut_anew)
{
	static const struct ay_need large[] = { { 40960, false }, { 40960, true } };
	static const struct ay_need other[] = { { 1, true }, { 20000, false }, { 9000, true }, { 4096, false } };
	static const struct ay_need uneven[] = { { 4096, false }, { 40961, true } };
	struct ay_pool p = make(2, large);
	const struct ay_pool before = p;

	CHECK(ay_pool_recut(&p, 4, other));
	CHECK(p.id != before.id && p.fd[0] == before.fd[0] && p.fd[1] == before.fd[1]);
	CHECK(ay_pool_fits(&p, 4, other) && !ay_pool_fits(&p, 2, large));
	CHECK(p.size[0] == 20480 + 4096 && p.size[1] == 4096 + 12288 && p.room[0] == 40960);
	CHECK(p.slot[0].mem == before.mem[1] && p.slot[2].mem == before.mem[1] + 4096);
	CHECK(p.slot[1].mem == before.mem[0] && p.slot[3].mem == before.mem[0] + 20480);
	CHECK(ay_pool_recut(&p, 2, large) && p.size[0] == p.room[0]);
	memset(p.slot[0].mem, 1, p.slot[0].bytes);
	memset(p.slot[1].mem, 2, p.slot[1].bytes);
	CHECK(p.slot[0].mem[40959] == 1 && p.slot[1].mem[40959] == 2);
	CHECK(!ay_pool_recut(&p, 2, uneven) && p.fd[1] == before.fd[1]); /* too small */
	p.roomy = true;
	/* one of the two regions is too small and is replaced */
	CHECK(ay_pool_recut(&p, 2, uneven));
	CHECK(p.fd[0] == before.fd[0] && p.mem[0] == before.mem[0] && p.room[1] == 4 * 45056);
	CHECK(p.slot[0].mem[4095] == 1 && p.slot[1].bytes == 45056 && !p.slot[1].mem[0]);
	CHECK(!attack(&p)); /* sealed as the first one */
	ay_pool_release(&p);
	CHECK(msync(before.mem[0], 40960, MS_ASYNC) && errno == ENOMEM); /* all of it is gone */
}

/* Untouched memory does not exist yet, so a sixteenth of the free memory costs nothing. */
TEST(buffer_what_would_be_idle_is_kept_only_if_it_is_little)
{
	static const struct ay_need little = { 4096, true };
	const struct ay_need much = { ay_memory_available() / 16, true }, half = { much.bytes / 2 + 8192, true },
			     more = { 8 << 20, true }, too_much = { 32 * much.bytes, true };
	struct ay_pool p = make(1, &much);
	const uint64_t before = p.id;

	CHECK(!ay_pool_is_small(&p) && !ay_pool_recut(&p, 1, &little) && p.size[1] == p.room[1]);
	p.roomy = true;
	CHECK(!ay_pool_recut(&p, 1, &too_much) && p.id == before && p.slot[0].mem == p.mem[1]);
	CHECK(ay_pool_recut(&p, 1, &half) && p.used[1] == p.room[1]);
	ay_pool_release(&p);
	p = make(1, &more);
	CHECK(ay_pool_is_small(&p) && ay_pool_recut(&p, 1, &little) && p.room[1] == more.bytes);
	ay_pool_release(&p);
}

TEST(buffer_a_half_that_is_not_there_is_made_where_there_may_be_room)
{
	static const struct ay_need in = { 4096, false }, out = { 4096, true };
	struct ay_pool p = make(1, &in);
	struct ay_err err = { 0 };

	CHECK(!ay_pool_recut(&p, 1, &out) && p.slot[0].mem == p.mem[0]);
	ay_pool_release(&p);
	CHECK(!ay_pool_init_roomy(&p, AY_PAGE, 1, &in, &err) && p.room[0] == 4 * AY_PAGE && p.used[0] == AY_PAGE);
	CHECK(ay_pool_recut(&p, 0, NULL) && !p.size[0]);
	CHECK(ay_pool_recut(&p, 1, &out) && p.slot[0].mem == p.mem[1]);
	CHECK(ay_pool_recut(&p, 1, &in));
	ay_pool_release(&p);
}

TEST(buffer_seals_hold)
{
	struct ay_pool p = make(3, three);
	int status = -1;
	pid_t pid;

	p.slot[0].mem[0] = 42; /* the judge still can */
	pid = fork();
	if (!pid)
		_exit(attack(&p));
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECKF(WIFEXITED(status) && !WEXITSTATUS(status), "attacks %#x", WEXITSTATUS(status));
	CHECK(p.slot[0].mem[0] == 42);
	p.slot[0].mem[0] = 43;
	ay_pool_release(&p);
}

TEST(buffer_is_not_inherited)
{
	struct ay_pool p = make(3, three);
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		volatile uint8_t *m = p.slot[0].mem;

		signal(SIGSEGV, SIG_DFL); /* a sanitizer would report it */
		*m = 1;
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	CHECK(p.slot[0].mem[0] == 0);
	ay_pool_release(&p);
}

TEST(buffer_says_what_it_needs)
{
	const struct ay_need huge[] = { { (uint64_t)1 << 50, false } }, absurd[] = { { UINT64_MAX, true } };
	struct ay_err err = { 0 };
	struct ay_pool p;

	CHECK(ay_pool_init(&p, 1, huge, &err) && err.code == AY_ERR_MEMORY);
	CHECKF(strstr(err.msg, "needs 1125899906842624 bytes"), "%s", err.msg);
	ay_err_clear(&err);
	CHECK(ay_pool_init(&p, 1, absurd, &err) && err.code == AY_ERR_MEMORY);
	CHECK(ay_memory_available() > 1 << 20 && ay_memory_available() < (uint64_t)1 << 50);
}

TEST(buffer_placement)
{
	bool seen[64] = { 0 };
	int n = 0;

	CHECK(ay_place(4096, 100, AY_PLACE_START) == 0);
	CHECK(ay_place(4096, 100, AY_PLACE_END) == 3968);
	CHECK(ay_place(4096, 4096, AY_PLACE_END) == 0);
	CHECK(ay_place(4096, 0, AY_PLACE_END) == 4096);
	for (int i = 0; i < 2000; i++) {
		uint64_t at = ay_place(4096, 100, AY_PLACE_COLOUR);

		CHECK(at % 64 == 0 && at + 100 <= 4096);
		seen[at / 64 % 64] = true;
	}
	for (int i = 0; i < 64; i++)
		n += seen[i];
	CHECKF(n == 63, "%d colours", n);
}
