/* SPDX-License-Identifier: Apache-2.0 */
#include "device/matmul_check.h"

#include "device/dev_compare.h"
#include "device/device_internal.h"
#include "device/shared_library.h"
#include "device/dev_mem.h"
#include "device/dev_fill.h"
#include "device/judge_kernels.h"
#include "device/matmul_bound.h"

#include <limits.h>
#include <string.h>

enum {
	/* values of cublas_api.h and library_types.h */
	R_64F = 1,
	COMPUTE_64F = 70,
	OP_N = 0,
	OP_T = 1,
	/* CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION: no reduction in lower precision */
	MATH_NO_REDUCED = 16,
	ALGORITHM_ANY = -1,

	NEWEST = 13,
	OLDEST = 11,
	BLOCKS_A_SM = 8,
	ALIGN = 256,
};

/* The rounding error of a sum of 2^16 products in double is below 4e-6 of the smallest bound of a
 * result in f32. */
static const double LESS = 1 - 0x1p-16;

/* CU_STREAM_LEGACY: the stream on which the judge's own kernels run. */
#define LEGACY_STREAM ((void *)1)

#define CUBLAS(F)                                                                                         \
	F(create, "cublasCreate_v2", (void **h))                                                          \
	F(set_stream, "cublasSetStream_v2", (void *h, void *stream))                                      \
	F(set_math, "cublasSetMathMode", (void *h, int mode))                                             \
	F(multiply, "cublasGemmStridedBatchedEx",                                                         \
	  (void *h, int ta, int tb, int m, int n, int k, const void *alpha, uint64_t a, int ka, int lda,  \
	   long long sa, uint64_t b, int kb, int ldb, long long sb, const void *beta, uint64_t c, int kc, \
	   int ldc, long long sc, int count, int compute, int algorithm))

struct ay_multiplier {
	void *handle; /* NULL: cuBLAS is not there */
#define F(field, symbol, params) int(*field) params;
	CUBLAS(F)
#undef F
};

/* --- cuBLAS ---------------------------------------------------------------------------------------------- */

static bool open_cublas(struct ay_multiplier *m)
{
	const struct ay_symbol table[] = {
#define F(field, symbol, params) { symbol, offsetof(struct ay_multiplier, field) },
		CUBLAS(F)
#undef F
	};
	struct ay_arena a = { 0 };
	void *so = ay_cuda_library(&a, "libcublas", NEWEST, OLDEST, NULL);

	ay_arena_release(&a);
	return so && !ay_cuda_symbols(so, sizeof table / sizeof *table, table, m) && !m->create(&m->handle) &&
	       !m->set_stream(m->handle, LEGACY_STREAM) && !m->set_math(m->handle, MATH_NO_REDUCED);
}

/* Opens cuBLAS once. It stays for the life of the process, because such libraries keep threads. */
static const struct ay_multiplier *multiplier_of(struct ay_dev *d)
{
	struct gpu *g = ay_gpu_of(d);

	if (!g->multiplier) {
		g->multiplier = ay_xrealloc(NULL, sizeof *g->multiplier);
		*g->multiplier = (struct ay_multiplier){ 0 };
		if (!ay_gpu_driver(d) || !open_cublas(g->multiplier))
			g->multiplier->handle = NULL;
	}
	return g->multiplier->handle ? g->multiplier : NULL;
}

/* --- which products -------------------------------------------------------------------------------------- */

static bool is_float(enum ay_dt dt)
{
	return dt == AY_DT_F16 || dt == AY_DT_BF16 || dt == AY_DT_F32;
}

static int64_t stacks_of(const struct ay_dev_matmul *p)
{
	const int64_t one = p->rows * p->k;

	return one ? ay_numel_of(p->left.view) / one : 0;
}

static bool is_plain(const struct ay_view *v)
{
	return is_float(v->dt) && v->ndim <= AY_TERMS_DIMS && !v->conj && !v->neg;
}

bool ay_dev_can_multiply(struct ay_dev *d, const struct ay_dev_matmul *p)
{
	const int64_t stacks = stacks_of(p);
	void *f;
	struct ay_err no = { 0 };

	return d->info.kind == AY_DEV_CUDA && is_plain(p->left.view) && is_plain(p->right.view) &&
	       (!p->bias.view || (is_plain(p->bias.view) && p->bias.view->dt == p->left.view->dt)) &&
	       is_float(p->dt) && stacks > 0 && p->columns > 0 && stacks <= INT_MAX && p->rows <= INT_MAX &&
	       p->columns <= INT_MAX && p->k <= INT_MAX &&
	       !ay_judge_kernel_id(d, AY_JUDGE_KERNEL_BOUND, &f, &no) && multiplier_of(d);
}

/* Lays out the two factors, the sums and the sums of squares: how many elements each has and where
 * it begins. Returns the bytes of all. */
static uint64_t lay_out(const struct ay_dev_matmul *p, uint64_t n[4], uint64_t at[4])
{
	uint64_t end = 0;

	n[0] = (uint64_t)ay_numel_of(p->left.view);
	n[1] = (uint64_t)ay_numel_of(p->right.view);
	n[2] = n[3] = (uint64_t)(stacks_of(p) * p->rows * p->columns);
	for (int i = 0; i < 4; i++) {
		at[i] = end;
		end += (n[i] * sizeof(double) + ALIGN - 1) / ALIGN * ALIGN;
	}
	return end;
}

uint64_t ay_dev_matmul_bytes(const struct ay_dev_matmul *p)
{
	uint64_t n[4], at[4];

	return lay_out(p, n, at);
}

/* --- checking -------------------------------------------------------------------------------------------- */

static int launch(struct ay_dev *d, enum ay_judge_kernels which, uint64_t n, void **args, struct ay_err *err)
{
	const uint64_t most = (uint64_t)d->info.sms * BLOCKS_A_SM,
		       blocks = (n + AY_JUDGE_KERNEL_THREADS - 1) / AY_JUDGE_KERNEL_THREADS;

	return n ? ay_judge_kernels_run(d, which, blocks < most ? blocks : most, args, err) : 0;
}

static int widen(struct ay_dev *d, const struct ay_dev_matrix *m, uint64_t to, uint64_t n, struct ay_err *err)
{
	struct ay_widen w = { m->at, to, n, .ndim = (uint32_t)m->view->ndim, .kind = ay_lane_kind(m->view->dt) };
	void *args[] = { &w };

	for (int i = 0; i < m->view->ndim; i++) {
		w.shape[i] = (uint64_t)m->view->shape[i];
		w.stride[i] = m->view->stride[i];
	}
	return launch(d, AY_JUDGE_KERNEL_WIDEN, n, args, err);
}

static int square(struct ay_dev *d, uint64_t at, uint64_t n, struct ay_err *err)
{
	void *args[] = { &at, &n };

	return launch(d, AY_JUDGE_KERNEL_SQUARE, n, args, err);
}

/* cuBLAS expects columns to be contiguous, so its columns are the rows here. */
static int multiply(struct ay_dev *d, const struct ay_dev_matmul *p, uint64_t left, uint64_t right, uint64_t to,
		    struct ay_err *err)
{
	const struct ay_multiplier *m = multiplier_of(d);
	const int rows = (int)p->rows, columns = (int)p->columns, k = (int)p->k;
	const double one = 1, zero = 0;
	const int e = m->multiply(m->handle, OP_T, OP_N, columns, rows, k, &one, right, R_64F, k,
				  (long long)columns * k, left, R_64F, k, (long long)rows * k, &zero, to, R_64F,
				  columns, (long long)rows * columns, (int)stacks_of(p), COMPUTE_64F,
				  ALGORITHM_ANY);

	return e ? ay_fail(err, AY_ERR_SYS, "cuBLAS does not multiply for the judge: status %d", e) : 0;
}

static int bound(struct ay_dev *d, const struct ay_dev_matmul *p, uint64_t sum, uint64_t squares, uint64_t n,
		 struct ay_err *err)
{
	struct ay_sums s = { .sum = sum,
			     .squares = squares,
			     .n = n,
			     .columns = (uint64_t)p->columns,
			     .old = p->old,
			     .growth = p->growth,
			     .k_out = p->k_out,
			     .per_mag = p->per_mag,
			     .alpha = p->alpha,
			     .beta = p->beta,
			     .less = LESS,
			     .scaled = p->scaled,
			     .kind_in = ay_lane_kind(p->left.view->dt),
			     .kind_out = ay_lane_kind(p->dt) };
	void *args[] = { &s };

	if (p->bias.view) {
		s.bias = p->bias.at;
		s.bias_stride = p->bias.view->ndim ? p->bias.view->stride[0] : 0;
	}
	return launch(d, AY_JUDGE_KERNEL_BOUND, n, args, err);
}

static int ask(struct ay_dev *d, const struct ay_dev_matmul *p, uint64_t room, struct ay_dev_diff *diff,
	       struct ay_err *err)
{
	struct ay_dev_numbers x = { .got = p->got, .dt = p->dt };
	uint64_t n[4], at[4];

	lay_out(p, n, at);
	for (int i = 0; i < 4; i++)
		at[i] += room;
	if (widen(d, &p->left, at[0], n[0], err) || widen(d, &p->right, at[1], n[1], err) ||
	    multiply(d, p, at[0], at[1], at[2], err) || square(d, at[0], n[0], err) ||
	    square(d, at[1], n[1], err) || multiply(d, p, at[0], at[1], at[3], err) ||
	    bound(d, p, at[2], at[3], n[2], err))
		return -1;
	x.want = at[2];
	x.bound = at[3];
	x.n = (int64_t)n[2];
	return ay_dev_compare(d, &x, diff, err);
}

int ay_dev_matmul_is_right(struct ay_dev *d, const struct ay_dev_matmul *p, bool *right, struct ay_err *err)
{
	const uint64_t grain = d->info.grain, before = ay_dev_free_bytes(d);
	struct gpu *g = ay_gpu_of(d);
	struct ay_dev_diff diff = { 0 };
	struct ay_dev_mem room;
	uint64_t after;
	int rc;

	*right = false;
	if (!multiplier_of(d))
		return ay_fail(err, AY_ERR_SYS, "there is no cuBLAS for the judge");
	if (ay_dev_mem_alloc(d, (ay_dev_matmul_bytes(p) + grain) / grain * grain, false, &room, err))
		return -1;
	rc = ask(d, p, room.at, &diff, err);
	ay_dev_mem_free(d, &room);
	after = ay_dev_free_bytes(d);
	/* memory that cuBLAS keeps for itself: no executor has it */
	if (g->free_mark && after < before)
		g->free_mark -= before - after < g->free_mark ? before - after : g->free_mark;
	*right = !rc && !diff.outside;
	return rc;
}
