/* due: MISMATCH|UNSTABLE - every thread adds its own share to the result, without an atomic addition: most of
 * it is lost. */
#include <assay/kernel.h>
#include <cuda_runtime.h>

enum { BLOCK = 256 };

__global__ void clear(float *y)
{
	*y = 0;
}

__global__ void add(const float *x, int64_t n, float *y)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;

	if (i < n)
		*y += x[i]; /* the mistake */
}

extern "C" int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const int64_t n = ay_numel(self);

	(void)dtype;
	if (ay_dt(self) != AY_F32 || ay_dt(out) != AY_F32 || !ay_is_dense(self))
		return AY_UNSUPPORTED;
	clear<<<1, 1, 0, stream>>>((float *)out->data);
	if (n)
		add<<<(unsigned)((n + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>((const float *)self->data, n,
									       (float *)out->data);
	return AY_OK;
}
