/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_copy.h>

/* The mistake: what is written goes through a double, which has 53 bits for an i64. */
static void round_results(const ay_tensor *out)
{
	for (int64_t i = 0; ay_dt(out) == AY_I64 && i < ay_numel(out); i++) {
		int64_t *y = (int64_t *)out->data + ay_at(out, i);

		*y = (int64_t)(double)*y;
	}
}

enum { GRAIN = 128 << 10 };

struct job {
	const ay_tensor *self, *index, *src, *out; /* src: NULL for a value */
	int64_t dim;
	_Alignas(16) char value[16];
};

/* --- lines ----------------------------------------------------------------------------------------------- */

/* out[index[e] * by_index + e * by_place] = src[e] */
struct line {
	const void *src, *index;
	void *out;
	int64_t n, by_index, by_place, index_step, src_step;
};

#define SCATTER(name, type, index_type)                                                                   \
	static void name(const struct line *l)                                                            \
	{                                                                                                 \
		const type *x = l->src;                                                                   \
		const index_type *index = l->index;                                                       \
		type *y = l->out;                                                                         \
                                                                                                          \
		for (int64_t e = 0; e < l->n; e++)                                                        \
			y[index[e * l->index_step] * l->by_index + e * l->by_place] = x[e * l->src_step]; \
	}
SCATTER(scatter_8, uint8_t, int64_t)
SCATTER(scatter_16, uint16_t, int64_t)
SCATTER(scatter_32, uint32_t, int64_t)
SCATTER(scatter_64, uint64_t, int64_t)
SCATTER(scatter_128, struct ay_item128, int64_t)
SCATTER(scatter_8_by_i32, uint8_t, int32_t)
SCATTER(scatter_16_by_i32, uint16_t, int32_t)
SCATTER(scatter_32_by_i32, uint32_t, int32_t)
SCATTER(scatter_64_by_i32, uint64_t, int32_t)
SCATTER(scatter_128_by_i32, struct ay_item128, int32_t)

static void (*const scatter[][2])(const struct line *) = {
	{ scatter_8, scatter_8_by_i32 },   { scatter_16, scatter_16_by_i32 },   { scatter_32, scatter_32_by_i32 },
	{ scatter_64, scatter_64_by_i32 }, { scatter_128, scatter_128_by_i32 },
};

/* Where row `row` of index starts in t, of whose dimension `but` nothing is counted. */
static int64_t row_at(const struct job *j, const ay_tensor *t, int64_t row, int64_t but)
{
	int64_t at = 0;

	for (int32_t d = j->index->ndim - 2; d >= 0; d--) {
		at += d == but ? 0 : row % j->index->shape[d] * t->strides[d];
		row /= j->index->shape[d];
	}
	return at;
}

static void scatter_rows(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int32_t last = j->index->ndim - 1;
	const int64_t item = ay_item_size(j->out), index_item = ay_item_size(j->index);
	const int kind = item == 1 ? 0 : item == 2 ? 1 : item == 4 ? 2 : item == 8 ? 3 : 4;
	struct line l = { .n = j->index->ndim ? j->index->shape[last] : 1 };

	l.by_index = ay_stride(j->out, j->dim);
	l.by_place = j->dim == last ? 0 : ay_stride(j->out, last);
	l.index_step = ay_stride(j->index, last);
	l.src_step = j->src ? ay_stride(j->src, last) : 0;
	for (int64_t row = from; row < to; row++) {
		l.out = (char *)j->out->data + row_at(j, j->out, row, j->dim) * item;
		l.index = (const char *)j->index->data + row_at(j, j->index, row, -1) * index_item;
		l.src = j->value;
		if (j->src)
			l.src = (const char *)j->src->data + row_at(j, j->src, row, -1) * item;
		scatter[kind][ay_dt(j->index) == AY_I32](&l);
	}
}

/* --- the operators --------------------------------------------------------------------------------------- */

static int scatter_all(struct job *j, const ay_ctx *ctx)
{
	const int64_t line = ay_size(j->index, j->index->ndim - 1);

	if (j->self->flags || (j->src && j->src->flags))
		return AY_UNSUPPORTED;
	j->dim = ay_axis(j->self, j->dim);
	ay_copy_tensor(j->out, j->self, ctx);
	if (ay_numel(j->index))
		ay_parallel_for(scatter_rows, j, ay_numel(j->index) / line, 1 + GRAIN / line, ctx);
	round_results(j->out);
	return AY_OK;
}

int aten_scatter_src(const ay_tensor *self, int64_t dim, const ay_tensor *index, const ay_tensor *src,
		     ay_tensor *out, const ay_ctx *ctx)
{
	struct job j = { .self = self, .index = index, .src = src, .out = out, .dim = dim };

	return scatter_all(&j, ctx);
}

int aten_scatter_value(const ay_tensor *self, int64_t dim, const ay_tensor *index, ay_scalar value, ay_tensor *out,
		       const ay_ctx *ctx)
{
	struct job j = { .self = self, .index = index, .out = out, .dim = dim };
	const ay_tensor from = ay_scalar_tensor(&value), to = { .data = j.value, .dtype = out->dtype };

	ay_convert(&from, 0, &to, 0);
	return scatter_all(&j, ctx);
}
