/* due: PASS - sixteen f32 sums side by side, as two vector registers would; added up at the end. */
#include <assay/kernel_convert.h>

/* Element i as f32: what a careful kernel for f32, f16 and bf16 adds up in. */
static float term(const ay_tensor *t, int64_t i)
{
	return (float)ay_read(t, ay_at(t, i));
}

static float sum(const ay_tensor *t, int64_t n)
{
	float s[16] = { 0 }, all = 0;

	for (int64_t i = 0; i < n; i++)
		s[i % 16] += term(t, i);
	for (int k = 0; k < 16; k++)
		all += s[k];
	return all;
}

static bool is_f32_enough(const ay_tensor *t)
{
	return ay_dt(t) == AY_F32 || ay_dt(t) == AY_F16 || ay_dt(t) == AY_BF16;
}

/* The other dtypes, without an order of their own: results of integers exactly, the rest in double. */
static void sum_wide(const ay_tensor *self, ay_tensor *out)
{
	double sum[2] = { 0 };
	uint64_t whole = 0;

	for (int64_t i = 0; i < ay_numel(self); i++)
		if (ay_is_integral(out))
			whole += (uint64_t)ay_read_int(self, ay_at(self, i));
		else
			for (int part = 0; part <= ay_is_complex(out); part++)
				sum[part] += ay_read_part(self, ay_at(self, i), part);
	if (ay_is_integral(out))
		ay_write_int(out, 0, (int64_t)whole);
	else
		for (int part = 0; part <= ay_is_complex(out); part++)
			ay_write_part(out, 0, part, sum[part]);
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype, (void)ctx;
	if (is_f32_enough(self) && is_f32_enough(out))
		ay_write(out, 0, sum(self, ay_numel(self)));
	else
		sum_wide(self, out);
	return AY_OK;
}
