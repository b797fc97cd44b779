/* SPDX-License-Identifier: Apache-2.0 */
#include "op/fill_values.h"
#include "test.h"
#include "helpers.h"
#include "op/fill.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { N = 4000 };

static struct ay_arena a;

/* Returns the bytes of N elements; NULL and a failed check if the fill is refused. */
static void *filled(const char *dt, const char *fill)
{
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(
		help_registry(), &a,
		ay_sprintf(&a, "aten::clone((T([%d], %s, fill=%s),), {}) seed=5", N, dt, fill), &err);
	void *mem;

	CHECKF(c, "%s of %s: %s", fill, dt, err.msg);
	if (!c)
		return NULL;
	mem = ay_alloc(&a, ay_operand_bytes(c->operand[0]));
	ay_fill_storage(c, c->operand[0], mem);
	return mem;
}

TEST(fill_values_edges_of_i64_need_all_their_bits)
{
	const int64_t *x = filled("i64", "edge");
	int64_t least = 0, most = 0;
	int wide = 0, beside = 0, between = 0;

	if (!x)
		return;
	for (int i = 0; i < N; i++) {
		const uint64_t size = x[i] < 0 ? -(uint64_t)x[i] : (uint64_t)x[i];

		least += x[i] == INT64_MIN;
		most += x[i] == INT64_MAX;
		wide += size < INT64_MAX && (int64_t)(double)x[i] != x[i];
		beside += size >= ((uint64_t)1 << 53) - 1 && size <= ((uint64_t)1 << 53) + 2;
		between += size > (uint64_t)1 << 59 && size < (uint64_t)1 << 62;
	}
	/* expected: 125 each, 3000, 16, 900 */
	CHECK(least > 50 && most > 50);
	CHECK(wide > 2000 && beside > 0 && between > 300);
}

/* Every dtype's smallest and largest integer, and no others than what it holds exactly. */
TEST(fill_values_edges_are_reached_and_kept)
{
	static const struct {
		const char *dt, *fill;
		double least, most;
	} t[] = {
		{ "u8", "edge", 0, 255 },
		{ "i8", "edge", -128, 127 },
		{ "i16", "edge", -32768, 32767 },
		{ "i32", "edge", INT_MIN, INT_MAX },
		{ "i32", "edge(12)", -4096, 4095 },
		{ "i64", "edge(40)", -0x1p40, 0x1p40 - 1 },
		{ "f16", "edge", -2047, 2047 },
		{ "bf16", "edge", -255, 255 },
		{ "f32", "edge", -0x1p24 + 1, 0x1p24 - 1 },
		{ "f64", "edge", -0x1p53 + 1, 0x1p53 - 1 },
		{ "f64", "edge(30)", -0x1p30 + 1, 0x1p30 - 1 },
		{ "f32", "edge(3)", -7, 7 },
		{ "c64", "edge", -0x1p24 + 1, 0x1p24 - 1 },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const enum ay_dt dt = ay_dt_find(t[i].dt, strlen(t[i].dt));
		const void *mem = filled(t[i].dt, t[i].fill);
		const int n = ay_dt_is_complex(dt) ? 2 * N : N;
		double x[2 * N], least = INFINITY, most = -INFINITY;

		if (!mem)
			continue;
		ay_row_load_d(ay_dt_component(dt), mem, 1, n, x);
		for (int k = 0; k < n; k++) {
			CHECKF(x[k] == rint(x[k]), "%s %s: %g", t[i].dt, t[i].fill, x[k]);
			least = fmin(least, x[k]);
			most = fmax(most, x[k]);
		}
		CHECKF(least == t[i].least && most == t[i].most, "%s %s: %.17g to %.17g", t[i].dt, t[i].fill,
		       least, most);
	}
}

/* The nearest number of dtype dt, ties to even. */
static long double rounded(enum ay_dt dt, long double x)
{
	uint8_t mem[16];

	ay_row_store_ld(dt, mem, 1, 1, &x);
	ay_row_load_ld(dt, mem, 1, 1, &x);
	return x;
}

/* Of every pair of dtypes: most are ties, and both of rounding to even and rounding away do what
 * their names say. */
TEST(fill_values_ties_are_half_way)
{
	static const char *const pairs[][2] = {
		{ "f32", "bf16" },        { "f32", "f16" },    { "f32", "f8e4m3fn" }, { "f32", "f8e5m2" },
		{ "f16", "f8e4m3fn" },    { "f16", "f8e5m2" }, { "f16", "bf16" },     { "bf16", "f8e4m3fn" },
		{ "bf16", "f8e5m2" },     { "f64", "f32" },    { "f64", "f16" },      { "f64", "bf16" },
		{ "i64", "f64" },         { "i64", "f32" },    { "i32", "f32" },      { "i32", "f16" },
		{ "f8e4m3fn", "f8e5m2" },
	};

	for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
		const enum ay_dt in = ay_dt_find(pairs[p][0], strlen(pairs[p][0])),
				 of = ay_dt_find(pairs[p][1], strlen(pairs[p][1]));
		const void *mem = filled(pairs[p][0], ay_sprintf(&a, "ties(%s)", pairs[p][1]));
		int ties = 0, down = 0, negative = 0;
		long double x[N];

		if (!mem)
			continue;
		ay_row_load_ld(in, mem, 1, N, x);
		for (int i = 0; i < N; i++) {
			const long double near = rounded(of, x[i]), other = 2 * x[i] - near;

			CHECKF(isfinite(x[i]) && x[i] != 0, "%s in %s: %Lg", pairs[p][1], pairs[p][0], x[i]);
			negative += x[i] < 0;
			/* its mirror image is the other neighbour: where that is not one, it was no tie */
			if (isfinite(near) && near != x[i] && rounded(of, other) == other) {
				ties++;
				down += fabsl(near) < fabsl(x[i]);
			}
		}
		CHECKF(ties > N * 6 / 10, "%s in %s: %d ties", pairs[p][1], pairs[p][0], ties);
		CHECKF(down > ties / 4 && down < ties * 3 / 4, "%s in %s: %d of %d down", pairs[p][1], pairs[p][0],
		       down, ties);
		CHECKF(negative > N / 4 && negative < N * 3 / 4, "%s in %s: %d negative", pairs[p][1], pairs[p][0],
		       negative);
	}
}

TEST(fill_values_refuse_what_makes_no_sense)
{
	static const struct {
		const char *dt, *fill, *want;
	} t[] = {
		{ "i64", "edge(0)", "fill edge(0) of 'self': 1 to 63 bits" },
		{ "i64", "edge(2.5)", "fill edge(2.5) of 'self': 1 to 63 bits" },
		{ "f32", "ties", "fill 'ties' of 'self' needs 1 argument" },
		{ "f32", "ties(3)", "fill 'ties' of 'self' takes a dtype, not an int" },
		{ "f32", "ties(f32)", "fill ties(f32) of 'self': f32 has no numbers half-way between two of f32" },
		{ "f32", "ties(i8)", "fill ties(i8) of 'self': f32 has no numbers half-way between two of i8" },
		{ "f32", "normal(f16)", "fill 'normal' of 'self' takes numbers, not a dtype" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_err err = { 0 };

		CHECK(!help_bind(help_registry(), &a,
				 ay_sprintf(&a, "aten::clone((T([5], %s, fill=%s),), {})", t[i].dt, t[i].fill),
				 &err));
		CHECK_STR(err.msg, t[i].want);
	}
}
