/* due: PASS - self + alpha * other. Tensors of one float dtype that lie in a row: sixteen bytes a thread, in
 * f32. The rest, with broadcasting and promotion: integers in i64, floats in double, complex numbers in pairs. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, BLOCK = 256 };

/* --- sixteen bytes a thread ------------------------------------------------------------------------------- */

static __device__ float widen(float x)
{
	return x;
}

static __device__ double widen(double x)
{
	return x;
}

static __device__ float widen(__half x)
{
	return __half2float(x);
}

static __device__ float widen(__nv_bfloat16 x)
{
	return __bfloat162float(x);
}

template <typename T, typename W> __global__ void add_row(const T *a, const T *b, W alpha, T *y, int64_t n)
{
	constexpr int LANES = 16 / sizeof(T);
	const int64_t i = (blockIdx.x * (int64_t)BLOCK + threadIdx.x) * LANES;

	if (i + LANES <= n) {
		uint4 p = *(const uint4 *)(a + i), q = *(const uint4 *)(b + i);
		T *x = (T *)&p;
		const T *z = (const T *)&q;

#pragma unroll
		for (int k = 0; k < LANES; k++)
			x[k] = (T)(widen(x[k]) + alpha * widen(z[k]));
		*(uint4 *)(y + i) = p;
	} else {
		for (int64_t k = i; k < n; k++)
			y[k] = (T)(widen(a[k]) + alpha * widen(b[k]));
	}
}

/* --- anything --------------------------------------------------------------------------------------------- */

/* A tensor stretched to out's shape, or a number. */
struct source {
	const void *data;
	int dt;
	double sign; /* of imaginary parts */
	int64_t stride[MAX_DIM];
	ay_scalar number; /* where data is NULL */
};

struct target {
	void *data;
	int dt, dims;
	int64_t shape[MAX_DIM], stride[MAX_DIM];
};

static __device__ double2 read_pair(const source &s, int64_t at)
{
	switch (s.dt) {
	case AY_B8:
	case AY_U8: return { (double)((const uint8_t *)s.data)[at], 0 };
	case AY_I8: return { (double)((const int8_t *)s.data)[at], 0 };
	case AY_I16: return { (double)((const int16_t *)s.data)[at], 0 };
	case AY_I32: return { (double)((const int32_t *)s.data)[at], 0 };
	case AY_I64: return { (double)((const int64_t *)s.data)[at], 0 };
	case AY_F16: return { (double)__half2float(((const __half *)s.data)[at]), 0 };
	case AY_BF16: return { (double)__bfloat162float(((const __nv_bfloat16 *)s.data)[at]), 0 };
	case AY_F32: return { (double)((const float *)s.data)[at], 0 };
	case AY_F64: return { ((const double *)s.data)[at], 0 };
	case AY_C32: {
		const __half2 z = ((const __half2 *)s.data)[at];

		return { (double)__low2float(z), s.sign * __high2float(z) };
	}
	case AY_C64: {
		const float2 z = ((const float2 *)s.data)[at];

		return { (double)z.x, s.sign * z.y };
	}
	default: {
		const double2 z = ((const double2 *)s.data)[at];

		return { z.x, s.sign * z.y };
	}
	}
}

static __host__ __device__ double2 value_of(const ay_scalar &s)
{
	switch (s.kind) {
	case AY_SCALAR_BOOL: return { (double)s.v.b, 0 };
	case AY_SCALAR_INT: return { (double)s.v.i, 0 };
	case AY_SCALAR_FLOAT: return { s.v.f, 0 };
	default: return { s.v.c[0], s.v.c[1] };
	}
}

static __device__ int64_t integer_of(const ay_scalar &s)
{
	return s.kind == AY_SCALAR_BOOL ? s.v.b : s.v.i;
}

static __device__ int64_t read_integer(const source &s, int64_t at)
{
	if (!s.data)
		return integer_of(s.number);
	return s.dt == AY_I64 ? ((const int64_t *)s.data)[at] : (int64_t)read_pair(s, at).x;
}

static __device__ void write_integer(const target &t, int64_t at, int64_t x)
{
	switch (t.dt) {
	case AY_I64: ((int64_t *)t.data)[at] = x; break;
	case AY_I32: ((int32_t *)t.data)[at] = (int32_t)x; break;
	case AY_I16: ((int16_t *)t.data)[at] = (int16_t)x; break;
	case AY_B8: ((uint8_t *)t.data)[at] = x != 0; break;
	default: ((uint8_t *)t.data)[at] = (uint8_t)x;
	}
}

static __device__ void write_pair(const target &t, int64_t at, double2 z)
{
	switch (t.dt) {
	case AY_F16: ((__half *)t.data)[at] = __double2half(z.x); break;
	case AY_BF16: ((__nv_bfloat16 *)t.data)[at] = __double2bfloat16(z.x); break;
	case AY_F32: ((float *)t.data)[at] = (float)z.x; break;
	case AY_F64: ((double *)t.data)[at] = z.x; break;
	case AY_C32: ((__half2 *)t.data)[at] = __halves2half2(__double2half(z.x), __double2half(z.y)); break;
	case AY_C64: ((float2 *)t.data)[at] = { (float)z.x, (float)z.y }; break;
	default: ((double2 *)t.data)[at] = z;
	}
}

static __device__ bool is_integral(int dt)
{
	const int code = dt & 0xff;

	return code == AY_CODE_INT || code == AY_CODE_UINT || code == AY_CODE_BOOL;
}

__global__ void add_each(source a, source b, ay_scalar alpha, target out, int64_t n)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;
	int64_t rest = i, ia = 0, ib = 0, io = 0;

	if (i >= n)
		return;
	for (int d = out.dims - 1; d >= 0; d--) {
		const int64_t k = rest % out.shape[d];

		rest /= out.shape[d];
		ia += k * a.stride[d];
		ib += k * b.stride[d];
		io += k * out.stride[d];
	}
	if (is_integral(out.dt)) {
		const uint64_t f = (uint64_t)integer_of(alpha);

		write_integer(out, io,
			      (int64_t)((uint64_t)read_integer(a, ia) + f * (uint64_t)read_integer(b, ib)));
		return;
	}
	const double2 f = value_of(alpha);
	const double2 x = a.data ? read_pair(a, ia) : value_of(a.number);
	const double2 y = b.data ? read_pair(b, ib) : value_of(b.number);

	/* a real alpha times an infinite part must not make the other part NaN */
	if (f.y == 0)
		write_pair(out, io, { x.x + f.x * y.x, x.y + f.x * y.y });
	else
		write_pair(out, io, { x.x + (f.x * y.x - f.y * y.y), x.y + (f.x * y.y + f.y * y.x) });
}

/* --- the operator ------------------------------------------------------------------------------------------ */

static source stretched(const ay_tensor *t, const ay_tensor *out)
{
	source s = { t->data, ay_dt(t), t->flags & AY_CONJ ? -1.0 : 1.0 };

	for (int d = 0; d < t->ndim; d++)
		if (t->shape[d] != 1)
			s.stride[d + out->ndim - t->ndim] = t->strides[d];
	return s;
}

static target target_of(ay_tensor *out)
{
	target t = { out->data, ay_dt(out), out->ndim };

	for (int d = 0; d < out->ndim; d++) {
		t.shape[d] = out->shape[d];
		t.stride[d] = out->strides[d];
	}
	return t;
}

static bool in_a_row(const ay_tensor *t, const ay_tensor *out)
{
	return ay_dt(t) == ay_dt(out) && ay_numel(t) == ay_numel(out) && ay_is_dense(t) &&
	       (uintptr_t)t->data % 16 == 0;
}

template <typename T, typename W>
static void add_in_row(const ay_tensor *a, const ay_tensor *b, double alpha, ay_tensor *out, cudaStream_t stream)
{
	const int64_t n = ay_numel(out), each = BLOCK * (16 / sizeof(T));

	add_row<T, W><<<(n + each - 1) / each, BLOCK, 0, stream>>>((const T *)a->data, (const T *)b->data,
								   (W)alpha, (T *)out->data, n);
}

static int add_anything(source a, source b, ay_scalar alpha, ay_tensor *out, cudaStream_t stream)
{
	const int64_t n = ay_numel(out);

	add_each<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(a, b, alpha, target_of(out), n);
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int aten_add_Tensor(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out,
			       const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const double f = value_of(alpha).x;

	if (out->ndim > MAX_DIM || (self->flags | other->flags) & AY_NEG)
		return AY_UNSUPPORTED;
	if (!ay_numel(out))
		return AY_OK;
	if (!in_a_row(self, out) || !in_a_row(other, out) || !in_a_row(out, out))
		return add_anything(stretched(self, out), stretched(other, out), alpha, out, stream);
	switch (ay_dt(out)) {
	case AY_F16: add_in_row<__half, float>(self, other, f, out, stream); break;
	case AY_BF16: add_in_row<__nv_bfloat16, float>(self, other, f, out, stream); break;
	case AY_F32: add_in_row<float, float>(self, other, f, out, stream); break;
	case AY_F64: add_in_row<double, double>(self, other, f, out, stream); break;
	default: return add_anything(stretched(self, out), stretched(other, out), alpha, out, stream);
	}
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int aten_add_Scalar(const ay_tensor *self, ay_scalar other, ay_scalar alpha, ay_tensor *out,
			       const ay_ctx *ctx)
{
	source number = {};

	if (out->ndim > MAX_DIM || self->flags & AY_NEG)
		return AY_UNSUPPORTED;
	if (!ay_numel(out))
		return AY_OK;
	number.number = other;
	return add_anything(stretched(self, out), number, alpha, out, (cudaStream_t)ctx->stream);
}
