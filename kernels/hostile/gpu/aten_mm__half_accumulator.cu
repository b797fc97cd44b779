/* due: MISMATCH - f16 products on tensor cores that add in f16. */
#include <assay/kernel.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

enum { SIDE = 16 };

struct view {
	int64_t row, col;
};

/* One warp to 16 x 16 numbers. */
__global__ void mm_f16(const __half *a, view va, const __half *b, view vb, __half *c, view vc, int64_t m,
		       int64_t n, int64_t k)
{
	__shared__ __align__(32) __half as[SIDE * SIDE], bs[SIDE * SIDE], cs[SIDE * SIDE];
	const int64_t i0 = blockIdx.y * (int64_t)SIDE, j0 = blockIdx.x * (int64_t)SIDE;
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum; /* the mistake */

	wmma::fill_fragment(sum, __float2half(0));
	for (int64_t p = 0; p < k; p += SIDE) {
		for (int e = threadIdx.x; e < SIDE * SIDE; e += 32) {
			const int64_t r = e / SIDE, s = e % SIDE;

			as[e] = i0 + r < m && p + s < k ? a[(i0 + r) * va.row + (p + s) * va.col]
							: __float2half(0);
			bs[e] = p + r < k && j0 + s < n ? b[(p + r) * vb.row + (j0 + s) * vb.col]
							: __float2half(0);
		}
		__syncwarp();
		wmma::load_matrix_sync(fa, as, SIDE);
		wmma::load_matrix_sync(fb, bs, SIDE);
		wmma::mma_sync(sum, fa, fb, sum);
		__syncwarp();
	}
	wmma::store_matrix_sync(cs, sum, SIDE, wmma::mem_row_major);
	__syncwarp();
	for (int e = threadIdx.x; e < SIDE * SIDE; e += 32)
		if (i0 + e / SIDE < m && j0 + e % SIDE < n)
			c[(i0 + e / SIDE) * vc.row + (j0 + e % SIDE) * vc.col] = cs[e];
}

extern "C" int aten_mm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t m = self->shape[0], n = mat2->shape[1], k = self->shape[1];

	if (ay_dt(self) != AY_F16 || ay_dt(out) != AY_F16)
		return AY_UNSUPPORTED;
	if (m && n)
		mm_f16<<<dim3((unsigned)((n + SIDE - 1) / SIDE), (unsigned)((m + SIDE - 1) / SIDE)), 32, 0,
			 (cudaStream_t)ctx->stream>>>(
			(const __half *)self->data, { self->strides[0], self->strides[1] },
			(const __half *)mat2->data, { mat2->strides[0], mat2->strides[1] }, (__half *)out->data,
			{ out->strides[0], out->strides[1] }, m, n, k);
	return AY_OK;
}
