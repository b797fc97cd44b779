/* SPDX-License-Identifier: Apache-2.0 */
#include "op/fill_values.h"

#include <math.h>

double ay_fill_heavy(const uint64_t random[2])
{
	const int k = __builtin_clzll(random[1] | 1);
	const double x = (1 + ay_fill_unit(random[0])) * (double)(1u << (k > 10 ? 10 : k));

	return random[1] & 1 ? -x : x;
}

double ay_fill_special(enum ay_dt dt, uint64_t random)
{
	const struct ay_dt_info *d = ay_dt_info(dt);
	const double sub = ldexp(1, d->emin - d->mant + 1), big = (double)ay_dt_max(dt);
	const double list[] = {
		NAN, INFINITY, -INFINITY, 0.0, -0.0, sub, -sub, ldexp(1, d->emin), big, -big, 1, -1
	};

	return list[random % (sizeof list / sizeof *list)];
}

/* Four Feistel rounds on the next even power of two, repeated until the value is below n. */
uint64_t ay_fill_permuted(struct ay_key key, uint64_t stream, uint64_t n, uint64_t i)
{
	int half = 1;

	while (half < 32 && (n - 1) >> 2 * half)
		half++;
	do {
		uint64_t mask = ((uint64_t)1 << half) - 1, l = i >> half, r = i & mask;

		for (uint64_t round = 0; round < 4; round++) {
			uint64_t ctr[4] = { r, stream, round, 2 }, out[4], t;

			ay_philox(key, ctr, out);
			t = l ^ (out[0] & mask);
			l = r;
			r = t;
		}
		i = l << half | r;
	} while (i >= n);
	return i;
}

/* --- edge --------------------------------------------------------------------------------------- */

int ay_fill_edge_bits(enum ay_dt dt)
{
	return ay_dt_info(ay_dt_component(dt))->mant;
}

/* For integers `mant` is the number of bits without the sign. */
static bool has_sign(enum ay_dt dt)
{
	return dt != AY_DT_U8 && dt != AY_DT_B8;
}

long double ay_fill_edge(enum ay_dt dt, int bits, const uint64_t random[2])
{
	const uint64_t top = (uint64_t)1 << (bits < 63 ? bits : 63); /* one more than the largest */
	const bool negative = has_sign(dt) && random[1] >> 63;
	const uint64_t kind = random[1] >> 61 & 3, near = random[1] >> 32 & 3;
	uint64_t x = random[0] & (top - 1);

	if (kind == 0) /* of negative numbers the smallest is -top */
		x = top - 1 - near + (negative && ay_dt_info(dt)->cls == AY_CLASS_INT);
	else if (kind == 1)
		x = ((uint64_t)1 << random[0] % (uint64_t)bits) - 1 + near;
	if (x > top - !negative)
		x = top - 1;
	return negative ? -(long double)x : (long double)x;
}

/* --- ties --------------------------------------------------------------------------------------- */

/* Returns the exponents [*least, *most] of the numbers of `in` that are ties of `of`. Below the smallest normal
 * number of `of` all numbers have the spacing of its exponent. */
static bool tie_exponents(enum ay_dt of, enum ay_dt in, int *least, int *most)
{
	const struct ay_dt_info *o = ay_dt_info(of), *i = ay_dt_info(in);

	if (ay_dt_info(of)->cls != AY_CLASS_FLOAT || ay_dt_is_complex(in) || i->mant <= o->mant)
		return false;
	if (i->cls == AY_CLASS_INT) { /* the tie's last bit is an integer */
		*least = o->mant;
		*most = i->mant - 1 < o->emax ? i->mant - 1 : o->emax;
	} else {
		*least = o->emin > i->emin ? o->emin - 1 : i->emin; /* one below: subnormal */
		*most = o->emax < i->emax ? o->emax : i->emax;
	}
	return *least <= *most;
}

bool ay_fill_has_ties(enum ay_dt of, enum ay_dt in)
{
	int least, most;

	return tie_exponents(of, in, &least, &most);
}

/* Returns an exponent from least to most, in half of all cases from -4 to 3 where that is inside. */
static int tie_exponent(int least, int most, uint64_t random)
{
	int lo = least, hi = most;

	if (random & 1 && least <= -4 && most >= 3)
		lo = -4, hi = 3;
	return lo + (int)((random >> 1) % (uint64_t)(hi - lo + 1));
}

long double ay_fill_tie(enum ay_dt of, enum ay_dt in, const uint64_t random[2])
{
	const struct ay_dt_info *o = ay_dt_info(of), *i = ay_dt_info(in);
	const uint64_t leading = (uint64_t)1 << (o->mant - 1);
	uint64_t k = random[0] & (leading - 1); /* the significand of the neighbour below */
	int least, most, e;
	long double x;

	if (!tie_exponents(of, in, &least, &most))
		return 0;
	e = tie_exponent(least, most, random[1] & 0xffff);
	if (e >= o->emin)
		k += leading;
	else
		e = o->emin;
	/* the largest number of f8e4m3fn is not the last one of its exponent */
	if ((long double)k * ldexpl(1, e - o->mant + 1) > ay_dt_max(of))
		k -= leading / 2;
	x = (long double)(2 * k + 1) * ldexpl(1, e - o->mant);
	if (i->cls != AY_CLASS_INT && x > ay_dt_max(in))
		x /= 2;
	if (!(random[1] >> 16 & 3) && i->mant >= o->mant + 2) {
		const int size = ilogbl(x), last = size - i->mant + 1;

		if (i->cls != AY_CLASS_INT || last >= 0)
			x += ldexpl(random[1] >> 18 & 1 ? 1 : -1, last);
		else
			x += random[1] >> 18 & 1 ? 1 : -1;
	}
	return random[1] >> 63 && in != AY_DT_U8 ? -x : x;
}
