/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_loops - every known way to access memory fast, and to multiply and add fast, on this
 * CPU.
 */
#ifndef AY_TIMING_CEILING_LOOPS_H
#define AY_TIMING_CEILING_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AY_LOOP_STEP = 512, AY_LOOPS_MAX = 24, AY_FLOP_LOOPS_MAX = 6 };

/* A loop over memory. `run` processes `parts` pieces of n bytes each, `times` times. n is a
 * multiple of AY_LOOP_STEP. */
struct ay_loop {
	const char *name;
	int parts;
	int touched; /* bytes read or written per byte of a part */
	bool past;   /* its stores bypass the caches, so it is useless inside them */
	void (*run)(char *a, char *b, char *c, size_t n, int times);
};

struct ay_flop_loop {
	bool f64;
	double flops;                  /* FLOPs of one round */
	double (*run)(int64_t rounds); /* returns a value that depends on every operation */
};

/* List the loops that this CPU can run. Return their number. */
int ay_loops(struct ay_loop *list);
int ay_flop_loops(struct ay_flop_loop *list);

#endif
