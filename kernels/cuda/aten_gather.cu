/* due: PASS - a thread for every element of the index, which is split into coordinates by 32-bit divisions
 * where they suffice. */
#include <assay/kernel.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, BLOCK = 256 };

struct places {
	int dims, wide; /* wide: indices are i64 */
	int64_t along, shape[MAX_DIM], self[MAX_DIM], index[MAX_DIM], out[MAX_DIM];
};

/* I: holds every flat index. */
template <typename T, typename I> __global__ void gather_each(const T *x, const void *index, T *y, places p, I n)
{
	const I i = blockIdx.x * (I)BLOCK + threadIdx.x;
	int64_t from = 0, at = 0, to = 0;
	I rest = i;

	if (i >= n)
		return;
	for (int d = p.dims - 1; d >= 0; d--) {
		const I k = rest % (I)p.shape[d];

		rest /= (I)p.shape[d];
		from += (int64_t)k * p.self[d]; /* 0 along dim */
		at += (int64_t)k * p.index[d];
		to += (int64_t)k * p.out[d];
	}
	from += (p.wide ? ((const int64_t *)index)[at] : ((const int32_t *)index)[at]) * p.along;
	y[to] = x[from];
}

/* 0-dim tensors count as ones of a single element, whose strides are never used. */
static places places_of(const ay_tensor *self, int64_t dim, const ay_tensor *index, const ay_tensor *out)
{
	places p = { index->ndim, index->dtype.bits == 64 };
	const int64_t axis = dim < 0 ? dim + (self->ndim ? self->ndim : 1) : dim;

	p.along = self->ndim ? self->strides[axis] : 1;
	for (int d = 0; d < index->ndim; d++) {
		p.shape[d] = index->shape[d];
		p.self[d] = d == axis || !self->ndim ? 0 : self->strides[d];
		p.index[d] = index->strides[d];
		p.out[d] = out->strides[d];
	}
	return p;
}

template <typename T>
static int launch(const ay_tensor *self, const places &p, const ay_tensor *index, ay_tensor *out,
		  cudaStream_t stream)
{
	const int64_t n = ay_numel(index), blocks = (n + BLOCK - 1) / BLOCK;
	const T *x = (const T *)self->data;
	T *y = (T *)out->data;

	if (n < INT32_MAX)
		gather_each<T, uint32_t>
			<<<(unsigned)blocks, BLOCK, 0, stream>>>(x, index->data, y, p, (uint32_t)n);
	else
		gather_each<T, uint64_t>
			<<<(unsigned)blocks, BLOCK, 0, stream>>>(x, index->data, y, p, (uint64_t)n);
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int aten_gather(const ay_tensor *self, int64_t dim, const ay_tensor *index, bool sparse_grad,
			   ay_tensor *out, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	places p;

	(void)sparse_grad; /* a matter of gradients */
	if (index->ndim > MAX_DIM || self->flags)
		return AY_UNSUPPORTED;
	if (!ay_numel(index))
		return AY_OK;
	p = places_of(self, dim, index, out);
	switch (self->dtype.bits) {
	case 8: return launch<uint8_t>(self, p, index, out, stream);
	case 16: return launch<uint16_t>(self, p, index, out, stream);
	case 32: return launch<uint32_t>(self, p, index, out, stream);
	case 64: return launch<uint64_t>(self, p, index, out, stream);
	case 128: return launch<uint4>(self, p, index, out, stream);
	default: return AY_UNSUPPORTED;
	}
}
