/* due: MISMATCH - lists tokens, not entries: the flat index divided by topk. */
#include <assay/kernel.h>

/* The expert of entry i, -1 if it lives elsewhere. */
static int64_t expert_of(const ay_tensor *ids, const ay_tensor *map, int64_t i)
{
	const int64_t e = (int64_t)ay_read(ids, i);

	return map ? ((const int32_t *)map->data)[e] : e;
}

int vllm13_moe_align_block_size(const ay_tensor *topk_ids, int64_t num_experts, int64_t block_size,
				ay_tensor *sorted_token_ids, ay_tensor *experts_ids,
				ay_tensor *num_tokens_post_pad, const ay_tensor *expert_map, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(topk_ids), room = ay_numel(sorted_token_ids), blocks = ay_numel(experts_ids);
	int32_t *sorted = sorted_token_ids->data, *experts = experts_ids->data;
	int64_t *next = ctx->scratch(ctx, (size_t)(num_experts + 1) * sizeof *next), total = 0;

	if (!next)
		return 2;
	for (int64_t e = 0; e < num_experts; e++)
		next[e] = 0;
	for (int64_t i = 0; i < n; i++) {
		const int64_t e = expert_of(topk_ids, expert_map, i);

		if (e >= 0)
			next[e]++;
	}
	for (int64_t k = 0; k < blocks; k++)
		experts[k] = 0;
	for (int64_t e = 0; e < num_experts; e++) {
		const int64_t padded = (next[e] + block_size - 1) / block_size * block_size;

		next[e] = total; /* where its first entry goes */
		for (int64_t k = total / block_size; k < (total + padded) / block_size; k++)
			experts[k] = (int32_t)e;
		total += padded;
	}
	for (int64_t i = 0; i < room; i++)
		sorted[i] = (int32_t)n;
	for (int64_t i = 0; i < n; i++) {
		const int64_t e = expert_of(topk_ids, expert_map, i);

		if (e >= 0)
			sorted[next[e]++] = (int32_t)(i / topk_ids->shape[1]);
	}
	*(int32_t *)num_tokens_post_pad->data = (int32_t)total;
	return AY_OK;
}
