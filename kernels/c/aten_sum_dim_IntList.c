/* due: PASS - sums over listed dimensions: floats in double, integers in i64, complex numbers part by part. */
#include <assay/kernel_reduce.h>

static double sum_line(const ay_tensor *t, int64_t at, int64_t step, int64_t n)
{
	double sum = 0;

	if (ay_dt(t) == AY_F32)
		for (int64_t j = 0; j < n; j++)
			sum += ((const float *)t->data)[at + j * step];
	else
		for (int64_t j = 0; j < n; j++)
			sum += ay_read(t, at + j * step);
	return sum;
}

static uint64_t sum_line_int(const ay_tensor *t, int64_t at, int64_t step, int64_t n)
{
	uint64_t sum = 0;

	for (int64_t j = 0; j < n; j++, at += step)
		sum += (uint64_t)ay_read_int(t, at);
	return sum;
}

/* scale, to: 2 for a part of a complex tensor. */
static void sum_into(const ay_tensor *self, const struct ay_reduce_dims *o, int scale, ay_tensor *out, int to)
{
	const int dims = o->kept + o->reduced;
	const int64_t line = o->reduced ? o->shape[dims - 1] : 1, step = o->reduced ? o->stride[dims - 1] : 1;
	const bool whole = out->dtype.code == AY_CODE_INT;

	for (int64_t i = 0; i < ay_numel(out); i++) {
		const int64_t base = ay_result_at(o, i);
		double sum = 0;
		uint64_t total = 0;

		for (int64_t j = 0; j < o->n; j += line) {
			const int64_t at = base + ay_reduced_at(o, j);

			if (whole)
				total += sum_line_int(self, at, step, line);
			else
				sum += sum_line(self, at * scale, step * scale, line);
		}
		if (whole)
			ay_write_int(out, ay_at(out, i), (int64_t)total);
		else
			ay_write(out, ay_at(out, i) * to, sum);
	}
}

static void clear(ay_tensor *out, int to)
{
	for (int64_t i = 0; i < ay_numel(out); i++)
		ay_write(out, ay_at(out, i) * to, 0);
}

static int sum_mask(const ay_tensor *self, unsigned mask, ay_tensor *out)
{
	const struct ay_reduce_dims o = ay_order_dims(self, mask);

	if (ay_is_complex(self) && !ay_is_complex(out))
		return AY_UNSUPPORTED;
	if (!ay_is_complex(out))
		sum_into(self, &o, 1, out, 1);
	for (int part = 0; part < 2 && ay_is_complex(out); part++) {
		ay_tensor y = ay_part_of(out, part);

		if (ay_is_complex(self)) {
			const ay_tensor x = ay_part_of(self, part);

			sum_into(&x, &o, 2, &y, 2);
		} else if (!part) {
			sum_into(self, &o, 1, &y, 2);
		} else {
			clear(&y, 2);
		}
	}
	return AY_OK;
}

int aten_sum_dim_IntList(const ay_tensor *self, const int64_t *dim, int64_t n_dim, bool keepdim, int32_t dtype,
			 ay_tensor *out, const ay_ctx *ctx)
{
	(void)keepdim, (void)dtype, (void)ctx; /* out's shape and dtype say it already */
	return sum_mask(self, ay_dims_mask(self, dim, n_dim), out);
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype, (void)ctx;
	return sum_mask(self, ~0u, out);
}
