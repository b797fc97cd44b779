/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_units - one line, word or element of the content of a timed set. C and CUDA both compile
 * this file.
 *
 * Theory of operation. Content is a function of the place: which line of the template stands there,
 * which line of noise it is mixed with, how an element is changed. timing/inputs.c walks through a
 * tensor line by line with these functions. On a device every thread makes units of 16 bytes in any
 * order: ay_unit_of computes the unit at a place from the operation alone. Operations are cut into
 * chunks, so that one launch can do all of them, large and small. The processor as a device
 * (dev_fill.c) walks through the same chunks and units. So a machine without a GPU can prove that
 * they give the bits of inputs.c.
 *
 * base/host_device.h says which language features such a file may use.
 */
#ifndef AY_DEVICE_FILL_UNITS_H
#define AY_DEVICE_FILL_UNITS_H

#ifndef AY_BASE_HOST_DEVICE_H
#include "base/host_device.h"
#endif

enum ay_fill_op_how {
	AY_FILL_OP_POISON, /* every byte is the low byte of `start` */
	AY_FILL_OP_COPY,   /* a copy of `from` */
	AY_FILL_OP_MIX,    /* randomly drawn lines of `from`, with other significands */
	AY_FILL_OP_DRAW,   /* randomly drawn lines of `from` */
	AY_FILL_OP_TOUCH,  /* `from` with other significands, except in zeros and special values */
	AY_FILL_OP_PICK,   /* each line from the same place of `from` or of `with` */
};

/* One byte range to fill. Addresses are the device's. `to` is a multiple of 64 (any address for
 * POISON); `from` and `with` are multiples of 16. */
struct ay_fill_op {
	/* with: for MIX AY_NOISE_LINES lines of random bits; for PICK as many bytes as `from` */
	uint64_t to, from, with;
	uint64_t bytes, start; /* start: seed of the stream of random draws */
	/* MIX only: elements [stress, stress + nstress) get a larger exponent afterwards; nstress 0:
	 * none. */
	uint64_t stress, nstress;
	uint32_t how, dt; /* dt: enum ay_dt; in the list that a device gets, enum ay_lane_kind */
};

enum {
	/* bytes that are drawn together: no kernel can read less from memory */
	AY_LINE = 64,
	/* lines of random bits for significands: few enough to stay in the cache */
	AY_NOISE_LINES = 1024,
	AY_STRESS_EXPONENT = 5, /* added to the exponent of stress elements: 32 times larger */
	AY_UNIT = 16,           /* bytes that a thread moves at once */
	/* units that a block of threads makes before it takes the next chunk */
	AY_CHUNK_UNITS = 2048,
};

/* --- what floats look like ------------------------------------------------------------------------------- */

enum ay_lane_kind { AY_LANES_NONE, AY_LANES_F16, AY_LANES_BF16, AY_LANES_F32, AY_LANES_F64 };

/* Masks for one kind of float. significand: its bits in all elements of an 8-byte word. For one
 * element: exponent: its bits; one: their lowest bit; small: the exponent bits of 1/256. bytes: the
 * size of an element. */
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

/* splitmix64: a bijection of a counter, random enough that values differ everywhere. Compilers
 * vectorize it. */
AY_HOST_DEVICE uint64_t ay_stream(uint64_t start, uint64_t i)
{
	uint64_t x = start + i * 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	return x ^ x >> 27;
}

/*
 * Returns which line of the template stands at line i of a set. Lines are drawn with replacement.
 * With a mere permutation of the elements, the sum, the largest element or the sorted row would
 * equal those of the set before.
 */
AY_HOST_DEVICE uint64_t ay_line_at(uint64_t start, uint64_t i, uint64_t lines)
{
	return (ay_stream(start, i) >> 32) * lines >> 32;
}

/* Returns which line of noise line i is mixed with. Uses the random draw of ay_line_at. */
AY_HOST_DEVICE uint64_t ay_noise_at(uint64_t start, uint64_t i)
{
	return ay_stream(start, i) % AY_NOISE_LINES;
}

/* Returns 1 if line i comes from the second content, else 0. */
AY_HOST_DEVICE uint64_t ay_is_second(uint64_t start, uint64_t i)
{
	return ay_stream(start, i) >> 63;
}

/* --- elements -------------------------------------------------------------------------------------------- */

/* Returns element x (in the low bytes) with other significand bits. Zeros and special values are
 * unchanged. */
AY_HOST_DEVICE uint64_t ay_element_touched(uint64_t x, uint64_t bits, const struct ay_lanes *l)
{
	const uint64_t e = x & l->exponent;

	return e && e != l->exponent ? x ^ (bits & l->significand) : x;
}

/* Returns element x, 32 times larger, or unchanged if that would overflow. */
AY_HOST_DEVICE uint64_t ay_element_hardened(uint64_t x, const struct ay_lanes *l)
{
	return (x & l->exponent) < l->exponent - AY_STRESS_EXPONENT * l->one ? x + AY_STRESS_EXPONENT * l->one : x;
}

/* --- units ----------------------------------------------------------------------------------------------- */

struct ay_unit {
	uint64_t w[2];
};

/* Loads a whole unit. Content of a template is cached in the device's large cache only; noise
 * (ay_unit_load_kept) in the small caches too. Stores do not stay in a cache. */
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

/* Loads the first n bytes of a unit; the rest is zeros. */
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

/* Returns word x with the significand of every element changed. `first` is the tensor's index of
 * the first element. */
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
		if (first + e - m->stress < m->nstress)
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
	} else { /* behind the last whole line, every word has a random draw of its own */
		u = n == AY_UNIT ? ay_unit_load(m->from + at) : ay_unit_load_part(m->from + at, n);
		for (uint32_t k = 0; k < 2; k++)
			u.w[k] ^= ay_stream(m->start, lines + in / 8 + k) & l->significand;
	}
	if (m->nstress)
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

/* Returns the n bytes at byte `at` of the operation. `at` is a multiple of 16; n is less than 16
 * only at the end. */
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

/* Returns the number of units. Units lie at multiples of 16; the first of POISON may be a part of a
 * unit. */
AY_HOST_DEVICE uint64_t ay_fill_op_units(const struct ay_fill_op *m)
{
	return m->bytes ? (m->to % AY_UNIT + m->bytes + AY_UNIT - 1) / AY_UNIT : 0;
}

/* Returns how many bytes of the range unit u has, and sets *at to the first of them. */
AY_HOST_DEVICE uint32_t ay_fill_op_span(const struct ay_fill_op *m, uint64_t u, uint64_t *at)
{
	const uint64_t lead = m->to % AY_UNIT, end = (u + 1) * AY_UNIT - lead;

	*at = u ? u * AY_UNIT - lead : 0;
	return (uint32_t)((end < m->bytes ? end : m->bytes) - *at);
}

/* Returns the operation that a chunk belongs to: operation i has chunks [first[i], first[i +
 * 1]). */
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
