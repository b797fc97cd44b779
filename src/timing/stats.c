/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/stats.h"
#include "base/arena.h"
#include "base/err.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

const int ay_interim_blocks[AY_INTERIMS] = { 20, 52, 100, 200 };

/* Probability that any of the interim analyses calls equal kernels different, without the margins below. */
static const double alpha_all = 0.01;
static const double pool_above = 0.2;
static const double faster_above = 1.01, slower_below = 0.99, same_from = 0.97, same_to = 1.03;

/* 2^-n must be representable in a long double. */
enum { SIGN_MAX = 16000 };

static const struct {
	const char *name, *text;
} paces[AY_PACE_COUNT] = {
#define P(name, text) { #name, text },
	AY_PACES(P)
#undef P
};

const char *ay_pace_name(enum ay_pace p)
{
	return paces[p].name;
}

const char *ay_pace_text(enum ay_pace p)
{
	return paces[p].text;
}

enum ay_pace ay_pace_find(const char *name)
{
	for (int p = 0; p < AY_PACE_COUNT; p++)
		if (!strcmp(name, paces[p].name))
			return (enum ay_pace)p;
	return AY_PACE_NONE;
}

/* --- order statistics ------------------------------------------------------------------------------------ */

/* Sorts NaN last, so that the order is total. */
static int ascending(const void *pa, const void *pb)
{
	const double a = *(const double *)pa, b = *(const double *)pb;

	if (isnan(a) || isnan(b))
		return !!isnan(a) - !!isnan(b);
	return (a > b) - (a < b);
}

/* Returns a sorted copy, which the caller frees. */
static double *sorted(const double *x, int n)
{
	double *s = ay_xrealloc(NULL, sizeof *s * (size_t)n);

	memcpy(s, x, sizeof *s * (size_t)n);
	qsort(s, (size_t)n, sizeof *s, ascending);
	return s;
}

/* Equal neighbours are not subtracted, because they may be infinite. */
static double quantile_of_sorted(const double *s, int n, double q)
{
	const double at = fmin(fmax(q, 0), 1) * (n - 1);
	const int i = (int)at;

	if (i + 1 >= n || s[i] == s[i + 1] || at == i)
		return s[i];
	return s[i] + (s[i + 1] - s[i]) * (at - i);
}

double ay_quantile(const double *x, int n, double q)
{
	double *s = sorted(x, n);
	const double v = quantile_of_sorted(s, n, q);

	ay_xfree(s);
	return v;
}

int ay_sign_rank(int n, double alpha)
{
	long double p, below = 0;
	int k = 0;

	AY_ASSERT(n <= SIGN_MAX);
	p = ldexpl(1, -n); /* probability of k heads */
	while (k < n && 2 * (below + p) <= alpha) {
		below += p;
		p *= (long double)(n - k) / (k + 1);
		k++;
	}
	return k;
}

void ay_interval(const double *d, int n, double alpha, double *mid, double *lo, double *hi)
{
	const int k = ay_sign_rank(n, alpha);
	double *s = sorted(d, n);

	*mid = quantile_of_sorted(s, n, 0.5);
	*lo = k ? s[k - 1] : -INFINITY;
	*hi = k ? s[n - k] : INFINITY;
	ay_xfree(s);
}

/* --- neighbours ------------------------------------------------------------------------------------------ */

double ay_lag1(const double *d, int n)
{
	double mean = 0, var = 0, cov = 0;

	if (n < 4)
		return 0;
	for (int i = 0; i < n; i++)
		mean += d[i] / n;
	for (int i = 0; i < n; i++) {
		var += (d[i] - mean) * (d[i] - mean);
		cov += i ? (d[i] - mean) * (d[i - 1] - mean) : 0;
	}
	/* equal samples leave rounding errors of the mean, and those are correlated */
	return var > n * 1e-28 * mean * mean && isfinite(var) ? cov / var : 0;
}

/* Averages pairs in place. If n is odd, the first sample is left out, since it is the most likely
 * to be unusual. */
static int average_pairs(double *d, int n)
{
	const int first = n % 2;

	for (int i = 0; i < n / 2; i++)
		d[i] = (d[first + 2 * i] + d[first + 2 * i + 1]) / 2;
	return n / 2;
}

/* --- judging --------------------------------------------------------------------------------------------- */

bool ay_is_look(int n)
{
	for (int i = 0; i < AY_INTERIMS; i++)
		if (ay_interim_blocks[i] == n)
			return true;
	return false;
}

int ay_patience(int blocks, const struct ay_ratio *r)
{
	return blocks < ay_interim_blocks[0] ? 4 : isinf(r->hi) ? 2 : 1;
}

static enum ay_pace pace_of(const struct ay_ratio *r, double totals, double slack)
{
	if (r->lo > fmax(faster_above, 1 + slack) && totals > 1)
		return AY_PACE_FASTER;
	if (r->hi < slower_below)
		return AY_PACE_SLOWER;
	return r->lo >= same_from && r->hi <= same_to ? AY_PACE_SAME : AY_PACE_UNCLEAR;
}

void ay_ratio_judge(const double *d, int n, double totals, double slack, struct ay_ratio *r)
{
	double s[AY_SAMPLES_MAX], mid = 0, lo = -INFINITY, hi = INFINITY;
	bool number = n > 0;

	AY_ASSERT(n >= 0 && n <= AY_SAMPLES_MAX);
	for (int i = 0; i < n; i++) {
		s[i] = d[i];
		number = number && isfinite(d[i]);
	}
	*r = (struct ay_ratio){
		.pace = AY_PACE_UNCLEAR, .n = n, .pooled = 1, .ratio = 1, .lo = 0, .hi = INFINITY
	};
	if (!number)
		return;
	r->correlation = ay_lag1(s, n);
	while (ay_lag1(s, r->n) > pool_above) {
		r->n = average_pairs(s, r->n);
		r->pooled *= 2;
	}
	ay_interval(s, r->n, alpha_all / AY_INTERIMS, &mid, &lo, &hi);
	r->ratio = exp(mid);
	r->lo = exp(lo);
	r->hi = exp(hi);
	r->pace = pace_of(r, totals, slack);
}

void ay_ratio_why_unclear(const struct ay_ratio *r, double totals, double slack, char *why, size_t n)
{
	if (isinf(r->hi))
		snprintf(why, n, "too few independent samples for an interval: try a larger --budget");
	else if (r->lo > fmax(faster_above, 1 + slack) && totals <= 1)
		snprintf(why, n, "most blocks lead, and the sum of all times does not");
	else if (r->lo > faster_above)
		snprintf(why, n, "the lead may be noise of the clock: up to %.*f %% of a batch", slack < 0.01,
			 100 * slack);
	else
		snprintf(why, n, "the interval is too wide to tell: try a larger --budget or a quieter machine");
}

double ay_half_width(const struct ay_ratio *r)
{
	return (r->hi - r->lo) / 2 / r->ratio;
}
