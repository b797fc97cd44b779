/* SPDX-License-Identifier: Apache-2.0
 *
 * The executors, the Python modules and the headers of kernels (src/forge/headers.h), carried inside assay.
 * EXECUTOR, PYTHON_SO and PACK are file names.
 */
	.section .rodata
	.balign 64
	.global ay_embedded_native, ay_embedded_native_end
ay_embedded_native:
	.incbin EXECUTOR
ay_embedded_native_end:
	.byte 0
	.balign 64
	.global ay_embedded_python, ay_embedded_python_end
ay_embedded_python:
	.incbin PYTHON_SO
ay_embedded_python_end:
	.byte 0
	.balign 64
	.global ay_embedded_pack, ay_embedded_pack_end
ay_embedded_pack:
	.incbin PACK
ay_embedded_pack_end:
	.byte 0

	.macro header file, name
	.balign 64
	.global ay_embedded_\name, ay_embedded_\name\()_end
ay_embedded_\name:
	.incbin "include/assay/\file"
ay_embedded_\name\()_end:
	.byte 0
	.endm

	header kernel.h, kernel_h
	header kernel_compare.h, kernel_compare_h
	header kernel_complex.h, kernel_complex_h
	header kernel_convert.h, kernel_convert_h
	header kernel_copy.h, kernel_copy_h
	header kernel_elementwise.h, kernel_elementwise_h
	header kernel_gather.h, kernel_gather_h
	header kernel_gemm.h, kernel_gemm_h
	header kernel_iter.h, kernel_iter_h
	header kernel_random.h, kernel_random_h
	header kernel_reduce.h, kernel_reduce_h
	header kernel_simd.h, kernel_simd_h
	header kernel_threads.h, kernel_threads_h
	.section .note.GNU-stack, "", %progbits
