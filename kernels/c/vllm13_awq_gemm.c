/* due: PASS - dequantises columns to f16, as vLLM does, and adds their products in f32: four rows at a time. */
#include <assay/kernel.h>

enum { COLUMNS = 16, ROWS = 4 };

/* Column j of a row of packed words. */
static int nibble(const ay_tensor *t, int64_t row, int64_t j)
{
	static const int place[8] = { 0, 4, 1, 5, 2, 6, 3, 7 };

	return (int)(((const uint32_t *)t->data)[row * t->shape[1] + j / 8] >> 4 * place[j % 8] & 15);
}

/* Columns j and up, k rows of COLUMNS each; those behind the last are 0. */
static void unpack(const ay_tensor *qweight, const ay_tensor *scales, const ay_tensor *qzeros, int64_t k,
		   int64_t j, float *w)
{
	const int64_t n = scales->shape[1], group = k / scales->shape[0];
	const uint16_t *s = scales->data;

	for (int64_t e = 0; e < k; e++) {
		for (int64_t c = 0; c < COLUMNS; c++) {
			const int64_t g = e / group;
			float d = 0;

			if (j + c < n)
				d = (float)(nibble(qweight, e, j + c) - nibble(qzeros, g, j + c)) *
				    ay_from_f16(s[g * n + j + c]);
			w[e * COLUMNS + c] = ay_from_f16(ay_to_f16(d)); /* rounded, as vLLM does */
		}
	}
}

static void multiply(const float *const x[ROWS], const float *w, int64_t k, float sum[ROWS][COLUMNS])
{
	float acc[ROWS][COLUMNS] = { { 0 } };

	for (int64_t e = 0; e < k; e++)
		for (int r = 0; r < ROWS; r++)
			for (int c = 0; c < COLUMNS; c++)
				acc[r][c] += x[r][e] * w[e * COLUMNS + c];
	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < COLUMNS; c++)
			sum[r][c] = acc[r][c];
}

int vllm13_awq_gemm(const ay_tensor *input, const ay_tensor *qweight, const ay_tensor *scales,
		    const ay_tensor *qzeros, int64_t split_k_iters, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t m = input->shape[0], k = input->shape[1], n = scales->shape[1];
	float *w = ctx->scratch(ctx, (size_t)(k * COLUMNS) * sizeof *w);
	float *x = ctx->scratch(ctx, (size_t)(m * k + 1) * sizeof *x), sum[ROWS][COLUMNS];

	(void)split_k_iters;
	if (!w || !x)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < m * k; i++)
		x[i] = ay_from_f16(((const uint16_t *)input->data)[i]);
	for (int64_t j = 0; j < n; j += COLUMNS) {
		unpack(qweight, scales, qzeros, k, j, w);
		for (int64_t i = 0; i < m; i += ROWS) {
			const float *row[ROWS];

			for (int r = 0; r < ROWS; r++)
				row[r] = x + (i + r < m ? i + r : m - 1) * k;
			multiply(row, w, k, sum);
			for (int64_t r = 0; r < ROWS && i + r < m; r++)
				for (int64_t c = 0; c < COLUMNS && j + c < n; c++)
					((uint16_t *)out->data)[ay_at(out, (i + r) * n + j + c)] = ay_to_f16(
						sum[r][c]);
		}
	}
	return AY_OK;
}
