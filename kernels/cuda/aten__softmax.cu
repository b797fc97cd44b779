/* due: PASS - softmax along dim: a line to a block, in registers where it fits there, so that memory is read once;
 * longer ones are read twice, the largest number and the sum of exponentials being found together. Lines that lie
 * side by side go 32 to a block. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math_constants.h>

enum { MAX_DIM = 16, WARP = 32, KEEP = 16, DOWN = 16, MOST = 1024 }; /* KEEP: numbers a thread */

/* --- numbers ----------------------------------------------------------------------------------------------- */

static __device__ float exponential(float x)
{
	return expf(x);
}

static __device__ double exponential(double x)
{
	return exp(x);
}

template <typename W> static __device__ W lowest()
{
	return (W)-CUDART_INF;
}

/* The largest number so far and the sum of all exp(x - top). A NaN is lost in top and kept in the sum. */
template <typename W> struct running {
	W top, sum;
};

template <typename W> static __device__ running<W> join(running<W> a, running<W> b)
{
	const W top = a.top > b.top ? a.top : b.top;
	const W fa = a.top == top ? (W)1 : exponential(a.top - top),
		fb = b.top == top ? (W)1 : exponential(b.top - top);

	return { top, a.sum * fa + b.sum * fb };
}

/* An infinite x makes exp(x - x) NaN, as it must be; only -inf adds nothing. */
template <typename W> static __device__ void add(running<W> *r, W x)
{
	if (x > r->top) {
		r->sum *= exponential(r->top - x);
		r->top = x;
	}
	r->sum += x == lowest<W>() ? (W)0 : exponential(x - r->top);
}

/* What all threads of the block have, joined by f; all of them get it. */
template <typename W, typename F> static __device__ W over_block(W x, F f, W nothing)
{
	__shared__ W part[WARP];

	for (int far = WARP / 2; far; far /= 2)
		x = f(x, __shfl_xor_sync(~0u, x, far));
	if (blockDim.x == WARP)
		return x;
	__syncthreads(); /* the one before has been read */
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = x;
	__syncthreads();
	x = threadIdx.x % WARP < blockDim.x / WARP ? part[threadIdx.x % WARP] : nothing;
	for (int far = WARP / 2; far; far /= 2)
		x = f(x, __shfl_xor_sync(~0u, x, far));
	return x;
}

template <typename W> static __device__ running<W> join_block(running<W> r)
{
	const W top = over_block<W>(
		r.top, [](W a, W b) { return a > b ? a : b; }, lowest<W>());

	r.sum *= r.top == top ? (W)1 : exponential(r.top - top);
	return { top, over_block<W>(
			      r.sum, [](W a, W b) { return a + b; }, (W)0) };
}

/* --- a line to a block ------------------------------------------------------------------------------------- */

/* Lines lie along one axis; `outer` says where each begins. */
struct lines {
	int dims;
	int64_t n, count, from, to; /* length, how many, steps along a line in self and out */
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

template <typename T, int LANES> struct alignas(sizeof(T) * LANES) pack {
	T x[LANES];
};

template <typename T, int LANES> static __device__ pack<T, LANES> get(const T *x, int64_t step, int64_t i)
{
	return *(const pack<T, LANES> *)(x + i * (LANES > 1 ? LANES : step));
}

template <typename O, int LANES> static __device__ void put(O *y, int64_t step, int64_t i, pack<O, LANES> p)
{
	*(pack<O, LANES> *)(y + i * (LANES > 1 ? LANES : step)) = p;
}

/* The line has at most KEEP numbers for each thread. A NaN is lost in the maximum and comes back in the sum. */
template <typename T, typename O, typename W, int LANES>
__global__ __launch_bounds__(MOST) void softmax_line(const T *x, O *y, lines l)
{
	W v[KEEP], top = lowest<W>(), sum = 0;
	int64_t from, to;

	begin(l, blockIdx.x, &from, &to);
#pragma unroll
	for (int k = 0; k < KEEP; k += LANES) {
		const int64_t i = threadIdx.x + k / LANES * (int64_t)blockDim.x;
		const bool there = i * LANES < l.n;
		const pack<T, LANES> p = get<T, LANES>(x + from, l.from, there ? i : 0);

#pragma unroll
		for (int e = 0; e < LANES; e++) {
			v[k + e] = there ? (W)p.x[e] : lowest<W>();
			top = v[k + e] > top ? v[k + e] : top;
		}
	}
	top = over_block<W>(
		top, [](W a, W b) { return a > b ? a : b; }, lowest<W>());
#pragma unroll
	for (int k = 0; k < KEEP; k++) {
		v[k] = exponential(v[k] - top);
		if ((threadIdx.x + k / LANES * (int64_t)blockDim.x) * LANES < l.n)
			sum += v[k];
	}
	sum = 1 / over_block<W>(
			  sum, [](W a, W b) { return a + b; }, (W)0);
#pragma unroll
	for (int k = 0; k < KEEP; k += LANES) {
		const int64_t i = threadIdx.x + k / LANES * (int64_t)blockDim.x;
		pack<O, LANES> q;

#pragma unroll
		for (int e = 0; e < LANES; e++)
			q.x[e] = (O)(v[k + e] * sum);
		if (i * LANES < l.n)
			put<O, LANES>(y + to, l.to, i, q);
	}
}

template <typename T, typename O, typename W, int LANES>
__global__ __launch_bounds__(MOST) void softmax_long(const T *x, O *y, lines l)
{
	running<W> r = { lowest<W>(), 0 };
	int64_t from, to;

	begin(l, blockIdx.x, &from, &to);
	for (int64_t i = threadIdx.x; i < l.n / LANES; i += blockDim.x) {
		const pack<T, LANES> p = get<T, LANES>(x + from, l.from, i);

#pragma unroll
		for (int e = 0; e < LANES; e++)
			add(&r, (W)p.x[e]);
	}
	r = join_block(r);
	r.sum = 1 / r.sum;
	for (int64_t i = threadIdx.x; i < l.n / LANES; i += blockDim.x) {
		const pack<T, LANES> p = get<T, LANES>(x + from, l.from, i);
		pack<O, LANES> q;

#pragma unroll
		for (int e = 0; e < LANES; e++)
			q.x[e] = (O)(exponential((W)p.x[e] - r.top) * r.sum);
		put<O, LANES>(y + to, l.to, i, q);
	}
}

/* --- lines that lie side by side --------------------------------------------------------------------------- */

/* Thread (c, d) takes every DOWN-th number of line c. */
template <typename T, typename O, typename W> __global__ void softmax_across(const T *x, O *y, lines l)
{
	__shared__ running<W> part[DOWN][WARP];
	const int64_t line = blockIdx.x * (int64_t)WARP + threadIdx.x;
	running<W> r = { lowest<W>(), 0 };
	int64_t from, to;

	begin(l, line < l.count ? line : l.count - 1, &from, &to);
	for (int64_t i = threadIdx.y; i < l.n; i += DOWN)
		add(&r, (W)x[from + i * l.from]);
	part[threadIdx.y][threadIdx.x] = r;
	__syncthreads();
	for (int d = 1; d < DOWN; d++)
		r = join(r, part[(threadIdx.y + d) % DOWN][threadIdx.x]);
	r.sum = 1 / r.sum;
	for (int64_t i = threadIdx.y; i < l.n && line < l.count; i += DOWN)
		y[to + i * l.to] = (O)(exponential((W)x[from + i * l.from] - r.top) * r.sum);
}

/* --- the operator ------------------------------------------------------------------------------------------ */

static lines lines_of(const ay_tensor *self, const ay_tensor *out, int64_t axis)
{
	lines l = { 0, 1, 1, 1, 1 };

	for (int d = 0; d < self->ndim; d++) {
		if (d == axis) {
			l.n = self->shape[d];
			l.from = self->strides[d];
			l.to = out->strides[d];
			continue;
		}
		l.count *= self->shape[d];
		l.shape[l.dims] = self->shape[d];
		l.in[l.dims] = self->strides[d];
		l.out[l.dims++] = out->strides[d];
	}
	return l;
}

/* Does every line begin where LANES numbers can be read at once, and have a multiple of them? */
static bool are_packed(const void *data, int64_t item, const int64_t *stride, int64_t step, const lines &l,
		       int64_t lanes)
{
	bool ok = step == 1 && l.n % lanes == 0 && (uintptr_t)data % (uintptr_t)(item * lanes) == 0;

	for (int d = 0; d < l.dims; d++)
		ok &= l.shape[d] == 1 || stride[d] % lanes == 0;
	return ok;
}

template <typename T, typename O, typename W, int LANES>
static void launch_lines(const ay_tensor *self, ay_tensor *out, const lines &l, cudaStream_t stream)
{
	const T *x = (const T *)self->data;
	O *y = (O *)out->data;
	int threads = WARP;

	while (threads < MOST && threads * (KEEP / 2) < l.n)
		threads *= 2;
	if (l.n <= threads * KEEP)
		softmax_line<T, O, W, LANES><<<(unsigned)l.count, threads, 0, stream>>>(x, y, l);
	else
		softmax_long<T, O, W, LANES><<<(unsigned)l.count, threads, 0, stream>>>(x, y, l);
}

template <typename T, typename O, typename W>
static int launch(const ay_tensor *self, ay_tensor *out, int64_t axis, cudaStream_t stream)
{
	constexpr int LANES = 16 / sizeof(T);
	const lines l = lines_of(self, out, axis);
	const int last = l.dims - 1;

	if (l.from != 1 && last >= 0 && l.in[last] == 1 && l.shape[last] >= WARP / 2)
		softmax_across<T, O, W><<<(unsigned)((l.count + WARP - 1) / WARP), dim3(WARP, DOWN), 0, stream>>>(
			(const T *)self->data, (O *)out->data, l);
	else if (are_packed(self->data, sizeof(T), l.in, l.from, l, LANES) &&
		 are_packed(out->data, sizeof(O), l.out, l.to, l, LANES))
		launch_lines<T, O, W, LANES>(self, out, l, stream);
	else
		launch_lines<T, O, W, 1>(self, out, l, stream);
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int aten__softmax(const ay_tensor *self, int64_t dim, bool half_to_float, ay_tensor *out,
			     const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const int64_t axis = dim < 0 ? dim + self->ndim : dim;

	if (self->ndim > MAX_DIM)
		return AY_UNSUPPORTED;
	if (!ay_numel(self))
		return AY_OK;
	switch (ay_dt(self)) {
	case AY_F16:
		return half_to_float ? launch<__half, float, float>(self, out, axis, stream)
				     : launch<__half, __half, float>(self, out, axis, stream);
	case AY_BF16: return launch<__nv_bfloat16, __nv_bfloat16, float>(self, out, axis, stream);
	case AY_F32: return launch<float, float, float>(self, out, axis, stream);
	case AY_F64: return launch<double, double, double>(self, out, axis, stream);
	default: return AY_UNSUPPORTED;
	}
}
