/* due: PASS - one launch for each tensor: elements of one dtype are copied as they are, sixteen bytes a thread
 * where both sides allow it, others are converted. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, BLOCK = 256 };

/* The part of out that one tensor fills. */
struct window {
	int dims;
	int64_t n, shape[MAX_DIM], in[MAX_DIM], out[MAX_DIM];
};

static __device__ void find(const window &w, int64_t i, int64_t *from, int64_t *to)
{
	*from = *to = 0;
	for (int d = w.dims - 1; d >= 0; d--) {
		const int64_t k = i % w.shape[d];

		i /= w.shape[d];
		*from += k * w.in[d];
		*to += k * w.out[d];
	}
}

template <typename T> __global__ void copy_each(const T *x, T *y, window w)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;
	int64_t from, to;

	if (i >= w.n)
		return;
	find(w, i, &from, &to);
	y[to] = x[from];
}

/* --- other dtypes ------------------------------------------------------------------------------------------ */

static __device__ double2 read_pair(const void *x, int dt, int64_t at, double sign)
{
	switch (dt) {
	case AY_B8:
	case AY_U8: return { (double)((const uint8_t *)x)[at], 0 };
	case AY_I8: return { (double)((const int8_t *)x)[at], 0 };
	case AY_I16: return { (double)((const int16_t *)x)[at], 0 };
	case AY_I32: return { (double)((const int32_t *)x)[at], 0 };
	case AY_I64: return { (double)((const int64_t *)x)[at], 0 };
	case AY_F16: return { (double)__half2float(((const __half *)x)[at]), 0 };
	case AY_BF16: return { (double)__bfloat162float(((const __nv_bfloat16 *)x)[at]), 0 };
	case AY_F32: return { (double)((const float *)x)[at], 0 };
	case AY_F64: return { ((const double *)x)[at], 0 };
	case AY_C64: return { (double)((const float2 *)x)[at].x, sign * ((const float2 *)x)[at].y };
	default: return { ((const double2 *)x)[at].x, sign * ((const double2 *)x)[at].y };
	}
}

/* Integers are never converted from floats here: dtypes are promoted. */
static __device__ void write_pair(void *y, int dt, int64_t at, double2 z)
{
	switch (dt) {
	case AY_B8:
	case AY_U8: ((uint8_t *)y)[at] = (uint8_t)(int64_t)z.x; break;
	case AY_I8: ((int8_t *)y)[at] = (int8_t)(int64_t)z.x; break;
	case AY_I16: ((int16_t *)y)[at] = (int16_t)(int64_t)z.x; break;
	case AY_I32: ((int32_t *)y)[at] = (int32_t)(int64_t)z.x; break;
	case AY_I64: ((int64_t *)y)[at] = (int64_t)z.x; break;
	case AY_F16: ((__half *)y)[at] = __double2half(z.x); break;
	case AY_BF16: ((__nv_bfloat16 *)y)[at] = __double2bfloat16(z.x); break;
	case AY_F32: ((float *)y)[at] = (float)z.x; break;
	case AY_F64: ((double *)y)[at] = z.x; break;
	case AY_C64: ((float2 *)y)[at] = { (float)z.x, (float)z.y }; break;
	default: ((double2 *)y)[at] = z;
	}
}

__global__ void convert_each(const void *x, int dx, void *y, int dy, window w, double sign)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;
	int64_t from, to;

	if (i >= w.n)
		return;
	find(w, i, &from, &to);
	if (dx == AY_I64 && dy == AY_F32) { /* through double it would be rounded twice */
		((float *)y)[to] = (float)((const int64_t *)x)[from];
		return;
	}
	write_pair(y, dy, to, read_pair(x, dx, from, sign));
}

/* --- the operator ------------------------------------------------------------------------------------------ */

/* Dimensions that are one line in both tensors become one: divisions are what this costs. */
static window window_of(const ay_tensor *t, const ay_tensor *out)
{
	window w = { 0, ay_numel(t) };

	for (int d = 0; d < t->ndim; d++) {
		const int last = w.dims - 1;

		if (t->shape[d] == 1)
			continue;
		if (last >= 0 && w.in[last] == t->strides[d] * t->shape[d] &&
		    w.out[last] == out->strides[d] * t->shape[d]) {
			w.shape[last] *= t->shape[d];
			w.in[last] = t->strides[d];
			w.out[last] = out->strides[d];
			continue;
		}
		w.shape[w.dims] = t->shape[d];
		w.in[w.dims] = t->strides[d];
		w.out[w.dims++] = out->strides[d];
	}
	return w;
}

/* Elements of the last dimension in packs of 16 bytes: all strides become strides of packs. */
static bool pack(window *w, int64_t item, const void *x, const void *y)
{
	const int64_t lanes = 16 / item;
	const int last = w->dims - 1;
	bool fits = last >= 0 && w->in[last] == 1 && w->out[last] == 1 && w->shape[last] % lanes == 0;

	for (int d = 0; d < last && fits; d++)
		fits = w->in[d] % lanes == 0 && w->out[d] % lanes == 0;
	if (!fits || ((uintptr_t)x | (uintptr_t)y) % 16)
		return false;
	for (int d = 0; d < last; d++) {
		w->in[d] /= lanes;
		w->out[d] /= lanes;
	}
	w->shape[last] /= lanes;
	w->n /= lanes;
	return true;
}

template <typename T> static void launch(const void *x, void *y, const window &w, cudaStream_t stream)
{
	copy_each<T><<<(unsigned)((w.n + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>((const T *)x, (T *)y, w);
}

static void copy(const ay_tensor *t, void *y, ay_tensor *out, cudaStream_t stream)
{
	const int64_t item = t->dtype.bits / 8;
	window w = window_of(t, out);

	if (ay_dt(t) != ay_dt(out) || t->flags)
		convert_each<<<(unsigned)((w.n + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>(
			t->data, ay_dt(t), y, ay_dt(out), w, t->flags & AY_CONJ ? -1.0 : 1.0);
	else if (item == 16 || pack(&w, item, t->data, y))
		launch<uint4>(t->data, y, w, stream);
	else if (item == 8)
		launch<uint64_t>(t->data, y, w, stream);
	else if (item == 4)
		launch<uint32_t>(t->data, y, w, stream);
	else if (item == 2)
		launch<uint16_t>(t->data, y, w, stream);
	else
		launch<uint8_t>(t->data, y, w, stream);
}

extern "C" int aten_cat(const ay_tensor *const *tensors, int64_t n_tensors, int64_t dim, ay_tensor *out,
			const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + out->ndim : dim;
	int64_t start = 0;

	if (out->ndim > MAX_DIM)
		return AY_UNSUPPORTED;
	for (int64_t k = 0; k < n_tensors; k++) {
		const ay_tensor *t = tensors[k];

		if (t->flags & AY_NEG)
			return AY_UNSUPPORTED;
		if (!ay_numel(t))
			continue; /* also of shape [0], whatever the others have */
		copy(t, (char *)out->data + start * out->strides[axis] * (out->dtype.bits / 8), out,
		     (cudaStream_t)ctx->stream);
		start += t->shape[axis];
	}
	return cudaGetLastError() ? 2 : AY_OK;
}
