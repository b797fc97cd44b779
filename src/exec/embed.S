/* SPDX-License-Identifier: Apache-2.0
 *
 * The executor program and kernel.h, carried inside assay. EXECUTOR and KERNEL_H are their file names.
 */
	.section .rodata
	.balign 64
	.global ay_embedded_native, ay_embedded_native_end
ay_embedded_native:
	.incbin EXECUTOR
ay_embedded_native_end:
	.byte 0
	.balign 64
	.global ay_embedded_kernel_h, ay_embedded_kernel_h_end
ay_embedded_kernel_h:
	.incbin KERNEL_H
ay_embedded_kernel_h_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
