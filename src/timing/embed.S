/* SPDX-License-Identifier: Apache-2.0
 *
 * The sources of the baselines and of the kernels that measure a GPU, carried inside assay.
 */
	.section .rodata
	.global ay_baseline_openblas, ay_baseline_openblas_end
ay_baseline_openblas:
	.incbin "baselines/openblas.c"
ay_baseline_openblas_end:
	.byte 0
	.global ay_baseline_cublas, ay_baseline_cublas_end
ay_baseline_cublas:
	.incbin "baselines/cublas.h"
	.incbin "baselines/cublas.c"
ay_baseline_cublas_end:
	.byte 0
	.global ay_baseline_libtorch
ay_baseline_libtorch:
	.incbin "baselines/torch_abi.h"
	.byte 0
	.global ay_ceiling_cu
ay_ceiling_cu:
	.incbin "src/timing/ceiling.cu"
	.byte 0
	.section .note.GNU-stack, "", %progbits
