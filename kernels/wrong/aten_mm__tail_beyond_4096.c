/* due: MISMATCH - of more than 4096 terms only whole blocks of 4096 are added up. */
#include <assay/kernel_gemm.h>

int aten_mm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	return ay_gemm((struct ay_gemm){ .a = { self, 0, self->strides[0], self->strides[1] },
					 .b = { mat2, 0, mat2->strides[0], mat2->strides[1] },
					 .c = { out, 0, out->strides[0], out->strides[1] },
					 .m = self->shape[0],
					 .n = mat2->shape[1],
					 .k = mat2->shape[0] > 4096 ? mat2->shape[0] / 4096 * 4096
								    : mat2->shape[0] }, /* the mistake */
		       ctx);
}

int aten_mm_dtype(const ay_tensor *self, const ay_tensor *mat2, int32_t out_dtype, ay_tensor *out,
		  const ay_ctx *ctx)
{
	(void)out_dtype; /* out has it */
	return aten_mm(self, mat2, out, ctx);
}
