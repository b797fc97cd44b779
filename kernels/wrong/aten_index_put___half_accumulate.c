/* due: MISMATCH - every addition is rounded to f16 or bf16, as atomicAdd does. */
#include <assay/kernel.h>
/* One index along the first dimension, i64, and values of the full shape; other calls are not taken. */
int aten_index_put_(ay_tensor *self, const ay_tensor *const *indices, int64_t n_indices, const ay_tensor *values,
		    bool accumulate, const ay_ctx *ctx)
{
	const int64_t slice = self->ndim && self->shape[0] ? ay_numel(self) / self->shape[0] : 0;

	(void)ctx;
	if (n_indices != 1 || !indices[0] || ay_dt(indices[0]) != AY_I64 || ay_is_complex(self) ||
	    ay_numel(values) != ay_numel(indices[0]) * slice)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(values); i++) {
		int64_t k = ((const int64_t *)indices[0]->data)[ay_at(indices[0], i / slice)], at;
		const double x = ay_read(values, ay_at(values, i));

		k += k < 0 ? self->shape[0] : 0;
		at = ay_at(self, k * slice + i % slice);
		ay_write(self, at, accumulate ? ay_read(self, at) + x : x);
	}
	return AY_OK;
}
