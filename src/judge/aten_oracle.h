/* SPDX-License-Identifier: Apache-2.0
 *
 * witness - the answers of operators that have no reference in C: ATen in double on the same inputs, in an executor
 * of its own that never sees a kernel (torch/assay/oracle.py).
 *
 * Theory of operation. The processor takes some 70 ns for an element, which is most of the time that judging large calls
 * takes. So where there is a GPU a second executor, which has it, answers those: the same oracle.py, on the same memory
 * of this machine, moves arguments there and answers back. The GPU is fast, but the processor has the last word.
 * Whatever is no answer (no kernel for doubles, no memory, a process that died, a refusal) is asked of the processor as
 * if there were no GPU; where that had an answer it was the GPU's failure, and after some of them the operator is the
 * processor's alone. So it is where torch turns out to differ on GPUs: of every kind of call
 * (aten_crosscheck.h) the first, or a smaller one in its place, is asked of both, and unless they concur the GPU is not asked again.
 * What torch gives of another dtype there (is_cudas_own of op.h) only the GPU is asked for.
 *
 * While somebody is timed on a GPU nobody else may touch it: the executor is started, called and ended only when the
 * judge was let in (ay_judge_enter), and what the processor has to do for a call is done outside.
 */
#ifndef AY_JUDGE_ATEN_ORACLE_H
#define AY_JUDGE_ATEN_ORACLE_H

#include "exec/exec.h"
#include "exec/python.h"
#include "judge/aten_request.h"
#include "op/suite.h"

struct ay_judge;

enum { AY_ATEN_CROSSCHECKS = 64 };

/* One of its two executors. */
struct ay_aten_oracle_exec {
	struct ay_arena arena;          /* of the operator in hand */
	const struct ay_entry_op *op;   /* whose functions are loaded; NULL = none */
	struct ay_exec *exec;           /* NULL: not running */
	struct ay_exec_entries entries; /* of it */
};

struct ay_aten_oracle {
	struct ay_python *python;   /* borrowed */
	struct ay_sandbox *sandbox; /* borrowed */
	int threads;
	int ref_fd;             /* the user's reference instead of ATen; 0 = ATen */
	const char *ref_file;   /* its name */
	struct ay_dev *device;  /* a GPU for large calls; borrowed; NULL, or no GPU: there is none */
	struct ay_judge *judge; /* who waits for his turn on it; borrowed; NULL: nobody else is there */
	const char *place;      /* what torch calls it; NULL = "cuda". Tests that have none say "cpu" */
	struct ay_aten_oracle_exec cpu, gpu;
	struct ay_exec **spare; /* two, of the witness before and for the next: its cpu, its gpu; or NULL */
	const struct ay_entry_op *failed; /* the operator on which the GPU failed so often: */
	int failures;
	bool no_room; /* the last time: there was no memory for it, for long */
	bool hung;    /* the last time, until it was killed */
	/* Kinds of calls on which both have concurred, nconcord of all times; the oldest is forgotten. */
	uint64_t concord[AY_ATEN_CROSSCHECKS];
	int nconcord;
	bool on_gpu;                 /* who gave the last answer */
	bool may_be_blank;           /* the answer: see ay_aten_oracle_answer */
	int asked[AY_ATEN_REQUESTS]; /* of the GPU, how often */
	struct ay_pool pool;         /* memory for arguments, of the next questions too */
	struct {
		struct ay_operand **operand; /* slot i of the pool has what operand[i] holds before the call */
		int n;                       /* 0: there is none */
	} laid;                              /* the arguments of the last call that was filled for it */
};

/* Does the GPU get this call: is it large, is there room for it, and was there no trouble with the operator? */
bool ay_aten_oracle_is_for_gpu(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_call *c);

/*
 * Finds the answer to a call that is open, and closes it. Of a large one that the GPU answers alone it may be blank
 * (struct ay_expected): most results are right, which the GPU can say of them (ay_aten_oracle_holds), and to have the values here
 * takes longer than all the rest; ay_aten_oracle_again gets them. 1: there is none, and *why says why (ATen does not take the
 * case, or its answer in double is another one). -1: our failure. All in the arena.
 */
int ay_aten_oracle_answer(struct ay_aten_oracle *w, const struct ay_entry_op *op, struct ay_call *c,
			  struct ay_arena *a, const char **why, struct ay_err *err);
/* The same for a call that is closed, on what its operands hold now (`old` of those that are updated): c->given is in the
 * arena then. 1 also if the results are of another shape or dtype than the call's. */
int ay_aten_oracle_again(struct ay_aten_oracle *w, const struct ay_entry_op *op, struct ay_call *c,
			 struct ay_arena *a, const char **why, struct ay_err *err);
/* What the values are like that a result should have: how many are 0, and the range of all. */
struct ay_crosschecked {
	int64_t zeros;
	double least, most;
};

/* Of a call whose answer is blank, which the GPU gave for what its operands hold: are the results that lie in memory right, all
 * of them? held has one for each. 1: not as far as it can say. */
int ay_aten_oracle_holds(struct ay_aten_oracle *w, const struct ay_entry_op *op, const struct ay_call *c,
			 struct ay_arena *a, struct ay_crosschecked *held, struct ay_err *err);
/* The storage of an input as it was made for the question, for whoever would have to make it once more; NULL: it is not
 * there. Until a question about another call. */
const uint8_t *ay_aten_oracle_laid(const struct ay_aten_oracle *w, const struct ay_operand *o);
/* Before its operands are no more. */
void ay_aten_oracle_forget_laid(struct ay_aten_oracle *w);
void ay_aten_oracle_release(struct ay_aten_oracle *w);

#endif
