/* SPDX-License-Identifier: Apache-2.0
 *
 * gated_exec - one executor that runs only while the judge's clock runs (the gate).
 *
 * The judge enforces the start and the end of a batch. It does not believe what the executor says
 * about either. The executor is frozen except while the clock runs:
 * - The judge writes the inputs while the executor is frozen. The order to run waits in the
 *   executor's socket.
 * - The clock starts before the executor is thawed. It stops when the judge has seen every task of
 *   the executor frozen again.
 *
 * So T, the measured time, includes everything that a kernel does that reports `done` early,
 * starts early or leaves a long system call behind. T also includes the cost of thawing, handing
 * over the order and freezing. That cost is gate_ns. The judge measures it with an empty call in a
 * trusted executor of the same kind (ay_gated_exec_hand_over).
 *
 * On a GPU, launched work continues while the process that launched it is frozen. The judge
 * therefore does three more things:
 * - Each batch gets new memory, and its file descriptors travel with the order to run.
 * - The clock stops only after the copy engine has read some elements of the outputs. The judge
 *   reads these elements again later. If one differs, it was not written in time
 *   (ay_gated_exec_late).
 * - Before each batch, a kernel of the judge's own must finish at once. If it does not, other work
 *   is still running on the GPU (`device_busy`).
 *
 * A trusted executor on a GPU (torch's own functions) may be `ungated`: it has its memory from the
 * beginning, is not frozen, and the judge does not read its outputs back in T.
 *
 * A kernel in Python returns tensors that it allocated. The executor keeps them until the judge
 * has read them (ay_gated_exec_take) while the executor is frozen. It drops them before the next
 * inputs are written (ay_gated_exec_forget). T includes neither step.
 */
#ifndef AY_TIMING_GATED_EXEC_H
#define AY_TIMING_GATED_EXEC_H

#include "exec/exec.h"
#include "timing/inputs.h"
#include "timing/exec_cache.h"

/* The byte that fills memory on a GPU before a Python kernel's allocation gets it. */
#define AY_GATED_EXEC_POISON 0x74

/* If the judge's probe kernel takes longer than this, the GPU is busy. It takes 9 us on an idle
 * GPU and 2,400 us beside another process's work. */
#define AY_IDLE_NS 1e6

/* The function that an executor calls, and where it comes from. */
struct ay_impl {
	const struct ay_proto *proto; /* the called function */
	int so_fd;                    /* its shared object or source; -1: none */
	struct ay_python *python;     /* NULL: native */
	const char *about;            /* Python: see struct ay_exec_spec */
	const char *const *folders;   /* native: see struct ay_exec_spec */
	bool aten;                    /* the function is torch's own */
	/* no foreign code runs there, so the events of its own device are believed */
	bool trusted;
	/* for torch's functions called from C: an object that calls torch's cheapest function */
	int least_fd;
};

struct ay_gated_exec {
	struct ay_exec *exec; /* NULL: the executor has ended */
	bool python;
	struct ay_input_sets sets;
	struct ay_batch batch; /* describes all sets that the executor holds */
	double timeout_s;
	cpu_set_t cpus;
	struct ay_dev *dev;   /* NULL: the CPU */
	uint64_t empty_bytes; /* bytes of device memory that travel with an empty batch */
	/* how long mapping the last batch's memory took, as the executor reports it; 0: not
	 * reported */
	double map_ns;
	/* at most this much of map_ns is subtracted from T; measured in a trusted executor */
	double map_most;
	int extra_passes; /* extra passes that a batch makes over its sets */
	bool device_busy; /* the device was not idle before the last batch */
	bool written;     /* the sets already hold the content that they keep */
	/* trusted and on a device: it has its memory from the beginning and is not frozen */
	bool ungated;
	/* receives the executor on close; NULL: the executor is ended */
	struct ay_exec_cache *kept;
	struct ay_exec_cache_name name;
};

struct ay_gated_exec_spec {
	struct ay_impl impl;
	bool empty; /* its calls do nothing, so all sets share one place */
	const struct ay_input_template *template;
	int cap, threads;
	int stack_shift; /* see struct ay_exec_spec */
	double timeout_s;
	struct ay_sandbox *sandbox;
	struct ay_dev *device; /* NULL: the CPU */
	const cpu_set_t *cpus;
	bool spare; /* a CPU is left for the judge, so waiting may spin */
	/* where to look for a running executor; NULL: always start one */
	struct ay_exec_cache *kept;
	bool ungated; /* see struct ay_gated_exec */
	/* `cap` sets made before; ownership moves to the gated executor. NULL: allocate new sets */
	struct ay_input_sets *sets;
};

/* What one batch took. */
struct ay_batch_time {
	/* T: from before the thaw until the executor is seen frozen, less map_ns (at most
	 * map_most) */
	double ns;
	double cpu_ns;     /* CPU time of all threads of the executor during T */
	double claimed_ns; /* time between the events of the executor's device; 0: not reported */
};

/* Returns the stack_shift of the n-th process started for a measurement. The shifts of consecutive
 * processes spread over a page. */
int ay_gated_exec_shift(int n);
/* Starts executors for this spec until spec->kept holds n of them. The caller does so while other
 * judges still hold the device, because starting a process takes longer than most batches. An
 * executor that cannot be started now is started when it is needed. */
int ay_gated_exec_prepare(const struct ay_gated_exec_spec *spec, int n, struct ay_err *err);
/* Starts or reuses an executor, prepares `cap` sets and freezes it. If the executor fails to start
 * or load, *o is not AY_EXEC_RAN. */
int ay_gated_exec_open(struct ay_gated_exec *s, const struct ay_gated_exec_spec *spec, struct ay_outcome *o,
		       struct ay_err *err);
/* Calls each of the sets [0, n) once, and s->extra_passes times more. The executor must be frozen before
 * the call. It is frozen afterwards unless *o says that it has ended. */
int ay_gated_exec_batch(struct ay_gated_exec *s, int n, struct ay_batch_time *b, struct ay_outcome *o,
			struct ay_err *err);
/* Measures what a batch costs besides the kernel, with an executor whose calls are empty. `busy`
 * false: *ns is the time of an empty batch. `busy` true: the executor is busy for
 * AY_WIRE_CALIBRATE_NS, and *ns is the time of that batch less this duration. In both cases the
 * time between device events is subtracted instead, where the executor reports it. */
int ay_gated_exec_hand_over(struct ay_gated_exec *s, bool busy, double *ns, struct ay_outcome *o,
			    struct ay_err *err);
/* Writes the content of one set, calls that set alone under the gate and fetches what it returned.
 * *unfinished: its output was not complete when the executor reported `done`. */
int ay_gated_exec_one(struct ay_gated_exec *s, int set, struct ay_key key, uint8_t poison, double *ns,
		      bool *unfinished, struct ay_outcome *o, struct ay_err *err);
/* For Python: copies the results of one set of the last batch into their place in the pool. `need`
 * names the bytes of each operand that must be copied on a GPU; NULL: all. *o is
 * AY_EXEC_UNFIT if what the kernel returned is not what the call returns. */
int ay_gated_exec_take(struct ay_gated_exec *s, int set, const struct ay_byte_range *need, struct ay_outcome *o,
		       struct ay_err *err);
/* For Python: runs one set on new content, untimed, while the executor checks which torch
 * functions the kernel calls. The kernel cannot know which call is watched, so it cannot call a
 * forbidden function only when unwatched. */
int ay_gated_exec_watch(struct ay_gated_exec *s, int set, struct ay_key key, uint8_t poison, struct ay_outcome *o,
			struct ay_err *err);
/* On a GPU: sets *late if an output of the last batch changed after the kernel had reported
 * `done`. */
int ay_gated_exec_late(struct ay_gated_exec *s, bool *late, struct ay_err *err);
/* On a GPU: copies one set of the last batch, or the bytes of it that `need` names, to host memory
 * for comparison. *changed: an input of the set no longer holds what the judge wrote. */
int ay_gated_exec_fetch(struct ay_gated_exec *s, int set, const struct ay_byte_range *need, bool *changed,
			struct ay_err *err);
/* Drops the tensors that the last batch returned and the device memory of that batch. */
int ay_gated_exec_forget(struct ay_gated_exec *s, struct ay_outcome *o, struct ay_err *err);
/* Ends the executor and moves its sets to *sets, so that another executor can use them. */
void ay_gated_exec_leave(struct ay_gated_exec *s, struct ay_input_sets *sets);
void ay_gated_exec_close(struct ay_gated_exec *s);

#endif
