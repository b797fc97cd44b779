/* SPDX-License-Identifier: Apache-2.0
 *
 * seat - one executor under the gate.
 *
 * `go` and `done` are enforced, not believed. A seat is frozen except while the clock runs: inputs are written
 * while it stands still, the order to call waits in its socket, the clock starts before it is thawed and stops when
 * every task of it is seen to stand still again. A kernel that raises `done` early, starts early or leaves a long
 * system call behind has all of that inside its time. What is between thaw and freeze but not the kernel's is c0,
 * measured in a seat of our own, of the same kind (ay_gated_exec_hand_over).
 *
 * On a GPU what was launched runs on while its process stands still. So the memory of a batch is new, and its
 * descriptors go with the order; the clock stops when some elements of the outputs have been read by the copy engine,
 * and these are read once more later: what is another one then was not there (late). Before each batch a kernel of our
 * own must return at once, or somebody has left work behind (restless). Who is trusted (torch's own functions) has its
 * memory from the beginning there, is not frozen and not looked at: plain.
 *
 * A kernel in Python returns tensors of its own. They are kept until we have read them (take), while the seat stands
 * still, and dropped before the next content is written (forget): neither is in T.
 */
#ifndef AY_TIMING_GATED_EXEC_H
#define AY_TIMING_GATED_EXEC_H

#include "exec/exec.h"
#include "timing/inputs.h"
#include "timing/exec_cache.h"

/* What memory that Python kernels allocate on a GPU holds before. */
#define AY_GATED_EXEC_POISON 0x74

/* A kernel of ours on an idle GPU takes 9 us, beside another process's work 2,400. */
#define AY_IDLE_NS 1e6

/* Who sits in a seat. */
struct ay_impl {
	const struct ay_proto *proto; /* of the function that is called */
	int so_fd;                    /* its object or source; -1: none */
	struct ay_python *python;     /* NULL: native */
	const char *about;            /* Python: see struct ay_exec_spec */
	const char *const *folders;   /* native: see struct ay_exec_spec */
	bool aten;                    /* the function is torch's own */
	bool trusted;                 /* nobody's kernel: what its device says of it counts */
	int least_fd;                 /* native and torch's own: an object that calls the least that torch has */
};

struct ay_gated_exec {
	struct ay_exec *exec; /* NULL: gone */
	bool python;
	struct ay_input_sets sets;
	struct ay_batch batch; /* what is held: all sets */
	double timeout_s;
	cpu_set_t cpus;
	struct ay_dev *dev;         /* NULL: the processor */
	uint64_t lend_bytes;        /* of memory that goes with an empty batch */
	double map_ns;              /* until the last batch had its memory, by its own word; 0: it says nothing */
	double map_most;            /* of that is not in T: as long as it takes in a seat of ours */
	int again;                  /* batches go over their sets so often once more */
	bool restless;              /* the device was not idle before the last batch */
	bool written;               /* its sets have the content that they keep */
	bool plain;                 /* trusted, on a device: has its memory before, and is not frozen */
	struct ay_exec_cache *kept; /* where its executor goes when it is closed; NULL: it ends */
	struct ay_exec_cache_name name;
};

struct ay_gated_exec_spec {
	struct ay_impl sitter;
	bool empty; /* its calls do nothing: on sets that share one place */
	const struct ay_input_template *master;
	int cap, threads;
	int stack_shift; /* see struct ay_exec_spec */
	double timeout_s;
	struct ay_sandbox *sandbox;
	struct ay_dev *device; /* NULL: the processor */
	const cpu_set_t *cpus;
	bool spare;                 /* a core is left to wait on */
	struct ay_exec_cache *kept; /* executors that are there already; NULL: none */
	bool plain;                 /* see struct ay_gated_exec */
	struct ay_input_sets *sets; /* `cap` of them, made before: taken over. NULL: new ones */
};

/* What one batch took. */
struct ay_batch_time {
	double ns;         /* T: from before the thaw to the proof that it stands still; less map_most at most */
	double cpu_ns;     /* CPU time of all its threads meanwhile */
	double claimed_ns; /* what its own device's events say; 0: nothing */
};

/* Where the stack of the n-th process in a row begins, for stack_shift: any few in a row are spread over a page. */
int ay_gated_exec_shift(int n);
/* Sees to it that n executors wait for such seats, where they are kept: while others still have the device, since a new
 * process takes longer than most batches. Those that cannot be had are started when they are needed. */
int ay_gated_exec_prepare(const struct ay_gated_exec_spec *spec, int n, struct ay_err *err);
/* Starts, makes `cap` sets ready and freezes. If it does not get that far by its own doing, *o is not AY_EXEC_RAN. */
int ay_gated_exec_open(struct ay_gated_exec *s, const struct ay_gated_exec_spec *spec, struct ay_outcome *o,
		       struct ay_err *err);
/* Calls sets [0, n) once each, and again. The seat must be frozen, and is afterwards, unless *o says that it is gone. */
int ay_gated_exec_batch(struct ay_gated_exec *s, int n, struct ay_batch_time *b, struct ay_outcome *o,
			struct ay_err *err);
/* What a batch costs besides the kernel: of one that is empty, or (busy) of one that takes AY_WIRE_CALIBRATE_NS, less those, or
 * less what events say of either. For seats whose calls are empty. */
int ay_gated_exec_hand_over(struct ay_gated_exec *s, bool busy, double *ns, struct ay_outcome *o,
			    struct ay_err *err);
/* One set alone: its content is written now, and what it returned is taken. *unfinished: its output was not there at
 * `done`. */
int ay_gated_exec_one(struct ay_gated_exec *s, int set, struct ay_key key, uint8_t poison, double *ns,
		      bool *unfinished, struct ay_outcome *o, struct ay_err *err);
/* In Python: puts what a set of the last batch returned, on a GPU at least what is needed (NULL: all), into its place in the pool. AY_EXEC_UNFIT: it cannot be. */
int ay_gated_exec_take(struct ay_gated_exec *s, int set, const struct ay_byte_range *need, struct ay_outcome *o,
		       struct ay_err *err);
/* In Python: one set on content of its own, not timed, while it is watched what the kernel calls of torch: who calls it
 * only when he is not watched does not know when he is. */
int ay_gated_exec_watch(struct ay_gated_exec *s, int set, struct ay_key key, uint8_t poison, struct ay_outcome *o,
			struct ay_err *err);
/* On a GPU, native: sets [0, n) as a CUDA graph, under the gate as a batch is, but not timed. *ns: what its own
 * events say of all of it, 0 if it cannot be captured. */
int ay_gated_exec_replay(struct ay_gated_exec *s, int n, double *ns, struct ay_outcome *o, struct ay_err *err);
/* On a GPU: was something of the last batch's outputs written after it had said `done`? */
int ay_gated_exec_late(struct ay_gated_exec *s, bool *late, struct ay_err *err);
/* On a GPU: brings a set of the last batch, or what is needed of it, to where it is compared. *changed: it has another input now. */
int ay_gated_exec_fetch(struct ay_gated_exec *s, int set, const struct ay_byte_range *need, bool *changed,
			struct ay_err *err);
/* Lets go of what was returned, and of the memory of the batch. */
int ay_gated_exec_forget(struct ay_gated_exec *s, struct ay_outcome *o, struct ay_err *err);
/* Ends its process and hands its sets back, for another seat on them. */
void ay_gated_exec_leave(struct ay_gated_exec *s, struct ay_input_sets *sets);
void ay_gated_exec_close(struct ay_gated_exec *s);

#endif
