/* SPDX-License-Identifier: Apache-2.0
 *
 * witness - the answers of operators that have no reference in C: ATen in double on the same inputs, in an executor
 * of its own that never sees a kernel (torch/assay/oracle.py).
 */
#ifndef AY_JUDGE_WITNESS_H
#define AY_JUDGE_WITNESS_H

#include "exec/exec.h"
#include "exec/python.h"
#include "op/suite.h"

struct ay_witness {
	struct ay_python *python;   /* borrowed */
	struct ay_sandbox *sandbox; /* borrowed */
	int threads;
	int ref_fd;                     /* the user's reference instead of ATen; 0 = ATen */
	const char *ref_file;           /* its name */
	struct ay_arena arena;          /* of the operator in hand */
	const struct ay_entry_op *op;   /* whose functions are loaded; NULL = none */
	struct ay_exec *exec;           /* NULL: not running */
	struct ay_exec_entries entries; /* of it */
};

/*
 * Finds the answer to a call that is open, and closes it. 1: there is none, and *why says why (ATen does not take the
 * case, or its answer in double is another one). -1: our failure. All in the arena.
 */
int ay_witness_answer(struct ay_witness *w, const struct ay_entry_op *op, struct ay_call *c, struct ay_arena *a,
		      const char **why, struct ay_err *err);
/* The same for a call that is closed, on what its operands hold now (`old` of those that are updated): c->given is in the
 * arena then. 1 also if the results are of another shape or dtype than the call's. */
int ay_witness_again(struct ay_witness *w, const struct ay_entry_op *op, struct ay_call *c, struct ay_arena *a,
		     const char **why, struct ay_err *err);
/* Do both promise results of the same shapes and dtypes? */
bool ay_witness_agrees(const struct ay_given *x, const struct ay_given *y);
void ay_witness_release(struct ay_witness *w);

#endif
