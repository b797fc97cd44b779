/* SPDX-License-Identifier: Apache-2.0
 *
 * buffer - memory that the judge and an executor share. Neither process can take it away while the
 * other uses it.
 *
 * A pool is two memfds: executors may only read the first and may write the second. Each is cut
 * into slots of whole pages. The judge maps both and marks its mappings DONTFORK. Then it seals the
 * memfds (GROW, SHRINK, SEAL; the first one FUTURE_WRITE too), so that an executor cannot truncate
 * them or get a writable mapping of an input. An executor maps every slot between two unmapped
 * pages.
 *
 * A tensor lies at the end of its slot, at the start, or at a random multiple of 64 bytes. The rest
 * of a written slot holds the poison and is checked.
 *
 * Slots are exact in pages. A pool is reused for the next case if each tensor needs as many pages
 * as its slot has, so that a run of small cases makes no system calls for memory. Otherwise the
 * pool's memory is cut into new slots, if it is large enough and does not leave more idle than the
 * machine can spare. Getting fresh memory takes 0.8 s per GiB; filling existing memory takes 0.04 s
 * per GiB.
 */
#ifndef AY_TENSOR_BUFFER_H
#define AY_TENSOR_BUFFER_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { AY_PAGE = 4096, AY_ALIGN = 64 };

struct ay_slot {
	bool written;     /* true: in the second memfd */
	bool host, there; /* see struct ay_need */
	uint64_t offset;  /* in its memfd, a multiple of AY_PAGE */
	uint64_t bytes;   /* a multiple of the pool's grain, at least one grain */
	uint8_t *mem;     /* the judge's mapping; NULL if `there` */
	/* the part of an input's slot that its tensor occupies; used 0: the whole slot */
	uint64_t used_at, used;
	/* For a device; the code that fills the slot sets these: */
	bool all_poison; /* the device's whole slot is to hold the poison, whatever this slot holds */
	/* the result is read where the call returned it; what the device's slot holds afterwards is
	 * not used */
	bool returned;
	uint8_t poison;
};

struct ay_pool {
	/* unique in a process; an executor that has mapped this id needs no new message */
	uint64_t id;
	/* Slots are multiples of it: a page, or more for a device whose memory is allocated in
	 * larger pieces. */
	uint64_t grain;
	int fd[2]; /* read-only for executors, writable for executors */
	uint8_t *mem[2];
	uint64_t size[2]; /* of all slots */
	/* The largest value that size has had. Memory beyond it was never touched and
	 * costs nothing. */
	uint64_t used[2];
	uint64_t room[2]; /* sizes of the memfds; equal to used, unless the pool is roomy */
	bool roomy;
	int nslot;
	struct ay_slot *slot;
};

/* What one tensor needs of a pool. */
struct ay_need {
	uint64_t bytes;
	bool written;
	bool host;  /* stays in host memory, even if the other tensors are on a device */
	bool there; /* exists only on a device: no host memory for it */
};

/* Allocates n slots. Fails with AY_ERR_MEMORY and the number of bytes if the machine lacks
 * the memory. */
int ay_pool_init(struct ay_pool *p, int n, const struct ay_need *need, struct ay_err *err);
/* Like ay_pool_init, with slots that are multiples of `grain`, itself a multiple of AY_PAGE. */
int ay_pool_init_grain(struct ay_pool *p, uint64_t grain, int n, const struct ay_need *need, struct ay_err *err);
/* Like ay_pool_init_grain, but reserves more memory than needed, so that ay_pool_recut can cut
 * larger slots later. Do not give the pool to untrusted processes: a process that gets its files
 * can use all of that memory. */
int ay_pool_init_roomy(struct ay_pool *p, uint64_t grain, int n, const struct ay_need *need, struct ay_err *err);
/* Returns the size in bytes of a slot for a tensor of `bytes` bytes. */
uint64_t ay_slot_bytes(uint64_t grain, uint64_t bytes);
/* Returns true if the first n slots match `need` exactly. */
bool ay_pool_fits(const struct ay_pool *p, int n, const struct ay_need *need);
/* Returns true if `bytes` is so small, compared with the machine's free memory, that it may stay
 * allocated for later use. */
bool ay_memory_is_small(uint64_t bytes);
bool ay_pool_is_small(const struct ay_pool *p);
/* Cuts the pool's memory into slots for `need`, under a new id. If one of the memfds is too small
 * and the pool is roomy, that memfd is replaced; the other keeps its content. Returns false and
 * leaves the pool unchanged if the pool is too small, if more than half of it would be idle and it
 * is not small, or if the machine lacks the memory. */
bool ay_pool_recut(struct ay_pool *p, int n, const struct ay_need *need);
/* Unmaps and frees the pool. */
void ay_pool_release(struct ay_pool *p);

enum ay_place { AY_PLACE_END, AY_PLACE_START, AY_PLACE_COLOUR };
/* Returns the byte offset in a slot of slot_bytes bytes at which storage of `bytes` bytes begins.
 * For AY_PLACE_COLOUR the offset is random, from the secret source. */
uint64_t ay_place(uint64_t slot_bytes, uint64_t bytes, enum ay_place place);
/* Like ay_place, with `align` instead of AY_ALIGN. */
uint64_t ay_place_aligned(uint64_t slot_bytes, uint64_t bytes, enum ay_place place, uint64_t align);

/* Returns the free memory of this machine in bytes, or what the cgroup's limit leaves if that
 * is less. */
uint64_t ay_memory_available(void);

#endif
