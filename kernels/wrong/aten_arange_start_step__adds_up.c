/* due: MISMATCH - adds step to the number before, so that errors pile up. */
#include <assay/kernel.h>

static double number(ay_scalar s)
{
	return s.kind == AY_SCALAR_FLOAT ? s.v.f : s.kind == AY_SCALAR_INT ? (double)s.v.i : s.v.b;
}

int aten_arange_start_step(ay_scalar start, ay_scalar end, ay_scalar step, int32_t dtype, int32_t layout,
			   const ay_device *device, const bool *pin_memory, ay_tensor *out, const ay_ctx *ctx)
{
	float x = (float)number(start);

	(void)end, (void)dtype, (void)layout, (void)device, (void)pin_memory, (void)ctx;
	for (int64_t i = 0, n = ay_numel(out); i < n; i++) {
		if (ay_dt(out) == AY_I64 && start.kind == AY_SCALAR_INT)
			((int64_t *)out->data)[ay_at(out, i)] = start.v.i + i * step.v.i;
		else
			ay_write(out, ay_at(out, i), x);
		x += (float)number(step);
	}
	return AY_OK;
}
