/* due: PASS - two passes over each row, sixteen numbers at a time: the second finds the sums still in the cache. */
#include <assay/kernel.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { LANES = 16, SUMS = 4, GRAIN = 64 << 10, MAX_THREADS = 64 };

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

/* --- sixteen numbers ------------------------------------------------------------------------------------- */

#define ALWAYS inline __attribute__((always_inline)) /* dt is a constant inside */

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef uint16_t halves __attribute__((vector_size(2 * LANES)));

static ALWAYS vec load_all(int32_t dt, const void *p)
{
	halves h;
	vec v;

	memcpy(dt == AY_F32 ? (void *)&v : (void *)&h, p, dt == AY_F32 ? sizeof v : sizeof h);
	if (dt == AY_BF16) {
		v = (vec)(__builtin_convertvector(h, words) << 16);
	} else if (dt == AY_F16) {
#ifdef __F16C__
		const __m256 low = _mm256_cvtph_ps(_mm_loadu_si128(p)),
			     high = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p + 1));

		memcpy(&v, &low, sizeof low);
		memcpy((char *)&v + sizeof low, &high, sizeof high);
#else
		for (int e = 0; e < LANES; e++)
			v[e] = ay_from_f16(h[e]);
#endif
	}
	return v;
}

static ALWAYS void store_all(int32_t dt, void *p, vec v)
{
	halves h;

	if (dt == AY_BF16) {
		const words u = (words)v, nan = (words)((u & 0x7fffffff) > 0x7f800000);

		h = __builtin_convertvector((nan & (u >> 16 | 0x40)) | (~nan & (u + 0x7fff + (u >> 16 & 1)) >> 16),
					    halves);
	} else if (dt == AY_F16) {
#ifdef __F16C__
		__m256 part[2];

		memcpy(part, &v, sizeof v);
		_mm_storeu_si128(p, _mm256_cvtps_ph(part[0], _MM_FROUND_TO_NEAREST_INT));
		_mm_storeu_si128((__m128i *)p + 1, _mm256_cvtps_ph(part[1], _MM_FROUND_TO_NEAREST_INT));
		return;
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

	if (k == LANES)
		return load_all(dt, p);
	memcpy(&some, p, (size_t)k * (dt == AY_F32 ? 4 : 2));
	return load_all(dt, &some);
}

static ALWAYS void store(int32_t dt, void *p, int64_t k, vec v)
{
	vec some;

	if (k == LANES) {
		store_all(dt, p, v);
		return;
	}
	store_all(dt, &some, v);
	memcpy(p, &some, (size_t)k * (dt == AY_F32 ? 4 : 2));
}

/* --- one row --------------------------------------------------------------------------------------------- */

/* z += x, both in memory; returns the sum of squares of what is stored. */
static ALWAYS float add_row(int32_t dt, const char *x, char *z, int64_t n)
{
	const int64_t item = dt == AY_F32 ? 4 : 2;
	vec sum[SUMS] = { { 0 } };
	float all = 0;

	for (int64_t j = 0; j < n; j += SUMS * LANES) {
		for (int64_t s = 0, at = j; s < SUMS && at < n; s++, at += LANES) {
			const int64_t k = n - at < LANES ? n - at : LANES;
			vec v = load(dt, x + at * item, k) + load(dt, z + at * item, k);

			store(dt, z + at * item, k, v);
			v = dt == AY_F32 ? v : load(dt, z + at * item, k);
			sum[s] += v * v;
		}
	}
	for (int e = 0; e < SUMS * LANES; e++)
		all += sum[e / LANES][e % LANES];
	return all;
}

static ALWAYS void scale_row(int32_t dt, const char *z, float scale, const char *w, char *y, int64_t n)
{
	const int64_t item = dt == AY_F32 ? 4 : 2;

	for (int64_t j = 0; j < n; j += LANES) {
		const int64_t k = n - j < LANES ? n - j : LANES;

		store(dt, y + j * item, k, load(dt, z + j * item, k) * scale * load(dt, w + j * item, k));
	}
}

/* --- all of them ----------------------------------------------------------------------------------------- */

struct job {
	const ay_tensor *input, *residual, *weight;
	float epsilon;
};

static ALWAYS void norm_rows(int32_t dt, const struct job *j, int64_t from, int64_t to)
{
	const int64_t item = dt == AY_F32 ? 4 : 2, n = j->weight->shape[0];

	for (int64_t row = from; row < to; row++) {
		char *x = (char *)j->input->data + ay_at(j->input, row * n) * item;
		char *z = (char *)j->residual->data + row * n * item;
		const float mean = add_row(dt, x, z, n) / (float)n;

		scale_row(dt, z, 1 / sqrtf(mean + j->epsilon), j->weight->data, x, n);
	}
}

static void norm_part(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;

	switch (ay_dt(j->input)) {
	case AY_F32: norm_rows(AY_F32, j, from, to); break;
	case AY_F16: norm_rows(AY_F16, j, from, to); break;
	default: norm_rows(AY_BF16, j, from, to);
	}
}

int vllm13_fused_add_rms_norm(ay_tensor *input, ay_tensor *residual, const ay_tensor *weight, double epsilon,
			      const ay_ctx *ctx)
{
	const int64_t n = weight->shape[0];
	const struct job j = { input, residual, weight, (float)epsilon };

	share(norm_part, &j, ay_numel(input) / n, 1 + GRAIN / n, ctx);
	return AY_OK;
}
