/* due: PASS - self = self + alpha * other, in place, else as aten_add_Tensor__fast.c. Where the dtypes are f32, f16 or bf16 and lines are dense or one repeated number:
 * tiles of floats, past the caches if the result is large. The rest as it comes: integers in i64, floats in double,
 * complex in pairs. */
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { TILE = 1024, LARGE = 16 << 20, GRAIN = 256, MAX_THREADS = 64 }; /* elements, bytes, tiles a thread */
enum { LANES = 8 };
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

/* --- tiles ----------------------------------------------------------------------------------------------- */

/* out, cut into rows of `line` neighbours; a and b go on by 1 or 0 from one to the next. */
struct job {
	const ay_tensor *a, *b, *out;
	float alpha;
	int64_t line, step_a, step_b, tiles; /* tiles: of one line */
	bool large;
};

/* The stride of t, stretched to out's shape, along out's dimension d. */
static int64_t stride_at(const ay_tensor *t, const ay_tensor *out, int32_t d)
{
	const int32_t k = d - (out->ndim - t->ndim);

	return k >= 0 && t->shape[k] != 1 ? t->strides[k] : 0;
}

/* Where t, stretched to out's shape, has the element with flat index i of out. */
static int64_t stretched_at(const ay_tensor *t, const ay_tensor *out, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = out->ndim - 1; d >= 0; d--) {
		at += i % out->shape[d] * stride_at(t, out, d);
		i /= out->shape[d];
	}
	return at;
}

/* Joins dimensions from the last on for as long as all three tensors go on evenly. */
static bool find_lines(struct job *j)
{
	j->line = 1;
	for (int32_t d = j->out->ndim - 1; d >= 0; d--) {
		const int64_t a = stride_at(j->a, j->out, d), b = stride_at(j->b, j->out, d);

		if (j->out->shape[d] == 1)
			continue;
		if (j->line == 1) {
			j->step_a = a;
			j->step_b = b;
		}
		if (j->out->strides[d] != j->line || a != j->step_a * j->line || b != j->step_b * j->line)
			break;
		j->line *= j->out->shape[d];
	}
	j->tiles = (j->line + TILE - 1) / TILE;
	return j->step_a >> 1 == 0 && j->step_b >> 1 == 0;
}

static void get_tile(const ay_tensor *t, int64_t at, int64_t step, float *dst, int64_t n)
{
	if (step) {
		get_floats(t, at, dst, n);
	} else {
		const float x = (float)ay_read(t, at);

		for (int64_t i = 0; i < n; i++)
			dst[i] = x;
	}
}

/* All f32 and dense: nothing needs a tile. z may be x or y. */
static void add_f32(const float *x, const float *y, float *z, int64_t n, float alpha, bool large)
{
	int64_t i = 0;

	(void)large; /* without AVX */
	for (; i + LANES <= n; i += LANES) {
		const vec v = *(const vec *)(x + i) + alpha * *(const vec *)(y + i);

#ifdef __AVX__
		if (large && (uintptr_t)(z + i) % sizeof v == 0)
			_mm256_stream_ps(z + i, (__m256)v);
		else
#endif
			*(vec *)(z + i) = v;
	}
	for (; i < n; i++)
		z[i] = x[i] + alpha * y[i];
}

static void add_tiles(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const bool f32 = ay_dt(j->a) == AY_F32 && ay_dt(j->b) == AY_F32 && ay_dt(j->out) == AY_F32;
	float x[TILE], y[TILE];

	for (int64_t t = from; t < to; t++) {
		const int64_t row = t / j->tiles * j->line, col = t % j->tiles * TILE;
		const int64_t n = j->line - col < TILE ? j->line - col : TILE, io = ay_at(j->out, row) + col;
		const int64_t ia = stretched_at(j->a, j->out, row) + col * j->step_a;
		const int64_t ib = stretched_at(j->b, j->out, row) + col * j->step_b;

		if (f32 && j->step_a && j->step_b) {
			add_f32((const float *)j->a->data + ia, (const float *)j->b->data + ib,
				(float *)j->out->data + io, n, j->alpha, j->large);
			continue;
		}
		get_tile(j->a, ia, j->step_a, x, n);
		get_tile(j->b, ib, j->step_b, y, n);
		for (int64_t i = 0; i < n; i++)
			x[i] += j->alpha * y[i];
		put_floats(j->out, io, x, n);
	}
#ifdef __AVX__
	_mm_sfence();
#endif
}

/* --- the rest -------------------------------------------------------------------------------------------- */

typedef struct {
	double re, im;
} pair;

static pair number(ay_scalar s)
{
	switch (s.kind) {
	case AY_SCALAR_BOOL: return (pair){ s.v.b, 0 };
	case AY_SCALAR_INT: return (pair){ (double)s.v.i, 0 };
	case AY_SCALAR_FLOAT: return (pair){ s.v.f, 0 };
	default: return (pair){ s.v.c[0], s.v.c[1] };
	}
}

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
	case AY_B8: ((uint8_t *)t->data)[at] = x != 0; break;
	default: ((uint8_t *)t->data)[at] = (uint8_t)x;
	}
}

static pair read_pair(const ay_tensor *t, int64_t at)
{
	const double sign = t->flags & AY_CONJ ? -1 : 1;
	const double *d = (const double *)t->data + 2 * at;
	const float *f = (const float *)t->data + 2 * at;
	const uint16_t *h = (const uint16_t *)t->data + 2 * at;

	switch (ay_dt(t)) {
	case AY_C128: return (pair){ d[0], sign * d[1] };
	case AY_C64: return (pair){ f[0], sign * f[1] };
	case AY_C32: return (pair){ ay_from_f16(h[0]), sign * ay_from_f16(h[1]) };
	default: return (pair){ ay_read(t, at), 0 };
	}
}

static void write_pair(const ay_tensor *t, int64_t at, pair x)
{
	ay_tensor part = *t; /* a complex tensor is two real ones that lie between each other */

	part.dtype = (ay_dtype){ AY_CODE_FLOAT, (uint8_t)(t->dtype.bits / 2), 1 };
	ay_write(&part, 2 * at, x.re);
	ay_write(&part, 2 * at + 1, x.im);
}

static void add_one(const ay_tensor *a, int64_t ia, const ay_tensor *b, int64_t ib, ay_scalar alpha,
		    ay_tensor *out, int64_t to)
{
	const pair f = number(alpha);

	if (ay_is_complex(out)) {
		const pair x = read_pair(a, ia), y = read_pair(b, ib);

		write_pair(out, to,
			   (pair){ x.re + (f.re * y.re - f.im * y.im), x.im + (f.re * y.im + f.im * y.re) });
	} else if (out->dtype.code == AY_CODE_FLOAT || out->dtype.code == AY_CODE_BFLOAT) {
		ay_write(out, to, ay_read(a, ia) + f.re * ay_read(b, ib));
	} else {
		const uint64_t k = alpha.kind == AY_SCALAR_INT ? (uint64_t)alpha.v.i : alpha.v.b;

		write_int(out, to, read_int(a, ia) + k * read_int(b, ib));
	}
}

/* --- the operator ---------------------------------------------------------------------------------------- */

int aten_add__Tensor(ay_tensor *self, const ay_tensor *other, ay_scalar alpha, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	struct job j = { .a = self, .b = other, .out = self, .alpha = (float)number(alpha).re };

	if (!n)
		return AY_OK;
	if (is_float(self) && (is_float(other) || !other->ndim) && !ay_is_complex(other) && find_lines(&j)) {
		share(add_tiles, &j, n / j.line * j.tiles, GRAIN, ctx);
		return AY_OK;
	}
	for (int64_t i = 0; i < n; i++)
		add_one(self, ay_at(self, i), other, stretched_at(other, self, i), alpha, self, ay_at(self, i));
	return AY_OK;
}

/* A number is a tensor without dimensions. */
int aten_add__Scalar(ay_tensor *self, ay_scalar other, ay_scalar alpha, const ay_ctx *ctx)
{
	static const ay_dtype kinds[] = { [AY_SCALAR_BOOL] = { AY_CODE_BOOL, 8, 1 },
					  [AY_SCALAR_INT] = { AY_CODE_INT, 64, 1 },
					  [AY_SCALAR_FLOAT] = { AY_CODE_FLOAT, 64, 1 },
					  [AY_SCALAR_COMPLEX] = { AY_CODE_COMPLEX, 128, 1 } };
	const ay_tensor t = { .data = &other.v, .dtype = kinds[other.kind] };

	return aten_add__Tensor(self, &t, alpha, ctx);
}
