/* due: PASS - rows of weight, a block of threads to a few rows: sixteen bytes a thread where rows are multiples
 * of that. */
#include <assay/kernel.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, BLOCK = 256 };

/* Rows of out in the order of flat indices; strides in elements, or in packs of 16 bytes. */
struct rows {
	int dims, wide;                      /* wide: indices are i64 */
	int64_t n, width, row, column, last; /* row, column: strides of weight; last: of out's last dimension */
	int64_t shape[MAX_DIM], index[MAX_DIM], out[MAX_DIM];
};

/* Threads (x, y): columns of row y of this block. */
template <typename T> __global__ void copy_rows(const T *weight, const void *index, T *y, rows r)
{
	const int64_t row = blockIdx.x * (int64_t)blockDim.y + threadIdx.y;
	int64_t rest = row, at = 0, to = 0, from;

	if (row >= r.n)
		return;
	for (int d = r.dims - 1; d >= 0; d--) {
		const int64_t k = rest % r.shape[d];

		rest /= r.shape[d];
		at += k * r.index[d];
		to += k * r.out[d];
	}
	from = (r.wide ? ((const int64_t *)index)[at] : ((const int32_t *)index)[at]) * r.row;
	for (int64_t j = threadIdx.x; j < r.width; j += blockDim.x)
		y[to + j * r.last] = weight[from + j * r.column];
}

template <typename T>
static int launch(const ay_tensor *weight, const ay_tensor *indices, ay_tensor *out, const rows &r,
		  cudaStream_t stream)
{
	int across = 1;

	while (across < BLOCK && across < r.width)
		across *= 2;
	const dim3 block(across, BLOCK / across);

	copy_rows<T><<<(unsigned)((r.n + block.y - 1) / block.y), block, 0, stream>>>(
		(const T *)weight->data, indices->data, (T *)out->data, r);
	return cudaGetLastError() ? 2 : AY_OK;
}

static bool pack(rows *r, int64_t item, const void *x, const void *y)
{
	const int64_t lanes = 16 / item;
	bool fits = r->column == 1 && r->last == 1 && r->width % lanes == 0 && r->row % lanes == 0;

	for (int d = 0; d < r->dims && fits; d++)
		fits = r->out[d] % lanes == 0;
	if (!fits || ((uintptr_t)x | (uintptr_t)y) % 16)
		return false;
	r->width /= lanes;
	r->row /= lanes;
	for (int d = 0; d < r->dims; d++)
		r->out[d] /= lanes;
	return true;
}

extern "C" int aten_embedding(const ay_tensor *weight, const ay_tensor *indices, int64_t padding_idx,
			      bool scale_grad_by_freq, bool sparse, ay_tensor *out, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const int64_t item = weight->dtype.bits / 8;
	rows r = { indices->ndim, indices->dtype.bits == 64 };

	(void)padding_idx, (void)scale_grad_by_freq, (void)sparse; /* matters of gradients */
	if (out->ndim > MAX_DIM || weight->flags)
		return AY_UNSUPPORTED;
	if (!ay_numel(out))
		return AY_OK;
	r.n = ay_numel(indices);
	r.width = weight->shape[1];
	r.row = weight->strides[0];
	r.column = weight->strides[1];
	r.last = out->strides[out->ndim - 1];
	for (int d = 0; d < indices->ndim; d++) {
		r.shape[d] = indices->shape[d];
		r.index[d] = indices->strides[d];
		r.out[d] = out->strides[d];
	}
	if (pack(&r, item, weight->data, out->data))
		return launch<uint4>(weight, indices, out, r, stream);
	switch (item) {
	case 1: return launch<uint8_t>(weight, indices, out, r, stream);
	case 2: return launch<uint16_t>(weight, indices, out, r, stream);
	case 4: return launch<uint32_t>(weight, indices, out, r, stream);
	case 8: return launch<uint64_t>(weight, indices, out, r, stream);
	default: return launch<uint4>(weight, indices, out, r, stream);
	}
}
