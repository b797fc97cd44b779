/* SPDX-License-Identifier: Apache-2.0
 *
 * The pages of docs/, carried inside assay. DOCS is their pack.
 */
	.section .rodata
	.balign 64
	.global ay_embedded_docs, ay_embedded_docs_end
ay_embedded_docs:
	.incbin DOCS
ay_embedded_docs_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
