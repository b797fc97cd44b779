/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_oracle - the right answers of operators that have no reference in C: ATen in double
 * precision.
 *
 * ATen runs on the same inputs as the kernel, in an executor of its own that never runs a kernel
 * (torch/assay/oracle.py).
 *
 * Theory of operation. The CPU takes some 70 ns per element, which is most of the time for judging
 * large calls. If there is a GPU, a second executor uses it for those calls. It runs the same
 * oracle.py on the same host memory. It copies the arguments to the GPU and the answers back.
 *
 * The GPU is fast, but the CPU's answer is authoritative:
 * - If the GPU gives no answer (no kernel for doubles, no memory, a dead process, a refusal), the
 *   CPU is used as if there were no GPU. If the CPU then gives an answer, this counts as a failure
 *   of the GPU. After a few failures only the CPU serves this operator.
 * - torch may give different answers on GPUs. So for each kind of call (aten_crosscheck.h) the
 *   first call, or a smaller one in its place, is sent to both. If they do not agree, the GPU is
 *   no longer used for the operator.
 * - For results whose dtype differs on CUDA (is_cudas_own of op.h), only the GPU is used.
 *
 * While a kernel is timed on a GPU, no other process may use that GPU. So the GPU executor is
 * started, called and ended only while the judge holds the GPU's lock (ay_judge_enter). The CPU
 * part of a request is done outside the lock.
 */
#ifndef AY_JUDGE_ATEN_ORACLE_H
#define AY_JUDGE_ATEN_ORACLE_H

#include "exec/exec.h"
#include "exec/python.h"
#include "judge/aten_request.h"
#include "op/suite.h"

struct ay_judge;

enum { AY_ATEN_CROSSCHECKS = 64 };

/* One of the two executors of the oracle. */
struct ay_aten_oracle_exec {
	struct ay_arena arena;          /* holds the data of the current operator */
	const struct ay_entry_op *op;   /* operator whose functions are loaded; NULL: none */
	struct ay_exec *exec;           /* NULL: not running */
	struct ay_exec_entries entries; /* functions of the executor */
};

struct ay_aten_oracle {
	struct ay_python *python;   /* borrowed */
	struct ay_sandbox *sandbox; /* borrowed */
	int threads;
	int ref_fd;            /* the user's reference, used instead of ATen; 0: ATen */
	const char *ref_file;  /* name of the user's reference */
	struct ay_dev *device; /* a GPU for large calls; borrowed; NULL or a CPU: none */
	/* the judge whose lock guards the GPU; borrowed; NULL: nothing else uses the GPU */
	struct ay_judge *judge;
	/* torch's name for the GPU; NULL: "cuda". Tests without a GPU use "cpu" */
	const char *place;
	struct ay_aten_oracle_exec cpu, gpu;
	/* two idle executors kept between oracles: for CPU and GPU; or NULL */
	struct ay_exec **spare;
	/* the operator that the failures of the GPU are counted for */
	const struct ay_entry_op *failed;
	int failures;
	bool no_room; /* the last request found no GPU memory, even after waiting */
	bool hung;    /* the executor hung in the last GPU request and was killed */
	/* Kinds of calls on which CPU and GPU agreed; ncrosscheck counts all of them, and the oldest
	 * is overwritten. */
	uint64_t crosscheck[AY_ATEN_CROSSCHECKS];
	int ncrosscheck;
	bool on_gpu;                 /* the GPU gave the last answer */
	bool short_of_memory;        /* the last answer needed more memory than was available */
	bool may_be_shape_only;      /* the answer may be shape_only: see ay_aten_oracle_answer */
	int asked[AY_ATEN_REQUESTS]; /* how often the GPU got each kind of request */
	struct ay_pool pool;         /* memory for arguments, reused by the next requests */
	/* the arguments of the last call whose inputs were filled */
	struct {
		/* slot i of the pool holds the content of operand[i] before the call */
		struct ay_operand **operand;
		/* number of operands; 0: none */
		int n;
	} laid;
};

/* Returns true if the GPU gets this call: the call is large, memory suffices and the operator has
 * not failed too often. */
bool ay_aten_oracle_is_for_gpu(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_call *c);

/*
 * Finds the answer to an open call and closes the call. If only the GPU answers a large call, the
 * answer may be `shape_only` (struct ay_expected). Most results are right, and the GPU can confirm
 * this (ay_aten_oracle_holds). Copying the values to the host would take longer than everything
 * else. ay_aten_oracle_again gets the values.
 *
 * Returns 0 if there is an answer. Returns 1 if there is none, and *why says why (ATen does not
 * accept the case, or its answer in double differs). Returns -1 if the judge failed. Everything is
 * allocated in `a`.
 */
int ay_aten_oracle_answer(struct ay_aten_oracle *w, const struct ay_entry_op *op, struct ay_call *c,
			  struct ay_arena *a, const char **why, struct ay_err *err);
/* Finds the answer to a closed call for the present content of its operands (`old` of those that
 * are updated), and sets c->given in `a`. Returns as ay_aten_oracle_answer does. Also returns 1 if
 * the results have another shape or dtype than those of the call. */
int ay_aten_oracle_again(struct ay_aten_oracle *w, const struct ay_entry_op *op, struct ay_call *c,
			 struct ay_arena *a, const char **why, struct ay_err *err);
/* Statistics of the values that a result should have: the number of zeros, and the range. */
struct ay_crosschecked {
	int64_t zeros;
	double least, most;
};

/* For a call whose answer is shape_only, which the GPU gave for the present content of its
 * operands. Returns 0 if all results in memory are right; then held[] has the statistics of each
 * result. Returns 1 if the GPU cannot confirm this. */
int ay_aten_oracle_holds(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_call *c,
			 struct ay_arena *a, struct ay_crosschecked *held, struct ay_err *err);
/* Returns the storage of an input as it was filled for the oracle, so that the caller need not
 * fill it again; NULL: not available. Valid until a request about another call. */
const uint8_t *ay_aten_oracle_laid(const struct ay_aten_oracle *w, const struct ay_operand *o);
/* Forgets the filled inputs. Must be called before the operands become invalid. */
void ay_aten_oracle_forget_laid(struct ay_aten_oracle *w);
void ay_aten_oracle_release(struct ay_aten_oracle *w);

#endif
