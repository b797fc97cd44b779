/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/buffer.h"

#include "base/arena.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

uint64_t ay_slot_bytes(uint64_t grain, uint64_t bytes)
{
	return bytes ? (bytes + grain - 1) / grain * grain : grain;
}

/* --- available memory ------------------------------------------------------------------------- */

static bool slurp(const char *path, char *buf, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, cap - 1);
	close(fd);
	buf[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Reads a file that holds a single number. Returns UINT64_MAX, no limit, for "max" and for a file
 * that cannot be read. */
static uint64_t number_in(const char *path)
{
	char buf[64], *end;
	unsigned long long n;

	if (!slurp(path, buf, sizeof buf))
		return UINT64_MAX;
	n = strtoull(buf, &end, 10);
	return end == buf ? UINT64_MAX : n;
}

/* Returns a counter of memory.stat, 0 if it cannot be read. */
static uint64_t stat_field(const char *path, const char *field)
{
	char buf[8192], *at;

	if (!slurp(path, buf, sizeof buf) || !(at = strstr(buf, field)))
		return 0;
	return strtoull(at + strlen(field), NULL, 10);
}

/* Returns how many bytes a cgroup may still use: its limit minus its usage. Inactive file pages do
 * not count as used, because Linux can reclaim them. */
static uint64_t room(const char *dir, const char *limit, const char *usage)
{
	char path[1200];
	uint64_t max, used, cache;

	snprintf(path, sizeof path, "%s/%s", dir, limit);
	max = number_in(path);
	/* v1 writes "no limit" as a huge number */
	if (max == UINT64_MAX || max >= (uint64_t)1 << 62)
		return UINT64_MAX;
	snprintf(path, sizeof path, "%s/%s", dir, usage);
	used = number_in(path);
	snprintf(path, sizeof path, "%s/memory.stat", dir);
	cache = stat_field(path, "\ninactive_file ");
	used = used == UINT64_MAX ? 0 : used - (cache < used ? cache : used);
	return max > used ? max - used : 0;
}

/* Returns the least room of a cgroup and all its parents, because a limit may be set at
 * any level. */
static uint64_t room_upwards(const char *root, char *group, const char *limit, const char *usage)
{
	uint64_t least = UINT64_MAX;
	char dir[1100];

	for (;;) {
		uint64_t here;
		char *slash;

		snprintf(dir, sizeof dir, "%s%s", root, group);
		here = room(dir, limit, usage);
		least = here < least ? here : least;
		slash = strrchr(group, '/');
		if (!slash || !group[0])
			return least;
		*slash = 0;
	}
}

static uint64_t cgroup_room(void)
{
	uint64_t least = UINT64_MAX;
	char buf[4096], *save = NULL;

	if (!slurp("/proc/self/cgroup", buf, sizeof buf))
		return least;
	for (char *line = strtok_r(buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
		uint64_t here = UINT64_MAX;

		if (!group || strlen(group) > 1000)
			continue;
		*group++ = 0;
		if (!list[1])
			here = room_upwards("/sys/fs/cgroup", group, "memory.max", "memory.current");
		else if (strstr(list, "memory"))
			here = room_upwards("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes",
					    "memory.usage_in_bytes");
		least = here < least ? here : least;
	}
	return least;
}

uint64_t ay_memory_available(void)
{
	uint64_t kib = 0, group = cgroup_room();
	char buf[4096], *at;

	if (slurp("/proc/meminfo", buf, sizeof buf) && (at = strstr(buf, "MemAvailable:")))
		kib = strtoull(at + 13, NULL, 10);
	if (!kib) /* no /proc: assume 1 GiB */
		kib = 1 << 20;
	return kib * 1024 < group ? kib * 1024 : group;
}

/* --- pools ------------------------------------------------------------------------------------ */

static int make_memfd(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd;
}

/* Creates one of the pool's memfds. It is sized and mapped before it is sealed, because
 * F_SEAL_FUTURE_WRITE permits only mappings that exist already; the judge's is the only one. */
static int make_half(struct ay_pool *p, int which, uint64_t bytes, struct ay_err *err)
{
	int seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL | (which ? 0 : F_SEAL_FUTURE_WRITE);
	void *mem;

	if (!bytes)
		return 0;
	p->fd[which] = make_memfd(which ? "assay-outputs" : "assay-inputs");
	if (p->fd[which] < 0 || ftruncate(p->fd[which], (off_t)bytes))
		return ay_fail_errno(err, AY_ERR_SYS, "cannot make a memory file of %llu bytes",
				     (unsigned long long)bytes);
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd[which], 0);
	if (mem == MAP_FAILED)
		return ay_fail_errno(err, AY_ERR_SYS, "cannot map %llu bytes", (unsigned long long)bytes);
	p->mem[which] = mem;
	p->room[which] = bytes;
	p->used[which] = p->size[which];
	/* a child forked from the judge would inherit a writable mapping of the inputs */
	if (madvise(mem, bytes, MADV_DONTFORK) || fcntl(p->fd[which], F_ADD_SEALS, seals))
		return ay_fail_errno(err, AY_ERR_SYS, "cannot seal a memory file");
	return 0;
}

/* Fails if `bytes` exceeds the free memory. Otherwise the allocation would succeed, and some
 * process would be killed later. Up to 64 MiB the free memory is not read. */
static int check_room(uint64_t bytes, struct ay_err *err)
{
	uint64_t have;

	if (bytes <= 64 << 20)
		return 0;
	have = ay_memory_available();
	if (bytes <= have)
		return 0;
	return ay_fail(err, AY_ERR_MEMORY, "needs %llu bytes of memory; %llu are available",
		       (unsigned long long)bytes, (unsigned long long)have);
}

static int lay_out(struct ay_pool *p, int n, const struct ay_need *need, struct ay_err *err)
{
	for (int i = 0; i < n; i++) {
		uint64_t *size = &p->size[need[i].written];

		if (need[i].bytes > (uint64_t)1 << 56 || *size > (uint64_t)1 << 56)
			return ay_fail(err, AY_ERR_MEMORY, "needs %llu bytes of memory: no machine has them",
				       (unsigned long long)need[i].bytes);
		p->slot[i] = (struct ay_slot){ .written = need[i].written,
					       .host = need[i].host,
					       .there = need[i].there,
					       .offset = *size,
					       .bytes = ay_slot_bytes(p->grain, need[i].bytes) };
		if (!need[i].there)
			*size += p->slot[i].bytes;
	}
	return 0;
}

static void place_slots(struct ay_pool *p)
{
	for (int i = 0; i < p->nslot; i++)
		p->slot[i].mem = p->slot[i].there ? NULL : p->mem[p->slot[i].written] + p->slot[i].offset;
}

int ay_pool_init_grain(struct ay_pool *p, uint64_t grain, int n, const struct ay_need *need, struct ay_err *err)
{
	AY_ASSERT(grain && grain % AY_PAGE == 0);
	*p = (struct ay_pool){ .id = ay_secret_u64(), .grain = grain, .fd = { -1, -1 }, .nslot = n };
	p->slot = ay_xrealloc(NULL, sizeof *p->slot * (size_t)(n ? n : 1));
	if (lay_out(p, n, need, err) || check_room(p->size[0] + p->size[1], err) ||
	    make_half(p, 0, p->size[0], err) || make_half(p, 1, p->size[1], err)) {
		ay_pool_release(p);
		return -1;
	}
	place_slots(p);
	return 0;
}

bool ay_memory_is_small(uint64_t bytes)
{
	enum { ALWAYS = 16 << 20, SHARE = 64 };

	return bytes <= ALWAYS || bytes <= ay_memory_available() / SHARE;
}

bool ay_pool_is_small(const struct ay_pool *p)
{
	return ay_memory_is_small(p->used[0] + p->used[1]);
}

static void release_half(struct ay_pool *p, int which)
{
	if (p->mem[which])
		munmap(p->mem[which], p->room[which]);
	if (p->slot && p->fd[which] >= 0)
		close(p->fd[which]);
	p->mem[which] = NULL;
	p->room[which] = p->used[which] = 0;
	p->fd[which] = -1;
}

/* Replaces those memfds of a roomy pool that are too small for q's slots by larger ones, so that
 * they need not be replaced again soon. Replaces all of them or none. */
static bool grow(struct ay_pool *p, const struct ay_pool *q)
{
	enum { ROOMY = 4 };
	struct ay_pool with = { .fd = { -1, -1 }, .slot = q->slot };
	struct ay_err ignored = { 0 };
	bool made = true;

	for (int i = 0; i < 2 && made; i++)
		if (q->size[i] > p->room[i])
			made = p->roomy && !make_half(&with, i, ROOMY * q->size[i], &ignored);
	for (int i = 0; i < 2; i++) {
		if (!made)
			release_half(&with, i);
		if (!with.room[i])
			continue;
		release_half(p, i);
		p->mem[i] = with.mem[i];
		p->room[i] = with.room[i];
		p->fd[i] = with.fd[i];
	}
	return made;
}

/* Returns true if too much of the pool would be idle with q's slots, or if there is no memory for
 * pages that were not touched so far. */
static bool is_unfit(const struct ay_pool *p, const struct ay_pool *q)
{
	uint64_t kept = 0, more = 0;
	struct ay_err ignored = { 0 };

	for (int i = 0; i < 2; i++) {
		const uint64_t used = q->size[i] > p->room[i] ? 0 : p->used[i];

		kept += used;
		more += q->size[i] > used ? q->size[i] - used : 0;
	}
	return (kept > 2 * (q->size[0] + q->size[1]) && !ay_memory_is_small(kept)) || check_room(more, &ignored);
}

bool ay_pool_recut(struct ay_pool *p, int n, const struct ay_need *need)
{
	struct ay_err ignored = { 0 };
	struct ay_pool q = { .grain = p->grain, .nslot = n };

	q.slot = ay_xrealloc(NULL, sizeof *q.slot * (size_t)(n ? n : 1));
	if (lay_out(&q, n, need, &ignored) || is_unfit(p, &q) || !grow(p, &q)) {
		ay_xfree(q.slot);
		return false;
	}
	ay_xfree(p->slot);
	p->id = ay_secret_u64();
	p->nslot = n;
	p->slot = q.slot;
	for (int i = 0; i < 2; i++) {
		p->size[i] = q.size[i];
		p->used[i] = q.size[i] > p->used[i] ? q.size[i] : p->used[i];
	}
	place_slots(p);
	return true;
}

int ay_pool_init_roomy(struct ay_pool *p, uint64_t grain, int n, const struct ay_need *need, struct ay_err *err)
{
	if (ay_pool_init_grain(p, grain, 0, NULL, err))
		return -1;
	p->roomy = true;
	if (ay_pool_recut(p, n, need))
		return 0;
	ay_pool_release(p);
	/* fails with a message that says what is missing */
	return ay_pool_init_grain(p, grain, n, need, err);
}

int ay_pool_init(struct ay_pool *p, int n, const struct ay_need *need, struct ay_err *err)
{
	return ay_pool_init_grain(p, AY_PAGE, n, need, err);
}

bool ay_pool_fits(const struct ay_pool *p, int n, const struct ay_need *need)
{
	if (!p->slot || n > p->nslot)
		return false;
	for (int i = 0; i < n; i++)
		if (p->slot[i].written != need[i].written || p->slot[i].host != need[i].host ||
		    p->slot[i].there != need[i].there ||
		    p->slot[i].bytes != ay_slot_bytes(p->grain, need[i].bytes))
			return false;
	return true;
}

void ay_pool_release(struct ay_pool *p)
{
	release_half(p, 0);
	release_half(p, 1);
	ay_xfree(p->slot);
	*p = (struct ay_pool){ .fd = { -1, -1 } };
}

uint64_t ay_place(uint64_t slot_bytes, uint64_t bytes, enum ay_place place)
{
	return ay_place_aligned(slot_bytes, bytes, place, AY_ALIGN);
}

uint64_t ay_place_aligned(uint64_t slot_bytes, uint64_t bytes, enum ay_place place, uint64_t align)
{
	uint64_t last;

	AY_ASSERT(bytes <= slot_bytes);
	last = (slot_bytes - bytes) /
	       align; /* Up to 63 bytes (511 on a GPU) stay between the end and the guard. */
	switch (place) {
	case AY_PLACE_START: return 0;
	case AY_PLACE_END: return last * align;
	case AY_PLACE_COLOUR: return ay_secret_below(last + 1) * align;
	}
	AY_BUG("no such placement: %d", (int)place);
}
