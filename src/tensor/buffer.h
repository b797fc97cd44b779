/* SPDX-License-Identifier: Apache-2.0
 *
 * buffer - memory that a judge and an executor share, and that neither can pull away from under the other.
 *
 * A pool is two memfds, one that executors may only read and one that they may write, cut into slots of whole
 * pages. The judge maps both at once and marks its mappings DONTFORK; then they are sealed (GROW, SHRINK, SEAL;
 * the first FUTURE_WRITE too), so an executor cannot truncate them or gain a writable mapping of an input. An
 * executor maps every slot between two pages that are not there. A tensor lies in its slot against the end,
 * against the start, or at a random multiple of 64 bytes; what it leaves over of a written slot holds the poison
 * and is checked.
 *
 * Slots are exact in pages: a pool is reused for the next case if each tensor needs as many pages as its slot has,
 * so that a run of small cases makes no system calls for memory. Else its memory is cut anew if there is enough of
 * it, and no more idle than the machine can do without: fresh memory takes 0.8 s a GiB to find, and 0.04 s to fill.
 */
#ifndef AY_TENSOR_BUFFER_H
#define AY_TENSOR_BUFFER_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { AY_PAGE = 4096, AY_ALIGN = 64 };

struct ay_slot {
	bool written;           /* in the second memfd */
	bool host, there;       /* see struct ay_need */
	uint64_t offset;        /* in its memfd, a multiple of AY_PAGE */
	uint64_t bytes;         /* whole grains, at least one */
	uint8_t *mem;           /* the judge's mapping; NULL if it is there */
	uint64_t used_at, used; /* what of an input's slot its tensor takes; used 0: all of it */
	/* Set by who fills it, for a device: */
	bool blank; /* all of it is to hold the poison there, whatever lies here */
	bool returned; /* its result is read where the call put it: what the slot holds there afterwards is of no use */
	uint8_t poison;
};

struct ay_pool {
	uint64_t id; /* never the same twice in a process: an executor that has mapped it needs no new message */
	uint64_t
		grain; /* slots are whole multiples of it: pages, or more where a device's memory comes in larger pieces */
	int fd[2]; /* read-only for executors, writable for executors */
	uint8_t *mem[2];
	uint64_t size[2]; /* of all slots */
	/* The most that size has been: what lies beyond has never been touched, and costs nothing. */
	uint64_t used[2];
	uint64_t room[2]; /* of the memfds: no more than used, unless it is roomy */
	bool roomy;
	int nslot;
	struct ay_slot *slot;
};

/* What one tensor needs of a pool. */
struct ay_need {
	uint64_t bytes;
	bool written;
	bool host;  /* stays in this machine's memory also where tensors lie on a device */
	bool there; /* is a device's alone: there is no memory here for it */
};

/* AY_ERR_MEMORY, with the number of bytes, where the machine has not got them. */
int ay_pool_init(struct ay_pool *p, int n, const struct ay_need *need, struct ay_err *err);
/* The same with slots of whole grains, a multiple of AY_PAGE. */
int ay_pool_init_grain(struct ay_pool *p, uint64_t grain, int n, const struct ay_need *need, struct ay_err *err);
/* The same with room for more, so that larger slots can be cut of it later (ay_pool_recut). Not for strangers: whoever gets
 * hold of its files can have all of that memory. */
int ay_pool_init_roomy(struct ay_pool *p, uint64_t grain, int n, const struct ay_need *need, struct ay_err *err);
/* Bytes of the slot that such a need gets. */
uint64_t ay_slot_bytes(uint64_t grain, uint64_t bytes);
/* The first n slots are exactly what is needed. */
bool ay_pool_fits(const struct ay_pool *p, int n, const struct ay_need *need);
/* Is it so little, beside what the machine has free, that somebody may keep it for later? */
bool ay_memory_is_small(uint64_t bytes);
bool ay_pool_is_small(const struct ay_pool *p);
/* Cuts the pool's memory into these slots, under a new id. A half that is too small becomes another one if the pool is roomy;
 * the other one keeps its content. False, and the pool is as it was, where it is too small, more than half of it would be idle
 * and it is not small, or the machine has not got as much. */
bool ay_pool_recut(struct ay_pool *p, int n, const struct ay_need *need);
void ay_pool_release(struct ay_pool *p);

enum ay_place { AY_PLACE_END, AY_PLACE_START, AY_PLACE_COLOUR };
/* Byte offset in a slot of slot_bytes at which storage of `bytes` begins; draws the colour from the secret source.
 */
uint64_t ay_place(uint64_t slot_bytes, uint64_t bytes, enum ay_place place);
/* The same for another alignment than AY_ALIGN. */
uint64_t ay_place_aligned(uint64_t slot_bytes, uint64_t bytes, enum ay_place place, uint64_t align);

/* Free memory of this machine, or the cgroup's limit if that is less, in bytes. */
uint64_t ay_memory_available(void);

#endif
