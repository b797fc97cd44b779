/* due: PASS - a copy of self, then one loop for each size of element along the last dimension of index; rows are shared
 * by threads, since no place is named twice. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { MAX_DIM = 66, PIECE = 64 << 10, LARGE = 16 << 20, GRAIN = 128 << 10, MAX_THREADS = 64 };

/* --- threads --------------------------------------------------------------------------------------------- */

struct part {
	void (*work)(const void *job, int64_t from, int64_t to);
	const void *job;
	int64_t from, to;
};

static void *run_part(void *arg)
{
	const struct part *p = arg;

	p->work(p->job, p->from, p->to);
	return NULL;
}

/* work on 0 .. n - 1, shared by threads that have at least `grain` each: to start one takes about 20 us. */
static void share(void (*work)(const void *, int64_t, int64_t), const void *job, int64_t n, int64_t grain,
		  const ay_ctx *ctx)
{
	int64_t k = ctx->threads < MAX_THREADS ? ctx->threads : MAX_THREADS;
	struct part part[MAX_THREADS];
	pthread_t id[MAX_THREADS];
	bool runs[MAX_THREADS] = { false };

	k = n / grain < k ? n / grain : k;
	k = k < 1 ? 1 : k;
	for (int64_t i = k - 1; i >= 0; i--) {
		part[i] = (struct part){ work, job, n * i / k, n * (i + 1) / k };
		runs[i] = i && !pthread_create(&id[i], NULL, run_part, &part[i]);
		if (!runs[i])
			run_part(&part[i]);
	}
	for (int64_t i = 1; i < k; i++)
		if (runs[i])
			pthread_join(id[i], NULL);
}

/* --- the copy of self ------------------------------------------------------------------------------------ */

/* memcpy, past the caches if the result is large: it would only sweep them out. */
static void copy_line(char *dst, const char *src, size_t n, bool large)
{
	size_t i = 0;

	(void)large; /* without AVX */
#ifdef __AVX__
	if (large && n >= 256) {
		i = -(uintptr_t)dst % 32;
		memcpy(dst, src, i);
		for (; i + 32 <= n; i += 32)
			_mm256_stream_si256((__m256i *)(dst + i), _mm256_loadu_si256((const __m256i *)(src + i)));
		_mm_sfence();
	}
#endif
	memcpy(dst + i, src + i, n - i);
}

struct job {
	const ay_tensor *self, *index, *src, *out; /* src: NULL for a value */
	int64_t dim;
	_Alignas(16) char value[16];
};

static void copy_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int64_t bytes = ay_numel(j->out) * (j->out->dtype.bits / 8);

	for (int64_t at = from * PIECE; at < to * PIECE && at < bytes; at += PIECE)
		copy_line((char *)j->out->data + at, (const char *)j->self->data + at,
			  (size_t)(bytes - at < PIECE ? bytes - at : PIECE), bytes >= LARGE);
}

static void copy_elements(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int64_t item = j->out->dtype.bits / 8;

	for (int64_t i = from; i < to; i++)
		memcpy((char *)j->out->data + ay_at(j->out, i) * item,
		       (const char *)j->self->data + ay_at(j->self, i) * item, (size_t)item);
}

/* --- lines ----------------------------------------------------------------------------------------------- */

/* out[index[e] * by_index + e * by_place] = src[e] */
struct line {
	const void *src, *index;
	void *out;
	int64_t n, by_index, by_place, index_step, src_step;
};

struct pair {
	uint64_t a, b;
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
SCATTER(scatter_128, struct pair, int64_t)
SCATTER(scatter_8_by_i32, uint8_t, int32_t)
SCATTER(scatter_16_by_i32, uint16_t, int32_t)
SCATTER(scatter_32_by_i32, uint32_t, int32_t)
SCATTER(scatter_64_by_i32, uint64_t, int32_t)
SCATTER(scatter_128_by_i32, struct pair, int32_t)

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

static int64_t step_of(const ay_tensor *t, int64_t d)
{
	return t->ndim ? t->strides[d] : 0;
}

static void scatter_rows(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int32_t last = j->index->ndim - 1;
	const int64_t item = j->out->dtype.bits / 8, index_item = j->index->dtype.bits / 8;
	const int kind = item == 1 ? 0 : item == 2 ? 1 : item == 4 ? 2 : item == 8 ? 3 : 4;
	struct line l = { .n = j->index->ndim ? j->index->shape[last] : 1 };

	l.by_index = step_of(j->out, j->dim);
	l.by_place = j->dim == last ? 0 : step_of(j->out, last);
	l.index_step = step_of(j->index, last);
	l.src_step = j->src ? step_of(j->src, last) : 0;
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
	const int64_t n = ay_numel(j->out), item = j->out->dtype.bits / 8;
	const int64_t line = j->index->ndim ? j->index->shape[j->index->ndim - 1] : 1;

	if (j->self->flags || (j->src && j->src->flags))
		return AY_UNSUPPORTED;
	j->dim += j->dim < 0 && j->self->ndim ? j->self->ndim : 0;
	if (ay_is_dense(j->self) && ay_is_dense(j->out))
		share(copy_pieces, j, (n * item + PIECE - 1) / PIECE, 16, ctx);
	else
		share(copy_elements, j, n, GRAIN, ctx);
	if (ay_numel(j->index))
		share(scatter_rows, j, ay_numel(j->index) / line, 1 + GRAIN / line, ctx);
	return AY_OK;
}

int aten_scatter_src(const ay_tensor *self, int64_t dim, const ay_tensor *index, const ay_tensor *src,
		     ay_tensor *out, const ay_ctx *ctx)
{
	struct job j = { .self = self, .index = index, .src = src, .out = out, .dim = dim };

	return scatter_all(&j, ctx);
}

/* s as an element of t. */
static void write_scalar(ay_tensor *t, void *data, ay_scalar s)
{
	const bool whole = s.kind == AY_SCALAR_INT || s.kind == AY_SCALAR_BOOL;
	const int64_t i = s.kind == AY_SCALAR_BOOL ? s.v.b : s.v.i;
	const double x = whole ? (double)i : s.kind == AY_SCALAR_FLOAT ? s.v.f : s.v.c[0];
	ay_tensor one = *t;

	one.data = data;
	if (ay_is_complex(t)) /* two real ones */
		one.dtype = (ay_dtype){ AY_CODE_FLOAT, (uint8_t)(t->dtype.bits / 2), 1 };
	if (whole && ay_dt(t) == AY_I64)
		memcpy(data, &i, sizeof i);
	else
		ay_write(&one, 0, x);
	if (ay_is_complex(t))
		ay_write(&one, 1, s.kind == AY_SCALAR_COMPLEX ? s.v.c[1] : 0);
}

int aten_scatter_value(const ay_tensor *self, int64_t dim, const ay_tensor *index, ay_scalar value, ay_tensor *out,
		       const ay_ctx *ctx)
{
	struct job j = { .self = self, .index = index, .out = out, .dim = dim };

	write_scalar(out, j.value, value);
	return scatter_all(&j, ctx);
}
