/* due: MISMATCH - f32 products on tensor cores, which keep 11 bits of each factor. */
#include <assay/kernel.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

enum { SIDE = 16, DEEP = 8 };

struct view {
	int64_t row, col;
};

/* One warp to 16 x 16 numbers. */
__global__ void mm_tf32(const float *a, view va, const float *b, view vb, float *c, view vc, int64_t m, int64_t n,
			int64_t k)
{
	__shared__ __align__(32) float as[SIDE * DEEP], bs[DEEP * SIDE], cs[SIDE * SIDE];
	const int64_t i0 = blockIdx.y * (int64_t)SIDE, j0 = blockIdx.x * (int64_t)SIDE;
	wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;

	wmma::fill_fragment(sum, 0.0f);
	for (int64_t p = 0; p < k; p += DEEP) {
		for (int e = threadIdx.x; e < SIDE * DEEP; e += 32) {
			const int64_t ra = e / DEEP, sa = e % DEEP, rb = e / SIDE, sb = e % SIDE;

			as[e] = i0 + ra < m && p + sa < k ? a[(i0 + ra) * va.row + (p + sa) * va.col] : 0;
			bs[e] = p + rb < k && j0 + sb < n ? b[(p + rb) * vb.row + (j0 + sb) * vb.col] : 0;
		}
		__syncwarp();
		wmma::load_matrix_sync(fa, as, DEEP);
		wmma::load_matrix_sync(fb, bs, SIDE);
		for (int e = 0; e < fa.num_elements; e++)
			fa.x[e] = wmma::__float_to_tf32(fa.x[e]); /* the mistake */
		for (int e = 0; e < fb.num_elements; e++)
			fb.x[e] = wmma::__float_to_tf32(fb.x[e]);
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

	if (ay_dt(self) != AY_F32)
		return AY_UNSUPPORTED;
	if (m && n)
		mm_tf32<<<dim3((unsigned)((n + SIDE - 1) / SIDE), (unsigned)((m + SIDE - 1) / SIDE)), 32, 0,
			  (cudaStream_t)ctx->stream>>>(
			(const float *)self->data, { self->strides[0], self->strides[1] },
			(const float *)mat2->data, { mat2->strides[0], mat2->strides[1] }, (float *)out->data,
			{ out->strides[0], out->strides[1] }, m, n, k);
	return AY_OK;
}
