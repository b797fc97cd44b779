/* due: PASS - block by block with eight numbers of a token's key, or of a dimension's values, in a vector; the heads of
 * one group go through a block together. Logits, softmax and sums in f32. */
#include <assay/kernel.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { LANES = 8, GRAIN = 128 << 10, MAX_THREADS = 64 };

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

/* The first k <= LANES numbers; those behind are 0. */
static ALWAYS vec load(int32_t dt, const void *p, int64_t k)
{
	vec some = { 0 };

	if (k >= LANES)
		return load_all(dt, p);
	memcpy(&some, p, (size_t)k * (dt == AY_F32 ? 4 : 2));
	return load_all(dt, &some);
}

static inline float sum_of(vec v)
{
	return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

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

/* --- one sequence under one key/value head --------------------------------------------------------------- */

struct job {
	const ay_tensor *out, *query, *keys, *values, *tables, *lens, *slopes;
	int64_t heads, group, d, bs, most, room, parts; /* room: numbers of memory for a part */
	float scale, *memory;
};

/* p[t] = q . k_t for the tokens of one block; a key is d / x pieces of x numbers, bs * x apart. */
static ALWAYS void dot_block(int32_t dt, const float *q, const char *page, int64_t d, int64_t bs, int64_t used,
			     float *p)
{
	const int64_t item = dt == AY_F32 ? 4 : 2, x = 16 / item;

	for (int64_t t = 0; t < used; t++) {
		vec sum[2] = { { 0 } };

		for (int64_t i = 0; i < d; i += 8) {
			const char *k = page + (i * bs + t * x) * item;
			vec key;

			if (dt == AY_F32) {
				memcpy(&key, k, 16);
				memcpy((char *)&key + 16, k + bs * 16, 16);
			} else {
				key = load_all(dt, k);
			}
			sum[i / 8 % 2] += key * *(const vec *)(q + i);
		}
		p[t] = sum_of(sum[0] + sum[1]);
	}
}

static void softmax(float *p, int64_t n, float scale, float slope)
{
	float top[LANES], all = -INFINITY, sum = 0;

	for (int e = 0; e < LANES; e++)
		top[e] = -INFINITY;
	for (int64_t t = 0; t < n; t++)
		p[t] = scale * p[t] + slope * (float)(t - n + 1);
	for (int64_t t = 0; t < n; t++)
		top[t % LANES] = p[t] > top[t % LANES] ? p[t] : top[t % LANES];
	for (int e = 0; e < LANES; e++)
		all = top[e] > all ? top[e] : all;
	for (int64_t t = 0; t < n; t++)
		p[t] = exponential(p[t] - all);
	for (int64_t t = 0; t < n; t++)
		sum += p[t];
	for (int64_t t = 0; t < n; t++)
		p[t] /= sum;
}

/* slot[i], eight running sums, += p_t v_t[i]; what lies behind `used` may be NaN. */
static ALWAYS void add_block(int32_t dt, const float *p, const char *page, int64_t d, int64_t bs, int64_t used,
			     vec *slot)
{
	const int64_t item = dt == AY_F32 ? 4 : 2;

	for (int64_t i = 0; i < d; i++) {
		const char *v = page + i * bs * item;
		int64_t t = 0;

		for (; t + LANES <= used; t += LANES)
			slot[i] += load_all(dt, v + t * item) * load_all(AY_F32, p + t);
		if (t < used)
			slot[i] += load(dt, v + t * item, used - t) * load(AY_F32, p + t, used - t);
	}
}

static ALWAYS void attend(int32_t dt, const struct job *j, int64_t s, int64_t g, float *memory)
{
	const int64_t item = dt == AY_F32 ? 4 : 2, n = ((const int32_t *)j->lens->data)[s * j->lens->strides[0]];
	const int32_t *table = (const int32_t *)j->tables->data + s * j->tables->strides[0];
	const int64_t at = g * j->keys->strides[1], step = j->keys->strides[0], h0 = g * j->group;
	vec *slot = (vec *)memory;
	float *q = memory + j->group * j->d * LANES, *p = q + j->group * j->d;

	memset(slot, 0, (size_t)(j->group * j->d) * sizeof *slot);
	for (int64_t i = 0; i < j->group * j->d; i++)
		q[i] = (float)ay_read(j->query, s * j->query->strides[0] + h0 * j->d + i);
	for (int64_t t = 0; t < n; t += j->bs)
		for (int64_t h = 0; h < j->group; h++)
			dot_block(dt, q + h * j->d,
				  (const char *)j->keys->data + (table[t / j->bs] * step + at) * item, j->d, j->bs,
				  n - t < j->bs ? n - t : j->bs, p + h * j->most + t);
	for (int64_t h = 0; h < j->group; h++)
		softmax(p + h * j->most, n, j->scale,
			j->slopes ? (float)ay_read(j->slopes, (h0 + h) * j->slopes->strides[0]) : 0);
	for (int64_t t = 0; t < n; t += j->bs)
		for (int64_t h = 0; h < j->group; h++)
			add_block(dt, p + h * j->most + t,
				  (const char *)j->values->data + (table[t / j->bs] * step + at) * item, j->d,
				  j->bs, n - t < j->bs ? n - t : j->bs, slot + h * j->d);
	for (int64_t i = 0; i < j->group * j->d; i++)
		ay_write(j->out, (s * j->heads + h0) * j->d + i, sum_of(slot[i]));
}

/* --- all of them ----------------------------------------------------------------------------------------- */

static void attend_part(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;
	const int64_t groups = j->heads / j->group, all = j->query->shape[0] * groups;

	for (int64_t u = all * t / j->parts; u < all * end / j->parts; u++) {
		float *memory = j->memory + t * j->room;

		switch (ay_dt(j->query)) {
		case AY_F32: attend(AY_F32, j, u / groups, u % groups, memory); break;
		case AY_F16: attend(AY_F16, j, u / groups, u % groups, memory); break;
		default: attend(AY_BF16, j, u / groups, u % groups, memory);
		}
	}
}

int vllm13_paged_attention_v1(ay_tensor *out, const ay_tensor *query, const ay_tensor *key_cache,
			      const ay_tensor *value_cache, int64_t num_kv_heads, double scale,
			      const ay_tensor *block_tables, const ay_tensor *seq_lens, int64_t block_size,
			      int64_t max_seq_len, const ay_tensor *alibi_slopes, const char *kv_cache_dtype,
			      const ay_tensor *k_scale, const ay_tensor *v_scale, int64_t tp_rank,
			      int64_t blocksparse_local_blocks, int64_t blocksparse_vert_stride,
			      int64_t blocksparse_block_size, int64_t blocksparse_head_sliding_step,
			      const ay_ctx *ctx)
{
	struct job j = { .out = out,
			 .query = query,
			 .keys = key_cache,
			 .values = value_cache,
			 .tables = block_tables,
			 .lens = seq_lens,
			 .slopes = alibi_slopes,
			 .scale = (float)scale,
			 .bs = block_size };

	(void)k_scale, (void)v_scale, (void)tp_rank, (void)blocksparse_local_blocks, (void)blocksparse_block_size;
	(void)blocksparse_head_sliding_step;
	j.heads = query->shape[1];
	j.group = j.heads / num_kv_heads;
	j.d = query->shape[2];
	if (strcmp(kv_cache_dtype, "auto") || blocksparse_vert_stride > 1 || j.d % 8)
		return AY_UNSUPPORTED;
	j.most = max_seq_len;
	j.room = (j.group * (j.d * (LANES + 1) + j.most) + 15) / 16 * 16;
	j.parts = 1 + query->shape[0] * j.heads * j.d * max_seq_len / GRAIN;
	j.parts = j.parts < ctx->threads ? j.parts : ctx->threads;
	j.memory = ctx->scratch(ctx, (size_t)(j.parts * j.room) * sizeof *j.memory);
	if (!j.memory)
		return AY_UNSUPPORTED;
	share(attend_part, &j, j.parts, 1, ctx);
	return AY_OK;
}
