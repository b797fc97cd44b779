/* due: PASS - two passes over each row, eight numbers at a time: the second finds the sums still in the cache. */
#include <assay/kernel.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { LANES = 8, SUMS = 4, GRAIN = 64 << 10, MAX_THREADS = 64 };

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

/* --- eight numbers ------------------------------------------------------------------------------------- */

#define ALWAYS inline __attribute__((always_inline)) /* dt is a constant inside */

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
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

/* --- one row --------------------------------------------------------------------------------------------- */

/* z += x for up to LANES numbers in memory; returns the squares of what is stored. */
static ALWAYS vec add_some(int32_t dt, const char *x, char *z, int64_t k)
{
	vec v = load(dt, x, k) + load(dt, z, k);

	store(dt, z, k, v);
	if (dt != AY_F32)
		v = load(dt, z, k);
	return v * v;
}

static ALWAYS float add_row(int32_t dt, const char *x, char *z, int64_t n)
{
	const int64_t item = dt == AY_F32 ? 4 : 2;
	vec sum[SUMS] = { { 0 } };
	float all = 0;
	int64_t j = 0;

	for (; j + SUMS * LANES <= n; j += SUMS * LANES)
		for (int s = 0; s < SUMS; s++)
			sum[s] += add_some(dt, x + (j + s * LANES) * item, z + (j + s * LANES) * item, LANES);
	for (; j < n; j += LANES)
		sum[0] += add_some(dt, x + j * item, z + j * item, n - j);
	for (int e = 0; e < SUMS * LANES; e++)
		all += sum[e / LANES][e % LANES];
	return all;
}

static ALWAYS void scale_row(int32_t dt, const char *z, float scale, const char *w, char *y, int64_t n)
{
	const int64_t item = dt == AY_F32 ? 4 : 2;

	for (int64_t j = 0; j < n; j += LANES)
		store(dt, y + j * item, n - j,
		      load(dt, z + j * item, n - j) * scale * load(dt, w + j * item, n - j));
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
