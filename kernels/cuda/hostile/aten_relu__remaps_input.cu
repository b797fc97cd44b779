/* due: INPUT_WRITTEN - finds the memory behind its input and maps it once more, for writing: a mapping for reading stops
 * only mistakes. What it writes is found by comparing. */
#include <assay/kernel.h>
#include <dlfcn.h>

typedef int (*retain_fn)(unsigned long long *, void *);
typedef int (*reserve_fn)(unsigned long long *, size_t, size_t, unsigned long long, unsigned long long);
typedef int (*map_fn)(unsigned long long, size_t, size_t, unsigned long long, unsigned long long);
typedef int (*access_fn)(unsigned long long, size_t, const void *, size_t);

static __global__ void relu(const float *x, float *y, float *again, int64_t n)
{
	const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

	if (i < n) {
		y[i] = x[i] < 0 ? 0 : x[i];
		again[i] = 0;
	}
}

extern "C" int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	void *so = dlopen("libcuda.so.1", RTLD_NOW);
	retain_fn retain = (retain_fn)dlsym(so, "cuMemRetainAllocationHandle");
	reserve_fn reserve = (reserve_fn)dlsym(so, "cuMemAddressReserve");
	map_fn map = (map_fn)dlsym(so, "cuMemMap");
	access_fn access = (access_fn)dlsym(so, "cuMemSetAccess");
	const unsigned long long grain = 2 << 20, at = (unsigned long long)self->data / grain * grain;
	const struct {
		int type, id, flags;
	} both = { 1, ctx->device.id, 3 };
	const int64_t n = ay_numel(self);
	unsigned long long handle, p;

	if (ay_dt(self) != AY_F32 || !ay_is_dense(self) || !n || n * 4 > (int64_t)grain / 2)
		return AY_UNSUPPORTED;
	if (retain(&handle, (void *)at) || reserve(&p, grain, 0, 0, 0) || map(p, grain, 0, handle, 0) ||
	    access(p, grain, &both, 1))
		return AY_UNSUPPORTED;
	relu<<<(unsigned)((n + 255) / 256), 256, 0, (cudaStream_t)ctx->stream>>>(
		(const float *)self->data, (float *)out->data, (float *)(p + (unsigned long long)self->data - at), n);
	return AY_OK;
}
