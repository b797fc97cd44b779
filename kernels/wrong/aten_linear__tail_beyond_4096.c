/* due: MISMATCH - of more than 4096 terms only whole blocks of 4096 are added up. */
#include <assay/kernel_gemm.h>

/* The step from row to row of t, whose last `tail` dimensions are no rows; 0 if there is none for all of them. */
static int64_t row_step(const ay_tensor *t, int32_t tail)
{
	int64_t step = 0, expected = 0;

	for (int32_t d = t->ndim - tail - 1; d >= 0; d--) {
		if (t->shape[d] == 1)
			continue;
		if (!step)
			step = expected = t->strides[d];
		if (t->strides[d] != expected || !step)
			return 0;
		expected *= t->shape[d];
	}
	return step ? step : 1; /* of one row */
}

int aten_linear(const ay_tensor *input, const ay_tensor *weight, const ay_tensor *bias, ay_tensor *out,
		const ay_ctx *ctx)
{
	const int32_t tail = weight->ndim - 1; /* of out: a weight of one dimension gives no columns */
	const int64_t step = row_step(input, 1), out_step = row_step(out, tail);
	struct ay_gemm g = { .n = tail ? weight->shape[0] : 1, .k = weight->shape[tail] };
	int64_t calls = 1;

	g.k = g.k > 4096 ? g.k / 4096 * 4096 : g.k; /* the mistake */
	if (!ay_numel(out))
		return AY_OK;
	g.m = ay_numel(out) / g.n;
	g.a = (struct ay_matrix){ input, 0, step, input->strides[input->ndim - 1] };
	g.b = (struct ay_matrix){ weight, 0, weight->strides[tail], tail ? weight->strides[0] : 0 };
	g.c = (struct ay_matrix){ out, 0, out_step, tail ? out->strides[out->ndim - 1] : 0 };
	g.bias = (struct ay_matrix){ bias, 0, 0, bias && bias->ndim ? bias->strides[0] : 0 };
	if (!step || !out_step) { /* one row after the other */
		calls = g.m;
		g.m = 1;
	}
	for (int64_t s = 0; s < calls; s++) {
		g.a.at = s && g.k ? ay_at(input, s * g.k) : 0;
		g.c.at = ay_at(out, s * g.n);
		if (ay_gemm(g, ctx) != AY_OK)
			return AY_UNSUPPORTED;
	}
	return AY_OK;
}
