/* SPDX-License-Identifier: Apache-2.0
 *
 * The executor's GPU: the primary context, which kernels that use CUDA's runtime get too, and
 * memory that the judge has allocated.
 *
 * Each slot lies in an address range of its own with unmapped ranges on both sides; inputs are
 * mapped for reading. That catches mistakes only: a hostile kernel can map an input's handle again
 * for writing. The judge detects that by comparing inputs afterwards.
 */
#include "runtime.h"

#include "device/cuda.h"

#include <stdint.h>
#include <string.h>

enum { PIECES = 256 /* pieces of scratch in one call */ };

static struct {
	struct ay_cuda cu;
	int device;
	void *context, *stream;
	size_t scratch_max, scratch_used;
	ay_cu_ptr piece[PIECES];
	uint32_t npiece;
	bool refused;
} gpu;

int gpu_open(void)
{
	struct ay_cu_uuid want;
	char why[200];
	int e;

	memcpy(&want, page->uuid, sizeof want);
	if (ay_cuda_open(&gpu.cu, why, sizeof why))
		return -1;
	e = gpu.cu.init(0);
	if (e)
		return e;
	gpu.device = ay_cuda_find(&gpu.cu, &want);
	if (gpu.device < 0)
		return AY_CU_NO_DEVICE;
	if ((e = gpu.cu.context_retain(&gpu.context, gpu.device)) || (e = gpu.cu.context_set(gpu.context)))
		return e;
	return gpu.cu.stream_create(&gpu.stream, AY_CU_STREAM_BLOCKING);
}

int gpu_map(int fd, uint64_t bytes, bool written, uint64_t *at)
{
	const int access = written ? AY_CU_READ_WRITE : AY_CU_READ;
	ay_cu_memory m;
	int e;

	gpu.cu.context_set(gpu.context); /* the kernel may have changed it */
	e = gpu.cu.memory_import(&m, (void *)(intptr_t)fd, AY_CU_HANDLE_FD);
	if (e)
		return e;
	e = ay_cuda_map(&gpu.cu, gpu.device, m, bytes, AY_WIRE_GUARD_DEVICE, access, at);
	gpu.cu.memory_release(m); /* the mapping keeps it alive */
	return e;
}

void gpu_unmap(uint64_t at, uint64_t bytes)
{
	ay_cuda_unmap(&gpu.cu, at, bytes, AY_WIRE_GUARD_DEVICE);
}

int gpu_take(uint64_t bytes, uint64_t *at)
{
	int e = gpu.cu.memory_alloc(at, bytes);

	if (e != AY_CU_NO_CONTEXT)
		return e;
	gpu.cu.context_set(gpu.context); /* a thread without a context */
	return gpu.cu.memory_alloc(at, bytes);
}

void gpu_give(uint64_t at)
{
	if (gpu.cu.memory_free(at) != AY_CU_NO_CONTEXT)
		return;
	gpu.cu.context_set(gpu.context);
	gpu.cu.memory_free(at);
}

int gpu_fill(uint64_t at, uint8_t byte, uint64_t bytes, void *stream)
{
	int e = gpu.cu.fill_async(at, byte, bytes, stream);

	if (e != AY_CU_NO_CONTEXT)
		return e;
	gpu.cu.context_set(gpu.context);
	return gpu.cu.fill_async(at, byte, bytes, stream);
}

int gpu_map_slot(uint32_t i, int fd)
{
	const struct ay_wire_slot *s = &pool.slot[i];
	uint64_t at = 0;
	int e = gpu_map(fd, s->bytes + 2 * s->offset, s->written, &at);

	if (e)
		return e;
	pool.base[i] = (uint8_t *)(uintptr_t)(at + s->offset);
	pool.mapped++;
	return 0;
}

/* --- memory that comes with an order --- */

static struct part {
	ay_cu_ptr at;
	uint64_t bytes; /* 0: not mapped */
} late[AY_WIRE_FDS];

int gpu_reserve(uint32_t i)
{
	ay_cu_ptr at = 0;
	int e = gpu.cu.reserve(&at, pool.slot[i].bytes + 2 * AY_WIRE_GUARD_DEVICE, 0, 0, 0);

	if (!e)
		pool.base[i] = (uint8_t *)(uintptr_t)(at + AY_WIRE_GUARD_DEVICE);
	return e;
}

static int map_part(uint32_t i, struct ay_wire_part p, int fd, struct part *l)
{
	const struct ay_cu_access to = { { AY_CU_ON_DEVICE, gpu.device },
					 pool.slot[i].written ? AY_CU_READ_WRITE : AY_CU_READ };
	const ay_cu_ptr at = (ay_cu_ptr)(uintptr_t)pool.base[i] + p.offset;
	ay_cu_memory m;
	int e = gpu.cu.memory_import(&m, (void *)(intptr_t)fd, AY_CU_HANDLE_FD);

	if (e)
		return e;
	e = gpu.cu.map(at, p.bytes, 0, m, 0);
	gpu.cu.memory_release(m); /* the mapping keeps it alive */
	if (e)
		return e;
	*l = (struct part){ at, p.bytes };
	return gpu.cu.access(at, p.bytes, &to, 1);
}

int gpu_map_parts(const struct ay_wire_part *part, const int *fd)
{
	uint32_t n = 0;
	int e = 0;

	gpu_drop_parts();
	for (uint32_t i = 0; i < pool.nslot && !e; i++) {
		struct ay_wire_part p;

		if (pool.slot[i].device != AY_WIRE_LATE)
			continue;
		memcpy(&p, part + n, sizeof p);
		e = map_part(i, p, fd[n], &late[n]);
		n++;
	}
	page->mapped_ns = (uint64_t)now_ns();
	return e;
}

void gpu_drop_parts(void)
{
	gpu.cu.context_set(gpu.context); /* the kernel may have changed it */
	for (uint32_t n = 0; n < AY_WIRE_FDS; n++) {
		if (late[n].bytes)
			gpu.cu.unmap(late[n].at, late[n].bytes);
		late[n].bytes = 0;
	}
}

void gpu_drop(void)
{
	if (pool.late)
		gpu_drop_parts();
	for (uint32_t i = 0; i < pool.nslot; i++) {
		const struct ay_wire_slot *s = &pool.slot[i];
		const ay_cu_ptr at = (ay_cu_ptr)(uintptr_t)pool.base[i];

		if (s->device == AY_WIRE_MAPPED && at)
			gpu_unmap(at - s->offset, s->bytes + 2 * s->offset);
		if (s->device == AY_WIRE_LATE && at)
			gpu.cu.unreserve(at - AY_WIRE_GUARD_DEVICE, s->bytes + 2 * AY_WIRE_GUARD_DEVICE);
	}
	pool.mapped = pool.on_device = pool.late = 0;
}

/* --- kernels of our own --- */

/* Two kernels. `nothing` returns at once; `busy` reads the device's clock until `ns` nanoseconds
 * have passed. */
static const char own_ptx[] = ".version 6.4\n.target sm_60\n.address_size 64\n"
			      ".visible .entry nothing()\n{\n\tret;\n}\n"
			      ".visible .entry busy(.param .u64 ns)\n{\n"
			      "\t.reg .u64 %a, %b, %n;\n\t.reg .pred %p;\n"
			      "\tld.param.u64 %n, [ns];\n\tmov.u64 %a, %globaltimer;\n"
			      "again:\n\tmov.u64 %b, %globaltimer;\n\tsub.u64 %b, %b, %a;\n"
			      "\tsetp.lt.u64 %p, %b, %n;\n\t@%p bra again;\n\tret;\n}\n";

static struct {
	void *nothing, *busy;
} own;

static int load_own(void)
{
	void *module;
	int e = 0;

	if (!own.busy && !(e = gpu.cu.module_load(&module, own_ptx)) &&
	    !(e = gpu.cu.module_function(&own.nothing, module, "nothing")))
		e = gpu.cu.module_function(&own.busy, module, "busy");
	return e;
}

int gpu_nothing(void)
{
	const int e = load_own();

	return e ? e : gpu.cu.launch(own.nothing, 1, 1, 1, 1, 1, 1, 0, gpu.stream, NULL, NULL);
}

int gpu_busy(uint64_t ns)
{
	void *args[] = { &ns };
	int e = load_own();

	if (e)
		return e;
	gpu_clock();
	e = gpu.cu.launch(own.busy, 1, 1, 1, 1, 1, 1, 0, gpu.stream, args, NULL);
	return e ? e : gpu_sync();
}

/* Allocates scratch in the order of the stream. It is freed for the next call when this call's work
 * is done. */
static void *scratch(const ay_ctx *ctx, size_t bytes)
{
	uint32_t at = __atomic_fetch_add(&gpu.npiece, 1, __ATOMIC_RELAXED);
	size_t used = __atomic_add_fetch(&gpu.scratch_used, bytes, __ATOMIC_RELAXED);
	ay_cu_ptr p = 0;

	if (at >= PIECES || used > gpu.scratch_max || used < bytes ||
	    gpu.cu.alloc_async(&p, bytes ? bytes : 1, ctx->stream)) {
		gpu.refused = true;
		return NULL;
	}
	gpu.piece[at] = p;
	return (void *)(uintptr_t)p;
}

bool gpu_scratch_reset(void)
{
	const bool was = gpu.refused;

	for (uint32_t i = 0; i < PIECES && i < gpu.npiece; i++) {
		if (gpu.piece[i])
			gpu.cu.free_async(gpu.piece[i], gpu.stream);
		gpu.piece[i] = 0;
	}
	gpu.npiece = 0;
	gpu.scratch_used = 0;
	gpu.refused = false;
	return was;
}

void gpu_context(ay_ctx *ctx, size_t scratch_max)
{
	gpu.cu.context_set(gpu.context);
	gpu.scratch_max = scratch_max;
	ctx->device = (ay_device){ AY_CUDA, gpu.device };
	ctx->stream = gpu.stream;
	ctx->scratch = scratch;
}

static struct {
	void *from, *to;
	bool runs;
} events;

static bool has_events(void)
{
	return events.to || (!gpu.cu.event_create(&events.from, 0) && !gpu.cu.event_create(&events.to, 0));
}

void gpu_clock(void)
{
	gpu.cu.context_set(gpu.context);
	events.runs = has_events() && !gpu.cu.event_record(events.from, gpu.stream);
}

int gpu_sync(void)
{
	float ms = 0;
	bool timed;
	int e;

	gpu.cu.context_set(gpu.context);
	timed = events.runs && !gpu.cu.event_record(events.to, gpu.stream);
	events.runs = false;
	e = gpu.cu.context_sync();
	if (!e && timed && !gpu.cu.event_elapsed(&ms, events.from, events.to) && ms > 0)
		page->claimed_ns = (uint64_t)((double)ms * 1e6);
	return e;
}
