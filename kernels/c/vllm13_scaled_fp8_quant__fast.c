/* due: PASS - eight numbers at a time: the largest of a row, then, while it is in the cache, its multiples by 1 / scale
 * rounded to f8e4m3fn by integer arithmetic. */
#include <assay/kernel.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { LANES = 8, TOPS = 4, GRAIN = 128 << 10, MAX_THREADS = 64 };

#define F8_MAX 448.0f

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

/* --- eight numbers, one row --------------------------------------------------------------------------------------- */

#define ALWAYS inline __attribute__((always_inline)) /* dt is a constant inside */

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef uint16_t halves __attribute__((vector_size(2 * LANES)));
typedef uint8_t bytes __attribute__((vector_size(LANES)));

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

/* The first k <= LANES numbers; those behind are 0. */
static ALWAYS vec load(int32_t dt, const void *p, int64_t k)
{
	vec some = { 0 };

	if (k >= LANES)
		return load_all(dt, p);
	memcpy(&some, p, (size_t)k * (dt == AY_F32 ? 4 : 2));
	return load_all(dt, &some);
}

static ALWAYS words pick(words where, words a, words b)
{
	return (where & a) | (~where & b);
}

/* To nearest even, clamped to +-448. Below 2^-6 the steps are 2^-9: there the addition does the rounding. */
static ALWAYS bytes to_f8(vec v)
{
	const words u = (words)v, sign = u >> 24 & 0x80, most = (words)((vec){ 0 } + F8_MAX);
	const words size = u & 0x7fffffff, a = pick((words)(size < most), size, most);
	const words normal = (a - 0x3c000000 + 0x7ffff + (a >> 20 & 1)) >> 20;
	const words small = (words)((vec)a + 16384.0f) - 0x46800000;

	return __builtin_convertvector(sign | pick((words)(a < 0x3c800000), small, normal), bytes);
}

/* As integers the magnitudes compare like the numbers; NaN is left out. */
static ALWAYS words larger(vec v, words top)
{
	const words size = (words)v & 0x7fffffff;

	return pick((words)(size > top) & (words)(size <= 0x7f800000), size, top);
}

static ALWAYS float largest(int32_t dt, const char *x, int64_t n)
{
	const int64_t item = dt == AY_F32 ? 4 : 2;
	words top[TOPS] = { { 0 } };
	uint32_t most = 0;
	int64_t j = 0;

	for (; j + TOPS * LANES <= n; j += TOPS * LANES)
		for (int s = 0; s < TOPS; s++)
			top[s] = larger(load_all(dt, x + (j + s * LANES) * item), top[s]);
	for (; j < n; j += LANES)
		top[0] = larger(load(dt, x + j * item, n - j), top[0]);
	for (int e = 0; e < TOPS * LANES; e++)
		most = top[e / LANES][e % LANES] > most ? top[e / LANES][e % LANES] : most;
	return ay_bits_f32(most);
}

static ALWAYS void quantise(int32_t dt, const char *x, float scale, uint8_t *y, int64_t n)
{
	const int64_t item = dt == AY_F32 ? 4 : 2;
	int64_t j = 0;
	bytes b;

	for (; j + LANES <= n; j += LANES) {
		b = to_f8(load_all(dt, x + j * item) / scale);
		memcpy(y + j, &b, sizeof b);
	}
	b = to_f8(load(dt, x + j * item, n - j) / scale);
	memcpy(y + j, &b, (size_t)(n - j));
}

/* --- all of them ----------------------------------------------------------------------------------------- */

enum mode { GIVEN, PER_TOKEN, FIND }; /* FIND: the largest of each row, nothing else */

struct job {
	enum mode mode;
	int32_t dt;
	const char *x;
	uint8_t *y;
	int64_t n;
	float *scales, bound; /* one per row, or one */
};

static ALWAYS void quantise_rows(int32_t dt, const struct job *j, int64_t from, int64_t to)
{
	for (int64_t i = from; i < to; i++) {
		const char *x = j->x + i * j->n * (dt == AY_F32 ? 4 : 2);
		float s = j->mode == GIVEN ? j->scales[0] : largest(dt, x, j->n);

		if (j->mode == PER_TOKEN)
			s = fmaxf(fminf(s, j->bound) / F8_MAX, 1 / (F8_MAX * 512));
		if (j->mode != GIVEN)
			j->scales[i] = s;
		if (j->mode != FIND)
			quantise(dt, x, s, j->y + i * j->n, j->n);
	}
}

static void quantise_part(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;

	switch (j->dt) {
	case AY_F32: quantise_rows(AY_F32, j, from, to); break;
	case AY_F16: quantise_rows(AY_F16, j, from, to); break;
	default: quantise_rows(AY_BF16, j, from, to);
	}
}

static bool make_dense(const ay_tensor *input, struct job *j, const ay_ctx *ctx)
{
	float *x = ctx->scratch(ctx, (size_t)ay_numel(input) * sizeof *x);

	for (int64_t i = 0; x && i < ay_numel(input); i++)
		x[i] = (float)ay_read(input, ay_at(input, i));
	j->x = (const char *)x;
	j->dt = AY_F32;
	return x;
}

/* Rows added as padding are left alone. */
int vllm13_scaled_fp8_quant(const ay_tensor *input, const ay_tensor *scale, const int64_t *num_token_padding,
			    const ay_tensor *scale_ub, bool use_per_token_if_dynamic, ay_tensor *output,
			    ay_tensor *out0, ay_tensor *out1, const ay_ctx *ctx)
{
	const int64_t rows = input->shape[0], n = input->shape[1], grain = 1 + GRAIN / (n + 1);
	struct job j = { GIVEN, ay_dt(input), input->data, out0->data, n, out1->data, INFINITY };

	(void)num_token_padding, (void)output;
	if (!ay_is_dense(input) && !make_dense(input, &j, ctx))
		return AY_UNSUPPORTED;
	if (scale) {
		j.scales[0] = *(const float *)scale->data;
	} else if (use_per_token_if_dynamic) {
		j.mode = PER_TOKEN;
		j.bound = scale_ub ? *(const float *)scale_ub->data : INFINITY;
	} else {
		float top = 0, *tops = ctx->scratch(ctx, (size_t)rows * sizeof *tops);
		const struct job find = { FIND, j.dt, j.x, NULL, n, tops, 0 };

		if (!tops)
			return AY_UNSUPPORTED;
		share(quantise_part, &find, rows, grain, ctx);
		for (int64_t i = 0; i < rows; i++)
			top = fmaxf(top, tops[i]);
		j.scales[0] = top / F8_MAX;
	}
	share(quantise_part, &j, rows, grain, ctx);
	return AY_OK;
}
