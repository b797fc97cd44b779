/* SPDX-License-Identifier: Apache-2.0
 *
 * case_run - judging one case: what the judge's own files share.
 *
 * layout.c places the tensors and takes them back. check_outputs.c finds out what the kernel did
 * to them. judge.c runs everything.
 */
#ifndef AY_JUDGE_CASE_RUN_H
#define AY_JUDGE_CASE_RUN_H

#include "judge/judge.h"
#include "timing/inputs.h"
#include "oracle/oracle.h"
#include "device/perf_lock.h"

enum { SETS = 2, SETS_RANDOM = 3 };

/* The state of judging one case. */
struct case_run {
	struct ay_judge *j;
	struct ay_arena *a;
	struct ay_report *rep;
	const struct ay_entry_op *op;
	struct ay_call *call;
	const struct ay_case *line; /* the case line with its seed */
	/* the seed was given, not drawn: then all random numbers of this case follow from it */
	bool seeded;
	uint64_t chances; /* how many random numbers were taken */
	/* for a line with timed=: makes the inputs of a timed call; else NULL */
	struct ay_input_template *timed;
	int64_t lap; /* when the present stage began */
	int nset;
	struct ay_need *need; /* per slot */
	int nneed;
	int told;  /* the slot in which the executor describes its results; -1: none */
	int *slot; /* per set and operand */
	uint64_t *offset;
	uint64_t copy_bytes; /* bytes of all written slots */
	uint8_t **copy;      /* per set and operand: content of the slot after the run */
	int changed;         /* slot of an input that the kernel changed on its device; -1: none */
	uint8_t poison[SETS_RANDOM];
	ay_rng rng[SETS_RANDOM];
	/* of a random operator: the deviations of the draws of set 0, by its own check */
	struct ay_draws draws;
};

/* Records a verdict that applies. The report keeps the worst one and its detail. */
void ay_case_run_say(struct case_run *t, enum ay_verdict v, const char *detail);
/* --- host_memory.c --- */
/* Returns how many bytes of host memory are available now. */
uint64_t ay_judge_memory(const struct ay_policy *p);
/* Checks that the case fits in host memory. Returns 1 if it does not fit in what was available
 * before any kernel ran: then the verdict says so. Fails if other processes hold the memory. */
int ay_case_run_host_room(struct case_run *t, struct ay_err *err);
/* Ends the executor, and frees the pool if `pool`, after a request to the ATen oracle that found too
 * little memory. Returns false if memory was not the reason, or if there is nothing to end. */
bool ay_case_run_free_memory(struct case_run *t, bool pool);
/* Frees the memory of a large case if other judges work on this machine. */
void ay_judge_trim_host_memory(struct ay_judge *j);

/* Records the verdict on a batch that did not run to its end. */
void ay_case_run_outcome(struct case_run *t, const struct ay_outcome *o);

/* Returns a random number for poison, places and decoys. It is secret, or follows from the seed if
 * the user gave one, so that two runs with one seed are equal. The choice of compared elements is
 * always secret. */
uint64_t ay_case_run_chance(struct case_run *t);
/* Draws the poison, and the random states that random operators start from. */
void ay_case_run_draw(struct case_run *t);
/* Returns a seed for a line that has none, short enough to paste. The executor never gets it. */
uint64_t ay_case_run_draw_seed(const struct case_run *t, const struct ay_case *line);
/* Returns the line as text. */
const char *ay_case_run_line(struct ay_arena *a, const struct ay_case *line);
/* Returns the device that the kernel runs on. */
struct ay_dev *ay_case_run_device(const struct case_run *t);
/* Checks that the device has enough memory. Returns 1 if it does not: then the verdict says so. */
int ay_case_run_room(struct case_run *t, struct ay_err *err);
/* Runs one batch on memory of the device, which stays mapped into the executor as long as executor
 * and pool exist. Afterwards written slots are copied to the pool and t->changed is set. `wanted`:
 * the results are read and protected (ay_layout_take), on the CPU those of a set before the next
 * set's call. If the executor did not survive, it is removed and the device is checked. */
int ay_case_run_call(struct case_run *t, const struct ay_batch *b, bool wanted, struct ay_outcome *o,
		     struct ay_err *err);
/* Finds the verdict on a batch that stopped its GPU. */
int ay_case_run_fault(struct case_run *t, const struct ay_batch *b, const struct ay_outcome *fault,
		      struct ay_err *err);
/* Checks, after a verdict of wrong results, whether they merely arrived late. Then the kernel went
 * on working after its call, which is CHEAT. */
int ay_case_run_late(struct case_run *t, struct ay_err *err);
/* Takes the shared lock of a GPU on which kernels are timed: waits while a measurement runs, and
 * delays measurements until ay_judge_leave. Does nothing if the judge holds the lock already; then
 * ay_judge_leave with this `lock` does nothing either. */
int ay_judge_enter(struct ay_judge *j, struct ay_perf_lock *lock, struct ay_err *err);
void ay_judge_leave(struct ay_judge *j, struct ay_perf_lock *lock);
/* Takes over the memory that the previous judge left, or leaves memory for the next judge, if the
 * policy allows it (struct ay_policy). */
void ay_judge_take_memory(struct ay_judge *j);
void ay_judge_keep_memory(struct ay_judge *j);
/* ay_judge_start starts the executor and loads the kernel. ay_judge_stop ends the executor. */
int ay_judge_start(struct ay_judge *j, struct ay_arena *names, struct ay_outcome *o, struct ay_err *err);
void ay_judge_stop(struct ay_judge *j);
/* Unmaps the device memory that the executor had. */
void ay_judge_unmap_device(struct ay_judge *j);
/* After a case: frees the large amounts of GPU memory that the executor holds. */
void ay_judge_trim_device_memory(struct ay_judge *j);
/* Returns the name of the operand that lies in a slot, for messages. */
const char *ay_case_run_slot_name(const struct case_run *t, int slot);

/* Gets the answer to an open call of the operator from the ATen oracle and closes the call: see
 * ay_aten_oracle_answer. */
int ay_case_run_answer(struct case_run *t, struct ay_call *c, const char **why, struct ay_err *err);

/* ay_layout_plan decides which slots are needed. ay_layout_fill allocates them, places the tensors
 * and fills them. */
void ay_layout_plan(struct case_run *t);
int ay_layout_fill(struct case_run *t, struct ay_err *err);
/* Replaces a range of every real operand of the first set by other content. */
void ay_layout_decoy(struct case_run *t);
/* Restores all content as ay_layout_fill made it, at the same places. */
void ay_layout_again(struct case_run *t);
/* Returns the bytes that the judge needs besides the pool. */
uint64_t ay_layout_own_bytes(const struct case_run *t);
/* After the call of a set, in order of sets: protects every written slot of it from the executor,
 * by a copy if the executor could still write there. */
void ay_layout_take(struct case_run *t, int set);
/* Before the pool gets new content: copies what was taken, so that it stays unchanged. */
void ay_layout_keep(struct case_run *t);
/* Points the call's outputs at what the kernel wrote to set s. */
void ay_layout_show(struct case_run *t, int s);
/* Returns the address of element 0 of an operand in its storage. */
void *ay_layout_data(const struct ay_operand *o, uint8_t *storage);

/* Returns a likely cause of the wrong elements of output k, whose data is shown; NULL: chance
 * explains them as well. */
const char *ay_case_run_hint(struct case_run *t, int k, const struct ay_diff *d);

/* How much the kernel has printed since the previous case. ay_case_run_unprint drops what it
 * printed after that point: the output of a decoy call. */
struct printed {
	size_t n;
	uint64_t dropped;
};
struct printed ay_case_run_printed_so_far(const struct case_run *t);
void ay_case_run_unprint(struct case_run *t, const struct printed *to);
/* Moves everything that the kernel printed into the report. */
void ay_case_run_printed(struct case_run *t);
/* Writes the case's tensors into the folder that the policy names: inputs, wanted results and
 * actual results, and case.json, which describes the files. docs/verdicts.md documents the
 * format. */
int ay_case_run_dump(struct case_run *t, struct ay_err *err);

/* For random operators. ay_check_draws_begin allocates t->draws, which the check of set 0 fills, unless
 * the result is too large. ay_check_draws judges whether sets 0 and 2, whose generators had different
 * states, share draws, and whether set 2 is right. Set 0 is. ay_check_draws_end frees t->draws. */
void ay_check_draws_begin(struct case_run *t);
void ay_check_draws(struct case_run *t);
void ay_check_draws_end(struct case_run *t);
/* Judges the outputs of a batch that ran. */
void ay_check_outputs(struct case_run *t);

#endif
