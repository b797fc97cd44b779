/* SPDX-License-Identifier: Apache-2.0
 *
 * exec - the judge's end of an executor: a process that gets buffers and orders to run.
 *
 * Theory of operation. The executor is a small program carried inside assay. It is started from
 * memory in a jail of its own (sandbox/jail.h), below an init process of assay's. Only one end of a
 * SOCK_SEQPACKET pair and one shared page are open in it. It gets the kernel's shared object as a
 * sealed memfd (LOAD), pools of memory as memfds (MAP), and calls (CALL). A call has shapes,
 * strides, scalars and places, but never a case line, a fill or a seed.
 *
 * The judge puts the message in the socket, then raises `go` in the page to the message's number.
 * The executor raises `done` to that number and puts the status beside it. Each side waits by a
 * short spin while a core is free, then by a futex. What comes from the executor is hostile: the
 * judge loads each shared word once, checks lengths, and reports an impossible value as
 * AY_EXEC_LIED.
 *
 * A kernel that crashes, hangs or exits ends its own executor only: the outcome says what happened,
 * and the caller starts a new executor from the same object for the next call.
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
	AY_EXEC_REFUSED, /* a call returned a value other than 0: `rc` */
	AY_EXEC_CRASHED, /* ended by a signal, or by its own exit: `signal`, `exit_code` */
	AY_EXEC_HUNG,    /* no answer within the time limit; killed */
	AY_EXEC_LIED,    /* its messages or words are impossible: `text` */
	/* killed for memory, or scratch was refused and the kernel gave up (`rc`) */
	AY_EXEC_OOM,
	/* its GPU stopped its work: `rc` is CUDA's error, and its context is gone */
	AY_EXEC_FAULTED,
	AY_EXEC_RAISED,    /* the kernel raised an exception: `text` */
	AY_EXEC_UNFIT,     /* what the kernel returned is no result of this call: `text` */
	AY_EXEC_FORBIDDEN, /* the kernel called what it must not call: `text` */
};

/* Where a crash happened, as the executor's own signal handler reports it. Used only to help the
 * kernel's author; no verdict depends on it. */
enum ay_touch {
	AY_TOUCH_NONE,   /* not a memory fault, or not known */
	AY_TOUCH_INPUT,  /* a write to a read-only slot */
	AY_TOUCH_GUARD,  /* the page before or behind a slot */
	AY_TOUCH_OTHER,  /* another address */
	AY_TOUCH_DEVICE, /* memory of the GPU, by code that runs on the processor */
};

struct ay_outcome {
	enum ay_exec_status what;
	/* rc, if it ran: CUDA's error of a launch that the kernel did not check, or 0 */
	int rc, signal, exit_code;
	int set; /* which set was running */
	enum ay_touch fault;
	int slot;         /* the slot of the pool at which the fault was, or -1 */
	int64_t fault_at; /* bytes from the start of that slot's memory; negative: before it */
	char text[400];   /* safe to print */
};

struct ay_byte_range;

/* Where the states of a batch's random generators lie: one ay_rng per set, one behind the other. */
struct ay_rng_place {
	int slot; /* in host memory, read-only for the executor */
	uint64_t offset;
};

/* One batch: the same call on `nset` sets of tensors. */
struct ay_batch {
	/*
	 * The function that is called. It may be another form of the call's schema. Then arguments
	 * are matched by name and results by number: an out= call to the functional form gives it
	 * the caller's buffer as the result, and an in-place call passes self twice. Arguments that
	 * the call does not have (dtype=, layout=...) are None.
	 */
	const struct ay_proto *proto;
	const struct ay_call *call;
	const struct ay_pool *pool;
	/* the pool as the executor has it on its device; NULL: the pool itself */
	const struct ay_dev_mapping *mapping;
	/* The batch into whose pool, slots and offsets results are read; NULL: this batch's. */
	const struct ay_batch *into;
	/* Per operand, the byte range (oracle/read_set.h) that the judge needs of what is read from
	 * a device; NULL: all. */
	const struct ay_byte_range *need;
	int nset;
	/* How many sets ay_exec_call calls; 0: all. The others wait for ay_exec_call_set. */
	int called;
	/* Per set and operand (nset * call->noperand): the slot, and the byte at which storage
	 * element 0 lies in it. */
	const int *slot;
	const uint64_t *offset;
	const ay_rng *rng; /* per set; NULL: zeros */
	/* Held sets: where their states lie instead, which the judge writes anew for each order to
	 * run. NULL: `rng` applies. */
	const struct ay_rng_place *rng_place;
	/* The bytes that memory of the executor's heap holds before an untimed call: poison[i % 4]
	 * for set i. ay_exec_hold leaves poison[0] in all free memory of the heap. */
	uint8_t poison[4];
	/* The written slot, of ay_exec_told_bytes, in which an executor describes the results that
	 * its kernels allocate; -1 for executors whose kernels allocate none. */
	int told;
	/* 0: the call's results are known. Otherwise they are not known yet, and `told` has space
	 * for `room` of them: ay_exec_returned reads them. Python only, one set. */
	int room;
	int threads;
	double timeout_s;
};

/* Returns true if the executor is still running after this outcome. */
static inline bool ay_exec_is_alive(const struct ay_outcome *o)
{
	return o->what == AY_EXEC_RAN || o->what == AY_EXEC_REFUSED || o->what >= AY_EXEC_RAISED;
}

struct ay_exec_spec {
	int so_fd; /* sealed memfd of the kernel's shared object; borrowed. -1: the empty call */
	/* Not NULL: the kernel is Python. so_fd is then its source (-1: torch's own functions), and
	 * `about` is ay_python_about's text about it. */
	struct ay_python *python;
	const char *about;
	/* For native code of assay's own, never for a submitted kernel: further folders of this
	 * machine that the executor sees, besides the whole /proc; NULL-ended. NULL: neither. */
	const char *const *folders;
	struct ay_dev *device; /* on which its kernels run; borrowed. NULL: the processor */
	int stack_shift;       /* see struct ay_wire_page */
	double load_timeout_s; /* the kernel's constructors run in this time */
	bool spin;             /* a core is free for waiting on */
	/* the caller will freeze and thaw it: it gets a cgroup of its own if the system has them */
	bool freezable;
	/* NULL: the executor gets a sandbox of its own, in FULL mode. Making one takes as long as
	 * starting the executor, so a caller that starts many executors passes one. */
	struct ay_sandbox *sandbox;
	/* bytes that it may hold besides the pool; 0: half of this machine's memory */
	uint64_t memory_max;
	const cpu_set_t *cpus; /* the CPUs it may run on; NULL: all that the judge may use */
	/* gets what it prints; borrowed, must outlive it. NULL: output is discarded */
	struct ay_printed *printed;
};

struct ay_exec_entries {
	int n;
	const char **name;
	bool interpreted; /* it runs in Triton's interpreter: large cases would take hours */
};

/*
 * Starts the process and loads the object. Returns -1 only for assay's own failures. A kernel that
 * cannot be loaded is reported in *o: AY_EXEC_REFUSED with the loader's message in `text`, or what
 * its constructors did; *out is NULL then. An object that defines none of the functions is loaded
 * and has no entries. Entry names live in the arena. The executor ends with the judge, and with the
 * thread that started it, so that thread must outlive the executor.
 */
int ay_exec_start(const struct ay_exec_spec *spec, struct ay_arena *a, struct ay_exec **out,
		  struct ay_exec_entries *e, struct ay_outcome *o, struct ay_err *err);
/* Loads other functions of a package into a running executor (Python without a source); otherwise
 * as ay_exec_start. The caller must stop the executor if the outcome is not AY_EXEC_RAN. */
int ay_exec_load(struct ay_exec *x, const struct ay_exec_spec *spec, struct ay_arena *a, struct ay_exec_entries *e,
		 struct ay_outcome *o, struct ay_err *err);
/* Runs a batch, or its first b->called sets. Unless ay_exec_is_alive(o), the process has ended afterwards and only ay_exec_stop
 * may follow. Sets after a refused set have not run. Returns -1 also if the object has no such
 * entry. */
int ay_exec_call(struct ay_exec *x, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err);
/* Runs one more set of the batch that the last ay_exec_call has run in part; otherwise as
 * ay_exec_call. What earlier sets returned is still there. */
int ay_exec_call_set(struct ay_exec *x, const struct ay_batch *b, int set, struct ay_outcome *o,
		     struct ay_err *err);
/*
 * The next three functions split ay_exec_call for a caller that measures time. ay_exec_hold
 * prepares all sets once. After it, ay_exec_post and ay_exec_await call sets [from, from + n), and
 * all of them `again` times more; that may be done any number of times. ay_exec_post delivers the
 * order, also to a frozen executor, which begins when it is thawed. ay_exec_await waits for the
 * answer. l: memory of the device for the slots that are late; the executor has that memory until
 * ay_exec_post_forget. NULL if no slot is late.
 */
int ay_exec_hold(struct ay_exec *x, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err);
int ay_exec_post(struct ay_exec *x, int from, int n, int extra_passes, const struct ay_dev_mems *l,
		 struct ay_outcome *o, struct ay_err *err);
void ay_exec_await(struct ay_exec *x, double timeout_s, struct ay_outcome *o);
/* As ay_exec_post, for untimed calls. In Python the torch functions they call are recorded, as in
 * ay_exec_call. */
int ay_exec_post_watched(struct ay_exec *x, int from, int n, const struct ay_dev_mems *l, struct ay_outcome *o,
			 struct ay_err *err);
/* Posts the order to drop the results of held calls. The executor keeps them until then, for
 * ay_exec_take. */
int ay_exec_post_forget(struct ay_exec *x, struct ay_outcome *o, struct ay_err *err);
/* Posts the order to do nothing for AY_WIRE_CALIBRATE_NS. In an executor that runs no kernel, the
 * answer takes that long plus the cost of the hand-over. */
int ay_exec_post_busy(struct ay_exec *x, const struct ay_dev_mems *l, struct ay_outcome *o, struct ay_err *err);
/*
 * Python on a GPU: gives the executor a heap, or replaces its heap, between batches. From then on
 * its kernels allocate there while memory lasts, and so their results lie there. The caller must
 * keep `h` until the executor has another heap or was stopped; the previous heap may be freed after
 * this call. Without a heap the executor's own code copies results into the slots of their
 * operands, and timed calls include the time of that copy.
 */
int ay_exec_heap(struct ay_exec *x, const struct ay_dev_mem *h, struct ay_outcome *o, struct ay_err *err);
/* As ay_exec_heap, with a heap of about `bytes` or more that the executor's handle owns. Does
 * nothing if the present heap suffices or if the device has no memory for a larger one. */
int ay_exec_need_heap(struct ay_exec *x, uint64_t bytes, struct ay_outcome *o, struct ay_err *err);
/* Returns true if the executor holds much GPU memory. A caller that leaves such an executor idle
 * calls ay_exec_lighten, so that others can use the memory meanwhile. */
bool ay_exec_is_heavy(const struct ay_exec *x);
/* Unmaps a large pool from the executor and replaces a large heap by a small one. */
int ay_exec_lighten(struct ay_exec *x, struct ay_outcome *o, struct ay_err *err);
/* Returns true if [at, at + bytes), as the judge maps the heap, lies in the executor's heap. */
bool ay_exec_in_heap(const struct ay_exec *x, uint64_t at, uint64_t bytes);
/* Sets the byte that free memory of the heap holds from the next ay_exec_post_forget on. */
void ay_exec_poison(struct ay_exec *x, uint8_t byte);
/* Sets how long ay_exec_await spins before it sleeps, if a core is free for it. */
void ay_exec_spin(struct ay_exec *x, int64_t ns);
/* Returns the scalars (item) that set `set` of the last batch returned, one for each scalar result
 * of the function. kind is -1 if the kernel wrote none or an impossible one. Results of type int,
 * float and bool keep that type. Lives until the next call. */
const ay_scalar *ay_exec_scalars(const struct ay_exec *x, int set);
/*
 * Python, after a batch that ran: reads the results of a set out of the executor's memory and puts
 * them in the pool, where a native kernel would have written them. Does nothing for native
 * executors. *o is AY_EXEC_UNFIT if they are not what the call returns: the shape or dtype is
 * wrong, the memory does not exist, or it is an input's or another result's. On a GPU the judge's
 * own device reads them out of the executor's heap. Views of arguments are read out of b->mapping; if
 * that is NULL, out of the pool, into which ay_dev_fetch has copied them. Reads b->need at least.
 */
int ay_exec_take(struct ay_exec *x, const struct ay_batch *b, int set, struct ay_outcome *o, struct ay_err *err);
/*
 * As ay_exec_take on a GPU, but copies no bytes: *v becomes result i of a set as a view without
 * data. *at becomes the address of its element 0 on the judge's own device, or 0 if that is not
 * known (it lies in a slot and b->mapping is NULL). Checks shape, dtype, strides and bounds, but not
 * whether results share memory. Returns 1 if it is no result of the call; *o says why.
 */
int ay_exec_find(struct ay_exec *x, const struct ay_batch *b, int set, int i, struct ay_view *v, uint64_t *at,
		 struct ay_outcome *o);
/* After a batch with `room` that ran: reads everything that was returned into the arena, as *n
 * dense views with data. */
int ay_exec_returned(struct ay_exec *x, const struct ay_batch *b, struct ay_arena *a, int *n, struct ay_view **v,
		     struct ay_outcome *o);
/* Returns the bytes that slot `told` of a batch needs. */
uint64_t ay_exec_told_bytes(const struct ay_call *c, int nset);
/* Returns the bytes that slot `told` needs for `room` results. */
uint64_t ay_exec_room_bytes(int room);
/* Returns the time of the last held calls by the events of the executor's device; 0: none. It is
 * measured inside the executor, so it is never trusted. */
double ay_exec_claimed_ns(const struct ay_exec *x);
/* Returns when, by the executor's own claim, it had mapped the memory that came with the last
 * order; 0: not said. */
int64_t ay_exec_mapped_ns(const struct ay_exec *x);
/* Returns the pid of the executor itself, not of its init; 0 after it has ended. */
pid_t ay_exec_pid(const struct ay_exec *x);
/* Makes all threads of the executor run on `cpus` from now on. Returns -1 if the system refuses. */
int ay_exec_move(const struct ay_exec *x, const cpu_set_t *cpus);
/* Returns its cgroup v2 as a descriptor, for ay_freeze; -1: it has none. */
int ay_exec_group(const struct ay_exec *x);
/* Kills the process if it still runs, and frees everything. x may be NULL. */
void ay_exec_stop(struct ay_exec *x);

#endif
