/* due: MISMATCH - two matrices that both lie column by column are taken for the transpose of the product. */
#include <assay/kernel_gemm.h>

int aten_mm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	const bool turned = self->strides[0] == 1 && self->strides[1] >= self->shape[0] && mat2->strides[0] == 1 &&
			    mat2->strides[1] >= mat2->shape[0] && self->shape[0] > 1 && mat2->shape[1] > 1 &&
			    mat2->shape[0] > 1 && mat2->shape[1] != self->shape[0];

	if (turned) { /* the mistake: self's columns are read as its rows */
		const int64_t strides[] = { self->shape[1], 1 };
		ay_tensor dense = *self;

		dense.strides = strides;
		return ay_gemm((struct ay_gemm){ .a = { &dense, 0, strides[0], strides[1] },
						 .b = { mat2, 0, mat2->strides[0], mat2->strides[1] },
						 .c = { out, 0, out->strides[0], out->strides[1] },
						 .m = self->shape[0],
						 .n = mat2->shape[1],
						 .k = mat2->shape[0] },
			       ctx);
	}
	return ay_gemm((struct ay_gemm){ .a = { self, 0, self->strides[0], self->strides[1] },
					 .b = { mat2, 0, mat2->strides[0], mat2->strides[1] },
					 .c = { out, 0, out->strides[0], out->strides[1] },
					 .m = self->shape[0],
					 .n = mat2->shape[1],
					 .k = mat2->shape[0] },
		       ctx);
}

int aten_mm_dtype(const ay_tensor *self, const ay_tensor *mat2, int32_t out_dtype, ay_tensor *out,
		  const ay_ctx *ctx)
{
	(void)out_dtype; /* out has it */
	return aten_mm(self, mat2, out, ctx);
}
