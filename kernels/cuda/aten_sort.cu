/* due: PASS - numbers become keys that compare as integers, each with its place behind it, so that no two are
 * equal and every sort is stable. Tiles are sorted in shared memory; of two sorted runs each element finds its
 * place by bisection in the other. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, TILE = 2048, BLOCK = 512 };

/* --- keys -------------------------------------------------------------------------------------------------- */

/* Zeros of both signs are equal, NaN is above infinity. */
static __device__ uint32_t key_of(float x)
{
	const uint32_t u = __float_as_uint(x == 0 ? 0.0f : x);

	return isnan(x) ? ~0u : u >> 31 ? ~u : u | 1u << 31;
}

static __device__ uint64_t key_of(double x)
{
	const uint64_t u = (uint64_t)__double_as_longlong(x == 0 ? 0.0 : x);

	return isnan(x) ? ~0ull : u >> 63 ? ~u : u | 1ull << 63;
}

static __device__ uint32_t key_of(int32_t x)
{
	return (uint32_t)x ^ 1u << 31;
}

static __device__ uint64_t key_of(int64_t x)
{
	return (uint64_t)x ^ 1ull << 63;
}

/* A key of 32 bits and its place are one number, of 64 bits a pair. */
struct narrow {
	uint64_t both;

	static __device__ narrow make(uint32_t key, int64_t at)
	{
		return { (uint64_t)key << 32 | (uint64_t)at };
	}
	__device__ int64_t place() const
	{
		return both & 0xffffffff;
	}
	__device__ bool operator<(const narrow &o) const
	{
		return both < o.both;
	}
	static __device__ narrow last()
	{
		return { ~0ull };
	}
};

struct wide {
	uint64_t key;
	int64_t at;

	static __device__ wide make(uint64_t key, int64_t at)
	{
		return { key, at };
	}
	__device__ int64_t place() const
	{
		return at;
	}
	__device__ bool operator<(const wide &o) const
	{
		return key < o.key || (key == o.key && at < o.at);
	}
	static __device__ wide last()
	{
		return { ~0ull, INT64_MAX };
	}
};

/* What numbers of a dtype are read as, and what holds their keys. */
template <typename T> struct sorted_as {
	typedef int32_t type;
	typedef narrow item;
};
template <> struct sorted_as<float> {
	typedef float type;
	typedef narrow item;
};
template <> struct sorted_as<__half> {
	typedef float type;
	typedef narrow item;
};
template <> struct sorted_as<__nv_bfloat16> {
	typedef float type;
	typedef narrow item;
};
template <> struct sorted_as<double> {
	typedef double type;
	typedef wide item;
};
template <> struct sorted_as<int64_t> {
	typedef int64_t type;
	typedef wide item;
};

/* --- lines ------------------------------------------------------------------------------------------------- */

struct lines {
	int dims;
	int64_t n, count, from, values, indices; /* length, how many, steps along a line */
	int64_t shape[MAX_DIM], in[MAX_DIM], out[MAX_DIM], places[MAX_DIM];
};

struct start {
	int64_t in, out, places;
};

static __device__ start begin(const lines &l, int64_t line)
{
	start s = { 0, 0, 0 };

	for (int d = l.dims - 1; d >= 0; d--) {
		const int64_t k = line % l.shape[d];

		line /= l.shape[d];
		s.in += k * l.in[d];
		s.out += k * l.out[d];
		s.places += k * l.places[d];
	}
	return s;
}

template <typename T, typename I>
static __device__ void put(const T *x, T *values, int64_t *indices, const lines &l, const start &s, int64_t j,
			   I item)
{
	const int64_t at = item.place();

	values[s.out + j * l.values] = x[s.in + at * l.from];
	indices[s.places + j * l.indices] = at;
}

/* One tile of one line, by a bitonic network; to scratch if there are more. */
template <typename T, typename I>
__global__ void sort_tile(const T *x, T *values, int64_t *indices, lines l, bool descending, int tile, I *scratch)
{
	extern __shared__ char memory[];
	typedef typename sorted_as<T>::type number;
	I *item = (I *)memory;
	const int64_t tiles = (l.n + tile - 1) / tile, line = blockIdx.x / tiles,
		      first = blockIdx.x % tiles * tile;
	const start s = begin(l, line);

	for (int j = threadIdx.x; j < tile; j += blockDim.x) {
		const int64_t at = first + j;

		if (at < l.n) {
			const auto key = key_of((number)x[s.in + at * l.from]);

			item[j] = I::make(descending ? ~key : key, at);
		} else {
			item[j] = I::last();
		}
	}
	for (int size = 2; size <= tile; size *= 2) {
		for (int far = size / 2; far; far /= 2) {
			__syncthreads();
			for (int k = threadIdx.x; k < tile / 2; k += blockDim.x) {
				const int a = k / far * 2 * far + k % far, b = a + far;
				const bool up = !(a & size);

				if ((item[b] < item[a]) == up) {
					const I swap = item[a];

					item[a] = item[b];
					item[b] = swap;
				}
			}
		}
	}
	__syncthreads();
	for (int64_t j = threadIdx.x; j < tile && first + j < l.n; j += blockDim.x) {
		if (scratch)
			scratch[line * l.n + first + j] = item[j];
		else
			put(x, values, indices, l, s, first + j, item[j]);
	}
}

/* Runs of `run` elements become runs of twice that: an element moves by as many as are less than it in the
 * other run. To `to`, or where the result belongs. */
template <typename T, typename I>
__global__ void merge_runs(const I *from, I *to, int64_t run, const T *x, T *values, int64_t *indices, lines l)
{
	const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, line = i / l.n, at = i % l.n;

	if (i >= l.count * l.n)
		return;
	const I *row = from + line * l.n, mine = row[at];
	const int64_t pair = at / (2 * run) * 2 * run, middle = pair + run < l.n ? pair + run : l.n;
	const int64_t end = pair + 2 * run < l.n ? pair + 2 * run : l.n;
	const bool left = at < middle;
	int64_t lo = left ? middle : pair, hi = left ? end : middle, place;

	while (lo < hi) {
		const int64_t half = (lo + hi) / 2;

		if (row[half] < mine)
			lo = half + 1;
		else
			hi = half;
	}
	place = left ? at + (lo - middle) : at - run + (lo - pair);
	if (to)
		to[line * l.n + place] = mine;
	else
		put(x, values, indices, l, begin(l, line), place, mine);
}

/* --- the operator ------------------------------------------------------------------------------------------ */

static lines lines_of(const ay_tensor *self, const ay_tensor *values, const ay_tensor *indices, int64_t axis)
{
	lines l = { 0, 1, 1, 1, 1, 1 };

	for (int d = 0; d < self->ndim; d++) {
		if (d == axis) {
			l.n = self->shape[d];
			l.from = self->strides[d];
			l.values = values->strides[d];
			l.indices = indices->strides[d];
			continue;
		}
		l.count *= self->shape[d];
		l.shape[l.dims] = self->shape[d];
		l.in[l.dims] = self->strides[d];
		l.out[l.dims] = values->strides[d];
		l.places[l.dims++] = indices->strides[d];
	}
	return l;
}

template <typename T>
static int launch(const ay_tensor *self, bool descending, ay_tensor *values, ay_tensor *indices, const lines &l,
		  const ay_ctx *ctx)
{
	typedef typename sorted_as<T>::item item;
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const T *x = (const T *)self->data;
	T *v = (T *)values->data;
	int64_t *p = (int64_t *)indices->data;
	int tile = 2;
	item *a = NULL, *b = NULL;

	while (tile < TILE && tile < l.n)
		tile *= 2;
	if (l.n > tile) {
		a = (item *)ctx->scratch(ctx, 2 * (size_t)(l.count * l.n) * sizeof *a);
		if (!a)
			return AY_UNSUPPORTED;
		b = a + l.count * l.n;
	}
	sort_tile<T, item><<<(unsigned)(l.count * ((l.n + tile - 1) / tile)), tile / 2 < BLOCK ? tile / 2 : BLOCK,
			     (size_t)tile * sizeof *a, stream>>>(x, v, p, l, descending, tile, a);
	for (int64_t run = tile; run < l.n; run *= 2) {
		const unsigned blocks = (unsigned)((l.count * l.n + 255) / 256);
		item *swap = a;

		merge_runs<T, item><<<blocks, 256, 0, stream>>>(a, 2 * run < l.n ? b : NULL, run, x, v, p, l);
		a = b;
		b = swap;
	}
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int aten_sort(const ay_tensor *self, int64_t dim, bool descending, ay_tensor *values,
			 ay_tensor *indices, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + self->ndim : dim;

	if (self->ndim > MAX_DIM || (self->ndim && self->shape[axis] > UINT32_MAX))
		return AY_UNSUPPORTED;
	if (!ay_numel(self))
		return AY_OK;
	const lines l = lines_of(self, values, indices, axis);

	switch (ay_dt(self)) {
	case AY_B8:
	case AY_U8: return launch<uint8_t>(self, descending, values, indices, l, ctx);
	case AY_I8: return launch<int8_t>(self, descending, values, indices, l, ctx);
	case AY_I16: return launch<int16_t>(self, descending, values, indices, l, ctx);
	case AY_I32: return launch<int32_t>(self, descending, values, indices, l, ctx);
	case AY_I64: return launch<int64_t>(self, descending, values, indices, l, ctx);
	case AY_F16: return launch<__half>(self, descending, values, indices, l, ctx);
	case AY_BF16: return launch<__nv_bfloat16>(self, descending, values, indices, l, ctx);
	case AY_F32: return launch<float>(self, descending, values, indices, l, ctx);
	case AY_F64: return launch<double>(self, descending, values, indices, l, ctx);
	default: return AY_UNSUPPORTED;
	}
}

extern "C" int aten_sort_stable(const ay_tensor *self, const bool *stable, int64_t dim, bool descending,
				ay_tensor *values, ay_tensor *indices, const ay_ctx *ctx)
{
	(void)stable; /* it always is */
	return aten_sort(self, dim, descending, values, indices, ctx);
}
