/* due: PASS - equal dtypes in lines as long as they are, or in squares where they are turned; dense floats of two
 * dtypes in pieces that stay in the first cache; the rest element by element. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum {
	TILE = 1024,
	MAX_DIM = 66,
	SQUARE = 16,
	PIECE = 64 << 10,
	LARGE = 16 << 20,
	GRAIN = 1 << 20,
	MAX_THREADS = 64
}; /* bytes */

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

/* --- walks ----------------------------------------------------------------------------------------------- */

/* The elements that are copied: steps are counted in elements. The largest step of the destination comes first; two
 * dimensions that are one line in both tensors are one. There are at least two. */
struct walk {
	int dims;
	int64_t size[MAX_DIM], from[MAX_DIM], to[MAX_DIM];
};

static void add_dim(struct walk *w, int64_t size, int64_t from, int64_t to)
{
	int d = w->dims;

	if (size == 1)
		return;
	for (w->dims++; d > 0 && w->to[d - 1] < to; d--) {
		w->size[d] = w->size[d - 1];
		w->from[d] = w->from[d - 1];
		w->to[d] = w->to[d - 1];
	}
	w->size[d] = size;
	w->from[d] = from;
	w->to[d] = to;
}

static void merge(struct walk *w)
{
	const struct walk old = *w;
	int n = 2;

	*w = (struct walk){ .size = { 1, 1 } };
	for (int d = 0; d < old.dims; d++) {
		if (old.from[d] * old.size[d] != w->from[n - 1] || old.to[d] * old.size[d] != w->to[n - 1])
			w->size[n++] = 1;
		w->size[n - 1] *= old.size[d];
		w->from[n - 1] = old.from[d];
		w->to[n - 1] = old.to[d];
	}
	w->dims = n;
}

/* --- copying --------------------------------------------------------------------------------------------- */

/* The last two dimensions are rows and columns of a plane, which is copied in tiles. */
struct job {
	const char *src;
	char *dst;
	struct walk w;
	int64_t item, rows, cols, down, across; /* rows, cols: of a tile; down, across: tiles of a plane */
	bool lines, large;                      /* lines: columns lie in one piece in both */
};

struct pair {
	uint64_t a, b;
};

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

static bool turned(const struct walk *w)
{
	const int c = w->dims - 1;

	return w->from[c - 1] == 1 && w->from[c] != 1 && w->to[c] == 1;
}

/* Where rows are lines of the source and columns of the destination, squares go through a buffer: every cache line is
 * read once and written once. */
#define COPY(name, type)                                                                                      \
	static void name(const struct job *j, int64_t from, int64_t to, int64_t rows, int64_t cols)           \
	{                                                                                                     \
		const int c = j->w.dims - 1;                                                                  \
		const int64_t fr = j->w.from[c - 1], fc = j->w.from[c], tr = j->w.to[c - 1], tc = j->w.to[c]; \
		const type *x = (const type *)j->src + from;                                                  \
		type *y = (type *)j->dst + to, buf[SQUARE][SQUARE];                                           \
                                                                                                              \
		if (rows == SQUARE && cols == SQUARE && turned(&j->w)) {                                      \
			for (int i = 0; i < SQUARE; i++)                                                      \
				memcpy(buf[i], x + i * fc, sizeof buf[i]);                                    \
			for (int i = 0; i < SQUARE; i++)                                                      \
				for (int k = 0; k < SQUARE; k++)                                              \
					y[i * tr + k] = buf[k][i];                                            \
			return;                                                                               \
		}                                                                                             \
		for (int64_t i = 0; i < rows; i++)                                                            \
			for (int64_t k = 0; k < cols; k++)                                                    \
				y[i * tr + k * tc] = x[i * fr + k * fc];                                      \
	}
COPY(copy_8, uint8_t)
COPY(copy_16, uint16_t)
COPY(copy_32, uint32_t)
COPY(copy_64, uint64_t)
COPY(copy_128, struct pair)

static void copy_tile(const struct job *j, int64_t from, int64_t to, int64_t rows, int64_t cols)
{
	const int c = j->w.dims - 1;

	if (j->lines) {
		for (int64_t i = 0; i < rows; i++)
			copy_line(j->dst + (to + i * j->w.to[c - 1]) * j->item,
				  j->src + (from + i * j->w.from[c - 1]) * j->item, (size_t)(cols * j->item),
				  j->large);
		return;
	}
	switch (j->item) {
	case 1: copy_8(j, from, to, rows, cols); break;
	case 2: copy_16(j, from, to, rows, cols); break;
	case 4: copy_32(j, from, to, rows, cols); break;
	case 8: copy_64(j, from, to, rows, cols); break;
	default: copy_128(j, from, to, rows, cols);
	}
}

static void copy_tiles(const void *job, int64_t first, int64_t end)
{
	const struct job *j = job;
	const int c = j->w.dims - 1, r = c - 1;

	for (int64_t t = first; t < end; t++) {
		const int64_t row = t / j->across % j->down * j->rows, col = t % j->across * j->cols;
		const int64_t rows = j->w.size[r] - row, cols = j->w.size[c] - col;
		int64_t plane = t / j->across / j->down, from = row * j->w.from[r] + col * j->w.from[c],
			to = row * j->w.to[r] + col * j->w.to[c];

		for (int d = r - 1; d >= 0; d--) {
			from += plane % j->w.size[d] * j->w.from[d];
			to += plane % j->w.size[d] * j->w.to[d];
			plane /= j->w.size[d];
		}
		copy_tile(j, from, to, rows < j->rows ? rows : j->rows, cols < j->cols ? cols : j->cols);
	}
}

/* The dimension along which the source is a line becomes the rows. */
static void choose_rows(struct walk *w)
{
	const int r = w->dims - 2;

	for (int d = 0; d < r; d++) {
		if (w->from[d] == 1) {
			const struct walk old = *w;

			w->size[d] = old.size[r], w->size[r] = old.size[d];
			w->from[d] = old.from[r], w->from[r] = old.from[d];
			w->to[d] = old.to[r], w->to[r] = old.to[d];
		}
	}
}

static void copy_walk(const void *src, void *dst, int64_t item, struct walk w, const ay_ctx *ctx)
{
	struct job j = { .src = src, .dst = dst, .item = item };
	int64_t tiles = 1, all = item, c;

	merge(&w);
	c = w.dims - 1;
	j.lines = w.from[c] == 1 && w.to[c] == 1;
	if (!j.lines)
		choose_rows(&w);
	j.cols = turned(&w) ? SQUARE : PIECE / item;
	j.rows = turned(&w) ? SQUARE : w.size[c] < j.cols ? j.cols / w.size[c] : 1;
	j.across = (w.size[c] + j.cols - 1) / j.cols;
	j.down = (w.size[c - 1] + j.rows - 1) / j.rows;
	j.w = w;
	for (int d = 0; d < w.dims; d++) {
		all *= w.size[d];
		tiles *= d < c - 1 ? w.size[d] : 1;
	}
	j.large = all >= LARGE;
	share(copy_tiles, &j, tiles * j.down * j.across, 1 + GRAIN / (j.rows * j.cols * item), ctx);
}

/* --- floats of two dtypes -------------------------------------------------------------------------------- */

static bool is_float(const ay_tensor *t)
{
	return ay_dt(t) == AY_F32 || ay_dt(t) == AY_F16 || ay_dt(t) == AY_BF16 || ay_dt(t) == AY_F64;
}

/* Through f32, as PyTorch does from f64 to half types. */
static const void *get_floats(int32_t dt, const void *src, float *restrict dst, int64_t n)
{
	const uint16_t *h = src;
	int64_t i = 0;

	if (dt == AY_F64) {
		for (; i < n; i++)
			dst[i] = (float)((const double *)src)[i];
	} else if (dt == AY_BF16) {
		for (; i < n; i++)
			dst[i] = ay_from_bf16(h[i]);
	} else {
#ifdef __F16C__
		for (; i + 8 <= n; i += 8)
			_mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(h + i))));
#endif
		for (; i < n; i++)
			dst[i] = ay_from_f16(h[i]);
	}
	return dst;
}

static const void *put_floats(int32_t dt, const float *restrict src, void *dst, int64_t n)
{
	uint16_t *h = dst;
	int64_t i = 0;

	if (dt == AY_F64) {
		for (; i < n; i++)
			((double *)dst)[i] = src[i];
	} else if (dt == AY_BF16) {
		for (; i < n; i++)
			h[i] = ay_to_bf16(src[i]);
	} else {
#ifdef __F16C__
		for (; i + 8 <= n; i += 8)
			_mm_storeu_si128((__m128i *)(h + i),
					 _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
#endif
		for (; i < n; i++)
			h[i] = ay_to_f16(src[i]);
	}
	return dst;
}

/* Dense tensors in pieces of TILE elements. */
struct pieces {
	const ay_tensor *src, *dst;
	int64_t n;
};

static void convert_pieces(const void *job, int64_t from, int64_t to)
{
	const struct pieces *p = job;
	const int32_t a = ay_dt(p->src), b = ay_dt(p->dst);
	float floats[TILE];
	double made[TILE]; /* the widest there is */

	for (int64_t at = from * TILE; at < to * TILE && at < p->n; at += TILE) {
		const int64_t n = p->n - at < TILE ? p->n - at : TILE;
		const void *x = (const char *)p->src->data + at * (p->src->dtype.bits / 8);
		char *y = (char *)p->dst->data + at * (p->dst->dtype.bits / 8);

		if (a != AY_F32)
			x = get_floats(a, x, floats, n);
		if (b != AY_F32)
			x = put_floats(b, x, made, n);
		copy_line(y, x, (size_t)(n * (p->dst->dtype.bits / 8)), p->n * (p->dst->dtype.bits / 8) >= LARGE);
	}
}

/* --- one element of any dtype ---------------------------------------------------------------------------- */

static bool is_integral(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_INT || t->dtype.code == AY_CODE_UINT || t->dtype.code == AY_CODE_BOOL;
}

static void convert_int(const ay_tensor *src, int64_t from, const ay_tensor *dst, int64_t to)
{
	const int64_t x = ay_dt(src) == AY_I64 ? ((const int64_t *)src->data)[from] : (int64_t)ay_read(src, from);

	switch (ay_dt(dst)) {
	case AY_B8: ((uint8_t *)dst->data)[to] = x != 0; break;
	case AY_I64: ((int64_t *)dst->data)[to] = x; break;
	case AY_I32: ((uint32_t *)dst->data)[to] = (uint32_t)x; break;
	case AY_I16: ((uint16_t *)dst->data)[to] = (uint16_t)x; break;
	default: ((uint8_t *)dst->data)[to] = (uint8_t)x;
	}
}

static double part_at(const ay_tensor *t, int64_t at, int part)
{
	const double sign = part && t->flags & AY_CONJ ? -1 : 1;

	switch (ay_dt(t)) {
	case AY_C128: return sign * ((const double *)t->data)[2 * at + part];
	case AY_C64: return sign * ((const float *)t->data)[2 * at + part];
	case AY_C32: return sign * ay_from_f16(((const uint16_t *)t->data)[2 * at + part]);
	default: return part ? 0 : ay_read(t, at);
	}
}

static void write_part(const ay_tensor *t, int64_t at, int part, double x)
{
	switch (ay_dt(t)) {
	case AY_C128: ((double *)t->data)[2 * at + part] = x; break;
	case AY_C64: ((float *)t->data)[2 * at + part] = (float)x; break;
	case AY_C32: ((uint16_t *)t->data)[2 * at + part] = ay_to_f16((float)x); break;
	default: ay_write(t, at, x);
	}
}

static void convert(const ay_tensor *src, int64_t from, const ay_tensor *dst, int64_t to)
{
	const size_t item = (size_t)src->dtype.bits / 8;

	if (ay_dt(src) == ay_dt(dst) && !src->flags)
		memcpy((char *)dst->data + (size_t)to * item, (const char *)src->data + (size_t)from * item, item);
	else if (is_integral(src) && is_integral(dst))
		convert_int(src, from, dst, to);
	else if (ay_dt(src) == AY_I64 && ay_dt(dst) == AY_F32) /* a double would round first */
		((float *)dst->data)[to] = (float)((const int64_t *)src->data)[from];
	else
		for (int part = 0; part <= ay_is_complex(dst); part++)
			write_part(dst, to, part, part_at(src, from, part));
}

/* --- the operator ---------------------------------------------------------------------------------------- */

/* src's steps along self's dimensions: 0 where it is broadcast. */
static void broadcast(const ay_tensor *src, const ay_tensor *self, int64_t *strides)
{
	for (int32_t d = 0; d < self->ndim; d++) {
		const int32_t s = d - self->ndim + src->ndim;

		strides[d] = s < 0 || src->shape[s] == 1 ? 0 : src->strides[s];
	}
}

int aten_copy_(ay_tensor *self, const ay_tensor *src, bool non_blocking, const ay_ctx *ctx)
{
	int64_t strides[MAX_DIM];
	ay_tensor from = *src; /* of self's shape */
	struct walk w = { 0 };
	struct pieces p = { &from, self, ay_numel(self) };

	(void)non_blocking;
	broadcast(src, self, strides);
	from.ndim = self->ndim;
	from.shape = self->shape;
	from.strides = strides;
	for (int32_t d = 0; d < self->ndim; d++)
		add_dim(&w, self->shape[d], strides[d], self->strides[d]);
	if (!p.n)
		return AY_OK;
	if (ay_dt(self) == ay_dt(src) && self->flags == src->flags) {
		copy_walk(src->data, self->data, self->dtype.bits / 8, w, ctx);
	} else if (is_float(self) && is_float(src) && ay_is_dense(self) && ay_is_dense(&from)) {
		share(convert_pieces, &p, (p.n + TILE - 1) / TILE, 128, ctx);
	} else {
		for (int64_t i = 0; i < p.n; i++)
			convert(&from, ay_at(&from, i), self, ay_at(self, i));
	}
	return AY_OK;
}

int aten_copy__Tensor(ay_tensor *self, const ay_tensor *other, const ay_ctx *ctx)
{
	return aten_copy_(self, other, false, ctx);
}
