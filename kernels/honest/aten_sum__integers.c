/* due: PASS - sums, with a loop of their own for 64-bit integers; what a timing cheat is held against. */
#include <assay/kernel_convert.h>

static int64_t total(const ay_tensor *self)
{
	const int64_t *x = self->data;
	uint64_t sum = 0;

	for (int64_t i = 0, n = ay_numel(self); i < n; i++)
		sum += (uint64_t)x[i];
	return (int64_t)sum;
}

/* Everything but dense 64-bit integers. */
static int sum_any(const ay_tensor *self, ay_tensor *out)
{
	const bool integers = out->dtype.code == AY_CODE_INT;
	double sum[2] = { 0 };
	uint64_t whole = 0;

	for (int64_t i = 0, n = ay_numel(self); i < n; i++)
		if (integers && ay_dt(self) == AY_I64)
			whole += (uint64_t)((const int64_t *)self->data)[ay_at(self, i)];
		else
			for (int part = 0; part <= ay_is_complex(out); part++)
				sum[part] += ay_read_part(self, ay_at(self, i), part);
	if (ay_dt(self) == AY_I64 && ay_dt(out) == AY_I64)
		*(int64_t *)out->data = (int64_t)whole;
	else
		for (int part = 0; part <= ay_is_complex(out); part++)
			ay_write_part(out, 0, part, sum[part]);
	return AY_OK;
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx, (void)dtype;
	if (ay_dt(self) != AY_I64 || ay_dt(out) != AY_I64 || !ay_is_dense(self))
		return sum_any(self, out);
	*(int64_t *)out->data = total(self);
	return AY_OK;
}
