/* SPDX-License-Identifier: Apache-2.0
 *
 * The executor's GPU: the primary context, which kernels that use the runtime get too, and memory that the judge lends.
 *
 * Each slot lies in an address range of its own, with ranges on both sides that are not mapped; inputs are mapped for
 * reading. That is for mistakes: whoever wants to write to an input maps its handle again, and the judge finds out by
 * comparing.
 */
#include "inside.h"

#include "device/cuda.h"

#include <stdint.h>
#include <string.h>

enum { PIECES = 256 /* of scratch in one call */ };

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

int gpu_lend(uint32_t i, int fd)
{
	const struct ay_wire_slot *s = &pool.slot[i];
	const int access = s->written ? AY_CU_READ_WRITE : AY_CU_READ;
	ay_cu_memory m;
	ay_cu_ptr at = 0;
	int e;

	gpu.cu.context_set(gpu.context); /* the kernel may have changed it */
	e = gpu.cu.memory_import(&m, (void *)(intptr_t)fd, AY_CU_HANDLE_FD);
	if (e)
		return e;
	e = ay_cuda_map(&gpu.cu, gpu.device, m, s->bytes + 2 * s->offset, AY_WIRE_GUARD_DEVICE, access, &at);
	gpu.cu.memory_release(m); /* the mapping holds it */
	if (e)
		return e;
	pool.base[i] = (uint8_t *)(uintptr_t)(at + s->offset);
	pool.lent++;
	return 0;
}

void gpu_drop(void)
{
	for (uint32_t i = 0; i < pool.nslot; i++) {
		const struct ay_wire_slot *s = &pool.slot[i];

		if (s->device && pool.base[i])
			ay_cuda_unmap(&gpu.cu, (ay_cu_ptr)(uintptr_t)pool.base[i] - s->offset,
				      s->bytes + 2 * s->offset, AY_WIRE_GUARD_DEVICE);
	}
	pool.lent = pool.on_device = 0;
}

/* In the order of the stream: freed for the next call when the work of this one is done. */
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

int gpu_sync(void)
{
	gpu.cu.context_set(gpu.context);
	return gpu.cu.context_sync();
}
