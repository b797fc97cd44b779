/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_loops - every way we know to touch memory fast, and to multiply and add fast, for this processor.
 */
#ifndef AY_TIMING_CEILING_LOOPS_H
#define AY_TIMING_CEILING_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AY_LOOP_STEP = 512, AY_LOOPS_MAX = 24, AY_FLOP_LOOPS_MAX = 6 };

/* Works on `parts` pieces of memory of n bytes each, n a multiple of AY_LOOP_STEP; `times` times. */
struct ay_loop {
	const char *name;
	int parts;
	int touched; /* bytes read or written per byte of a part */
	bool past;   /* stores that go past the caches: of no use inside them */
	void (*run)(char *a, char *b, char *c, size_t n, int times);
};

struct ay_flop_loop {
	bool f64;
	double flops;                  /* of one round */
	double (*run)(int64_t rounds); /* gives something that depends on all of it */
};

/* Those that this processor can run; give how many. */
int ay_loops(struct ay_loop *list);
int ay_flop_loops(struct ay_flop_loop *list);

#endif
