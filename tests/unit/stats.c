/* SPDX-License-Identifier: Apache-2.0
 *
 * stats - tests of what block ratios prove: ranks from the tables, limits approached from both
 * sides, and thousands of simulated runs of a kernel against itself. Few of these may be called
 * different.
 */
#include "test.h"
#include "base/rng.h"
#include "timing/stats.h"

#include <math.h>
#include <stdlib.h>

/* Returns P(fewer than k heads of n) * 2 in plain doubles; 2^-n is exact for n up to 1,000. */
static double two_tails(int n, int k)
{
	double p = ldexp(1, -n), sum = 0;

	for (int i = 0; i < k; i++) {
		sum += p;
		p = p * (n - i) / (i + 1);
	}
	return 2 * sum;
}

TEST(stats_sign_ranks_are_those_of_the_tables)
{
	static const int known[][2] = { { 5, 0 },   { 6, 1 },    { 10, 2 },  { 20, 6 },
					{ 52, 19 }, { 100, 40 }, { 200, 86 } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		CHECKF(ay_sign_rank(known[i][0], 0.05) == known[i][1], "n=%d: %d, not %d", known[i][0],
		       ay_sign_rank(known[i][0], 0.05), known[i][1]);
	/* the limit itself belongs to the interval: two coins at 50 % */
	CHECK(ay_sign_rank(2, 0.5) == 1 && ay_sign_rank(2, 0.49) == 0);
	for (int n = 1; n <= AY_SAMPLES_MAX; n++) {
		const int k = ay_sign_rank(n, 0.0025);

		CHECKF(two_tails(n, k) <= 0.0025 && two_tails(n, k + 1) > 0.0025, "n=%d: %d", n, k);
	}
	/* too large for a double: n/2 - z sqrt(n)/2, z = 3.0233 */
	CHECKF(abs(ay_sign_rank(10000, 0.0025) - 4849) <= 1, "%d", ay_sign_rank(10000, 0.0025));
}

/* --- intervals and quantiles ------------------------------------------------------------------ */

TEST(stats_intervals_are_order_statistics)
{
	double d[20], mid, lo, hi;

	for (int i = 0; i < 20; i++)
		d[i] = (i * 7) % 20; /* 0 to 19, shuffled */
	ay_interval(d, 20, 0.05, &mid, &lo, &hi);
	CHECK(mid == 9.5 && lo == 5 && hi == 14); /* 6th and 15th */
	CHECK(d[1] == 7 && d[2] == 14);           /* the samples are unchanged */
	ay_interval(d, 20, 0.0025, &mid, &lo, &hi);
	CHECK(lo == 2 && hi == 17);
	ay_interval(d, 5, 0.05, &mid, &lo, &hi);
	CHECK(mid == 7 && isinf(lo) && lo < 0 && isinf(hi) && hi > 0);
	ay_interval(d + 3, 1, 0.05, &mid, &lo, &hi);
	CHECK(mid == 1 && isinf(lo) && isinf(hi));
}

TEST(stats_quantiles_lie_between_neighbours)
{
	const double x[] = { 40, 10, 30, 20 }, one[] = { 3 }, odd[] = { 1, INFINITY, INFINITY, NAN };

	CHECK(ay_quantile(x, 4, 0) == 10 && ay_quantile(x, 4, 1) == 40);
	CHECK(ay_quantile(x, 4, 0.5) == 25 && fabs(ay_quantile(x, 4, 0.95) - 38.5) < 1e-12);
	CHECK(ay_quantile(x, 4, -3) == 10 && ay_quantile(x, 4, 7) == 40);
	CHECK(ay_quantile(one, 1, 0.3) == 3);
	/* infinities are not subtracted, and NaNs come last */
	CHECK(isinf(ay_quantile(odd, 3, 0.75)) && ay_quantile(odd, 4, 0) == 1 && isnan(ay_quantile(odd, 4, 1)));
}

TEST(stats_looks_are_four)
{
	int n = 0;

	for (int i = -1; i <= 300; i++)
		n += ay_is_look(i);
	CHECK(n == AY_INTERIMS && ay_is_look(20) && ay_is_look(52) && ay_is_look(100) && ay_is_look(200));
	CHECK(ay_interim_blocks[AY_INTERIMS - 1] == AY_BLOCKS_MAX);
}

TEST(stats_paces_have_names)
{
	for (int p = 0; p < AY_PACE_COUNT; p++)
		CHECK(ay_pace_find(ay_pace_name((enum ay_pace)p)) == (enum ay_pace)p &&
		      *ay_pace_text((enum ay_pace)p));
	CHECK(ay_pace_find("FASTEST") == AY_PACE_NONE && ay_pace_find("") == AY_PACE_NONE);
}

/* --- pooling ---------------------------------------------------------------------------------- */

TEST(stats_lag_one_is_what_the_formula_says)
{
	const double up[] = { 1, 2, 3, 4 }, zigzag[] = { 1, -1, 1, -1, 1, -1 },
		     same[] = { 0.1, 0.1, 0.1, 0.1, 0.1 };

	CHECK(fabs(ay_lag1(up, 4) - 0.25) < 1e-15); /* 1.25 / 5 */
	CHECK(fabs(ay_lag1(zigzag, 6) + 5. / 6) < 1e-15);
	CHECK(ay_lag1(same, 5) == 0 && ay_lag1(up, 3) == 0);
}

TEST(stats_neighbours_that_resemble_are_pooled)
{
	double d[52];
	struct ay_ratio r;

	/* every value twice, then the other sign: pooling pairs suffices */
	for (int i = 0; i < 52; i++)
		d[i] = i / 2 % 2 ? 0.01 : -0.01;
	ay_ratio_judge(d, 52, 1, 0, &r);
	CHECKF(r.pooled == 1 && r.n == 52, "lag 1 of -- ++ is about 0: %g, %d", r.correlation, r.pooled);
	for (int i = 0; i < 52; i++)
		d[i] = i / 4 % 2 ? 0.01 : -0.01;
	ay_ratio_judge(d, 52, 1, 0, &r);
	/* runs of four: lag 1 is 0.5; pairs of them are -- ++ again */
	CHECKF(r.pooled == 2 && r.n == 26 && fabs(r.correlation - 0.5) < 0.05, "%d %d %g", r.pooled, r.n,
	       r.correlation);
	for (int i = 0; i < 52; i++)
		d[i] = i / 16 % 2 ? 0.01 : -0.01;
	ay_ratio_judge(d, 52, 1, 0, &r);
	/* runs of sixteen: pooled until too few samples are left to prove anything */
	CHECKF(r.pooled >= 8 && r.n == 52 / r.pooled && r.pace == AY_PACE_UNCLEAR && r.lo == 0 && isinf(r.hi),
	       "%d %d %s", r.pooled, r.n, ay_pace_name(r.pace));
}

TEST(stats_pooling_leaves_the_first_of_an_odd_number_out)
{
	double d[13];
	struct ay_ratio r;

	for (int i = 0; i < 13; i++)
		d[i] = i; /* a ramp: lag 1 is high; 6 pairs, 3 of four... */
	ay_ratio_judge(d, 13, 1, 0, &r);
	CHECK(r.pooled == 4 && r.n == 3 && r.pace == AY_PACE_UNCLEAR);
	CHECKF(fabs(log(r.ratio) - 6.5) < 1e-12, "1 to 12, not 0 to 11: %g", log(r.ratio));
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Makes 20 samples whose interval is exactly [lo, hi]: the rank is 3 at the level of one look, so
 * three are at each end and the median lies between. Small and large samples alternate, so none are
 * pooled. */
static void planted(double lo, double hi, double d[20])
{
	for (int i = 0; i < 20; i++)
		d[i] = i < 6 ? log(i % 2 ? hi : lo) : (log(lo) + log(hi)) / 2;
}

static enum ay_pace call_of(double lo, double hi, double totals, double slack)
{
	struct ay_ratio r;
	double d[20];

	planted(lo, hi, d);
	ay_ratio_judge(d, 20, totals, slack, &r);
	CHECKF(r.n == 20 && r.pooled == 1 && fabs(r.lo - lo) < 1e-12 && fabs(r.hi - hi) < 1e-12, "[%g, %g]", r.lo,
	       r.hi);
	CHECK(fabs(ay_half_width(&r) - (hi - lo) / 2 / sqrt(lo * hi)) < 1e-12);
	return r.pace;
}

TEST(stats_calls_change_at_their_borders)
{
	static const struct {
		double lo, hi, totals, slack;
		enum ay_pace want;
	} rows[] = {
		{ 1.0101, 1.20, 1.1, 0, AY_PACE_FASTER },
		{ 1.0099, 1.20, 1.1, 0, AY_PACE_UNCLEAR },
		{ 1.0101, 1.20, 1.0001, 0, AY_PACE_FASTER },
		{ 1.0101, 1.20, 1.0, 0,
		  AY_PACE_UNCLEAR }, /* the sums disagree: a few slow blocks explain the lead */
		{ 1.0101, 1.20, 0.9, 0, AY_PACE_UNCLEAR },
		/* within what the gate cannot resolve */
		{ 1.0499, 1.20, 1.1, 0.05, AY_PACE_UNCLEAR },
		{ 1.0501, 1.20, 1.1, 0.05, AY_PACE_FASTER },
		/* a slack below the margin has no effect */
		{ 1.0101, 1.20, 1.1, 0.005, AY_PACE_FASTER },
		{ 0.80, 0.9899, 0.9, 0, AY_PACE_SLOWER },
		{ 0.80, 0.9901, 0.9, 0, AY_PACE_UNCLEAR },
		{ 0.80, 0.9899, 0.9, 0.5, AY_PACE_SLOWER }, /* slack never protects a slow kernel */
		{ 0.9701, 1.0299, 1, 0, AY_PACE_SAME },
		{ 0.9699, 1.0299, 1, 0, AY_PACE_UNCLEAR },
		{ 0.9701, 1.0301, 1, 0, AY_PACE_UNCLEAR },
		/* both fit: the more informative one is chosen */
		{ 1.0101, 1.0299, 1.1, 0, AY_PACE_FASTER },
		/* and if it must not be claimed, the other one */
		{ 1.0101, 1.0299, 1.1, 0.05, AY_PACE_SAME },
		{ 0.9701, 0.9899, 0.9, 0, AY_PACE_SLOWER },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const enum ay_pace got = call_of(rows[i].lo, rows[i].hi, rows[i].totals, rows[i].slack);

		CHECKF(got == rows[i].want, "row %zu: %s, not %s", i, ay_pace_name(got),
		       ay_pace_name(rows[i].want));
	}
}

TEST(stats_few_or_impossible_samples_are_unclear)
{
	double d[AY_SAMPLES_MAX] = { 0 };
	struct ay_ratio r;

	for (int i = 0; i < AY_SAMPLES_MAX; i++)
		d[i] = log(2);
	ay_ratio_judge(d, 9, 2, 0, &r); /* 2 * 2^-9 > 0.0025 */
	CHECK(r.pace == AY_PACE_UNCLEAR && r.lo == 0 && isinf(r.hi) && fabs(r.ratio - 2) < 1e-12);
	CHECK(ay_patience(20, &r) > 1);
	ay_ratio_judge(d, 10, 2, 0, &r);
	CHECK(r.pace == AY_PACE_FASTER && ay_patience(20, &r) == 1 && ay_patience(19, &r) > 1);
	ay_ratio_judge(d, 0, 2, 0, &r);
	CHECK(r.pace == AY_PACE_UNCLEAR && r.n == 0);
	ay_ratio_judge(d, AY_SAMPLES_MAX, 2, 0, &r);
	CHECK(r.pace == AY_PACE_FASTER);
	d[7] = NAN;
	ay_ratio_judge(d, 20, 2, 0, &r);
	CHECK(r.pace == AY_PACE_UNCLEAR && r.lo == 0);
	d[7] = INFINITY;
	ay_ratio_judge(d, 20, 2, 0, &r);
	CHECK(r.pace == AY_PACE_UNCLEAR && r.ratio == 1);
	d[7] = log(2);
	ay_ratio_judge(d, 20, NAN, 0, &r); /* sums that are NaN prove nothing either */
	CHECK(r.pace != AY_PACE_FASTER);
}

/* --- simulated runs --------------------------------------------------------------------------- */

enum { RUNS = 2000, NAIVE_RUNS = 400 };

struct sim {
	double ratio, sd, rho; /* true ratio; of one sample; lag-1 correlation of an AR(1) */
	uint64_t seed;
};

static void normals(struct ay_key key, uint64_t at, double z[4])
{
	const uint64_t ctr[4] = { at };
	uint64_t u[4];

	ay_philox(key, ctr, u);
	for (int i = 0; i < 4; i += 2) {
		const double radius = sqrt(-2 * log(((double)(u[i] >> 11) + 0.5) * 0x1p-53));
		const double angle = 2 * M_PI * ((double)(u[i + 1] >> 11) * 0x1p-53);

		z[i] = radius * cos(angle);
		z[i + 1] = radius * sin(angle);
	}
}

static void simulate(const struct sim *s, int run, double d[AY_SAMPLES_MAX])
{
	const struct ay_key key = ay_key_from_seed("stats", s->seed * 1000003 + (uint64_t)run);
	double e = 0, z[4];

	for (int i = 0; i < AY_SAMPLES_MAX; i++) {
		if (i % 4 == 0)
			normals(key, (uint64_t)i / 4, z);
		e = i ? s->rho * e + sqrt(1 - s->rho * s->rho) * z[i % 4] : z[0];
		d[i] = log(s->ratio) + s->sd * e;
	}
}

static double totals_of(const double *d, int n)
{
	double a = 0, b = 0;

	for (int i = 0; i < n; i++) {
		a += 1;
		b += exp(d[i]);
	}
	return b / a;
}

static bool is_call(enum ay_pace p)
{
	return p == AY_PACE_FASTER || p == AY_PACE_SLOWER;
}

/* Stops as a measurement does: at the first look that decides or is narrow enough. */
static enum ay_pace stop_early(const double *d)
{
	struct ay_ratio r = { 0 };

	for (int i = 0; i < AY_INTERIMS; i++) {
		ay_ratio_judge(d, 2 * ay_interim_blocks[i], totals_of(d, 2 * ay_interim_blocks[i]), 0, &r);
		if (r.pace != AY_PACE_UNCLEAR || ay_half_width(&r) <= 0.005)
			break;
	}
	return r.pace;
}

/* Never stops; a decision at any look counts. */
static enum ay_pace all_looks(const double *d)
{
	enum ay_pace p = AY_PACE_UNCLEAR;
	struct ay_ratio r;

	for (int i = 0; i < AY_INTERIMS; i++) {
		ay_ratio_judge(d, 2 * ay_interim_blocks[i], totals_of(d, 2 * ay_interim_blocks[i]), 0, &r);
		p = is_call(r.pace) ? r.pace : p;
	}
	return p;
}

/* The planted defect: looks after every block at 95 %, with no margin, until there is something to
 * say. */
static enum ay_pace naive(const double *d)
{
	for (int n = 6; n <= AY_BLOCKS_MAX; n++) {
		double mid, lo, hi;

		ay_interval(d, n, 0.05, &mid, &lo, &hi);
		if (lo > 0 || hi < 0)
			return lo > 0 ? AY_PACE_FASTER : AY_PACE_SLOWER;
	}
	return AY_PACE_SAME;
}

/* Returns the share of runs that end in `want`; NONE: in FASTER or SLOWER. */
static double share(const struct sim *s, int runs, enum ay_pace (*rule)(const double *), enum ay_pace want)
{
	double d[AY_SAMPLES_MAX];
	int hits = 0;

	for (int run = 0; run < runs; run++) {
		enum ay_pace got;

		simulate(s, run, d);
		got = rule(d);
		hits += want == AY_PACE_NONE ? is_call(got) : got == want;
	}
	return (double)hits / runs;
}

TEST(stats_simulation_has_the_noise_it_says)
{
	const struct sim s = { 1.02, 0.02, 0.3, 1 };
	double d[AY_SAMPLES_MAX], mean = 0, var = 0, rho = 0;

	for (int run = 0; run < 200; run++) {
		simulate(&s, run, d);
		for (int i = 0; i < AY_SAMPLES_MAX; i++) {
			mean += d[i] / AY_SAMPLES_MAX / 200;
			var += pow(d[i] - log(1.02), 2) / AY_SAMPLES_MAX / 200;
		}
		rho += ay_lag1(d, AY_SAMPLES_MAX) / 200;
	}
	CHECKF(fabs(mean - log(1.02)) < 1e-3 && fabs(sqrt(var) - 0.02) < 5e-4 && fabs(rho - 0.3) < 0.02,
	       "mean %g, sd %g, lag 1 %g", mean, sqrt(var), rho);
}

TEST(stats_equal_kernels_are_rarely_called_different)
{
	static const double sds[] = { 0.01, 0.02 }, rhos[] = { 0, 0.3 }, limits[] = { 0.02, 0.05 };

	for (int i = 0; i < 4; i++) {
		const double limit = limits[i / 2];
		const struct sim s = { 1, sds[i % 2], rhos[i / 2], 7 };
		const double early = share(&s, RUNS, stop_early, AY_PACE_NONE);
		const double late = share(&s, RUNS, all_looks, AY_PACE_NONE);
		const double bad = share(&s, NAIVE_RUNS, naive, AY_PACE_NONE);

		CHECKF(early <= limit && late <= limit, "sd %g, lag 1 %g: %g stopping early, %g at all looks",
		       s.sd, s.rho, early, late);
		/* would this test notice? */
		CHECKF(bad > 2 * limit, "sd %g, lag 1 %g: the naive rule is wrong in only %g", s.sd, s.rho, bad);
	}
}

/* The margin hides much. The interval alone must hold too, or a true 1 % would be reported as 2
 * %. */
TEST(stats_intervals_cover_the_truth)
{
	static const double rhos[] = { 0, 0.3 }, limits[] = { 0.01, 0.02 }; /* 0.032 unpooled */

	for (int i = 0; i < 2; i++) {
		const struct sim s = { 1.5, 0.02, rhos[i], 11 };
		double d[AY_SAMPLES_MAX];
		int missed = 0;

		for (int run = 0; run < RUNS; run++) {
			bool out = false;
			struct ay_ratio r;

			simulate(&s, run, d);
			for (int k = 0; k < AY_INTERIMS; k++) {
				ay_ratio_judge(d, 2 * ay_interim_blocks[k], 1.5, 0, &r);
				out = out || r.lo > 1.5 || r.hi < 1.5;
			}
			missed += out;
		}
		CHECKF(missed <= limits[i] * RUNS, "lag 1 %g: %d of %d", rhos[i], missed, RUNS);
		CHECKF(missed > 0, "lag 1 %g: an interval that is never wrong is not this one", rhos[i]);
	}
}

TEST(stats_true_differences_are_found)
{
	const struct sim up = { 1.03, 0.01, 0, 3 }, down = { 0.97, 0.01, 0, 4 }, none = { 1, 0.01, 0, 5 };
	const double faster = share(&up, RUNS / 2, stop_early, AY_PACE_FASTER);
	const double slower = share(&down, RUNS / 2, stop_early, AY_PACE_SLOWER);
	const double same = share(&none, RUNS / 2, stop_early, AY_PACE_SAME);

	CHECKF(faster > 0.9 && slower > 0.9 && same > 0.9, "%g faster, %g slower, %g same", faster, slower, same);
}
