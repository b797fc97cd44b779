/* SPDX-License-Identifier: Apache-2.0
 *
 * device - where the tensors of a kernel lie: this machine's memory, or a GPU's.
 *
 * Theory of operation. On every device, the judge first lays a case out in a pool of its own memory
 * (tensor/buffer.h), with content, poison and gaps. Then it maps the pool for an executor
 * (ay_dev_map). For a kernel on the CPU nothing is to be done: its executor maps the pool itself.
 * For a GPU every slot gets a twin: new physical memory of the same size, into which the judge
 * copies the slot, and a descriptor that the executor imports. The executor maps the twin between
 * two ranges of addresses that are not mapped, and inputs for reading only.
 *
 * After the call the judge copies written slots back into the pool and compares inputs with the
 * pool. The comparison is needed because a hostile executor can map its handle a second time for
 * writing. The twin may stay for the next call of the same executor, with other content. No memory
 * is given to two executors.
 *
 * A fault on a GPU says that an address was bad, not which one. So the judge can map the case again
 * with mapped memory on both sides of every slot, and with writable inputs. Then it can see what
 * the kernel touched.
 *
 * A process that forks workers opens its device in the workers: a CUDA context does not survive a
 * fork.
 */
#ifndef AY_DEVICE_DEVICE_H
#define AY_DEVICE_DEVICE_H

#include "base/arena.h"
#include "base/err.h"
#include "tensor/buffer.h"

enum ay_dev_kind { AY_DEV_CPU, AY_DEV_CUDA };

enum { AY_DEV_NODES = 3, AY_DEV_MAX = 64 /* devices of one run */ };

struct ay_dev_info {
	enum ay_dev_kind kind;
	int number;       /* as in --device cuda:N */
	const char *name; /* "NVIDIA H200" */
	uint64_t bytes;   /* of its memory */
	uint64_t grain;   /* the size of a slot is a multiple of it */
	uint64_t align;   /* of tensors: as the usual allocator of this device aligns them */
	/* CUDA only */
	int major, minor, sms, driver; /* driver: 13000 is 13.0 */
	uint64_t l2_bytes;
	uint8_t uuid[16];
	const char *bus;
	const char *node[AY_DEV_NODES + 1]; /* device files that an executor opens; NULL-ended */
	/* folders of the driver's libraries, if they are not the system's; NULL-ended */
	const char *folder[3];
	const char *env[3];    /* environment of an executor; NULL-ended */
	const char *libraries; /* the folder of the driver's library; NULL: not known */
};

enum ay_map_mode {
	AY_MAP_GUARDED,  /* as every kernel gets it */
	AY_MAP_PADDED,   /* with mapped memory before and behind every slot */
	AY_MAP_WRITABLE, /* as AY_MAP_PADDED, and all slots are writable */
};

struct ay_dev {
	const struct ay_dev_class *cls;
	struct ay_dev_info info;
};

/* The pool as one executor has it on its device. */
struct ay_dev_mapping {
	uint64_t id; /* unique; 0: the pool itself is used */
	int nslot;
	enum ay_map_mode how;
	/* bytes of mapped memory before and behind every slot; 0: none is mapped there */
	uint64_t pad;
	void *pinned; /* memory of the pool that the device accesses directly; NULL: none */
	struct ay_dev_mapping_slot {
		int fd; /* -1: no twin, the executor uses this slot of the pool */
		uint64_t memory, at, bytes;
		bool changed; /* set by ay_dev_fetch: an input whose content was changed */
		/* set by ay_dev_fetch where `pad` is not 0: -1: memory before the slot was touched,
		 * 1: behind it */
		int8_t touched;
	} * slot;
};

struct ay_dev_class {
	int (*map)(struct ay_dev *d, const struct ay_pool *p, enum ay_map_mode how, struct ay_dev_mapping *l,
		   struct ay_err *err);
	int (*fetch)(struct ay_dev *d, const struct ay_pool *p, struct ay_dev_mapping *l, struct ay_err *err);
	void (*unmap)(struct ay_dev *d, struct ay_dev_mapping *l);
	int (*read)(const struct ay_dev *d, uint64_t at, void *to, uint64_t n, struct ay_err *err);
	uint64_t (*free_bytes)(struct ay_dev *d);
	void (*mark)(struct ay_dev *d, bool alone);
	int (*is_well)(struct ay_dev *d, struct ay_err *err);
	const char *(*error)(const struct ay_dev *d, int e);
	void (*close)(struct ay_dev *d);
};

/* Returns the processor as a device. It is never closed. */
struct ay_dev *ay_dev_cpu(void);
/* Opens "cpu", "cuda" or "cuda:N". Fails with what is missing and what to do about it. */
int ay_dev_open(struct ay_dev **out, const char *wish, struct ay_err *err);
void ay_dev_close(struct ay_dev *d);

/* Fails if --device does not accept this word. */
int ay_dev_check_wish(const char *wish, struct ay_err *err);
/* Stores the numbers that "cuda:0,2" names in number[AY_DEV_MAX] and returns how many there are.
 * Returns 0 for words that name none: auto, cpu, cuda. */
int ay_dev_numbers(const char *wish, int *number);
/* Returns how many GPUs the driver shows this process, or -1. Starts the driver in a child process,
 * so that this process can still fork workers. */
int ay_dev_count_cuda(struct ay_err *err);
/* Returns true if there is an NVIDIA GPU with its driver; otherwise writes the reason to `why`.
 * Does not start the driver, so that this process can still fork workers. */
bool ay_dev_has_cuda(char *why, size_t n);

/* Maps the pool for an executor on this device: fills *l. If *l has memory already, it keeps that
 * memory and copies the pool's present content into it; of inputs, only the bytes that tensors use.
 * Fails with AY_ERR_MEMORY if the device does not have enough memory; *l is {0} then. */
int ay_dev_map(struct ay_dev *d, const struct ay_pool *p, enum ay_map_mode how, struct ay_dev_mapping *l,
	       struct ay_err *err);
/* After the call: copies written slots into the pool and compares inputs with the pool. */
int ay_dev_fetch(struct ay_dev *d, const struct ay_pool *p, struct ay_dev_mapping *l, struct ay_err *err);
/* Frees the memory of *l. */
void ay_dev_unmap(struct ay_dev *d, struct ay_dev_mapping *l);

/* Copies n bytes at address `at` of the judge, in mapped memory or a heap of the device, to `to`.
 * Reads each byte once. */
int ay_dev_read(const struct ay_dev *d, uint64_t at, void *to, uint64_t n, struct ay_err *err);

/* Returns the bytes of the device's memory that could be allocated now. */
uint64_t ay_dev_free_bytes(struct ay_dev *d);
/* Called before an executor starts: notes how much memory of the device is free. alone: no other
 * process of this run allocates there. */
void ay_dev_mark(struct ay_dev *d, bool alone);
/* Called after an executor was killed: fails if the device does not run the judge's own kernel or
 * if that executor's memory was not freed. Verdicts from then on would blame kernels for the
 * device's state. */
int ay_dev_is_well(struct ay_dev *d, struct ay_err *err);

/* Returns the meaning of an error number that the device gave an executor. */
const char *ay_dev_error(const struct ay_dev *d, int e);

#endif
