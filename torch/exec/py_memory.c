/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the GPU for torch: blocks of the stretch that the judge lent (heap.h), so that he can read what functions
 * return. What does not fit, and all there is before he lent any, the driver gives, and is kept (block_cache.h).
 *
 * Calls that are not timed get blocks full of poison, so that what is never written shows. In timed ones a block is handed
 * out as it lies: what is free was poisoned before, while no clock ran.
 */
#include "py_executor.h"

#include "heap.h"
#include "block_cache.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

enum { OLD = 16 /* stretches that have had their day, but still have blocks that are in use */ };

static struct {
	pthread_mutex_t lock;
	struct heap h; /* bytes is 0: there is none yet */
	struct spare spare;
	struct {
		uint64_t at, bytes, used;
	} old[OLD];
	int nold;
	int poison;          /* of blocks that are handed out; -1: none */
	int clean;           /* what is free holds this byte; -1: not known */
	int captures, pools; /* of graphs: recordings that go on, and what they have of our memory */
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER, .poison = -1, .clean = -1 };

/* --- what torch calls ---------------------------------------------------------------------------------------- */

/* torch takes NULL for an address. Its own way to fail is an exception of C++, which this function of it throws: through
 * us, who hold no lock. */
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
	if (!recorded) /* by a graph, which comes back to it */
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
	poison = recorded ? -1 : memory.poison; /* a recording would repeat it with the kernel's own work */
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
		gpu_give(p); /* waits until nobody is at work there */
}

static void record(void *at, void *stream)
{
	pthread_mutex_lock(&memory.lock);
	heap_share(&memory.h, (uintptr_t)at, stream);
	spare_share(&memory.spare, (uintptr_t)at, stream);
	pthread_mutex_unlock(&memory.lock);
}

/* A pool's name, as torch hands it over. */
struct pool_id {
	uint64_t a, b;
};

static void count(int *what, int by)
{
	pthread_mutex_lock(&memory.lock);
	*what += by;
	pthread_mutex_unlock(&memory.lock);
}

/* filter: a std::function, which comes as the address of one. */
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

/* The stretch that we have goes to the old ones. */
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

/* On the default stream, and done when this returns: the kernel's streams need not be ordered with it. */
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
	static uint32_t last; /* where the last one was found: sets come in their order */
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
