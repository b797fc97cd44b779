/* due: PASS - block by block with eight numbers of a token's key, or of a dimension's values, in a vector; the heads of
 * one group go through a block together. Logits, softmax and sums in f32. */
#define AY_LANES 8 /* numbers of a key that are neighbours */
#include <assay/kernel_simd.h>
#include <assay/kernel_threads.h>

enum { GRAIN = 128 << 10 };

/* --- eight numbers --------------------------------------------------------------------------------------- */

static inline float sum_of(ay_vec v)
{
	return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

/* --- one sequence under one key/value head --------------------------------------------------------------- */

struct job {
	const ay_tensor *out, *query, *keys, *values, *tables, *lens, *slopes;
	int64_t heads, group, d, bs, most, room, parts; /* room: numbers of memory for a part */
	float scale, *memory;
};

/* p[t] = q . k_t for the tokens of one block; a key is d / x pieces of x numbers, bs * x apart. */
AY_INLINE void dot_block(int32_t dt, const float *q, const char *page, int64_t d, int64_t bs, int64_t used,
			 float *p)
{
	const int64_t item = ay_vec_item(dt), x = 16 / item;

	for (int64_t t = 0; t < used; t++) {
		ay_vec sum[2] = { { 0 } };

		for (int64_t i = 0; i < d; i += 8) {
			const char *k = page + (i * bs + t * x) * item;
			ay_vec key;

			if (dt == AY_F32) {
				memcpy(&key, k, 16);
				memcpy((char *)&key + 16, k + bs * 16, 16);
			} else {
				key = ay_load_vec(dt, k);
			}
			sum[i / 8 % 2] += key * *(const ay_vec *)(q + i);
		}
		p[t] = sum_of(sum[0] + sum[1]);
	}
}

static void softmax(float *p, int64_t n, float scale, float slope)
{
	float top[AY_LANES], all = -INFINITY, sum = 0;

	for (int e = 0; e < AY_LANES; e++)
		top[e] = -INFINITY;
	for (int64_t t = 0; t < n; t++)
		p[t] = scale * p[t] + slope * (float)(t - n + 1);
	for (int64_t t = 0; t < n; t++)
		top[t % AY_LANES] = p[t] > top[t % AY_LANES] ? p[t] : top[t % AY_LANES];
	for (int e = 0; e < AY_LANES; e++)
		all = top[e] > all ? top[e] : all;
	for (int64_t t = 0; t < n; t++)
		p[t] = ay_exp_negative(p[t] - all);
	for (int64_t t = 0; t < n; t++)
		sum += p[t];
	for (int64_t t = 0; t < n; t++)
		p[t] /= sum;
}

/* slot[i], eight running sums, += p_t v_t[i]; what lies behind `used` may be NaN. */
AY_INLINE void add_block(int32_t dt, const float *p, const char *page, int64_t d, int64_t bs, int64_t used,
			 ay_vec *slot)
{
	const int64_t item = ay_vec_item(dt);

	for (int64_t i = 0; i < d; i++) {
		const char *v = page + i * bs * item;
		int64_t t = 0;

		for (; t + AY_LANES <= used; t += AY_LANES)
			slot[i] += ay_load_vec(dt, v + t * item) * ay_load_vec(AY_F32, p + t);
		if (t < used)
			slot[i] += ay_load_some(dt, v + t * item, used - t) *
				   ay_load_some(AY_F32, p + t, used - t);
	}
}

AY_INLINE void attend(int32_t dt, const struct job *j, int64_t s, int64_t g, float *memory)
{
	const int64_t item = ay_vec_item(dt), n = ((const int32_t *)j->lens->data)[s * j->lens->strides[0]];
	const int32_t *table = (const int32_t *)j->tables->data + s * j->tables->strides[0];
	const int64_t at = g * j->keys->strides[1], step = j->keys->strides[0], h0 = g * j->group;
	ay_vec *slot = (ay_vec *)memory;
	float *q = memory + j->group * j->d * AY_LANES, *p = q + j->group * j->d;

	memset(slot, 0, (size_t)(j->group * j->d) * sizeof *slot);
	for (int64_t i = 0; i < j->group * j->d; i++)
		q[i] = (float)ay_read(j->query, s * j->query->strides[0] + h0 * j->d + i);
	for (int64_t t = 0; t < n; t += j->bs)
		for (int64_t h = 0; h < j->group; h++)
			dot_block(dt, q + h * j->d,
				  (const char *)j->keys->data + (table[t / j->bs] * step + at) * item, j->d, j->bs,
				  ay_min(n - t, j->bs), p + h * j->most + t);
	for (int64_t h = 0; h < j->group; h++)
		softmax(p + h * j->most, n, j->scale,
			j->slopes ? (float)ay_read(j->slopes, (h0 + h) * j->slopes->strides[0]) : 0);
	for (int64_t t = 0; t < n; t += j->bs)
		for (int64_t h = 0; h < j->group; h++)
			add_block(dt, p + h * j->most + t,
				  (const char *)j->values->data + (table[t / j->bs] * step + at) * item, j->d,
				  j->bs, ay_min(n - t, j->bs), slot + h * j->d);
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
	j.room = (j.group * (j.d * (AY_LANES + 1) + j.most) + 15) / 16 * 16;
	j.parts = ay_thread_count(query->shape[0] * j.heads * j.d * max_seq_len, GRAIN, ctx);
	j.memory = ctx->scratch(ctx, (size_t)(j.parts * j.room) * sizeof *j.memory);
	if (!j.memory)
		return AY_UNSUPPORTED;
	ay_parallel_for(attend_part, &j, j.parts, 1, ctx);
	return AY_OK;
}
