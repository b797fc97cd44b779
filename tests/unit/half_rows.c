/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/dtype.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The processor may convert dense rows of f16 and bf16; it never converts rows with a stride. Both
 * must give equal bits, and known bits. */
enum { MANY = 1 << 20, STRIDE = 3 };

static double of_bits(uint64_t u)
{
	double x;

	memcpy(&x, &u, sizeof x);
	return x;
}

static uint64_t next(uint64_t *s)
{
	uint64_t z = *s += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Stores n numbers densely at an odd address, and with a stride. Returns the first that differs, or
 * -1. */
static int64_t store_differs(enum ay_dt dt, const double *x, int64_t n)
{
	unsigned char *fast = malloc((size_t)(2 * n + 3)), *plain = calloc((size_t)(n * STRIDE + 1), 2);
	int64_t bad = -1;

	memset(fast, 0xa5, (size_t)(2 * n + 3));
	ay_row_store_d(dt, fast + 1, 1, n, x);
	ay_row_store_d(dt, plain, STRIDE, n, x);
	for (int64_t i = n - 1; i >= 0; i--)
		if (memcmp(fast + 1 + 2 * i, plain + 2 * STRIDE * i, 2))
			bad = i;
	CHECKF(fast[0] == 0xa5 && fast[2 * n + 1] == 0xa5, "written beside the row of %lld", (long long)n);
	free(fast);
	free(plain);
	return bad;
}

static int64_t load_differs(const uint16_t *bits, int64_t n)
{
	double *fast = malloc((size_t)(n + 1) * sizeof *fast), *plain = malloc((size_t)(n + 1) * sizeof *plain);
	uint16_t *apart = calloc((size_t)(n * STRIDE + 1), 2);
	int64_t bad = -1;

	for (int64_t i = 0; i < n; i++)
		apart[i * STRIDE] = bits[i];
	fast[n] = 7;
	ay_row_load_d(AY_DT_F16, bits, 1, n, fast);
	ay_row_load_d(AY_DT_F16, apart, STRIDE, n, plain);
	for (int64_t i = n - 1; i >= 0; i--)
		if (memcmp(&fast[i], &plain[i], sizeof *fast))
			bad = i;
	CHECKF(fast[n] == 7, "written behind the row of %lld", (long long)n);
	free(fast);
	free(plain);
	free(apart);
	return bad;
}

/* Fills in every finite value of the dtype, the ties between neighbours and the numbers just
 * beside the ties, of both signs. There is no NaN, because a NaN makes its neighbours use the
 * plain code. */
static int64_t around(enum ay_dt dt, double *x)
{
	const uint16_t inf = dt == AY_DT_F16 ? 0x7c00 : 0x7f80;
	int64_t n = 0;

	for (uint16_t b = 0; b < inf; b++) {
		const uint16_t pair[2] = { b, (uint16_t)(b + 1) };
		double v[2], mid;

		for (int k = 0; k < 2; k++)
			ay_row_load_d(dt, &pair[k], 1, 1, &v[k]);
		if (b + 1 == inf)
			v[1] = dt == AY_DT_F16 ? 0x1p16 : 0x1p128;
		mid = (v[0] + v[1]) / 2;
		for (int sign = 0; sign < 2; sign++) {
			const double list[] = { v[0], mid, nextafter(mid, 0), nextafter(mid, INFINITY),
						(float)nextafter(mid, 0) };

			for (size_t k = 0; k < sizeof list / sizeof *list; k++)
				x[n++] = sign ? -list[k] : list[k];
		}
	}
	return n;
}

TEST(half_rows_store_like_plain_rows_around_every_value)
{
	static const enum ay_dt dts[] = { AY_DT_F16, AY_DT_BF16 };
	double *x = malloc(MANY * sizeof *x);

	for (int d = 0; d < 2; d++) {
		const int64_t n = around(dts[d], x), bad = store_differs(dts[d], x, n);

		CHECKF(n < MANY && bad < 0, "%s of %a", ay_dt_info(dts[d])->name, x[bad]);
	}
	free(x);
}

static const uint64_t special[] = {
	0,
	1, /* subnormal doubles */
	0x000fffffffffffff,
	0x0010000000000000,
	0x3680000000000000, /* 2^-151, 2^-150, 2^-149: around the smallest f32 */
	0x3690000000000000,
	0x36a0000000000000,
	0x3790000000000000, /* 2^-134: half the smallest bf16, and just above it */
	0x3790000000000001,
	0x37a0000000000000,
	0x380fffffffffffff, /* just below the smallest normal f32 */
	0x3810000000000000,
	0x3e60000000000000, /* 2^-25: half the smallest f16, and just above it */
	0x3e60000000000001,
	0x3e70000000000000,
	0x3f0fffffffffffff, /* just below the smallest normal f16 */
	0x40effbffffffffff, /* 65503.99..; 65504; 65519.99..; 65520 */
	0x40effc0000000000,
	0x40effdffffffffff,
	0x40effe0000000000,
	0x47efefffffffffff, /* and for bf16 */
	0x47eff00000000000,
	0x47efffffefffffff, /* the largest f32, and just above it */
	0x47effffff0000000,
	0x47f0000000000000,
	0x7fefffffffffffff,
	/* infinity; signalling NaNs, quiet NaNs, NaNs with the smallest payload */
	0x7ff0000000000000,
	0x7ff0000000000001,
	0x7ff0000020000000,
	0x7ff8000000000000,
	0x7ff8000000000001,
	0x7fffffffffffffff,
};
enum { SPECIAL = sizeof special / sizeof *special };

/* Each special value at every place of a row of every length, among ordinary numbers. */
TEST(half_rows_store_special_values_anywhere)
{
	double x[41];

	for (int k = 0; k < 4 * SPECIAL; k++)
		for (int n = 1; n <= 41; n += k % 3 + 1)
			for (int at = 0; at < n; at++) {
				const enum ay_dt dt = k & 1 ? AY_DT_F16 : AY_DT_BF16;

				for (int i = 0; i < n; i++)
					x[i] = 1.0 / 3 + i * (1 + 0x1p-11);
				x[at] = of_bits(special[k / 4] | (uint64_t)(k >> 1 & 1) << 63);
				CHECKF(store_differs(dt, x, n) < 0, "%a at %d of %d as %s", x[at], at, n,
				       ay_dt_info(dt)->name);
			}
}

TEST(half_rows_store_random_bits)
{
	double *x = malloc(MANY * sizeof *x);
	uint64_t seed = 5;

	for (int turn = 0; turn < 3; turn++) {
		int64_t bad;

		for (int64_t i = 0; i < MANY; i++) {
			const uint64_t r = next(&seed);

			/* random bits; exponents near f16's; exact and near ties of f16 */
			x[i] = turn == 0   ? of_bits(r)
			       : turn == 1 ? ldexp((double)(int64_t)r, (int)(next(&seed) % 48) - 95)
					   : of_bits((r >> 40 << 41) + (r & 1));
		}
		bad = store_differs(AY_DT_F16, x, MANY);
		CHECKF(bad < 0, "f16 of %a", x[bad]);
		bad = store_differs(AY_DT_BF16, x, MANY);
		CHECKF(bad < 0, "bf16 of %a", x[bad]);
	}
	free(x);
}

/* A NaN becomes its sign and one quiet pattern, whatever its payload, in both kinds of row. */
TEST(half_rows_a_nan_is_one_pattern)
{
	static const struct {
		enum ay_dt dt;
		uint16_t nan;
	} dts[] = { { AY_DT_F16, 0x7e00 }, { AY_DT_BF16, 0x7fc0 } };

	for (int k = 0; k < 2 * SPECIAL; k++)
		for (int d = 0; d < 2; d++)
			for (int stride = 1; stride < 3; stride++) {
				const uint16_t sign = (uint16_t)((k & 1) << 15);
				uint16_t row[40] = { 0 };
				double x[20];

				for (int i = 0; i < 20; i++)
					x[i] = of_bits(special[k / 2] | (uint64_t)sign << 48);
				ay_row_store_d(dts[d].dt, row, stride, 20, x);
				for (int i = 0; i < 20 && isnan(x[0]); i++)
					CHECKF(row[i * stride] == (sign | dts[d].nan), "NaN %#llx is %#x",
					       (unsigned long long)special[k / 2], row[i * stride]);
			}
}

TEST(half_rows_load_like_plain_rows)
{
	uint16_t *all = malloc((1 << 16) * sizeof *all), row[41];
	int64_t bad;

	for (int b = 0; b < 1 << 16; b++)
		all[b] = (uint16_t)b;
	bad = load_differs(all, 1 << 16);
	CHECKF(bad < 0, "f16 %#x", (unsigned)bad);
	/* every pattern at some place of a row of some length; the other elements are no NaNs */
	for (int b = 0; b < 1 << 16; b++) {
		const int n = 1 + b % 41;

		for (int i = 0; i < n; i++)
			row[i] = (uint16_t)(0x3c00 + 7 * i);
		row[b / 41 % n] = (uint16_t)b;
		CHECKF(load_differs(row, n) < 0, "f16 %#x in a row of %d", b, n);
	}
	free(all);
}

/* A loaded NaN keeps its sign and payload, and still signals if it did. */
TEST(half_rows_a_loaded_nan_keeps_its_bits)
{
	for (int b = 0x7c01; b < 0x8000; b++)
		for (int n = 1; n < 20; n += 9) {
			uint16_t row[20];
			double x[20];
			uint64_t u;

			for (int i = 0; i < n; i++)
				row[i] = (uint16_t)(b | (i & 1) << 15);
			ay_row_load_d(AY_DT_F16, row, 1, n, x);
			for (int i = 0; i < n; i++) {
				memcpy(&u, &x[i], sizeof u);
				CHECKF(u == ((uint64_t)(i & 1) << 63 | 0x7ff0000000000000 |
					     (uint64_t)(b & 0x3ff) << 42),
				       "f16 %#x", row[i]);
			}
		}
}
