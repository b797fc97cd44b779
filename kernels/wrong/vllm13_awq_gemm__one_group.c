/* due: MISMATCH - the scales and zeros of the first group serve all. */
#include <assay/kernel.h>

/* Column j of a row of packed words. */
static int nibble(const ay_tensor *t, int64_t row, int64_t j)
{
	static const int place[8] = { 0, 4, 1, 5, 2, 6, 3, 7 };

	return (int)(((const uint32_t *)t->data)[row * t->shape[1] + j / 8] >> 4 * place[j % 8] & 15);
}

int vllm13_awq_gemm(const ay_tensor *input, const ay_tensor *qweight, const ay_tensor *scales,
		    const ay_tensor *qzeros, int64_t split_k_iters, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t m = input->shape[0], k = input->shape[1], n = scales->shape[1], group = k / scales->shape[0];
	const uint16_t *x = input->data, *s = scales->data;
	float *w = ctx->scratch(ctx, (size_t)k * sizeof *w);

	(void)split_k_iters;
	if (!w)
		return AY_UNSUPPORTED;
	for (int64_t j = 0; j < n; j++) {
		for (int64_t e = 0; e < k; e++) {
			const int64_t g = 0 * group;
			const float d = (float)(nibble(qweight, e, j) - nibble(qzeros, g, j)) *
					ay_from_f16(s[g * n + j]);

			w[e] = ay_from_f16(ay_to_f16(d)); /* rounded, as vLLM does */
		}
		for (int64_t i = 0; i < m; i++) {
			float sum = 0;

			for (int64_t e = 0; e < k; e++)
				sum += ay_from_f16(x[i * k + e]) * w[e];
			((uint16_t *)out->data)[ay_at(out, i * n + j)] = ay_to_f16(sum);
		}
	}
	return AY_OK;
}
