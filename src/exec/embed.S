/* SPDX-License-Identifier: Apache-2.0
 *
 * The executors, the Python modules and kernel.h, carried inside assay. EXECUTOR, PYTHON_SO, PACK and KERNEL_H are
 * their file names.
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
	.balign 64
	.global ay_embedded_kernel_h, ay_embedded_kernel_h_end
ay_embedded_kernel_h:
	.incbin KERNEL_H
ay_embedded_kernel_h_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
