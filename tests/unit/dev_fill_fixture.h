/* SPDX-License-Identifier: Apache-2.0
 *
 * dev_fill_fixture - device memory, for tests of the judge's own kernels.
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
/* Uses the driver of tests/cuda/fake.c and its NVRTC. */
void make_rig_stand_in(struct make_rig *g);
/* Skips the test if there is no GPU. */
void make_rig_gpu(struct make_rig *g);
void make_rig_release(struct make_rig *g);

/* Allocates memory at a multiple of 64 and copies the bytes into it, or fills it with
 * MAKE_RIG_EMPTY if `from` is NULL. The memory lives until make_rig_clear. */
uint64_t make_rig_put(struct make_rig *g, const void *from, uint64_t bytes);
void make_rig_set(struct make_rig *g, uint64_t at, const void *from, uint64_t bytes);
void make_rig_get(struct make_rig *g, void *to, uint64_t from, uint64_t bytes);
void make_rig_clear(struct make_rig *g);

#endif
