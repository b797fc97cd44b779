/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions over listed dimensions for a kernel in C: the order of dimensions, and the loops for f32, f16 and bf16 whose
 * last dimension is dense. A line of numbers is reduced in lanes, or, where the last dimension is kept, lines are added to
 * a line of results. A kernel gives its operation twice, for f32 within a span and for double between spans, and calls
 * ay_reduce_part() in a function of its own, so that the operation is compiled into the loops:
 *
 *	static float add(float a, float x) { return a + x; }
 *	static double add_spans(double a, double b) { return a + b; }
 *	static void sum_part(const void *job, int64_t from, int64_t to) { ay_reduce_part(job, from, to, add, add_spans); }
 */
#ifndef ASSAY_KERNEL_REDUCE_H
#define ASSAY_KERNEL_REDUCE_H

#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

enum {
	AY_REDUCE_DIMS = 16,
	AY_REDUCE_SPAN = 2048, /* numbers that are reduced in f32 */
	AY_REDUCE_LANES = 64,
	AY_REDUCE_GRAIN = 256 << 10, /* numbers of a thread's part */
};

#define AY_REDUCE_INLINE static inline __attribute__((always_inline, unused))

/* --- the order of dimensions ----------------------------------------------------------------------------- */

/* A tensor with the kept dimensions in front and the reduced ones behind. */
struct ay_reduce_dims {
	int kept, reduced;
	int64_t shape[AY_REDUCE_DIMS], stride[AY_REDUCE_DIMS];
	int64_t n; /* elements of one result */
};

/* Returns the listed dimensions as a mask; of an empty list, all. */
static inline unsigned ay_dims_mask(const ay_tensor *t, const int64_t *dim, int64_t n_dim)
{
	unsigned mask = n_dim ? 0 : ~0u;

	for (int64_t k = 0; k < n_dim; k++)
		mask |= 1u << (dim[k] < 0 ? dim[k] + (t->ndim ? t->ndim : 1) : dim[k]);
	return mask;
}

static inline struct ay_reduce_dims ay_order_dims(const ay_tensor *t, unsigned mask)
{
	struct ay_reduce_dims o = { .n = 1 };

	for (int pass = 0; pass < 2; pass++) {
		for (int d = 0; d < t->ndim; d++) {
			if ((int)(mask >> d & 1) != pass)
				continue;
			o.shape[o.kept + o.reduced] = t->shape[d];
			o.stride[o.kept + o.reduced] = t->strides[d];
			o.n *= pass ? t->shape[d] : 1;
			*(pass ? &o.reduced : &o.kept) += 1;
		}
	}
	return o;
}

/* Returns where element i, counted over dimensions from .. to - 1 of the order, lies. */
static inline int64_t ay_order_at(const struct ay_reduce_dims *o, int from, int to, int64_t i)
{
	int64_t at = 0;

	for (int d = to - 1; d >= from; d--) {
		at += i % o->shape[d] * o->stride[d];
		i /= o->shape[d];
	}
	return at;
}

/* Returns where the elements of result i begin. */
static inline int64_t ay_result_at(const struct ay_reduce_dims *o, int64_t i)
{
	return ay_order_at(o, 0, o->kept, i);
}

/* Returns where element e of a result lies, counted from its first. */
static inline int64_t ay_reduced_at(const struct ay_reduce_dims *o, int64_t e)
{
	return ay_order_at(o, o->kept, o->kept + o->reduced, e);
}

/* --- f32, f16 and bf16 ----------------------------------------------------------------------------------- */

/* Commutative; one of its arguments is an element, or both are results. */
typedef float ay_reduce_fn(float a, float b);
typedef double ay_reduce_spans_fn(double a, double b);

struct ay_reduce {
	const ay_tensor *self, *out;
	float start;    /* the result of no elements */
	double divisor; /* of every result: 1, or the count for a mean */
	/* set by ay_reduce_floats */
	struct ay_reduce_dims o;
	bool by_lines; /* the last dimension is reduced */
	int64_t outs, parts;
	double *partial; /* of every part, where one result is shared by all; else NULL */
};

AY_REDUCE_INLINE float ay_reduce_line(const float *x, int64_t n, float start, ay_reduce_fn *f)
{
	float lane[AY_REDUCE_LANES], all;
	int64_t i = 0;

	for (int e = 0; e < AY_REDUCE_LANES; e++)
		lane[e] = start;
	for (; i + AY_REDUCE_LANES <= n; i += AY_REDUCE_LANES)
		for (int e = 0; e < AY_REDUCE_LANES; e++)
			lane[e] = f(lane[e], x[i + e]);
	for (int half = AY_REDUCE_LANES / 2; half; half /= 2)
		for (int e = 0; e < half; e++)
			lane[e] = f(lane[e], lane[e + half]);
	all = lane[0];
	for (; i < n; i++)
		all = f(all, x[i]);
	return all;
}

/* Reduces elements from .. to - 1 of one result; lines of the last dimension are neighbours. */
AY_REDUCE_INLINE double ay_reduce_range(const struct ay_reduce *r, int64_t base, int64_t from, int64_t to,
					ay_reduce_fn *f, ay_reduce_spans_fn *spans)
{
	const int64_t line = r->o.shape[r->o.kept + r->o.reduced - 1];
	float buf[AY_REDUCE_SPAN];
	double all = r->start;

	while (from < to) {
		const int64_t n = ay_min(ay_min(line - from % line, to - from), AY_REDUCE_SPAN);
		const float *x = ay_floats_at(r->self, base + ay_reduced_at(&r->o, from), buf, n);

		all = spans(all, ay_reduce_line(x, n, r->start, f));
		from += n;
	}
	return all;
}

static inline void ay_put_result(const struct ay_reduce *r, int64_t i, double x)
{
	ay_write(r->out, ay_at(r->out, i), x / r->divisor);
}

/* Shares many results among the threads; of a few, every thread reduces a part. */
AY_REDUCE_INLINE void ay_reduce_lines(const struct ay_reduce *r, int64_t t, int64_t end, ay_reduce_fn *f,
				      ay_reduce_spans_fn *spans)
{
	const struct ay_reduce_dims *o = &r->o;

	for (int64_t i = 0; i < r->outs && r->partial; i++)
		r->partial[t * r->outs + i] = ay_reduce_range(r, ay_result_at(o, i), o->n * t / r->parts,
							      o->n * (t + 1) / r->parts, f, spans);
	for (int64_t i = r->outs * t / r->parts; i < r->outs * end / r->parts && !r->partial; i++)
		ay_put_result(r, i, ay_reduce_range(r, ay_result_at(o, i), 0, o->n, f, spans));
}

/* Reduces into `cols` neighbouring results. A line that is short, with its reduced neighbours behind it, is taken several
 * times over. */
AY_REDUCE_INLINE void ay_reduce_columns(const struct ay_reduce *r, int64_t first, int64_t cols, bool several,
					ay_reduce_fn *f)
{
	const struct ay_reduce_dims *o = &r->o;
	const int64_t base = ay_result_at(o, first), times = several ? ay_min(AY_REDUCE_SPAN / cols, o->n) : 1;
	_Alignas(64) float all[AY_REDUCE_SPAN], buf[AY_REDUCE_SPAN];

	for (int64_t e = 0; e < times * cols; e++)
		all[e] = r->start;
	for (int64_t i = 0; i < o->n; i += times) {
		const int64_t n = ay_min(times, o->n - i) * cols;
		const float *x = ay_floats_at(r->self, base + ay_reduced_at(o, i), buf, n);

		for (int64_t e = 0; e < n; e++)
			all[e] = f(x[e], all[e]); /* in this order the lines are fetched first */
	}
	for (int64_t t = 1; t < times; t++)
		for (int64_t e = 0; e < cols; e++)
			all[e] = f(all[e], all[t * cols + e]);
	for (int64_t e = 0; e < cols; e++)
		ay_put_result(r, first + e, all[e]);
}

/* Does parts from .. to - 1 of the struct ay_reduce that `job` points to. */
AY_REDUCE_INLINE void ay_reduce_part(const void *job, int64_t from, int64_t to, ay_reduce_fn *f,
				     ay_reduce_spans_fn *spans)
{
	const struct ay_reduce *r = (const struct ay_reduce *)job;
	const struct ay_reduce_dims *o = &r->o;
	const int64_t line = o->kept ? o->shape[o->kept - 1] : 1,
		      pieces = (line + AY_REDUCE_SPAN - 1) / AY_REDUCE_SPAN;
	const bool several = o->reduced == 1 && o->stride[o->kept] == line;

	if (r->by_lines) {
		ay_reduce_lines(r, from, to, f, spans);
		return;
	}
	for (int64_t p = from; p < to; p++) {
		const int64_t col = p % pieces * AY_REDUCE_SPAN, cols = ay_min(AY_REDUCE_SPAN, line - col);

		ay_reduce_columns(r, p / pieces * line + col, cols, several && cols < AY_REDUCE_SPAN / 2, f);
	}
}

/* Returns true if ay_reduce_floats takes the call. */
static inline bool ay_can_reduce_floats(const ay_tensor *self, const ay_tensor *out)
{
	return ay_fits_f32(self) && ay_fits_f32(out) && ay_numel(self) && self->ndim &&
	       self->strides[self->ndim - 1] == 1;
}

/* Reduces the dimensions of mask. r has self, out, start and divisor; `part` calls ay_reduce_part(). */
static inline void ay_reduce_floats(struct ay_reduce r, unsigned mask, ay_work_fn *part, ay_reduce_spans_fn *spans,
				    const ay_ctx *ctx)
{
	int64_t line, pieces;

	r.o = ay_order_dims(r.self, mask);
	r.by_lines = mask >> (r.self->ndim - 1) & 1;
	r.outs = ay_numel(r.out);
	if (!r.by_lines) {
		line = r.o.shape[r.o.kept - 1];
		pieces = (line + AY_REDUCE_SPAN - 1) / AY_REDUCE_SPAN;
		ay_parallel_for(part, &r, r.outs / line * pieces,
				1 + AY_REDUCE_GRAIN / (r.o.n * ay_min(line, AY_REDUCE_SPAN)), ctx);
		return;
	}
	r.parts = ay_thread_count(r.outs * r.o.n, AY_REDUCE_GRAIN, ctx);
	if (r.outs < 4 * r.parts)
		r.partial = (double *)ctx->scratch(ctx, (size_t)(r.parts * r.outs) * sizeof *r.partial);
	ay_parallel_for(part, &r, r.parts, 1, ctx);
	for (int64_t i = 0; i < r.outs && r.partial; i++) {
		double all = r.start;

		for (int64_t t = 0; t < r.parts; t++)
			all = spans(all, r.partial[t * r.outs + i]);
		ay_put_result(&r, i, all);
	}
}

#endif
