/* due: UNWRITTEN - asks for a megabyte of shared memory, which no block can have, and does not look at what
 * comes of it. */
#include <assay/kernel.h>
#include <cuda_runtime.h>

__global__ void never(float *y)
{
	extern __shared__ float big[];

	y[threadIdx.x] = big[threadIdx.x];
}

extern "C" int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;

	(void)self;
	never<<<1, 256, 1 << 20, stream>>>((float *)out->data);
	cudaGetLastError(); /* hides the error from later calls of it */
	return AY_OK;
}
