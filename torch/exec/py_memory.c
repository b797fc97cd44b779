/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the GPU for torch. Blocks come from the range that the judge gave (heap.h), so that the
 * judge can read what functions return. What does not fit comes from the driver and is cached
 * (block_cache.h); so does everything before the judge gives a range.
 *
 * Untimed calls get blocks full of poison, so that what is never written shows. Timed calls get a
 * block as it is: free memory was poisoned before, while no clock ran.
 */
#include "py_executor.h"

#include "heap.h"
#include "block_cache.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

enum { OLD = 16 /* earlier heaps that still have blocks in use */ };

static struct {
	pthread_mutex_t lock;
	struct heap h; /* bytes is 0: there is none */
	struct spare spare;
	struct {
		uint64_t at, bytes, used;
	} old[OLD];
	int nold;
	int poison;          /* byte of blocks that are handed out; -1: unchanged */
	int clean;           /* byte in all free memory; -1: not known */
	int captures, pools; /* captures that are running, and pools of graphs in this memory */
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER, .poison = -1, .clean = -1 };

/* --- what torch calls ---------------------------------------------------------------------------------------- */

/* Fails as torch does. torch would use NULL as an address, so its way to fail is a C++ exception,
 * thrown by this function of torch. The exception passes through the caller, which holds no
 * lock. */
static void *out_of_memory(uint64_t bytes)
{
	static void (*fail)(const char *function, const char *file, uint32_t line, const char *text);
	void *library = fail ? NULL : dlopen("libc10.so", RTLD_NOW | RTLD_NOLOAD);
	char text[100];

	if (library) {
		void *f = dlsym(library, "_ZN3c106detail14torchCheckFailEPKcS2_jS2_");

		memcpy(&fail, &f, sizeof f);
	}
	snprintf(text, sizeof text, "CUDA out of memory. Tried to allocate %llu bytes.",
		 (unsigned long long)bytes);
	if (fail)
		fail(__func__, "py_memory.c", __LINE__, text);
	return NULL;
}

static void drop_spare(void)
{
	uint64_t p;

	do {
		pthread_mutex_lock(&memory.lock);
		p = spare_drop(&memory.spare);
		pthread_mutex_unlock(&memory.lock);
		if (p)
			gpu_give(p);
	} while (p);
}

static int take_from_driver(uint64_t bytes, void *stream, bool recorded, uint64_t *p)
{
	if (gpu_take(bytes, p)) {
		drop_spare();
		if (gpu_take(bytes, p))
			return -1;
	}
	pthread_mutex_lock(&memory.lock);
	if (!recorded) /* a graph uses its memory again, so that is not cached */
		spare_add(&memory.spare, *p, bytes, stream);
	pthread_mutex_unlock(&memory.lock);
	return 0;
}

static void *take(ssize_t size, int device, void *stream)
{
	const uint64_t bytes = size > 0 ? (uint64_t)size : 0;
	uint64_t p = 0;
	bool recorded;
	int poison;

	(void)device;
	if (!bytes)
		return NULL;
	pthread_mutex_lock(&memory.lock);
	recorded = memory.captures;
	if (memory.h.bytes)
		p = heap_take(&memory.h, bytes, stream, recorded ? HEAP_KEPT : 0);
	if (!p && !recorded)
		p = spare_take(&memory.spare, bytes, stream);
	/* a graph would repeat the fill with the kernel's own work */
	poison = recorded ? -1 : memory.poison;
	pthread_mutex_unlock(&memory.lock);
	if (!p && take_from_driver(bytes, stream, recorded, &p))
		return out_of_memory(bytes);
	if (poison >= 0)
		gpu_fill(p, (uint8_t)poison, bytes, stream);
	return (void *)(uintptr_t)p;
}

static bool give_old(uint64_t p)
{
	for (int i = 0; i < memory.nold; i++) {
		if (p - memory.old[i].at >= memory.old[i].bytes)
			continue;
		memory.old[i].used--;
		return true;
	}
	return false;
}

static void give(void *at, ssize_t size, int device, void *stream)
{
	const uint64_t p = (uintptr_t)at;
	bool ours;

	(void)size, (void)device, (void)stream;
	pthread_mutex_lock(&memory.lock);
	ours = p - memory.h.at < memory.h.bytes;
	if (ours)
		heap_give(&memory.h, p);
	else
		ours = give_old(p) || spare_give(&memory.spare, p);
	pthread_mutex_unlock(&memory.lock);
	if (!ours)
		gpu_give(p); /* waits until no work uses it */
}

static void record(void *at, void *stream)
{
	pthread_mutex_lock(&memory.lock);
	heap_share(&memory.h, (uintptr_t)at, stream);
	spare_share(&memory.spare, (uintptr_t)at, stream);
	pthread_mutex_unlock(&memory.lock);
}

/* torch's name of a pool, as torch passes it. */
struct pool_id {
	uint64_t a, b;
};

static void count(int *what, int by)
{
	pthread_mutex_lock(&memory.lock);
	*what += by;
	pthread_mutex_unlock(&memory.lock);
}

/* filter: a std::function, passed as the address of one. */
static void begin_pool(int device, struct pool_id id, void *filter)
{
	(void)device, (void)id, (void)filter;
	count(&memory.captures, 1);
	count(&memory.pools, 1);
}

static void end_pool(int device, struct pool_id id)
{
	(void)device, (void)id;
	count(&memory.captures, -1);
}

static void release_pool(int device, struct pool_id id)
{
	(void)device, (void)id;
	count(&memory.pools, -1);
}

PyObject *memory_functions(void)
{
	return Py_BuildValue("KKKKKK", (unsigned long long)(uintptr_t)take, (unsigned long long)(uintptr_t)give,
			     (unsigned long long)(uintptr_t)record, (unsigned long long)(uintptr_t)begin_pool,
			     (unsigned long long)(uintptr_t)end_pool, (unsigned long long)(uintptr_t)release_pool);
}

PyObject *memory_used(PyObject *self, PyObject *args)
{
	(void)self, (void)args;
	return Py_BuildValue("KK", (unsigned long long)memory.h.taken, (unsigned long long)memory.h.most);
}

/* --- what the executor calls --------------------------------------------------------------------------------- */

static void drop_old(void)
{
	for (int i = memory.nold - 1; i >= 0; i--) {
		if (memory.old[i].used)
			continue;
		gpu_unmap(memory.old[i].at, memory.old[i].bytes);
		memory.old[i] = memory.old[--memory.nold];
	}
}

/* Moves the present heap to the old ones. */
static void retire(void)
{
	const struct heap *h = &memory.h;
	uint64_t used = 0;

	for (uint32_t b = 0; b < h->n; b += h->block[b].n)
		used += h->block[b].state == HEAP_TAKEN || (memory.pools && h->block[b].flags & HEAP_KEPT);
	memory.old[memory.nold].at = h->at;
	memory.old[memory.nold].bytes = h->bytes;
	memory.old[memory.nold++].used = used;
	pages_free(h->block, heap_table_bytes(h->bytes));
	drop_old();
}

int memory_open(uint64_t at, uint64_t bytes)
{
	void *table = memory.nold < OLD ? pages_get(heap_table_bytes(bytes)) : NULL;

	if (!table) {
		gpu_unmap(at, bytes);
		return ENOMEM;
	}
	pthread_mutex_lock(&memory.lock);
	if (memory.h.bytes)
		retire();
	heap_open(&memory.h, at, bytes, table);
	memory.clean = -1;
	pthread_mutex_unlock(&memory.lock);
	drop_spare();
	return 0;
}

void memory_poison(int byte)
{
	memory.poison = byte;
}

void memory_settle(void)
{
	pthread_mutex_lock(&memory.lock);
	if (memory.h.bytes)
		heap_settle(&memory.h, memory.pools > 0);
	drop_old();
	pthread_mutex_unlock(&memory.lock);
}

/* Fills free memory on the default stream and waits, so the kernel's streams need not be ordered
 * with it. */
void memory_clean(uint8_t byte)
{
	uint64_t p, bytes;
	uint32_t from = 0;

	memory_settle();
	pthread_mutex_lock(&memory.lock);
	if (memory.clean != byte)
		memory.h.touched = memory.h.n;
	while (memory.h.bytes && heap_next_dirty(&memory.h, &from, &p, &bytes))
		gpu_fill(p, byte, bytes, NULL);
	if (memory.h.bytes)
		heap_clean(&memory.h);
	memory.clean = byte;
	pthread_mutex_unlock(&memory.lock);
	gpu_sync();
}

void memory_place(struct ay_wire_result *r)
{
	static uint32_t last; /* the slot found last: sets come in order */
	const uint64_t p = r->data;

	r->where = AY_WIRE_COPIED;
	r->slot = 0;
	if (p - memory.h.at < memory.h.bytes) {
		r->where = AY_WIRE_IN_HEAP;
		r->data = p - memory.h.at;
		return;
	}
	for (uint32_t k = 0; k < pool.nslot; k++) {
		const uint32_t i = (last + k) % pool.nslot;
		const uint64_t base = (uintptr_t)pool.base[i];

		if (!pool.slot[i].device || p - base >= pool.slot[i].bytes)
			continue;
		last = i;
		r->where = AY_WIRE_IN_SLOT;
		r->slot = i;
		r->data = p - base;
		return;
	}
}
