/* SPDX-License-Identifier: Apache-2.0
 *
 * inside - the parts that executors are made of: src/exec/native is this and dlopen, torch/exec this and Python. They
 * depend on libc, wire.h and kernel.h alone, and have the globals of src/: there is no caller to hand them to, and a
 * signal handler needs them.
 */
#ifndef AY_EXEC_INSIDE_H
#define AY_EXEC_INSIDE_H

#include "exec/wire.h"

/* The pool that is mapped now. */
struct pool {
	uint32_t nslot;
	uint32_t lent, on_device; /* slots of the device that have their memory, and all of them */
	uint32_t late;            /* slots whose memory comes with each order */
	struct ay_wire_slot *slot;
	uint8_t **base;
	void *span; /* all of it: slots, guards */
	size_t span_bytes;
};

struct wire_message {
	struct ay_wire_head head;
	const uint8_t *payload;
	int nfd, fd[AY_WIRE_FDS];
};

/* What was made ready: of the message only numbers are left. */
struct held {
	struct ay_wire_call c;
	uint8_t *mem; /* per set what ay_wire_call_build made; NULL: nothing is held */
	bool timed;   /* by a HOLD: nothing but calls is wanted */
};

/* CLOCK_MONOTONIC, which the judge reads too. */
int64_t now_ns(void);

/* What differs between languages. */
struct language {
	const char *name; /* of the process */
	/* Ends with one of loaded() and load_failed(). */
	void (*load)(const struct wire_message *m);
	/* `held` is new. Non-zero: it cannot be. NULL: nothing more to do. */
	int (*ready)(void);
	/* Calls sets [from, from + n) of what is held; last: and is done with them when it returns, else more of the same
	 * follows. *s is AY_WIRE_RAN unless it says otherwise. */
	void (*call)(uint32_t from, uint32_t n, bool last, struct ay_wire_status *s);
	/* Drops what calls returned, and leaves the first poison of `held` in what is free of the heap. NULL: nothing is
	 * kept. */
	void (*forget)(void);
	/* Memory of the device for what kernels allocate, mapped here; an errno. NULL: it has no use for it. */
	int (*heap)(uint64_t at, uint64_t bytes);
	bool captured; /* on a GPU its calls may be captured into a graph */
};

/* Splits, calls inside() in the executor's half, greets, and follows messages until the judge goes. */
int follow_judge(const struct language *l, void (*inside)(void));
void loaded(uint32_t n, const char *const *name, uint32_t flags);
void load_failed(const char *why);

extern struct held held;
extern struct ay_wire_page *page;
extern struct pool pool;
/* What the handler of fatal signals reports: the message and the set in hand. */
extern volatile uint32_t now_seq, now_set;

/* Maps the slots with guards between them, at `where` unless that is 0; an errno. Those of the device get their addresses
 * from gpu_lend. fd: NULL where there are no others. */
int pool_map(const struct ay_wire_slot *slot, uint32_t n, const int *fd, uint64_t where);

/* Zeroed memory that is not in any heap of the kernel's; NULL if there is none. */
void *pages_get(size_t bytes);
void pages_free(void *p, size_t bytes);

/* Scratch of at most `max` bytes from here on. */
int scratch_limit(size_t max);
void *scratch_get(const ay_ctx *ctx, size_t bytes);
/* Whether any was refused since the last call of this; everything handed out is free again. */
bool scratch_reset(void);
/* Gives large scratch back to the system. */
void scratch_trim(void);

/* --- the GPU, for executors that have one (page->cuda) --- */

/* Starts the driver and opens the device; 0, CUDA's error, or -1 if there is no driver in the jail. */
int gpu_open(void);
/* The memory behind fd, between guards; 0 or CUDA's error. */
int gpu_map(int fd, uint64_t bytes, bool written, uint64_t *at);
void gpu_unmap(uint64_t at, uint64_t bytes);
/* Memory of the driver's own; 0 or CUDA's error. */
int gpu_take(uint64_t bytes, uint64_t *at);
void gpu_give(uint64_t at);
/* In the order of a stream of the kernel's. */
int gpu_fill(uint64_t at, uint8_t byte, uint64_t bytes, void *stream);
/* Slot i gets the memory behind fd; 0 or CUDA's error. */
int gpu_lend(uint32_t i, int fd);
/* Addresses for slot i, whose memory comes later, part by part; and those parts, one for each such slot. */
int gpu_reserve(uint32_t i);
int gpu_lend_parts(const struct ay_wire_part *part, const int *fd); /* and says when it was done */
void gpu_drop_parts(void);
/* The device does nothing, for so long, between two events (gpu_clock); returns when it has. */
int gpu_busy(uint64_t ns);
/* Launches a kernel that does nothing; for an executor of the judge's own. */
int gpu_nothing(void);
/* All that was lent is given up. */
void gpu_drop(void);
/* Device, stream and scratch for kernels. */
void gpu_context(ay_ctx *ctx, size_t scratch_max);
/* As scratch_reset, in the order of the stream. */
bool gpu_scratch_reset(void);
/* Events around what is launched from here on, until it is waited for: see claimed_ns of the page. */
void gpu_clock(void);
/* What is launched from here on goes into a graph, and waiting is not waited for; false: it cannot be. */
bool gpu_capture(void);
/* The end of that. Launches the graph, if it has `least` nodes or more (UINT32_MAX: never), and says what that
 * took, in nanoseconds; 0: it was not launched. */
uint64_t gpu_replay(uint32_t least);
/* Waits for all work of this process on the device; 0 or CUDA's error, which is the end of this process's context. */
int gpu_sync(void);

/* Follows a REPLAY whose memory is there. */
void replay(const struct language *l, const struct ay_wire_run *r);

/* Comes back once, in the executor; the other process is its init and ends with it. */
void split(const char *name);
void catch_signals(void);
/* Raises `done` to seq with this status beside it. */
void answer(uint32_t seq, struct ay_wire_status s);

#endif
