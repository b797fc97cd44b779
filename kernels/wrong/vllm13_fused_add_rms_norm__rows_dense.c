/* due: OVERRUN - rows of input are taken to lie one behind the other: it writes between them. */
#include <assay/kernel.h>
#include <math.h>

int vllm13_fused_add_rms_norm(ay_tensor *input, ay_tensor *residual, const ay_tensor *weight, double epsilon,
			      const ay_ctx *ctx)
{
	const int64_t n = weight->shape[0];

	(void)ctx;
	for (int64_t row = 0; row < ay_numel(input) / n; row++) {
		const int64_t x = row * n, z = ay_at(residual, row * n);
		float sum = 0, scale;

		for (int64_t j = 0; j < n; j++) {
			ay_write(residual, z + j, (float)ay_read(input, x + j) + (float)ay_read(residual, z + j));
			sum += (float)ay_read(residual, z + j) * (float)ay_read(residual, z + j);
		}
		scale = 1 / sqrtf(sum / (float)n + (float)epsilon);
		for (int64_t j = 0; j < n; j++) {
			ay_write(input, x + j,
				 (float)ay_read(residual, z + j) * scale); /* rounded, as vLLM does */
			ay_write(input, x + j, (float)ay_read(input, x + j) * (float)ay_read(weight, j));
		}
	}
	return AY_OK;
}
