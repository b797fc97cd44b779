/* SPDX-License-Identifier: Apache-2.0 */
#include "device/dev_fill.h"

#include "device/judge_kernels.h"

enum {
	BLOCKS_A_SM = 4, /* as many as run at once */
	BYTES_BITS = 38, /* a range has fewer than 2^32 lines */
};

/* --- the list of operations ------------------------------------------------------------------------------ */

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

/* Returns what is wrong with an operation; NULL if nothing is. A bad address would destroy the
 * device's context. */
static const char *fault_of(const struct ay_fill_op *m)
{
	const bool poison = m->how == AY_FILL_OP_POISON, mix = m->how == AY_FILL_OP_MIX;
	const bool two = mix || m->how == AY_FILL_OP_PICK;
	const enum ay_lane_kind kind = m->dt < AY_DT_COUNT ? ay_lane_kind(m->dt) : AY_LANES_NONE;
	const uint64_t elements = m->bytes / ay_lanes_of(kind).bytes;

	if (m->how > AY_FILL_OP_PICK)
		return "there is no such way";
	if (m->bytes >> BYTES_BITS)
		return "it is too large";
	if (!m->bytes)
		return NULL;
	if (!m->to || (!poison && !m->from) || (two && !m->with))
		return "an address is missing";
	if (!poison && (m->to % AY_LINE || m->from % AY_UNIT || m->with % AY_UNIT))
		return "an address is not aligned";
	if ((mix || m->how == AY_FILL_OP_TOUCH) && (kind == AY_LANES_NONE || m->bytes % ay_lanes_of(kind).bytes))
		return "its elements have no significands";
	if (m->nstress && (!mix || m->stress > elements || m->nstress > elements - m->stress))
		return "the stress elements are not in it";
	return NULL;
}

/* The list as devices read it: the operations, then the first chunk of each, and the number of all
 * chunks. */
struct fill_list {
	struct ay_fill_op *m;
	uint64_t *first;
	size_t bytes;
	uint32_t n;
};

static int list_init(struct fill_list *l, const struct ay_fill_op *m, int n, struct ay_err *err)
{
	*l = (struct fill_list){ .n = (uint32_t)n,
				 .bytes = sizeof *m * (size_t)n + sizeof *l->first * ((size_t)n + 1) };
	l->m = ay_xrealloc(NULL, l->bytes);
	l->first = (uint64_t *)(l->m + n);
	l->first[0] = 0;
	for (int i = 0; i < n; i++) {
		const char *fault = fault_of(&m[i]);

		if (fault) {
			ay_xfree(l->m);
			return ay_fail(err, AY_ERR_SYS, "content cannot be made: range %d of %d: %s", i, n, fault);
		}
		l->m[i] = m[i];
		l->m[i].dt = m[i].how == AY_FILL_OP_MIX || m[i].how == AY_FILL_OP_TOUCH ? ay_lane_kind(m[i].dt)
											: AY_LANES_NONE;
		l->first[i + 1] = l->first[i] + (ay_fill_op_units(&m[i]) + AY_CHUNK_UNITS - 1) / AY_CHUNK_UNITS;
	}
	return 0;
}

/* --- the processor --------------------------------------------------------------------------------------- */

static void make_chunk(const struct ay_fill_op *m, uint64_t chunk)
{
	const struct ay_lanes l = ay_lanes_of(m->dt);
	const uint64_t from = chunk * AY_CHUNK_UNITS, units = ay_fill_op_units(m);

	for (uint64_t u = from; u < from + AY_CHUNK_UNITS && u < units; u++) {
		uint64_t at;
		const uint32_t n = ay_fill_op_span(m, u, &at);
		const struct ay_unit x = ay_unit_of(m, m->how, &l, at, n);

		ay_unit_store_part(m->to + at, x, n);
	}
}

static void make_here(const struct fill_list *l)
{
	for (uint64_t c = 0; c < l->first[l->n]; c++) {
		const uint32_t i = ay_fill_op_find(l->first, l->n, c);

		make_chunk(&l->m[i], c - l->first[i]);
	}
}

/* --- the GPU --------------------------------------------------------------------------------------------- */

static int make_there(struct ay_dev *d, const struct fill_list *l, struct ay_err *err)
{
	const uint64_t chunks = l->first[l->n], most = (uint64_t)d->info.sms * BLOCKS_A_SM;
	uint64_t list, first;
	uint32_t n = l->n;
	void *args[] = { &list, &first, &n };

	if (ay_judge_kernels_room(d, l->bytes, &list, err) ||
	    ay_judge_kernels_copy_in(d, list, l->m, l->bytes, err))
		return -1;
	first = list + sizeof *l->m * l->n;
	return ay_judge_kernels_run(d, AY_JUDGE_KERNEL_MAKE, chunks < most ? chunks : most, args, err);
}

int ay_dev_fill(struct ay_dev *d, const struct ay_fill_op *m, int n, struct ay_err *err)
{
	struct fill_list l;
	int rc = 0;

	if (list_init(&l, m, n, err))
		return -1;
	if (d->info.kind == AY_DEV_CPU)
		make_here(&l);
	else if (l.first[n]) /* launching no blocks is an error in CUDA */
		rc = make_there(d, &l, err);
	ay_xfree(l.m);
	return rc;
}
