/* SPDX-License-Identifier: Apache-2.0
 *
 * floor - the least time that a correct kernel can need for a call.
 *
 * A kernel that is faster than 0.9 of its floor did not do the work, or not within the measured
 * time. The floor is the larger of two times: that of an empty call, and that of the bytes which
 * every correct algorithm must touch. These bytes count at the highest speed that this machine has
 * shown for a working set as large as all sets of a batch, plus a margin if the machine was only
 * measured quickly.
 *
 * FLOPs are reported but are never part of the floor. Matrix products have faster algorithms
 * (Strassen), sums can use fewer instructions, and of no operator here is it proven that no faster
 * algorithm exists.
 */
#ifndef AY_TIMING_FLOOR_H
#define AY_TIMING_FLOOR_H

#include "op/call.h"
#include "timing/ceiling.h"

struct ay_floor {
	double ns;
	double bytes, flops; /* of one call; flops 0: none counted */
};

/* Computes bytes and FLOPs only, which do not depend on the machine. */
void ay_floor_cost(const struct ay_call *c, struct ay_floor *f);
/* Returns the dtype that a call multiplies. Matrix products run at the speed of this dtype, not of
 * their accumulator. Quantized weights in fewer bits follow the tensor that they are multiplied
 * with, and are widened to its dtype. */
enum ay_dt ay_multiplied(const struct ay_call *c);
/* Computes the floor. pool_bytes: all sets of a batch together. null_ns: time of an empty call. */
void ay_floor(const struct ay_call *c, const struct ay_ceilings *m, int threads, double pool_bytes, double null_ns,
	      struct ay_floor *f);

#endif
