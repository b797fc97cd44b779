/* SPDX-License-Identifier: Apache-2.0
 *
 * dev_compare - compares results where they lie: whether bytes are unchanged, and whether numbers
 * are within their bounds. On a GPU the judge's own kernels compare; on the processor the same
 * functions (device/compare_units.h) do.
 */
#ifndef AY_DEVICE_DEV_COMPARE_H
#define AY_DEVICE_DEV_COMPARE_H

#include "device/device.h"
#include "tensor/dtype.h"

/* Compares two byte ranges at any addresses. *first becomes the first byte that differs, -1 if none
 * does. */
int ay_dev_same(struct ay_dev *d, uint64_t at, uint64_t want_at, uint64_t bytes, int64_t *first,
		struct ay_err *err);

/* Dense numbers to compare: n elements of dtype dt (f16, bf16, f32, f64, or complex, of which n
 * parts are counted), n expected values in double, and n bounds, whose meaning is in
 * tensor/in_bound.h. Each address is a multiple of its element's size. */
struct ay_dev_numbers {
	uint64_t got, want, bound;
	int64_t n;
	enum ay_dt dt;
};

struct ay_dev_diff {
	int64_t outside; /* elements outside their bound */
	int64_t first;   /* the first of them, -1 if there is none */
	/* the largest error / bound; infinite if an element is wrong that no bound could accept */
	double worst;
};

int ay_dev_compare(struct ay_dev *d, const struct ay_dev_numbers *x, struct ay_dev_diff *diff, struct ay_err *err);

#endif
