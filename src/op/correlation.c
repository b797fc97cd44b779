/* SPDX-License-Identifier: Apache-2.0
 *
 * correlation - whether the draws of two calls of a random operator depend on each other.
 *
 * The generators of the calls had different states. So, whatever the first result is, the deviations
 * b_k of the second one have mean 0 and variance v_k at most, and are independent. The sum of a_i
 * b_(i+lag), with |a_i b_k| <= 1, therefore has mean 0 and variance max(v) sum a_i^2 at most, and
 * Bernstein's inequality gives a threshold. All lags are computed at once, as a product of Fourier
 * transforms; and as many sums of a_i b_(lag-i), for a result in reverse order.
 */
#include "op/op.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1 << 17 };

/* Generators may have a granularity of 2^-20. */
#define BIAS 0x1p-20

/* Transforms n numbers, a power of two, in place. root[k] = exp(-2 pi i k / n), k < n / 2. The
 * result is in bit-reversed order. */
static void transform(double complex *x, const double complex *root, int64_t n)
{
	for (int64_t half = n / 2, step = 1; half; half /= 2, step *= 2)
		for (int64_t from = 0; from < n; from += 2 * half)
			for (int64_t k = 0; k < half; k++) {
				const double complex u = x[from + k], v = x[from + k + half], d = u - v,
						     w = root[k * step];

				x[from + k] = u + v;
				x[from + k + half] = CMPLX(creal(d) * creal(w) - cimag(d) * cimag(w),
							   creal(d) * cimag(w) + cimag(d) * creal(w));
			}
}

/* Inverts transform(): takes bit-reversed order, and gives n times the numbers. */
static void invert(double complex *x, const double complex *root, int64_t n)
{
	for (int64_t half = 1, step = n / 2; half < n; half *= 2, step /= 2)
		for (int64_t from = 0; from < n; from += 2 * half)
			for (int64_t k = 0; k < half; k++) {
				const double complex u = x[from + k], v = x[from + k + half], w = root[k * step];
				const double complex t = CMPLX(creal(v) * creal(w) + cimag(v) * cimag(w),
							       cimag(v) * creal(w) - creal(v) * cimag(w));

				x[from + k] = u + t;
				x[from + k + half] = u - t;
			}
}

/* Returns the largest |sum| over all lags. a, b: transformed. forward: sums of a_i b_(i+lag), else of
 * a_i b_(lag-i). */
static double largest(const double complex *a, const double complex *b, double complex *tmp,
		      const double complex *root, int64_t n, bool forward)
{
	double most = 0;

	for (int64_t k = 0; k < n; k++) {
		const double re = creal(a[k]), im = forward ? -cimag(a[k]) : cimag(a[k]);

		tmp[k] = CMPLX(re * creal(b[k]) - im * cimag(b[k]), re * cimag(b[k]) + im * creal(b[k]));
	}
	invert(tmp, root, n);
	for (int64_t k = 0; k < n; k++)
		most = fmax(most, fabs(creal(tmp[k])));
	return most / (double)n;
}

static double correlate(const double *a, const double *b, int64_t n)
{
	struct ay_arena tmp = { 0 };
	double complex *x, *y, *z, *root;
	int64_t size = 2;
	double most;

	while (size < 2 * n)
		size *= 2;
	x = AY_NEW_N(&tmp, double complex, size);
	y = AY_NEW_N(&tmp, double complex, size);
	z = AY_NEW_N(&tmp, double complex, size);
	root = AY_NEW_N(&tmp, double complex, size / 2);
	for (int64_t k = 0; k < size / 2; k++)
		root[k] = cexp(CMPLX(0, -2 * acos(-1.0) * (double)k / (double)size));
	for (int64_t i = 0; i < n; i++) {
		x[i] = a[i];
		y[i] = b[i];
	}
	transform(x, root, size);
	transform(y, root, size);
	most = fmax(largest(x, y, z, root, size, true), largest(x, y, z, root, size, false));
	ay_arena_release(&tmp);
	return most;
}

bool ay_draws_apart(const struct ay_draws *a, const struct ay_draws *b, struct ay_finding *f)
{
	const int64_t least = a->n < b->n ? a->n : b->n, n = least < MOST ? least : MOST;
	const double alpha = AY_ALPHA_CASE / 1000 / (8 * (double)n);
	double squares = 0, var = 0;

	for (int64_t i = 0; i < n; i++) {
		squares += a->d[i] * a->d[i];
		var = fmax(var, b->v[i]);
	}
	f->got = n ? correlate(a->d, b->d, n) : 0;
	f->bound = ay_bernstein(squares * var, alpha) + 4 * BIAS * (double)n;
	if (f->got <= f->bound)
		return true;
	snprintf(f->text, sizeof f->text,
		 "the draws of two calls with different generator states depend on each other: their "
		 "correlation sums to %.4g, that of honest ones stays within %.4g",
		 f->got, f->bound);
	return false;
}
