/* due: PASS - sums over listed dimensions. f32, f16 and bf16 whose last dimension is dense: a line of numbers is summed
 * in lanes, or added to a line of sums. The rest: floats in double, integers in i64, complex numbers part by part. */
#include <assay/kernel_reduce.h>

static float add(float a, float x)
{
	return a + x;
}

static double add_spans(double a, double b)
{
	return a + b;
}

static void sum_part(const void *job, int64_t from, int64_t to)
{
	ay_reduce_part(job, from, to, add, add_spans);
}

/* scale, out_scale: 2 for a part of a complex tensor. */
static void sum_slowly(const ay_tensor *self, const struct ay_reduce_dims *o, int scale, ay_tensor *out,
		       int out_scale)
{
	const bool whole = out->dtype.code == AY_CODE_INT;

	for (int64_t i = 0; i < ay_numel(out); i++) {
		const int64_t base = ay_result_at(o, i), to = ay_at(out, i) * out_scale;
		double sum = 0;
		uint64_t total = 0;

		for (int64_t e = 0; e < o->n; e++) {
			const int64_t at = (base + ay_reduced_at(o, e)) * scale;

			if (whole)
				total += (uint64_t)ay_read_int(self, at);
			else
				sum += ay_read(self, at);
		}
		if (whole)
			ay_write_int(out, to, (int64_t)total);
		else
			ay_write(out, to, sum);
	}
}

static void clear(ay_tensor *out, int out_scale)
{
	for (int64_t i = 0; i < ay_numel(out); i++)
		ay_write(out, ay_at(out, i) * out_scale, 0);
}

static int sum_mask(const ay_tensor *self, unsigned mask, ay_tensor *out, const ay_ctx *ctx)
{
	const struct ay_reduce_dims o = ay_order_dims(self, mask);

	if (ay_is_complex(self) && !ay_is_complex(out))
		return AY_UNSUPPORTED;
	if (ay_can_reduce_floats(self, out))
		ay_reduce_floats((struct ay_reduce){ .self = self, .out = out, .divisor = 1 }, mask, sum_part,
				 add_spans, ctx);
	else if (!ay_is_complex(out))
		sum_slowly(self, &o, 1, out, 1);
	for (int part = 0; part < 2 && ay_is_complex(out); part++) {
		ay_tensor y = ay_part_of(out, part);

		if (ay_is_complex(self)) {
			const ay_tensor x = ay_part_of(self, part);

			sum_slowly(&x, &o, 2, &y, 2);
		} else if (!part) {
			sum_slowly(self, &o, 1, &y, 2);
		} else {
			clear(&y, 2);
		}
	}
	return AY_OK;
}

int aten_sum_dim_IntList(const ay_tensor *self, const int64_t *dim, int64_t n_dim, bool keepdim, int32_t dtype,
			 ay_tensor *out, const ay_ctx *ctx)
{
	(void)keepdim, (void)dtype; /* out's shape and dtype say it already */
	return sum_mask(self, ay_dims_mask(self, dim, n_dim), out, ctx);
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype;
	return sum_mask(self, ~0u, out, ctx);
}
