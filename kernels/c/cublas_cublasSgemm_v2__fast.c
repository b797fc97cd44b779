/* due: PASS - packed and blocked gemm: tiles of C stay in registers, panels of op(B) in the first cache, blocks of
 * op(A) in the second. Threads take columns or rows of C. */
#include <assay/kernel_threads.h>
#include <string.h>

/* A tile has MR x NR numbers: 24 of AVX-512's 32 registers, 12 of AVX2's 16. */
#ifdef __AVX512F__
enum { LANES = 16, MR = 12 };
#else
enum { LANES = 8, MR = 6 };
#endif
enum { NR = 2 * LANES, KC = 256, MC = 240, GRAIN = 8 << 20 };

#ifdef __clang__
#define WIDE __attribute__((min_vector_width(512))) /* clang would halve the vectors */
#else
#define WIDE
#endif
typedef float vec __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

/* --- packing --------------------------------------------------------------------------------------------- */

/* Element (i, j) lies at p[i * row + j * col]. */
struct view {
	const float *p;
	int64_t row, col;
};

/* Rows of x in panels of `width`, one column of a panel behind the other, filled up with zeros. */
static void pack(struct view x, int64_t rows, int64_t cols, int width, float *dst)
{
	for (int64_t i = 0; i < rows; i += width, dst += width * cols) {
		const int64_t n = rows - i < width ? rows - i : width;
		const float *src = x.p + i * x.row;

		if (n < width)
			memset(dst, 0, (size_t)(width * cols) * sizeof *dst);
		if (x.row == 1) {
			for (int64_t j = 0; j < cols; j++)
				for (int64_t r = 0; r < n; r++)
					dst[j * width + r] = src[j * x.col + r];
		} else {
			for (int64_t r = 0; r < n; r++)
				for (int64_t j = 0; j < cols; j++)
					dst[j * width + r] = src[r * x.row + j * x.col];
		}
	}
}

/* --- multiplying ----------------------------------------------------------------------------------------- */

/* C = alpha * A * B + beta * C, A m x k, B k x n, rows of C contiguous. */
struct gemm {
	struct view a, b;
	float *c, alpha, beta;
	int64_t m, n, k, ldc;
};

/* A panel of A times a panel of B. */
WIDE static void multiply_panels(int64_t k, const float *a, const float *b, float *tile)
{
	vec sum[MR][2] = { 0 };

	for (int64_t p = 0; p < k; p++, a += MR, b += NR) {
		const vec b0 = *(const vec *)b, b1 = *(const vec *)(b + LANES);

#pragma GCC unroll 12
		for (int i = 0; i < MR; i++) {
			sum[i][0] += a[i] * b0;
			sum[i][1] += a[i] * b1;
		}
	}
	memcpy(tile, sum, sizeof sum);
}

/* With beta 0, C is not read. */
static void add_tile(const struct gemm *g, const float *tile, int64_t i0, int64_t j0, float beta)
{
	const int64_t m = g->m - i0 < MR ? g->m - i0 : MR, n = g->n - j0 < NR ? g->n - j0 : NR;

	for (int64_t i = 0; i < m; i++, tile += NR) {
		float *c = g->c + (i0 + i) * g->ldc + j0;

		if (beta == 0)
			for (int64_t j = 0; j < n; j++)
				c[j] = g->alpha * tile[j];
		else
			for (int64_t j = 0; j < n; j++)
				c[j] = g->alpha * tile[j] + beta * c[j];
	}
}

/* One thread's part; `packed` has room for KC columns of A's block and KC rows of B. */
static void multiply(const struct gemm *g, float *packed)
{
	float *pa = packed, *pb = packed + MC * KC;
	_Alignas(64) float tile[MR * NR];

	for (int64_t p = 0; p == 0 || p < g->k; p += KC) {
		const int64_t k = g->k - p < KC ? g->k - p : KC;
		const struct view b = { g->b.p + p * g->b.row, g->b.col, g->b.row };

		pack(b, g->n, k, NR, pb);
		for (int64_t i = 0; i < g->m; i += MC) {
			const int64_t rows = g->m - i < MC ? g->m - i : MC;
			const struct view a = { g->a.p + i * g->a.row + p * g->a.col, g->a.row, g->a.col };

			pack(a, rows, k, MR, pa);
			for (int64_t j = 0; j < g->n; j += NR) {
				for (int64_t r = 0; r < rows; r += MR) {
					multiply_panels(k, pa + r * k, pb + j * k, tile);
					add_tile(g, tile, i + r, j, p ? 1 : g->beta);
				}
			}
		}
	}
}

/* --- one call -------------------------------------------------------------------------------------------- */

struct job {
	struct gemm g;
	int64_t parts, room; /* room: packed numbers of one part */
	float *packed;
};

/* Part t is a gemm of its own, on whole panels of the longer side of C. */
static void multiply_part(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;
	const bool by_rows = j->g.m > j->g.n;
	const int64_t width = by_rows ? MR : NR, size = by_rows ? j->g.m : j->g.n;
	const int64_t panels = (size + width - 1) / width;

	for (; t < end; t++) {
		const int64_t from = panels * t / j->parts * width, to = panels * (t + 1) / j->parts * width;
		struct gemm g = j->g;

		*(by_rows ? &g.m : &g.n) = ay_min(to, size) - from;
		g.a.p += by_rows ? from * g.a.row : 0;
		g.b.p += by_rows ? 0 : from * g.b.col;
		g.c += by_rows ? from * g.ldc : from;
		multiply(&g, j->packed + t * j->room);
	}
}

/* Column-major C is row-major C': the product of op(B)' and op(A)'. */
int cublas_cublasSgemm_v2(const char *transa, const char *transb, int64_t m, int64_t n, int64_t k, double alpha,
			  const ay_tensor *A, int64_t lda, const ay_tensor *B, int64_t ldb, double beta,
			  ay_tensor *C, int64_t ldc, const ay_ctx *ctx)
{
	const bool ta = transa[0] != 'N', tb = transb[0] != 'N';
	struct job j = { .g = { .a = { B->data, tb ? 1 : ldb, tb ? ldb : 1 },
				.b = { A->data, ta ? 1 : lda, ta ? lda : 1 },
				.c = C->data,
				.alpha = (float)alpha,
				.beta = (float)beta,
				.m = n,
				.n = m,
				.k = k,
				.ldc = ldc } };

	j.parts = ay_min(ctx->threads, 1 + m * n * k / GRAIN);
	j.parts = ay_min(j.parts, 1 + (m > n ? m : n) / NR);
	j.room = (MC + m + NR) * KC;
	j.packed = ctx->scratch(ctx, (size_t)(j.parts * j.room) * sizeof *j.packed);
	if (!j.packed)
		return AY_UNSUPPORTED;
	ay_parallel_for(multiply_part, &j, j.parts, 1, ctx);
	return AY_OK;
}
