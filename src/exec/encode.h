/* SPDX-License-Identifier: Apache-2.0
 *
 * encode - a batch as a CALL message. The judge's side only.
 */
#ifndef AY_EXEC_ENCODE_H
#define AY_EXEC_ENCODE_H

#include "exec/exec.h"
#include "exec/wire.h"

/* Appends the payload; told: b->told is for the executor's words. A writer that was too small is `full` afterwards; that is no failure. */
int ay_encode_call(struct ay_wire_writer *w, const struct ay_batch *b, int entry, uint64_t scratch_max, bool told,
		   struct ay_err *err);
/* How many tensors the call returns that are no arguments. */
int ay_encode_nresult(const struct ay_call *c);
/* How many results of the function are not tensors. */
int ay_encode_nscalar(const struct ay_proto *p);
/* Result k as the kernel left it, by the type that it was asked for; kind -1 if it is none. */
ay_scalar ay_encode_scalar(const struct ay_proto *p, int k, const void *raw);

#endif
