/* due: PASS - sums over listed dimensions: half types and f32 in f32, f64 in its own, integers modulo 2^64,
 * complex numbers part by part. A warp or a block to a sum; sums that lie side by side go 32 to a block; few
 * long ones are shared by many blocks, whose results are summed up in turn. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, WARP = 32, BLOCK = 256, DOWN = 16, BUSY = 528, LEAST = 1024 }; /* blocks; terms of one */

/* self with the kept dimensions in front and the summed ones behind; two that lie one in the other are one.
 * Strides count real numbers: a complex tensor is two real ones that lie between each other. */
struct order {
	int kept, summed;
	int64_t count, n; /* of sums, of terms in each */
	int64_t shape[MAX_DIM], stride[MAX_DIM], out[MAX_DIM];
};

static __device__ int64_t offset(const int64_t *shape, const int64_t *stride, int dims, int64_t i)
{
	int64_t at = 0;

	if (dims == 1)
		return i * stride[0];
	for (int d = dims - 1; d >= 0; d--) {
		at += i % shape[d] * stride[d];
		i /= shape[d];
	}
	return at;
}

/* Where results go: numbers of some dtype. */
struct target {
	void *data;
	int dt;
};

static __device__ void put(const target &t, int64_t at, double x)
{
	switch (t.dt) {
	case AY_F16: ((__half *)t.data)[at] = __double2half(x); break;
	case AY_BF16: ((__nv_bfloat16 *)t.data)[at] = __double2bfloat16(x); break;
	case AY_F32: ((float *)t.data)[at] = (float)x; break;
	default: ((double *)t.data)[at] = x;
	}
}

static __device__ void put(const target &t, int64_t at, float x)
{
	put(t, at, (double)x);
}

static __device__ void put(const target &t, int64_t at, uint64_t x)
{
	switch (t.dt) {
	case AY_I64: ((uint64_t *)t.data)[at] = x; break;
	case AY_I32: ((uint32_t *)t.data)[at] = (uint32_t)x; break;
	case AY_I16: ((uint16_t *)t.data)[at] = (uint16_t)x; break;
	case AY_B8: ((uint8_t *)t.data)[at] = x != 0; break;
	default: ((uint8_t *)t.data)[at] = (uint8_t)x;
	}
}

template <typename W> static __device__ W sum_warp(W x)
{
	for (int far = WARP / 2; far; far /= 2)
		x += __shfl_xor_sync(~0u, x, far);
	return x;
}

template <typename T, int LANES> struct alignas(sizeof(T) * LANES) pack {
	T x[LANES];
};

/* Terms j = first, first + step .. , four sums at a time, so that loads overlap. */
template <typename T, typename W>
static __device__ W add_up(const T *x, const order &o, int64_t first, int64_t step, int64_t end)
{
	const int64_t *shape = o.shape + o.kept, *stride = o.stride + o.kept;
	W a = 0, b = 0, c = 0, d = 0;
	int64_t j = first;

	for (; j + 3 * step < end; j += 4 * step) {
		a += (W)x[offset(shape, stride, o.summed, j)];
		b += (W)x[offset(shape, stride, o.summed, j + step)];
		c += (W)x[offset(shape, stride, o.summed, j + 2 * step)];
		d += (W)x[offset(shape, stride, o.summed, j + 3 * step)];
	}
	for (; j < end; j += step)
		a += (W)x[offset(shape, stride, o.summed, j)];
	return (a + b) + (c + d);
}

/* The same where terms lie in a row: sixteen bytes at once from the first place that is aligned on. */
template <typename T, typename W> static __device__ W add_row(const T *x, int64_t first, int64_t end)
{
	constexpr int LANES = 16 / sizeof(T);
	const int64_t skip = (int64_t)(-(uintptr_t)(x + first) % 16 / sizeof(T));
	const int64_t start = first + skip < end ? first + skip : end, packs = (end - start) / LANES;
	const pack<T, LANES> *p = (const pack<T, LANES> *)(x + start);
	W lane[LANES] = {}, sum = 0;

#pragma unroll 4
	for (int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
		const pack<T, LANES> v = p[i];

#pragma unroll
		for (int e = 0; e < LANES; e++)
			lane[e] += (W)v.x[e];
	}
	for (int e = 0; e < LANES; e++)
		sum += lane[e];
	for (int64_t j = first + threadIdx.x; j < start; j += blockDim.x)
		sum += (W)x[j];
	for (int64_t j = start + packs * LANES + threadIdx.x; j < end; j += blockDim.x)
		sum += (W)x[j];
	return sum;
}

/* Threads (x, y): blockDim.x of them to sum y of this block. Part blockIdx.y of the terms; results of parts lie
 * `count` apart. */
template <typename T, typename W> __global__ void sum_lines(const T *x, order o, target t, int64_t each)
{
	__shared__ W part[BLOCK / WARP];
	const int64_t i = blockIdx.x * (int64_t)blockDim.y + threadIdx.y;
	const int64_t first = blockIdx.y * each, end = first + each < o.n ? first + each : o.n;
	W sum = 0;

	if (i < o.count)
		sum = add_up<T, W>(x + offset(o.shape, o.stride, o.kept, i), o, first + threadIdx.x, blockDim.x,
				   end);
	sum = sum_warp(sum);
	if (blockDim.x > WARP) { /* one sum */
		if (threadIdx.x % WARP == 0)
			part[threadIdx.x / WARP] = sum;
		__syncthreads();
		sum = threadIdx.x < BLOCK / WARP ? part[threadIdx.x] : (W)0;
		sum = sum_warp(sum);
	}
	if (!threadIdx.x && i < o.count)
		put(t, blockIdx.y * o.count + offset(o.shape, o.out, o.kept, i), sum);
}

/* Thread (c, d) takes every DOWN-th term of sum c. */
template <typename T, typename W> __global__ void sum_across(const T *x, order o, target t, int64_t each)
{
	__shared__ W part[DOWN][WARP];
	const int64_t i = blockIdx.x * (int64_t)WARP + threadIdx.x;
	const int64_t first = blockIdx.y * each, end = first + each < o.n ? first + each : o.n;
	W sum = 0;

	if (i < o.count)
		sum = add_up<T, W>(x + offset(o.shape, o.stride, o.kept, i), o, first + threadIdx.y, DOWN, end);
	part[threadIdx.y][threadIdx.x] = sum;
	__syncthreads();
	for (int d = 1; !threadIdx.y && d < DOWN; d++)
		sum += part[d][threadIdx.x];
	if (!threadIdx.y && i < o.count)
		put(t, blockIdx.y * o.count + offset(o.shape, o.out, o.kept, i), sum);
}

/* --- who sums what ----------------------------------------------------------------------------------------- */

static void add_dim(order *o, int from, int *dims, int64_t shape, int64_t stride, int64_t out)
{
	int d = from + *dims;

	if (shape == 1)
		return;
	if (*dims && o->stride[d - 1] == stride * shape && o->out[d - 1] == out * shape) {
		o->shape[d - 1] *= shape;
		o->stride[d - 1] = stride;
		o->out[d - 1] = out;
		return;
	}
	o->shape[d] = shape;
	o->stride[d] = stride;
	o->out[d] = out;
	*dims += 1;
}

static order arrange(const ay_tensor *self, unsigned mask, bool keepdim, const ay_tensor *out, int64_t parts)
{
	order o = { 0, 0, 1, 1 };
	int at = 0;

	for (int d = 0; d < self->ndim; d++) {
		if (mask >> d & 1) {
			at += keepdim;
			continue;
		}
		o.count *= self->shape[d];
		add_dim(&o, 0, &o.kept, self->shape[d], self->strides[d] * parts, out->strides[at++] * parts);
	}
	for (int d = 0; d < self->ndim; d++) {
		if (!(mask >> d & 1))
			continue;
		o.n *= self->shape[d];
		add_dim(&o, o.kept, &o.summed, self->shape[d], self->strides[d] * parts, 0);
	}
	return o;
}

/* Do sums lie closer together than the terms of one? */
static bool lie_side_by_side(const order &o)
{
	const int k = o.kept - 1;

	return k >= 0 && o.summed && o.stride[k] < o.stride[o.kept + o.summed - 1] && o.shape[k] >= WARP / 2;
}

template <typename T, typename W>
static void sum_parts(const T *x, const order &o, target t, int64_t parts, cudaStream_t stream)
{
	const int64_t each = (o.n + parts - 1) / parts;
	const dim3 block = each > 4 * WARP ? dim3(BLOCK, 1) : dim3(WARP, BLOCK / WARP);
	const dim3 across((unsigned)((o.count + WARP - 1) / WARP), (unsigned)parts);
	const dim3 lines((unsigned)((o.count + block.y - 1) / block.y), (unsigned)parts);

	if (lie_side_by_side(o))
		sum_across<T, W><<<across, dim3(WARP, DOWN), 0, stream>>>(x, o, t, each);
	else
		sum_lines<T, W><<<lines, block, 0, stream>>>(x, o, t, each);
}

/* In how many parts terms are summed up, so that all of the GPU has something to do. */
static int64_t parts_of(const order &o)
{
	const int64_t blocks = lie_side_by_side(o) ? (o.count + WARP - 1) / WARP : o.count;
	const int64_t wanted = (BUSY + blocks - 1) / blocks, most = o.n / LEAST;

	return wanted < most ? wanted : most;
}

/* The dtype of partial sums. */
static int dtype_of(float)
{
	return AY_F32;
}

static int dtype_of(double)
{
	return AY_F64;
}

static int dtype_of(uint64_t)
{
	return AY_I64;
}

template <typename T, typename W> static int launch(const T *x, const order &o, target t, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const int64_t parts = parts_of(o);
	W *partial = NULL;

	if (parts > 1)
		partial = (W *)ctx->scratch(ctx, (size_t)(parts * o.count) * sizeof *partial);
	if (!partial) {
		sum_parts<T, W>(x, o, t, 1, stream);
		return cudaGetLastError() ? 2 : AY_OK;
	}
	order first = o, second = { 1, 1, o.count, parts, { o.count, parts }, { 1, o.count } };

	for (int64_t d = o.kept - 1, step = 1; d >= 0; step *= o.shape[d--])
		first.out[d] = step;
	sum_parts<T, W>(x, first, { partial, dtype_of((W)0) }, parts, stream);
	/* the result's strides, for the sums in order */
	for (int d = 0; d < o.kept; d++) {
		second.shape[d] = o.shape[d];
		second.stride[d] = first.out[d];
		second.out[d] = o.out[d];
	}
	second.kept = o.kept;
	second.shape[o.kept] = parts;
	second.stride[o.kept] = o.count;
	sum_parts<W, W>(partial, second, t, 1, stream);
	return cudaGetLastError() ? 2 : AY_OK;
}

/* --- the operator ------------------------------------------------------------------------------------------ */

template <typename T>
static int sum_integers(const ay_tensor *self, const order &o, ay_tensor *out, const ay_ctx *ctx)
{
	const target t = { out->data, ay_dt(out) };

	if (t.dt == AY_F64)
		return launch<T, double>((const T *)self->data, o, t, ctx);
	if (out->dtype.code == AY_CODE_FLOAT || out->dtype.code == AY_CODE_BFLOAT)
		return launch<T, float>((const T *)self->data, o, t, ctx);
	return launch<T, uint64_t>((const T *)self->data, o, t, ctx);
}

template <typename T>
static int sum_floats(const ay_tensor *self, const order &o, target t, int part, const ay_ctx *ctx)
{
	const T *x = (const T *)self->data + part;

	if (t.dt == AY_F64)
		return launch<T, double>(x, o, t, ctx);
	return launch<T, float>(x, o, t, ctx);
}

static bool is_integral(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_INT || t->dtype.code == AY_CODE_UINT || t->dtype.code == AY_CODE_BOOL;
}

static int sum_mask(const ay_tensor *self, unsigned mask, bool keepdim, ay_tensor *out, const ay_ctx *ctx)
{
	const int parts = ay_is_complex(self) ? 2 : 1, bits = out->dtype.bits / parts;
	int rc = AY_UNSUPPORTED;

	if (self->ndim > MAX_DIM || self->flags || ay_is_complex(self) != ay_is_complex(out))
		return AY_UNSUPPORTED;
	if (is_integral(out) && !is_integral(self))
		return AY_UNSUPPORTED;
	if (!ay_numel(out))
		return AY_OK;
	const order o = arrange(self, mask, keepdim, out, parts);
	for (int p = 0; p < parts; p++) {
		const target t = { (char *)out->data + p * bits / 8,
				   parts == 2 ? AY_DT(AY_CODE_FLOAT, bits) : ay_dt(out) };

		switch (ay_dt(self)) {
		case AY_F16: rc = sum_floats<__half>(self, o, t, p, ctx); break;
		case AY_BF16: rc = sum_floats<__nv_bfloat16>(self, o, t, p, ctx); break;
		case AY_F32:
		case AY_C64: rc = sum_floats<float>(self, o, t, p, ctx); break;
		case AY_F64:
		case AY_C128: rc = sum_floats<double>(self, o, t, p, ctx); break;
		case AY_I64: rc = sum_integers<int64_t>(self, o, out, ctx); break;
		case AY_I32: rc = sum_integers<int32_t>(self, o, out, ctx); break;
		case AY_I16: rc = sum_integers<int16_t>(self, o, out, ctx); break;
		case AY_I8: rc = sum_integers<int8_t>(self, o, out, ctx); break;
		case AY_B8:
		case AY_U8: rc = sum_integers<uint8_t>(self, o, out, ctx); break;
		default: return AY_UNSUPPORTED;
		}
	}
	return rc;
}

extern "C" int aten_sum_dim_IntList(const ay_tensor *self, const int64_t *dim, int64_t n_dim, bool keepdim,
				    int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	unsigned mask = n_dim ? 0 : ~0u;

	(void)dtype; /* out's dtype says it already */
	for (int64_t k = 0; k < n_dim; k++)
		mask |= 1u << (dim[k] < 0 ? dim[k] + (self->ndim ? self->ndim : 1) : dim[k]);
	return sum_mask(self, mask, keepdim, out, ctx);
}

extern "C" int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype;
	return sum_mask(self, ~0u, false, out, ctx);
}
