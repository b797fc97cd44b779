/* SPDX-License-Identifier: Apache-2.0
 *
 * told - what an executor tells of a result that lies in its own memory, judged against what the call returns. Works on
 * bytes alone: whoever has them reads the memory (read_results.c) or makes it up (the fuzz target `message`).
 */
#ifndef AY_EXEC_RESULT_DESC_H
#define AY_EXEC_RESULT_DESC_H

#include "exec/wire.h"
#include "op/call.h"
#include "tensor/buffer.h"

/* A result as it was told, with what follows from it. */
struct ay_result_desc {
	struct ay_view view; /* of the bytes [lo, hi) of the executor */
	uint64_t lo, hi;
	uint32_t flags; /* AY_CONJ, AY_NEG */
	/* ay_result_desc_find's: where it lies, how far in there, and in which slot */
	enum ay_wire_where where;
	uint64_t offset;
	uint32_t slot;
};

/* Memory of a device that an executor may tell of. */
struct ay_result_desc_memory {
	uint64_t heap; /* bytes; 0: it has none */
	int nslot;
	const struct ay_slot *slot; /* host: not the device's */
};

/* Everything but the memory itself. alias: elements may lie where others do, as those of views do. 1, and the reason for
 * the kernel's author, if it is no result of the call. */
int ay_result_desc_examine(struct ay_result_desc *t, const struct ay_wire_result *r, const struct ay_operand *want,
			   bool alias, char *text, size_t n);
/* The same of a device's executor: what is told to lie in the heap or in a slot does so, to its last byte. lo and hi are
 * addresses that nobody has, in which all memory is apart. */
int ay_result_desc_find(struct ay_result_desc *t, const struct ay_wire_result *r, const struct ay_operand *want,
			bool alias, const struct ay_result_desc_memory *m, char *text, size_t n);
bool ay_result_desc_meets(const struct ay_result_desc *t, uint64_t lo, uint64_t hi);
/* Are the elements so far from each other that reading all that lies between them would be a waste? */
bool ay_result_desc_is_sparse(const struct ay_result_desc *t);
/* From mem, which is [lo, hi) or, where it is_sparse, the elements alone in row-major order, to the view's own layout.
 * Spoils mem. */
void ay_result_desc_lay(const struct ay_result_desc *t, uint8_t *mem, const struct ay_view *to);

#endif
