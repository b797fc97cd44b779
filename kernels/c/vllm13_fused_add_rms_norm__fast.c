/* due: PASS - like vLLM: adds and normalises in the storage type, squares in f32. A row is converted once, worked on
 * in f32, and written once. */
#include <assay/kernel.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { LANES = 32, GRAIN = 128 << 10, MAX_THREADS = 64 }; /* GRAIN: elements of a thread's part */

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

/* --- the operator ---------------------------------------------------------------------------------------- */

struct job {
	ay_tensor *input, *residual;
	float *memory; /* the weight, and two rows for each part */
	int64_t n, rows, parts;
	float epsilon;
};

static float sum_of_squares(const float *x, int64_t n)
{
	float lane[LANES] = { 0 }, sum = 0;
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int e = 0; e < LANES; e++)
			lane[e] += x[i + e] * x[i + e];
	for (int e = 0; e < LANES; e++)
		sum += lane[e];
	for (; i < n; i++)
		sum += x[i] * x[i];
	return sum;
}

/* What is written to the residual is what is normalised: rounded. */
static void normalise_row(const struct job *j, int64_t row, float *restrict x, float *restrict z)
{
	const int64_t n = j->n, at = ay_at(j->input, row * n), at_z = ay_at(j->residual, row * n);
	const float *restrict weight = j->memory;
	float scale;

	get_floats(j->input, at, x, n);
	get_floats(j->residual, at_z, z, n);
	for (int64_t i = 0; i < n; i++)
		z[i] += x[i];
	put_floats(j->residual, at_z, z, n);
	get_floats(j->residual, at_z, z, n);
	scale = 1 / sqrtf(sum_of_squares(z, n) / (float)n + j->epsilon);
	for (int64_t i = 0; i < n; i++)
		x[i] = z[i] * scale * weight[i];
	put_floats(j->input, at, x, n);
}

static void normalise_part(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;
	float *x = j->memory + (1 + 2 * t) * j->n;

	for (int64_t row = j->rows * t / j->parts; row < j->rows * end / j->parts; row++)
		normalise_row(j, row, x, x + j->n);
}

int vllm13_fused_add_rms_norm(ay_tensor *input, ay_tensor *residual, const ay_tensor *weight, double epsilon,
			      const ay_ctx *ctx)
{
	struct job j = { .input = input, .residual = residual, .n = weight->shape[0], .epsilon = (float)epsilon };

	if (!is_float(input))
		return AY_UNSUPPORTED;
	if (!ay_numel(input))
		return AY_OK;
	j.rows = ay_numel(input) / j.n;
	j.parts = 1 + ay_numel(input) / GRAIN;
	j.parts = j.parts < ctx->threads ? j.parts : ctx->threads;
	j.memory = ctx->scratch(ctx, (size_t)((1 + 2 * j.parts) * j.n) * sizeof *j.memory);
	if (!j.memory)
		return AY_UNSUPPORTED;
	get_floats(weight, 0, j.memory, j.n);
	share(normalise_part, &j, j.parts, 1, ctx);
	return AY_OK;
}
