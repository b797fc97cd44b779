/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge's own kernels, carried inside assay as one text: what C and CUDA share, then the kernels.
 */
	.section .rodata
	.global ay_embedded_cuda
ay_embedded_cuda:
	.incbin "src/base/either.h"
	.incbin "src/tensor/within.h"
	.incbin "src/device/lines.h"
	.incbin "src/tensor/weight.h"
	.incbin "src/device/differ.h"
	.incbin "src/device/terms.h"
	.incbin "src/device/make.cu"
	.incbin "src/device/compare.cu"
	.incbin "src/device/product.cu"
	.byte 0
	.section .note.GNU-stack, "", %progbits
