/* SPDX-License-Identifier: Apache-2.0
 *
 * |x|_p = (sum_i |x_i|^p)^(1/p); p = inf: the largest |x_i|, p = -inf: the least, p = 0: how many are not 0.
 * pairwise_distance: out = |x1 - x2 + eps|_p along the last dimension. renorm: every slice along dim whose p-norm
 * is above maxnorm is multiplied by maxnorm / (norm + 1e-7); others come through as they are.
 *
 * Error, relative to the norm. The sum has positive terms only: growth(n). A term is a power: 2 (1 + |p| + |ln t|)
 * for a term t (see pow.c), averaged over the sum; for p = 1 none and for p = 2 one rounding. The root divides all
 * that by |p| and has an error of its own. Choices and counts (p = inf, -inf, 0) have none. Where the sum leaves
 * what f32 (for f64: f64) holds, or gets so small that terms were flushed, a norm is not judged: careful kernels
 * may scale, none must. pairwise_distance: x1 - x2 and the sum with eps are rounded once each. ATen stores both in
 * the result's dtype, on every device: for half types that is 2 u more, and half a subnormal's spacing in every
 * term. Where eps nearly cancels x1 - x2 the first of these is relative to eps, not to what is left. renorm: the factor, its product, and the norm's error; ATen rounds the factor to the dtype of self, on
 * every device. A norm that its own error puts on either side of maxnorm may be scaled or not: that is 1e-7 /
 * maxnorm of the element.
 *
 * What the original tests missed. pairwise_distance: x1 and x2 of one shape, dense; an absolute tolerance of 1e-4
 * beside eps = 1e-6: no case shows whether eps is there; never p = inf or 0, no broadcast, no equal vectors.
 * renorm: all norms of the large shapes are above maxnorm, so that no case shows slices that must not change; the
 * results, of size 1/16 and less, are compared with an absolute tolerance of 1e-4; two dimensions, dense, p = 1
 * and 2.
 *
 * Cases: pairwise_distance: original 117, all sound; 9 with default arguments are spelled out in 9 others. renorm:
 * original 144, all sound and distinct. Here the same 117 and 144 full.
 */
#include "op/op.h"

#include <string.h>

/* --- a norm and its error -------------------------------------------------------------------------------- */

struct norm {
	real p, sum; /* of |x|^p; p = inf, -inf: the largest, the least; p = 0: a count */
	real logs;   /* sum of t |ln t| over the terms t */
	int64_t n;
};

static real term_of(real p, real size)
{
	return p == 1 ? size : p == 2 ? size * size : p == 0 ? size != 0 : pow(size, p);
}

static void add_sizes(const struct ay_ref *r, struct norm *m, const num *x, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		real size = fabs(x[i]), t;

		if (isinf(m->p)) {
			bool better = m->p > 0 ? size > m->sum : size < m->sum;

			if (!m->n++ || better || isnan(size))
				m->sum = isnan(m->sum) ? m->sum : size;
			continue;
		}
		t = term_of(m->p, size);
		m->sum = re(acc(r, m->sum + t));
		m->logs += t > 0 && t < INFINITY ? t * fabs(log(t)) : 0;
		m->n++;
	}
}

static real norm_of(const struct norm *m)
{
	if (isinf(m->p) || m->p == 0 || m->p == 1)
		return m->sum;
	return m->p == 2 ? sqrt(m->sum) : pow(m->sum, 1 / m->p);
}

/* Its error in units of u_acc times itself; AY_FREE: see above. */
static double norm_error(const struct norm *m, enum ay_dt dt)
{
	const enum ay_dt wide = ay_u_acc(dt) < 0x1p-30 ? AY_DT_F64 : AY_DT_F32;
	const long double least = ldexpl((long double)m->n, ay_dt_info(wide)->emin) / ay_u_acc(dt);
	const double p = (double)fabs(m->p);

	if (isinf(p) || p == 0 || m->sum == 0 || !isfinite(m->sum))
		return 0;
	if (m->sum > ay_dt_max(wide) || (p != 1 && m->sum < least))
		return AY_FREE;
	if (p == 1 || p == 2)
		return ay_growth(m->n) / p + p;
	return (ay_growth(m->n) + 2 * (1 + p + (double)(m->logs / m->sum))) / p +
	       2 * (1 + (1 + (double)fabs(log(m->sum))) / p);
}

/* --- pairwise_distance ------------------------------------------------------------------------------------- */

/* A vector of differences: how far its norm may be off because the first of the two roundings, that of x1 - x2, is
 * relative to a number that eps may nearly cancel. */
struct slip {
	real p, eps, unit; /* unit: that rounding, relative to x1 - x2 */
	real sum;          /* p = 0: terms that rounding may make 0; p < 1: how far the sum of powers may be off */
};

static void add_slip(struct slip *s, num difference, num term)
{
	const real off = fabs(difference) * s->unit, size = fabs(term);

	if (s->p == 0)
		s->sum += size <= 2 * off && off > 0;
	else if (s->p > 0 && s->p < 1)
		s->sum += fmin(pow(off, s->p), s->p * pow(size, s->p - 1) * off);
}

/* For p >= 1 this is the norm of eps alone at most (Minkowski), for p < 0 eps: no term has more weight than 1. */
static double slip_of(const struct slip *s, const struct norm *m)
{
	if (s->p == 0)
		return (double)s->sum;
	if (s->p > 0 && s->p < 1)
		return (double)(pow(m->sum, 1 / s->p - 1) * s->sum / s->p);
	return (double)(fabs(s->eps) * s->unit * (s->p >= 1 && !isinf(s->p) ? pow((real)m->n, 1 / s->p) : 1));
}

/* x1 and x2 as what they are broadcast to. */
static int pair_of(const struct ay_call *c, struct ay_view *a, struct ay_view *b, struct ay_meta *m,
		   struct ay_err *err)
{
	if (ay_result_broadcast(c, m, err, "x1", "x2", NULL) ||
	    ay_view_expand(ay_t(c, "x1"), m->ndim, m->shape, a, err) ||
	    ay_view_expand(ay_t(c, "x2"), m->ndim, m->shape, b, err))
		return -1;
	if (ay_dt_is_integral(m->dt))
		m->dt = AY_DT_F32; /* eps is a float */
	m->dt = ay_dt_component(m->dt);
	return 0;
}

static int result_distance(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	struct ay_view a, b;

	(void)k;
	if (pair_of(c, &a, &b, m, err))
		return -1;
	if (m->ndim && ay_flag(c, "keepdim"))
		m->shape[m->ndim - 1] = 1;
	else if (m->ndim)
		m->ndim--;
	return 0;
}

static int accepts_distance(const struct ay_call *c, struct ay_err *err)
{
	struct ay_meta m = { .dt = AY_DT_NONE };
	struct ay_view a, b;
	const double p = ay_float(c, "p");

	if (pair_of(c, &a, &b, &m, err))
		return -1;
	if (m.dt == AY_DT_F8E4M3FN || m.dt == AY_DT_F8E5M2)
		return ay_fail(err, AY_ERR_BIND, "pairwise_distance is not defined for %s",
			       ay_dt_info(m.dt)->name);
	if (m.ndim && !m.shape[m.ndim - 1] && (p < 0 || isinf(p)))
		return ay_fail(err, AY_ERR_BIND, "a vector without elements has no %g-norm", p);
	return isnan(p) ? ay_fail(err, AY_ERR_BIND, "p is not a number") : 0;
}

static void distance(struct ay_ref *r)
{
	const enum ay_dt dt = r->c->out[0]->view.dt;
	const real eps = (real)ay_float(r->c, "eps"), p = (real)ay_float(r->c, "p");
	struct ay_meta m = { .dt = AY_DT_NONE };
	struct ay_view a, b;

	pair_of(r->c, &a, &b, &m, &(struct ay_err){ 0 });
	const int64_t n = m.ndim ? m.shape[m.ndim - 1] : 1;
	const double spacing = p ? pow((double)n, 1 / fabs((double)p)) * ldexp(1, ay_dt_info(dt)->emin) : 0;
	const bool half = ay_dt_info(dt)->mant < 24;
	const double unit = half ? ldexp(1, -ay_dt_info(dt)->mant) : ay_u_acc(dt);
	num *x = ay_tmp(r, n), *y = ay_tmp(r, n);

	for (int64_t i = r->lo; i < r->hi; i++) {
		struct slip slip = { .p = p, .eps = eps, .unit = (real)unit };
		struct norm s = { .p = p };
		double size, error;

		ay_load(r, &a, -1, i, x);
		ay_load(r, &b, -1, i, y);
		for (int64_t j = 0; j < n; j++) {
			const num difference = x[j] - y[j];

			x[j] = difference + eps;
			add_slip(&slip, difference, x[j]);
		}
		add_sizes(r, &s, x, n);
		size = (double)norm_of(&s);
		error = norm_error(&s, dt);
		*ay_val(r, 0, i, 0) = norm_of(&s);
		*ay_mag(r, 0, i, 0) = !isfinite(size) || p == 0 ? 0 : size * (error + 2);
		if (isfinite(size) && half && p != 0)
			*ay_mag(r, 0, i, 0) += ay_err_round(dt, dt, size + spacing);
		if (isfinite(size))
			*ay_mag(r, 0, i, 0) += slip_of(&slip, &s) / (AY_K_ACC * ay_u_acc(dt)) * (half ? 2 : 1);
		if (error < 0)
			*ay_mag(r, 0, i, 0) = AY_FREE;
	}
}

static void cost_distance(const struct ay_call *c, struct ay_cost *k)
{
	struct ay_meta m = { .dt = AY_DT_NONE };
	struct ay_view a, b;

	pair_of(c, &a, &b, &m, &(struct ay_err){ 0 });
	k->flops = 4.0 * (double)ay_numel_of(&a);
	k->bytes = ay_touched(&c->out[0]->view);
	if (ay_numel_of(&a))
		k->bytes += ay_touched(ay_t(c, "x1")) + ay_touched(ay_t(c, "x2"));
}

/* --- renorm ------------------------------------------------------------------------------------------------ */

/* What becomes of a slice. */
struct scale {
	real factor;
	double error; /* of factor * x, in units of u_acc times that; -1: the slice is unchanged; AY_FREE */
};

static int accepts_renorm(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");

	if (ay_dt_is_integral(self->dt) || self->dt == AY_DT_F8E4M3FN || self->dt == AY_DT_F8E5M2)
		return ay_fail(err, AY_ERR_BIND, "renorm has no meaning for %s", ay_dt_info(self->dt)->name);
	if (self->ndim < 2)
		return ay_fail(err, AY_ERR_BIND, "renorm takes tensors with at least two dimensions");
	if (ay_dt_is_complex(ay_t(c, "p")->dt) || !(re(ay_number(c, "p")) > 0))
		return ay_fail(err, AY_ERR_BIND, "p must be a real number above 0");
	if (ay_dt_is_complex(ay_t(c, "maxnorm")->dt) || !(re(ay_number(c, "maxnorm")) >= 0))
		return ay_fail(err, AY_ERR_BIND, "maxnorm must be a real number of at least 0");
	return ay_dim(c, "dim", self, err) < 0 ? -1 : 0;
}

static struct scale scale_of(const struct norm *s, real maxnorm, enum ay_dt dt)
{
	const real size = norm_of(s), over = size + (real)1e-7;
	const double unit = AY_K_ACC * ay_u_acc(dt), error = norm_error(s, dt);
	struct scale c = { .factor = size > maxnorm ? maxnorm / over : 1,
			   .error = size > maxnorm ? error + 3 : -1 };

	if (error < 0)
		c.error = AY_FREE;
	else if (isfinite(size) && fabs(size - maxnorm) <= size * (real)(unit * error))
		c.error = error + 3 + (double)(1 - maxnorm / over) / unit;
	return c;
}

/* The factors of all slices. Behind one another in `w` lie the elements of a slice. */
static const void *prepare(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self");
	const int dim = ay_dim(r->c, "dim", self, &(struct ay_err){ 0 });
	const int64_t slices = self->shape[dim], numel = ay_numel_of(self);
	const real maxnorm = re(ay_number(r->c, "maxnorm"));
	struct scale *scale = AY_NEW_N(r->tmp, struct scale, slices);
	struct ay_view w = *self;
	int64_t len, rows;
	num *x;

	for (int d = dim; d > 0; d--) {
		w.shape[d] = self->shape[d - 1];
		w.stride[d] = self->stride[d - 1];
	}
	w.shape[0] = slices;
	w.stride[0] = self->stride[dim];
	len = w.shape[w.ndim - 1];
	rows = numel ? numel / slices / len : 0;
	x = ay_tmp(r, len);
	for (int64_t i = 0; i < slices; i++) {
		struct norm s = { .p = re(ay_number(r->c, "p")) };

		for (int64_t row = 0; row < rows; row++) {
			ay_load(r, &w, -1, i * rows + row, x);
			add_sizes(r, &s, x, len);
		}
		scale[i] = scale_of(&s, maxnorm, self->dt);
	}
	return scale;
}

static void renorm(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self");
	const int dim = ay_dim(r->c, "dim", self, &(struct ay_err){ 0 });
	const num *x = ay_load_flat(r, self, 0);
	const struct scale *scale = r->shared;
	/* A product with 0 keeps its sign; of complex numbers only if the kernel's factor is a real number. ATen
	 * computes (a + bi) (f + 0i), whose real part is af - 0b, and 0 - 0 and -0 + 0 are 0. */
	const double zero = ay_dt_is_complex(self->dt) ? 0 : -1, least = ldexp(1, ay_dt_info(self->dt)->emin);
	int64_t inner = 1;

	for (int d = dim + 1; d < self->ndim; d++)
		inner *= self->shape[d];
	for (int64_t i = r->lo; i < r->hi; i++) {
		const struct scale *s = &scale[i / inner % self->shape[dim]];
		const num y = s->error == -1 ? x[i - r->lo] : x[i - r->lo] * s->factor;
		/* a factor that is subnormal in self's dtype is off by half of their spacing */
		const double size = (double)fabs(y), tiny = (double)fabs(x[i - r->lo]) * least;

		*ay_val(r, 0, i, 0) = y;
		*ay_mag(r, 0, i, 0) = s->error < 0     ? s->error
				      : y == 0         ? zero
				      : isfinite(size) ? size * s->error +
								 ay_err_round(self->dt, self->dt, fmax(size, tiny))
						       : 0;
	}
}

static const char *renorm_differs(const struct ay_call *c)
{
	const struct ay_operand *self = ay_operand(c, "self");
	const char *fill = self->fill.name;

	if (!ay_dt_is_complex(self->view.dt))
		return NULL;
	if (self->data || !strcmp(fill, "special") || !strcmp(fill, "nonfinite") || !strcmp(fill, "mixed"))
		return "complex numbers are multiplied by a complex factor, so a part that is not finite makes "
		       "the other NaN, and zeros lose their sign";
	return NULL;
}

static void cost_renorm(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 3.0 * (double)ay_numel_of(ay_t(c, "self"));
	k->bytes = -1;
}

/* clang-format off */
const struct ay_op ay_ops_norms[] = {{
	.schemas   = AY_SCHEMAS("aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=9.9999999999999995e-07, bool keepdim=False) -> Tensor"),
	.doc       = "out = (sum_j |x1_j - x2_j + eps|^p)^(1/p) along the last dimension of x1 and x2, which are broadcast against each other; "
		     "p = inf takes the largest term, p = -inf the least, p = 0 counts those that are not 0. The dimension is left out of "
		     "the result, with keepdim it has size 1. The dtype follows PyTorch's type promotion; integers give f32, complex "
		     "numbers a real result. Half types accumulate in f32; the differences may be rounded to the half type. Without "
		     "elements the distance is 0 (p >= 0).",
	.cases     = {
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16|f64 s=[]|[1]|[7]|[0, 3]|[3, 0]|[1, 2]|[7, 65]|[2, 3, 4, 5]|[5, 1000]|[3, 8192]", AY_QUICK },
		{ "((T([7, 65], dt), T([7, 65], dt), p, 1e-6, k), {})", "dt=f32|f16|bf16 p=0.0|0.5|1.0|2.0|3.0|-1.0|inf|-inf k=False|True", AY_QUICK },
		{ "((T([5, n], dt), T([5, n], dt), p), {})", "dt=f32|f16|bf16 p=1.0|3.0 n=1000|8192", AY_QUICK },
		{ "((T([40, 33], dt, fill=exact(0, 1)), T([40, 33], dt, fill=exact(0, 1)), p, eps), {})", "dt=f32|f16|bf16 (p,eps)=(0.0,0.0)|(1.0,0.0)|(2.0,0.0)|(1.0,0.5)|(2.0,0.5)", AY_QUICK },
		{ "((T([40, 3], dt, fill=exact(-9, 9)), T([40, 3], dt, fill=exact(-9, 9)), p, eps), {})", "dt=f32|f16|bf16 p=inf|-inf eps=0.0|0.5", AY_QUICK },
		{ "((T([40, 9], dt, fill=zeros), T([40, 9], dt, fill=exact(-1, 1)), 2.0, eps), {})", "dt=f32|f16|bf16|f64 eps=1e-6|0.25", AY_QUICK },
		{ "((T([9, 33], dt, fill=const(c)), T([9, 33], dt, fill=const(c)), p), {})", "dt=f32|f16|bf16|f64 c=0|3 p=1.0|2.0", AY_QUICK },
		{ "((T([129, 9], dt, fill=fl), T([129, 9], dt), p), {})", "dt=f32|f16|bf16 fl='nonfinite'|'heavy' p=1.0|2.0|inf|-inf", AY_QUICK },
		{ "((T(s, dt), T(t, dt)), {})", "dt=f32|f16 (s,t)=([4, 1, 33],[5, 33])|([33],[7, 33])|([7, 33],[7, 1])|([],[5])|([0, 1, 3],[2, 1])", AY_QUICK },
		{ "((T([9, 16], dt, stride=sa, offset=1), T([9, 16], dt, stride=sb)), {})", "dt=f32|f16|bf16 (sa,sb)=([1, 9],[16, 1])|([64, 2],[1, 9])|([0, 1],[1, 0])", AY_QUICK },
		{ "((T([9, 33], da), T([9, 33], db)), {})", "(da,db)=(f32,f16)|(f16,bf16)|(f64,f32)|(i32,f32)|(i32,i64)|(c64,c64)|(c64,f32)", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 256]", AY_FULL },
		{ "((T(s, dt), T(s, dt), p, eps, k), {})", "k=False|True eps=1e-06|0.0001 p=1.0|2.0|3.0 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 256]", AY_FULL },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|bf16 s=[512, 256]|[4096, 1024]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, da, fill=f), T(t, db), p, e, k), {})", "s=shape() t=fits(s) da=f32|f16|bf16|f64 db=da|da|f32|f16|bf16|f64 f=None|None|'exact'|'nonfinite'|'heavy' p=0.0|0.5|1.0|2.0|3.0|-1.0|inf|-inf e=1e-6|1e-6|0.0|0.5 k=True|False ; s=shape() t=fits(s) (da,db)=(i32,f32)|(i32,i64)|(u8,f16)|(i64,bf16)|(c64,c64)|(c64,f32)|(c128,c64) f=None p=0.0|0.5|1.0|2.0|3.0|-1.0|inf|-inf e=1e-6|1e-6|0.0|0.5 k=True|False" },
		{ "((T(t, dt), T(s, dt, fill=f), p, e, k), {})", "s=shape() t=fits(s) dt=f32|f16|bf16|f64 f=None|None|'exact' p=0.0|0.5|1.0|2.0|3.0|-1.0|inf|-inf e=1e-6|1e-6|0.0|0.5 k=True|False" },
	},
	.accepts   = accepts_distance,
	.result    = result_distance,
	.reference = distance,
	.cost      = cost_distance,
	.rounds    = "x1 - x2 and x1 - x2 + eps (ATen stores both in the result's dtype)",
	.promises  = "norms whose powers leave the range of f32 (f64)",
}, {
	.schemas   = AY_SCHEMAS("aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor",
				"aten::renorm.out(Tensor self, Scalar p, int dim, Scalar maxnorm, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "For every index i along dim (negative: from the end), s = the slice of self with that index, n = (sum |s|^p)^(1/p) over all "
		     "its elements (p = inf: the largest |s|): out = s * maxnorm / (n + 1e-7) where n > maxnorm, else s as it is, bit for "
		     "bit, also where n is NaN. self is floating or complex and has at least two dimensions, p > 0, maxnorm >= 0. Norms of "
		     "half types are computed in f32; the factor may be rounded to the half type.",
	.cases     = {
		{ "((T(s, dt), p, d, x), {})", "dt=f32|f16|bf16 p=1.0|2 x=0.5 (s,d)=([1, 1],0)|([0, 3],0)|([3, 0],0)|([7, 65],0)|([7, 65],1)|([4, 33, 5],1)|([2, 3, 4, 5],-1)", AY_QUICK },
		{ "((T([40, 33], dt), p, d, x), {})", "dt=f32|f16|bf16|f64 (p,x)=(2.0,5.7)|(1.0,26)|(3,3.7)|(0.5,700.0)|(inf,2.0) d=0|1", AY_QUICK },
		{ "((T([3, n], dt), p, 0, 1.0), {})", "dt=f32|f16|bf16 p=1.0|2.0 n=1000|8192", AY_QUICK },
		{ "((T(s, dt), 2.0, 0, x), {})", "dt=f32|f16|bf16 s=[9, 33] x=0.001|1000 ; dt=f32|f16|bf16 s=[3, 7] x=0", AY_QUICK },
		{ "((T([9, 33], dt, fill=normal(0, 1e-6)), 2.0, 0, 1e-6), {})", "dt=f32|bf16|f64", AY_QUICK },
		{ "((T([40, 9], dt, fill=fl), p, 0, 4.0), {})", "dt=f32|f16|bf16 p=1.0|2.0|inf fl='nonfinite'|'heavy'", AY_QUICK },
		{ "((T([40, 9], dt, fill=exact), p, 0, 4.0), {})", "dt=f32|f16|bf16 p=1.0|2.0|inf", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), 2.0, d, 4.0), {})", "dt=f32|f16|bf16 d=0|1", AY_QUICK },
		{ "((T([9, 16], dt, stride=st), 2.0, d, 3.0), {})", "dt=f32|bf16 (st,d)=([1, 9],0)|([1, 9],1)|([0, 1],1)|([1, 0],0)", AY_QUICK },
		{ "aten::renorm.out((T(s, dt), 2.0, 0, 5.7), {'out': T(s, dt, stride=[1, s[0]], offset=1)})", "dt=f32|f16|bf16 s=[9, 33]|[3, 8192]", AY_QUICK },
		{ "((T([9, 33], dt), p, d, 4.0), {})", "dt=c64|c128 p=1.0|2.0 d=0|1", AY_QUICK },
		{ "((T(s, dt), p, d, x), {})", "x=0.5|1.0 d=0|1 p=1.0|2.0 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::renorm.out((T(s, dt), p, d, x), {'out': T(s, dt)})", "x=0.5|1.0 d=0|1 p=1.0|2.0 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), 2.0, d, 1.0), {})", "dt=f32|bf16 d=0|1 s=[512, 512]|[4096, 1024]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f), p, dim(s), x), {})", "s=shape(2, 6) dt=f32|f16|bf16|f64 f=None|None|'heavy'|'nonfinite'|'exact' p=1.0|2|2.0|3|0.5|inf x=0|0.001|0.5|1.0|4|5.7|26 ; s=shape(2, 6) dt=c64|c128 f=None p=1.0|2.0|inf x=0.5|4.0|26" },
	},
	.accepts   = accepts_renorm,
	.prepare   = prepare,
	.reference = renorm,
	.cost      = cost_renorm,
	.rounds    = "the factor (ATen rounds it to the dtype of self)",
	.promises  = "slices whose powers leave the range of f32 (f64); the sign of zeros in complex slices that are scaled",
	.aten_differs = renorm_differs,
	.cuda_differs = renorm_differs,
}, {0}};
