/* SPDX-License-Identifier: Apache-2.0
 *
 * encode - writes a batch as a CALL message. The judge's side only.
 */
#ifndef AY_EXEC_ENCODE_H
#define AY_EXEC_ENCODE_H

#include "exec/exec.h"
#include "exec/wire.h"

/* Appends the payload of a CALL. told: the executor describes its results in slot b->told. If the
 * writer is too small, it is `full` afterwards, which is no failure. */
int ay_encode_call(struct ay_wire_writer *w, const struct ay_batch *b, int entry, uint64_t scratch_max, bool told,
		   struct ay_err *err);
/* Returns how many new tensors the call returns: results that are no arguments. */
int ay_encode_nresult(const struct ay_call *c);
/* Returns how many results of the function are not tensors. */
int ay_encode_nscalar(const struct ay_proto *p);
/* Returns scalar result k, read from `raw` as the kernel left it, with the type of its parameter.
 * kind is -1 if it is invalid. */
ay_scalar ay_encode_scalar(const struct ay_proto *p, int k, const void *raw);

#endif
