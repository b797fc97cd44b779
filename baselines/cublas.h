/* SPDX-License-Identifier: Apache-2.0
 *
 * cublas - the library for the functions of the baseline `cublas`, without NVIDIA's headers.
 *
 * This text is carried inside assay and put before cublas.c. It is also compiled into assay
 * (DESCRIBED) for cublas_describe. So the reported version and place come from the code that the
 * executor runs.
 */
#include <assay/kernel.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cublas_handle *handle;
typedef struct lt_desc *lt_desc;
typedef struct lt_layout *lt_layout;
typedef struct lt_preference *lt_preference;

/* An algorithm that cublasLt proposes for a product (opaque), and the workspace that it needs. */
struct lt_choice {
	uint64_t algorithm[8];
	size_t workspace;
	int status;
	float waves;
	int reserved[4];
};

/* clang-format off */
#define CUBLAS_FUNCTIONS(F) \
	F(property,           "cublasGetProperty", (int what, int *value)) \
	F(create,             "cublasCreate_v2", (handle *)) \
	F(set_stream,         "cublasSetStream_v2", (handle, void *stream)) \
	F(set_math,           "cublasSetMathMode", (handle, int mode)) \
	F(set_vector,         "cublasSetVectorAsync", (int n, int size, const void *host, int incx, void *device, int incy, void *stream)) \
	F(sgemm,              "cublasSgemm_v2", (handle, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda, \
						const float *b, int ldb, const float *beta, float *c, int ldc)) \
	F(dgemm_batched,      "cublasDgemmBatched", (handle, int ta, int tb, int m, int n, int k, const double *alpha, \
						const double *const *a, int lda, const double *const *b, int ldb, const double *beta, \
						double *const *c, int ldc, int count)) \
	F(cgemv,              "cublasCgemv_v2", (handle, int trans, int m, int n, const float *alpha, const void *a, int lda, const void *x, \
						int incx, const float *beta, void *y, int incy)) \
	F(strsv,              "cublasStrsv_v2", (handle, int uplo, int trans, int diag, int n, const float *a, int lda, float *x, int incx)) \
	F(gemm,               "cublasGemmEx", (handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int ka, int lda, \
						const void *b, int kb, int ldb, const void *beta, void *c, int kc, int ldc, int compute, \
						int algorithm)) \
	F(gemm_strided,       "cublasGemmStridedBatchedEx", (handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, \
						int ka, int lda, long long sa, const void *b, int kb, int ldb, long long sb, const void *beta, \
						void *c, int kc, int ldc, long long sc, int count, int compute, int algorithm)) \
	F(lt_new_desc,        "cublasLtMatmulDescCreate", (lt_desc *, int compute, int scale)) \
	F(lt_set,             "cublasLtMatmulDescSetAttribute", (lt_desc, int what, const void *value, size_t bytes)) \
	F(lt_new_layout,      "cublasLtMatrixLayoutCreate", (lt_layout *, int kind, uint64_t rows, uint64_t columns, int64_t ld)) \
	F(lt_new_preference,  "cublasLtMatmulPreferenceCreate", (lt_preference *)) \
	F(lt_prefer,          "cublasLtMatmulPreferenceSetAttribute", (lt_preference, int what, const void *value, size_t bytes)) \
	F(lt_choose,          "cublasLtMatmulAlgoGetHeuristic", (handle, lt_desc, lt_layout a, lt_layout b, lt_layout c, lt_layout d, \
						lt_preference, int wanted, struct lt_choice *, int *found)) \
	F(lt_matmul,          "cublasLtMatmul", (handle, lt_desc, const void *alpha, const void *a, lt_layout la, const void *b, lt_layout lb, \
						const void *beta, const void *c, lt_layout lc, void *d, lt_layout ld, const void *algorithm, \
						void *workspace, size_t bytes, void *stream)) \
	F(lt_drop_desc,       "cublasLtMatmulDescDestroy", (lt_desc)) \
	F(lt_drop_layout,     "cublasLtMatrixLayoutDestroy", (lt_layout)) \
	F(lt_drop_preference, "cublasLtMatmulPreferenceDestroy", (lt_preference))
/* clang-format on */

static struct cublas {
#define F(field, symbol, params) int(*field) params;
	CUBLAS_FUNCTIONS(F)
#undef F
} cublas; /* not locked: calls come one at a time */

/* Opens libcublasLt beside libcublas, where the loader need not look. Once opened, libcublas finds
 * it by its name. */
static void open_half(const char *path)
{
	static const char name[] = "libcublas.so.";
	const char *file = strrchr(path, '/');
	char half[PATH_MAX + 100];

	if (!file || strncmp(file + 1, name, sizeof name - 1))
		return;
	file++;
	snprintf(half, sizeof half, "%.*slibcublasLt.so.%.*s", (int)(file - path), path,
		 (int)strcspn(file + sizeof name - 1, "."), file + sizeof name - 1);
	dlopen(half, RTLD_NOW | RTLD_GLOBAL);
}

/* Opens the library. Returns NULL, or what is wrong. */
static const char *load(const char *path, void **lib)
{
	static const struct {
		const char *name;
		size_t at;
	} symbols[] = {
#define F(field, symbol, params) { symbol, offsetof(struct cublas, field) },
		CUBLAS_FUNCTIONS(F)
#undef F
	};
	static char wrong[64];

	open_half(path);
	*lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!*lib)
		return "is not installed";
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *f = dlsym(*lib, symbols[i].name);

		if (!f) {
			snprintf(wrong, sizeof wrong, "has no %s", symbols[i].name);
			return wrong;
		}
		memcpy((char *)&cublas + symbols[i].at, &f, sizeof f);
	}
	return NULL;
}

#ifdef DESCRIBED

#include <link.h>

/* Stores "13.0.2", a newline and the library's path, and returns 0; or stores an error such as "is
 * not installed" and returns -1. For a process that ends soon. */
int cublas_describe(const char *name, char *text, size_t n);
int cublas_describe(const char *name, char *text, size_t n)
{
	struct link_map *map = NULL;
	const char *wrong;
	int v[3] = { 0 };
	char *real;
	void *lib;

	wrong = load(name, &lib);
	for (int i = 0; i < 3 && !wrong; i++)
		if (cublas.property(i, &v[i]))
			wrong = "does not say its version";
	if (wrong) {
		snprintf(text, n, "%s", wrong);
		return -1;
	}
	real = dlinfo(lib, RTLD_DI_LINKMAP, &map) ? NULL : realpath(map->l_name, NULL);
	snprintf(text, n, "%d.%d.%d\n%s", v[0], v[1], v[2], real ? real : name);
	free(real);
	return 0;
}

#else

enum { NO_LIBRARY = 2, FAILED = 1000 };

/* Constants of cublas_api.h and library_types.h. */
enum { OP_N, OP_T, OP_C };
enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70 };
enum { NOT_SUPPORTED = 15, ANY_ALGORITHM = -1, MATH_DEFAULT = 0, MATH_WHOLE_REDUCTION = 16 };

static handle blas;
static void *stream; /* the stream that cuBLAS uses now */

__attribute__((constructor)) static void open_all(void)
{
	void *lib;

	if (load(CUBLAS, &lib) || cublas.create(&blas))
		blas = NULL;
	else if (cublas.set_math(blas, MATH_DEFAULT | MATH_WHOLE_REDUCTION))
		blas = NULL;
}

/* Returns false if there is no library, or no device for it. */
static bool ready(const ay_ctx *ctx)
{
	if (!blas || ctx->device.type != AY_CUDA)
		return false;
	if (stream != ctx->stream) {
		if (cublas.set_stream(blas, ctx->stream))
			return false;
		stream = ctx->stream;
	}
	return true;
}

static int result_of_status(int status)
{
	return !status ? AY_OK : status == NOT_SUPPORTED ? AY_UNSUPPORTED : FAILED + status;
}

/* Returns true if x fits in int, which cuBLAS's functions use. */
static bool fits(int64_t x)
{
	return x >= INT_MIN && x <= INT_MAX;
}

static int op_of(const char *t)
{
	return t[0] == 'N' ? OP_N : t[0] == 'T' ? OP_T : OP_C;
}

#endif
