/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementwise operators for a kernel in C, of one or two inputs, any strides and broadcasting. A kernel gives its formula
 * twice: for vectors of f32, which serve f32, f16 and bf16 where lines are dense or one repeated number, and for one
 * element of any dtype. It calls ay_map_pieces() in a function of its own, so that the formula is compiled into the loop:
 *
 *	static ay_vec square_vec(ay_vec x, ay_vec y, const float *k) { return x * x; }
 *	static void square_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2) { ... }
 *	static void square_pieces(const void *job, int64_t from, int64_t to)
 *	{
 *		ay_map_pieces(job, from, to, square_vec, square_one);
 *	}
 *	int aten_square(...) { return ay_map((struct ay_map){ .out = out, .in = { self } }, square_pieces, 16, ctx); }
 */
#ifndef ASSAY_KERNEL_ELEMENTWISE_H
#define ASSAY_KERNEL_ELEMENTWISE_H

#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>
#include <assay/kernel_simd.h>

enum { AY_STREAM_BYTES = 16 << 20 }; /* results of that size go past the caches */

struct ay_map {
	const ay_tensor *out, *in[AY_MAX_INPUTS]; /* in[1] NULL: one input */
	ay_scalar scalar;                         /* an argument of the operator, for the formula */
	double number[2];                         /* numbers for the formula; the vectors' k has them as floats */
	struct ay_lines lines;
	bool stream;
};

typedef ay_vec ay_map_vec(ay_vec x, ay_vec y, const float *k);
typedef void ay_map_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2);

/* An input along a line: neighbours, or (at is NULL) one number for all. */
struct ay_operand {
	const char *at;
	ay_vec same;
};

static inline struct ay_operand ay_operand_at(const ay_tensor *t, int64_t at, int64_t step)
{
	return (struct ay_operand){ t && step ? (const char *)ay_address(t, at) : NULL,
				    ay_vec_of(t && !step ? (float)ay_read(t, at) : 0) };
}

/* Returns up to n elements from element i on. */
AY_INLINE ay_vec ay_operand_vec(int32_t dt, struct ay_operand x, int64_t i, int64_t n)
{
	return x.at ? ay_load_some(dt, x.at + i * ay_vec_item(dt), n) : x.same;
}

/* Returns true if vectors of dt serve t's lines: dense ones of that dtype, or a real number. */
static inline bool ay_is_vectorisable(const ay_tensor *t, int64_t step, int32_t dt)
{
	return !t || (step ? step == 1 && ay_dt(t) == dt : !ay_is_complex(t));
}

AY_INLINE void ay_map_run(int32_t dt, const struct ay_map *m, const struct ay_piece *p, ay_map_vec *f)
{
	const int64_t item = ay_vec_item(dt), n = p->n;
	const struct ay_operand x = ay_operand_at(m->in[0], p->in[0], m->lines.step[0]);
	const struct ay_operand y = ay_operand_at(m->in[1], p->in[1], m->lines.step[1]);
	const float k[2] = { (float)m->number[0], (float)m->number[1] };
	char *out = (char *)m->out->data + p->out * item;
	const bool stream = m->stream && (uintptr_t)out % (size_t)(AY_LANES * item) == 0;
	int64_t i = 0;

	for (; i + AY_LANES <= n; i += AY_LANES)
		ay_store_vec(dt, out + i * item,
			     f(ay_operand_vec(dt, x, i, AY_LANES), ay_operand_vec(dt, y, i, AY_LANES), k), stream);
	if (i < n)
		ay_store_some(dt, out + i * item,
			      f(ay_operand_vec(dt, x, i, n - i), ay_operand_vec(dt, y, i, n - i), k), n - i);
}

/* A loop over pieces for each dtype keeps the constants of the formula in registers. */
AY_INLINE void ay_map_pieces_of(int32_t dt, const struct ay_map *m, int64_t from, int64_t to, ay_map_vec *f)
{
	for (struct ay_piece p = ay_piece_at(&m->lines, from); p.index < to; ay_next_piece(&m->lines, &p))
		ay_map_run(dt, m, &p, f);
	ay_stream_fence();
}

/* Computes pieces from .. to - 1 of the struct ay_map that `job` points to. */
AY_INLINE void ay_map_pieces(const void *job, int64_t from, int64_t to, ay_map_vec *f, ay_map_one *one)
{
	const struct ay_map *m = (const struct ay_map *)job;
	const struct ay_lines *l = &m->lines;
	const int32_t dt = ay_dt(m->out);
	const bool even = ay_is_vectorisable(m->in[0], l->step[0], dt) &&
			  ay_is_vectorisable(m->in[1], l->step[1], dt);

	switch (even ? dt : 0) {
	case AY_F32: ay_map_pieces_of(AY_F32, m, from, to, f); break;
	case AY_F16: ay_map_pieces_of(AY_F16, m, from, to, f); break;
	case AY_BF16: ay_map_pieces_of(AY_BF16, m, from, to, f); break;
	default:
		for (struct ay_piece p = ay_piece_at(l, from); p.index < to; ay_next_piece(l, &p))
			for (int64_t e = 0; e < p.n; e++)
				one(m, p.out + e, p.in[0] + e * l->step[0], p.in[1] + e * l->step[1]);
	}
}

/* Runs `pieces`, which calls ay_map_pieces(), over all of out; a thread gets at least `grain` pieces. */
static inline int ay_map(struct ay_map m, ay_work_fn *pieces, int64_t grain, const ay_ctx *ctx)
{
	if (ay_dt(m.in[0]) == AY_C32 || (m.in[1] && ay_dt(m.in[1]) == AY_C32) || ay_dt(m.out) == AY_C32)
		return AY_UNSUPPORTED;
	m.lines = ay_find_lines(m.out, m.in[1] ? 2 : 1, m.in[0], m.in[1], AY_PIECE);
	m.stream = ay_numel(m.out) * ay_item_size(m.out) >= AY_STREAM_BYTES;
	ay_parallel_pieces(pieces, &m, &m.lines, grain, ctx);
	return AY_OK;
}

#endif
