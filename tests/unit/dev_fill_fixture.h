/* SPDX-License-Identifier: Apache-2.0
 *
 * dev_fill_fixture - device memory, for tests of the judge's own kernels.
 */
#ifndef AY_TEST_MAKE_RIG_H
#define AY_TEST_MAKE_RIG_H

#include "device/device.h"

enum { MAKE_RIG_EMPTY = 0xee, MAKE_RIG_PARTS = 16 };

struct dev_fill_fixture {
	struct ay_arena a;
	struct ay_dev *d;
	const struct ay_cuda *cu; /* NULL: the processor */
	int n;
	uint64_t at[MAKE_RIG_PARTS];
};

void dev_fill_fixture_cpu(struct dev_fill_fixture *g);
/* Uses the driver of tests/cuda/fake.c and its NVRTC. */
void dev_fill_fixture_fake(struct dev_fill_fixture *g);
/* Skips the test if there is no GPU. */
void dev_fill_fixture_gpu(struct dev_fill_fixture *g);
void dev_fill_fixture_release(struct dev_fill_fixture *g);

/* Allocates memory at a multiple of 64 and copies the bytes into it, or fills it with
 * MAKE_RIG_EMPTY if `from` is NULL. The memory lives until dev_fill_fixture_clear. */
uint64_t dev_fill_fixture_put(struct dev_fill_fixture *g, const void *from, uint64_t bytes);
void dev_fill_fixture_set(struct dev_fill_fixture *g, uint64_t at, const void *from, uint64_t bytes);
void dev_fill_fixture_get(struct dev_fill_fixture *g, void *to, uint64_t from, uint64_t bytes);
void dev_fill_fixture_clear(struct dev_fill_fixture *g);

#endif
