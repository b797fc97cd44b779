/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes for a kernel in C: broadcasting, axes, and the iteration over tensors of any strides.
 *
 * `struct ay_lines` cuts an elementwise operator into lines, in which the elements of the result are neighbours and each
 * input goes on by a constant step (0: one repeated number), and lines into pieces that stay in the first cache:
 *
 *	struct ay_lines l = ay_find_lines(out, 2, self, other, AY_PIECE);
 *	for (struct ay_piece p = ay_piece_at(&l, 0); p.index < l.count; ay_next_piece(&l, &p))
 *		for (int64_t e = 0; e < p.n; e++)
 *			... out at p.out + e, inputs at p.in[i] + e * l.step[i] ...
 */
#ifndef ASSAY_KERNEL_ITER_H
#define ASSAY_KERNEL_ITER_H

#include <assay/kernel_threads.h>

enum { AY_PIECE = 4096, AY_MAX_INPUTS = 2 };

/* --- axes ------------------------------------------------------------------------------------------------ */

/* Returns the dimension that a `dim` argument names, which may count from the end. */
static inline int64_t ay_axis(const ay_tensor *t, int64_t dim)
{
	return dim < 0 && t->ndim ? dim + t->ndim : dim;
}

/* Returns t's size along axis; of a tensor without dimensions, 1. */
static inline int64_t ay_size(const ay_tensor *t, int64_t axis)
{
	return t->ndim ? t->shape[axis] : 1;
}

/* Returns t's stride along axis; of a tensor without dimensions, 0. */
static inline int64_t ay_stride(const ay_tensor *t, int64_t axis)
{
	return t->ndim ? t->strides[axis] : 0;
}

/* Returns the number of elements behind axis: the stride of a dense tensor along it. */
static inline int64_t ay_inner(const ay_tensor *t, int64_t axis)
{
	int64_t n = 1;

	for (int64_t d = axis + 1; d < t->ndim; d++)
		n *= t->shape[d];
	return n;
}

/* Returns the place of the first element of line i along axis. Lines are counted over the other dimensions. */
static inline int64_t ay_line_at(const ay_tensor *t, int64_t axis, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = t->ndim - 1; d >= 0; d--) {
		if (d == axis)
			continue;
		at += i % t->shape[d] * t->strides[d];
		i /= t->shape[d];
	}
	return at;
}

/* --- broadcasting ---------------------------------------------------------------------------------------- */

/* Returns the stride of t, broadcast to out's shape, along out's dimension d. */
static inline int64_t ay_broadcast_stride(const ay_tensor *t, const ay_tensor *out, int32_t d)
{
	const int32_t k = d - (out->ndim - t->ndim);

	return k >= 0 && t->shape[k] != 1 ? t->strides[k] : 0;
}

/* Returns where t, broadcast to out's shape, has the element with flat index i of out. */
static inline int64_t ay_broadcast_at(const ay_tensor *t, const ay_tensor *out, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = out->ndim - 1; d >= 0; d--) {
		at += i % out->shape[d] * ay_broadcast_stride(t, out, d);
		i /= out->shape[d];
	}
	return at;
}

/* --- lines ----------------------------------------------------------------------------------------------- */

struct ay_lines {
	const ay_tensor *out, *in[AY_MAX_INPUTS];
	int n_in;
	int64_t line, step[AY_MAX_INPUTS]; /* elements of a line; steps of the inputs in it */
	int64_t piece, pieces, count;      /* elements of a piece; pieces of a line; of all lines */
	int32_t outer;                     /* the dimension that leads from one line to the next */
};

/* Piece `index`: n elements, from these places on. */
struct ay_piece {
	int64_t index, n, out, in[AY_MAX_INPUTS];
	int64_t row, first, left; /* its line; its place there; lines left in dimension `outer` */
};

/* Joins dimensions from the last on for as long as out is dense and all inputs go on by constant steps. Only shape and
 * strides of out are read. in1 is NULL if n_in is 1. */
static inline struct ay_lines ay_find_lines(const ay_tensor *out, int n_in, const ay_tensor *in0,
					    const ay_tensor *in1, int64_t piece)
{
	struct ay_lines l = { .out = out, .in = { in0, in1 }, .n_in = n_in, .line = 1, .piece = piece };

	for (l.outer = out->ndim - 1; l.outer >= 0; l.outer--) {
		bool even = out->strides[l.outer] == l.line;

		if (out->shape[l.outer] == 1)
			continue;
		for (int i = 0; i < n_in; i++) {
			const int64_t stride = ay_broadcast_stride(l.in[i], out, l.outer);

			l.step[i] = l.line == 1 ? stride : l.step[i];
			even = even && stride == l.step[i] * l.line;
		}
		if (!even)
			break;
		l.line *= out->shape[l.outer];
	}
	l.pieces = (l.line + piece - 1) / piece;
	l.count = l.line ? ay_numel(out) / l.line * l.pieces : 0;
	return l;
}

static inline struct ay_piece ay_piece_at(const struct ay_lines *l, int64_t index)
{
	const int64_t row = index / l->pieces, first = index % l->pieces * l->piece,
		      size = l->outer < 0 ? 1 : l->out->shape[l->outer];
	struct ay_piece p = { .index = index, .row = row, .first = first, .left = size - row % size };

	p.n = ay_min(l->line - first, l->piece);
	p.out = ay_at(l->out, row * l->line) + first;
	for (int i = 0; i < l->n_in; i++)
		p.in[i] = ay_broadcast_at(l->in[i], l->out, row * l->line) + first * l->step[i];
	return p;
}

/* Goes on to the next piece: mostly one step away, else found anew. */
static inline void ay_next_piece(const struct ay_lines *l, struct ay_piece *p)
{
	int64_t by = p->n; /* elements along the line */

	p->index++;
	p->first += l->piece;
	if (p->first < l->line) {
		p->n = ay_min(l->line - p->first, l->piece);
		p->out += by;
		for (int i = 0; i < l->n_in; i++)
			p->in[i] += by * l->step[i];
	} else if (p->left == 1) {
		if (p->index < l->count)
			*p = ay_piece_at(l, p->index);
	} else {
		by = (l->pieces - 1) * l->piece; /* back to the start of the line */
		p->out += l->out->strides[l->outer] - by;
		for (int i = 0; i < l->n_in; i++)
			p->in[i] += ay_broadcast_stride(l->in[i], l->out, l->outer) - by * l->step[i];
		p->first = 0;
		p->n = ay_min(l->line, l->piece);
		p->left--;
		p->row++;
	}
}

/* Runs work on all pieces; a thread gets at least `grain` pieces' worth of elements. */
static inline void ay_parallel_pieces(ay_work_fn *work, const void *job, const struct ay_lines *l, int64_t grain,
				      const ay_ctx *ctx)
{
	if (l->count)
		ay_parallel_for(work, job, l->count, 1 + grain * l->piece / ay_min(l->line, l->piece), ctx);
}

#endif
