/* SPDX-License-Identifier: Apache-2.0
 *
 * make - content of timed sets, made on the device by the judge's own kernels.
 *
 * What goes where is a list of stretches, done by one launch. The bits are those that timing/content.c makes on the
 * processor: both are made of the same functions of one line or element (device/lines.h), which C and CUDA read alike.
 */
#ifndef AY_DEVICE_MAKE_H
#define AY_DEVICE_MAKE_H

#include "device/device.h"

enum ay_make_how {
	AY_MAKE_POISON, /* the low byte of `start` everywhere */
	AY_MAKE_COPY,   /* of `from` */
	AY_MAKE_MIX,    /* lines of `from`, drawn, with other significands */
	AY_MAKE_DRAW,   /* lines of `from`, drawn */
	AY_MAKE_TOUCH,  /* `from` with other significands, but for zeros and special values */
};

/* One stretch. Addresses are the device's; `to` is a multiple of 64 unless it is poisoned. */
struct ay_make {
	uint64_t to, from, noise; /* noise: MIX */
	uint64_t bytes, start;    /* start: of the stream of draws */
	/* Elements [hard, hard + nhard) get a larger exponent afterwards; nhard 0: none. MIX only. */
	uint64_t hard, nhard;
	uint32_t how, dt; /* dt: enum ay_dt */
};

/* All n of them; returns when they are there. The list is copied. */
int ay_dev_make(struct ay_dev *d, const struct ay_make *m, int n, struct ay_err *err);

#endif
