/* due: PASS - copies in another order: sixteen bytes a thread where lines lie in a row on both sides, squares
 * through shared memory where lines of one side are columns of the other, else an element a thread. */
#include <assay/kernel.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, BLOCK = 256, SIDE = 32, DOWN = 8 };

/* Dimensions in the order of out's steps, the largest first; two that are one line in both tensors are one. */
struct walk {
	int dims;
	int64_t n, shape[MAX_DIM], in[MAX_DIM], out[MAX_DIM];
};

static __device__ void find(const walk &w, int dims, int64_t i, int64_t *from, int64_t *to)
{
	*from = *to = 0;
	for (int d = dims - 1; d >= 0; d--) {
		const int64_t k = i % w.shape[d];

		i /= w.shape[d];
		*from += k * w.in[d];
		*to += k * w.out[d];
	}
}

template <typename T> __global__ void copy_each(const T *x, T *y, walk w)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;
	int64_t from, to;

	if (i >= w.n)
		return;
	find(w, w.dims, i, &from, &to);
	y[to] = x[from];
}

/* The last two dimensions are a plane whose rows lie in a row in x, and whose columns do in y. */
template <typename T> __global__ void turn(const T *x, T *y, walk w, int64_t down, int64_t across)
{
	__shared__ T tile[SIDE][SIDE + 1]; /* one more: columns lie in different banks */
	const int r = w.dims - 2, c = w.dims - 1;
	int64_t tiles = blockIdx.x, from, to;
	const int64_t col = tiles % across * SIDE, row = tiles / across % down * SIDE;

	find(w, r, tiles / across / down, &from, &to);
	for (int k = threadIdx.y; k < SIDE; k += DOWN)
		if (row + threadIdx.x < w.shape[r] && col + k < w.shape[c])
			tile[k][threadIdx.x] = x[from + (row + threadIdx.x) * w.in[r] + (col + k) * w.in[c]];
	__syncthreads();
	for (int k = threadIdx.y; k < SIDE; k += DOWN)
		if (row + k < w.shape[r] && col + threadIdx.x < w.shape[c])
			y[to + (row + k) * w.out[r] + (col + threadIdx.x) * w.out[c]] = tile[threadIdx.x][k];
}

/* Bits of the sign of both parts, or of the imaginary one alone. */
template <typename R> __global__ void change_signs(R *y, walk w, int parts, bool first, bool second)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;
	int64_t from, to;

	if (i >= w.n)
		return;
	find(w, w.dims, i, &from, &to);
	if (first)
		y[to * parts] = -y[to * parts];
	if (second && parts == 2)
		y[to * 2 + 1] = -y[to * 2 + 1];
}

/* --- the order --------------------------------------------------------------------------------------------- */

static void add_dim(walk *w, int64_t shape, int64_t in, int64_t out)
{
	int d = w->dims++;

	for (; d > 0 && w->out[d - 1] < out; d--) {
		w->shape[d] = w->shape[d - 1];
		w->in[d] = w->in[d - 1];
		w->out[d] = w->out[d - 1];
	}
	w->shape[d] = shape;
	w->in[d] = in;
	w->out[d] = out;
}

static walk walk_of(const ay_tensor *self, const ay_tensor *out)
{
	walk all = { 0, ay_numel(self) }, w = { 0, all.n };

	for (int d = 0; d < self->ndim; d++)
		if (self->shape[d] != 1)
			add_dim(&all, self->shape[d], self->strides[d], out->strides[d]);
	for (int d = 0; d < all.dims; d++) {
		const int last = w.dims - 1;

		if (last < 0 || w.in[last] != all.in[d] * all.shape[d] || w.out[last] != all.out[d] * all.shape[d])
			w.shape[w.dims++] = 1;
		w.shape[w.dims - 1] *= all.shape[d];
		w.in[w.dims - 1] = all.in[d];
		w.out[w.dims - 1] = all.out[d];
	}
	return w;
}

/* The dimension along which x lies in a row becomes the one before the last. */
static bool is_turned(walk *w)
{
	const int last = w->dims - 1;

	if (last < 1 || w->out[last] != 1 || w->in[last] == 1)
		return false;
	for (int d = 0; d < last; d++) {
		if (w->in[d] == 1) {
			const walk old = *w;

			w->shape[d] = old.shape[last - 1], w->shape[last - 1] = old.shape[d];
			w->in[d] = old.in[last - 1], w->in[last - 1] = old.in[d];
			w->out[d] = old.out[last - 1], w->out[last - 1] = old.out[d];
			return true;
		}
	}
	return false;
}

static bool pack(walk *w, int64_t item, const void *x, const void *y)
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

/* --- the operator ------------------------------------------------------------------------------------------ */

template <typename T> static void launch(const void *x, void *y, walk w, cudaStream_t stream)
{
	if (is_turned(&w)) {
		const int64_t down = (w.shape[w.dims - 2] + SIDE - 1) / SIDE,
			      across = (w.shape[w.dims - 1] + SIDE - 1) / SIDE;
		int64_t planes = 1;

		for (int d = 0; d < w.dims - 2; d++)
			planes *= w.shape[d];
		turn<T><<<(unsigned)(planes * down * across), dim3(SIDE, DOWN), 0, stream>>>((const T *)x, (T *)y,
											     w, down, across);
		return;
	}
	copy_each<T><<<(unsigned)((w.n + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>((const T *)x, (T *)y, w);
}

static void copy(const ay_tensor *self, ay_tensor *out, walk w, cudaStream_t stream)
{
	const int64_t item = self->dtype.bits / 8;

	if (item == 16 || pack(&w, item, self->data, out->data))
		launch<uint4>(self->data, out->data, w, stream);
	else if (item == 8)
		launch<uint64_t>(self->data, out->data, w, stream);
	else if (item == 4)
		launch<uint32_t>(self->data, out->data, w, stream);
	else if (item == 2)
		launch<uint16_t>(self->data, out->data, w, stream);
	else
		launch<uint8_t>(self->data, out->data, w, stream);
}

extern "C" int aten_contiguous(const ay_tensor *self, int32_t memory_format, ay_tensor *out, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const uint32_t flags = self->flags ^ out->flags;
	const walk w = walk_of(self, out);
	const unsigned blocks = (unsigned)((w.n + BLOCK - 1) / BLOCK);

	(void)memory_format; /* out's strides say it already */
	if (self->ndim > MAX_DIM || (flags && ay_dt(self) != AY_C64 && ay_dt(self) != AY_C128 &&
				     ay_dt(self) != AY_F32 && ay_dt(self) != AY_F64))
		return AY_UNSUPPORTED;
	if (!w.n)
		return AY_OK;
	copy(self, out, w, stream);
	if (flags && self->dtype.bits / (ay_is_complex(self) ? 2 : 1) == 32)
		change_signs<float><<<blocks, BLOCK, 0, stream>>>((float *)out->data, w,
								  ay_is_complex(self) ? 2 : 1, flags & AY_NEG,
								  flags == AY_NEG || flags == AY_CONJ);
	else if (flags)
		change_signs<double><<<blocks, BLOCK, 0, stream>>>((double *)out->data, w,
								   ay_is_complex(self) ? 2 : 1, flags & AY_NEG,
								   flags == AY_NEG || flags == AY_CONJ);
	return cudaGetLastError() ? 2 : AY_OK;
}
