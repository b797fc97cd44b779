/* SPDX-License-Identifier: Apache-2.0
 *
 * The templates of prompts, carried inside assay. PROMPTS is their pack.
 */
	.section .rodata
	.balign 64
	.global ay_embedded_prompts, ay_embedded_prompts_end
ay_embedded_prompts:
	.incbin PROMPTS
ay_embedded_prompts_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
