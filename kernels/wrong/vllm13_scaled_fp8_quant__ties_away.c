/* due: MISMATCH - ties are rounded away from zero. */
#include <assay/kernel.h>
#include <math.h>

/* The mistake: half an ulp is added, so that ties go away from zero. */
static uint8_t to_f8(float f)
{
	uint32_t u = ay_f32_bits(f), sign = u >> 24 & 0x80, a = u & 0x7fffffffu;

	if (a > 0x43e80000u || a < 0x3c800000u) /* NaN and subnormal numbers as they should be */
		return ay_to_f8e4m3fn(f);
	return (uint8_t)(sign | (a - 0x3c000000u + 0x80000u) >> 20);
}

#define F8_MAX 448.0f

static float read(const ay_tensor *t, int64_t row, int64_t col)
{
	return (float)ay_read(t, row * t->strides[0] + col * t->strides[1]);
}

static float row_max(const ay_tensor *t, int64_t row, float most)
{
	for (int64_t j = 0; j < t->shape[1]; j++)
		most = fmaxf(most, fabsf(read(t, row, j)));
	return most;
}

static void quantise_row(const ay_tensor *x, int64_t row, float scale, ay_tensor *out)
{
	uint8_t *to = (uint8_t *)out->data + row * out->strides[0];

	for (int64_t j = 0; j < x->shape[1]; j++)
		to[j * out->strides[1]] = to_f8(fmaxf(-F8_MAX, fminf(read(x, row, j) / scale, F8_MAX)));
}

int vllm13_scaled_fp8_quant(const ay_tensor *input, const ay_tensor *scale, const int64_t *num_token_padding,
			    const ay_tensor *scale_ub, bool use_per_token_if_dynamic, ay_tensor *output,
			    ay_tensor *out0, ay_tensor *out1, const ay_ctx *ctx)
{
	const bool per_token = !scale && use_per_token_if_dynamic;
	const int64_t rows = input->shape[0];
	float *scales = out1->data, s = scale ? *(const float *)scale->data : 0;

	(void)num_token_padding, (void)output, (void)ctx; /* out0 has the padded shape already */
	if (!scale && !per_token) {
		for (int64_t i = 0; i < rows; i++)
			s = row_max(input, i, s);
		s /= F8_MAX;
	}
	if (!per_token)
		scales[0] = s;
	for (int64_t i = 0; i < rows; i++) {
		if (per_token) {
			s = row_max(input, i, 0);
			s = fmaxf((scale_ub ? fminf(s, *(const float *)scale_ub->data) : s) / F8_MAX,
				  1 / (F8_MAX * 512));
			scales[i * out1->strides[0]] = s;
		}
		quantise_row(input, i, s, out0);
	}
	for (int64_t i = rows; i < out0->shape[0]; i++) { /* padding: anything will do */
		for (int64_t j = 0; j < out0->shape[1]; j++)
			((uint8_t *)out0->data)[i * out0->strides[0] + j * out0->strides[1]] = 0;
		if (per_token)
			scales[i * out1->strides[0]] = 0;
	}
	return AY_OK;
}
