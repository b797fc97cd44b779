/* due: PASS - slices of self in the order of index: sixteen bytes a thread where slices are rows of them, else
 * an element a thread. */
#include <assay/kernel.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, BLOCK = 256 };

struct places {
	int dims, axis, wide; /* wide: indices are i64 */
	int64_t step, shape[MAX_DIM], self[MAX_DIM], out[MAX_DIM];
};

/* I: holds every flat index. */
template <typename T, typename I> __global__ void select_each(const T *x, const void *index, T *y, places p, I n)
{
	const I i = blockIdx.x * (I)BLOCK + threadIdx.x;
	int64_t from = 0, to = 0;
	I rest = i;

	if (i >= n)
		return;
	for (int d = p.dims - 1; d >= 0; d--) {
		int64_t k = rest % (I)p.shape[d];

		rest /= (I)p.shape[d];
		to += k * p.out[d];
		if (d == p.axis)
			k = p.wide ? ((const int64_t *)index)[k * p.step] : ((const int32_t *)index)[k * p.step];
		from += k * p.self[d];
	}
	y[to] = x[from];
}

template <typename T>
static int launch(const void *x, const void *index, void *y, const places &p, cudaStream_t stream)
{
	int64_t n = 1, blocks;

	for (int d = 0; d < p.dims; d++)
		n *= p.shape[d];
	blocks = (n + BLOCK - 1) / BLOCK;
	if (n < INT32_MAX)
		select_each<T, uint32_t>
			<<<(unsigned)blocks, BLOCK, 0, stream>>>((const T *)x, index, (T *)y, p, (uint32_t)n);
	else
		select_each<T, uint64_t>
			<<<(unsigned)blocks, BLOCK, 0, stream>>>((const T *)x, index, (T *)y, p, (uint64_t)n);
	return cudaGetLastError() ? 2 : AY_OK;
}

/* Elements of the last dimension in packs of 16 bytes: all strides become strides of packs. */
static bool pack(places *p, int64_t item, const void *x, const void *y)
{
	const int64_t lanes = 16 / item;
	const int last = p->dims - 1;
	bool fits = last >= 0 && p->axis != last && p->self[last] == 1 && p->out[last] == 1 &&
		    p->shape[last] % lanes == 0;

	for (int d = 0; d < last && fits; d++)
		fits = p->self[d] % lanes == 0 && p->out[d] % lanes == 0;
	if (!fits || ((uintptr_t)x | (uintptr_t)y) % 16)
		return false;
	for (int d = 0; d < last; d++) {
		p->self[d] /= lanes;
		p->out[d] /= lanes;
	}
	p->shape[last] /= lanes;
	return true;
}

extern "C" int aten_index_select(const ay_tensor *self, int64_t dim, const ay_tensor *index, ay_tensor *out,
				 const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const int64_t item = self->dtype.bits / 8;
	places p = { out->ndim, (int)(dim < 0 ? dim + self->ndim : dim), index->dtype.bits == 64 };

	if (out->ndim > MAX_DIM || self->flags)
		return AY_UNSUPPORTED;
	if (!ay_numel(out))
		return AY_OK;
	p.step = index->ndim ? index->strides[0] : 0;
	for (int d = 0; d < out->ndim; d++) {
		p.shape[d] = out->shape[d];
		p.self[d] = self->strides[d];
		p.out[d] = out->strides[d];
	}
	if (pack(&p, item, self->data, out->data))
		return launch<uint4>(self->data, index->data, out->data, p, stream);
	switch (item) {
	case 1: return launch<uint8_t>(self->data, index->data, out->data, p, stream);
	case 2: return launch<uint16_t>(self->data, index->data, out->data, p, stream);
	case 4: return launch<uint32_t>(self->data, index->data, out->data, p, stream);
	case 8: return launch<uint64_t>(self->data, index->data, out->data, p, stream);
	default: return launch<uint4>(self->data, index->data, out->data, p, stream);
	}
}
