/* SPDX-License-Identifier: Apache-2.0
 *
 * Error weights and row maps that operators share. The evidence for the constants is
 * in docs/error-bound.md.
 */
#include "op/op.h"

#include <math.h>

double ay_u_acc(enum ay_dt dt)
{
	return dt == AY_DT_F64 || dt == AY_DT_C128 ? 0x1p-53 : 0x1p-24;
}

double ay_growth(int64_t n)
{
	return sqrt((double)n) + (double)(n < 65536 ? n : 65536) / 32;
}

double ay_err_sum(int64_t n, double want, double sumsq, double prefix)
{
	return ay_sum_weight(ay_growth(n), want, sqrt(sumsq), prefix);
}

double ay_err_round(enum ay_dt out, enum ay_dt dt, double r)
{
	return 2 * ldexp(1, -ay_dt_info(dt)->mant) * r / (AY_K_ACC * ay_u_acc(out));
}

double ay_err_flush(enum ay_dt out, double e, double r)
{
	const enum ay_dt acc = ay_u_acc(out) < 0x1p-30 ? AY_DT_F64 : AY_DT_F32;

	return e < ldexp(1, ay_dt_info(acc)->emin) ? fabs(r) / (AY_K_ACC * ay_u_acc(out)) : 0;
}

bool ay_is_converted(const struct ay_call *c, const char *name, enum ay_dt dt)
{
	return !ay_is_number(c, name) && ay_t(c, name)->dt != dt;
}

static void rows_along(const struct ay_view *v, int axis, struct ay_rowmap *m)
{
	int64_t n = ay_numel_of(v);

	if (v->ndim == 0) {
		*m = (struct ay_rowmap){ 1, 1, AY_WHOLE };
		return;
	}
	m->axis = axis;
	m->len = v->shape[axis];
	m->rows = m->len ? n / m->len : 0;
}

void ay_rows_last(const struct ay_call *c, int k, struct ay_rowmap *m)
{
	rows_along(&c->out[k]->view, c->out[k]->view.ndim - 1, m);
}

void ay_rows_dim(const struct ay_call *c, int k, struct ay_rowmap *m)
{
	const struct ay_view *v = &c->out[k]->view;
	struct ay_err err = { 0 };
	int axis = ay_dim(c, "dim", v, &err);

	if (axis < 0)
		AY_BUG("%s: %s", c->s->base, err.msg);
	rows_along(v, axis, m);
}

void ay_rows_whole(const struct ay_call *c, int k, struct ay_rowmap *m)
{
	*m = (struct ay_rowmap){ 1, ay_numel_of(&c->out[k]->view), AY_WHOLE };
}

double ay_bernstein(double variance, double alpha)
{
	double l = log(2 / alpha); /* t^2 - (2l/3) t - 2lV = 0 */

	return l / 3 + sqrt(l * l / 9 + 2 * l * variance);
}
