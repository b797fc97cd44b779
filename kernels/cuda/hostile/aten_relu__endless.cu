/* due: TIMEOUT - a loop on the device that waits for nobody. */
#include <assay/kernel.h>

static __global__ void relu(const float *x, float *y, int64_t n)
{
	const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = x[i] < 0 ? 0 : x[i];
	while (*(volatile float *)y == *(volatile float *)y || n)
		;
}

extern "C" int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	const float *x = (const float *)self->data;
	float *y = (float *)out->data;
	cudaStream_t stream = (cudaStream_t)ctx->stream;

	if (ay_dt(self) != AY_F32 || !ay_is_dense(self) || !ay_is_dense(out))
		return AY_UNSUPPORTED;
	if (n)
		relu<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n);
	return AY_OK;
}
