/* due: MISMATCH - the element itself is not in its sum. */
#include <assay/kernel.h>

static bool is_integral(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_INT || t->dtype.code == AY_CODE_UINT || t->dtype.code == AY_CODE_BOOL;
}

static uint64_t read_int(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const uint64_t *)t->data)[at] : (uint64_t)(int64_t)ay_read(t, at);
}

static void write_int(const ay_tensor *t, int64_t at, uint64_t x)
{
	switch (ay_dt(t)) {
	case AY_I64: ((uint64_t *)t->data)[at] = x; break;
	case AY_I32: ((uint32_t *)t->data)[at] = (uint32_t)x; break;
	case AY_I16: ((uint16_t *)t->data)[at] = (uint16_t)x; break;
	default: ((uint8_t *)t->data)[at] = (uint8_t)x;
	}
}

/* A number of self as out's dtype holds it. */
static double as_dtype(const ay_tensor *out, double x)
{
	switch (ay_dt(out)) {
	case AY_F32: return (float)x;
	case AY_F16: return ay_from_f16(ay_to_f16((float)x));
	case AY_BF16: return ay_from_bf16(ay_to_bf16((float)x));
	default: return x;
	}
}

/* One line: n elements, sx and so apart. */
static void scan(const ay_tensor *x, int64_t ix, int64_t sx, ay_tensor *out, int64_t io, int64_t so, int64_t n)
{
	uint64_t whole = 0;
	double sum = 0;

	for (int64_t i = 0; i < n; i++, ix += sx, io += so) {
		if (is_integral(out)) {
			write_int(out, io, whole);
			whole += read_int(x, ix);
		} else {
			ay_write(out, io, sum);
			sum += as_dtype(out, ay_read(x, ix));
		}
	}
}

/* A complex tensor is two real ones that lie between each other. */
static ay_tensor part_of(const ay_tensor *t, int part)
{
	ay_tensor p = *t;

	p.dtype = (ay_dtype){ AY_CODE_FLOAT, (uint8_t)(t->dtype.bits / 2), 1 };
	p.data = (char *)t->data + part * t->dtype.bits / 16;
	return p;
}

int aten_cumsum(const ay_tensor *self, int64_t dim, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + self->ndim : dim, n = self->ndim ? self->shape[axis] : 1;
	const int64_t sx = self->ndim ? self->strides[axis] : 0, so = self->ndim ? out->strides[axis] : 0;
	int64_t inner = 1;

	(void)dtype, (void)ctx; /* out's dtype says it already */
	if (ay_is_complex(self) != ay_is_complex(out))
		return AY_UNSUPPORTED;
	for (int64_t d = axis + 1; d < self->ndim; d++)
		inner *= self->shape[d];
	for (int64_t row = 0; ay_numel(self) && row < ay_numel(self) / n; row++) {
		const int64_t first = row / inner * inner * n + row % inner;
		const int64_t ix = ay_at(self, first), io = ay_at(out, first);

		if (!ay_is_complex(self)) {
			scan(self, ix, sx, out, io, so, n);
			continue;
		}
		for (int part = 0; part < 2; part++) {
			const ay_tensor x = part_of(self, part);
			ay_tensor y = part_of(out, part);

			scan(&x, 2 * ix, 2 * sx, &y, 2 * io, 2 * so, n);
		}
	}
	return AY_OK;
}
