/* SPDX-License-Identifier: Apache-2.0
 *
 * compare - results where they lie: whether bytes are what they were, and numbers within their bounds. On a GPU the
 * judge's own kernels look, on the processor the same functions (device/compare_units.h) do.
 */
#ifndef AY_DEVICE_DEV_COMPARE_H
#define AY_DEVICE_DEV_COMPARE_H

#include "device/device.h"
#include "tensor/dtype.h"

/* Of two stretches at any addresses: *first is the first byte that differs, -1 if none does. */
int ay_dev_same(struct ay_dev *d, uint64_t at, uint64_t want_at, uint64_t bytes, int64_t *first,
		struct ay_err *err);

/* Numbers that follow each other: n elements of dtype dt (f16, bf16, f32, f64; of complex ones the parts count), n doubles
 * that they should be, and n bounds, of which tensor/in_bound.h says what they mean. Each at a multiple of its size. */
struct ay_dev_numbers {
	uint64_t got, want, bound;
	int64_t n;
	enum ay_dt dt;
};

struct ay_dev_diff {
	int64_t outside; /* how many are */
	int64_t first;   /* the first of them, -1 */
	double worst; /* the largest error over its bound; infinite if something is wrong that no bound could admit */
};

int ay_dev_compare(struct ay_dev *d, const struct ay_dev_numbers *x, struct ay_dev_diff *diff, struct ay_err *err);

#endif
