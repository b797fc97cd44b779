/* SPDX-License-Identifier: Apache-2.0
 *
 * case_run - the inside of judging one case, shared by the judge's own files: layout.c lays the tensors out and
 * takes them back, check_outputs.c says what the kernel did to them, judge.c runs the whole.
 */
#ifndef AY_JUDGE_CASE_RUN_H
#define AY_JUDGE_CASE_RUN_H

#include "judge/judge.h"
#include "timing/inputs.h"
#include "oracle/oracle.h"
#include "timing/quiet.h"

enum { SETS = 2, SETS_RANDOM = 3 };

/* All there is to know while one case is judged. */
struct case_run {
	struct ay_judge *j;
	struct ay_arena *a;
	struct ay_report *rep;
	const struct ay_entry_op *op;
	struct ay_call *call;
	const struct ay_case *line; /* with its seed */
	bool seeded;      /* the seed was given, not drawn: then all chance of this case_run follows from it */
	uint64_t chances; /* how often that was asked */
	struct ay_input_template *timed; /* of a line with timed=, whose inputs a timed call had; NULL */
	int64_t lap;                     /* when the stage began that it is in */
	int nset;
	struct ay_need *need; /* per slot */
	int nneed;
	int told;  /* the slot in which the executor tells of its results; -1 = none */
	int *slot; /* per set and operand */
	uint64_t *offset;
	uint64_t copy_bytes; /* of all written slots */
	uint8_t **copy;      /* per set and operand: the slot's content after the run */
	int changed;         /* the slot of an input that the kernel changed on its device; -1 = none */
	uint8_t poison[SETS_RANDOM];
	ay_rng rng[SETS_RANDOM];
};

/* Notes a verdict that applies; the worst one's detail is kept. */
void ay_case_run_say(struct case_run *t, enum ay_verdict v, const char *detail);
/* The verdict on a batch that did not run to its end. */
void ay_case_run_outcome(struct case_run *t, const struct ay_outcome *o);

/*
 * Chance of the judge's own (poison, places, decoys): secret, or what follows from the seed where somebody gave one, so
 * that two runs with one seed are alike. Which elements are compared is always secret.
 */
uint64_t ay_case_run_chance(struct case_run *t);
/* Poison, and where random operators start. */
void ay_case_run_draw(struct case_run *t);
/* The seed of a line that has none: short enough to paste. The executor never sees it. */
uint64_t ay_case_run_draw_seed(const struct case_run *t, const struct ay_case *line);
/* The line as text. */
const char *ay_case_run_line(struct ay_arena *a, const struct ay_case *line);
/* What the device of the case_run's kernel is. */
struct ay_dev *ay_case_run_device(const struct case_run *t);
/* Is there memory enough on it? 1: no, and that was said. */
int ay_case_run_room(struct case_run *t, struct ay_err *err);
/* One batch on memory of the device that is lent to the executor that runs, and stays lent as long as it and the pool
 * do: afterwards written slots are in the pool, and t->changed is known. An executor that did not survive it is gone,
 * and the device looked at. */
int ay_case_run_call(struct case_run *t, const struct ay_batch *b, struct ay_outcome *o, struct ay_err *err);
/* The verdict on a batch that stopped its GPU. */
int ay_case_run_fault(struct case_run *t, const struct ay_batch *b, const struct ay_outcome *fault,
		      struct ay_err *err);
/* After a verdict: if results are wrong, were they only not there yet? Then work went on behind our back. */
int ay_case_run_late(struct case_run *t, struct ay_err *err);
/* Where others are timed on the same GPU: waits until nobody is, and keeps them waiting until it is left. Whoever is in
 * already stays in. */
int ay_judge_enter(struct ay_judge *j, struct ay_perf_lock *lock, struct ay_err *err);
void ay_judge_leave(struct ay_judge *j, struct ay_perf_lock *lock);
/* Memory of the judge before, and for the next one, where it may be left (struct ay_policy). */
void ay_judge_take_memory(struct ay_judge *j);
void ay_judge_keep_memory(struct ay_judge *j);
/* The executor: starts it and loads the kernel, and ends it. */
int ay_judge_start(struct ay_judge *j, struct ay_arena *names, struct ay_outcome *o, struct ay_err *err);
void ay_judge_stop(struct ay_judge *j);
/* Takes back what its executor was lent. */
void ay_judge_unmap_device(struct ay_judge *j);
/* Gives up what the executor has much of, of the memory of its GPU: a case is over. */
void ay_judge_trim_device_memory(struct ay_judge *j);
/* The operand whose memory a slot is, for words. */
const char *ay_case_run_slot_name(const struct case_run *t, int slot);

/* Asks the witness for the answer to an open call of the case_run's operator, and closes it: see ay_aten_oracle_answer. */
int ay_case_run_answer(struct case_run *t, struct ay_call *c, const char **why, struct ay_err *err);

/* Which slots are needed; then memory, places and content for them. */
void ay_layout_plan(struct case_run *t);
int ay_layout_fill(struct case_run *t, struct ay_err *err);
/* Other content in a stretch of every operand of the first set that is of real numbers. */
void ay_layout_decoy(struct case_run *t);
/* All content as ay_layout_fill made it, at the same places. */
void ay_layout_again(struct case_run *t);
/* Bytes the judge needs beside the pool. */
uint64_t ay_layout_own_bytes(const struct case_run *t);
/* After the run: takes every written slot out of the executor's reach, by a copy where that could write there. */
void ay_layout_take(struct case_run *t);
/* Before the pool gets new content: what was taken stays as it was. */
void ay_layout_keep(struct case_run *t);
/* Lets the call's outputs point at what set s wrote. */
void ay_layout_show(struct case_run *t, int s);
/* Where element 0 of an operand lies in storage. */
void *ay_layout_data(const struct ay_operand *o, uint8_t *storage);

/* What may be the cause of the wrong elements of output k, whose data is shown; NULL: nothing that chance does not
 * explain as well. */
const char *ay_case_run_hint(struct case_run *t, int k, const struct ay_diff *d);

/* How much the kernel has printed since the case before; and what came since then is forgotten: a decoy's. */
struct printed {
	size_t n;
	uint64_t dropped;
};
struct printed ay_case_run_printed_so_far(const struct case_run *t);
void ay_case_run_unprint(struct case_run *t, const struct printed *to);
/* All of it, into the report. */
void ay_case_run_printed(struct case_run *t);
/* Writes the case's tensors into the folder that the policy names: what went in, what is wanted, what came out, and
 * case.json, which says which file is what. docs/verdicts.md is the manual. */
int ay_case_run_dump(struct case_run *t, struct ay_err *err);

/* Judges what a batch that ran left in the outputs. */
void ay_check_outputs(struct case_run *t);

#endif
