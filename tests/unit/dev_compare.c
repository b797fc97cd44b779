/* SPDX-License-Identifier: Apache-2.0
 *
 * dev_compare - tests of comparison on a device: bytes, and numbers by the oracle's rule. They run
 * on the processor, with a fake GPU, and on a GPU if there is one.
 */
#include "device/dev_compare.h"
#include "device/cuda.h"
#include "device/judge_kernels.h"
#include "oracle/oracle.h"
#include "dev_fill_fixture.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- bytes ------------------------------------------------------------------------------------ */

static int64_t first_of(struct dev_fill_fixture *g, uint64_t x, uint64_t y, uint64_t n)
{
	struct ay_err err = { 0 };
	int64_t first = -9;

	CHECKF(!ay_dev_same(g->d, x, y, n, &first, &err), "%s", err.msg);
	return first;
}

static void check_same(struct dev_fill_fixture *g)
{
	enum { ROOM = 100000 };
	static const uint64_t sizes[] = { 1, 2, 15, 16, 17, 31, 33, 64, 4095, 70001 };
	static const uint64_t leads[][2] = { { 0, 0 }, { 5, 5 }, { 0, 8 }, { 3, 0 }, { 15, 14 } };
	uint8_t *data = ay_xrealloc(NULL, ROOM);
	uint64_t x, y;

	srand(3);
	for (int i = 0; i < ROOM; i++)
		data[i] = (uint8_t)rand();
	x = dev_fill_fixture_put(g, NULL, ROOM + 32);
	y = dev_fill_fixture_put(g, NULL, ROOM + 32);
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (size_t l = 0; l < sizeof leads / sizeof *leads; l++) {
			const uint64_t n = sizes[s], a = x + leads[l][0], b = y + leads[l][1];
			const uint64_t places[] = { 0, n / 2, n - 1 };

			dev_fill_fixture_set(g, a, data, n);
			dev_fill_fixture_set(g, b, data, n);
			CHECK(first_of(g, a, b, n) == -1 && first_of(g, a, b, 0) == -1);
			/* from the end backwards: the first difference is reported, and differences
			 * beyond the end are not */
			for (int k = 2; k >= 0; k--) {
				const uint8_t other = (uint8_t)(data[places[k]] ^ (1 << k));

				dev_fill_fixture_set(g, a + places[k], &other, 1);
				CHECKF(first_of(g, a, b, n) == (int64_t)places[k],
				       "%llu bytes, leads %llu and %llu: %lld", (unsigned long long)n,
				       (unsigned long long)leads[l][0], (unsigned long long)leads[l][1],
				       (long long)first_of(g, a, b, n));
				CHECK(first_of(g, a, b, places[k]) == -1);
			}
		}
	dev_fill_fixture_clear(g);
	ay_xfree(data);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static const double values[] = {
	0,
	-0.0,
	1,
	-1,
	1 + 0x1p-7,
	1 + 0x1p-10,
	1 + 0x1p-23,
	1 + 0x1p-52,
	1.5,
	-1.25,
	3,
	65504,
	-65504,
	65519,
	65520,
	0x1.fep127,
	0x1.fffffep127,
	DBL_MAX,
	-DBL_MAX,
	INFINITY,
	-INFINITY,
	NAN,
	0x1p-14,
	0x1p-15,
	0x1p-24,
	-0x1p-24,
	0x1p-126,
	-0x1p-126,
	0x1p-127,
	-0x1p-127,
	0x1p-133,
	0x1p-149,
	-0x1p-149,
	0x1p-1022,
	0x1p-1030,
	0x1p-1074,
	-0x1p-1074,
	1e30,
	-1e-30,
	1000.5,
	/* one step below the largest */
	65472,
	0x1.fcp127,
	0x1.fffffcp127,
	0x1.ffffffffffffep1023,
};
/* AY_FREE, exact, NaN, and ordinary weights */
static const double mags[] = { -INFINITY, -1, 0, 1, 1e-3, 70000, 1e38, DBL_MAX, INFINITY, NAN };

enum { NVALUE = sizeof values / sizeof *values, NMAG = sizeof mags / sizeof *mags, N = NVALUE * NVALUE * NMAG };

/* Compares every value with every other at every weight, and with the oracle's result. */
struct pairs {
	double want[N], bound[N], value[N];
	uint8_t got[N * 8];
	bool in[N];
	int64_t outside;
};

static void pairs_init(struct pairs *p, enum ay_dt dt, double k_out)
{
	const struct ay_bound b = { .dt = dt, .k_out = k_out, .k_acc = AY_K_ACC };

	p->outside = 0;
	for (int i = 0; i < N; i++) {
		const double mag = mags[i % NMAG];
		long double bound;

		p->want[i] = values[i / NMAG % NVALUE];
		p->value[i] = values[i / NMAG / NVALUE];
		ay_row_store_d(dt, p->got + i * ay_dt_info(dt)->bytes, 1, 1, &p->value[i]);
		ay_row_load_d(dt, p->got + i * ay_dt_info(dt)->bytes, 1, 1, &p->value[i]);
		p->in[i] = ay_within(&b, p->want[i], p->value[i], mag, &bound);
		p->bound[i] = mag == -INFINITY ? -INFINITY : mag < 0 ? -1 : (double)bound;
		p->outside += !p->in[i];
	}
}

/* Compares elements [from, from + n). */
static struct ay_dev_diff compared(struct dev_fill_fixture *g, const struct ay_dev_numbers *all, int64_t from,
				   int64_t n)
{
	struct ay_dev_numbers x = *all;
	struct ay_dev_diff diff = { 0 };
	struct ay_err err = { 0 };

	x.got += (uint64_t)(from * ay_dt_info(x.dt)->bytes);
	x.want += (uint64_t)from * 8;
	x.bound += (uint64_t)from * 8;
	x.n = n;
	CHECKF(!ay_dev_compare(g->d, &x, &diff, &err), "%s", err.msg);
	return diff;
}

static void check_numbers(struct dev_fill_fixture *g, enum ay_dt dt, double k_out, int step)
{
	struct pairs *p = ay_xrealloc(NULL, sizeof *p);
	struct ay_dev_numbers x = { .dt = dt };
	struct ay_dev_diff diff;
	int64_t first = 0;

	pairs_init(p, dt, k_out);
	CHECKF(p->outside > N / 8 && p->outside < N - N / 8, "%lld of %d", (long long)p->outside, N);
	x.got = dev_fill_fixture_put(g, p->got, (uint64_t)(N * ay_dt_info(dt)->bytes));
	x.want = dev_fill_fixture_put(g, p->want, sizeof p->want);
	x.bound = dev_fill_fixture_put(g, p->bound, sizeof p->bound);
	while (p->in[first])
		first++;
	diff = compared(g, &x, 0, N);
	CHECKF(diff.outside == p->outside && diff.first == first && isinf(diff.worst),
	       "%s: %lld outside, not %lld; first %lld, worst %a", ay_dt_info(dt)->name, (long long)diff.outside,
	       (long long)p->outside, (long long)diff.first, diff.worst);
	for (int i = 0; i < N; i += step) {
		diff = compared(g, &x, i, 1);
		CHECKF(diff.outside == !p->in[i] && diff.first == (p->in[i] ? -1 : 0),
		       "%s: want %a, got %a, bound %a: %lld outside", ay_dt_info(dt)->name, p->want[i],
		       p->value[i], p->bound[i], (long long)diff.outside);
	}
	dev_fill_fixture_clear(g);
	ay_xfree(p);
}

/* Large tensors that are right except for planted errors of known size. */
static void check_planted(struct dev_fill_fixture *g)
{
	enum { LARGE = 300001, AT = 123457 };
	double *want = ay_xrealloc(NULL, LARGE * 8), *bound = ay_xrealloc(NULL, LARGE * 8);
	float *got = ay_xrealloc(NULL, LARGE * 4);
	struct ay_dev_numbers x = { .dt = AY_DT_F32 };
	struct ay_dev_diff diff;

	for (int i = 0; i < LARGE; i++) {
		want[i] = i;
		got[i] = (float)i + (i % 2 ? 0.125f : 0);
		bound[i] = 0.5;
	}
	x.want = dev_fill_fixture_put(g, want, LARGE * 8);
	x.bound = dev_fill_fixture_put(g, bound, LARGE * 8);
	x.got = dev_fill_fixture_put(g, got, LARGE * 4);
	diff = compared(g, &x, 0, LARGE);
	CHECK(!diff.outside && diff.first == -1 && diff.worst == 0.25);
	dev_fill_fixture_set(g, x.got + (uint64_t)AT * 4, &(float){ AT + 1.0f }, 4);
	diff = compared(g, &x, 0, LARGE);
	CHECK(diff.outside == 1 && diff.first == AT && diff.worst == 2);
	diff = compared(g, &x, 0, AT);
	CHECK(!diff.outside && diff.worst == 0.25);
	dev_fill_fixture_set(g, x.got + (uint64_t)(LARGE - 1) * 4, &(float){ NAN }, 4);
	diff = compared(g, &x, 0, LARGE);
	CHECK(diff.outside == 2 && diff.first == AT && isinf(diff.worst));
	dev_fill_fixture_set(g, x.bound, NULL,
			     /* 0xee...: negative, so exact: every odd element, and the planted one */
			     LARGE * 8);
	diff = compared(g, &x, 0, LARGE);
	CHECK(diff.outside == LARGE / 2 + 1 && diff.first == 1);
	diff = compared(g, &x, 0, 0);
	CHECK(!diff.outside && diff.first == -1 && !diff.worst);
	dev_fill_fixture_clear(g);
	ay_xfree(want);
	ay_xfree(bound);
	ay_xfree(got);
}

static void check_all(struct dev_fill_fixture *g, int step)
{
	static const enum ay_dt dts[] = { AY_DT_F16, AY_DT_BF16, AY_DT_F32, AY_DT_F64 };

	check_same(g);
	for (size_t i = 0; i < sizeof dts / sizeof *dts; i++) {
		check_numbers(g, dts[i], 1, step);
		check_numbers(g, dts[i], 0.5, N);
		check_numbers(g, dts[i], 4, N);
	}
	check_planted(g);
}

TEST(compare_on_the_processor_follows_the_oracle)
{
	struct dev_fill_fixture g;

	dev_fill_fixture_cpu(&g);
	check_all(&g, 1);
	dev_fill_fixture_release(&g);
}

/* Tests the arguments, the tally and the way back. */
TEST(compare_on_a_fake_device_follows_the_oracle)
{
	struct dev_fill_fixture g;

	dev_fill_fixture_fake(&g);
	check_all(&g, 7);
	dev_fill_fixture_release(&g);
}

TEST(compare_refuses_what_it_cannot)
{
	struct ay_dev_diff diff;
	struct ay_err err = { 0 };
	double room[4] = { 0 };
	const uint64_t at = (uintptr_t)room;

	CHECK(ay_dev_compare(ay_dev_cpu(), &(struct ay_dev_numbers){ at, at, at, 1, AY_DT_I32 }, &diff, &err) &&
	      strstr(err.msg, "i32 is not compared"));
	ay_err_clear(&err);
	CHECK(ay_dev_compare(ay_dev_cpu(), &(struct ay_dev_numbers){ at + 2, at, at, 1, AY_DT_F32 }, &diff,
			     &err) &&
	      strstr(err.msg, "aligned"));
	ay_err_clear(&err);
	CHECK(ay_dev_compare(ay_dev_cpu(), &(struct ay_dev_numbers){ at, at + 4, at, 1, AY_DT_F32 }, &diff, &err));
	CHECK(ay_judge_kernels_run(ay_dev_cpu(), AY_JUDGE_KERNEL_SAME, 1, NULL, &err));
}

TEST(compare_on_a_gpu_follows_the_oracle)
{
	struct dev_fill_fixture g;

	dev_fill_fixture_gpu(&g);
	check_all(&g, 37);
	dev_fill_fixture_release(&g);
}
