/* SPDX-License-Identifier: Apache-2.0
 *
 * Losses of two or three tensors: a term for each element, then as they are (reduction 0), their mean (1) or sum
 * (2):
 *
 *	huber_loss		d^2 / 2 where d <= delta, else delta (d - delta / 2); d = |self - target|
 *	soft_margin_loss	log(1 + e^z), z = -target self
 *	margin_ranking_loss	max(0, -target (input1 - input2) + margin)
 *	binary_cross_entropy_with_logits
 *				weight ((1 - target) self - (1 + (pos_weight - 1) target) log sigmoid(self))
 *
 * Error. A term's weight is the sum of the sizes of what it is made of; a sum of n terms has growth(n) * R
 * (docs/error-bound.md) and the weights of its terms. ATen has three of them as chains of operators, which round
 * every step to the storage dtype on every device, computes huber_loss in half types (bf16 on the CPU, both on
 * CUDA), and stores the terms of all four before it adds them up: for half types such steps are admitted, u_dt *
 * their size each. Those of a sum are independent of each other, so 4 times the root of their squares is enough,
 * and more where broadcasting repeats them. What is not admitted: e^z that overflows.
 *
 * ATen on the CPU writes the terms of huber_loss.out and soft_margin_loss.out to out before it reduces them, so
 * out must be resizable, which a tensor over borrowed memory is not.
 *
 * What the original tests missed: normal numbers, for which no exponential overflows; tensors of one shape,
 * weights too; no strides, no NaN or infinity. A mean or sum may be off by 1e-4 and 1.6 % in bf16.
 *
 * Cases: huber_loss original 162, here 81; soft_margin_loss original 54, here 27; binary_cross_entropy_with_logits
 * original 216, here 108: the other halves are the same calls through out=, which our twins are (dense and with
 * gaps). margin_ranking_loss original 81, here 81. All are distinct and sound.
 */
#include "op/op.h"

#include <string.h>

enum { NONE, MEAN, SUM, MOST = 4 };

/* A line of the broadcast tensors, and what all terms share. */
struct lines {
	enum ay_dt dt, step; /* of the result, and of what ATen stores on the way */
	bool reduced;
	real number; /* delta, margin */
	int64_t n, len;
	double repeats; /* how often, at most, an element of a tensor is used */
	struct ay_view v[MOST];
	num *x[MOST]; /* NULL: not given */
};

/* A term's error: its weight, and the sizes of the steps that may be rounded to the storage dtype. */
struct slack {
	double mag;
	real steps;
};

/* Term j of a line. */
typedef num (*term_fn)(const struct lines *l, int64_t j, struct slack *s);

/* --- terms ------------------------------------------------------------------------------------------------ */

/* A weight must be finite: that of a result near the largest f64 may not fit, of an infinite one is not used. */
static double weight_of(real mag)
{
	return isfinite(mag) ? (double)fmin(mag, (real)0x1p1023) : 0;
}

/* A step is off by half of what ay_err_round allows. */
static double by_steps(const struct lines *l, real steps)
{
	return weight_of(ay_err_round(l->dt, l->step, (double)steps) / 2);
}

static num huber(const struct lines *l, int64_t j, struct slack *s)
{
	const real delta = l->number, d = fabs(re(l->x[0][j]) - re(l->x[1][j]));
	const real f = d <= delta ? d * d / 2 : delta * (d - delta / 2);

	s->mag = weight_of(d <= delta ? 4 * f : 3 * delta * d);
	s->steps = d <= delta ? 3 * f : 3 * delta * d;
	return f;
}

/* log(1 + e^z) and its slope. */
static real softplus(real z)
{
	return (z > 0 ? z : 0) + (isnan(z) ? z : log1p(exp(-fabs(z))));
}

static real logistic(real z)
{
	const real e = exp(-fabs(z));

	return (z > 0 ? 1 : e) / (1 + e);
}

/*
 * Returns the two steps, rounding z and rounding e^z, in units of u_dt. Rounding gives z (1 + t), |t| <= u_dt: near
 * z = -64 in bf16 it is off by up to 1/4, which makes e^z larger by 28 %. That is more than the slope at z
 * says, as the term is convex. So the steps are taken at z' = z + |z| u_dt; below z the term changes by less.
 */
static real soft_margin_steps(const struct lines *l, real z)
{
	const real u = (real)ldexp(1, -ay_dt_info(l->step)->mant), moved = z + fabs(z) * u;

	return isfinite(z) ? logistic(moved) + fabs(softplus(moved) - softplus(z)) / u : logistic(z);
}

static num soft_margin(const struct lines *l, int64_t j, struct slack *s)
{
	const real z = -re(l->x[1][j]) * re(l->x[0][j]), f = softplus(z), slope = logistic(z);
	const real size = isfinite(z) ? fabs(z) * slope : 0;

	/* the product moves f by its slope; so does the exponential, by 1 + |z| units */
	s->mag = weight_of(2 * f + 2 * slope + 2 * size) +
		 (z < 0 ? ay_err_flush(l->dt, (double)exp(z), (double)f) : 0);
	s->steps = soft_margin_steps(l, z);
	return f;
}

static num margin_ranking(const struct lines *l, int64_t j, struct slack *s)
{
	const real d = re(l->x[2][j]) * (re(l->x[0][j]) - re(l->x[1][j])), f = l->number - d;

	s->mag = weight_of(2 * fabs(d) + 2 * fabs(l->number));
	s->steps = 2 * fabs(d);
	if (f < -(s->mag + by_steps(l, s->steps)) * AY_K_ACC * ay_u_acc(l->dt)) /* 0 for everybody */
		*s = (struct slack){ 0 };
	return f < 0 ? 0 : f;
}

static num bce_with_logits(const struct lines *l, int64_t j, struct slack *s)
{
	const real x = re(l->x[0][j]), t = re(l->x[1][j]);
	const real weight = l->x[2] ? re(l->x[2][j]) : 1, more = l->x[3] ? (re(l->x[3][j]) - 1) * t : 0;
	const real ls = (x < 0 ? x : 0) - (isnan(x) ? x : log1p(exp(-fabs(x)))), part = (1 + more) * ls;
	const real f = (1 - t) * x - part;
	/* for (1 - t) x others have x - t x; log sigmoid of a large x has the error of an exponential */
	const real size = 2 * fabs(x) * (1 + fabs(t)) + 2 * (1 + fabs(more)) * fabs(ls) * (3 + (x > 0 ? x : 0));

	/* the difference of two steps that overflow, or their product with a small weight, may be finite */
	const real most = fmax(fmax(fabs((1 - t) * x), fabs(part)), fabs(f));

	s->mag = most > (real)0.99 * (real)ay_dt_max(l->step) ? AY_FREE : weight_of(fabs(weight) * size);
	s->steps = fabs(weight) * (2 * fabs((1 - t) * x) + 3 * fabs(part) + 3 * fabs(more * ls) + fabs(f));
	return weight * f;
}

static const struct kind {
	const char *name, *tensor[MOST], *number;
	term_fn term;
	double flops; /* of a term: an exponential counts 8, a logarithm 10 */
	bool mixes;   /* target may have another dtype */
} kinds[] = {
	{ "huber_loss", { "self", "target" }, "delta", huber, 5, true },
	{ "soft_margin_loss", { "self", "target" }, NULL, soft_margin, 20, true },
	{ "margin_ranking_loss", { "input1", "input2", "target" }, "margin", margin_ranking, 4, true },
	{ "binary_cross_entropy_with_logits",
	  { "self", "target", "weight", "pos_weight" },
	  NULL,
	  bce_with_logits,
	  25,
	  false },
};

static const struct kind *kind_of(const struct ay_call *c)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, c->s->base))
			return &kinds[i];
	AY_BUG("%s is no loss", c->s->base);
}

/* --- calls ------------------------------------------------------------------------------------------------ */

/* The shape of the terms. */
static int shape_of(const struct ay_call *c, const struct kind *k, struct ay_meta *m, struct ay_err *err)
{
	for (int i = 0; i < MOST && k->tensor[i]; i++) {
		const struct ay_view *v = ay_t(c, k->tensor[i]);

		if (v && ay_broadcast_shapes(m->ndim, m->shape, v->ndim, v->shape, &m->ndim, m->shape, err))
			return -1;
	}
	return 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k;
	if (shape_of(c, kind_of(c), m, err))
		return -1;
	m->dt = ay_t(c, kind_of(c)->tensor[0])->dt;
	if (ay_int(c, "reduction") != NONE) {
		memset(m->shape, 0, sizeof m->shape);
		m->ndim = 0;
	}
	return 0;
}

/* margin_ranking_loss promotes; the others write what self can hold. */
static int result_ranking(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	struct ay_meta all = { .dt = AY_DT_NONE };

	if (result(c, k, m, err) || ay_result_broadcast(c, &all, err, "input1", "input2", "target", NULL))
		return -1;
	m->dt = all.dt;
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct kind *k = kind_of(c);
	const enum ay_dt dt = ay_t(c, k->tensor[0])->dt;

	if (!ay_dt_is_float(dt) || ay_dt_info(dt)->bytes < 2)
		return ay_fail(err, AY_ERR_BIND, "%s of %s is not judged", k->name, ay_dt_info(dt)->name);
	for (int i = 1; i < MOST && k->tensor[i]; i++) {
		const struct ay_view *v = ay_t(c, k->tensor[i]);

		if (!v || v->dt == dt)
			continue;
		if (!k->mixes || strcmp(k->tensor[i], "target") || ay_dt_is_complex(v->dt) || v->dt == AY_DT_B8 ||
		    (ay_dt_is_float(v->dt) && ay_dt_info(v->dt)->bytes < 2))
			return ay_fail(err, AY_ERR_BIND, "%s of %s beside %s of %s is not judged", k->tensor[i],
				       ay_dt_info(v->dt)->name, k->tensor[0], ay_dt_info(dt)->name);
	}
	if (ay_int(c, "reduction") < NONE || ay_int(c, "reduction") > SUM)
		return ay_fail(err, AY_ERR_BIND, "reduction is 0 (none), 1 (mean) or 2 (sum)");
	return 0;
}

static int accepts_huber(const struct ay_call *c, struct ay_err *err)
{
	struct ay_meta m = { .dt = AY_DT_NONE };
	const enum ay_dt dt = ay_t(c, "self")->dt;

	if (accepts(c, err) || ay_result_broadcast(c, &m, err, "self", "target", NULL))
		return -1;
	/* one number beside a tensor of fewer bits is rounded to them, in some libraries */
	if (ay_dt_info(m.dt)->mant < ay_dt_info(dt)->mant)
		return ay_fail(err, AY_ERR_BIND, "huber_loss of a 0-dim %s beside a target of %s is not judged",
			       ay_dt_info(dt)->name, ay_dt_info(m.dt)->name);
	return ay_float(c, "delta") > 0 ? 0 : ay_fail(err, AY_ERR_BIND, "delta must be positive");
}

/* The result has self's shape, to which the others are broadcast. */
static int accepts_self(const struct ay_call *c, struct ay_err *err)
{
	const struct kind *k = kind_of(c);
	const struct ay_view *self = ay_t(c, "self");
	struct ay_view to;

	if (accepts(c, err))
		return -1;
	for (int i = 1; i < MOST && k->tensor[i]; i++)
		if (ay_t(c, k->tensor[i]) &&
		    ay_view_expand(ay_t(c, k->tensor[i]), self->ndim, self->shape, &to, err))
			return -1;
	return 0;
}

static int accepts_bce(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self"), *target = ay_t(c, "target");

	if (self->ndim != target->ndim ||
	    memcmp(self->shape, target->shape, sizeof *self->shape * (size_t)self->ndim))
		return ay_fail(err, AY_ERR_BIND, "target must have the shape of self");
	return accepts_self(c, err);
}

/* Terms lie in lines along the last dimension; a mean or sum is one row of one. */
static void rows(const struct ay_call *c, int k, struct ay_rowmap *m)
{
	if (ay_int(c, "reduction") == NONE)
		ay_rows_last(c, k, m);
	else
		ay_rows_whole(c, k, m);
}

/* --- the reference ---------------------------------------------------------------------------------------- */

static void open_lines(struct ay_ref *r, const struct kind *k, struct lines *l)
{
	struct ay_meta m = { .dt = AY_DT_NONE };
	struct ay_err err = { 0 };

	shape_of(r->c, k, &m, &err);
	*l = (struct lines){ .dt = r->c->out[0]->view.dt,
			     .step = ay_t(r->c, k->tensor[0])->dt,
			     .reduced = ay_int(r->c, "reduction") != NONE,
			     .number = k->number ? ay_float(r->c, k->number) : 0,
			     .len = m.ndim ? m.shape[m.ndim - 1] : 1,
			     .n = 1 };
	for (int d = 0; d < m.ndim; d++)
		l->n *= m.shape[d];
	for (int i = 0; i < MOST && k->tensor[i]; i++) {
		const struct ay_view *v = ay_t(r->c, k->tensor[i]);

		if (!v)
			continue;
		ay_view_expand(v, m.ndim, m.shape, &l->v[i], &err);
		if (l->n)
			l->repeats = fmax(l->repeats, (double)l->n / (double)ay_view_touched(v));
		l->x[i] = ay_tmp(r, l->len);
	}
}

static void load_line(struct ay_ref *r, struct lines *l, int64_t row)
{
	for (int i = 0; i < MOST; i++)
		if (l->x[i])
			ay_load(r, &l->v[i], -1, row, l->x[i]);
}

static void reduce(struct ay_ref *r, const struct kind *k, struct lines *l)
{
	const double by = ay_int(r->c, "reduction") == MEAN ? (double)l->n : 1;
	double sumsq = 0, prefix = 0, weights = 0;
	real steps = 0, stepsq = 0;
	num sum = 0;

	for (int64_t row = 0; row * l->len < l->n; row++) {
		load_line(r, l, row);
		for (int64_t j = 0; j < l->len; j++) {
			struct slack s = { 0 };
			num f = k->term(l, j, &s);
			real step = s.steps + fabs(f);

			sum = acc(r, sum + f);
			sumsq += (double)(re(f) * re(f));
			prefix = fmax(prefix, (double)fabs(sum));
			weights += s.mag;
			steps += step;
			stepsq += step * step;
		}
	}
	weights += by_steps(l, fmin(steps, 4 * sqrt(stepsq * (real)l->repeats)));
	*ay_val(r, 0, 0, 0) = sum / (real)by;
	*ay_mag(r, 0, 0, 0) = by > 0 ? (ay_err_sum(l->n, (double)fabs(sum), sumsq, prefix) + weights) / by : 0;
	*ay_norm(r, 0, 0, 0) = by > 0 ? sqrt(sumsq) / by : 0;
}

static void losses(struct ay_ref *r)
{
	const struct kind *k = kind_of(r->c);
	struct lines l;

	open_lines(r, k, &l);
	if (l.reduced) {
		reduce(r, k, &l);
		return;
	}
	for (int64_t row = r->lo; row < r->hi; row++) {
		load_line(r, &l, row);
		for (int64_t j = 0; j < l.len; j++) {
			struct slack s = { 0 };

			*ay_val(r, 0, row, j) = k->term(&l, j, &s);
			*ay_mag(r, 0, row, j) = s.mag + by_steps(&l, s.steps);
		}
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	struct ay_meta m = { .dt = AY_DT_NONE };
	double n = 1;

	shape_of(c, kind_of(c), &m, &(struct ay_err){ 0 });
	for (int d = 0; d < m.ndim; d++)
		n *= (double)m.shape[d];
	k->flops = (kind_of(c)->flops + (ay_int(c, "reduction") != NONE)) * n;
	k->bytes = -1;
}

/* --- ATen ------------------------------------------------------------------------------------------------- */

static const char *out_differs(const struct ay_call *c)
{
	return ay_schema_out(c->s) && ay_int(c, "reduction") != NONE ? "out is resized to hold the terms" : NULL;
}

/* Fills beyond the range of exp, which ends at 11 in f16 and at 88 in f32. */
static bool is_wide(const struct ay_fill *f)
{
	if (!strcmp(f->name, "special") || !strcmp(f->name, "heavy") || !strcmp(f->name, "mixed"))
		return true;
	return !strcmp(f->name, "normal") && f->n == 2 && f->arg[1].kind == AY_V_INT && f->arg[1].i > 9;
}

static const char *soft_margin_differs(const struct ay_call *c)
{
	return is_wide(&ay_operand(c, "self")->fill) || strcmp(ay_operand(c, "target")->fill.name, "sign")
		       ? "exp(-target * self) overflows"
		       : out_differs(c);
}

static const char *huber_differs_cuda(const struct ay_call *c)
{
	const char *why = out_differs(c);

	if (!why && ay_t(c, "target")->dt != ay_t(c, "self")->dt)
		why = "target is rounded to the dtype of self first";
	return why;
}

/* --- fills ------------------------------------------------------------------------------------------------ */

/* 1 or -1: what targets of margins are. */
static double make_sign(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			uint64_t bits)
{
	(void)c, (void)o, (void)f, (void)i;
	return bits >> 63 ? 1 : -1;
}

static const struct ay_maker makers[] = { { "sign", make_sign, .anywhere = true }, { 0 } };

/* clang-format off */
#define SMALL "s=[]|[1]|[0, 3]|[3, 65]"
#define GRID "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]"

const struct ay_op ay_ops_losses[] = {{
	.schemas   = AY_SCHEMAS("aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor",
				"aten::huber_loss.out(Tensor self, Tensor target, int reduction=1, float delta=1., *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "Terms: with d = |self - target|, d^2 / 2 where d <= delta, else delta * (d - delta / 2). Result: the terms (reduction "
		     "0), their mean (1, the default; NaN if there are none) or their sum (2), which are 0-dim. self and target are "
		     "broadcast against each other. self is a float, and the result has its dtype; target may have another one or be "
		     "integers, d is taken in the promoted dtype. delta is positive. NaN stays NaN. Half types: terms and sums in f32; terms "
		     "may be rounded before they are added up.",
	.cases     = {
		{ "((T(s, dt), T(s, dt), 0), {})", "dt=f32|f16|bf16|f64 " SMALL, AY_QUICK },
		{ "((T(s, dt, fill=heavy), T(s, dt), r), {})", "dt=f32|f16|bf16|f64 r=1|2 " SMALL, AY_QUICK },
		{ "((T([4096], dt, fill=heavy), T([4096], dt), r, 0.7), {})", "r=1|2 dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([65], da), T([65], db), r), {})", "r=0|1 (da,db)=(f16,f32)|(f32,f16)|(f32,f64)|(f64,f32)|(f32,i64)|(bf16,i32)", AY_QUICK },
		{ "((T([257], dt), T([257], dt), 0, d), {})", "dt=f32|f16|bf16 d=0.001|0.3|100", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy), r, 8), {})", "r=0|1 dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt, fill=exact), T([257], dt, fill=exact), r, d), {})", "r=0|2 dt=f32|f16|bf16 d=1|2", AY_QUICK },
		{ "((T([513], dt, fill=special), T([513], dt), 0), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([3], dt, data=[1.0, -2.5, x]), T([3], dt), r), {})", "r=1|2 dt=f32|f16|bf16 x=inf|nan", AY_QUICK },
		{ "((T([6, 1, 9], dt, fill=heavy), T([4, 1], dt), r), {})", "r=0|1|2 dt=f32|f16|bf16", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3, fill=heavy), T([8, 33], dt, stride=(1, 8)), r), {})", "r=0|1 dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1), fill=heavy), T([9, 16], dt, stride=(1, 0)), r), {})", "r=0|2 dt=f32|bf16", AY_QUICK },
		{ "((T(s, dt), T(s, dt), r, d), {})", "d=0.5|1.0|2.0 r=0|1|2 " GRID, AY_FULL },
		{ "((T(s, dt), T(s, dt), r), {})", "r=0|1 dt=f32|bf16 s=[512, 512]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=fa), T(t, db, fill=fb), r, x), {})", "s=shape() t=fits(s) dt=f32|f16|bf16|f64 db=dt|dt|f32|f16|bf16|f64|i64|i32|i16|i8|u8 r=0|1|2 fa=None|'heavy'|'exact'|(r == 0 ? 'special' : 'nonfinite') fb=None|'exact' x=1.0|0.7|0.001|0.3|8" },
		{ "((T(t, dt, fill=fb), T(s, db, fill=fa), r, x), {})", "s=shape() t=fits(s) dt=f32|f16|bf16|f64 db=dt|dt|f32|f16|bf16|f64 r=0|1|2 fa=None|'heavy'|'exact'|(r == 0 ? 'special' : 'nonfinite') fb=None|'exact' x=1.0|0.7|0.001|0.3|8" },
	},
	.accepts   = accepts_huber,
	.result    = result,
	.rows      = rows,
	.reference = losses,
	.cost      = cost,
	.aten_differs = out_differs,
	.cuda_differs = huber_differs_cuda,
	.rounds    = "self - target, its square or its product with delta; the terms of a mean or sum",
}, {
	.schemas   = AY_SCHEMAS("aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
				"aten::soft_margin_loss.out(Tensor self, Tensor target, int reduction=1, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "Terms: log(1 + exp(-target * self)); target holds 1 and -1. Result: the terms (reduction 0), their mean (1, the default; "
		     "NaN if there are none) or their sum (2), which are 0-dim. target is broadcast to self's shape. self is a float, and the "
		     "result has its dtype; target may have another one or be integers. NaN stays NaN. Where exp would overflow the term is "
		     "-target * self, and small terms must not be lost in 1 + exp. Half types: terms and sums in f32; every step may be "
		     "rounded to the dtype.",
	.cases     = {
		{ "((T(s, dt), T(s, dt), 0), {})", "dt=f32|f16|bf16|f64 " SMALL, AY_QUICK },
		{ "((T(s, dt, fill=uniform(-9, 9)), T(s, dt), r), {})", "dt=f32|f16|bf16|f64 r=1|2 " SMALL, AY_QUICK },
		{ "((T([n], dt, fill=uniform(-9, 9)), T([n], dt), r), {})", "(r,n)=(1,4096)|(2,300) dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], da, fill=uniform(-9, 9)), T([33], db), r), {})", "r=0|1 (da,db)=(f16,f32)|(f32,f16)|(f32,i64)|(f64,f32)|(bf16,i32)", AY_QUICK },
		{ "((T([257], dt, fill=normal(0, 40)), T([257], dt), r), {})", "r=0|1 dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt), 0), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=normal), r), {})", "r=0|2 dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt, fill=exact), T([257], dt), 0), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([513], dt, fill=special), T([513], dt), 0), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([3], dt, data=[1.0, -2.5, x]), T([3], dt, data=[1, 1, -1]), r), {})", "r=1|2 dt=f32|f16|bf16 x=inf|nan", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3, fill=uniform(-9, 9)), T([8, 33], dt, stride=(1, 8)), r), {})", "r=0|1 dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1), fill=uniform(-9, 9)), T([9, 16], dt, stride=(1, 0)), r), {})", "r=0|2 dt=f32|bf16", AY_QUICK },
		{ "((T(s, dt), T(s, dt), r), {})", "r=0|1|2 " GRID, AY_FULL },
		{ "((T(s, dt), T(s, dt), r), {})", "r=0|1 dt=f32|bf16 s=[512, 512]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=fa), T(fits(s), db, fill=fb), r), {})", "s=shape() dt=f32|f16|bf16|f64 db=dt|dt|f32|f16|bf16|f64|i64|i32|i16|i8 r=0|1|2 fa=None|'uniform(-9, 9)'|'normal(0, 40)'|'exact'|(r == 0 ? 'special' : 'uniform(-1, 1)') fb=None|None|'exact'" },
	},
	.fills     = "target=sign",
	.makers    = makers,
	.accepts   = accepts_self,
	.result    = result,
	.rows      = rows,
	.reference = losses,
	.cost      = cost,
	.aten_differs = soft_margin_differs,
	.cuda_differs = soft_margin_differs,
	.rounds    = "-target * self and its exponential; the terms of a mean or sum",
}, {
	.schemas   = AY_SCHEMAS("aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor"),
	.doc       = "Terms: max(0, -target * (input1 - input2) + margin); target holds 1 and -1. Result: the terms (reduction 0), their mean "
		     "(1, the default; NaN if there are none) or their sum (2), which are 0-dim. The three tensors are broadcast against "
		     "each other. input1 and input2 have one float dtype; target may have another one or be integers, and the result's "
		     "dtype follows PyTorch's type promotion. NaN stays NaN. Half types: terms and sums in f32; every step may be rounded "
		     "to the dtype.",
	.cases     = {
		{ "((T(s, dt), T(s, dt), T(s, dt), 0.5, 0), {})", "dt=f32|f16|bf16|f64 " SMALL, AY_QUICK },
		{ "((T(s, dt, fill=heavy), T(s, dt), T(s, dt), 0.5, r), {})", "dt=f32|f16|bf16|f64 r=1|2 " SMALL, AY_QUICK },
		{ "((T([4096], dt, fill=heavy), T([4096], dt), T([4096], dt), 1.0, r), {})", "r=1|2 dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T(s, da, fill=heavy), T(s, da), T(s, db), 0.5, r), {})", "r=0|1|2 s=[65]|[4096] (da,db)=(f16,f32)|(f32,f16)|(f32,f64)|(f32,i64)|(bf16,i32)", AY_QUICK },
		{ "((T([257], dt), T([257], dt), T([257], dt), m, 0), {})", "dt=f32|f16|bf16|f64 m=0|-0.5|8", AY_QUICK },
		{ "((T([257], dt), T([257], dt), T([257], dt), 0.3, r), {})", "r=0|1 dt=f32|f64", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy), T([257], dt), 0.25, r), {})", "r=0|1 dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt), T([257], dt), T([257], dt, fill=normal), 0.5, r), {})", "r=0|2 dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt, fill=exact), T([257], dt, fill=exact), T([257], dt), m, r), {})", "r=0|2 dt=f32|f16|bf16 m=0|1", AY_QUICK },
		{ "((T([513], dt, fill=special), T([513], dt, fill=special), T([513], dt), 0.5, 0), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([3], dt, data=[1.0, x, 2.5]), T([3], dt), T([3], dt, data=[1, -1, 1]), 0, r), {})", "r=1|2 dt=f32|f16|bf16 x=inf|nan", AY_QUICK },
		{ "((T([6, 1, 9], dt), T([4, 1], dt, fill=heavy), T([6, 4, 1], dt), 0.5, r), {})", "r=0|1|2 dt=f32|f16|bf16", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3, fill=heavy), T([8, 33], dt, stride=(1, 8)), T([8, 33], dt, stride=(0, 1)), 0.5, r), {})", "r=0|1 dt=f32|f16|bf16", AY_QUICK },
		{ "((T(s, dt), T(s, dt), T(s, dt), m, r), {})", "r=0|1|2 m=0.0|0.5|1.0 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[1024, 256]", AY_FULL },
		{ "((T(s, dt), T(s, dt), T(s, dt), 0.5, r), {})", "r=0|1 dt=f32|bf16 s=[1024, 256]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=fa), T(a, dt, fill=fb), T(b, db), m, r), {})", "s=shape() a=fits(s) b=fits(s) dt=f32|f16|bf16|f64 db=dt|dt|f32|f16|bf16|f64|i64|i32|i8 m=0|-0.5|0.3|1.0|8 r=0|1|2 fa=None|'heavy'|'exact'|(r == 0 ? 'special' : 'nonfinite') fb=None|'exact'" },
		{ "((T(a, dt, fill=fa), T(s, dt, fill=fb), T(b, db), m, r), {})", "s=shape() a=fits(s) b=fits(s) dt=f32|f16|bf16|f64 db=dt|dt|f32|f16|bf16|f64|i64|i32|i8 m=0|-0.5|0.3|1.0|8 r=0|1|2 fa=None|'heavy'|'exact'|(r == 0 ? 'special' : 'nonfinite') fb=None|'exact'" },
		{ "((T(a, dt, fill=fa), T(b, dt, fill=fb), T(s, db), m, r), {})", "s=shape() a=fits(s) b=fits(s) dt=f32|f16|bf16|f64 db=dt|dt|f32|f16|bf16|f64|i64|i32|i8 m=0|-0.5|0.3|1.0|8 r=0|1|2 fa=None|'heavy'|'exact'|(r == 0 ? 'special' : 'nonfinite') fb=None|'exact'" },
	},
	.fills     = "target=sign",
	.makers    = makers,
	.accepts   = accepts,
	.result    = result_ranking,
	.rows      = rows,
	.reference = losses,
	.cost      = cost,
	.rounds    = "input1 - input2 and its product with target; the terms of a mean or sum",
}, {
	.schemas   = AY_SCHEMAS("aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor",
				"aten::binary_cross_entropy_with_logits.out(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "Terms: weight * ((1 - target) * self - (1 + (pos_weight - 1) * target) * log(sigmoid(self))), with log(sigmoid(x)) = "
		     "min(x, 0) - log(1 + exp(-|x|)); a weight that is None counts as 1. Result: the terms (reduction 0), their mean (1, the "
		     "default; over all elements, whatever the weights; NaN if there are none) or their sum (2), which are 0-dim. self and "
		     "target have one shape, to which the weights are broadcast; all have one float dtype, which is the result's. target is "
		     "usually within 0 .. 1 but may be anything. NaN stays NaN. Half types: terms and sums in f32; every step may be rounded "
		     "to the dtype.",
	.cases     = {
		{ "((T(s, dt, fill=normal(0, 4)), T(s, dt), None, None, 0), {})", "dt=f32|f16|bf16|f64 " SMALL, AY_QUICK },
		{ "((T(s, dt, fill=heavy), T(s, dt, fill=normal), None, None, r), {})", "dt=f32|f16|bf16|f64 r=1|2 " SMALL, AY_QUICK },
		{ "((T([3000], dt), T([3000], dt), T([3000], dt, fill=normal), T([3000], dt), r), {})", "r=2|1 dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([4096], dt, fill=heavy), T([4096], dt, fill=bool)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([7, 33], dt, fill=heavy), T([7, 33], dt), T(w, dt), None, r), {})", "dt=f32|f16|bf16 r=0|1 w=[]|[33]|[7, 1]", AY_QUICK },
		{ "((T([7, 33], dt, fill=heavy), T([7, 33], dt), None, T(p, dt), r), {})", "dt=f32|f16|bf16 r=0|1 p=[1]|[33]|[7, 33]", AY_QUICK },
		{ "((T([257], dt, fill=normal(0, w)), T([257], dt), T([257], dt), T([257], dt), 0), {})", "dt=f32|f16|bf16|f64 w=40|0.01", AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=normal), T([257], dt), T([257], dt, fill=normal), 0), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=bool), None, None, r), {})", "r=0|1 dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt, fill=exact), T([257], dt, fill=bool), T([257], dt, fill=exact), T([257], dt, fill=exact), 0), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([513], dt, fill=special), T([513], dt), None, None, 0), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([513], dt), T([513], dt), T([513], dt, fill=special), None, 0), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3, fill=heavy), T([8, 33], dt, stride=(1, 8)), T([33], dt, stride=(2,)), T([8, 33], dt, stride=(0, 1)), r), {})", "r=0|1 dt=f32|f16|bf16", AY_QUICK },
		{ "((T(s, dt), T(s, dt), None, None, r), {})", "r=0|1|2 " GRID, AY_FULL },
		{ "((T(s, dt), T(s, dt), T(s, dt), None, r), {})", "r=0|1|2 " GRID, AY_FULL },
		{ "((T(s, dt), T(s, dt), None, T(s, dt), r), {})", "r=0|1|2 " GRID, AY_FULL },
		{ "((T(s, dt), T(s, dt), T(s, dt), T(s, dt), r), {})", "r=0|1|2 " GRID, AY_FULL },
		{ "((T(s, dt), T(s, dt), None, None, r), {})", "r=0|1 dt=f32|bf16 s=[512, 512]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=fa), T(s, dt, fill=fb), w, p, r), {})", "s=shape() dt=f32|f16|bf16|f64 r=0|1|2 w=None|T(fits(s), dt)|T(fits(s), dt, fill=normal) p=None|T(fits(s), dt)|T(s, dt, fill=normal) fa=None|'normal(0, 4)'|'heavy'|'exact'|(r == 0 ? 'special' : 'normal(0, 40)') fb=None|'bool'|'normal'" },
	},
	.fills     = "target=uniform(0, 1); weight=uniform(0.5, 1.5); pos_weight=uniform(0.5, 3)",
	.accepts   = accepts_bce,
	.result    = result,
	.rows      = rows,
	.reference = losses,
	.cost      = cost,
	.rounds    = "1 - target, log(sigmoid(self)), 1 + (pos_weight - 1) * target, their products and the difference; the terms of a mean or sum",
	.promises  = "terms of infinite self, or of steps that overflow: formulas that agree elsewhere give NaN or infinity there",
}, {0}};
