/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime - the parts that all executors share: src/exec/native is this and dlopen, torch/exec is
 * this and Python. It depends on libc, wire.h and kernel.h alone. The only globals of src/ are
 * here: no caller exists that could pass this state, and a signal handler needs it.
 */
#ifndef AY_EXEC_INSIDE_H
#define AY_EXEC_INSIDE_H

#include "exec/wire.h"

/* The pool that is mapped at present. */
struct pool {
	uint32_t nslot;
	uint32_t mapped, on_device; /* slots of the device: those that have memory, and all of them */
	uint32_t late;              /* slots whose memory comes with each RUN */
	struct ay_wire_slot *slot;
	uint8_t **base;
	void *span; /* the reservation with all slots and guards */
	size_t span_bytes;
};

struct wire_message {
	struct ay_wire_head head;
	const uint8_t *payload;
	int nfd, fd[AY_WIRE_FDS];
};

/* The held sets. Of the message itself only the head's numbers are still valid. */
struct held {
	struct ay_wire_call c;
	uint8_t *mem; /* what ay_wire_call_build made of each set; NULL: nothing is held */
	bool timed;   /* true: after a PREPARE, so that RUN must do nothing but call */
};

/* Returns CLOCK_MONOTONIC, which the judge reads too. */
int64_t now_ns(void);

/* The part of an executor that depends on the kernel's language. */
struct language {
	const char *name; /* of the process */
	/* Loads the kernel; must call loaded() or load_failed() at its end. */
	void (*load)(const struct wire_message *m);
	/* Called when `held` is new. Returns non-zero if the sets cannot be prepared. NULL: nothing
	 * to do. */
	int (*ready)(void);
	/* Calls held sets [from, from + n). last: no further call of this order follows, so this
	 * one waits for its work. *s is AY_WIRE_RAN on entry. */
	void (*call)(uint32_t from, uint32_t n, bool last, struct ay_wire_status *s);
	/* Drops what calls returned, and fills free memory of the heap with the first poison of
	 * `held`. NULL: no results are kept. */
	void (*forget)(void);
	/* Accepts mapped memory of the device in which kernels allocate. Returns an errno. NULL:
	 * not used. */
	int (*heap)(uint64_t at, uint64_t bytes);
};

/* Runs an executor: forks into init and executor (split), calls inside() in the executor, greets
 * the judge and follows its messages until the judge goes. Returns the process's exit status. */
int follow_judge(const struct language *l, void (*inside)(void));
/* Answers a LOAD with the names of n entries. */
void loaded(uint32_t n, const char *const *name, uint32_t flags);
/* Answers a LOAD with the reason why it failed. */
void load_failed(const char *why);

extern struct held held;
extern struct ay_wire_page *page;
extern struct pool pool;
/* What the handler of fatal signals reports: the current message and set. */
extern volatile uint32_t now_seq, now_set;

/* Maps the slots with guards between them, at `where` unless that is 0. Returns an errno. fd: the
 * memfds of read-only and written slots; NULL if all slots are on the device. Slots of the device
 * get their addresses from gpu_map. */
int pool_map(const struct ay_wire_slot *slot, uint32_t n, const int *fd, uint64_t where);

/* Returns zeroed pages outside of any heap that the kernel uses; NULL if the system has none. */
void *pages_get(size_t bytes);
void pages_free(void *p, size_t bytes);

/* Sets the maximum of scratch bytes. Returns an errno. */
int scratch_limit(size_t max);
void *scratch_get(const ay_ctx *ctx, size_t bytes);
/* Frees all scratch. Returns true if any was refused since the last scratch_reset. */
bool scratch_reset(void);
/* Returns large scratch to the system. */
void scratch_trim(void);

/* --- the GPU, for executors that have one (page->cuda) --- */

/* Starts the driver and opens the device. Returns 0, CUDA's error, or -1 if there is no driver in
 * the jail. */
int gpu_open(void);
/* Maps the memory behind fd between guards. Returns 0 or CUDA's error. */
int gpu_map(int fd, uint64_t bytes, bool written, uint64_t *at);
void gpu_unmap(uint64_t at, uint64_t bytes);
/* Allocates memory from the driver. Returns 0 or CUDA's error. */
int gpu_take(uint64_t bytes, uint64_t *at);
/* Frees memory of gpu_take. */
void gpu_give(uint64_t at);
/* Fills memory, ordered with the kernel's work on `stream`. Returns 0 or CUDA's error. */
int gpu_fill(uint64_t at, uint8_t byte, uint64_t bytes, void *stream);
/* Maps the memory behind fd as slot i. Returns 0 or CUDA's error. */
int gpu_map_slot(uint32_t i, int fd);
/* Reserves addresses for late slot i. Returns 0 or CUDA's error. */
int gpu_reserve(uint32_t i);
/* Maps a part of each late slot, and writes the time when that was done to the page. Returns 0 or
 * CUDA's error. */
int gpu_map_parts(const struct ay_wire_part *part, const int *fd);
/* Unmaps these parts. */
void gpu_drop_parts(void);
/* Keeps the device busy for `ns` nanoseconds between two events (gpu_clock), and waits. Returns 0
 * or CUDA's error. */
int gpu_busy(uint64_t ns);
/* Launches a kernel that does nothing; for an executor that was loaded without a kernel. */
int gpu_nothing(void);
/* Unmaps all slots of the device. */
void gpu_drop(void);
/* Sets the device, stream and scratch of `ctx`. */
void gpu_context(ay_ctx *ctx, size_t scratch_max);
/* As scratch_reset; frees the scratch in the order of the stream. */
bool gpu_scratch_reset(void);
/* Begins to time, with events, what is launched until gpu_sync: see claimed_ns of the page. */
void gpu_clock(void);
/* Waits for all work of this process on the device. Returns 0 or CUDA's error; after an error the
 * context is unusable. */
int gpu_sync(void);

/* Forks. Returns only in the child, the executor. The parent becomes its init and ends with it. */
void split(const char *name);
void catch_signals(void);
/* Writes this status to the page and raises `done` to seq. */
void answer(uint32_t seq, struct ay_wire_status s);

#endif
