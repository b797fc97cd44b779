/* due: PASS - all forms of matmul. Floats up to f32: packed and blocked, or one pass over the matrix where the other
 * side is a vector or a few; sums are f32. The rest, f64, integers and complex numbers, in plain loops. */
#include <assay/kernel_gemm.h>

/* The stride of t, broadcast, along dimension d of out's stack; `tail` dimensions of t are no stack. */
static int64_t stack_stride(const ay_tensor *t, int32_t tail, const ay_tensor *out, int32_t out_tail, int32_t d)
{
	const int32_t own = t->ndim - tail - (out->ndim - out_tail - d);

	return own >= 0 && t->shape[own] > 1 ? t->strides[own] : 0;
}

int aten_matmul(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	const int32_t ta = self->ndim > 1 ? 2 : 1, tb = other->ndim > 1 ? 2 : 1, tc = ta + tb - 2;
	const int32_t last_a = self->ndim - 1, last_b = other->ndim - 1, last_c = out->ndim - 1;
	struct ay_gemm g = { .m = ta == 2 ? self->shape[last_a - 1] : 1,
			     .n = tb == 2 ? other->shape[last_b] : 1,
			     .k = self->shape[last_a],
			     .stack_dims = out->ndim - tc };

	g.a = (struct ay_matrix){ self, 0, ta == 2 ? self->strides[last_a - 1] : 0, self->strides[last_a] };
	g.b = (struct ay_matrix){ other, 0, other->strides[other->ndim - tb],
				  tb == 2 ? other->strides[last_b] : 1 };
	g.c = (struct ay_matrix){ out, 0, ta == 2 ? out->strides[out->ndim - tc] : 0,
				  tb == 2 ? out->strides[last_c] : 1 };
	for (int32_t d = 0; d < g.stack_dims; d++) {
		g.stack[d] = out->shape[d];
		g.stack_a[d] = stack_stride(self, ta, out, tc, d);
		g.stack_b[d] = stack_stride(other, tb, out, tc, d);
		g.stack_c[d] = out->strides[d];
	}
	return ay_gemm(g, ctx);
}
