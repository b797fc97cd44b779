/* due: MISMATCH - the element itself is not in its sum. */
#include <assay/kernel_convert.h>

/* One line: n elements, sx and so apart. */
static void scan(const ay_tensor *x, int64_t ix, int64_t sx, ay_tensor *out, int64_t io, int64_t so, int64_t n)
{
	uint64_t whole = 0;
	double sum = 0;

	for (int64_t i = 0; i < n; i++, ix += sx, io += so) {
		if (ay_is_integral(out)) {
			ay_write_int(out, io, whole);
			whole += ay_read_int(x, ix);
		} else {
			ay_write(out, io, sum);
			sum += ay_round_to(out, ay_read(x, ix));
		}
	}
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
			const ay_tensor x = ay_part_of(self, part);
			ay_tensor y = ay_part_of(out, part);

			scan(&x, 2 * ix, 2 * sx, &y, 2 * io, 2 * so, n);
		}
	}
	return AY_OK;
}
