/* SPDX-License-Identifier: Apache-2.0
 *
 * fill - the content of inputs. Every element is a pure function of the key, the tensor's ordinal
 * and the element's position, so any element can be generated again alone. The position is that in
 * storage, so that all elements of an expanded or overlapping tensor that share memory get one
 * value. The arithmetic uses only integers, + - * and sqrt: it gives the same bits on every
 * machine. For half types, 2^22 elements are drawn, which is more than the type has values. The
 * elements after those repeat lines of the first ones, chosen at random.
 *
 * Ordered fills (perm, sorted) and data= go by logical index. They are refused for tensors whose
 * elements share storage.
 */
#ifndef AY_OP_FILL_H
#define AY_OP_FILL_H

#include "op/op.h"

/* Checks that o's fill exists and that its arguments are valid. If the fill does not exist, the
 * message lists all fills. */
int ay_fill_check(const struct ay_call *c, const struct ay_operand *o, struct ay_err *err);
/* Returns true if o is filled by uniform(a, b), and stores a and b. */
bool ay_fill_is_uniform(const struct ay_operand *o, double range[2]);
/* Returns true if each element depends only on its position and its own random bits. A mixture of
 * lines from two such contents is then a valid content too. */
bool ay_fill_is_by_place(const struct ay_call *c, const struct ay_operand *o);
/* Writes the whole storage of o (ay_view_extent elements) to dst, the begin of storage before
 * the offset. */
void ay_fill_storage(const struct ay_call *c, const struct ay_operand *o, void *dst);
/* Like ay_fill_storage, with up to `threads` threads if the tensor is large enough. */
void ay_fill_storage_by(const struct ay_call *c, const struct ay_operand *o, void *dst, int threads);
/* Returns the size of an operand's storage in bytes. */
uint64_t ay_operand_bytes(const struct ay_operand *o);
/* Allocates memory in the arena for every operand. Fills inputs and the old content of in-place
 * operands; other operands are zero. For callers that run a reference without an executor. */
void ay_fill_call(struct ay_arena *a, struct ay_call *c);
/* One line per fill for docs and help: usage with arguments, and meaning. The table ends
 * with {0}. */
struct ay_fill_doc {
	const char *usage, *text;
};
extern const struct ay_fill_doc ay_fill_docs[];

#endif
