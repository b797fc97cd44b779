/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge's own kernel that fills memory. NVRTC compiles this text after the text of
 * fill_units.h.
 */
#ifndef AY_DEVICE_FILL_UNITS_H
#include "device/fill_units.h"
#endif

enum { THREADS = 256, AT_ONCE = 2 }; /* AT_ONCE: units that a thread loads at the same time */

/* Makes units [u, u1) of an operation, as far as they exist; the first and last may be partial. */
static __device__ __noinline__ void make_parts(const struct ay_fill_op *m, uint64_t u, uint64_t u1)
{
	const struct ay_lanes l = ay_lanes_of(m->dt);
	const uint64_t units = ay_fill_op_units(m), end = u1 < units ? u1 : units;

#pragma unroll 1
	for (u += threadIdx.x; u < end; u += THREADS) {
		uint64_t at;
		const uint32_t n = ay_fill_op_span(m, u, &at);
		const struct ay_unit x = ay_unit_of(m, m->how, &l, at, n);

		if (n == AY_UNIT)
			ay_unit_store(m->to + at, x);
		else
			ay_unit_store_part(m->to + at, x, n);
	}
}

/* Makes units [u, u1) of an operation, all of them whole. `how` is a constant, so each kind has a
 * loop of its own. */
template <uint32_t how>
static __device__ __forceinline__ void make_whole(const struct ay_fill_op &m, uint32_t kind, uint64_t u,
						  uint64_t u1)
{
	const struct ay_lanes l = ay_lanes_of(kind);
	const uint64_t lead = m.to % AY_UNIT;

#pragma unroll 1
	for (u += threadIdx.x; u < u1; u += THREADS * AT_ONCE) {
		struct ay_unit x[AT_ONCE];

#pragma unroll
		for (int k = 0; k < AT_ONCE; k++)
			x[k] = ay_unit_of(&m, how, &l, (u + k * THREADS) * AY_UNIT - lead, AY_UNIT);
#pragma unroll
		for (int k = 0; k < AT_ONCE; k++)
			ay_unit_store(m.to - lead + (u + k * THREADS) * AY_UNIT, x[k]);
	}
}

/* For TOUCH every element has its own random draw. That is arithmetic, so the number of elements in
 * a word must be known at compile time. */
static __device__ __forceinline__ void touch_whole(const struct ay_fill_op &m, uint64_t u, uint64_t u1)
{
	switch (m.dt) {
	case AY_LANES_F16: make_whole<AY_FILL_OP_TOUCH>(m, AY_LANES_F16, u, u1); break;
	case AY_LANES_BF16: make_whole<AY_FILL_OP_TOUCH>(m, AY_LANES_BF16, u, u1); break;
	case AY_LANES_F32: make_whole<AY_FILL_OP_TOUCH>(m, AY_LANES_F32, u, u1); break;
	default: make_whole<AY_FILL_OP_TOUCH>(m, AY_LANES_F64, u, u1);
	}
}

static __device__ __forceinline__ void make_chunk(const struct ay_fill_op *list, uint64_t c)
{
	const struct ay_fill_op m = *list;
	const uint64_t u = c * AY_CHUNK_UNITS, u1 = u + AY_CHUNK_UNITS, lead = m.to % AY_UNIT;

	if ((!u && lead) || u1 * AY_UNIT - lead > m.bytes) {
		make_parts(list, u, u1);
		return;
	}
	switch (m.how) {
	case AY_FILL_OP_POISON: make_whole<AY_FILL_OP_POISON>(m, AY_LANES_NONE, u, u1); break;
	case AY_FILL_OP_COPY: make_whole<AY_FILL_OP_COPY>(m, AY_LANES_NONE, u, u1); break;
	case AY_FILL_OP_MIX: make_whole<AY_FILL_OP_MIX>(m, m.dt, u, u1); break;
	case AY_FILL_OP_DRAW: make_whole<AY_FILL_OP_DRAW>(m, AY_LANES_NONE, u, u1); break;
	case AY_FILL_OP_PICK: make_whole<AY_FILL_OP_PICK>(m, AY_LANES_NONE, u, u1); break;
	default: touch_whole(m, u, u1);
	}
}

/* Operation i has chunks [first[i], first[i + 1]). All blocks work on neighbouring chunks,
 * whichever operations they belong to, so that no block has only cheap chunks. */
extern "C" __global__ void __launch_bounds__(THREADS, 4)
	assay_make(const struct ay_fill_op *list, const uint64_t *first, uint32_t n)
{
	uint32_t i = 0;

	for (uint64_t c = blockIdx.x; c < first[n]; c += gridDim.x) {
		if (c >= first[i + 1])
			i = ay_fill_op_find(first, n, c);
		make_chunk(&list[i], c - first[i]);
	}
}
