/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct pool pool;

void *pages_get(size_t bytes)
{
	void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void pages_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes ? bytes : 1);
}

static void pool_unmap(void)
{
	gpu_drop();
	if (pool.span)
		munmap(pool.span, pool.span_bytes);
	pages_free(pool.slot, pool.nslot * sizeof *pool.slot);
	pages_free(pool.base, pool.nslot * sizeof *pool.base);
	memset(&pool, 0, sizeof pool);
}

static int map_slot(uint32_t i, uint8_t *at, int fd)
{
	const struct ay_wire_slot *s = &pool.slot[i];
	int prot = PROT_READ | (s->written ? PROT_WRITE : 0);

	/* Populated now: otherwise page faults would be counted as time of the kernel's first
	 * call. */
	pool.base[i] = mmap(at, s->bytes, prot, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, (off_t)s->offset);
	return pool.base[i] == MAP_FAILED ? errno : 0;
}

/* Reserves one range without access and maps the slots into it, so that the memory between them
 * stays inaccessible. */
int pool_map(const struct ay_wire_slot *slot, uint32_t n, const int *fd, uint64_t where)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED_NOREPLACE : 0);
	size_t bytes = AY_WIRE_GUARD;
	uint8_t *at;
	int e = 0;

	pool_unmap();
	pool.nslot = n;
	pool.slot = pages_get(n * sizeof *slot);
	pool.base = pages_get(n * sizeof *pool.base);
	if (!pool.slot || !pool.base)
		return ENOMEM;
	memcpy(pool.slot, slot, n * sizeof *slot);
	for (uint32_t i = 0; i < n; i++) {
		pool.on_device += pool.slot[i].device == AY_WIRE_MAPPED;
		pool.late += pool.slot[i].device == AY_WIRE_LATE;
		bytes += pool.slot[i].device ? 0 : pool.slot[i].bytes + AY_WIRE_GUARD;
	}
	at = mmap((void *)(uintptr_t)where, bytes, PROT_NONE, flags, -1, 0);
	if (at == MAP_FAILED)
		return errno;
	pool.span = at;
	pool.span_bytes = bytes;
	for (uint32_t i = 0; i < n && !e; i++) {
		if (pool.slot[i].device == AY_WIRE_LATE)
			e = page->cuda && !gpu_reserve(i) ? 0 : ENOMEM;
		if (pool.slot[i].device)
			continue;
		if (!fd)
			return EPROTO;
		at += AY_WIRE_GUARD;
		e = map_slot(i, at, fd[pool.slot[i].written]);
		at += pool.slot[i].bytes;
	}
	return e;
}

/* --- scratch --------------------------------------------------------------------------------------------- */

/* The address space for the maximum of scratch is reserved once; the system provides pages when
 * they are touched. Kernels may request scratch from several threads. */
static struct {
	void *map;
	uint8_t *mem; /* within map, at a multiple of HUGE */
	size_t max, used, most;
	bool refused;
} scratch;

enum { KEEP = 1 << 20, HUGE = 2 << 20 };

int scratch_limit(size_t max)
{
	if (max == scratch.max)
		return 0;
	if (scratch.mem)
		munmap(scratch.map, scratch.max + HUGE);
	memset(&scratch, 0, sizeof scratch);
	if (!max)
		return 0;
	scratch.map = mmap(NULL, max + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			   -1, 0);
	if (scratch.map == MAP_FAILED)
		return errno;
	/* Use huge pages: otherwise the choice of pages would decide how well scratch fits the
	 * caches for the life of the process. Two processes that sort the same data differed by up
	 * to 5 %. A huge page must begin at a multiple of its size. */
	scratch.mem = (uint8_t *)(((uintptr_t)scratch.map + HUGE - 1) / HUGE * HUGE);
	madvise(scratch.mem, max, MADV_HUGEPAGE);
	scratch.max = max;
	return 0;
}

void *scratch_get(const ay_ctx *ctx, size_t bytes)
{
	size_t need = (bytes + 63) / 64 * 64, at;

	(void)ctx;
	if (bytes > scratch.max || !scratch.mem) {
		scratch.refused = true;
		return NULL;
	}
	at = __atomic_fetch_add(&scratch.used, need ? need : 64, __ATOMIC_RELAXED);
	if (at > scratch.max || need > scratch.max - at) {
		scratch.refused = true;
		return NULL;
	}
	return scratch.mem + at;
}

bool scratch_reset(void)
{
	bool was = scratch.refused;

	if (scratch.used > scratch.most)
		scratch.most = scratch.used;
	scratch.used = 0;
	scratch.refused = false;
	return was;
}

void scratch_trim(void)
{
	if (scratch.most > KEEP && scratch.mem)
		madvise(scratch.mem, scratch.max, MADV_DONTNEED);
	scratch.most = 0;
}
