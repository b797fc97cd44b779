/* SPDX-License-Identifier: Apache-2.0 */
#include "device/make.h"

#include "base/process.h"
#include "device/cuda.h"
#include "device/gpu.h"
#include "device/rtc.h"

#include <string.h>
#include <time.h>

enum {
	BLOCK_THREADS = 256,    /* as in make.cu */
	BLOCKS_A_SM = 3 * 8,    /* three are there at once; more, so that none is long in the lead */
	SPIN_NS = 2000000,      /* most launches are over in that */
	NAP_NS = 50000,         /* then there is time */
	WAIT_S = 60,            /* a device that has done nothing for so long hangs */
	BYTES_BITS = 38,        /* a stretch has fewer than 2^32 lines */
	LIST_GRAIN = 256 << 10, /* of the list's memory on the device */
};

extern const char ay_embedded_cuda[];

/* --- what is asked for ----------------------------------------------------------------------------------- */

enum ay_lane_kind ay_lane_kind(enum ay_dt dt)
{
	switch (ay_dt_component(dt)) {
	case AY_DT_F16: return AY_LANES_F16;
	case AY_DT_BF16: return AY_LANES_BF16;
	case AY_DT_F32: return AY_LANES_F32;
	case AY_DT_F64: return AY_LANES_F64;
	default: return AY_LANES_NONE;
	}
}

/* What is wrong with a stretch; NULL if nothing is. A bad address would cost the device its context. */
static const char *fault_of(const struct ay_make *m)
{
	const bool poison = m->how == AY_MAKE_POISON, mix = m->how == AY_MAKE_MIX;
	const enum ay_lane_kind kind = m->dt < AY_DT_COUNT ? ay_lane_kind(m->dt) : AY_LANES_NONE;
	const uint64_t elements = m->bytes / ay_lanes_of(kind).bytes;

	if (m->how > AY_MAKE_TOUCH)
		return "there is no such way";
	if (m->bytes >> BYTES_BITS)
		return "it is too large";
	if (!m->bytes)
		return NULL;
	if (!m->to || (!poison && !m->from) || (mix && !m->noise))
		return "an address is missing";
	if (!poison && (m->to % AY_LINE || m->from % AY_UNIT || m->noise % AY_UNIT))
		return "an address is not aligned";
	if ((mix || m->how == AY_MAKE_TOUCH) && (kind == AY_LANES_NONE || m->bytes % ay_lanes_of(kind).bytes))
		return "its elements have no significands";
	if (m->nhard && (!mix || m->hard > elements || m->nhard > elements - m->hard))
		return "the hard elements are not in it";
	return NULL;
}

/* The list as devices read it: the stretches, then the first chunk of each, and how many there are. */
struct list {
	struct ay_make *m;
	uint64_t *first;
	size_t bytes;
	uint32_t n;
};

static int list_init(struct list *l, const struct ay_make *m, int n, struct ay_err *err)
{
	*l = (struct list){ .n = (uint32_t)n,
			    .bytes = sizeof *m * (size_t)n + sizeof *l->first * ((size_t)n + 1) };
	l->m = ay_xrealloc(NULL, l->bytes);
	l->first = (uint64_t *)(l->m + n);
	l->first[0] = 0;
	for (int i = 0; i < n; i++) {
		const char *fault = fault_of(&m[i]);

		if (fault) {
			ay_xfree(l->m);
			return ay_fail(err, AY_ERR_SYS, "content cannot be made: stretch %d of %d: %s", i, n,
				       fault);
		}
		l->m[i] = m[i];
		l->m[i].dt = m[i].how == AY_MAKE_MIX || m[i].how == AY_MAKE_TOUCH ? ay_lane_kind(m[i].dt)
										  : AY_LANES_NONE;
		l->first[i + 1] = l->first[i] + (ay_make_units(&m[i]) + AY_CHUNK_UNITS - 1) / AY_CHUNK_UNITS;
	}
	return 0;
}

/* --- the processor --------------------------------------------------------------------------------------- */

static void make_chunk(const struct ay_make *m, uint64_t chunk)
{
	const struct ay_lanes l = ay_lanes_of(m->dt);
	const uint64_t from = chunk * AY_CHUNK_UNITS, units = ay_make_units(m);

	for (uint64_t u = from; u < from + AY_CHUNK_UNITS && u < units; u++) {
		uint64_t at;
		const uint32_t n = ay_make_span(m, u, &at);
		const struct ay_unit x = ay_unit_of(m, m->how, &l, at, n);

		ay_unit_store_part(m->to + at, x, n);
	}
}

static void make_here(const struct list *l)
{
	for (uint64_t c = 0; c < l->first[l->n]; c++) {
		const uint32_t i = ay_make_find(l->first, l->n, c);

		make_chunk(&l->m[i], c - l->first[i]);
	}
}

/* --- the GPU --------------------------------------------------------------------------------------------- */

static int fail(const struct ay_cuda *cu, int e, const char *what, struct ay_err *err)
{
	return ay_fail(err, e == AY_CU_OUT_OF_MEMORY ? AY_ERR_MEMORY : AY_ERR_SYS, "%s: %s (%d)", what,
		       ay_cuda_error(cu, e), e);
}

/* Compiled and loaded when one of them is first used. */
static int load_own(struct ay_dev *d, struct ay_gpu_own *own, struct ay_err *err)
{
	static const char *const name[] = { [AY_OWN_MAKE] = "assay_make" };

	if (own->function[AY_OWN_MAKE])
		return 0;
	return ay_rtc_load(d, ay_embedded_cuda, sizeof name / sizeof *name, name, own->function, err);
}

static int grow_list(const struct ay_cuda *cu, struct ay_gpu_own *own, size_t bytes)
{
	const size_t n = (bytes + LIST_GRAIN - 1) / LIST_GRAIN * LIST_GRAIN;
	int e = 0;

	if (own->list_bytes >= n)
		return 0;
	if (own->list_bytes)
		e = cu->memory_free(own->list);
	own->list_bytes = 0;
	if (!e)
		e = cu->memory_alloc(&own->list, n);
	own->list_bytes = e ? 0 : n;
	return e;
}

/* Polls, since a wait for a device that hangs would not end. */
static int wait_for(const struct ay_cuda *cu)
{
	const int64_t begun = ay_now_ns();
	const struct timespec nap = { 0, NAP_NS };
	int64_t waited = 0;
	int e;

	while ((e = cu->stream_query(NULL)) == AY_CU_NOT_READY && waited < WAIT_S * 1000000000ll) {
		if (waited > SPIN_NS)
			nanosleep(&nap, NULL);
		waited = ay_now_ns() - begun;
	}
	return e;
}

static int make_there(struct ay_dev *d, const struct list *l, struct ay_err *err)
{
	const struct ay_cuda *cu = ay_gpu_driver(d);
	struct ay_gpu_own *own = ay_gpu_own(d);
	const uint64_t chunks = l->first[l->n], most = (uint64_t)d->info.sms * BLOCKS_A_SM;
	uint32_t n = l->n;
	ay_cu_ptr list, first;
	void *args[] = { &list, &first, &n };
	int e;

	if (!cu)
		return ay_fail(err, AY_ERR_SYS, "%s runs no kernels of the judge", d->info.name);
	if (load_own(d, own, err))
		return -1;
	e = grow_list(cu, own, l->bytes);
	list = own->list;
	first = list + sizeof *l->m * l->n;
	if (!e)
		e = cu->copy_in(list, l->m, l->bytes);
	if (!e)
		e = cu->launch(own->function[AY_OWN_MAKE], (unsigned)(chunks < most ? chunks : most), 1, 1,
			       BLOCK_THREADS, 1, 1, 0, NULL, args, NULL);
	if (!e)
		e = wait_for(cu);
	return e ? fail(cu, e, "the GPU does not make content", err) : 0;
}

int ay_dev_make(struct ay_dev *d, const struct ay_make *m, int n, struct ay_err *err)
{
	struct list l;
	int rc = 0;

	if (list_init(&l, m, n, err))
		return -1;
	if (d->info.kind == AY_DEV_CPU)
		make_here(&l);
	else if (l.first[n]) /* a launch of nothing is an error of CUDA's */
		rc = make_there(d, &l, err);
	ay_xfree(l.m);
	return rc;
}
