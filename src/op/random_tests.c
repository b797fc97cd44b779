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
 * any length; and in larger results one half against the other (correlation.c).
 *
 * A law is tested in bins whose edges lie between two neighbours of the dtype. Rounding to nearest
 * then never moves a draw over an edge, so the probability of every bin is exact for half types
 * too. Tested are the counts up to every edge and in every bin, the mean and the square of the
 * bin's index, and how many draws have a value that an earlier one has.
 */
#include "op/op.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void keep(const struct ay_draws *s, struct ay_draws *to)
{
	if (!to || to->n != s->n || !s->n)
		return;
	to->row = s->row;
	memcpy(to->d, s->d, sizeof *s->d * (size_t)s->n);
	memcpy(to->v, s->v, sizeof *s->v * (size_t)s->n);
}

/* Tests whether the second half depends on the first one. The probe does not reach that far in large
 * results. */
static bool check_halves(const struct ay_draws *s, struct ay_finding *f)
{
	const int64_t n = s->n / 2;
	const struct ay_draws half[2] = { { n, s->row, s->d, s->v }, { n, s->row, s->d + n, s->v + n } };

	if (s->n <= REACH || ay_draws_apart(&half[0], &half[1], f))
		return true;
	snprintf(f->text, sizeof f->text,
		 "draws of the second half depend on those of the first: their correlation sums to %.4g, that of "
		 "honest ones stays within %.4g",
		 f->got, f->bound);
	return false;
}

bool ay_draws_places(const struct ay_draws *s, struct ay_finding *f)
{
	struct ay_arena tmp = { 0 };
	uint8_t *eighth = AY_NEW_N(&tmp, uint8_t, s->n), *cls = AY_NEW_N(&tmp, uint8_t, s->n);
	bool ok;

	keep(s, f->draws);
	for (int64_t i = 0; i < s->n; i++) {
		eighth[i] = (uint8_t)(i * EIGHTHS / s->n);
		cls[i] = (uint8_t)(i % CLASSES);
	}
	ok = ay_draws_sum(s, "draws by place, eighth", eighth, EIGHTHS, alpha, f) &&
	     ay_draws_sum(s, "draws by place modulo 32, class", cls, CLASSES, alpha, f) && check_lags(s, f) &&
	     check_halves(s, f);
	ay_arena_release(&tmp);
	return ok;
}

double ay_draws_log2_same(const struct ay_op *op, const struct ay_call *c)
{
	const int64_t n = c->nout ? ay_numel_of(&c->out[0]->view) : 0;
	struct ay_arena tmp = { 0 };
	double *p = AY_NEW_N(&tmp, double, n + 1), sum = 0;

	if (n && op->log2_top)
		op->log2_top(c, p);
	for (int64_t i = 0; i < n; i++)
		sum += p[i];
	ay_arena_release(&tmp);
	return sum;
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

/* Returns the probability of the likeliest value that a draw may have: of the dtype, or of a generator
 * with 2^19 values. Values are four times as likely at most as the likeliest edge of a bin. */
static double likeliest(const struct ay_law *l, const struct bins *b)
{
	double most = 0x1p-19;

	for (int k = 0; k < EDGES; k++) {
		const double step = ay_dt_ulp(l->dt, b->edge[k]);

		most = fmax(most, 4 * (l->below(l, b->edge[k] + step / 2) - l->below(l, b->edge[k] - step / 2)));
	}
	return most;
}

/* Returns how many draws are equal to an earlier one. `table` has `size` elements, a power of two. */
static double count_equal(const double *x, int64_t n, double *table, uint64_t size)
{
	double equal = 0;

	for (uint64_t i = 0; i < size; i++)
		table[i] = NAN;
	for (int64_t i = 0; i < n; i++) {
		uint64_t at;

		memcpy(&at, &x[i], sizeof at);
		for (at = (at * 0x9e3779b97f4a7c15u) >> 20; !isnan(x[i]); at++) {
			if (table[at % size] == x[i])
				equal++;
			else if (!isnan(table[at % size]))
				continue;
			table[at % size] = x[i];
			break;
		}
	}
	return equal;
}

/* Tests how many draws are equal to an earlier one. Each is with probability n * p at most, whatever
 * the others are: the sum of deviations is a supermartingale. */
static bool check_values(const struct ay_law *l, const struct bins *b, const double *x, int64_t n, double drawn,
			 struct ay_finding *f)
{
	const double p = likeliest(l, b), most = drawn * drawn * p / 2,
		     bound = most + ay_bernstein(most, AY_ALPHA_CASE / 1000);
	struct ay_arena tmp = { 0 };
	uint64_t size = 1024;
	double equal;

	if (drawn * p > 0.25) /* the dtype has few values itself */
		return true;
	while (size < 2 * (uint64_t)n)
		size *= 2;
	equal = count_equal(x, n, AY_NEW_N(&tmp, double, (int64_t)size), size);
	ay_arena_release(&tmp);
	if (equal <= bound)
		return true;
	f->got = equal;
	f->bound = bound;
	snprintf(
		f->text, sizeof f->text,
		"draws have too few values: %.0f of %.0f have that of an earlier one, of honest ones at most %.0f",
		equal, drawn, bound);
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
	ok = check_counts(&b, count, drawn, f) && check_values(l, &b, x, n, drawn, f) &&
	     check_scores(&b, &s, bin, f);
	ay_arena_release(&tmp);
	return ok;
}
