/* due: PASS - the place of the largest, of equal ones the first, NaN above all: numbers become keys that
 * compare as integers. A line to a block; one long line is shared by many, whose results a last one compares;
 * lines that lie side by side go 32 to a block. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, WARP = 32, BLOCK = 256, DOWN = 16, MANY = 264, PART = 16384 };

/* --- keys -------------------------------------------------------------------------------------------------- */

struct best {
	uint64_t key;
	int64_t at;
};

static __device__ best better(best a, best b)
{
	return a.key > b.key || (a.key == b.key && a.at < b.at) ? a : b;
}

/* Nothing found yet: what has the same key is at a lesser place. */
static __device__ best nothing()
{
	return { 0, INT64_MAX };
}

/* Signed integers begin in the middle; zeros of both signs are equal, and NaN is above infinity. */
static __device__ uint64_t key_of(int64_t x)
{
	return (uint64_t)x ^ 1ull << 63;
}

static __device__ uint64_t key_of(double x)
{
	const uint64_t u = (uint64_t)__double_as_longlong(x == 0 ? 0.0 : x);

	return isnan(x) ? ~0ull : u >> 63 ? ~u : u | 1ull << 63;
}

static __device__ uint64_t key_of(float x)
{
	const uint32_t u = __float_as_uint(x == 0 ? 0.0f : x);

	return isnan(x) ? ~0ull : u >> 31 ? ~u : u | 1u << 31;
}

template <typename T> struct keys {
	static __device__ uint64_t of(T x)
	{
		return key_of((float)x);
	}
};

#define INTEGER(T)                                 \
	template <> struct keys<T> {               \
		static __device__ uint64_t of(T x) \
		{                                  \
			return key_of((int64_t)x); \
		}                                  \
	};
INTEGER(uint8_t)
INTEGER(int8_t)
INTEGER(int16_t)
INTEGER(int32_t)
INTEGER(int64_t)

template <> struct keys<double> {
	static __device__ uint64_t of(double x)
	{
		return key_of(x);
	}
};

/* --- a line to a block ------------------------------------------------------------------------------------- */

struct lines {
	int dims;
	int64_t n, count, step; /* length, how many, step along a line */
	int64_t shape[MAX_DIM], in[MAX_DIM], out[MAX_DIM];
};

static __device__ void begin(const lines &l, int64_t line, int64_t *from, int64_t *to)
{
	*from = *to = 0;
	for (int d = l.dims - 1; d >= 0; d--) {
		const int64_t k = line % l.shape[d];

		line /= l.shape[d];
		*from += k * l.in[d];
		*to += k * l.out[d];
	}
}

/* Thread 0 gets the result. */
static __device__ best best_of_block(best b)
{
	__shared__ best part[BLOCK / WARP];
	const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

	for (int far = WARP / 2; far; far /= 2)
		b = better(b, { __shfl_xor_sync(~0u, b.key, far), __shfl_xor_sync(~0u, b.at, far) });
	if (!lane)
		part[warp] = b;
	__syncthreads();
	for (int w = 1; !threadIdx.x && w < BLOCK / WARP; w++)
		b = better(b, part[w]);
	return b;
}

/* Block (line, p) takes elements p * each .. (p + 1) * each - 1 of its line. found NULL: there is one block a
 * line. */
template <typename T> __global__ void find_in_line(const T *x, int64_t *y, lines l, int64_t each, best *found)
{
	const int64_t first = blockIdx.y * each, end = first + each < l.n ? first + each : l.n;
	best b = nothing();
	int64_t from, to;

	begin(l, blockIdx.x, &from, &to);
	for (int64_t i = first + threadIdx.x; i < end; i += BLOCK)
		b = better({ keys<T>::of(x[from + i * l.step]), i }, b);
	b = best_of_block(b);
	if (threadIdx.x)
		return;
	if (found)
		found[blockIdx.x * (int64_t)gridDim.y + blockIdx.y] = b;
	else
		y[to] = b.at;
}

__global__ void find_in_parts(const best *found, int64_t parts, int64_t *y, lines l)
{
	best b = nothing();
	int64_t from, to;

	begin(l, blockIdx.x, &from, &to);
	for (int64_t i = threadIdx.x; i < parts; i += BLOCK)
		b = better(found[blockIdx.x * parts + i], b);
	b = best_of_block(b);
	if (!threadIdx.x)
		y[to] = b.at;
}

/* --- lines that lie side by side --------------------------------------------------------------------------- */

template <typename T> __global__ void find_across(const T *x, int64_t *y, lines l)
{
	__shared__ best part[DOWN][WARP];
	const int64_t line = blockIdx.x * (int64_t)WARP + threadIdx.x;
	best b = nothing();
	int64_t from, to;

	begin(l, line < l.count ? line : 0, &from, &to);
	for (int64_t i = threadIdx.y; i < l.n; i += DOWN)
		b = better({ keys<T>::of(x[from + i * l.step]), i }, b);
	part[threadIdx.y][threadIdx.x] = b;
	__syncthreads();
	for (int d = 1; !threadIdx.y && d < DOWN; d++)
		b = better(b, part[d][threadIdx.x]);
	if (!threadIdx.y && line < l.count)
		y[to] = b.at;
}

/* --- the operator ------------------------------------------------------------------------------------------ */

/* Along dim; the dimensions of out, kept or not, are those of self in order. */
static lines lines_along(const ay_tensor *self, const ay_tensor *out, int64_t axis, bool keepdim)
{
	lines l = { 0, 1, 1, 1 };

	for (int d = 0; d < self->ndim; d++) {
		if (d == axis) {
			l.n = self->shape[d];
			l.step = self->strides[d];
			continue;
		}
		l.count *= self->shape[d];
		l.shape[l.dims] = self->shape[d];
		l.in[l.dims] = self->strides[d];
		l.out[l.dims++] = out->strides[keepdim || d < axis ? d : d - 1];
	}
	return l;
}

template <typename T> static int launch(const ay_tensor *self, ay_tensor *out, const lines &l, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const T *x = (const T *)self->data;
	int64_t *y = (int64_t *)out->data;
	int64_t parts = (l.n + PART - 1) / PART;
	best *found = NULL;

	parts = parts > MANY ? MANY : parts;
	if (l.step != 1 && l.dims && l.in[l.dims - 1] == 1 && l.shape[l.dims - 1] >= WARP / 2) {
		find_across<T><<<(unsigned)((l.count + WARP - 1) / WARP), dim3(WARP, DOWN), 0, stream>>>(x, y, l);
		return cudaGetLastError() ? 2 : AY_OK;
	}
	if (l.count < MANY && parts > 1)
		found = (best *)ctx->scratch(ctx, (size_t)(l.count * parts) * sizeof *found);
	parts = found ? parts : 1;
	find_in_line<T><<<dim3((unsigned)l.count, (unsigned)parts), BLOCK, 0, stream>>>(
		x, y, l, (l.n + parts - 1) / parts, found);
	if (found)
		find_in_parts<<<(unsigned)l.count, BLOCK, 0, stream>>>(found, parts, y, l);
	return cudaGetLastError() ? 2 : AY_OK;
}

/* All of a tensor that does not lie in a row: one line of coordinates. */
template <typename T> __global__ void find_in_all(const T *x, int64_t *y, lines l, int64_t n)
{
	best b = nothing();
	int64_t from, to;

	for (int64_t i = threadIdx.x; i < n; i += BLOCK) {
		begin(l, i, &from, &to);
		b = better({ keys<T>::of(x[from]), i }, b);
	}
	b = best_of_block(b);
	if (!threadIdx.x)
		*y = b.at;
}

template <typename T>
static int find(const ay_tensor *self, const int64_t *dim, bool keepdim, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim && *dim < 0 ? *dim + self->ndim : dim ? *dim : -1;
	lines l = {};

	if (dim && self->ndim)
		return launch<T>(self, out, lines_along(self, out, axis, keepdim), ctx);
	l.n = ay_numel(self);
	l.count = l.step = 1;
	if (ay_is_dense(self))
		return launch<T>(self, out, l, ctx);
	for (int d = 0; d < self->ndim; d++) {
		l.shape[l.dims] = self->shape[d];
		l.in[l.dims++] = self->strides[d];
	}
	find_in_all<T>
		<<<1, BLOCK, 0, (cudaStream_t)ctx->stream>>>((const T *)self->data, (int64_t *)out->data, l, l.n);
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int aten_argmax(const ay_tensor *self, const int64_t *dim, bool keepdim, ay_tensor *out,
			   const ay_ctx *ctx)
{
	if (self->ndim > MAX_DIM)
		return AY_UNSUPPORTED;
	if (!ay_numel(out))
		return AY_OK;
	switch (ay_dt(self)) {
	case AY_U8: return find<uint8_t>(self, dim, keepdim, out, ctx);
	case AY_I8: return find<int8_t>(self, dim, keepdim, out, ctx);
	case AY_I16: return find<int16_t>(self, dim, keepdim, out, ctx);
	case AY_I32: return find<int32_t>(self, dim, keepdim, out, ctx);
	case AY_I64: return find<int64_t>(self, dim, keepdim, out, ctx);
	case AY_F16: return find<__half>(self, dim, keepdim, out, ctx);
	case AY_BF16: return find<__nv_bfloat16>(self, dim, keepdim, out, ctx);
	case AY_F32: return find<float>(self, dim, keepdim, out, ctx);
	case AY_F64: return find<double>(self, dim, keepdim, out, ctx);
	default: return AY_UNSUPPORTED;
	}
}
