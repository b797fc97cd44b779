/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_reduce.h>
#include <math.h>

/* The mistake: a double has 53 bits. */
static int64_t read_int(const ay_tensor *t, int64_t at)
{
	return (int64_t)ay_read(t, at);
}

/* Once NaN, always NaN: nothing is less. */
static float smaller(float a, float x)
{
	return x < a || x != x ? x : a;
}

static double smaller_span(double a, double b)
{
	return b < a || b != b ? b : a;
}

static void amin_part(const void *job, int64_t from, int64_t to)
{
	ay_reduce_part(job, from, to, smaller, smaller_span);
}

static void amin_slowly(const ay_tensor *self, const struct ay_reduce_dims *o, ay_tensor *out)
{
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const int64_t base = ay_result_at(o, i), to = ay_at(out, i);
		int64_t whole = INT64_MAX;
		double min = INFINITY;

		for (int64_t e = 0; e < o->n; e++) {
			const int64_t at = base + ay_reduced_at(o, e);

			if (ay_is_float(self))
				min = smaller_span(min, ay_read(self, at));
			else
				whole = ay_min(whole, read_int(self, at));
		}
		if (ay_is_float(self))
			ay_write(out, to, min);
		else
			ay_write_int(out, to, whole);
	}
}

int aten_amin(const ay_tensor *self, const int64_t *dim, int64_t n_dim, bool keepdim, ay_tensor *out,
	      const ay_ctx *ctx)
{
	const struct ay_reduce r = { .self = self, .out = out, .start = INFINITY, .divisor = 1 };
	const unsigned mask = ay_dims_mask(self, dim, n_dim);
	const struct ay_reduce_dims o = ay_order_dims(self, mask);

	(void)keepdim; /* out's shape says it already */
	if (ay_can_reduce_floats(self, out))
		ay_reduce_floats(r, mask, amin_part, smaller_span, ctx);
	else
		amin_slowly(self, &o, out);
	return AY_OK;
}
