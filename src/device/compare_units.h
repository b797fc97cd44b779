/* SPDX-License-Identifier: Apache-2.0
 *
 * compare_units - finds where two byte ranges differ, and whether numbers are within their bounds;
 * one unit or one element at a time. C and CUDA both compile this file (base/host_device.h).
 */
#ifndef AY_DEVICE_COMPARE_UNITS_H
#define AY_DEVICE_COMPARE_UNITS_H

#ifndef AY_DEVICE_FILL_UNITS_H
#include "device/fill_units.h"
#endif
#ifndef AY_TENSOR_IN_BOUND_H
#include "tensor/in_bound.h"
#endif

#define AY_NOWHERE (~0ull)

/* The result of a comparison. */
struct ay_diff_count {
	/* outside: elements outside their bound; first: AY_NOWHERE if there is none */
	uint64_t outside, first;
	uint64_t worst; /* bits of a non-negative double: they order as the double does */
};

/* --- bytes ----------------------------------------------------------------------------------------------- */

AY_HD_NOINLINE uint64_t ay_first_byte(uint64_t x)
{
	uint64_t i = 0;

	AY_NO_UNROLL
	while (!(x >> 8 * i & 255))
		i++;
	return i;
}

/* Returns the first byte of unit u (fill_units.h) at which m->to differs from m->from, counted from
 * the start of the range; AY_NOWHERE if none does. */
AY_HOST_DEVICE uint64_t ay_unit_differs(const struct ay_fill_op *m, uint64_t u)
{
	uint64_t at;
	const uint32_t n = ay_fill_op_span(m, u, &at);
	const bool whole = n == AY_UNIT && (m->from + at) % AY_UNIT == 0;
	const struct ay_unit x = whole ? ay_unit_load(m->to + at) : ay_unit_load_part(m->to + at, n),
			     y = whole ? ay_unit_load(m->from + at) : ay_unit_load_part(m->from + at, n);

	if (x.w[0] != y.w[0])
		return at + ay_first_byte(x.w[0] ^ y.w[0]);
	return x.w[1] != y.w[1] ? at + 8 + ay_first_byte(x.w[1] ^ y.w[1]) : AY_NOWHERE;
}

/* --- numbers --------------------------------------------------------------------------------------------- */

/* The elements to compare: dense, of one kind, with the expected values and their bounds. */
struct ay_compare_input {
	uint64_t got, want, bound; /* addresses; want and bound: double */
	uint64_t n;
	uint32_t kind; /* enum ay_lane_kind, not NONE */
};

AY_WITHIN(ay_within_d, double)

AY_HOST_DEVICE double ay_double_of_bits(uint64_t x)
{
#ifdef __CUDACC__
	return __longlong_as_double((long long)x);
#else
	double y;

	memcpy(&y, &x, sizeof y);
	return y;
#endif
}

AY_HOST_DEVICE uint64_t ay_bits_of_double(double x)
{
#ifdef __CUDACC__
	return (uint64_t)__double_as_longlong(x);
#else
	uint64_t y;

	memcpy(&y, &x, sizeof y);
	return y;
#endif
}

/* Converts a narrower float to double. The format has `bits` bits, of which `mant` are the stored
 * significand. Exponent and significand are moved; a subnormal number is a multiple of
 * `smallest`. */
AY_HOST_DEVICE double ay_widened(uint64_t x, uint32_t bits, uint32_t mant, double smallest)
{
	const uint64_t top = (1ull << (bits - 1 - mant)) - 1, sign = x >> (bits - 1) << 63;
	const uint64_t e = x >> mant & top, m = x & ((1ull << mant) - 1);

	if (!e)
		return ay_double_of_bits(ay_bits_of_double((double)m * smallest) | sign);
	return ay_double_of_bits(sign | (e == top ? 2047 : e - (top >> 1) + 1023) << 52 | m << (52 - mant));
}

AY_HOST_DEVICE double ay_number_at(uint32_t kind, uint64_t at, uint64_t i)
{
	switch (kind) {
	case AY_LANES_F16: return ay_widened(((const uint16_t *)at)[i], 16, 10, 0x1p-24);
	case AY_LANES_BF16: return ay_widened(((const uint16_t *)at)[i], 16, 7, 0x1p-133);
	case AY_LANES_F32: return ay_widened(((const uint32_t *)at)[i], 32, 23, 0x1p-149);
	default: return ((const double *)at)[i];
	}
}

AY_HOST_DEVICE double ay_largest_of(uint32_t kind)
{
	switch (kind) {
	case AY_LANES_F16: return 65504;
	case AY_LANES_BF16: return 0x1.fep127;
	case AY_LANES_F32: return 0x1.fffffep127;
	default: return 0x1.fffffffffffffp1023;
	}
}

/* Returns the magnitude below which the oracle treats numbers as flushed to zero: only f32 and bf16
 * have one. */
AY_HOST_DEVICE double ay_flushed_below(uint32_t kind)
{
	return kind == AY_LANES_F32 || kind == AY_LANES_BF16 ? 0x1p-126 : 0;
}

/* Returns true if element i is within its bound. *ratio becomes error / bound if these two decide.
 * Otherwise it becomes 0 (another rule accepts the element) or infinite (another rule refuses
 * it). */
AY_HOST_DEVICE bool ay_element_within(const struct ay_compare_input *c, uint64_t i, double *ratio)
{
	const double want = ((const double *)c->want)[i], bound = ((const double *)c->bound)[i],
		     got = ay_number_at(c->kind, c->got, i), error = ay_within_d_size(got - want);
	const bool in = ay_within_d(want, got, bound, ay_largest_of(c->kind), ay_flushed_below(c->kind));

	*ratio = in ? 0 : ay_double_of_bits(2047ull << 52);
	if (bound > 0 && bound <= ay_largest_of(AY_LANES_F64) && error <= ay_largest_of(AY_LANES_F64) &&
	    in == (error <= bound))
		/* never -0: its bits would order as the largest */
		*ratio = error > 0 ? error / bound : 0;
	return in;
}

#endif
