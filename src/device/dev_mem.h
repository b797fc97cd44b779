/* SPDX-License-Identifier: Apache-2.0
 *
 * dev_mem - memory of a GPU that one executor gets, for timed calls or as the heap in which its
 * kernels allocate; and reads of single places in it. No process has had this memory before, and
 * none gets it afterwards.
 *
 * A frozen process's launched kernels go on running, so a timed call's inputs must not be reachable
 * before the clock starts. Therefore the memory is new for each batch, the judge fills it, and its
 * descriptor travels with the order to run. When the process says that it is done, the copy engine
 * reads single places. The copy engine does not wait for other processes' kernels; a kernel of the
 * judge would wait, and would then find late work finished. All of this happens in the judge's own
 * context.
 */
#ifndef AY_DEVICE_DEV_MEM_H
#define AY_DEVICE_DEV_MEM_H

#include "device/device.h"

enum { AY_DEV_MEMS = 2, AY_PROBE_MAX = 6, AY_PROBE_ROWS = 16, AY_PROBE_BYTES = 16 * AY_PROBE_ROWS };

/* Memory for a part of a slot, or for a heap. */
struct ay_dev_mem {
	int fd;                 /* its descriptor; -1: not exported, only the judge has it */
	uint64_t memory, at;    /* at: the judge's address of it */
	uint64_t offset, bytes; /* which part of its slot it is; bytes 0: no memory */
};

/* The memory that travels with one order: a part of each late slot, in the order of the slots. */
struct ay_dev_mems {
	int n;
	struct ay_dev_mem mem[AY_DEV_MEMS];
};

/* Allocates `bytes`, a multiple of the device's grain. shared: also exports a descriptor. Fails with
 * AY_ERR_MEMORY if the device does not have enough memory. */
int ay_dev_mem_alloc(struct ay_dev *d, uint64_t bytes, bool shared, struct ay_dev_mem *l, struct ay_err *err);
void ay_dev_mem_free(struct ay_dev *d, struct ay_dev_mem *l);

int ay_dev_write(struct ay_dev *d, uint64_t at, const void *from, uint64_t bytes, struct ay_err *err);

/* `rows` elements at distance `pitch`, and what was read there: one order to the copy engine. */
struct ay_dev_probe_place {
	uint64_t at, pitch;
	uint32_t width, rows; /* at most 16 bytes an element, at most AY_PROBE_ROWS */
	uint8_t found[AY_PROBE_BYTES];
};

/* Reads n places at once; n is at most AY_PROBE_MAX. */
int ay_dev_probe(struct ay_dev *d, int n, struct ay_dev_probe_place *l, struct ay_err *err);
/* Measures how long an empty kernel of the judge takes to return: long if another process's kernel
 * is running. */
int ay_dev_idle(struct ay_dev *d, double *ns, struct ay_err *err);
/* Resets the lines that are set to persist in the device's cache. */
void ay_dev_reset_cache(struct ay_dev *d);

#endif
