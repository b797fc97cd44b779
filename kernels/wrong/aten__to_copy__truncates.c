/* due: MISMATCH - halves are cut off, not rounded. */
#include <assay/kernel_convert.h>

static double part_at(const ay_tensor *t, int64_t at, int part)
{
	switch (ay_dt(t)) {
	case AY_C128: return ((const double *)t->data)[2 * at + part];
	case AY_C64: return ((const float *)t->data)[2 * at + part];
	case AY_C32: return ay_from_f16(((const uint16_t *)t->data)[2 * at + part]);
	default: return part ? 0 : ay_read(t, at);
	}
}

static void write_part(const ay_tensor *t, int64_t at, int part, double x)
{
	if (ay_dt(t) == AY_C128)
		((double *)t->data)[2 * at + part] = x;
	else if (ay_dt(t) == AY_C64)
		((float *)t->data)[2 * at + part] = (float)x;
	else
		((uint16_t *)t->data)[2 * at + part] = ay_to_f16((float)x);
}

static void convert(const ay_tensor *src, int64_t from, ay_tensor *dst, int64_t to)
{
	const int sign = src->flags & AY_CONJ ? -1 : 1;

	if (ay_is_complex(dst)) {
		write_part(dst, to, 0, part_at(src, from, 0));
		write_part(dst, to, 1, sign * part_at(src, from, 1));
	} else if (ay_is_integral(src) && ay_is_integral(dst)) {
		ay_write_int(dst, to, ay_read_int(src, from));
	} else if (ay_dt(src) == AY_I64 && ay_dt(dst) == AY_F32) {
		((float *)dst->data)[to] = (float)((const int64_t *)src->data)[from];
	} else {
		double x = part_at(src, from, 0);

		if (ay_dt(dst) == AY_BF16)
			x = ay_bits_f32(ay_f32_bits((float)x) & 0xffff0000u);
		ay_write(dst, to, x);
	}
}

int aten__to_copy(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		  const bool *pin_memory, bool non_blocking, int32_t memory_format, ay_tensor *out,
		  const ay_ctx *ctx)
{
	const size_t item = (size_t)self->dtype.bits / 8;

	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)non_blocking, (void)memory_format,
		(void)ctx;
	for (int64_t i = 0, n = ay_numel(out); i < n; i++) {
		const int64_t from = ay_at(self, i), to = ay_at(out, i);

		if (ay_dt(self) == ay_dt(out) && !self->flags)
			memcpy((char *)out->data + (size_t)to * item,
			       (const char *)self->data + (size_t)from * item, item);
		else
			convert(self, from, out, to);
	}
	return AY_OK;
}
