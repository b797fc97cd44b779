/* SPDX-License-Identifier: Apache-2.0 */
#include "device/dev_mem.h"

#include "base/process.h"
#include "device/device_internal.h"

#include <string.h>
#include <unistd.h>

enum {
	IDLE_S = 10,     /* the empty kernel must return within this time */
	PIECE = 4 << 20, /* bytes of a large read that are in flight together */
	LARGE = 1 << 20, /* the least bytes of a large read: below, the driver's copy is as fast */
};

int ay_dev_mem_alloc(struct ay_dev *d, uint64_t bytes, bool shared, struct ay_dev_mem *l, struct ay_err *err)
{
	struct gpu *g = ay_gpu_of(d);
	const struct ay_cu_prop prop = ay_gpu_memory_kind(g);
	ay_cu_ptr at = 0;
	int e;

	*l = (struct ay_dev_mem){ .fd = -1 };
	g->cu.context_set(g->context);
	e = g->cu.memory_create(&l->memory, bytes, &prop, 0);
	if (e)
		return ay_gpu_fail(g, e, "no device memory to share", err);
	e = ay_cuda_map(&g->cu, g->device, l->memory, bytes, 0, AY_CU_READ_WRITE, &at);
	if (e) {
		g->cu.memory_release(l->memory);
		return ay_gpu_fail(g, e, "memory of the device cannot be mapped", err);
	}
	l->at = at;
	l->bytes = bytes;
	e = shared ? g->cu.memory_export(&l->fd, l->memory, AY_CU_HANDLE_FD, 0) : 0;
	if (!e)
		return 0;
	l->fd = -1;
	ay_dev_mem_free(d, l);
	return ay_gpu_fail(g, e, "device memory cannot be shared", err);
}

void ay_dev_mem_free(struct ay_dev *d, struct ay_dev_mem *l)
{
	struct gpu *g = ay_gpu_of(d);

	if (!l->bytes)
		return;
	g->cu.context_set(g->context);
	if (l->fd >= 0)
		close(l->fd);
	ay_cuda_unmap(&g->cu, l->at, l->bytes, 0);
	g->cu.memory_release(l->memory);
	*l = (struct ay_dev_mem){ .fd = -1 };
}

int ay_dev_write(struct ay_dev *d, uint64_t at, const void *from, uint64_t bytes, struct ay_err *err)
{
	struct gpu *g = ay_gpu_of(d);
	int e;

	g->cu.context_set(g->context);
	e = bytes ? g->cu.copy_in(at, from, bytes) : 0;
	if (!e)
		/* a small copy from pageable memory may still be in flight */
		e = g->cu.context_sync();
	return e ? ay_gpu_fail(g, e, "memory of the device cannot be written", err) : 0;
}

/* --- large reads ----------------------------------------------------------------------------------------- */

static bool ready_to_bring(const struct gpu *g)
{
	struct gpu_stage *s = g->stage;
	int e = 0;

	if (s->mem || s->refused)
		return s->mem;
	for (int i = 0; i < 2 && !e; i++)
		e = s->stream[i] ? 0 : g->cu.stream_create(&s->stream[i], AY_CU_STREAM_NON_BLOCKING);
	s->refused = e || g->cu.host_alloc((void **)&s->mem, 2ul * PIECE);
	if (s->refused)
		s->mem = NULL;
	return s->mem;
}

/* The driver copies to memory that is not pinned in pieces, one after the other: 5 GB/s were seen.
 * Here the next piece is on the bus while this piece is copied out of the pinned memory. */
int ay_gpu_bring(const struct gpu *g, ay_cu_ptr at, uint8_t *to, uint64_t n)
{
	const struct gpu_stage *s = g->stage;
	const uint64_t pieces = (n + PIECE - 1) / PIECE;
	int e = 0;

	if (n < LARGE || !ready_to_bring(g))
		return n ? g->cu.copy_out(to, at, n) : 0;
	for (uint64_t i = 0; i <= pieces && !e; i++) {
		const uint64_t from = i * PIECE, last = from - PIECE, left = n - last;

		if (i < pieces)
			e = g->cu.copy_out_async(s->mem + i % 2 * PIECE, at + from,
						 n - from < PIECE ? n - from : PIECE, s->stream[i % 2]);
		if (!i || e)
			continue;
		e = g->cu.stream_sync(s->stream[(i - 1) % 2]);
		if (!e)
			memcpy(to + last, s->mem + (i - 1) % 2 * PIECE, left < PIECE ? left : PIECE);
	}
	if (e) /* no copy may still write there when the memory is used again */
		for (int i = 0; i < 2; i++)
			g->cu.stream_sync(s->stream[i]);
	return e;
}

/* --- probes ---------------------------------------------------------------------------------------------- */

/* Makes a stream and pinned memory, so that copies wait neither for the driver's helper threads nor
 * for the default stream. */
static int ready_for_looks(struct gpu *g)
{
	int e = 0;

	if (!g->probes)
		e = g->cu.host_alloc((void **)&g->probes, AY_PROBE_MAX * AY_PROBE_BYTES);
	if (!e && !g->stream)
		e = g->cu.stream_create(&g->stream, AY_CU_STREAM_NON_BLOCKING);
	return e;
}

static int order_probe(struct gpu *g, const struct ay_dev_probe_place *l, uint8_t *to)
{
	const struct ay_cu_copy_2d c = { .from_type = AY_CU_TYPE_DEVICE,
					 .from_device = l->at,
					 .from_pitch = l->rows > 1 ? l->pitch : l->width,
					 .to_type = AY_CU_TYPE_HOST,
					 .to_host = to,
					 .to_pitch = l->width,
					 .width = l->width,
					 .height = l->rows };

	AY_ASSERT(l->width * l->rows <= AY_PROBE_BYTES);
	return g->cu.copy_2d_async(&c, g->stream);
}

int ay_dev_probe(struct ay_dev *d, int n, struct ay_dev_probe_place *l, struct ay_err *err)
{
	struct gpu *g = ay_gpu_of(d);
	int e;

	AY_ASSERT(n <= AY_PROBE_MAX);
	g->cu.context_set(g->context);
	e = ready_for_looks(g);
	for (int i = 0; i < n && !e; i++)
		e = order_probe(g, &l[i], g->probes + (ptrdiff_t)i * AY_PROBE_BYTES);
	if (!e)
		e = g->cu.stream_sync(g->stream);
	for (int i = 0; i < n && !e; i++)
		memcpy(l[i].found, g->probes + (ptrdiff_t)i * AY_PROBE_BYTES, (size_t)l[i].width * l[i].rows);
	return e ? ay_gpu_fail(g, e, "memory of the device cannot be read", err) : 0;
}

/* Polls instead of sleeping: waking up takes longer than the kernel. */
int ay_dev_idle(struct ay_dev *d, double *ns, struct ay_err *err)
{
	struct gpu *g = ay_gpu_of(d);
	const int64_t begin = ay_now_ns(), deadline = begin + IDLE_S * 1000000000ll;
	int e;

	g->cu.context_set(g->context);
	e = ay_gpu_launch_check(g, 0);
	while (!e && (e = g->cu.stream_query(NULL)) == AY_CU_NOT_READY && ay_now_ns() < deadline)
		e = 0;
	*ns = (double)(ay_now_ns() - begin);
	return e ? ay_gpu_fail(g, e, "the GPU does not run the judge's own kernel", err) : 0;
}

void ay_dev_reset_cache(struct ay_dev *d)
{
	struct gpu *g = ay_gpu_of(d);

	g->cu.context_set(g->context);
	g->cu.reset_l2(); /* fails if no lines can persist on this device, which does no harm */
}
