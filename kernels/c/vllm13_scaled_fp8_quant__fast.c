/* due: PASS - eight numbers at a time: the largest of a row, then, while it is in the cache, its multiples by 1 / scale
 * rounded to f8e4m3fn by integer arithmetic. */
#include <assay/kernel_simd.h>
#include <assay/kernel_threads.h>

enum { TOPS = 4, GRAIN = 128 << 10 };

#define F8_MAX 448.0f

/* --- eight numbers, one row --------------------------------------------------------------------------------------- */

typedef uint8_t bytes __attribute__((vector_size(AY_LANES)));

AY_INLINE ay_vec_u32 pick(ay_vec_u32 where, ay_vec_u32 a, ay_vec_u32 b)
{
	return (where & a) | (~where & b);
}

/* To nearest even, clamped to +-448. Below 2^-6 the steps are 2^-9: there the addition does the rounding. */
AY_INLINE bytes to_f8(ay_vec v)
{
	const ay_vec_u32 u = (ay_vec_u32)v, sign = u >> 24 & 0x80, most = (ay_vec_u32)((ay_vec){ 0 } + F8_MAX);
	const ay_vec_u32 size = u & 0x7fffffff, a = pick((ay_vec_u32)(size < most), size, most);
	const ay_vec_u32 normal = (a - 0x3c000000 + 0x7ffff + (a >> 20 & 1)) >> 20;
	const ay_vec_u32 small = (ay_vec_u32)((ay_vec)a + 16384.0f) - 0x46800000;

	return __builtin_convertvector(sign | pick((ay_vec_u32)(a < 0x3c800000), small, normal), bytes);
}

/* As integers the magnitudes compare like the numbers; NaN is left out. */
AY_INLINE ay_vec_u32 larger(ay_vec v, ay_vec_u32 top)
{
	const ay_vec_u32 size = (ay_vec_u32)v & 0x7fffffff;

	return pick((ay_vec_u32)(size > top) & (ay_vec_u32)(size <= 0x7f800000), size, top);
}

AY_INLINE float largest(int32_t dt, const char *x, int64_t n)
{
	const int64_t item = ay_vec_item(dt);
	ay_vec_u32 top[TOPS] = { { 0 } };
	uint32_t most = 0;
	int64_t j = 0;

	for (; j + TOPS * AY_LANES <= n; j += TOPS * AY_LANES)
		for (int s = 0; s < TOPS; s++)
			top[s] = larger(ay_load_vec(dt, x + (j + s * AY_LANES) * item), top[s]);
	for (; j < n; j += AY_LANES)
		top[0] = larger(ay_load_some(dt, x + j * item, n - j), top[0]);
	for (int e = 0; e < TOPS * AY_LANES; e++)
		most = top[e / AY_LANES][e % AY_LANES] > most ? top[e / AY_LANES][e % AY_LANES] : most;
	return ay_bits_f32(most);
}

AY_INLINE void quantise(int32_t dt, const char *x, float scale, uint8_t *y, int64_t n)
{
	const int64_t item = ay_vec_item(dt);
	int64_t j = 0;
	bytes b;

	for (; j + AY_LANES <= n; j += AY_LANES) {
		b = to_f8(ay_load_vec(dt, x + j * item) / scale);
		memcpy(y + j, &b, sizeof b);
	}
	b = to_f8(ay_load_some(dt, x + j * item, n - j) / scale);
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

AY_INLINE void quantise_rows(int32_t dt, const struct job *j, int64_t from, int64_t to)
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
		ay_parallel_for(quantise_part, &find, rows, grain, ctx);
		for (int64_t i = 0; i < rows; i++)
			top = fmaxf(top, tops[i]);
		j.scales[0] = top / F8_MAX;
	}
	ay_parallel_for(quantise_part, &j, rows, grain, ctx);
	return AY_OK;
}
