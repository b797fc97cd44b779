/* due: MISMATCH - adds whole groups of eight and forgets the rest. */
#include <assay/kernel.h>
/* Sums along the last dimension of a dense tensor, or of all elements; other calls are not taken. */
static int sum(const ay_tensor *self, int64_t n, ay_tensor *out)
{
	if (!ay_is_dense(self) || self->dtype.code == AY_CODE_COMPLEX || out->dtype.code == AY_CODE_INT)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		double sum = 0;

		for (int64_t j = 0; j < n / 8 * 8; j++)
			sum += ay_read(self, i * n + j);
		ay_write(out, ay_at(out, i), sum);
	}
	return AY_OK;
}

int aten_sum_dim_IntList(const ay_tensor *self, const int64_t *dim, int64_t n_dim, bool keepdim, int32_t dtype,
			 ay_tensor *out, const ay_ctx *ctx)
{
	(void)keepdim, (void)dtype, (void)ctx;
	if (n_dim != 1 || !self->ndim || (dim[0] != -1 && dim[0] != self->ndim - 1))
		return AY_UNSUPPORTED;
	return sum(self, self->shape[self->ndim - 1], out);
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype, (void)ctx;
	return sum(self, ay_numel(self), out);
}
