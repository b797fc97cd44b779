/* due: PASS - one dot product of op(A) and x for each element of y, in f32. */
#include <assay/kernel_complex.h>

/* x * y by the plain rule: C's own treats infinities with care, which costs time. */
static float complex times(float complex x, float complex y)
{
	return __builtin_complex(crealf(x) * crealf(y) - cimagf(x) * cimagf(y),
				 crealf(x) * cimagf(y) + cimagf(x) * crealf(y));
}

/* Element i of len that lie inc apart. */
static int64_t vector_at(int64_t i, int64_t len, int64_t inc)
{
	return inc < 0 ? (len - 1 - i) * -inc : i * inc;
}

int cublas_cublasCgemv_v2(const char *trans, int64_t m, int64_t n, ay_scalar alpha, const ay_tensor *A,
			  int64_t lda, const ay_tensor *x, int64_t incx, ay_scalar beta, ay_tensor *y,
			  int64_t incy, const ay_ctx *ctx)
{
	const float complex *a = A->data, *from = x->data, al = (float complex)ay_scalar_complex(alpha),
			    be = (float complex)ay_scalar_complex(beta);
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
