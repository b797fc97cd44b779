/* SPDX-License-Identifier: Apache-2.0
 *
 * floor - the least time that a correct kernel can need for a call. What is faster than 0.9 of it did not do the
 * work, or not in the time that was looked at.
 *
 * It is the larger of two: what a call costs that does nothing, and the bytes that every correct algorithm must
 * touch at the highest speed this machine has shown for a working set as large as the pool of all calls (at more
 * than that, where it was only measured quickly). FLOPs are told, but never part of the floor: products have faster
 * algorithms (Strassen), sums can be had from fewer instructions, and of no operator here is it known that no faster
 * one exists.
 */
#ifndef AY_TIMING_FLOOR_H
#define AY_TIMING_FLOOR_H

#include "op/call.h"
#include "timing/ceiling.h"

struct ay_floor {
	double ns;
	double bytes, flops; /* of one call; flops 0 = none counted */
};

/* Bytes and FLOPs alone, which need no machine. */
void ay_floor_cost(const struct ay_call *c, struct ay_floor *f);
/* What a call multiplies, if it does: products run at the speed of that, not of what it is summed up in. Weights in fewer
 * bits come behind what they are multiplied with, and are widened to it. */
enum ay_dt ay_multiplied(const struct ay_call *c);
/* pool_bytes: all sets of a batch together. null_ns: the empty call. */
void ay_floor(const struct ay_call *c, const struct ay_ceilings *m, int threads, double pool_bytes, double null_ns,
	      struct ay_floor *f);

#endif
