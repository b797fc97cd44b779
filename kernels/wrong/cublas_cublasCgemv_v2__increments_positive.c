/* due: MISMATCH - a negative increment is taken for its size: vectors are not reversed. */
#include <assay/kernel.h>
#include <complex.h>

static float complex number(ay_scalar s)
{
	switch (s.kind) {
	case AY_SCALAR_BOOL: return s.v.b;
	case AY_SCALAR_INT: return (float)s.v.i;
	case AY_SCALAR_FLOAT: return (float)s.v.f;
	default: return __builtin_complex((float)s.v.c[0], (float)s.v.c[1]);
	}
}

/* x * y by the plain rule: C's own treats infinities with care, which costs time. */
static float complex times(float complex x, float complex y)
{
	return __builtin_complex(crealf(x) * crealf(y) - cimagf(x) * cimagf(y),
				 crealf(x) * cimagf(y) + cimagf(x) * crealf(y));
}

/* Element i of len that lie inc apart. */
static int64_t vector_at(int64_t i, int64_t len, int64_t inc)
{
	(void)len;
	return i * (inc < 0 ? -inc : inc);
}

int cublas_cublasCgemv_v2(const char *trans, int64_t m, int64_t n, ay_scalar alpha, const ay_tensor *A,
			  int64_t lda, const ay_tensor *x, int64_t incx, ay_scalar beta, ay_tensor *y,
			  int64_t incy, const ay_ctx *ctx)
{
	const float complex *a = A->data, *from = x->data, al = number(alpha), be = number(beta);
	const bool flip = trans[0] != 'N', conj = trans[0] == 'C';
	const int64_t out = flip ? n : m, in = flip ? m : n;

	(void)ctx;
	for (int64_t i = 0; i < out; i++) {
		float complex *to = (float complex *)y->data + vector_at(i, out, incy), sum = 0;

		for (int64_t k = 0; k < in; k++) {
			const float complex e = flip ? a[k + i * lda] : a[i + k * lda];

			sum += times(conj ? conjf(e) : e, from[vector_at(k, in, incx)]);
		}
		sum = times(al, sum);
		*to = be == 0 ? sum : sum + times(be, *to); /* with beta 0, y is not read */
	}
	return AY_OK;
}
