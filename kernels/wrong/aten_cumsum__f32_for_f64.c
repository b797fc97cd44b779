/* due: MISMATCH - running sums of f32 whose result is f64 are added up in f32. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

/* One line: n elements, sx and so apart. */
static void scan(const ay_tensor *x, int64_t ix, int64_t sx, ay_tensor *out, int64_t io, int64_t so, int64_t n)
{
	uint64_t whole = 0;
	double sum = 0;

	for (int64_t i = 0; i < n; i++, ix += sx, io += so) {
		if (ay_is_integral(out)) {
			whole += (uint64_t)ay_read_int(x, ix);
			ay_write_int(out, io, (int64_t)whole);
		} else {
			sum += ay_round_to(out, ay_read(x, ix));
			if (ay_dt(x) == AY_F32)
				sum = (float)sum; /* the mistake */
			ay_write(out, io, sum);
		}
	}
}

int aten_cumsum(const ay_tensor *self, int64_t dim, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(self, dim), n = ay_size(self, axis);
	const int64_t sx = ay_stride(self, axis), so = ay_stride(out, axis);

	(void)dtype, (void)ctx; /* out's dtype says it already */
	if (ay_is_complex(self) != ay_is_complex(out))
		return AY_UNSUPPORTED;
	for (int64_t row = 0; ay_numel(self) && row < ay_numel(self) / n; row++) {
		const int64_t ix = ay_line_at(self, axis, row), io = ay_line_at(out, axis, row);

		if (!ay_is_complex(self)) {
			scan(self, ix, sx, out, io, so, n);
			continue;
		}
		for (int part = 0; part < 2; part++) {
			const ay_tensor x = ay_part_of(self, part);
			ay_tensor y = ay_part_of(out, part);

			scan(&x, 2 * ix, 2 * sx, &y, 2 * io, 2 * so, n);
		}
	}
	return AY_OK;
}
