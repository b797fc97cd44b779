/* due: UNSUPPORTED - of all dtypes but f32; works on a stream of its own, from a thread of its own, and returns at once: it is done when the device is. */
#include <assay/kernel.h>
#include <thread>

static __global__ void relu(const float *x, float *y, int64_t n)
{
	const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

	__nanosleep(100000);
	if (i < n)
		y[i] = x[i] < 0 ? 0 : x[i];
}

extern "C" int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	const float *x = (const float *)self->data;
	float *y = (float *)out->data;

	if (ay_dt(self) != AY_F32 || !ay_is_dense(self))
		return AY_UNSUPPORTED;
	std::thread([=] {
		cudaStream_t side;

		cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
		if (n)
			relu<<<(unsigned)((n + 255) / 256), 256, 0, side>>>(x, y, n);
	}).join();
	return AY_OK;
}
