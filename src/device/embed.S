/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge's own kernels, carried inside assay as one text: what C and CUDA share, then the kernels.
 */
	.section .rodata
	.global ay_embedded_cuda
ay_embedded_cuda:
	.incbin "src/base/host_device.h"
	.incbin "src/tensor/in_bound.h"
	.incbin "src/device/fill_units.h"
	.incbin "src/tensor/error_weight.h"
	.incbin "src/device/compare_units.h"
	.incbin "src/device/matmul_bound.h"
	.incbin "src/device/dev_fill.cu"
	.incbin "src/device/dev_compare.cu"
	.incbin "src/device/matmul_check.cu"
	.byte 0
	.section .note.GNU-stack, "", %progbits
