/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of a device, for the tests of what the judge's own kernels do there.
 */
#ifndef AY_TEST_MAKE_RIG_H
#define AY_TEST_MAKE_RIG_H

#include "device/device.h"

enum { MAKE_RIG_EMPTY = 0xee, MAKE_RIG_PARTS = 16 };

struct make_rig {
	struct ay_arena a;
	struct ay_dev *d;
	const struct ay_cuda *cu; /* NULL: the processor */
	int n;
	uint64_t at[MAKE_RIG_PARTS];
};

void make_rig_cpu(struct make_rig *g);
/* The driver of tests/cuda/fake.c, and its NVRTC. */
void make_rig_stand_in(struct make_rig *g);
/* Skips the test where there is none. */
void make_rig_gpu(struct make_rig *g);
void make_rig_release(struct make_rig *g);

/* New memory with this in it, NULL: with MAKE_RIG_EMPTY; at a multiple of 64. It lives until make_rig_clear. */
uint64_t make_rig_put(struct make_rig *g, const void *from, uint64_t bytes);
void make_rig_set(struct make_rig *g, uint64_t at, const void *from, uint64_t bytes);
void make_rig_get(struct make_rig *g, void *to, uint64_t from, uint64_t bytes);
void make_rig_clear(struct make_rig *g);

#endif
