/* SPDX-License-Identifier: Apache-2.0
 *
 * lines - one line, word or element of the content of a timed set. C and CUDA read this text alike.
 *
 * Theory of operation. What content is made of are functions of a place: which line of the master stands there, which
 * line of noise it is mixed with, what becomes of an element. timing/inputs.c goes through a tensor with them one line
 * after the other. On a device every thread makes units of 16 bytes, whichever they are: ay_unit_of gives the unit at a
 * place from nothing but the stretch's description. Stretches are cut into chunks, so that one launch can make all of
 * them, large and small. The processor as a device (dev_fill.c) goes through the same chunks and units, which is how a
 * machine without a GPU proves that they give inputs.c's bits.
 *
 * base/host_device.h says what such a text may use.
 */
#ifndef AY_DEVICE_FILL_UNITS_H
#define AY_DEVICE_FILL_UNITS_H

#ifndef AY_BASE_HOST_DEVICE_H
#include "base/host_device.h"
#endif

enum ay_fill_op_how {
	AY_FILL_OP_POISON, /* the low byte of `start` everywhere */
	AY_FILL_OP_COPY,   /* of `from` */
	AY_FILL_OP_MIX,    /* lines of `from`, drawn, with other significands */
	AY_FILL_OP_DRAW,   /* lines of `from`, drawn */
	AY_FILL_OP_TOUCH,  /* `from` with other significands, but for zeros and special values */
	AY_FILL_OP_PICK,   /* lines of `from` or of `with`, where they stand */
};

/* One stretch. Addresses are the device's. But for poison `to` is a multiple of 64, `from` and `with` are of 16. */
struct ay_fill_op {
	uint64_t to, from,
		with;          /* with: MIX: AY_NOISE_LINES lines of random bits; PICK: as many bytes as `from` */
	uint64_t bytes, start; /* start: of the stream of draws */
	/* Elements [hard, hard + nhard) get a larger exponent afterwards; nhard 0: none. MIX only. */
	uint64_t hard, nhard;
	uint32_t how, dt; /* dt: enum ay_dt; in the list that a device gets, enum ay_lane_kind */
};

enum {
	AY_LINE = 64, /* bytes that are drawn together: as many as a kernel cannot help to read together */
	AY_NOISE_LINES = 1024, /* lines of random bits that significands are mixed with: they stay in the cache */
	AY_HARD_BY = 5,        /* added to the exponent: 32 times */
	AY_UNIT = 16,          /* bytes that a thread moves at once */
	AY_CHUNK_UNITS = 2048, /* that a block of threads makes before it looks for the next */
};

/* --- what floats look like ------------------------------------------------------------------------------- */

enum ay_lane_kind { AY_LANES_NONE, AY_LANES_F16, AY_LANES_BF16, AY_LANES_F32, AY_LANES_F64 };

/* Significand bits of every element in eight bytes; the exponent's bits, its lowest, and 1/256, of one element. */
struct ay_lanes {
	uint64_t significand, exponent, one, small;
	uint32_t bytes;
};

AY_HOST_DEVICE struct ay_lanes ay_lanes_of(uint32_t kind)
{
	const struct ay_lanes f16 = { 0x03ff03ff03ff03ff, 0x7c00, 1ull << 10, 7ull << 10, 2 };
	const struct ay_lanes bf16 = { 0x007f007f007f007f, 0x7f80, 1ull << 7, 119ull << 7, 2 };
	const struct ay_lanes f32 = { 0x007fffff007fffff, 0x7f800000, 1ull << 23, 119ull << 23, 4 };
	const struct ay_lanes f64 = { 0x000fffffffffffff, 0x7ff0000000000000, 1ull << 52, 1015ull << 52, 8 };
	const struct ay_lanes none = { 0, 0, 0, 0, 8 };

	switch (kind) {
	case AY_LANES_F16: return f16;
	case AY_LANES_BF16: return bf16;
	case AY_LANES_F32: return f32;
	case AY_LANES_F64: return f64;
	default: return none;
	}
}

/* --- draws ----------------------------------------------------------------------------------------------- */

/* splitmix64: a bijection of a counter, good enough to be different everywhere, and the compiler makes vectors of
 * it. */
AY_HOST_DEVICE uint64_t ay_stream(uint64_t start, uint64_t i)
{
	uint64_t x = start + i * 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	return x ^ x >> 27;
}

/*
 * Which line of the master stands at line i of a set. With replacement: elements are independent of each other, and
 * of the same ones in another order the sum, the largest or the sorted row would be what it was in the last set.
 */
AY_HOST_DEVICE uint64_t ay_line_at(uint64_t start, uint64_t i, uint64_t lines)
{
	return (ay_stream(start, i) >> 32) * lines >> 32;
}

/* And which line of noise it is mixed with: of the same draw. */
AY_HOST_DEVICE uint64_t ay_noise_at(uint64_t start, uint64_t i)
{
	return ay_stream(start, i) % AY_NOISE_LINES;
}

/* Whether line i is of the second content. */
AY_HOST_DEVICE uint64_t ay_is_second(uint64_t start, uint64_t i)
{
	return ay_stream(start, i) >> 63;
}

/* --- elements -------------------------------------------------------------------------------------------- */

/* One element, in the low bytes of x, with other significand bits. Zeros and special values stay. */
AY_HOST_DEVICE uint64_t ay_element_touched(uint64_t x, uint64_t bits, const struct ay_lanes *l)
{
	const uint64_t e = x & l->exponent;

	return e && e != l->exponent ? x ^ (bits & l->significand) : x;
}

/* One element, 32 times larger, unless that would be beyond what there is. */
AY_HOST_DEVICE uint64_t ay_element_hardened(uint64_t x, const struct ay_lanes *l)
{
	return (x & l->exponent) < l->exponent - AY_HARD_BY * l->one ? x + AY_HARD_BY * l->one : x;
}

/* --- units ----------------------------------------------------------------------------------------------- */

struct ay_unit {
	uint64_t w[2];
};

/* A whole unit: of a master, which is worth the device's large cache, and of noise, which is worth the small ones too.
 * What is stored is not looked at again. */
AY_HOST_DEVICE struct ay_unit ay_unit_load(uint64_t from)
{
	struct ay_unit u;
#ifdef __CUDACC__
	const ulonglong2 x = __ldcg((const ulonglong2 *)from);

	u.w[0] = x.x;
	u.w[1] = x.y;
#else
	memcpy(&u, (const void *)(uintptr_t)from, sizeof u);
#endif
	return u;
}

AY_HOST_DEVICE struct ay_unit ay_unit_load_kept(uint64_t from)
{
#ifdef __CUDACC__
	const ulonglong2 x = __ldg((const ulonglong2 *)from);
	struct ay_unit u;

	u.w[0] = x.x;
	u.w[1] = x.y;
	return u;
#else
	return ay_unit_load(from);
#endif
}

/* n bytes of one, and zeros. */
AY_HD_NOINLINE struct ay_unit ay_unit_load_part(uint64_t from, uint32_t n)
{
	struct ay_unit u = { { 0, 0 } };

	AY_NO_UNROLL
	for (uint32_t i = 0; i < n; i++)
		u.w[i / 8] |= (uint64_t)((const uint8_t *)from)[i] << i % 8 * 8;
	return u;
}

AY_HOST_DEVICE void ay_unit_store(uint64_t to, struct ay_unit u)
{
#ifdef __CUDACC__
	__stcs((ulonglong2 *)to, make_ulonglong2(u.w[0], u.w[1]));
#else
	memcpy((void *)(uintptr_t)to, &u, sizeof u);
#endif
}

AY_HD_NOINLINE void ay_unit_store_part(uint64_t to, struct ay_unit u, uint32_t n)
{
	AY_NO_UNROLL
	for (uint32_t i = 0; i < n; i++)
		((uint8_t *)to)[i] = (uint8_t)(u.w[i / 8] >> i % 8 * 8);
}

/* Every element of word x, of which the first is element `first` of its tensor. */
AY_HOST_DEVICE uint64_t ay_word_touched(uint64_t x, uint64_t start, uint64_t first, const struct ay_lanes *l)
{
	const uint32_t bits = l->bytes * 8;
	const uint64_t mask = ~0ull >> (64 - bits);
	uint64_t y = 0;

	for (uint32_t e = 0; e < 64 / bits; e++)
		y |= (ay_element_touched(x >> e * bits & mask, ay_stream(start, first + e), l) & mask) << e * bits;
	return y;
}

AY_HOST_DEVICE uint64_t ay_word_hardened(uint64_t x, uint64_t first, const struct ay_fill_op *m,
					 const struct ay_lanes *l)
{
	const uint32_t bits = l->bytes * 8;
	const uint64_t mask = ~0ull >> (64 - bits);

	AY_NO_UNROLL
	for (uint32_t e = 0; e < 64 / bits; e++)
		if (first + e - m->hard < m->nhard)
			x = (x & ~(mask << e * bits)) | ay_element_hardened(x >> e * bits & mask, l) << e * bits;
	return x;
}

AY_HOST_DEVICE struct ay_unit ay_unit_mixed(const struct ay_fill_op *m, const struct ay_lanes *l, uint64_t at,
					    uint32_t n)
{
	const uint64_t lines = m->bytes / AY_LINE, i = at / AY_LINE, in = at % AY_LINE;
	struct ay_unit u;

	if (i < lines) {
		const struct ay_unit noise = ay_unit_load_kept(m->with + ay_noise_at(m->start, i) * AY_LINE + in);

		u = ay_unit_load(m->from + ay_line_at(m->start, i, lines) * AY_LINE + in);
		for (uint32_t k = 0; k < 2; k++)
			u.w[k] ^= noise.w[k] & l->significand;
	} else { /* behind the last whole line, every word has a draw */
		u = n == AY_UNIT ? ay_unit_load(m->from + at) : ay_unit_load_part(m->from + at, n);
		for (uint32_t k = 0; k < 2; k++)
			u.w[k] ^= ay_stream(m->start, lines + in / 8 + k) & l->significand;
	}
	if (m->nhard)
		for (uint32_t k = 0; k < 2; k++)
			u.w[k] = ay_word_hardened(u.w[k], (at + 8 * k) / l->bytes, m, l);
	return u;
}

AY_HOST_DEVICE struct ay_unit ay_unit_drawn(const struct ay_fill_op *m, uint64_t at, uint32_t n)
{
	const uint64_t lines = m->bytes / AY_LINE, i = at / AY_LINE;

	if (i < lines)
		at = ay_line_at(m->start, i, lines) * AY_LINE + at % AY_LINE;
	return n == AY_UNIT ? ay_unit_load(m->from + at) : ay_unit_load_part(m->from + at, n);
}

AY_HOST_DEVICE struct ay_unit ay_unit_picked(const struct ay_fill_op *m, uint64_t at, uint32_t n)
{
	const uint64_t from = (ay_is_second(m->start, at / AY_LINE) ? m->with : m->from) + at;

	return n == AY_UNIT ? ay_unit_load(from) : ay_unit_load_part(from, n);
}

/* The n bytes at byte `at` of a stretch: `at` is a multiple of 16, and n less than that at its end alone. */
AY_HOST_DEVICE struct ay_unit ay_unit_of(const struct ay_fill_op *m, uint32_t how, const struct ay_lanes *l,
					 uint64_t at, uint32_t n)
{
	struct ay_unit u;

	switch (how) {
	case AY_FILL_OP_MIX: return ay_unit_mixed(m, l, at, n);
	case AY_FILL_OP_DRAW: return ay_unit_drawn(m, at, n);
	case AY_FILL_OP_PICK: return ay_unit_picked(m, at, n);
	case AY_FILL_OP_POISON: u.w[0] = u.w[1] = (m->start & 255) * 0x0101010101010101ull; return u;
	default: break;
	}
	u = n == AY_UNIT ? ay_unit_load(m->from + at) : ay_unit_load_part(m->from + at, n);
	if (how == AY_FILL_OP_TOUCH)
		for (uint32_t k = 0; k < 2; k++)
			u.w[k] = ay_word_touched(u.w[k], m->start, (at + 8 * k) / l->bytes, l);
	return u;
}

/* --- chunks ---------------------------------------------------------------------------------------------- */

/* Units lie at multiples of 16; of poison the first may be a part of one. */
AY_HOST_DEVICE uint64_t ay_fill_op_units(const struct ay_fill_op *m)
{
	return m->bytes ? (m->to % AY_UNIT + m->bytes + AY_UNIT - 1) / AY_UNIT : 0;
}

/* The bytes of a stretch that unit u has: from *at, how many. */
AY_HOST_DEVICE uint32_t ay_fill_op_span(const struct ay_fill_op *m, uint64_t u, uint64_t *at)
{
	const uint64_t lead = m->to % AY_UNIT, end = (u + 1) * AY_UNIT - lead;

	*at = u ? u * AY_UNIT - lead : 0;
	return (uint32_t)((end < m->bytes ? end : m->bytes) - *at);
}

/* Which stretch a chunk is of: stretch i has chunks [first[i], first[i + 1]). */
AY_HOST_DEVICE uint32_t ay_fill_op_find(const uint64_t *first, uint32_t n, uint64_t chunk)
{
	uint32_t lo = 0, hi = n;

	while (hi - lo > 1) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (first[mid] <= chunk)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

#endif
