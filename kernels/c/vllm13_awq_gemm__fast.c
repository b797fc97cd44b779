/* due: PASS - dequantises a block of columns to f16, as vLLM does, a few rows of W at a time, and adds its products
 * to rows of sums in f32. Threads take columns. */
#include <assay/kernel_convert.h>
#include <assay/kernel_threads.h>

enum { COLUMNS = 256, ROWS = 64, GRAIN = 256 << 10 }; /* GRAIN: weights of a thread's part */

/* --- weights --------------------------------------------------------------------------------------------- */

struct job {
	const uint16_t *scales;
	const uint32_t *q, *zeros;
	const float *x; /* the input, m x k */
	ay_tensor *out;
	int64_t m, n, k, group;
	float *sums; /* m x n */
};

static inline float rounded(float x)
{
#ifdef __F16C__
	return _cvtsh_ss(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT));
#else
	return ay_from_f16(ay_to_f16(x));
#endif
}

/* Eight columns of a row; column c has the four bits from place[c] on. */
static void unpack(uint32_t word, float *dst)
{
	static const int place[8] = { 0, 16, 4, 20, 8, 24, 12, 28 };

	for (int c = 0; c < 8; c++)
		dst[c] = (float)(word >> place[c] & 15);
}

static void get_group(const struct job *j, int64_t g, int64_t col, int64_t cols, float *zero, float *scale)
{
	for (int64_t c = 0; c < cols; c += 8)
		unpack(j->zeros[(g * j->n + col + c) / 8], zero + c);
	for (int64_t c = 0; c < cols; c++)
		scale[c] = ay_from_f16(j->scales[g * j->n + col + c]);
}

static void round_row(float *w, const float *zero, const float *scale, int64_t n)
{
	int64_t c = 0;

#ifdef __F16C__
	for (; c + 8 <= n; c += 8) {
		const __m256 d = _mm256_mul_ps(_mm256_sub_ps(_mm256_loadu_ps(w + c), _mm256_loadu_ps(zero + c)),
					       _mm256_loadu_ps(scale + c));

		_mm256_storeu_ps(w + c, _mm256_cvtph_ps(_mm256_cvtps_ph(d, _MM_FROUND_TO_NEAREST_INT)));
	}
#endif
	for (; c < n; c++)
		w[c] = rounded((w[c] - zero[c]) * scale[c]);
}

/* --- products -------------------------------------------------------------------------------------------- */

/* sum[c] += x[r] * w[r][c], four rows at a time. */
static void add_rows(float *restrict sum, const float *restrict x, const float (*restrict w)[COLUMNS],
		     int64_t rows, int64_t cols)
{
	int64_t r = 0;

	for (; r + 4 <= rows; r += 4)
		for (int64_t c = 0; c < cols; c++)
			sum[c] += x[r] * w[r][c] + x[r + 1] * w[r + 1][c] + x[r + 2] * w[r + 2][c] +
				  x[r + 3] * w[r + 3][c];
	for (; r < rows; r++)
		for (int64_t c = 0; c < cols; c++)
			sum[c] += x[r] * w[r][c];
}

static void multiply_block(const struct job *j, int64_t col, int64_t cols)
{
	float zero[COLUMNS], scale[COLUMNS], w[ROWS][COLUMNS];

	for (int64_t i = 0; i < j->m; i++)
		memset(j->sums + i * j->n + col, 0, (size_t)cols * sizeof *j->sums);
	for (int64_t e = 0, rows; e < j->k; e += rows) {
		rows = ay_min(j->group - e % j->group, ROWS);
		get_group(j, e / j->group, col, cols, zero, scale);
		for (int64_t r = 0; r < rows; r++) {
			for (int64_t c = 0; c < cols; c += 8)
				unpack(j->q[((e + r) * j->n + col + c) / 8], w[r] + c);
			round_row(w[r], zero, scale, cols);
		}
		for (int64_t i = 0; i < j->m; i++)
			add_rows(j->sums + i * j->n + col, j->x + i * j->k + e, (const float(*)[COLUMNS])w, rows,
				 cols);
	}
	for (int64_t i = 0; i < j->m; i++)
		for (int64_t c = col; c < col + cols; c++)
			((uint16_t *)j->out->data)[ay_at(j->out, i * j->n + c)] = ay_to_f16(j->sums[i * j->n + c]);
}

static void multiply(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;

	for (int64_t b = from; b < to; b++)
		multiply_block(j, b * COLUMNS, ay_min(j->n - b * COLUMNS, COLUMNS));
}

int vllm13_awq_gemm(const ay_tensor *input, const ay_tensor *qweight, const ay_tensor *scales,
		    const ay_tensor *qzeros, int64_t split_k_iters, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t m = input->shape[0], k = input->shape[1], n = scales->shape[1];
	float *x = ctx->scratch(ctx, (size_t)(m * k + m * n + 1) * sizeof *x);
	struct job j = { scales->data, qweight->data, qzeros->data, x, out, m, n, k, 0, NULL };

	(void)split_k_iters; /* a hint */
	if (!x)
		return AY_UNSUPPORTED;
	j.group = k && scales->shape[0] ? k / scales->shape[0] : 1;
	j.sums = x + m * k;
	ay_load_floats(input, 0, x, m * k);
	ay_parallel_for(multiply, &j, (n + COLUMNS - 1) / COLUMNS, 1 + GRAIN / (COLUMNS * (k + 1)), ctx);
	return AY_OK;
}
