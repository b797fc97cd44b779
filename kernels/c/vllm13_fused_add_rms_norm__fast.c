/* due: PASS - two passes over each row, eight numbers at a time: the second finds the sums still in the cache. */
#include <assay/kernel_simd.h>
#include <assay/kernel_threads.h>

enum { SUMS = 4, GRAIN = 64 << 10 };

/* --- eight numbers ------------------------------------------------------------------------------------- */

/* --- one row --------------------------------------------------------------------------------------------- */

/* z += x for up to AY_LANES numbers in memory; returns the squares of what is stored. */
AY_INLINE ay_vec add_some(int32_t dt, const char *x, char *z, int64_t k)
{
	ay_vec v = ay_load_some(dt, x, k) + ay_load_some(dt, z, k);

	ay_store_some(dt, z, v, k);
	if (dt != AY_F32)
		v = ay_load_some(dt, z, k);
	return v * v;
}

AY_INLINE float add_row(int32_t dt, const char *x, char *z, int64_t n)
{
	const int64_t item = ay_vec_item(dt);
	ay_vec sum[SUMS] = { { 0 } };
	float all = 0;
	int64_t j = 0;

	for (; j + SUMS * AY_LANES <= n; j += SUMS * AY_LANES)
		for (int s = 0; s < SUMS; s++)
			sum[s] += add_some(dt, x + (j + s * AY_LANES) * item, z + (j + s * AY_LANES) * item,
					   AY_LANES);
	for (; j < n; j += AY_LANES)
		sum[0] += add_some(dt, x + j * item, z + j * item, n - j);
	for (int e = 0; e < SUMS * AY_LANES; e++)
		all += sum[e / AY_LANES][e % AY_LANES];
	return all;
}

AY_INLINE void scale_row(int32_t dt, const char *z, float scale, const char *w, char *y, int64_t n)
{
	const int64_t item = ay_vec_item(dt);

	for (int64_t j = 0; j < n; j += AY_LANES)
		ay_store_some(dt, y + j * item,
			      ay_load_some(dt, z + j * item, n - j) * scale *
				      ay_load_some(dt, w + j * item, n - j),
			      n - j);
}

/* --- all of them ----------------------------------------------------------------------------------------- */

struct job {
	const ay_tensor *input, *residual, *weight;
	float epsilon;
};

AY_INLINE void norm_rows(int32_t dt, const struct job *j, int64_t from, int64_t to)
{
	const int64_t item = ay_vec_item(dt), n = j->weight->shape[0];

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

	ay_parallel_for(norm_part, &j, ay_numel(input) / n, 1 + GRAIN / n, ctx);
	return AY_OK;
}
