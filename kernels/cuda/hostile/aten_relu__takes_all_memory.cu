/* due: UNSUPPORTED - of all dtypes but f32; keeps all memory of the GPU that it can get, and answers rightly: the next case must not suffer. */
#include <assay/kernel.h>

static __global__ void relu(const float *x, float *y, int64_t n)
{
	const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = x[i] < 0 ? 0 : x[i];
}

extern "C" int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	size_t bytes = (size_t)1 << 36;
	void *p;

	if (ay_dt(self) != AY_F32 || !ay_is_dense(self))
		return AY_UNSUPPORTED;
	while (bytes > 1 << 20)
		if (cudaMalloc(&p, bytes))
			bytes /= 2;
	cudaGetLastError();
	if (n)
		relu<<<(unsigned)((n + 255) / 256), 256, 0, (cudaStream_t)ctx->stream>>>((const float *)self->data,
											 (float *)out->data, n);
	return AY_OK;
}
