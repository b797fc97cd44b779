/* due: PASS - one loop for each size of element, along the last dimension; rows are shared by threads. */
#include <assay/kernel_copy.h>

enum { GRAIN = 128 << 10 }; /* elements of a thread's part */

/* --- lines ----------------------------------------------------------------------------------------------- */

/* out[e] = self[index[e] * by_index + e * by_place] */
struct line {
	const void *self;
	void *out;
	const void *index; /* i64 or, if narrow, i32 */
	bool narrow;
	int64_t n, by_index, by_place, index_step, out_step;
};

#define GATHER_BY(name, type, index_type)                                                                 \
	static void name(const struct line *l, int64_t from, int64_t to)                                  \
	{                                                                                                 \
		const type *x = (const type *)l->self + from;                                             \
		const index_type *index = l->index;                                                       \
		type *y = (type *)l->out + to;                                                            \
                                                                                                          \
		for (int64_t e = 0; e < l->n; e++)                                                        \
			y[e * l->out_step] = x[index[e * l->index_step] * l->by_index + e * l->by_place]; \
	}
#define GATHER(name, type)                                               \
	GATHER_BY(name##_i64, type, int64_t)                             \
	GATHER_BY(name##_i32, type, int32_t)                             \
	static void name(const struct line *l, int64_t from, int64_t to) \
	{                                                                \
		(l->narrow ? name##_i32 : name##_i64)(l, from, to);      \
	}
GATHER(gather_8, uint8_t)
GATHER(gather_16, uint16_t)
GATHER(gather_32, uint32_t)
GATHER(gather_64, uint64_t)
GATHER(gather_128, struct ay_item128)

/* --- the operator ---------------------------------------------------------------------------------------- */

struct job {
	const ay_tensor *self, *index, *out;
	int64_t dim;
	struct line line; /* without what differs from row to row */
};

/* Where row `row` of index starts in self: its place in every dimension but dim and the last. */
static int64_t row_in_self(const struct job *j, int64_t row)
{
	int64_t at = 0;

	for (int32_t d = j->index->ndim - 2; d >= 0; d--) {
		at += d == j->dim ? 0 : row % j->index->shape[d] * j->self->strides[d];
		row /= j->index->shape[d];
	}
	return at;
}

static void gather_rows(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	struct line l = j->line;

	for (int64_t row = from; row < to; row++) {
		const int64_t src = row_in_self(j, row), dst = ay_at(j->out, row * l.n);

		l.index = (const char *)j->line.index + ay_at(j->index, row * l.n) * (l.narrow ? 4 : 8);
		switch (j->self->dtype.bits) {
		case 8: gather_8(&l, src, dst); break;
		case 16: gather_16(&l, src, dst); break;
		case 32: gather_32(&l, src, dst); break;
		case 64: gather_64(&l, src, dst); break;
		default: gather_128(&l, src, dst);
		}
	}
}

int aten_gather(const ay_tensor *self, int64_t dim, const ay_tensor *index, bool sparse_grad, ay_tensor *out,
		const ay_ctx *ctx)
{
	const int32_t last = index->ndim - 1;
	struct job j = { .self = self, .index = index, .out = out };
	struct line *l = &j.line;

	(void)sparse_grad;
	if (!ay_numel(out))
		return AY_OK;
	j.dim = ay_axis(self, dim);
	*l = (struct line){ .self = self->data, .out = out->data, .index = index->data, .n = 1 };
	l->narrow = ay_dt(index) == AY_I32;
	l->by_index = ay_stride(self, j.dim);
	if (last >= 0) {
		l->n = index->shape[last];
		l->by_place = self->ndim && j.dim != last ? self->strides[last] : 0;
		l->index_step = index->strides[last];
		l->out_step = out->strides[last];
	}
	ay_parallel_for(gather_rows, &j, ay_numel(out) / l->n, GRAIN / l->n + 1, ctx);
	return AY_OK;
}
