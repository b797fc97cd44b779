/* SPDX-License-Identifier: Apache-2.0
 *
 * fill - the content of inputs. Every element is a pure function of (key, ordinal of the tensor, position), so any
 * one can be made again alone; position is the place in storage, so that expanded and overlapping tensors agree
 * with themselves. Integers, + - * and sqrt only: the same bits on every machine. Of half types 2^22 elements are drawn:
 * that is more than they have values, and what lies beyond repeats lines of these, drawn by lot.
 *
 * Ordered fills (perm, sorted) and data= go by logical index and are refused where elements share storage.
 */
#ifndef AY_OP_FILL_H
#define AY_OP_FILL_H

#include "op/op.h"

/* Is this a fill, and are its arguments what it takes? Names of all fills are in the message. */
int ay_fill_check(const struct ay_call *c, const struct ay_operand *o, struct ay_err *err);
/* Returns true if o is filled by uniform(a, b), and stores a and b. */
bool ay_fill_is_uniform(const struct ay_operand *o, double range[2]);
/* Is every element a matter of its place and of chance of its own, so that lines of two such contents make a third? */
bool ay_fill_is_by_place(const struct ay_call *c, const struct ay_operand *o);
/* The whole storage of o (ay_view_extent elements) into dst; dst is where storage begins, before the offset. */
void ay_fill_storage(const struct ay_call *c, const struct ay_operand *o, void *dst);
/* The same by several threads, where there is enough for them. */
void ay_fill_storage_by(const struct ay_call *c, const struct ay_operand *o, void *dst, int threads);
/* Bytes of an operand's storage. */
uint64_t ay_operand_bytes(const struct ay_operand *o);
/* Memory in the arena for every operand, inputs filled, in-place ones with their old content, the others zero: for
 * whoever runs a reference without an executor. */
void ay_fill_call(struct ay_arena *a, struct ay_call *c);
/* One line per fill for docs and help: name, arguments, meaning. {0}-ended pairs. */
struct ay_fill_doc {
	const char *usage, *text;
};
extern const struct ay_fill_doc ay_fill_docs[];

#endif
