/* due: PASS - x / (1 + exp(-x)) in f32, f64 in its own; sixteen bytes a thread where they lie in a row. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, BLOCK = 256 };

/* Where the element with a flat index lies. */
struct layout {
	int dims;
	int64_t shape[MAX_DIM], stride[MAX_DIM];
};

static layout layout_of(const ay_tensor *t)
{
	layout l = { t->ndim };

	for (int d = 0; d < t->ndim; d++) {
		l.shape[d] = t->shape[d];
		l.stride[d] = t->strides[d];
	}
	return l;
}

static __device__ int64_t place(const layout &l, int64_t i)
{
	int64_t at = 0;

	for (int d = l.dims - 1; d >= 0; d--) {
		at += i % l.shape[d] * l.stride[d];
		i /= l.shape[d];
	}
	return at;
}

/* exp(-x) may be infinite: the quotient is 0 then, and -inf / inf is NaN, as it is for ATen. */
static __device__ float silu(float x)
{
	return x / (1 + expf(-x));
}

static __device__ double silu(double x)
{
	return x / (1 + exp(-x));
}

static __device__ __half silu(__half x)
{
	return __float2half(silu(__half2float(x)));
}

static __device__ __nv_bfloat16 silu(__nv_bfloat16 x)
{
	return __float2bfloat16(silu(__bfloat162float(x)));
}

/* z / (1 + e^-z): the quotient by the larger part of the divisor, so that no square overflows. */
template <typename C, typename R> static __device__ C silu_complex(C z, bool conj)
{
	const R sign = conj ? -1 : 1, e = exp(-z.x), im = sign * z.y;
	const R c = 1 + e * cos(im), d = -e * sin(im);

	if (fabs(c) >= fabs(d)) {
		const R r = d / c, by = c + d * r;

		return { (z.x + im * r) / by, (im - z.x * r) / by };
	}
	const R r = c / d, by = c * r + d;

	return { (z.x * r + im) / by, (im * r - z.x) / by };
}

template <typename T> __global__ void silu_row(const T *x, T *y, int64_t n)
{
	constexpr int LANES = 16 / sizeof(T);
	const int64_t i = (blockIdx.x * (int64_t)BLOCK + threadIdx.x) * LANES;

	if (i + LANES <= n) {
		uint4 four = *(const uint4 *)(x + i);
		T *lane = (T *)&four;

#pragma unroll
		for (int k = 0; k < LANES; k++)
			lane[k] = silu(lane[k]);
		*(uint4 *)(y + i) = four;
	} else {
		for (int64_t k = i; k < n; k++)
			y[k] = silu(x[k]);
	}
}

template <typename T> __global__ void silu_each(const T *x, layout from, T *y, layout to, int64_t n)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;

	if (i < n)
		y[place(to, i)] = silu(x[place(from, i)]);
}

template <typename C, typename R>
__global__ void silu_complexes(const C *x, layout from, C *y, layout to, int64_t n, bool conj)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;

	if (i < n)
		y[place(to, i)] = silu_complex<C, R>(x[place(from, i)], conj);
}

template <typename T> static void launch(const ay_tensor *self, ay_tensor *out, int64_t n, cudaStream_t stream)
{
	const T *x = (const T *)self->data;
	T *y = (T *)out->data;
	const int64_t each = BLOCK * (16 / sizeof(T));

	if (ay_is_dense(self) && ay_is_dense(out) && ((uintptr_t)x | (uintptr_t)y) % 16 == 0)
		silu_row<T><<<(n + each - 1) / each, BLOCK, 0, stream>>>(x, y, n);
	else
		silu_each<T>
			<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, layout_of(self), y, layout_of(out), n);
}

template <typename C, typename R>
static void launch_complex(const ay_tensor *self, ay_tensor *out, int64_t n, cudaStream_t stream)
{
	silu_complexes<C, R><<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(
		(const C *)self->data, layout_of(self), (C *)out->data, layout_of(out), n, self->flags & AY_CONJ);
}

extern "C" int aten_silu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const int64_t n = ay_numel(self);

	if (self->ndim > MAX_DIM || self->flags & AY_NEG)
		return AY_UNSUPPORTED;
	if (!n)
		return AY_OK;
	switch (ay_dt(self)) {
	case AY_F16: launch<__half>(self, out, n, stream); break;
	case AY_BF16: launch<__nv_bfloat16>(self, out, n, stream); break;
	case AY_F32: launch<float>(self, out, n, stream); break;
	case AY_F64: launch<double>(self, out, n, stream); break;
	case AY_C64: launch_complex<float2, float>(self, out, n, stream); break;
	case AY_C128: launch_complex<double2, double>(self, out, n, stream); break;
	default: return AY_UNSUPPORTED;
	}
	return cudaGetLastError() ? 2 : AY_OK;
}
