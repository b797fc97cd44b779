/* SPDX-License-Identifier: Apache-2.0
 *
 * loan - memory of a GPU that is lent to one executor, for timed calls or as the heap of what its kernels allocate, and
 * looks at it. Nobody has had it before, and nobody gets it afterwards.
 *
 * What a frozen process has launched runs on, so nothing that a timed call reads may be within its reach before the clock
 * starts: the memory is new for each batch, filled by us, and its descriptor goes with the order to run. When the process
 * says that it is done, single places are read by the copy engine, which does not wait for other processes' kernels (a
 * kernel of ours would, and find late work finished). All of it in the judge's own context.
 */
#ifndef AY_DEVICE_DEV_MEM_H
#define AY_DEVICE_DEV_MEM_H

#include "device/device.h"

enum { AY_DEV_MEMS = 2, AY_PROBE_MAX = 6, AY_PROBE_ROWS = 16, AY_PROBE_BYTES = 16 * AY_PROBE_ROWS };

/* Memory for a part of a slot, or a heap. */
struct ay_dev_mem {
	int fd;                 /* -1: not lent, ours alone */
	uint64_t memory, at;    /* at: where we have it */
	uint64_t offset, bytes; /* which part of its slot it is; bytes 0: there is none */
};

/* What goes with one order: a part of each slot that is late, in their order. */
struct ay_dev_mems {
	int n;
	struct ay_dev_mem loan[AY_DEV_MEMS];
};

/* New memory of `bytes`, whole grains. lent: with a descriptor. AY_ERR_MEMORY if there is none. */
int ay_dev_mem_alloc(struct ay_dev *d, uint64_t bytes, bool lent, struct ay_dev_mem *l, struct ay_err *err);
void ay_dev_mem_free(struct ay_dev *d, struct ay_dev_mem *l);

int ay_dev_write(struct ay_dev *d, uint64_t at, const void *from, uint64_t bytes, struct ay_err *err);

/* Some elements, each so far behind the one before, and what was there: one order to the copy engine. */
struct ay_dev_probe_place {
	uint64_t at, pitch;
	uint32_t width, rows; /* at most 16 bytes each, at most AY_PROBE_ROWS */
	uint8_t found[AY_PROBE_BYTES];
};

/* All of them at once; n at most AY_PROBE_MAX. */
int ay_dev_probe(struct ay_dev *d, int n, struct ay_dev_probe_place *l, struct ay_err *err);
/* How long a kernel of ours that does nothing takes to return: long, if somebody else's is running. */
int ay_dev_idle(struct ay_dev *d, double *ns, struct ay_err *err);
/* What persists in the cache of the device does so no longer. */
void ay_dev_reset_cache(struct ay_dev *d);

#endif
