/* SPDX-License-Identifier: Apache-2.0
 *
 * A libcublasLt without a GPU, for tests: products that take the time they would at known rates, on the clock of
 * fake_clock.c. It offers four algorithms for each: one that fails, one of half the rate, the best, and one that
 * it says is none. f8 is 1.5 times as fast if sums may be kept short, and f64 too slow to try a
 * large one. There are no products of i8.
 */
#include "device/cuda.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID = 7, FAST = 25, TRANS = 3 };

struct desc {
	int compute, transposed;
	bool fast;
};

struct layout {
	int type;
	uint64_t side;
};

struct choice {
	uint64_t algorithm[8];
	size_t workspace;
	int status;
	float waves;
	int reserved[4];
};

int cublasLtCreate(void **h);
int cublasLtDestroy(void *h);
int cublasLtMatmulDescCreate(struct desc **d, int compute, int scale);
int cublasLtMatmulDescDestroy(struct desc *d);
int cublasLtMatmulDescSetAttribute(struct desc *d, int what, const void *v, size_t n);
int cublasLtMatrixLayoutCreate(struct layout **l, int type, uint64_t rows, uint64_t cols, int64_t ld);
int cublasLtMatrixLayoutDestroy(struct layout *l);
int cublasLtMatmulPreferenceCreate(void **p);
int cublasLtMatmulPreferenceDestroy(void *p);
int cublasLtMatmulPreferenceSetAttribute(void *p, int what, const void *v, size_t n);
int cublasLtMatmulAlgoGetHeuristic(void *h, struct desc *d, struct layout *a, struct layout *b, struct layout *c,
				   struct layout *to, void *p, int wanted, struct choice *list, int *n);
int cublasLtMatmul(void *h, struct desc *d, const void *alpha, ay_cu_ptr a, struct layout *la, ay_cu_ptr b,
		   struct layout *lb, const void *beta, ay_cu_ptr c, struct layout *lc, ay_cu_ptr to,
		   struct layout *lto, const uint64_t *algorithm, ay_cu_ptr work, size_t bytes, void *stream);

int cublasLtCreate(void **h)
{
	*h = &free;
	return 0;
}

int cublasLtDestroy(void *h)
{
	(void)h;
	return 0;
}

int cublasLtMatmulDescCreate(struct desc **d, int compute, int scale)
{
	(void)scale;
	*d = calloc(1, sizeof **d);
	(*d)->compute = compute;
	return 0;
}

int cublasLtMatmulDescDestroy(struct desc *d)
{
	free(d);
	return 0;
}

int cublasLtMatmulDescSetAttribute(struct desc *d, int what, const void *v, size_t n)
{
	if (what == FAST && n == 1)
		d->fast = *(const char *)v;
	if (what == TRANS && n == sizeof(int))
		memcpy(&d->transposed, v, n);
	return 0;
}

int cublasLtMatrixLayoutCreate(struct layout **l, int type, uint64_t rows, uint64_t cols, int64_t ld)
{
	*l = calloc(1, sizeof **l);
	(*l)->type = type;
	(*l)->side = rows;
	return rows == cols && (int64_t)rows == ld ? 0 : INVALID;
}

int cublasLtMatrixLayoutDestroy(struct layout *l)
{
	free(l);
	return 0;
}

int cublasLtMatmulPreferenceCreate(void **p)
{
	*p = calloc(1, 1);
	return 0;
}

int cublasLtMatmulPreferenceDestroy(void *p)
{
	free(p);
	return 0;
}

int cublasLtMatmulPreferenceSetAttribute(void *p, int what, const void *v, size_t n)
{
	(void)p, (void)v;
	return what == 1 && n == sizeof(size_t) ? 0 : INVALID;
}

int cublasLtMatmulAlgoGetHeuristic(void *h, struct desc *d, struct layout *a, struct layout *b, struct layout *c,
				   struct layout *to, void *p, int wanted, struct choice *list, int *n)
{
	(void)h, (void)b, (void)c, (void)to, (void)p;
	*n = wanted < 4 ? wanted : 4;
	memset(list, 0, sizeof *list * (size_t)*n);
	for (int i = 0; i < *n; i++)
		list[i].algorithm[0] = (uint64_t)i;
	list[*n - 1].status = INVALID; /* and one that is none */
	return a->type == 3 || !d->transposed ? INVALID : 0;
}

/* GFLOP/s by the type of the factors, and by how the sums are kept. */
static double rate_of(const struct desc *d, int type)
{
	switch (type) {
	case 1: return 1e3;
	case 0: return d->compute == 77 ? 400e3 : 50e3;
	case 2: return 800e3;
	case 14: return 790e3;
	case 28: return d->fast ? 1500e3 : 1000e3;
	default: return NAN;
	}
}

int cublasLtMatmul(void *h, struct desc *d, const void *alpha, ay_cu_ptr a, struct layout *la, ay_cu_ptr b,
		   struct layout *lb, const void *beta, ay_cu_ptr c, struct layout *lc, ay_cu_ptr to,
		   struct layout *lto, const uint64_t *algorithm, ay_cu_ptr work, size_t bytes, void *stream)
{
	void (*advance)(double ns) = NULL;
	void *f = dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "fake_advance");
	const double side = (double)la->side;

	(void)h, (void)alpha, (void)a, (void)b, (void)lb, (void)beta, (void)c, (void)lc, (void)to, (void)lto,
		(void)work, (void)bytes, (void)stream;
	if (algorithm[0] == 3)
		abort(); /* it said that this is no algorithm */
	if (!algorithm[0])
		return INVALID;
	if (la->type == 1 && side > 2048)
		abort(); /* 137 s */
	memcpy(&advance, &f, sizeof f);
	advance(2 * side * side * side / rate_of(d, la->type) * (algorithm[0] == 1 ? 2 : 1));
	return 0;
}
