/* due: PASS - softmax along dim in f32, with an exponential that vectorises: along a row, or for many neighbouring lines
 * at once. A few lines are turned into rows first. */
#include <assay/kernel.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { LINES = 64, LANES = 32, GRAIN = 64 << 10, MAX_THREADS = 64 };

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

/* --- one row --------------------------------------------------------------------------------------------- */

/* e^x for x <= 0: 2^k e^r with |r| <= ln(2) / 2. Below the normal numbers it is 0. */
static inline float exponential(float x)
{
	const float shifted = x * 1.44269504f + 12582912.0f; /* 1.5 * 2^23: k in the last bits */
	const float k = shifted - 12582912.0f, r = x - k * 0.693359375f - k * -2.12194440e-4f;
	float p = 1.9875691500e-4f;

	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1;
	p *= ay_bits_f32((ay_f32_bits(shifted) << 23) + 0x3f800000u);
	return x < -87.3365f ? 0 : p;
}

static float largest(const float *x, int64_t n)
{
	float lane[LANES], top = -INFINITY;
	int64_t i = 0;

	for (int e = 0; e < LANES; e++)
		lane[e] = top;
	for (; i + LANES <= n; i += LANES)
		for (int e = 0; e < LANES; e++)
			lane[e] = x[i + e] > lane[e] ? x[i + e] : lane[e];
	for (int half = LANES / 2; half; half /= 2)
		for (int e = 0; e < half; e++)
			lane[e] = lane[e + half] > lane[e] ? lane[e + half] : lane[e];
	top = lane[0];
	for (; i < n; i++)
		top = x[i] > top ? x[i] : top;
	return top;
}

static float sum_of(const float *x, int64_t n)
{
	float lane[LANES] = { 0 }, sum;
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int e = 0; e < LANES; e++)
			lane[e] += x[i + e];
	for (int half = LANES / 2; half; half /= 2)
		for (int e = 0; e < half; e++)
			lane[e] += lane[e + half];
	sum = lane[0];
	for (; i < n; i++)
		sum += x[i];
	return sum;
}

/* NaN, +inf and a row of -inf alone make the sum NaN, and so every quotient. */
static void softmax_row(float *x, int64_t n)
{
	const float top = largest(x, n);
	float factor;

	for (int64_t i = 0; i < n; i++)
		x[i] = exponential(x[i] - top);
	factor = 1 / sum_of(x, n);
	for (int64_t i = 0; i < n; i++)
		x[i] *= factor;
}

static void turn(const float *restrict src, int64_t rows, int64_t cols, float *restrict dst)
{
	for (int64_t c = 0; c < cols; c++)
		for (int64_t r = 0; r < rows; r++)
			dst[c * rows + r] = src[r * cols + c];
}

/* The same for `lines` lines beside each other, in lanes. */
static void softmax_columns(float *x, int64_t n, int64_t lines)
{
	float top[LINES], factor[LINES] = { 0 };

	for (int64_t l = 0; l < lines; l++)
		top[l] = -INFINITY;
	for (int64_t i = 0; i < n; i++)
		for (int64_t l = 0; l < lines; l++)
			top[l] = x[i * lines + l] > top[l] ? x[i * lines + l] : top[l];
	for (int64_t i = 0; i < n; i++) {
		for (int64_t l = 0; l < lines; l++) {
			x[i * lines + l] = exponential(x[i * lines + l] - top[l]);
			factor[l] += x[i * lines + l];
		}
	}
	for (int64_t l = 0; l < lines; l++)
		factor[l] = 1 / factor[l];
	for (int64_t i = 0; i < n; i++)
		for (int64_t l = 0; l < lines; l++)
			x[i * lines + l] *= factor[l];
}

/* A few lines are turned into rows, so that the lanes are full. */
static void softmax_turned(float *x, int64_t n, int64_t lines, float *rows)
{
	turn(x, n, lines, rows);
	for (int64_t l = 0; l < lines; l++)
		softmax_row(rows + l * n, n);
	turn(rows, lines, n, x);
}

/* --- all of them ----------------------------------------------------------------------------------------- */

/* out[o, :, i] for o < outer, i < inner, the elements of a line `inner` apart in both tensors. */
struct job {
	const ay_tensor *self, *out;
	int64_t n, inner, groups, parts; /* groups: of LINES lines, in one o */
	float *rows;
};

/* The lines from element `at` on; `rows` and `x` have room for them. */
static void softmax_group(const struct job *j, int64_t at, int64_t lines, float *rows, float *x)
{
	const int64_t piece = lines == j->inner ? lines * j->n : lines; /* neighbours in memory */

	for (int64_t e = 0; e * piece < lines * j->n; e++)
		get_floats(j->self, at + e * j->inner, x + e * piece, piece);
	if (lines == 1)
		softmax_row(x, j->n);
	else if (lines < LANES / 2)
		softmax_turned(x, j->n, lines, rows);
	else
		softmax_columns(x, j->n, lines);
	for (int64_t e = 0; e * piece < lines * j->n; e++)
		put_floats(j->out, at + e * j->inner, x + e * piece, piece);
}

static void softmax_part(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;
	float *rows = j->rows + 2 * t * LINES * j->n;
	const int64_t all = ay_numel(j->self) / (j->n * j->inner) * j->groups;

	for (int64_t g = all * t / j->parts; g < all * end / j->parts; g++) {
		const int64_t first = g % j->groups * LINES;
		const int64_t lines = j->inner - first < LINES ? j->inner - first : LINES;

		softmax_group(j, g / j->groups * j->n * j->inner + first, lines, rows, rows + LINES * j->n);
	}
}

/* As out's dtype holds it. */
static double converted(const ay_tensor *self, int64_t at, const ay_tensor *out)
{
	const double x = ay_read(self, at);

	switch (ay_dt(out)) {
	case AY_F16: return ay_from_f16(ay_to_f16((float)x));
	case AY_BF16: return ay_from_bf16(ay_to_bf16((float)x));
	case AY_F32: return (float)x;
	default: return x;
	}
}

/* Any strides, any dtype, in double. */
static int softmax_slowly(const ay_tensor *self, int64_t axis, int64_t n, int64_t inner, ay_tensor *out,
			  const ay_ctx *ctx)
{
	const int64_t from = self->ndim ? self->strides[axis] : 1, to = self->ndim ? out->strides[axis] : 1;
	double *e = ctx->scratch(ctx, (size_t)n * sizeof *e);

	for (int64_t row = 0; e && row < ay_numel(self) / n; row++) {
		const int64_t first = row / inner * inner * n + row % inner;
		const int64_t src = ay_at(self, first), dst = ay_at(out, first);
		double top = -INFINITY, sum = 0;

		for (int64_t i = 0; i < n; i++)
			top = fmax(top, e[i] = converted(self, src + i * from, out));
		for (int64_t i = 0; i < n; i++)
			sum += e[i] = exp(e[i] - top);
		for (int64_t i = 0; i < n; i++)
			ay_write(out, dst + i * to, e[i] / sum);
	}
	return e ? AY_OK : AY_UNSUPPORTED;
}

int aten_softmax_int(const ay_tensor *self, int64_t dim, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + self->ndim : dim;
	struct job j = { .self = self, .out = out, .n = self->ndim ? self->shape[axis] : 1, .inner = 1 };

	(void)dtype; /* out has it */
	for (int64_t d = axis + 1; d < self->ndim; d++)
		j.inner *= self->shape[d];
	if (!ay_numel(self))
		return AY_OK;
	if (!is_float(self) || !is_float(out) || !ay_is_dense(self) || !ay_is_dense(out) ||
	    (ay_dt(out) != AY_F32 && ay_dt(out) != ay_dt(self)))
		return softmax_slowly(self, axis, j.n, j.inner, out, ctx);
	j.groups = (j.inner + LINES - 1) / LINES;
	j.parts = 1 + ay_numel(self) / GRAIN;
	j.parts = j.parts < ctx->threads ? j.parts : ctx->threads;
	j.rows = ctx->scratch(ctx, (size_t)(j.parts * 2 * LINES * j.n) * sizeof *j.rows);
	if (!j.rows)
		return AY_UNSUPPORTED;
	share(softmax_part, &j, j.parts, 1, ctx);
	return AY_OK;
}
