/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests whether draws are independent and follow their law. Every test has a stated false-alarm
 * rate for any number of draws: it rests on Bernstein's inequality, not on a limit theorem.
 *
 * Sums of deviations d_i have independent terms, bounded by 1: the threshold is ay_bernstein of the
 * sum of their variances. A product d_i d_(i+lag) is a martingale difference, bounded by 1, with
 * conditional variance d_i^2 v_(i+lag). Freedman's inequality is Bernstein's with a bound on the
 * sum of these. That sum has mean sum v_i v_(i+lag). It exceeds its mean by ay_bernstein(sum v_i
 * v_(i+lag)^2) with probability at most alpha (d^2 <= 1, so var(d^2) <= v), which costs a second
 * alpha.
 *
 * Places: sums over eighths of the tensor, and over positions modulo 32. Products of elements `lag`
 * apart, for lags 1, 2, 3, 5, 7, the row length and its multiples, powers of two and n/2. And the
 * first PROBE elements against every range up to REACH after them, which finds a repeated block of
 * any length.
 *
 * A law is tested in bins whose edges lie between two neighbours of the dtype. Rounding to nearest
 * then never moves a draw over an edge, so the probability of every bin is exact for half types
 * too. Tested are the counts up to every edge and in every bin, and the mean and the square of the
 * bin's index.
 *
 * Equal draws show how many bits a generator has. Of n draws from 2^20 values n^2 / 2^21 pairs are
 * equal, and more where the dtype's own numbers are sparse. Four times as many pairs and 60 more
 * have a probability below e^-100, by the tail of a Poisson law, so this test adds nothing to the
 * false-alarm rate. Draws of 16 bits have 16 times as many.
 */
#include "op/op.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_GROUPS = 64, EIGHTHS = 8, CLASSES = 32, MAX_LAGS = 64, PROBE = 512, REACH = 65536 };

/* Half of the rate for all tests of places is for these, the other half for the probe; a lag has
 * two inequalities. */
static const double alpha = AY_ALPHA_CASE / (4 * (EIGHTHS + CLASSES + 2 * MAX_LAGS));
static const double alpha_probe = AY_ALPHA_CASE / (4 * 2 * REACH);
#define BIAS 0x1p-20

void ay_draws_load(const struct ay_view *v, const struct ay_view *like, double *dst)
{
	const int64_t n = ay_numel_of(like), len = like->ndim ? like->shape[like->ndim - 1] : 1;
	struct ay_err err = { 0 };
	struct ay_view w;

	if (ay_view_expand(v, like->ndim, like->shape, &w, &err))
		AY_BUG("%s", err.msg);
	for (int64_t i = 0; i < n; i += len)
		ay_row_load_d(w.dt, (const uint8_t *)w.data + ay_view_at(&w, i) * ay_dt_info(w.dt)->bytes,
			      w.ndim ? w.stride[w.ndim - 1] : 1, len, dst + i);
}

void ay_draws_store(const struct ay_view *v, const double *src)
{
	const int64_t n = ay_numel_of(v), len = v->ndim ? v->shape[v->ndim - 1] : 1;

	for (int64_t i = 0; i < n; i += len)
		ay_row_store_d(v->dt, (uint8_t *)v->data + ay_view_at(v, i) * ay_dt_info(v->dt)->bytes,
			       v->ndim ? v->stride[v->ndim - 1] : 1, len, src + i);
}

double ay_chance_next(struct ay_chance *u)
{
	const int k = (int)(u->n % 4);

	if (!k)
		ay_philox(u->key, (const uint64_t[4]){ u->n / 4 }, u->bits);
	u->n++;
	return ((double)(u->bits[k] >> 11) + 0.5) * 0x1p-53;
}

/* --- sums ------------------------------------------------------------------------------------- */

bool ay_draws_within(const char *what, double sum, double var, double n, double a, struct ay_finding *f)
{
	double t = ay_bernstein(var, a) + BIAS * n;

	if (fabs(sum) <= t)
		return true;
	f->got = sum;
	f->bound = t;
	snprintf(f->text, sizeof f->text,
		 "%s: the deviations of %.0f draws sum to %.4g, those of honest ones stay within %.4g", what, n,
		 sum, t);
	return false;
}

bool ay_draws_sum(const struct ay_draws *s, const char *what, const uint8_t *group, int groups, double a,
		  struct ay_finding *f)
{
	double sum[MAX_GROUPS] = { 0 }, var[MAX_GROUPS] = { 0 }, n[MAX_GROUPS] = { 0 };

	if (groups > MAX_GROUPS)
		AY_BUG("%d groups", groups);
	for (int64_t i = 0; i < s->n; i++) {
		int g = group ? group[i] : 0;

		sum[g] += s->d[i];
		var[g] += s->v[i];
		n[g] += s->v[i] > 0;
	}
	for (int g = 0; g < groups; g++) {
		char text[100];

		snprintf(text, sizeof text, groups > 1 ? "%s %d of %d" : "%s", what, g + 1, groups);
		if (!ay_draws_within(text, sum[g], var[g], n[g], a, f))
			return false;
	}
	return true;
}

/* --- places ----------------------------------------------------------------------------------- */

/* Returns the sum of products. Four partial sums, so that no addition waits for the one before. */
static double products(const double *a, const double *b, int64_t n)
{
	double s[4] = { 0 };
	int64_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (int k = 0; k < 4; k++)
			s[k] += a[i + k] * b[i + k];
	for (; i < n; i++)
		s[0] += a[i] * b[i];
	return (s[0] + s[1]) + (s[2] + s[3]);
}

/* Computes the sums of v_i v_(i+lag) and of v_i v_(i+lag)^2, also in four parts. */
static void variances(const double *a, const double *b, int64_t n, double *v0, double *v1)
{
	double s[4] = { 0 }, t[4] = { 0 };
	int64_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (int k = 0; k < 4; k++) {
			const double ab = a[i + k] * b[i + k];

			s[k] += ab;
			t[k] += ab * b[i + k];
		}
	for (; i < n; i++) {
		s[0] += a[i] * b[i];
		t[0] += a[i] * b[i] * b[i];
	}
	*v0 = (s[0] + s[1]) + (s[2] + s[3]);
	*v1 = (t[0] + t[1]) + (t[2] + t[3]);
}

/* Tests the sum of d_i d_(i+lag) over the first n pairs. Returns false if it is more
 * than chance. */
static bool check_lag(const struct ay_draws *s, int64_t lag, int64_t n, double a, struct ay_finding *f)
{
	double sum = products(s->d, s->d + lag, n), v0, v1, t;

	/* ay_bernstein(0, a): the threshold is at least this */
	if (fabs(sum) <= 2 * log(2 / a) / 3)
		return true;
	variances(s->v, s->v + lag, n, &v0, &v1);
	t = ay_bernstein(v0 + ay_bernstein(v1, a), a) + 4 * BIAS * (double)n;
	if (fabs(sum) <= t)
		return true;
	f->got = sum;
	f->bound = t;
	snprintf(f->text, sizeof f->text,
		 "draws %lld apart depend on each other: their correlation sums to %.4g over %lld pairs, honest "
		 "ones stay within %.4g",
		 (long long)lag, sum, (long long)n, t);
	return false;
}

static int list_lags(const struct ay_draws *s, int64_t *lag)
{
	int n = 0;

	for (int64_t k = 1; k < s->n && n < MAX_LAGS / 2; k *= 2)
		lag[n++] = k;
	for (int64_t k = 3; k < 8; k += 2)
		lag[n++] = k;
	for (int64_t k = 1; k <= 4; k++)
		lag[n++] = k * s->row;
	lag[n++] = s->n / 2;
	return n;
}

static bool check_lags(const struct ay_draws *s, struct ay_finding *f)
{
	int64_t lag[MAX_LAGS];
	int n = list_lags(s, lag);

	for (int k = 0; k < n; k++)
		if (lag[k] > 0 && lag[k] < s->n && !check_lag(s, lag[k], s->n - lag[k], alpha, f))
			return false;
	for (int64_t k = 1; k <= REACH && k + PROBE <= s->n; k++)
		if (!check_lag(s, k, PROBE, alpha_probe, f))
			return false;
	return true;
}

bool ay_draws_places(const struct ay_draws *s, struct ay_finding *f)
{
	struct ay_arena tmp = { 0 };
	uint8_t *eighth = AY_NEW_N(&tmp, uint8_t, s->n), *cls = AY_NEW_N(&tmp, uint8_t, s->n);
	bool ok;

	for (int64_t i = 0; i < s->n; i++) {
		eighth[i] = (uint8_t)(i * EIGHTHS / s->n);
		cls[i] = (uint8_t)(i % CLASSES);
	}
	ok = ay_draws_sum(s, "draws by place, eighth", eighth, EIGHTHS, alpha, f) &&
	     ay_draws_sum(s, "draws by place modulo 32, class", cls, CLASSES, alpha, f) && check_lags(s, f);
	ay_arena_release(&tmp);
	return ok;
}

/* --- a law ------------------------------------------------------------------------------------ */

enum { EVEN = 32, TAILS = 4, EDGES = EVEN - 1 + TAILS, BINS = EDGES + 1, MOMENTS = 2 };

/* Bin k holds the values above edge[k - 1] and up to edge[k]. */
struct bins {
	double edge[EDGES];  /* values of the dtype */
	double below[EDGES]; /* probability of a draw that is rounded to at most the edge */
	double chance[BINS];
};

/* Returns the value of the dtype next above x; x is a value of the dtype. */
static double next_above(enum ay_dt dt, double x)
{
	const double step = ay_dt_ulp(dt, x), half = x + step / 2;

	/* just above a negative power of two, neighbours are closer */
	return x < 0 && ay_round_bits_d(half, ay_dt_info(dt)->mant) == half ? half : x + step;
}

static void make_bins(const struct ay_law *l, struct bins *b)
{
	static const double tails[] = { 1. / 1024, 1. / 128, 1 - 1. / 128, 1 - 1. / 1024 };
	double last = 0;

	for (int k = 0; k < EDGES; k++) {
		const double u = k < 2           ? tails[k]
				 : k < EDGES - 2 ? (double)(k - 1) / EVEN
						 : tails[k - EDGES + TAILS];
		double x = l->quantile(l, u), step = ay_dt_ulp(l->dt, x);

		x = fmin(floor(x / step) * step, (double)ay_dt_max(l->dt));
		b->edge[k] = x;
		b->below[k] = l->below(l, x / 2 + next_above(l->dt, x) / 2);
		b->chance[k] = b->below[k] - last;
		last = b->below[k];
	}
	b->chance[BINS - 1] = 1 - last;
}

static int bin_of(const struct bins *b, double x)
{
	int lo = 0, hi = BINS - 1;

	while (lo < hi) {
		int mid = (lo + hi) / 2;

		if (x <= b->edge[mid])
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static bool check_counts(const struct bins *b, const double *count, double n, struct ay_finding *f)
{
	const double a = AY_ALPHA_CASE / (2 * (EDGES + BINS + MOMENTS));
	double sum = 0;
	char text[100];

	for (int k = 0; k < BINS; k++) {
		const double p = b->chance[k];

		snprintf(text, sizeof text, "draws in bin %d of %d, %.4g %% of all", k + 1, BINS, 100 * p);
		if (!ay_draws_within(text, count[k] - n * p, n * p * (1 - p), n, a, f))
			return false;
	}
	for (int k = 0; k < EDGES; k++) {
		const double p = b->below[k];

		sum += count[k];
		snprintf(text, sizeof text, "draws up to %.4g, %.4g %% of all", b->edge[k], 100 * p);
		if (!ay_draws_within(text, sum - n * p, n * p * (1 - p), n, a, f))
			return false;
	}
	return true;
}

/* The score of a bin is its index, scaled to 0..1. Tests the deviations from the mean, then those
 * of their squares from the variance. */
static bool check_scores(const struct bins *b, const struct ay_draws *s, const int8_t *bin, struct ay_finding *f)
{
	const double a = AY_ALPHA_CASE / (2 * (EDGES + BINS + MOMENTS));
	double mean = 0, var = 0, fourth = 0;

	for (int k = 0; k < BINS; k++)
		mean += b->chance[k] * k / BINS;
	for (int k = 0; k < BINS; k++) {
		double d = (double)k / BINS - mean;

		var += b->chance[k] * d * d;
		fourth += b->chance[k] * d * d * d * d;
	}
	for (int64_t i = 0; i < s->n; i++) {
		s->d[i] = bin[i] < 0 ? 0 : (double)bin[i] / BINS - mean;
		s->v[i] = bin[i] < 0 ? 0 : var;
	}
	if (!ay_draws_sum(s, "their mean", NULL, 1, a, f) || !ay_draws_places(s, f))
		return false;
	for (int64_t i = 0; i < s->n; i++) {
		s->d[i] = bin[i] < 0 ? 0 : s->d[i] * s->d[i] - var;
		s->v[i] = bin[i] < 0 ? 0 : fourth - var * var;
	}
	return ay_draws_sum(s, "their variance", NULL, 1, a, f);
}

/* Returns the probability that two draws, each rounded to the dtype, are equal. */
static double chance_of_equal(const struct ay_law *l, const struct bins *b)
{
	double sum = 0;

	for (int k = 0; k < BINS; k++) {
		/* the outer bins have no width: their numbers lie as in the bin beside them */
		const int hi = k < 1 ? 1 : k < EDGES ? k : EDGES - 1;
		const double width = b->edge[hi] - b->edge[hi - 1], step = ay_dt_ulp(l->dt, b->edge[hi]);

		sum += b->chance[k] * b->chance[k] * (step < width ? step / width : 1);
	}
	return sum;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Counts pairs of equal draws, of the first MOST that are not NaN. */
static bool check_repeats(const struct ay_law *l, const struct bins *b, int64_t n, const double *x,
			  struct ay_finding *f)
{
	enum { MOST = 1 << 17, LEAST = 1000 };
	struct ay_arena tmp = { 0 };
	double *y = AY_NEW_N(&tmp, double, n < MOST ? n : MOST), pairs = 0, limit;
	int64_t m = 0;

	for (int64_t i = 0; i < n && m < MOST; i++)
		if (!isnan(x[i]))
			y[m++] = x[i];
	qsort(y, (size_t)m, sizeof *y, by_size);
	for (int64_t i = 1, run = 0; i < m; i++) {
		run = y[i] == y[i - 1] ? run + 1 : 0;
		pairs += (double)run;
	}
	ay_arena_release(&tmp);
	limit = 60 + 4 * (double)m * (double)m / 2 * (BIAS + chance_of_equal(l, b));
	if (m < LEAST || pairs <= limit)
		return true;
	f->got = pairs;
	f->bound = limit;
	snprintf(f->text, sizeof f->text,
		 "%.0f pairs of %lld draws are equal: they come from too few values. A generator of 20 bits stays "
		 "below %.0f",
		 pairs, (long long)m, limit);
	return false;
}

bool ay_law_check(const struct ay_law *l, int64_t n, int64_t row, const double *x, struct ay_finding *f)
{
	struct ay_arena tmp = { 0 };
	struct ay_draws s = { n, row, AY_NEW_N(&tmp, double, n), AY_NEW_N(&tmp, double, n) };
	int8_t *bin = AY_NEW_N(&tmp, int8_t, n);
	double count[BINS] = { 0 }, drawn = 0;
	struct bins b;
	bool ok;

	make_bins(l, &b);
	for (int64_t i = 0; i < n; i++) {
		bin[i] = (int8_t)(isnan(x[i]) ? -1 : bin_of(&b, x[i]));
		if (bin[i] < 0)
			continue;
		count[bin[i]]++;
		drawn++;
	}
	ok = check_counts(&b, count, drawn, f) && check_scores(&b, &s, bin, f) && check_repeats(l, &b, n, x, f);
	ay_arena_release(&tmp);
	return ok;
}
