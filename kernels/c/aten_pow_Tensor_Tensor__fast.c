/* due: PASS - floats up to f32 as 2^(y log2 |x|), eight at a time in f32, the special cases of C's pow picked by masks.
 * The rest: pow in double, cpow for complex numbers, integers by squaring modulo 2^64. */
#include <assay/kernel.h>
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { LANES = 8, PIECE = 4096, GRAIN = 32 << 10, MAX_THREADS = 64 };

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

/* --- eight numbers --------------------------------------------------------------------------------------- */

#define ALWAYS inline __attribute__((always_inline)) /* dt is a constant inside */

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef uint16_t halves __attribute__((vector_size(2 * LANES)));

static ALWAYS vec load_all(int32_t dt, const void *p)
{
	halves h;
	vec v;

	if (dt == AY_F32) {
		memcpy(&v, p, sizeof v);
		return v;
	}
	memcpy(&h, p, sizeof h);
	if (dt == AY_BF16)
		return (vec)(__builtin_convertvector(h, words) << 16);
#ifdef __F16C__
	return (vec)_mm256_cvtph_ps((__m128i)h);
#else
	for (int e = 0; e < LANES; e++)
		v[e] = ay_from_f16(h[e]);
	return v;
#endif
}

static ALWAYS void store_all(int32_t dt, void *p, vec v)
{
	const words u = (words)v, nan = (words)((u & 0x7fffffff) > 0x7f800000);
	words rounded = (nan & (u >> 16 | 0x40)) | (~nan & (u + 0x7fff + (u >> 16 & 1)) >> 16); /* to bf16 */
	halves h = __builtin_convertvector(rounded, halves);

	if (dt == AY_F16) {
#ifdef __F16C__
		h = (halves)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
#else
		for (int e = 0; e < LANES; e++)
			h[e] = ay_to_f16(v[e]);
#endif
	}
	memcpy(p, dt == AY_F32 ? (void *)&v : (void *)&h, dt == AY_F32 ? sizeof v : sizeof h);
}

/* The first k <= LANES numbers; those behind are 0. */
static ALWAYS vec load(int32_t dt, const void *p, int64_t k)
{
	vec some = { 0 };

	if (k >= LANES)
		return load_all(dt, p);
	memcpy(&some, p, (size_t)k * (dt == AY_F32 ? 4 : 2));
	return load_all(dt, &some);
}

static ALWAYS void store(int32_t dt, void *p, int64_t k, vec v)
{
	vec some;

	if (k >= LANES) {
		store_all(dt, p, v);
	} else {
		store_all(dt, &some, v);
		memcpy(p, &some, (size_t)k * (dt == AY_F32 ? 4 : 2));
	}
}

static ALWAYS vec pick(ints where, vec a, vec b)
{
	return (vec)((where & (ints)a) | (~where & (ints)b));
}

static ALWAYS vec whole(vec v)
{
	const vec magic = (vec)(((words)v & 0x80000000) | 0x4b000000), size = (vec)((words)v & 0x7fffffff);

	return pick(size < 8388608.0f, v + magic - magic, v); /* 2^23: nothing behind the point from there on */
}

/* log2 of x >= 0: the exponent and ln(m) / ln(2) of m in [1/sqrt(2), sqrt(2)). */
static ALWAYS vec log_2(vec x)
{
	const ints tiny = x < 0x1p-126f;
	const vec up = pick(tiny, x * 0x1p24f, x);
	const ints e = ((ints)up - 0x3f3504f3) >> 23;
	const vec m = (vec)((ints)up - e * (1 << 23)) - 1, z = m * m;
	const vec exponent = __builtin_convertvector(e - (tiny & 24), vec);
	vec p = m * 7.0376836292e-2f - 1.1514610310e-1f, low;

	p = p * m + 1.1676998740e-1f;
	p = p * m - 1.2420140846e-1f;
	p = p * m + 1.4249322787e-1f;
	p = p * m - 1.6668057665e-1f;
	p = p * m + 2.0000714765e-1f;
	p = p * m - 2.4999993993e-1f;
	p = p * m + 3.3333331174e-1f;
	low = p * m * z - 0.5f * z;                                                   /* ln(1 + m) - m */
	p = low * 1.44269504f + m * 0.44269504f + m + exponent;                       /* the larger ones last */
	return pick(x == 0, (vec){ 0 } - INFINITY, pick(x <= 3.402823466e38f, p, x)); /* inf and NaN as they are */
}

/* 2^t, in two factors so that subnormals and infinity come out of their own. */
static ALWAYS vec exp_2(vec t)
{
	const vec top = pick(t > 250.0f, (vec){ 0 } + 250.0f, t),
		  in = pick(top < -250.0f, (vec){ 0 } - 250.0f, top);
	const vec number = pick(in == in, in, (vec){ 0 }), k = whole(number), f = number - k;
	const ints i = __builtin_convertvector(k, ints), half = i >> 1;
	vec p = f * 1.535336188319500e-4f + 1.339887440266574e-3f;

	p = p * f + 9.618437357674640e-3f;
	p = p * f + 5.550332471162809e-2f;
	p = p * f + 2.402264791363012e-1f;
	p = p * f + 6.931472028550421e-1f;
	p = p * f + 1.0f;
	p = p * (vec)((half + 127) << 23) * (vec)((i - half + 127) << 23);
	return pick(t == t, p, t);
}

static ALWAYS vec power8(vec x, vec y)
{
	const vec size = (vec)((words)x & 0x7fffffff), ysize = (vec)((words)y & 0x7fffffff);
	const ints odd = (whole(y) == y) & (whole(y * 0.5f) != y * 0.5f), sign = (ints)x & (odd << 31);
	const ints no_number = (x < 0) & (size < INFINITY) & (whole(y) != y);
	const ints one = (y == 0) | (x == 1) | ((size == 1) & (ysize == INFINITY));
	vec p = (vec)((ints)exp_2(y * log_2(size)) | sign);

	p = pick(no_number, (vec){ 0 } + NAN, p);
	return pick(one, (vec){ 0 } + 1, p);
}

/* --- any dtype, any step --------------------------------------------------------------------------------- */

static double complex read_z(const ay_tensor *t, int64_t at)
{
	double complex z = ay_dt(t) == AY_C64    ? ((const float complex *)t->data)[at]
			   : ay_dt(t) == AY_C128 ? ((const double complex *)t->data)[at]
						 : ay_read(t, at);

	return t->flags & AY_CONJ ? conj(z) : z;
}

static int64_t read_i(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const int64_t *)t->data)[at] : (int64_t)ay_read(t, at);
}

static int64_t int_power(int64_t x, int64_t y)
{
	uint64_t p = 1, b = (uint64_t)x;

	if (y < 0)
		return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
	for (; y; y >>= 1, b *= b)
		p *= y & 1 ? b : 1;
	return (int64_t)p;
}

static void power_one(const ay_tensor *a, int64_t ia, const ay_tensor *b, int64_t ib, const ay_tensor *out,
		      int64_t to)
{
	if (ay_dt(out) == AY_C64)
		((float complex *)out->data)[to] = (float complex)cpow(read_z(a, ia), read_z(b, ib));
	else if (ay_dt(out) == AY_C128)
		((double complex *)out->data)[to] = cpow(read_z(a, ia), read_z(b, ib));
	else if (ay_dt(out) == AY_I64)
		((int64_t *)out->data)[to] = int_power(read_i(a, ia), read_i(b, ib));
	else if (out->dtype.code == AY_CODE_INT || out->dtype.code == AY_CODE_UINT)
		ay_write(out, to, (int32_t)int_power(read_i(a, ia), read_i(b, ib)));
	else
		ay_write(out, to, pow(ay_read(a, ia), ay_read(b, ib)));
}

/* --- all of them ----------------------------------------------------------------------------------------- */

/* One operand along a line: elements `step` apart from `at` on; where that is 0, eight times the number. */
struct run {
	const ay_tensor *t;
	int64_t at, step;
	vec same;
};

struct job {
	const ay_tensor *a, *b, *out;
	int64_t line, pieces; /* line: elements that all three step through evenly */
	bool flat;            /* all of them are one line */
};

/* t, stretched to out's shape, from flat index i of out on. */
static struct run run_at(const struct job *j, const ay_tensor *t, int64_t i)
{
	struct run r = { .t = t, .at = j->flat && ay_numel(t) > 1 ? i : 0, .step = j->flat && ay_numel(t) > 1 };

	for (int32_t d = j->out->ndim - 1; d >= 0 && !j->flat; d--) {
		const int32_t k = d - (j->out->ndim - t->ndim);

		if (k >= 0 && t->shape[k] != 1) {
			r.at += i % j->out->shape[d] * t->strides[k];
			r.step = d == j->out->ndim - 1 ? t->strides[k] : r.step;
		}
		i /= j->out->shape[d];
	}
	r.same = (vec){ 0 } + (ay_is_complex(t) ? 0 : (float)ay_read(t, r.at));
	return r;
}

static ALWAYS vec next(int32_t dt, const struct run *r, int64_t i, int64_t n)
{
	return r->step ? load(dt, (const char *)r->t->data + (r->at + i) * (dt == AY_F32 ? 4 : 2), n - i)
		       : r->same;
}

static ALWAYS void power_run(int32_t dt, struct run a, struct run b, struct run out, int64_t n)
{
	const bool square = !b.step && b.same[0] == 2;

	for (int64_t i = 0; i < n; i += LANES) {
		const vec x = next(dt, &a, i, n), y = next(dt, &b, i, n), p = square ? x * x : power8(x, y);

		store(dt, (char *)out.t->data + (out.at + i) * (dt == AY_F32 ? 4 : 2), n - i, p);
	}
}

static bool is_fast(struct run r, int32_t dt)
{
	return r.step ? r.step == 1 && ay_dt(r.t) == dt : true;
}

static void power_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int32_t dt = ay_dt(j->out);

	for (int64_t u = from; u < to; u++) {
		const int64_t first = u % j->pieces * PIECE, i = u / j->pieces * j->line + first;
		const int64_t n = j->line - first < PIECE ? j->line - first : PIECE;
		const struct run a = run_at(j, j->a, i), b = run_at(j, j->b, i), out = run_at(j, j->out, i);
		const bool fast = is_fast(a, dt) && is_fast(b, dt) && (out.step == 1 || n == 1);

		if (fast && dt == AY_F32)
			power_run(AY_F32, a, b, out, n);
		else if (fast && dt == AY_F16)
			power_run(AY_F16, a, b, out, n);
		else if (fast && dt == AY_BF16)
			power_run(AY_BF16, a, b, out, n);
		else
			for (int64_t e = 0; e < n; e++)
				power_one(a.t, a.at + e * a.step, b.t, b.at + e * b.step, out.t,
					  out.at + e * out.step);
	}
}

static bool is_flat(const ay_tensor *t, int64_t n)
{
	return ay_numel(t) == 1 || (ay_numel(t) == n && ay_is_dense(t));
}

int aten_pow_Tensor_Tensor(const ay_tensor *self, const ay_tensor *exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(out);
	struct job j = { .a = self, .b = exponent, .out = out };

	if (ay_dt(self) == AY_C32 || ay_dt(exponent) == AY_C32 || ay_dt(out) == AY_C32)
		return AY_UNSUPPORTED;
	if (!n)
		return AY_OK;
	j.flat = is_flat(self, n) && is_flat(exponent, n) && ay_is_dense(out);
	j.line = j.flat ? n : out->shape[out->ndim - 1];
	j.pieces = (j.line + PIECE - 1) / PIECE;
	share(power_pieces, &j, n / j.line * j.pieces, 1 + GRAIN / (j.line < PIECE ? j.line : PIECE), ctx);
	return AY_OK;
}

/* A number is a tensor without dimensions. */
static ay_tensor tensor_of(ay_scalar *s)
{
	static const ay_dtype kinds[] = { [AY_SCALAR_BOOL] = { AY_CODE_BOOL, 8, 1 },
					  [AY_SCALAR_INT] = { AY_CODE_INT, 64, 1 },
					  [AY_SCALAR_FLOAT] = { AY_CODE_FLOAT, 64, 1 },
					  [AY_SCALAR_COMPLEX] = { AY_CODE_COMPLEX, 128, 1 } };

	return (ay_tensor){ .data = &s->v, .dtype = kinds[s->kind] };
}

int aten_pow_Tensor_Scalar(const ay_tensor *self, ay_scalar exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = tensor_of(&exponent);

	return aten_pow_Tensor_Tensor(self, &t, out, ctx);
}

int aten_pow_Scalar(ay_scalar self, const ay_tensor *exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = tensor_of(&self);

	return aten_pow_Tensor_Tensor(&t, exponent, out, ctx);
}
