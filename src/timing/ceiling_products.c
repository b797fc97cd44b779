/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_products - measures how fast a GPU multiplies matrices, by dtype.
 *
 * It runs square products with cuBLAS's own best algorithms (cublasLt), on random numbers between
 * 1/2 and 1 of either sign. Zeros would take less power and so be faster. The judge's process
 * opens the library for this purpose only.
 */
#include "timing/ceiling_gpu_internal.h"

#include "device/shared_library.h"

#include <math.h>
#include <string.h>

/* Values of cublas_api.h, cublasLt.h and library_types.h. */
enum {
	R_32F = 0,
	R_64F = 1,
	R_16F = 2,
	R_8I = 3,
	R_32I = 10,
	R_16BF = 14,
	R_8F_E4M3 = 28,
	COMPUTE_32F = 68,
	COMPUTE_64F = 70,
	COMPUTE_32I = 72,
	COMPUTE_TF32 = 77,
	DESC_TRANSA = 3,
	DESC_FAST_ACCUM = 25,
	PREF_WORKSPACE = 1,
	OP_T = 1,

	CHOICES = 6,
	WORKSPACE = 64 << 20,
	SIDE_LEAST = 2048,
	SIDE_MOST = 8192,
	WINDOWS = 6,
};

static const double WINDOW_NS = 4e6, /* for one size and algorithm; at least one product */
	LONG_NS = 12e6;              /* if a product takes longer, no larger one is measured */

/* An algorithm that the library suggests (cublasLtMatmulHeuristicResult_t). */
struct product_choice {
	uint64_t algorithm[8];
	size_t workspace;
	int status;
	float waves;
	int reserved[4];
};

#define LT(F)                                                                                                   \
	F(create, "cublasLtCreate", (void **h))                                                                 \
	F(destroy, "cublasLtDestroy", (void *h))                                                                \
	F(desc_create, "cublasLtMatmulDescCreate", (void **d, int compute, int scale))                          \
	F(desc_destroy, "cublasLtMatmulDescDestroy", (void *d))                                                 \
	F(desc_set, "cublasLtMatmulDescSetAttribute", (void *d, int what, const void *v, size_t n))             \
	F(layout_create, "cublasLtMatrixLayoutCreate",                                                          \
	  (void **l, int type, uint64_t rows, uint64_t cols, int64_t ld))                                       \
	F(layout_destroy, "cublasLtMatrixLayoutDestroy", (void *l))                                             \
	F(pref_create, "cublasLtMatmulPreferenceCreate", (void **p))                                            \
	F(pref_destroy, "cublasLtMatmulPreferenceDestroy", (void *p))                                           \
	F(pref_set, "cublasLtMatmulPreferenceSetAttribute", (void *p, int what, const void *v, size_t n))       \
	F(choose, "cublasLtMatmulAlgoGetHeuristic",                                                             \
	  (void *h, void *d, void *a, void *b, void *c, void *to, void *p, int wanted,                          \
	   struct product_choice *list, int *n))                                                                \
	F(multiply, "cublasLtMatmul",                                                                           \
	  (void *h, void *d, const void *alpha, ay_cu_ptr a, void *la, ay_cu_ptr b, void *lb, const void *beta, \
	   ay_cu_ptr c, void *lc, ay_cu_ptr to, void *lto, const void *algorithm, ay_cu_ptr work, size_t bytes, \
	   void *stream))

struct lt {
	void *handle, *pref;
#define F(field, symbol, params) int(*field) params;
	LT(F)
#undef F
};

/* A product to measure. mask and bits: see ay_bench_fill. */
struct measured_product {
	enum ay_product id;
	int in, out, compute, scale, in_bytes, out_bytes;
	bool fast; /* sums of f8 stay in the matrix unit's precision */
	uint64_t mask, bits;
};

static const struct measured_product products[] = {
	{ AY_PRODUCT_F64, R_64F, R_64F, COMPUTE_64F, R_64F, 8, 8, false, 0x800fffffffffffff, 0x3fe0000000000000 },
	{ AY_PRODUCT_F32, R_32F, R_32F, COMPUTE_32F, R_32F, 4, 4, false, 0x807fffff807fffff, 0x3f0000003f000000 },
	{ AY_PRODUCT_TF32, R_32F, R_32F, COMPUTE_TF32, R_32F, 4, 4, false, 0x807fffff807fffff,
	  0x3f0000003f000000 },
	{ AY_PRODUCT_F16, R_16F, R_16F, COMPUTE_32F, R_32F, 2, 2, false, 0x83ff83ff83ff83ff, 0x3800380038003800 },
	{ AY_PRODUCT_BF16, R_16BF, R_16BF, COMPUTE_32F, R_32F, 2, 2, false, 0x807f807f807f807f,
	  0x3f003f003f003f00 },
	{ AY_PRODUCT_I8, R_8I, R_32I, COMPUTE_32I, R_32I, 1, 4, false, UINT64_MAX, 0 },
	{ AY_PRODUCT_F8, R_8F_E4M3, R_16BF, COMPUTE_32F, R_32F, 1, 2, false, 0x8787878787878787,
	  0x3030303030303030 },
	{ AY_PRODUCT_F8, R_8F_E4M3, R_16BF, COMPUTE_32F, R_32F, 1, 2, true, 0x8787878787878787,
	  0x3030303030303030 },
};

/* --- one product ----------------------------------------------------------------------------------------- */

struct task {
	struct gpu_bench *b;
	const struct lt *lt;
	const struct measured_product *p;
	int64_t side;
	ay_cu_ptr at[4]; /* two factors, the product, workspace */
	void *desc, *in, *out;
};

static int multiply(const struct task *t, const struct product_choice *k)
{
	const int32_t one_i = 1, zero_i = 0;
	const float one_f = 1, zero_f = 0;
	const double one_d = 1, zero_d = 0;
	const void *one = t->p->scale == R_32I   ? (const void *)&one_i
			  : t->p->scale == R_64F ? (const void *)&one_d
						 : &one_f;
	const void *zero = t->p->scale == R_32I   ? (const void *)&zero_i
			   : t->p->scale == R_64F ? (const void *)&zero_d
						  : &zero_f;

	return t->lt->multiply(t->lt->handle, t->desc, one, t->at[0], t->in, t->at[1], t->in, zero, t->at[2],
			       t->out, t->at[2], t->out, k->algorithm, t->at[3], WORKSPACE, NULL);
}

/* Returns the time of one of `n` consecutive products; negative: failed. */
static double time_of(const struct task *t, const struct product_choice *k, int n)
{
	int e = ay_bench_start(t->b);
	double ns;

	for (int i = 0; i < n && !e; i++)
		e = multiply(t, k);
	ns = ay_bench_stop(t->b);
	return e || ns <= t->b->empty_ns ? -1 : (ns - t->b->empty_ns) / n;
}

/* Returns the least time of this algorithm; infinite if it fails. */
static double best_of(const struct task *t, const struct product_choice *k)
{
	double best = time_of(t, k, 1);
	int n;

	if (best <= 0)
		return INFINITY;
	n = (int)fmin(100, fmax(1, WINDOW_NS / best));
	for (int i = 0; i < WINDOWS; i++) {
		const double ns = time_of(t, k, n);

		best = ns > 0 ? fmin(best, ns) : best;
	}
	return best;
}

/* Measures the product whose factors have the summed dimension innermost, which all dtypes
 * support. */
static double time_product(struct task *t)
{
	const int trans = OP_T;
	const int8_t fast = 1;
	const struct lt *lt = t->lt;
	struct product_choice list[CHOICES];
	const uint64_t n = (uint64_t)t->side;
	double best = INFINITY;
	int count = 0, e;

	e = lt->desc_create(&t->desc, t->p->compute, t->p->scale);
	e = e ? e : lt->desc_set(t->desc, DESC_TRANSA, &trans, sizeof trans);
	e = e || !t->p->fast ? e : lt->desc_set(t->desc, DESC_FAST_ACCUM, &fast, sizeof fast);
	e = e ? e : lt->layout_create(&t->in, t->p->in, n, n, t->side);
	e = e ? e : lt->layout_create(&t->out, t->p->out, n, n, t->side);
	e = e ? e : lt->choose(lt->handle, t->desc, t->in, t->in, t->out, t->out, lt->pref, CHOICES, list, &count);
	for (int i = 0; i < count && i < CHOICES && !e; i++)
		if (!list[i].status)
			best = fmin(best, best_of(t, &list[i]));
	if (t->out)
		lt->layout_destroy(t->out);
	if (t->in)
		lt->layout_destroy(t->in);
	if (t->desc)
		lt->desc_destroy(t->desc);
	return best;
}

static double rate_of(struct gpu_bench *b, const struct lt *lt, const struct measured_product *p,
		      const ay_cu_ptr *at)
{
	const size_t bytes = (size_t)SIDE_MOST * SIDE_MOST * (size_t)p->in_bytes;
	double best = 0, ns = 0;

	if (ay_bench_fill(b, at[0], bytes, p->mask, p->bits) || ay_bench_fill(b, at[1], bytes, p->mask, p->bits))
		return 0;
	for (int64_t side = SIDE_LEAST; side <= SIDE_MOST && ns < LONG_NS; side *= 2) {
		struct task t = { .b = b, .lt = lt, .p = p, .side = side };

		memcpy(t.at, at, sizeof t.at);
		ns = time_product(&t);
		if (isfinite(ns))
			best = fmax(best, 2.0 * (double)side * (double)side * (double)side / ns * 1e9);
	}
	return best;
}

/* --- all of them ----------------------------------------------------------------------------------------- */

static bool open_lt(struct gpu_bench *b, struct lt *lt)
{
	const struct ay_symbol table[] = {
#define F(field, symbol, params) { symbol, offsetof(struct lt, field) },
		LT(F)
#undef F
	};
	const size_t room = WORKSPACE;
	struct ay_arena a = { 0 };
	void *so = ay_cuda_library(&a, "libcublasLt", b->d->info.driver / 1000, 11, NULL);

	ay_arena_release(&a);
	*lt = (struct lt){ 0 };
	if (!so || ay_cuda_symbols(so, sizeof table / sizeof *table, table, lt) || lt->create(&lt->handle))
		return false;
	if (!lt->pref_create(&lt->pref) && !lt->pref_set(lt->pref, PREF_WORKSPACE, &room, sizeof room))
		return true;
	lt->destroy(lt->handle);
	return false;
}

void ay_bench_products(struct gpu_bench *b, double *rate)
{
	enum { WIDEST = 8 };
	const size_t most = (size_t)SIDE_MOST * SIDE_MOST * WIDEST, bytes[4] = { most, most, most, WORKSPACE };
	ay_cu_ptr at[4] = { 0 };
	struct lt lt;
	int e = 0;

	if (!open_lt(b, &lt))
		return;
	for (int i = 0; i < 4 && !e; i++)
		e = b->cu->alloc_async(&at[i], bytes[i], NULL);
	for (size_t i = 0; i < sizeof products / sizeof *products && !e; i++)
		rate[products[i].id] = fmax(rate[products[i].id], rate_of(b, &lt, &products[i], at));
	for (int i = 0; i < 4; i++)
		if (at[i])
			b->cu->free_async(at[i], NULL);
	b->cu->context_sync();
	lt.pref_destroy(lt.pref);
	lt.destroy(lt.handle);
}
