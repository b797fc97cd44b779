/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "helpers.h"
#include "base/hash.h"
#include "op/fill.h"
#include "op/normal.h"

#include <math.h>
#include <string.h>

static struct ay_arena a;

/* Returns the call of a line, or NULL and the message in err. */
static struct ay_call *bind(const char *line, struct ay_err *err)
{
	return help_bind(help_registry(), &a, line, err);
}

static double *values(const struct ay_call *c, int operand, int64_t *n)
{
	const struct ay_operand *o = c->operand[operand];
	uint8_t *mem = ay_alloc(&a, (size_t)(ay_view_extent(&o->view) * 16 + 16));
	double *x;

	*n = ay_numel_of(&o->view);
	x = AY_NEW_N(&a, double, *n + 1);
	ay_fill_storage(c, o, mem);
	for (int64_t i = 0; i < *n; i++)
		ay_row_load_d(o->view.dt,
			      mem + (o->view.offset + ay_view_at(&o->view, i)) * ay_dt_info(o->view.dt)->bytes, 1,
			      1, &x[i]);
	return x;
}

static double *fill_values(const char *fill, const char *dt, int n, int64_t *got)
{
	struct ay_err err = { 0 };
	struct ay_call *c = bind(ay_sprintf(&a, "aten::relu((T([%d], %s, fill=%s),), {}) seed=11", n, dt, fill),
				 &err);

	if (!c) {
		test_fail(__FILE__, __LINE__, "%s: %s", fill, err.msg);
		*got = 0;
		return NULL;
	}
	return values(c, 0, got);
}

TEST(fill_every_element_can_be_made_alone)
{
	static const char *const lines[] = {
		"aten::relu((T([37], f32),), {}) seed=3",
		"aten::relu((T([5, 7], f16, stride=(14, 2), offset=3),), {}) seed=3",
		"aten::relu((T([9, 4], bf16, stride=(0, 1)),), {}) seed=3",
		"aten::add.Tensor((T([37], c64), T([37], c128, fill=heavy)), {}) seed=3",
		"aten::relu((T([257], f64, fill=special),), {}) seed=4",
		"aten::relu((T([257], i32, fill=int(-100, 100)),), {}) seed=5",
		"aten::clone((T([257], i64, fill=edge),), {}) seed=5",
		"aten::clone((T([37], c64, fill=edge),), {}) seed=5",
		"aten::clone((T([257], f16, fill=ties(f8e5m2)),), {}) seed=5",
	};
	struct ay_err err = { 0 };

	for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
		struct ay_call *c = bind(lines[l], &err);

		CHECKF(c, "%s: %s", lines[l], err.msg);
		for (int k = 0; c && k < c->noperand && c->operand[k]->role == AY_IN; k++) {
			const struct ay_operand *o = c->operand[k];
			int item = ay_dt_info(o->view.dt)->bytes;
			int64_t n = ay_view_extent(&o->view);
			uint8_t *all = ay_alloc(&a, (size_t)(n * item)), one[16];

			ay_fill_storage(c, o, all);
			for (int64_t i = n - 1; i >= 0; i -= 3) {
				ay_fill_one(c, o, i, one);
				CHECKF(!memcmp(one, all + i * item, (size_t)item), "%s: position %lld", lines[l],
				       (long long)i);
			}
		}
	}
}

TEST(fill_by_threads_is_the_same)
{
	static const char *const lines[] = {
		"aten::relu((T([1100003], f16),), {}) seed=3",
		"aten::relu((T([5000011], bf16),), {}) seed=3",
		"aten::add.Tensor((T([700001], c64), T([700001], c64)), {}) seed=3",
		"aten::relu((T([3, 400001], f32, stride=(400009, 1), offset=5, fill=special),), {}) seed=3",
		"aten::relu((T([600], f32),), {}) seed=3",
	};
	struct ay_err err = { 0 };

	for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
		struct ay_call *c = bind(lines[l], &err);
		const size_t n = c ? ay_operand_bytes(c->operand[0]) : 0;
		uint8_t *one = ay_alloc(&a, n + 1), *many = ay_alloc(&a, n + 1);

		CHECKF(c, "%s: %s", lines[l], err.msg);
		if (!c)
			return;
		ay_fill_storage(c, c->operand[0], one);
		for (int threads = 2; threads < 100; threads += 1 + threads * 2) {
			memset(many, 0xa5, n + 1);
			ay_fill_storage_by(c, c->operand[0], many, threads);
			CHECKF(!memcmp(one, many, n) && many[n] == 0xa5, "%s: %d threads", lines[l], threads);
		}
	}
}

/* Beyond 2^22 elements lines of half types repeat, at varying places; floats with more bits do
 * not. */
TEST(fill_many_halves_are_lines_of_the_first)
{
	enum { FIRST = 4 << 20, N = FIRST + 10000, LINE = 256 };
	struct ay_err err = { 0 };
	const struct ay_call *c = bind("aten::relu((T([4204304], f16),), {}) seed=3", &err),
			     *f = bind("aten::relu((T([4204304], f32),), {}) seed=3", &err);
	uint16_t *x = ay_alloc(&a, 2 * N), one;
	float *y = ay_alloc(&a, 4 * N);
	int64_t from[2] = { 0 };

	ay_fill_storage(c, c->operand[0], x);
	ay_fill_storage(f, f->operand[0], y);
	for (int64_t i = FIRST; i < N; i += 37) {
		ay_fill_one(c, c->operand[0], i, &one);
		CHECKF(one == x[i], "position %lld", (long long)i);
	}
	for (int k = 0; k < 2; k++) {
		const int64_t line = FIRST + 5 * k * LINE;

		while (from[k] < FIRST && memcmp(x + from[k], x + line, 2 * LINE) != 0)
			from[k] += LINE;
		CHECK(from[k] < FIRST);
		for (int64_t i = 0; i < FIRST; i += LINE)
			CHECK(memcmp(y + i, y + line, 4 * LINE) != 0);
	}
	CHECK(from[0] != from[1]);
}

TEST(fill_logical_elements_can_be_made_alone)
{
	struct ay_err err = { 0 };
	struct ay_call *c = bind(
		"aten::add.Tensor((T([50], i64, fill=perm), T([50], f64, fill=sorted)), {}) seed=9", &err);

	CHECK(c);
	for (int k = 0; c && k < 2; k++) {
		int64_t all[50], one;

		ay_fill_storage(c, c->operand[k], all);
		for (int i = 49; i >= 0; i--) {
			ay_fill_one(c, c->operand[k], i, &one);
			CHECK(one == all[i]);
		}
	}
}

TEST(fill_normal_has_its_moments)
{
	int64_t n;
	double *x = fill_values("normal(3, 2)", "f64", 100000, &n), sum = 0, sq = 0, cube = 0, most = 0;

	for (int64_t i = 0; i < n; i++)
		sum += x[i];
	for (int64_t i = 0; i < n; i++) {
		double d = (x[i] - sum / (double)n) / 2;

		sq += d * d;
		cube += d * d * d;
		most = fmax(most, fabs(d));
	}
	CHECK(fabs(sum / (double)n - 3) < 0.04); /* 6 sd of the mean */
	CHECK(fabs(sq / (double)n - 1) < 0.03);
	CHECK(fabs(cube / (double)n) < 0.06);
	/* a sum of eight words reaches 4.9 standard deviations, no further */
	CHECK(most > 3.5 && most < 4.95);
}

/* Checks the division for every possible sum. */
TEST(fill_normal_is_the_quotient)
{
	const double sd = sqrt(8.0 * (65536.0 * 65536.0 - 1) / 12);

	for (int32_t sum = 0; sum <= AY_SUM_MOST; sum++) {
		const double want = (sum - 8 * 32767.5) / sd, got = ay_normal_of(sum);

		CHECKF(!memcmp(&want, &got, sizeof got), "%d is %a, not %a", sum, got, want);
	}
}

TEST(fill_ranges_hold)
{
	static const struct {
		const char *fill, *dt;
		double lo, hi;
		int distinct; /* least number of different values among 1000 */
	} t[] = {
		{ "uniform(-2, 5)", "f64", -2, 5, 1000 },
		{ "index(17)", "i64", 0, 16, 17 },
		{ "int(-3, 3)", "i8", -3, 3, 7 },
		{ "exact", "f16", -2, 2, 5 },
		{ "bool(0.5)", "b8", 0, 1, 2 },
		{ "zeros", "f32", 0, 0, 1 },
		{ "ones", "f32", 1, 1, 1 },
		{ "const(2.5)", "f32", 2.5, 2.5, 1 },
		{ "sorted(1, 2)", "f64", 1, 2, 1000 },
		{ "heavy", "f64", -2048, 2048, 1000 },
		{ "perm", "i32", 0, 999, 1000 },
		{ "perm(5000)", "i32", 0, 4999, 1000 },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_err err = { 0 };
		struct ay_call *c = bind(
			ay_sprintf(&a, "aten::add.Tensor((T([1000], %s, fill=%s), T([1000], %s)), {}) seed=2",
				   t[i].dt, t[i].fill, t[i].dt),
			&err);
		int64_t n;
		double *x;
		int distinct = 0;

		CHECKF(c, "%s: %s", t[i].fill, err.msg);
		if (!c)
			continue;
		x = values(c, 0, &n);
		for (int64_t k = 0; k < n; k++) {
			bool seen = false;

			CHECKF(x[k] >= t[i].lo && x[k] <= t[i].hi, "%s gave %g", t[i].fill, x[k]);
			for (int64_t m = 0; m < k && !seen; m++)
				seen = x[m] == x[k];
			distinct += !seen;
		}
		CHECKF(distinct >= t[i].distinct, "%s: only %d different values", t[i].fill, distinct);
	}
}

TEST(fill_special_has_everything_special)
{
	int64_t n, nan = 0, inf = 0, zero = 0, negzero = 0, sub = 0, plain = 0;
	double *x = fill_values("special", "f16", 2000, &n);

	for (int64_t i = 0; i < n; i++) {
		nan += isnan(x[i]);
		inf += isinf(x[i]);
		zero += x[i] == 0 && !signbit(x[i]);
		negzero += x[i] == 0 && signbit(x[i]);
		sub += x[i] != 0 && fabs(x[i]) < 0x1p-14;
		plain += isfinite(x[i]) && fabs(x[i]) > 0.1 && fabs(x[i]) < 5;
	}
	CHECK(nan && inf && zero && negzero && sub);
	CHECK(plain > n / 2);
}

TEST(fill_sorted_increases_and_perm_is_one)
{
	int64_t n;
	double *x = fill_values("sorted", "f64", 500, &n);

	for (int64_t i = 1; i < n; i++)
		CHECK(x[i] > x[i - 1]);
}

TEST(fill_seed_and_tensor_decide)
{
	struct ay_err err = { 0 };
	struct ay_call *c = bind("aten::add.Tensor((T([64], f32), T([64], f32)), {}) seed=1", &err);
	struct ay_call *d = bind("aten::add.Tensor((T([64], f32), T([64], f32)), {}) seed=2", &err);
	float x[64], y[64], z[64];

	CHECK(c && d);
	if (!c || !d)
		return;
	ay_fill_storage(c, c->operand[0], x);
	ay_fill_storage(c, c->operand[1], y);
	ay_fill_storage(d, d->operand[0], z);
	CHECK(memcmp(x, y, sizeof x));
	CHECK(memcmp(x, z, sizeof x));
	ay_fill_storage(c, c->operand[0], z);
	CHECK(!memcmp(x, z, sizeof x));
}

/* The same bits on every machine: these are what version 0.1 gives, and what a repro line relies
 * on. */
TEST(fill_bits_do_not_drift)
{
	int64_t n;
	double *x = fill_values("normal", "f32", 4, &n);
	char got[200];

	snprintf(got, sizeof got, "%a %a %a %a", x[0], x[1], x[2], x[3]);
	CHECK_STR(got, "-0x1.4c39f6p+0 -0x1.049b88p+0 -0x1.26524ep-4 -0x1.81f512p-1");
}

/* Rows of odd length, long enough for every vectorised path. */
TEST(fill_long_rows_do_not_drift)
{
	static const struct {
		const char *dt, *fill, *hash; /* the first digits of SHA-256 */
	} t[] = {
		{ "f16", "normal", "dc323ddf2ae9" },
		{ "bf16", "normal", "07d3f286493e" },
		{ "f32", "normal", "0f2013d5a9a2" },
		{ "f64", "normal", "849a00555ff1" },
		{ "c64", "normal(-1, 0.3)", "b155b546a594" },
		{ "f8e4m3fn", "normal(3, 100)", "faeb1d844d15" },
		{ "f16", "normal(2, 30000)", "e59470c20047" },
		{ "f16", "normal(0, 1e-5)", "686eb6de2b9c" },
		{ "bf16", "normal(0, 1e-39)", "f9dab1da5c20" },
		{ "f16", "special", "8f2d0d3fddd8" },
		{ "bf16", "special", "51a080d8e8c3" },
		{ "bf16", "nonfinite", "6903213510ed" },
		{ "f16", "uniform(-1, 1)", "daf419a1e2e2" },
		{ "f32", "heavy", "fabda64e59dc" },
		{ "f16", "exact", "da7b0931fd54" },
		{ "i64", "index(1000)", "d6e796beaa7e" },
		{ "b8", "bool(0.3)", "cdde2021bd72" },
		{ "f16", "const(0.1)", "e4c6bbe0b033" },
		{ "i32", "perm", "982e6e9c6e08" },
		{ "f16", "sorted(-3, 5)", "15971903315d" },
		{ "i64", "edge", "685c05933eab" },
		{ "i32", "edge(20)", "cabda4c6a668" },
		{ "f64", "edge", "85582b5f6d82" },
		{ "f32", "ties(bf16)", "84b829b7b581" },
		{ "f64", "ties(f16)", "65345a90e2e1" },
		{ "i64", "ties(f64)", "3dcabfdc8a1c" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_err err = { 0 };
		struct ay_call *c = bind(
			ay_sprintf(&a, "aten::clone((T([5003], %s, fill=%s),), {}) seed=12", t[i].dt, t[i].fill),
			&err);
		const size_t n = c ? ay_operand_bytes(c->operand[0]) : 0;
		uint8_t *mem = ay_alloc(&a, n + 1);
		char hex[AY_SHA256_HEX];
		struct ay_hash h;

		CHECKF(c, "%s: %s", t[i].fill, err.msg);
		if (!c)
			continue;
		ay_fill_storage(c, c->operand[0], mem);
		ay_hash_init(&h);
		ay_hash_add(&h, mem, n);
		ay_hash_end(&h, hex);
		hex[12] = 0;
		CHECKF(!strcmp(hex, t[i].hash), "%s %s: %s", t[i].dt, t[i].fill, hex);
	}
}

TEST(fill_refuses_what_makes_no_sense)
{
	static const struct {
		const char *line, *part;
	} bad[] = {
		{ "aten::relu((T([3], f32, fill=norml),), {})", "there is no fill 'norml'" },
		{ "aten::relu((T([3], f32, fill=index),), {})", "needs 1 argument" },
		{ "aten::relu((T([3], f32, fill=normal(1, 2, 3)),), {})", "takes 2 arguments, not 3" },
		{ "aten::relu((T([3], f32, fill=int(4, 2)),), {})", "the range is empty" },
		{ "aten::relu((T([3], f32, fill=index(0)),), {})", "nothing to index" },
		{ "aten::relu((T([9], i64, fill=perm(5)),), {})", "9 distinct values are needed" },
		{ "aten::relu((T([3, 3], f32, stride=(0, 1), fill=sorted),), {})", "shares storage" },
		{ "aten::relu((T([3], f32, fill=normal('x')),), {})", "takes numbers" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ay_err err = { 0 };

		CHECKF(!bind(bad[i].line, &err), "accepted: %s", bad[i].line);
		CHECKF(strstr(err.msg, bad[i].part), "%s\n      said: %s", bad[i].line, err.msg);
	}
}
