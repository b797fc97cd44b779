/* SPDX-License-Identifier: Apache-2.0
 *
 * Helpers for references that compute in `num`. Compiled once per number type, like the operators.
 */
#include "op/op.h"

#include <string.h>

#define row_load  AY_NUM(ay_row_load)
#define row_store AY_NUM(ay_row_store)

num ay_round_bits(num x, int bits)
{
#if defined AY_NUM_d
	return ay_round_bits_d(x, bits);
#elif defined AY_NUM_ld
	return ay_round_bits_ld(x, bits);
#elif defined AY_NUM_z
	return CMPLX(ay_round_bits_d(creal(x), bits), ay_round_bits_d(cimag(x), bits));
#else
	return CMPLXL(ay_round_bits_ld(creal(x), bits), ay_round_bits_ld(cimag(x), bits));
#endif
}

num *ay_tmp(struct ay_ref *r, int64_t n)
{
	return AY_NEW_N(r->tmp, num, n);
}

/* Loads a row. Conjugated and negated views, and the rounded inputs of mutants, are rare and
 * handled afterwards. */
static void load(const struct ay_ref *r, const struct ay_view *v, const void *at, int64_t stride, int64_t n,
		 num *dst)
{
	row_load(v->dt, at, stride, n, dst);
	/* a real number has no imaginary part whose zero could turn its sign */
	if (v->conj && ay_dt_is_complex(v->dt))
		for (int64_t i = 0; i < n; i++)
			dst[i] = conj(dst[i]);
	if (v->neg)
		for (int64_t i = 0; i < n; i++)
			dst[i] = ay_dt_is_complex(v->dt) ? -dst[i] : (num)-re(dst[i]);
	if (r->in_bits && v->dt == AY_DT_F32)
		for (int64_t i = 0; i < n; i++)
			dst[i] = ay_round_bits(dst[i], r->in_bits);
}

static const uint8_t *elem(const struct ay_view *v, int64_t at)
{
	return (const uint8_t *)v->data + at * ay_dt_info(v->dt)->bytes;
}

void ay_load(const struct ay_ref *r, const struct ay_view *v, int axis, int64_t row, num *dst)
{
	if (v->ndim == 0) {
		load(r, v, v->data, 1, 1, dst);
		return;
	}
	if (axis < 0)
		axis += v->ndim;
	load(r, v, elem(v, ay_fibre_at(v, axis, row)), v->stride[axis], v->shape[axis], dst);
}

num ay_get(const struct ay_ref *r, const struct ay_view *v, int64_t i)
{
	num x;

	load(r, v, elem(v, ay_view_at(v, i)), 1, 1, &x);
	return x;
}

num *ay_load_flat(struct ay_ref *r, const struct ay_view *v, int k)
{
	const struct ay_view *like = &r->c->out[k]->view;
	num *dst = ay_alloc_raw(r->tmp, sizeof *dst * (size_t)(r->hi - r->lo));
	struct ay_err err = { 0 };
	struct ay_view w;
	int64_t last, step, i = r->lo;

	if (ay_view_expand(v, like->ndim, like->shape, &w, &err))
		AY_BUG("%s: %s", r->c->s->base, err.msg);
	last = ay_view_even(&w, &step);
	while (i < r->hi) {
		int64_t col = i % last, n = last - col < r->hi - i ? last - col : r->hi - i;

		load(r, &w, elem(&w, ay_view_at(&w, i)), step, n, dst + (i - r->lo));
		i += n;
	}
	return dst;
}

num ay_number(const struct ay_call *c, const char *name)
{
	const struct ay_view *v = ay_t(c, name);
	num x;

	row_load(v->dt, v->data, 1, 1, &x);
	return x;
}

/* Returns true if an integer dtype can hold x without its fraction. */
static bool fits(enum ay_dt dt, num x)
{
	const real most = ldexp((real)1, ay_dt_info(dt)->mant);

	return re(x) > (dt == AY_DT_U8 ? -1 : -most - 1) && re(x) < most;
}

/* Returns x as dtype dt stores it. */
static num stored(enum ay_dt dt, num x)
{
	long double memory[4];

	row_store(dt, memory, 1, 1, &x);
	row_load(dt, memory, 1, 1, &x);
	return x;
}

num ay_cast(enum ay_dt from, enum ay_dt to, num x, double *mag)
{
	const bool cuts = ay_dt_info(to)->cls == AY_CLASS_INT && !ay_dt_is_integral(from);
	const bool twice = ay_dt_is_float(to) && ay_dt_info(to)->mant < 24 && ay_dt_info(from)->mant > 24;
	const num y = stored(to, cuts ? trunc(re(x)) : x);
	/* below this, a bound would let the result be flushed to 0 */
	const real least = ldexp((real)1, ay_dt_info(to)->emin);

	*mag = cuts && !fits(to, x) ? AY_FREE : ay_dt_is_complex(to) || !(fabs(re(y)) >= least) ? -1 : 0;
	if (!twice || isnan(re(x)) || stored(to, stored(AY_DT_F32, x)) == y)
		return y;
	*mag = 0.5 * (double)ay_dt_ulp(to, re(x)) / (AY_K_ACC * ay_u_acc(to));
	return re(x); /* of a complex number; `to` is real */
}

double ay_err_convert(enum ay_dt to, num x)
{
	const num y = stored(to, x);

	if (ay_dt_is_integral(to) || !(fabs(x - y) > 0)) /* equal, NaN or infinite */
		return 0;
	if (!isfinite(fabs(y)))
		return AY_FREE;
	/* what an accumulator's rounding does is part of every weight */
	return ay_dt_info(to)->mant < 24 ? (double)fabs(x - y) / (AY_K_ACC * ay_u_acc(to)) : 0;
}

/* Outputs differ in size: an output smaller than the largest is given completely with the
 * first range. */
void AY_NUM(ay_expected_reference)(struct ay_ref *r)
{
	int64_t most = 0;

	for (int k = 0; k < r->c->nout; k++)
		most = ay_numel_of(&r->c->out[k]->view) > most ? ay_numel_of(&r->c->out[k]->view) : most;
	for (int k = 0; k < r->c->nout; k++) {
		const struct ay_answer *a = &r->c->given->answer[k];
		const int64_t n = ay_numel_of(&r->c->out[k]->view), hi = n == most ? r->hi : n;

		if (!r->len[k] || hi <= r->lo)
			continue;
		row_load(a->want.dt, elem(&a->want, r->lo), 1, hi - r->lo, ay_val(r, k, r->lo, 0));
		for (int64_t i = r->lo; i < hi; i++)
			*ay_mag(r, k, i, 0) = a->mag ? a->mag[i] : -1;
	}
}
