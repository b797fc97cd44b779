/* due: PASS - running sums along dim. Dense f32, f16 and bf16 in f32: vectors are scanned by three shifted additions,
 * or whole rows are added to a row of sums. The rest: floats in double, integers modulo 2^64. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { LANES = 8, SPAN = 1024, SHORT = 16, GRAIN = 128 << 10, MAX_THREADS = 64 }; /* GRAIN: numbers of a part */
typedef float vec __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

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
/* --- f32, f16 and bf16 ----------------------------------------------------------------------------------- */

static bool is_float(const ay_tensor *t)
{
	return ay_dt(t) == AY_F32 || ay_dt(t) == AY_F16 || ay_dt(t) == AY_BF16;
}

/* n neighbours from element `at` on. */
static void get_floats(const ay_tensor *t, int64_t at, float *restrict dst, int64_t n)
{
	const uint16_t *h = (const uint16_t *)t->data + at;
	int64_t i = 0;

	if (ay_dt(t) == AY_F32) {
		memcpy(dst, (const float *)t->data + at, (size_t)n * sizeof *dst);
	} else if (ay_dt(t) == AY_BF16) {
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
}

static void put_floats(const ay_tensor *t, int64_t at, const float *restrict src, int64_t n)
{
	uint16_t *h = (uint16_t *)t->data + at;
	int64_t i = 0;

	if (ay_dt(t) == AY_F32) {
		memcpy((float *)t->data + at, src, (size_t)n * sizeof *src);
	} else if (ay_dt(t) == AY_BF16) {
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
}

/* --- floats up to f32 ------------------------------------------------------------------------------------ */

/* out[o, i, e] = self[o, 0, e] + ... + self[o, i, e], i < n, e < inner. */
struct job {
	const ay_tensor *self, *out;
	int64_t n, inner, pieces; /* pieces: of a row of `inner` */
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Running sums of x, on top of `sum`; the last one is returned. */
static float scan(float *x, int64_t n, float sum)
{
	const vec zero = { 0 };
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		vec v = *(vec *)(x + i);

		v += __builtin_shufflevector(zero, v, 0, 8, 9, 10, 11, 12, 13, 14);
		v += __builtin_shufflevector(zero, v, 0, 0, 8, 9, 10, 11, 12, 13);
		v += __builtin_shufflevector(zero, v, 0, 0, 0, 0, 8, 9, 10, 11);
		*(vec *)(x + i) = v + sum;
		sum += v[LANES - 1];
	}
	for (; i < n; i++)
		x[i] = sum += x[i];
	return sum;
}

/* One o whose rows are short: they are neighbours, and the sum before x[i] is x[i - inner]. */
static void scan_short(const struct job *j, int64_t at)
{
	const int64_t all = j->n * j->inner, step = SPAN / j->inner * j->inner;
	float buf[SHORT + SPAN] = { 0 }, *x = buf + j->inner,
			  sum = 0; /* the last row of the span before is in front */

	for (int64_t i = 0; i < all; i += step) {
		const int64_t n = least(step, all - i);

		get_floats(j->self, at + i, x, n);
		if (j->inner == 1)
			sum = scan(x, n, sum);
		for (int64_t e = 0; e < n && j->inner > 1; e++)
			x[e] += x[e - j->inner];
		put_floats(j->out, at + i, x, n);
		memmove(buf, x + n - j->inner, (size_t)j->inner * sizeof *buf);
	}
}

/* Columns from `at` on, which are neighbours. */
static void scan_columns(const struct job *j, int64_t at, int64_t cols)
{
	float sum[SPAN] = { 0 }, x[SPAN];

	for (int64_t i = 0; i < j->n; i++, at += j->inner) {
		get_floats(j->self, at, x, cols);
		for (int64_t e = 0; e < cols; e++)
			sum[e] += x[e];
		put_floats(j->out, at, sum, cols);
	}
}

static void scan_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;

	for (int64_t p = from; p < to; p++) {
		const int64_t at = p / j->pieces * j->n * j->inner, col = p % j->pieces * SPAN;

		if (j->inner <= SHORT)
			scan_short(j, at);
		else
			scan_columns(j, at + col, least(SPAN, j->inner - col));
	}
}

/* --- the rest -------------------------------------------------------------------------------------------- */

static uint64_t read_int(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const uint64_t *)t->data)[at] : (uint64_t)(int64_t)ay_read(t, at);
}

static void write_int(const ay_tensor *t, int64_t at, uint64_t x)
{
	switch (ay_dt(t)) {
	case AY_I64: ((uint64_t *)t->data)[at] = x; break;
	case AY_I32: ((uint32_t *)t->data)[at] = (uint32_t)x; break;
	case AY_I16: ((uint16_t *)t->data)[at] = (uint16_t)x; break;
	default: ((uint8_t *)t->data)[at] = (uint8_t)x;
	}
}

/* A number of self as out's dtype holds it. */
static double as_dtype(const ay_tensor *out, double x)
{
	switch (ay_dt(out)) {
	case AY_F32: return (float)x;
	case AY_F16: return ay_from_f16(ay_to_f16((float)x));
	case AY_BF16: return ay_from_bf16(ay_to_bf16((float)x));
	default: return x;
	}
}

/* One line: n elements, sx and so apart. */
static void scan_slowly(const ay_tensor *x, int64_t ix, int64_t sx, const ay_tensor *out, int64_t io, int64_t so,
			int64_t n)
{
	const bool whole = out->dtype.code != AY_CODE_FLOAT && out->dtype.code != AY_CODE_BFLOAT;
	uint64_t total = 0;
	double sum = 0;

	for (int64_t i = 0; i < n; i++, ix += sx, io += so) {
		if (whole)
			write_int(out, io, total += read_int(x, ix));
		else
			ay_write(out, io, sum += as_dtype(out, ay_read(x, ix)));
	}
}

/* A complex tensor is two real ones that lie between each other. */
static ay_tensor part_of(const ay_tensor *t, int part)
{
	ay_tensor p = *t;

	p.dtype = (ay_dtype){ AY_CODE_FLOAT, (uint8_t)(t->dtype.bits / 2), 1 };
	p.data = (char *)t->data + part * t->dtype.bits / 16;
	return p;
}

int aten_cumsum(const ay_tensor *self, int64_t dim, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + self->ndim : dim, all = ay_numel(self);
	const int64_t sx = self->ndim ? self->strides[axis] : 0, so = self->ndim ? out->strides[axis] : 0;
	struct job j = { self, out, self->ndim ? self->shape[axis] : 1, 1, 1 };

	(void)dtype; /* out's dtype says it already */
	if (ay_is_complex(self) != ay_is_complex(out))
		return AY_UNSUPPORTED;
	for (int64_t d = axis + 1; d < self->ndim; d++)
		j.inner *= self->shape[d];
	if (all && is_float(self) && ay_dt(self) == ay_dt(out) && ay_is_dense(self) && ay_is_dense(out)) {
		j.pieces = (j.inner + SPAN - 1) / SPAN;
		share(scan_pieces, &j, all / (j.n * j.inner) * j.pieces, 1 + GRAIN / (j.n * least(j.inner, SPAN)),
		      ctx);
		return AY_OK;
	}
	for (int64_t row = 0; all && row < all / j.n; row++) {
		const int64_t first = row / j.inner * j.inner * j.n + row % j.inner;
		const int64_t ix = ay_at(self, first), io = ay_at(out, first);

		if (!ay_is_complex(self))
			scan_slowly(self, ix, sx, out, io, so, j.n);
		for (int part = 0; part < 2 && ay_is_complex(self); part++) {
			const ay_tensor x = part_of(self, part), y = part_of(out, part);

			scan_slowly(&x, 2 * ix, 2 * sx, &y, 2 * io, 2 * so, j.n);
		}
	}
	return AY_OK;
}
