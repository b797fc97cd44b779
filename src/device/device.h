/* SPDX-License-Identifier: Apache-2.0
 *
 * device - where the tensors of a kernel lie: this machine's memory, or a GPU's.
 *
 * Theory of operation. The judge lays a case out in a pool of its own memory (tensor/buffer.h), content, poison and
 * gaps included, whatever the device. Then the pool is lent. For a kernel on the CPU that is nothing: its executor maps
 * the pool itself. For a GPU every slot gets a twin: new physical memory of the same size, into which the slot is
 * copied, and a descriptor that an executor imports. There it is mapped between two ranges of addresses that are not
 * mapped, inputs for reading only. After the call written slots are copied back into the pool, and inputs are compared
 * with it: a hostile executor can map its handle once more for writing, so a mapping proves nothing. The twin may stay
 * for the next call of the same executor, with other content; no memory is lent to two executors.
 *
 * A fault on a GPU says that an address was bad, not which. So the case may be lent again with mapped memory on both
 * sides of every slot instead of nothing, and with inputs that can be written: what was touched can then be seen.
 *
 * A process that forks workers opens its device in them: a context does not survive a fork.
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
	uint64_t grain;   /* slots are multiples of it */
	uint64_t align;   /* of tensors: what the usual allocator gives */
	/* CUDA only */
	int major, minor, sms, driver; /* driver: 13000 is 13.0 */
	uint64_t l2_bytes;
	uint8_t uuid[16];
	const char *bus;
	const char *node[AY_DEV_NODES + 1]; /* files that an executor opens; NULL-ended */
	const char *folder[3]; /* of the driver's libraries, where those are not the system's; NULL-ended */
	const char *env[3];    /* what its process must know; NULL-ended */
	const char *libraries; /* where the driver's library was found; NULL: not known */
};

enum ay_map_mode {
	AY_LEND,        /* as every kernel gets it */
	AY_LEND_PADDED, /* with mapped memory before and behind every slot */
	AY_LEND_OPEN,   /* and all slots for writing */
};

struct ay_dev {
	const struct ay_dev_class *cls;
	struct ay_dev_info info;
};

/* Memory that an executor has for one batch. */
struct ay_dev_mapping {
	uint64_t id; /* never the same twice; 0: the pool itself */
	int nslot;
	enum ay_map_mode how;
	uint64_t pad; /* bytes of mapped memory before and behind every slot; 0: nothing is mapped there */
	void *pinned; /* memory of the pool that the device reaches itself; NULL: none */
	struct ay_dev_mapping_slot {
		int fd; /* -1: this slot is lent as it is, in the pool */
		uint64_t memory, at, bytes;
		bool changed;   /* found by fetch: an input whose content is another */
		int8_t touched; /* found by fetch, of what is lent loosely: -1 before it, 1 behind it */
	} * slot;
};

struct ay_dev_class {
	int (*lend)(struct ay_dev *d, const struct ay_pool *p, enum ay_map_mode how, struct ay_dev_mapping *l,
		    struct ay_err *err);
	int (*fetch)(struct ay_dev *d, const struct ay_pool *p, struct ay_dev_mapping *l, struct ay_err *err);
	void (*take_back)(struct ay_dev *d, struct ay_dev_mapping *l);
	int (*read)(const struct ay_dev *d, uint64_t at, void *to, uint64_t n, struct ay_err *err);
	uint64_t (*free_bytes)(struct ay_dev *d);
	void (*mark)(struct ay_dev *d, bool alone);
	int (*is_well)(struct ay_dev *d, struct ay_err *err);
	const char *(*error)(const struct ay_dev *d, int e);
	void (*close)(struct ay_dev *d);
};

/* The processor; never closed. */
struct ay_dev *ay_dev_cpu(void);
/* "cuda" or "cuda:N". -1 with what is missing and what to do about it. */
int ay_dev_open(struct ay_dev **out, const char *wish, struct ay_err *err);
void ay_dev_close(struct ay_dev *d);

/* Is this a word that --device takes? */
int ay_dev_check_wish(const char *wish, struct ay_err *err);
/* The numbers that "cuda:0,2" names, in number[AY_DEV_MAX]; how many. 0 where it names none: auto, cpu, cuda. */
int ay_dev_numbers(const char *wish, int *number);
/* How many GPUs the driver shows this process; -1 and err. It is started in a child: workers can be forked afterwards. */
int ay_dev_count_cuda(struct ay_err *err);
/* Is there an NVIDIA GPU with its driver? Starts nothing, so that workers can be forked afterwards. Else why not. */
bool ay_dev_has_cuda(char *why, size_t n);

/* AY_ERR_MEMORY if the device has not got as much; *l is {0} then. What is lent already keeps its memory, and gets what is
 * in the pool now: of inputs what their tensors take. */
int ay_dev_map(struct ay_dev *d, const struct ay_pool *p, enum ay_map_mode how, struct ay_dev_mapping *l,
	       struct ay_err *err);
/* After the call: written slots into the pool, inputs compared with it. */
int ay_dev_fetch(struct ay_dev *d, const struct ay_pool *p, struct ay_dev_mapping *l, struct ay_err *err);
void ay_dev_take_back(struct ay_dev *d, struct ay_dev_mapping *l);

/* What of lent memory or a heap lies at this address of the judge's: n bytes, once. */
int ay_dev_read(const struct ay_dev *d, uint64_t at, void *to, uint64_t n, struct ay_err *err);

/* Memory that could be lent now. */
uint64_t ay_dev_free_bytes(struct ay_dev *d);
/* Before an executor starts: how much memory is free, if nobody else of ours takes some. After one was killed: does the device work for us, and is that
 * memory back? -1 if not: what is judged on it from here on would be blamed for others. */
void ay_dev_mark(struct ay_dev *d, bool alone);
int ay_dev_is_well(struct ay_dev *d, struct ay_err *err);

/* What a number that an executor's device answered with means. */
const char *ay_dev_error(const struct ay_dev *d, int e);

#endif
