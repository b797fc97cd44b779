/* SPDX-License-Identifier: Apache-2.0
 *
 * exec - the judge's end of an executor: a process that is handed buffers and told to run.
 *
 * Theory of operation. The executor is a small program carried inside assay, started from memory in a jail of its
 * own (sandbox/jail.h), below an init of ours, with nothing open but one end of a SOCK_SEQPACKET pair and one
 * shared page. It gets the kernel's shared object as a sealed memfd (LOAD), pools of memory as memfds (MAP), and
 * calls (CALL): shapes, strides, scalars and places, never a line, a fill or a seed. The judge puts the message in
 * the socket, then raises `go` in the page to the message's number; the executor raises `done` to the same number,
 * with the status beside it. Waiting on either side is a short spin while a core is left over, then a futex. What
 * comes back from the executor is hostile: each shared word is loaded once, lengths are checked, a word that
 * cannot be is reported as AY_EXEC_LIED.
 *
 * A kernel that crashes, hangs or exits costs its executor only: the outcome says what happened, and the next call
 * starts a new one from the same object.
 */
#ifndef AY_EXEC_EXEC_H
#define AY_EXEC_EXEC_H

#include "base/arena.h"
#include "base/err.h"
#include "device/dev_mem.h"
#include "op/call.h"
#include "op/proto.h"
#include "sandbox/sandbox.h"
#include "tensor/buffer.h"

#include <assay/kernel.h>
#include <sched.h>
#include <sys/types.h>

struct ay_exec;
struct ay_printed;
struct ay_python;

enum ay_exec_status {
	AY_EXEC_RAN,     /* every set was called and returned 0 */
	AY_EXEC_REFUSED, /* a call returned something else: `rc` */
	AY_EXEC_CRASHED, /* ended by a signal, or by its own exit: `signal`, `exit_code` */
	AY_EXEC_HUNG,    /* no answer within the time; killed */
	AY_EXEC_LIED,    /* its messages or words cannot be: `text` */
	AY_EXEC_OOM, /* killed for memory, by the system or by us, or scratch was refused and it gave up (rc) */
	AY_EXEC_FAULTED,   /* its GPU stopped its work: `rc` is CUDA's error, and its context is gone */
	AY_EXEC_RAISED,    /* an exception: `text` */
	AY_EXEC_UNFIT,     /* what it returned is no result of this call: `text` */
	AY_EXEC_FORBIDDEN, /* it called what it must not: `text` */
};

/* Where a crash happened, told by the executor's own handler: good enough to help the author, trusted for nothing
 * else. */
enum ay_touch {
	AY_TOUCH_NONE,   /* not a memory fault, or not known */
	AY_TOUCH_INPUT,  /* a write to a read-only slot */
	AY_TOUCH_GUARD,  /* the page before or behind a slot */
	AY_TOUCH_OTHER,  /* somewhere else */
	AY_TOUCH_DEVICE, /* memory of the GPU, by code that runs on the processor */
};

struct ay_outcome {
	enum ay_exec_status what;
	int rc, signal,
		exit_code; /* rc, if it ran: CUDA's error of a launch that the kernel did not notice, or 0 */
	int set;           /* which set was running */
	enum ay_touch fault;
	int slot;         /* of the pool: where the fault was, or -1 */
	int64_t fault_at; /* bytes from the start of that slot's memory; negative = before it */
	char text[400];   /* safe to print */
};

struct ay_byte_range;

/* One batch: the same call on `nset` sets of tensors. */
struct ay_batch {
	/*
	 * The function that is called. Where it is another form of the call's schema, arguments go by name and
	 * results by number: an out= call to the functional form hands over the caller's buffer as the result, an
	 * in-place call passes self twice, and the arguments that the call has not (dtype=, layout=...) are None.
	 */
	const struct ay_proto *proto;
	const struct ay_call *call;
	const struct ay_pool *pool;
	const struct ay_dev_mapping *lent; /* the pool as the executor has it on its device; NULL: as it is */
	/* where results that are taken go to: pool, slots and offsets of this one; NULL: here */
	const struct ay_batch *into;
	/* oracle/read_set.h: what somebody wants of each operand that is taken from a device; NULL: all */
	const struct ay_byte_range *need;
	int nset;
	/* Per set and operand, nset * call->noperand: which slot, and at which byte storage element 0 lies. */
	const int *slot;
	const uint64_t *offset;
	const ay_rng *rng; /* per set; NULL = zeros */
	/* What memory of the executor's heap holds before a call that is not timed: of set i poison[i % 4]. A hold leaves the
	 * first of them in all that is free. */
	uint8_t poison[4];
	/* Where an executor whose kernels return tensors of their own tells of them: a written slot with
	 * ay_exec_told_bytes; -1 for others. */
	int told;
	/* The results are not known yet, and room for as many is in `told`: ay_exec_returned tells. Python only, one set;
	 * 0 = they are. */
	int room;
	int threads;
	double timeout_s;
};

/* Does the executor live on after this? */
static inline bool ay_exec_is_alive(const struct ay_outcome *o)
{
	return o->what == AY_EXEC_RAN || o->what == AY_EXEC_REFUSED || o->what >= AY_EXEC_RAISED;
}

struct ay_exec_spec {
	int so_fd; /* sealed memfd of the kernel's shared object; borrowed. -1: the empty call */
	/* Not NULL: so_fd is a source in Python (or -1: torch's own functions), and `about` what ay_python_about says
	 * of it. */
	struct ay_python *python;
	const char *about;
	/* Native, and nobody's kernel: further folders of this machine that it sees, and /proc whole; NULL-ended. NULL:
	 * neither, as is due for strangers. */
	const char *const *folders;
	struct ay_dev *device; /* that its kernels run on; borrowed. NULL: the processor */
	int stack_shift;       /* see struct ay_wire_page */
	double load_timeout_s; /* constructors run here */
	bool spin;             /* a core is left over for waiting on */
	bool freezable;        /* will be frozen and thawed: gets a cgroup of its own where there are any */
	/* NULL: one of its own, full. Making that takes as long as the start, so whoever starts many has one. */
	struct ay_sandbox *sandbox;
	uint64_t memory_max;        /* bytes that it may hold beside the pool; 0: half of this machine's */
	const cpu_set_t *cpus;      /* it may run on; NULL = all of ours */
	struct ay_printed *printed; /* takes what it prints; borrowed, outlives it. NULL: nobody does */
};

struct ay_exec_entries {
	int n;
	const char **name;
	bool interpreted; /* by Triton's interpreter: large cases would take hours */
};

/*
 * Starts the process and loads the object. -1 only for our own failures; a kernel that cannot be loaded is
 * reported in *o (AY_EXEC_REFUSED with the loader's words in `text`, or what its constructors did) and *out is NULL
 * then. An object that defines none of the functions is loaded, with no entries. Entry names live in the arena.
 * The executor dies with the judge, and with the thread that started it, so that thread must outlive it.
 */
int ay_exec_start(const struct ay_exec_spec *spec, struct ay_arena *a, struct ay_exec **out,
		  struct ay_exec_entries *e, struct ay_outcome *o, struct ay_err *err);
/* Other functions of a package, into an executor that runs (Python, without a source): else as ay_exec_start. Whoever's
 * outcome is not RAN must be stopped. */
int ay_exec_load(struct ay_exec *x, const struct ay_exec_spec *spec, struct ay_arena *a, struct ay_exec_entries *e,
		 struct ay_outcome *o, struct ay_err *err);
/* Runs a batch. Unless ay_exec_is_alive, the process is gone afterwards and only ay_exec_stop may follow.
 * Sets behind one that was refused have not run. -1 also if the object has no such entry. */
int ay_exec_call(struct ay_exec *x, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err);
/*
 * The same in two halves, for whoever keeps the time: everything is made ready once, then sets [from, from + n) are
 * called, and `again` times more, any number of times. post puts the order where the executor finds it, also if it is frozen: it begins
 * when it is thawed. await waits for the answer. l: memory of the device for the slots that are late, which the executor
 * has from then on until it forgets; NULL where there are none.
 */
int ay_exec_hold(struct ay_exec *x, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err);
int ay_exec_post(struct ay_exec *x, int from, int n, int again, const struct ay_dev_mems *l, struct ay_outcome *o,
		 struct ay_err *err);
void ay_exec_await(struct ay_exec *x, double timeout_s, struct ay_outcome *o);
/* The same for calls that nobody times: in Python what they call of torch is watched, as in ay_exec_call. */
int ay_exec_post_watched(struct ay_exec *x, int from, int n, const struct ay_dev_mems *l, struct ay_outcome *o,
			 struct ay_err *err);
/* The same for calls that nobody times, of native kernels on a GPU: captured into a graph, which is launched once.
 * Calls that cannot be captured are no failure of theirs: the outcome is that they ran, and the claim 0. */
int ay_exec_post_replay(struct ay_exec *x, int from, int n, const struct ay_dev_mems *l, struct ay_outcome *o,
			struct ay_err *err);
/* Posts the order to drop what held calls have returned, which is kept until then: ay_exec_take. */
int ay_exec_post_forget(struct ay_exec *x, struct ay_outcome *o, struct ay_err *err);
/* Posts the order to do nothing for AY_WIRE_CALIBRATE_NS: in an executor of our own it takes that long, and what the hand-over
 * costs. */
int ay_exec_post_busy(struct ay_exec *x, const struct ay_dev_mems *l, struct ay_outcome *o, struct ay_err *err);
/*
 * Python on a GPU: gives the executor a heap, or another one, between batches; the one before may be dropped then. What
 * its kernels allocate from here on lies there while it lasts, and so do their results. It must not be dropped before the
 * executor has another or was stopped. Without one, results are copied by its own code into the slots of their operands,
 * and timed calls pay for that.
 */
int ay_exec_heap(struct ay_exec *x, const struct ay_dev_mem *h, struct ay_outcome *o, struct ay_err *err);
/* The same with one of at least so many bytes, which is made and dropped here; nothing happens if it has that already, or
 * if the device has no memory for it. */
int ay_exec_need_heap(struct ay_exec *x, uint64_t bytes, struct ay_outcome *o, struct ay_err *err);
/* It has nothing to do for a while: what it has much of, of a GPU's memory, is somebody else's meanwhile. */
bool ay_exec_is_heavy(const struct ay_exec *x);
int ay_exec_lighten(struct ay_exec *x, struct ay_outcome *o, struct ay_err *err);
/* Is this, by the judge's own addresses, in its heap? */
bool ay_exec_in_heap(const struct ay_exec *x, uint64_t at, uint64_t bytes);
/* What the free memory of its heap holds from the next order to forget on. */
void ay_exec_poison(struct ay_exec *x, uint8_t byte);
/* How long await spins before it sleeps, from now on, if there is a core for it. */
void ay_exec_spin(struct ay_exec *x, int64_t ns);
/* Scalars that the last batch's set returned (item): as many as the function has. kind is -1 where the kernel
 * wrote none, or none that can be; results of type int, float and bool come as such. Lives until the next call. */
const ay_scalar *ay_exec_scalars(const struct ay_exec *x, int set);
/*
 * After a batch that ran, in Python: takes the results of a set out of the executor's memory and puts them where a
 * native kernel would have written them, in the pool. AY_EXEC_UNFIT if they are not what the call returns: another shape
 * or dtype, memory that is not there, an input's or another result's. Does nothing for native executors. On a GPU they are
 * read out of the executor's heap by the judge's own device, views of arguments out of b->lent or, where that is NULL, out
 * of the pool, into which ay_dev_fetch has brought them; of b->need at least.
 */
int ay_exec_take(struct ay_exec *x, const struct ay_batch *b, int set, struct ay_outcome *o, struct ay_err *err);
/*
 * The same without the bytes, on a GPU: where result i of a set lies, as a view without data, and *at, the address of its
 * element 0 for the judge's own device, or 0 where that is not known (in a slot, and b->lent is NULL). Looks at shape,
 * dtype, strides and bounds, not at what shares memory with what. 1: it is no result of the call, and *o says why.
 */
int ay_exec_find(struct ay_exec *x, const struct ay_batch *b, int set, int i, struct ay_view *v, uint64_t *at,
		 struct ay_outcome *o);
/* After an open batch that ran: everything that was returned, read into the arena; dense views with data. */
int ay_exec_returned(struct ay_exec *x, const struct ay_batch *b, struct ay_arena *a, int *n, struct ay_view **v,
		     struct ay_outcome *o);
/* Bytes of the slot `told`. */
uint64_t ay_exec_told_bytes(const struct ay_call *c, int nset);
uint64_t ay_exec_room_bytes(int room);
/* What its device's events say that the last held calls took; 0: nothing. Made inside of it: trusted for nothing. */
double ay_exec_claimed_ns(const struct ay_exec *x);
/* The same of the graph of a replay; 0: there was none. */
double ay_exec_claimed_graph_ns(const struct ay_exec *x);
/* When, by the executor's word, it had mapped the memory that came with the last order; 0: it says nothing. */
int64_t ay_exec_mapped_ns(const struct ay_exec *x);
/* The executor itself, not its init; 0 once it is gone. */
pid_t ay_exec_pid(const struct ay_exec *x);
/* Lets all that it is run on these from now on. -1: that cannot be had. */
int ay_exec_move(const struct ay_exec *x, const cpu_set_t *cpus);
/* Its cgroup v2 as a descriptor, or -1: what ay_freeze wants. */
int ay_exec_group(const struct ay_exec *x);
void ay_exec_stop(struct ay_exec *x);

#endif
