/* SPDX-License-Identifier: Apache-2.0
 *
 * hint - guesses what went wrong, for the author of a kernel.
 *
 * A wrong guess costs the author more than none, so each guess is tested against chance before it
 * is reported.
 *
 * A model is the reference with one weakness: a narrow accumulator, or inputs rounded to fewer
 * bits. It is computed for some rows around the first wrong element. It explains the kernel if one
 * of two things holds:
 * - The kernel returned the model's own bits where these differ from the right ones, and chance
 *   would not have. Then it adds up in the reference's order.
 * - For many elements, the kernel's errors correlate with the model's, far more than independent
 *   numbers would. Then it adds up in another order and shares a part of the roundings. The part
 *   that is linear in the wanted value is left out.
 *
 * A kernel that omits a term has errors as large as those of a narrow accumulator, and larger
 * ones. But they are not the model's errors.
 */
#include "judge/case_run.h"
#include "oracle/oracle.h"

#include <math.h>

enum {
	ROOM = 8192, /* elements that are examined */
	MANY = 32,   /* fewer elements prove nothing by correlation */
};

#define BITS_PROOF 6.0 /* log2 of how unlikely equal bits must be by chance */
#define SURE       6.0 /* standard deviations */
#define EXPLAINS   0.3 /* least correlation; below it, another cause makes most of the error */

/* Elements of one output: the wanted value, the model's value and the kernel's value. The first
 * two are not rounded to the output's dtype. */
struct sample {
	int out, n, at;
	int64_t rows; /* number of rows they are from; elements of one row may share one error */
	enum ay_dt dt;
	long double *want, *got, *model;
};

static long double rounded(enum ay_dt dt, long double x)
{
	long double memory[2];

	ay_row_store_ld(dt, memory, 1, 1, &x);
	ay_row_load_ld(dt, memory, 1, 1, &x);
	return x;
}

static void keep_answer(void *user, const struct ay_element *e)
{
	struct sample *s = user;

	if (e->out != s->out || s->n == ROOM)
		return;
	s->want[s->n] = e->want;
	s->got[s->n++] = e->got;
}

static void keep_model(void *user, const struct ay_element *e)
{
	struct sample *s = user;

	if (e->out == s->out && s->at < s->n)
		s->model[s->at++] = e->want;
}

/* --- tests ----------------------------------------------------------------------------------------------------- */

static bool counts(const struct sample *s, int i)
{
	return isfinite(s->want[i]) && isfinite(s->got[i]) && isfinite(s->model[i]);
}

/* Returns true if the kernel has the model's own bits wherever one of the two is wrong. */
static bool is_same(const struct sample *s)
{
	int told = 0, same = 0;
	double proof = 0;

	for (int i = 0; i < s->n; i++) {
		const long double right = rounded(s->dt, s->want[i]), model = rounded(s->dt, s->model[i]);

		if (s->got[i] == right && model == right)
			continue;
		told++;
		if (!counts(s, i) || s->got[i] != model)
			continue;
		same++;
		proof += log2(1 + 2 * fabs((double)(s->got[i] - right)) / ay_dt_ulp(s->dt, s->want[i]));
	}
	return same && same * 10 >= told * 9 && proof >= BITS_PROOF;
}

/* Sums over elements. a: error of the kernel; b: error of the model; w: wanted value. */
struct sums {
	double n, a, b, w, aa, bb, ww, ab, aw, bw;
};

static void add(struct sums *x, double a, double b, double w)
{
	x->n++;
	x->a += a;
	x->b += b;
	x->w += w;
	x->aa += a * a;
	x->bb += b * b;
	x->ww += w * w;
	x->ab += a * b;
	x->aw += a * w;
	x->bw += b * w;
}

/* Returns n times the covariance of two of them, without the part of both that is linear in w. */
static double rest(const struct sums *x, double ab, double a, double b, double aw, double bw)
{
	const double ww = x->ww - x->w * x->w / x->n;
	const double ca = aw - a * x->w / x->n, cb = bw - b * x->w / x->n;

	return ab - a * b / x->n - (ww > 0 ? ca * cb / ww : 0);
}

/* Returns the correlation of the signs alone, which a few large errors cannot cause. n[a > 0][b >
 * 0] counts elements. */
static double sign_correlation(double n[2][2])
{
	const double a = n[1][0] + n[1][1], b = n[0][1] + n[1][1], all = a + n[0][0] + n[0][1];
	const double spread = a * (all - a) * b * (all - b);

	return spread > 0 ? (n[1][1] * n[0][0] - n[1][0] * n[0][1]) / sqrt(spread) : 0;
}

/* Returns the correlation of the two errors; 0 if chance may have caused it, or if one error is
 * much larger than the other. Truncated inputs have errors opposite to those of rounded ones,
 * which gives a negative correlation. */
static double correlation(const struct sample *s)
{
	struct sums x = { 0 };
	double aa, bb, r, n, sign[2][2] = { 0 }, of_signs;

	for (int i = 0; i < s->n; i++) {
		const double a = (double)(s->got[i] - s->want[i]), b = (double)(s->model[i] - s->want[i]);

		if (!counts(s, i))
			continue;
		add(&x, a, b, (double)s->want[i]);
		sign[a > 0][b > 0]++;
	}
	n = fmin(x.n, (double)s->rows);
	if (n < MANY)
		return 0;
	aa = rest(&x, x.aa, x.a, x.a, x.aw, x.aw);
	bb = rest(&x, x.bb, x.b, x.b, x.bw, x.bw);
	if (!(aa > 0) || !(bb > 0) || aa > 16 * bb || bb > 16 * aa)
		return 0;
	r = rest(&x, x.ab, x.a, x.b, x.aw, x.bw) / sqrt(aa * bb);
	r = fmin(fmax(r, -0.999999), 0.999999);
	of_signs = copysign(1, r) * sign_correlation(sign);
	if (fabs(r) < EXPLAINS || atanh(fabs(r)) * sqrt(n - 5) < SURE || of_signs < EXPLAINS / 2 ||
	    of_signs * sqrt(n) < SURE / 2)
		return 0;
	return r;
}

/* --- models ---------------------------------------------------------------------------------------------------- */

static const struct model {
	int acc_bits, in_bits;
	const char *text;
	bool wide; /* only for results in f64 */
} models[] = {
	{ 11, 0, "the errors fit an accumulator in half precision", false },
	{ 8, 0, "the errors fit an accumulator in bfloat16", false },
	{ 24, 0, "the errors fit an accumulator in f32", true },
	{ 0, 11, "the errors fit inputs rounded to TF32 (11 bits)", false },
	{ 0, 8, "the errors fit inputs rounded to bfloat16 (8 bits)", false },
};

/* Chooses rows from that of the first wrong element on, as many as have ROOM elements. */
static void choose_rows(struct ay_compare *q, struct sample *s, int64_t first)
{
	const int k = s->out;
	const struct ay_op *op = q->op->op[ay_call_num_type(q->call)];
	const struct ay_view *v = &q->call->out[k]->view;
	struct ay_rowmap m = { ay_numel_of(v), 1, AY_FLAT };
	const int64_t rows = ay_oracle_rows(q->op, q->call);
	int64_t inner = 1, row = first, n;

	if (op->rows)
		op->rows(q->call, k, &m);
	for (int d = m.axis + 1; m.axis >= 0 && d < v->ndim; d++)
		inner *= v->shape[d];
	if (m.axis >= 0)
		row = first / (m.len * inner) * inner + first % inner;
	/* the output is compared with the first range of rows */
	if (m.axis == AY_WHOLE || m.rows != rows)
		row = 0;
	n = ROOM / (m.len > 0 ? m.len : 1) + 1;
	q->row_lo = row + n > rows ? rows - n : row;
	q->row_lo = q->row_lo < 0 ? 0 : q->row_lo;
	q->row_hi = q->row_lo + n < rows ? q->row_lo + n : rows;
	s->rows = q->row_hi - q->row_lo;
}

static bool has_f32_input(const struct ay_call *c)
{
	for (int i = 0; i < c->noperand; i++)
		if (c->operand[i]->role <= AY_INOUT && c->operand[i]->view.dt == AY_DT_F32)
			return true;
	return false;
}

/* Returns how well a model explains the kernel: 0 not at all, up to 1 by correlation, 2 by equal
 * bits. */
static double fit(struct ay_compare q, const struct model *m, struct sample *s, struct ay_diff *ignored)
{
	double r;

	if ((m->wide && ay_dt_info(s->dt)->mant <= 24) || (m->in_bits && !has_f32_input(q.call)))
		return 0; /* for f32 results this is no fault, or no input is rounded */
	q.acc_bits = m->acc_bits;
	q.in_bits = m->in_bits;
	q.each = keep_model;
	s->at = 0;
	ay_oracle_compare(&q, ignored);
	if (s->at < s->n)
		return 0;
	if (is_same(s))
		return 2;
	r = correlation(s);
	return m->in_bits ? fabs(r) : fmax(r, 0);
}

/* Returns the model that fits best. Returns NULL if none fits, or if two fit equally well (for
 * sums of one term all models are equal). */
static const struct model *best_model(const struct ay_compare *q, struct sample *s, struct ay_diff *ignored)
{
	const struct model *best = NULL;
	double most = 0;

	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		const double x = fit(*q, &models[i], s, ignored);

		if (x > 0 && x >= most) {
			best = x > most ? &models[i] : NULL;
			most = x;
		}
	}
	return best;
}

static const char *find_model(struct case_run *t, int k, const struct ay_diff *d)
{
	struct ay_diff *ignored = AY_NEW_N(t->a, struct ay_diff, t->call->nout + 1);
	struct sample s = { .out = k, .dt = ay_dt_component(t->call->out[k]->view.dt) };
	struct ay_compare q = { .op = t->op, .call = t->call, .threads = 1, .each = keep_answer, .each_user = &s };
	const struct model *m;

	if (!ay_dt_is_float(s.dt))
		return NULL;
	s.want = ay_alloc_raw(t->a, 3 * ROOM * sizeof *s.want);
	s.got = s.want + ROOM;
	s.model = s.got + ROOM;
	choose_rows(&q, &s, d->first);
	ay_oracle_compare(&q, ignored);
	m = best_model(&q, &s, ignored);
	if (!m || m->in_bits)
		return m ? m->text : NULL;
	return ay_sprintf(t->a, "%s: accumulate in %s", m->text, ay_dt_info(s.dt)->mant > 24 ? "f64" : "f32");
}

/* Returns true if only elements near the end are wrong: few of all, and at least every other one
 * there. By chance this happens once in a thousand times. */
static bool is_tail(const struct ay_diff *d, const struct ay_view *v)
{
	const int64_t n = ay_numel_of(v), tail = n - d->first;
	/* d->bad counts both parts of complex numbers */
	const int64_t bad = ay_dt_is_complex(v->dt) ? (d->bad + 1) / 2 : d->bad;

	return d->n == n && tail * 4 <= n && bad * 2 >= tail &&
	       (double)bad * log10((double)tail / (double)n) <= -3;
}

const char *ay_case_run_hint(struct case_run *t, int k, const struct ay_diff *d)
{
	const struct ay_view *v = &t->call->out[k]->view;
	const char *model = find_model(t, k, d);

	if (model || !is_tail(d, v))
		return model;
	return ay_sprintf(t->a,
			  "all that is wrong is in the last %lld of %lld elements: look at the end of the loop",
			  (long long)(d->n - d->first), (long long)d->n);
}
