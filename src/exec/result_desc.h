/* SPDX-License-Identifier: Apache-2.0
 *
 * result_desc - checks an executor's description of a result that lies in its own memory against
 * what the call returns. Works on descriptions alone; the result's memory is read by the caller
 * (read_results.c) or made up (the fuzz target `message`).
 */
#ifndef AY_EXEC_RESULT_DESC_H
#define AY_EXEC_RESULT_DESC_H

#include "exec/wire.h"
#include "op/call.h"
#include "tensor/buffer.h"

/* A checked description of a result. */
struct ay_result_desc {
	struct ay_view view; /* of the bytes [lo, hi) of the executor */
	uint64_t lo, hi;
	uint32_t flags; /* AY_CONJ, AY_NEG */
	/* set by ay_result_desc_find: in which memory it lies, at which offset, and in which
	 * slot */
	enum ay_wire_where where;
	uint64_t offset;
	uint32_t slot;
};

/* The memory of a device in which an executor's results may lie. */
struct ay_result_desc_memory {
	uint64_t heap; /* bytes of the heap; 0: there is none */
	int nslot;
	const struct ay_slot *slot; /* those with `host` are not on the device */
};

/* Checks everything but the memory itself. alias: elements may share memory, as those of views do.
 * Returns 1 if it is no result of the call; `text` then explains it to the kernel's author. */
int ay_result_desc_examine(struct ay_result_desc *t, const struct ay_wire_result *r, const struct ay_operand *want,
			   bool alias, char *text, size_t n);
/* As ay_result_desc_examine, for an executor with a device. A result in the heap or in a slot must
 * lie there to its last byte. lo and hi become made-up addresses, at which the heap and the slots
 * do not overlap. */
int ay_result_desc_find(struct ay_result_desc *t, const struct ay_wire_result *r, const struct ay_operand *want,
			bool alias, const struct ay_result_desc_memory *m, char *text, size_t n);
/* Returns true if the result overlaps [lo, hi). */
bool ay_result_desc_meets(const struct ay_result_desc *t, uint64_t lo, uint64_t hi);
/* Returns true if the elements lie so far apart that reading all bytes between them would be a
 * waste. */
bool ay_result_desc_is_sparse(const struct ay_result_desc *t);
/* Copies the result from mem to `to`, in to's layout. mem has the bytes [lo, hi), or only the
 * elements in row-major order if ay_result_desc_is_sparse. Overwrites mem. */
void ay_result_desc_lay(const struct ay_result_desc *t, uint8_t *mem, const struct ay_view *to);

#endif
