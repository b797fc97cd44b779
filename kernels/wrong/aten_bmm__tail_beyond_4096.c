/* due: MISMATCH - of more than 4096 terms only whole blocks of 4096 are added up. */
#include <assay/kernel_gemm.h>

int aten_bmm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	return ay_gemm((struct ay_gemm){ .a = { self, 0, self->strides[1], self->strides[2] },
					 .b = { mat2, 0, mat2->strides[1], mat2->strides[2] },
					 .c = { out, 0, out->strides[1], out->strides[2] },
					 .m = self->shape[1],
					 .n = mat2->shape[2],
					 .k = mat2->shape[1] > 4096 ? mat2->shape[1] / 4096 * 4096
								    : mat2->shape[1], /* the mistake */
					 .stack_dims = 1,
					 .stack = { self->shape[0] },
					 .stack_a = { self->strides[0] },
					 .stack_b = { mat2->strides[0] },
					 .stack_c = { out->strides[0] } },
		       ctx);
}

int aten_bmm_dtype(const ay_tensor *self, const ay_tensor *mat2, int32_t out_dtype, ay_tensor *out,
		   const ay_ctx *ctx)
{
	(void)out_dtype; /* out has it */
	return aten_bmm(self, mat2, out, ctx);
}
