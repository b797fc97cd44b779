/* SPDX-License-Identifier: Apache-2.0
 *
 * inputs - tests of the content of timed sets, and of its place in memory.
 */
#include "timing/inputs.h"
#include "device/dev_fill.h"
#include "op/fill.h"
#include "test.h"
#include "timing_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns one operand of one set, as before the call. */
static uint8_t *made(struct timing_fixture *r, const struct ay_input_template *m, int i, struct ay_key key,
		     int set)
{
	uint8_t *p = ay_alloc(&r->a, ay_operand_bytes(r->call->operand[i]) + 1);

	ay_input_template_write(m, i, key, set, p);
	return p;
}

/* Finds a key and a set that is, or is not, a stress set. */
static int find_set(const struct ay_input_template *m, struct ay_key key, bool stress)
{
	int set = 0;

	while (set < 10000 && ay_input_template_is_stress(m, key, set) != stress)
		set++;
	CHECKF(set < 10000, "there is no %s set", stress ? "stress" : "plain");
	return set;
}

/* The layout of floats: bytes of a component, place of its exponent. */
static const struct look {
	const char *dt;
	int bytes;
	uint64_t exponent, one;
	double same; /* number of elements that may be equal by chance, with a margin */
} looks[] = {
	{ "f16", 2, 0x7c00, 1 << 10, 0.005 },     { "bf16", 2, 0x7f80, 1 << 7, 0.02 },
	{ "f32", 4, 0x7f800000, 1 << 23, 0.001 }, { "f64", 8, 0x7ff0000000000000, 1ull << 52, 0.001 },
	{ "c64", 4, 0x7f800000, 1 << 23, 0.001 },
};

static uint64_t component(const uint8_t *p, int64_t i, int bytes)
{
	uint64_t x = 0;

	memcpy(&x, p + i * bytes, (size_t)bytes);
	return x;
}

/* aten::add takes every dtype. Of 100,003 elements some are 0, and an odd number of bytes is at
 * their end. */
static void check_floats(const struct look *k)
{
	struct timing_fixture r;
	struct ay_input_template m;
	const struct ay_key key = timing_fixture_key(), other = timing_fixture_key();
	uint8_t *a, *again, *next, *elsewhere;
	int64_t n, same_set = 0, same_key = 0, moved = 0;
	const uint64_t sign = 1ull << (8 * k->bytes - 1);
	char line[100];
	int plain, second;

	snprintf(line, sizeof line, "aten::add.Tensor((T([100003], %s), 1), {})", k->dt);
	timing_fixture_init(&r, line);
	ay_input_template_init(&m, r.call);
	n = (int64_t)ay_operand_bytes(r.call->operand[0]) / k->bytes;
	plain = find_set(&m, key, false);
	second = plain + 1;
	while (ay_input_template_is_stress(&m, key, second) || ay_input_template_is_stress(&m, other, second))
		second++;
	a = made(&r, &m, 0, key, plain);
	again = made(&r, &m, 0, key, plain);
	next = made(&r, &m, 0, key, second);
	elsewhere = made(&r, &m, 0, other, second);
	CHECKF(!memcmp(a, again, (size_t)(n * k->bytes)), "%s: the same key and set, and other bytes", k->dt);
	for (int64_t i = 0; i < n; i++) {
		const uint64_t x = component(a, i, k->bytes), y = component(next, i, k->bytes),
			       z = component(elsewhere, i, k->bytes), e = x & k->exponent;

		same_set += x == y;
		same_key += y == z;
		moved += (x ^ y) & (k->exponent | sign) || (y ^ z) & (k->exponent | sign);
		if (!e || e == k->exponent)
			CHECKF(false, "%s: element %lld is special", k->dt, (long long)i);
	}
	CHECKF((double)same_set < k->same * (double)n, "%s: %lld of %lld are as in the other set", k->dt,
	       (long long)same_set, (long long)n);
	CHECKF((double)same_key < k->same * (double)n, "%s: %lld of %lld are as with the other key", k->dt,
	       (long long)same_key, (long long)n);
	/* lines are drawn anew, so that a kernel cannot learn their signs */
	CHECKF(moved > n / 2, "%s: sign and exponent of only %lld elements change", k->dt, (long long)moved);
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

TEST(inputs_floats_have_new_significands_in_every_set)
{
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
		check_floats(&looks[i]);
}

/* Of 4 million normal numbers some 30 are 0, and of f16 some 200 are subnormal: they become small
 * ones. */
TEST(inputs_a_few_zeros_do_not_keep_the_rest_from_changing)
{
	static const char *const dts[] = { "f32", "f16" };

	for (int d = 0; d < 2; d++) {
		struct timing_fixture r;
		struct ay_input_template m;
		struct ay_key key = timing_fixture_key();
		int64_t zeros = 0, same = 0;
		uint8_t *a, *b;
		const int bytes = d ? 2 : 4, n = 4 << 20;

		timing_fixture_init(&r, d ? "aten::relu((T([2048, 2048], f16),), {})"
					  : "aten::relu((T([2048, 2048], f32),), {})");
		ay_input_template_init(&m, r.call);
		a = made(&r, &m, 0, key, find_set(&m, key, false));
		/* such an element exists, so the set can be a stress set */
		b = made(&r, &m, 0, key, find_set(&m, key, true));
		for (int64_t i = 0; i < n; i++) {
			uint64_t x = component(a, i, bytes), y = component(b, i, bytes);

			zeros += !(x & (bytes == 2 ? 0x7c00u : 0x7f800000u));
			same += x == y;
		}
		CHECKF(!zeros, "%s: %lld zeros and subnormals", dts[d], (long long)zeros);
		CHECKF(same < n / 500, "%s: %lld elements are the same", dts[d], (long long)same);
		ay_input_template_release(&m);
		timing_fixture_release(&r);
	}
}

/* NaN, infinities and zeros are placed by the fill itself, with another key. */
TEST(inputs_special_values_are_filled_anew)
{
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_key key = timing_fixture_key();
	const float *a, *b;
	int nan = 0, inf = 0, same = 0;

	timing_fixture_init(&r, "aten::relu((T([30000], f32, fill=special),), {})");
	ay_input_template_init(&m, r.call);
	a = (const float *)made(&r, &m, 0, key, 0);
	b = (const float *)made(&r, &m, 0, key, 1);
	for (int i = 0; i < 30000; i++) {
		nan += isnan(a[i]) != 0;
		inf += isinf(a[i]) != 0;
		same += !memcmp(&a[i], &b[i], 4);
	}
	CHECKF(nan > 100 && inf > 200, "%d NaN, %d infinities", nan, inf);
	CHECKF(same < 1000, "%d of 30000 are the same", same);
	CHECK(!ay_input_template_is_stress(&m, key, 0) && !ay_input_template_is_stress(&m, key, 16));
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

/* --- integers --------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static bool is_permutation(struct ay_arena *a, const int64_t *x, const int64_t *y, int64_t n)
{
	int64_t *p = AY_NEW_N(a, int64_t, n), *q = AY_NEW_N(a, int64_t, n);

	memcpy(p, x, (size_t)n * 8);
	memcpy(q, y, (size_t)n * 8);
	qsort(p, (size_t)n, 8, by_value);
	qsort(q, (size_t)n, 8, by_value);
	return !memcmp(p, q, (size_t)n * 8);
}

/* Large index tensors are made from the template's lines, small ones are filled anew. Both stay in
 * range, and no set is a permutation of the first one. */
TEST(inputs_indices_stay_in_range)
{
	static const struct {
		const char *line;
		int64_t n;
	} t[] = {
		{ "aten::embedding((T([777, 8], f32), T([20000], i64, fill=index(777))), {})", 20000 },
		{ "aten::embedding((T([777, 8], f32), T([300], i64, fill=index(777))), {})", 300 },
	};

	for (int k = 0; k < 2; k++) {
		struct timing_fixture r;
		struct ay_input_template m;
		struct ay_key key = timing_fixture_key();
		const int64_t *first;
		int differ = 0;

		timing_fixture_init(&r, t[k].line);
		ay_input_template_init(&m, r.call);
		first = (const int64_t *)made(&r, &m, 1, key, 0);
		for (int set = 1; set < 6; set++) {
			const int64_t *x = (const int64_t *)made(&r, &m, 1, key, set);

			for (int64_t i = 0; i < t[k].n; i++)
				CHECKF(x[i] >= 0 && x[i] < 777, "set %d: %lld", set, (long long)x[i]);
			CHECKF(!is_permutation(&r.a, first, x, t[k].n), "line %d, set %d", k, set);
			differ += memcmp(first, x, (size_t)t[k].n * 8) != 0;
		}
		CHECKF(differ == 5, "line %d: %d sets differ from the first", k, differ);
		ay_input_template_release(&m);
		timing_fixture_release(&r);
	}
}

/* A uniform fill has the range that an operator accepts, such as probabilities. Half types may
 * round to the end of the range. With another significand this end would lie outside, as would
 * numbers in its binade. */
static void check_range(const char *dt, int bytes, double a, double b)
{
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_key key = timing_fixture_key();
	const double given[2] = { a, b };
	double end[2]; /* as the dtype has them */
	enum ay_dt component;
	int64_t n, same = 0;
	const uint8_t *first;
	uint64_t rounded[2];
	char line[120];

	snprintf(line, sizeof line, "aten::neg((T([300, 307], %s, fill=uniform(%g, %g)),), {})", dt, a, b);
	timing_fixture_init(&r, line);
	ay_input_template_init(&m, r.call);
	n = (int64_t)ay_operand_bytes(r.call->operand[0]) / bytes;
	component = ay_dt_component(r.call->operand[0]->view.dt);
	ay_row_store_d(component, rounded, 1, 2, given);
	ay_row_load_d(component, rounded, 1, 2, end);
	first = made(&r, &m, 0, key, 0);
	for (int set = 1; set < 4; set++) {
		const uint8_t *p = made(&r, &m, 0, key, set);
		double *x = AY_NEW_N(&r.a, double, n);

		ay_row_load_d(component, p, 1, n, x);
		for (int64_t i = 0; i < n; i++)
			if (!(x[i] >= end[0] && x[i] <= end[1]))
				CHECKF(false, "%s set %d: element %lld is %g", line, set, (long long)i, x[i]);
		for (int64_t i = 0; i < n; i++)
			same += !memcmp(p + i * bytes, first + i * bytes, (size_t)bytes);
	}
	/* bf16 has some hundred values near the upper end */
	CHECKF(same < 3 * n / 20, "%s: %lld of %lld are what they were", line, (long long)same,
	       (long long)(3 * n));
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

TEST(inputs_uniform_fills_keep_their_range)
{
	static const double range[][2] = { { 0, 1 }, { -1, 1 },    { -2, -1 },      { 0.5, 1.5 },
					   { 0, 8 }, { 0.1, 0.9 }, { -0.95, 0.95 }, { 1, 6 } };

	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
		for (size_t k = 0; k < sizeof range / sizeof *range; k++)
			check_range(looks[i].dt, looks[i].bytes, range[k][0], range[k][1]);
}

/* A kernel that knows sign and exponent of every place knows most of a sort beforehand. */
TEST(inputs_own_fills_keep_neither_sign_nor_exponent_in_place)
{
	static const char *const lines[] = { "aten::sort((T([8, 16384], f32), -1), {})",
					     "aten::sort((T([8, 16384], bf16), -1), {})",
					     "aten::div.Tensor((T([40000], f32), T([40000], f32)), {})",
					     "aten::soft_margin_loss((T([40000], f32), T([40000], f32)), {})" };

	for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
		const struct ay_key key = timing_fixture_key();
		struct ay_input_template m;
		struct timing_fixture r;
		int64_t n, same = 0, signs = 0;
		const uint8_t *p, *q;
		int bytes, last;

		timing_fixture_init(&r, lines[k]);
		ay_input_template_init(&m, r.call);
		last = k < 2 ? 0 : 1; /* the operand with the operator's own fill */
		bytes = ay_dt_info(r.call->operand[last]->view.dt)->bytes;
		n = (int64_t)ay_operand_bytes(r.call->operand[last]) / bytes;
		p = made(&r, &m, last, key, 0);
		q = made(&r, &m, last, key, 1);
		for (int64_t i = 0; i < n; i++) {
			const uint8_t *x = p + i * bytes + bytes - 2, *y = q + i * bytes + bytes - 2;

			signs += x[1] >> 7 == y[1] >> 7;
			same += x[1] == y[1] && (x[0] & 0x80) == (y[0] & 0x80); /* f32, bf16: 9 bits */
		}
		/* signs are even: of 40,000 and more, a fifth away from a half is 40 deviations */
		CHECKF(signs > n * 3 / 10 && signs < n * 7 / 10, "%s: %lld of %lld signs stay", lines[k],
		       (long long)signs, (long long)n);
		CHECKF(k > 1 || same < n / 20, "%s: %lld of %lld exponents stay", lines[k], (long long)same,
		       (long long)n);
		ay_input_template_release(&m);
		timing_fixture_release(&r);
	}
}

TEST(inputs_ordered_fills_keep_their_order)
{
	static const char perm[] = "aten::relu((T([20000], i64, fill=perm),), {})",
			  sorted[] = "aten::relu((T([20000], f64, fill=sorted(1, 2)),), {})",
			  whole[] =
				  "aten::relu((T([20000], i64, fill=sorted(0, 90000)),), {})", /* of two masters */
		data[] = "aten::relu((T([4], f32, data=[1.0, -2.0, 0.0, 4.0]),), {})";
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_key key = timing_fixture_key();
	const int64_t *p, *q;
	const double *x, *y;
	const float *f;
	int64_t *all;
	int differ = 0;

	timing_fixture_init(&r, perm);
	ay_input_template_init(&m, r.call);
	p = (const int64_t *)made(&r, &m, 0, key, 0);
	q = (const int64_t *)made(&r, &m, 0, key, 1);
	all = AY_NEW_N(&r.a, int64_t, 20000);
	for (int i = 0; i < 20000; i++)
		all[i] = i;
	CHECK(memcmp(p, q, 160000) && is_permutation(&r.a, p, all, 20000) && is_permutation(&r.a, q, all, 20000));
	ay_input_template_release(&m);
	timing_fixture_release(&r);

	timing_fixture_init(&r, sorted);
	ay_input_template_init(&m, r.call);
	x = (const double *)made(&r, &m, 0, key, 0);
	y = (const double *)made(&r, &m, 0, key, 1);
	CHECK(memcmp(x, y, 160000));
	for (int i = 1; i < 20000; i++)
		CHECKF(x[i - 1] <= x[i] && y[i - 1] <= y[i] && y[i] <= 2, "%d", i);
	ay_input_template_release(&m);
	timing_fixture_release(&r);

	timing_fixture_init(&r, whole);
	ay_input_template_init(&m, r.call);
	p = (const int64_t *)made(&r, &m, 0, key, 0);
	q = (const int64_t *)made(&r, &m, 0, key, 1);
	for (int i = 1; i < 20000; i++)
		differ += p[i] != q[i];
	CHECKF(differ > 5000, "%d of 20000 differ", differ);
	for (int i = 1; i < 20000; i++)
		CHECKF(p[i - 1] <= p[i] && q[i - 1] <= q[i] && q[i] <= 90000, "%d", i);
	ay_input_template_release(&m);
	timing_fixture_release(&r);

	timing_fixture_init(&r, data);
	ay_input_template_init(&m, r.call);
	for (int set = 0; set < 3; set++) {
		f = (const float *)made(&r, &m, 0, key, set);
		CHECK(f[0] == 1 && f[1] == -2 && f[2] == 0 && f[3] == 4);
	}
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

/* Hundreds of small tensors: if the executor is trusted, they are made from template lines, as
 * large ones are. */
TEST(inputs_small_tensors_are_lines_for_the_trusted)
{
	static const char line[] = "aten::add.Tensor((T([300], i64, fill=int(5, 40)), T([1], i64)), {})";
	const struct ay_key key = timing_fixture_key();
	const int64_t *p, *q, *base;
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_fill_op k;
	int differ = 0;

	timing_fixture_init(&r, line);
	ay_input_template_init(&m, r.call);
	CHECK(!ay_input_template_plan(&m, 0, key, 0, &k));
	ay_input_template_release(&m);
	ay_input_template_init_by(&m, r.call, 1, true);
	CHECK(ay_input_template_plan(&m, 0, key, 0, &k) && k.how == AY_FILL_OP_DRAW &&
	      !ay_input_template_plan(&m, 1, key, 0, &k));
	base = (const int64_t *)ay_input_template_base(&m, 0);
	p = (const int64_t *)made(&r, &m, 0, key, 0);
	q = (const int64_t *)made(&r, &m, 0, key, 1);
	for (int i = 0; i < 300; i++) {
		CHECKF(p[i] >= 5 && p[i] <= 40, "%d: %lld", i, (long long)p[i]);
		differ += p[i] != q[i];
	}
	CHECKF(differ > 100 && memcmp(p, base, 2400), "%d of 300 differ", differ);
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

/* --- stress sets -------------------------------------------------------------------------------- */

/* Returns true beyond 8, where no normal number of these inputs is, whatever its significand. */
static bool is_large(const uint8_t *p, int i)
{
	float x;

	memcpy(&x, p + 4 * i, 4);
	return fabsf(x) >= 8;
}

TEST(inputs_stress_sets_have_a_range_that_is_32_times_larger)
{
	enum { N = 4000, KEYS = 40, SETS = 200 };
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_key key = timing_fixture_key();
	int stress = 0, checked = 0;
	const uint8_t *a;

	timing_fixture_init(&r, "aten::_softmax((T([40, 100], f32), 1, False), {})");
	ay_input_template_init(&m, r.call);
	for (int k = 0; k < KEYS; k++) {
		struct ay_key some = timing_fixture_key();

		for (int set = 0; set < SETS; set++)
			stress += ay_input_template_is_stress(&m, some, set);
	}
	/* 500 expected, standard deviation 22 */
	CHECKF(stress > 350 && stress < 650, "%d of %d are stress sets", stress, KEYS * SETS);
	a = made(&r, &m, 0, key, find_set(&m, key, false));
	for (int i = 0; i < N; i++)
		CHECKF(!is_large(a, i), "element %d of a set that is no stress set", i);
	for (int set = 0; set < SETS; set++) {
		const uint8_t *b;
		int from = N, to = -1, larger = 0;

		if (!ay_input_template_is_stress(&m, key, set))
			continue;
		checked++;
		b = made(&r, &m, 0, key, set);
		for (int i = 0; i < N; i++) {
			if (!is_large(b, i))
				continue;
			from = i < from ? i : from;
			to = i;
			larger++;
		}
		CHECKF(larger > 0 && to - from + 1 <= N / 8 + 64, "set %d: from %d to %d", set, from, to);
		/* four of five normally distributed numbers are beyond 0.25 */
		CHECKF(larger > (to - from + 1) * 6 / 10, "set %d: only %d of them", set, larger);
	}
	CHECKF(checked > 0, "none of %d", SETS);
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

/* f16 ends at 65504: a number that would overflow stays unchanged. */
TEST(inputs_stress_sets_do_not_overflow)
{
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_key key = timing_fixture_key();
	int stress = 0;

	timing_fixture_init(&r, "aten::relu((T([3000], f16, fill=normal(0, 2000)),), {})");
	ay_input_template_init(&m, r.call);
	for (int set = 0; set < 500; set++) {
		const uint8_t *p;

		if (!ay_input_template_is_stress(&m, key, set))
			continue;
		stress++;
		p = made(&r, &m, 0, key, set);
		for (int i = 0; i < 3000; i++)
			CHECKF((component(p, i, 2) & 0x7c00) != 0x7c00, "set %d: element %d is not finite", set,
			       i);
	}
	CHECKF(stress > 5, "only %d", stress);
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

/* --- places ----------------------------------------------------------------------------------- */

/* Tensors of sets in calling order are aligned, lie inside their slot, and do not overlap their
 * predecessor. */
static void check_places(const char *line, int cap)
{
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_input_sets s;
	uint64_t end[2] = { 0, 0 }, total = 0;
	int n;

	timing_fixture_init(&r, line);
	ay_input_template_init(&m, r.call);
	CHECKF(!ay_input_sets_init(&s, &m, cap, false, &r.err), "%s", r.err.msg);
	n = r.call->noperand;
	for (int i = 0; i < n; i++)
		total += ay_operand_bytes(r.call->operand[i]);
	CHECKF(m.bytes == total, "%s: %llu bytes, not %llu", line, (unsigned long long)m.bytes,
	       (unsigned long long)total);
	for (int set = 0; set < cap; set++) {
		for (int i = 0; i < n; i++) {
			const struct ay_operand *o = r.call->operand[i];
			const int k = set * n + i, slot = s.slot[k];
			const uint64_t bytes = ay_operand_bytes(o);

			CHECKF(s.pool.slot[slot].written == (o->role != AY_IN), "%s: %s is in slot %d", line,
			       o->name, slot);
			CHECKF(s.offset[k] % 64 == 0 && s.offset[k] >= end[slot],
			       "%s: set %d %s at %llu, after %llu", line, set, o->name,
			       (unsigned long long)s.offset[k], (unsigned long long)end[slot]);
			end[slot] = s.offset[k] + bytes;
			CHECKF(end[slot] <= s.pool.slot[slot].bytes, "%s: set %d %s ends behind its slot", line,
			       set, o->name);
			CHECK(ay_input_sets_at(&s, set, i) == s.pool.slot[slot].mem + s.offset[k]);
		}
	}
	ay_input_sets_release(&s);
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

TEST(inputs_sets_lie_in_order_and_apart)
{
	check_places("aten::relu((T([5], f32),), {})", 3000);
	check_places("aten::relu((T([70000], f16),), {})", 17);
	check_places("aten::add.Tensor((T([33, 7], f32, stride=(14, 2), offset=3), T([7], f32)), {})", 50);
	check_places("aten::add_.Tensor((T([100], f32), T([100], f32)), {})", 40);
	check_places("aten::sort((T([8, 16], f32), -1), {})", 40);
	check_places("aten::relu((T([0, 3], f32),), {})", 40);
	check_places("aten::relu((T([7], f32),), {})", 1);
}

TEST(inputs_folded_sets_share_one_place)
{
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_input_sets s;
	const int n = 3;

	timing_fixture_init(&r, "aten::add.Tensor((T([1000], f32), T([1000], f32)), {})");
	ay_input_template_init(&m, r.call);
	CHECKF(!ay_input_sets_init(&s, &m, 500, true, &r.err), "%s", r.err.msg);
	CHECK(r.call->noperand == n && s.shared_storage);
	CHECKF(s.pool.slot[0].bytes < 6 * 4096, "%llu bytes", (unsigned long long)s.pool.slot[0].bytes);
	for (int k = 0; k < 500 * n; k++)
		CHECKF(s.offset[k] + 4000 <= s.pool.slot[s.slot[k]].bytes, "set %d", k / n);
	ay_input_sets_write(&s, timing_fixture_key(), 0, 500, 0x71,
			    NULL); /* overlapping writes to one place in sequence do no harm */
	ay_input_sets_release(&s);
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

/* Operands that are only written hold poison, the others content, and no byte beside them is
 * changed. */
TEST(inputs_written_operands_are_poisoned_and_updated_ones_filled)
{
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_input_sets s;
	struct ay_key key = timing_fixture_key();
	const float *self, *other;
	int poisoned = 0;

	timing_fixture_init(&r, "aten::add_.Tensor((T([1000], f32), T([1000], f32)), {})");
	ay_input_template_init(&m, r.call);
	CHECKF(!ay_input_sets_init(&s, &m, 4, false, &r.err), "%s", r.err.msg);
	memset(s.pool.slot[1].mem, 0xee, s.pool.slot[1].bytes);
	ay_input_sets_write(&s, key, 1, 2, 0x71, NULL); /* sets 1 and 2 alone */
	self = (const float *)ay_input_sets_at(&s, 1, 0);
	other = (const float *)made(&r, &m, 0, key, 1);
	CHECK(r.call->operand[0]->role == AY_INOUT && !memcmp(self, other, 4000));
	CHECK(ay_input_sets_at(&s, 0, 0)[0] == 0xee && ay_input_sets_at(&s, 3, 0)[0] == 0xee);
	ay_input_sets_release(&s);
	ay_input_template_release(&m);
	timing_fixture_release(&r);

	timing_fixture_init(&r, "aten::relu((T([1001], f16),), {})");
	ay_input_template_init(&m, r.call);
	CHECKF(!ay_input_sets_init(&s, &m, 2, false, &r.err), "%s", r.err.msg);
	memset(s.pool.slot[1].mem, 0xee, s.pool.slot[1].bytes);
	ay_input_sets_write(&s, key, 0, 2, 0x71, NULL);
	for (uint64_t i = 0; i < s.pool.slot[1].bytes; i++)
		poisoned += s.pool.slot[1].mem[i] == 0x71;
	CHECKF(poisoned == 2 * 2002, "%d bytes", poisoned);
	CHECK(ay_input_sets_at(&s, 0, 1)[0] == 0x71 && ay_input_sets_at(&s, 1, 1)[2001] == 0x71);
	ay_input_sets_release(&s);
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}
