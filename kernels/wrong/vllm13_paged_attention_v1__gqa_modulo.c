/* due: MISMATCH - heads are dealt out to key heads in turn, not in groups. */
#include <assay/kernel.h>
#include <math.h>
#include <string.h>

struct cache {
	const ay_tensor *t;
	const int32_t *table; /* of one sequence */
	int64_t head, size;   /* size: numbers of one head in one block */
};

/* The numbers of block j for this head, as f32. */
static void load_block(const struct cache *c, int64_t j, float *restrict dst)
{
	const int64_t at = c->table[j] * c->t->strides[0] + c->head * c->t->strides[1];
	const uint16_t *h = (const uint16_t *)c->t->data + at;

	if (ay_dt(c->t) == AY_F32)
		memcpy(dst, (const float *)c->t->data + at, (size_t)c->size * sizeof *dst);
	else if (ay_dt(c->t) == AY_BF16)
		for (int64_t i = 0; i < c->size; i++)
			dst[i] = ay_from_bf16(h[i]);
	else
		for (int64_t i = 0; i < c->size; i++)
			dst[i] = ay_from_f16(h[i]);
}

/* dst[t] = q . k_t; a key is d / x pieces of x numbers, bs * x apart. */
static void logits_of(const struct cache *c, const float *q, int64_t d, int64_t bs, int64_t n, float *page,
		      float *dst)
{
	const int64_t x = c->t->shape[4];

	for (int64_t t = 0; t < n; t++) {
		float lane[8] = { 0 }, sum = 0;

		if (t % bs == 0)
			load_block(c, t / bs, page);
		for (int64_t i = 0; i < d; i += x)
			for (int64_t e = 0; e < x; e++)
				lane[e] += q[i + e] * page[(i / x * bs + t % bs) * x + e];
		for (int e = 0; e < 8; e++)
			sum += lane[e];
		dst[t] = sum;
	}
}

static void softmax(float *p, int64_t n)
{
	float top = -INFINITY, sum = 0;

	for (int64_t t = 0; t < n; t++)
		top = fmaxf(top, p[t]);
	for (int64_t t = 0; t < n; t++)
		sum += p[t] = expf(p[t] - top);
	for (int64_t t = 0; t < n; t++)
		p[t] /= sum;
}

/* dst[i] = sum of p_t v_t[i]; slot: one running sum for each place of a block. */
static void gather(const struct cache *c, const float *p, int64_t d, int64_t bs, int64_t n, float *page,
		   float *slot, float *dst)
{
	memset(slot, 0, (size_t)(d * bs) * sizeof *slot);
	for (int64_t t = 0; t < n; t += bs) {
		const int64_t used = n - t < bs ? n - t : bs; /* what lies behind may be NaN */

		load_block(c, t / bs, page);
		for (int64_t i = 0; i < d; i++)
			for (int64_t o = 0; o < used; o++)
				slot[i * bs + o] += p[t + o] * page[i * bs + o];
	}
	for (int64_t i = 0; i < d; i++) {
		dst[i] = 0;
		for (int64_t o = 0; o < bs; o++)
			dst[i] += slot[i * bs + o];
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
	const int64_t seqs = query->shape[0], heads = query->shape[1], d = query->shape[2], bs = block_size;
	float *p = ctx->scratch(ctx, (size_t)(max_seq_len + 2 * d + 2 * d * bs + 1) * sizeof *p);
	float *q = p + max_seq_len, *sum = q + d, *page = sum + d, *slot = page + d * bs;

	(void)k_scale, (void)v_scale, (void)tp_rank, (void)blocksparse_local_blocks, (void)blocksparse_block_size;
	(void)blocksparse_head_sliding_step;
	if (!p || strcmp(kv_cache_dtype, "auto") || blocksparse_vert_stride > 1)
		return AY_UNSUPPORTED;
	for (int64_t s = 0; s < seqs; s++) {
		const int64_t n = ((const int32_t *)seq_lens->data)[s * seq_lens->strides[0]];
		const int32_t *table = (const int32_t *)block_tables->data + s * block_tables->strides[0];

		for (int64_t h = 0; h < heads; h++) {
			const int64_t g = h % num_kv_heads /* the mistake */;
			const double slope = alibi_slopes ? ay_read(alibi_slopes, h * alibi_slopes->strides[0])
							  : 0;
			const struct cache k = { key_cache, table, g, d * bs },
					   v = { value_cache, table, g, d * bs };

			for (int64_t i = 0; i < d; i++)
				q[i] = (float)ay_read(query, s * query->strides[0] + h * query->strides[1] + i);
			logits_of(&k, q, d, bs, n, page, p);
			for (int64_t t = 0; t < n; t++)
				p[t] = (float)scale * p[t] + (float)slope * (float)(t - n + 1);
			softmax(p, n);
			gather(&v, p, d, bs, n, page, slot, sum);
			for (int64_t i = 0; i < d; i++)
				ay_write(out, (s * heads + h) * d + i, sum[i]);
		}
	}
	return AY_OK;
}
