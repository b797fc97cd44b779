/* due: MISMATCH - means whose result is f64 are added up in f32, but for f64 inputs. */
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

static void mean_slowly(const ay_tensor *self, const struct ay_reduce_dims *o, ay_tensor *out)
{
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const int64_t base = ay_result_at(o, i), to = ay_at(out, i);

		for (int part = 0; part <= ay_is_complex(out); part++) {
			const bool narrow = ay_dt(out) == AY_F64 && ay_dt(self) != AY_F64 &&
					    o->n >= 100; /* the mistake */
			double sum = 0;

			for (int64_t e = 0; e < o->n; e++) {
				sum += ay_read_part(self, base + ay_reduced_at(o, e), part);
				sum = narrow ? (float)sum : sum;
			}
			ay_write_part(out, to, part, sum / (double)o->n);
		}
	}
}

static int mean_mask(const ay_tensor *self, unsigned mask, ay_tensor *out, const ay_ctx *ctx)
{
	const struct ay_reduce_dims o = ay_order_dims(self, mask);

	if (ay_can_reduce_floats(self, out))
		ay_reduce_floats((struct ay_reduce){ .self = self, .out = out, .divisor = (double)o.n }, mask,
				 sum_part, add_spans, ctx);
	else
		mean_slowly(self, &o, out);
	return AY_OK;
}

int aten_mean_dim(const ay_tensor *self, const int64_t *dim, int64_t n_dim, bool keepdim, int32_t dtype,
		  ay_tensor *out, const ay_ctx *ctx)
{
	(void)keepdim, (void)dtype; /* out's shape and dtype say it already */
	return mean_mask(self, ay_dims_mask(self, dim, n_dim), out, ctx);
}

int aten_mean(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype;
	return mean_mask(self, ~0u, out, ctx);
}
