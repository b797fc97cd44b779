/* SPDX-License-Identifier: Apache-2.0
 *
 * track - decides which attempt asks the model next, which is judged next, and when a problem is
 * over.
 *
 * Theory of operation. A problem is an operator (or one overload) that wants a kernel. It has
 * lanes. In each round a lane makes one attempt: it asks the model, gets an answer, and has it
 * judged. The tracks differ only in their lanes:
 *
 *	Pass@K          one lane, rounds 1 to K; over at the first correct kernel
 *	samples         N lanes of one round each; all are asked, whatever the outcomes
 *	repair          as Pass@K, but the caller shows each attempt the last one's outcome
 *	kernel_agent    W lanes of R repair rounds in parallel; the first correct kernel stops the others
 *	best            as repair or kernel_agent, but no lane stops, and the fastest correct kernel is chosen
 *
 * Lanes of different problems are independent, so asking and judging overlap. This module only
 * keeps the state. The caller asks, judges, writes, and reports each outcome here. It reports the
 * attempts of a resumed run in the same way, in their order.
 */
#ifndef AY_LLM_TRACK_H
#define AY_LLM_TRACK_H

#include "base/arena.h"
#include "base/json.h"

#include <stdbool.h>

struct ay_track_rules {
	int rounds;   /* rounds of each lane; with `samples` the number of samples */
	int workers;  /* lanes of a problem; with `samples` 1 */
	bool samples; /* a lane for every round */
	bool best;
};

enum ay_lane_state {
	AY_LANE_TO_ASK,
	AY_LANE_ASKED,
	AY_LANE_TO_JUDGE, /* it has a kernel */
	AY_LANE_JUDGING,
	/* another lane was first; `was` is the interrupted state, which the caller must clean up */
	AY_LANE_STOPPED,
	AY_LANE_OVER,
};

struct ay_lane {
	int problem, worker, round, last;
	enum ay_lane_state state, was;
	char *id;   /* of its present attempt: "aten::add/r2/w0" */
	void *user; /* belongs to the caller, for that attempt */
	bool queued;
	struct ay_lane *next;
};

/* The outcome of an attempt, to compare it with others of its problem. */
struct ay_attempt_worth {
	bool solved;
	int passed, of;    /* numbers of cases */
	double speedup_lo; /* lower end of its speed-up; 0 = none */
	double ns;         /* 0 = not timed */
};

struct ay_problem {
	const char *name;
	bool solved;
	int lanes_over;
	/* The chosen attempt. id NULL: no kernel was judged. */
	char *chosen;
	char sha256[65];
	int round, worker;
	struct ay_attempt_worth worth;
};

struct ay_queue {
	struct ay_lane *head, *tail;
};

struct ay_track {
	struct ay_arena arena;
	struct ay_track_rules rules;
	int nproblem, lanes; /* lanes: number for each problem */
	struct ay_problem *problem;
	struct ay_lane *lane; /* nproblem x lanes */
	struct ay_queue to_ask, to_judge;
	json_t *by_id;
	int over; /* number of problems that are over */
};

void ay_track_init(struct ay_track *t, const struct ay_track_rules *rules, int n, const char *const *names);
void ay_track_release(struct ay_track *t);

/* Return the lane that waits longest to ask or to be judged, or NULL. Its state becomes ASKED or
 * JUDGING. */
struct ay_lane *ay_track_ask(struct ay_track *t);
struct ay_lane *ay_track_judge(struct ay_track *t);
/* Puts a lane that cannot be judged now back at the end of the queue. */
void ay_track_later(struct ay_track *t, struct ay_lane *l);
/* ay_track_find returns the lane whose present or past attempt has that id, or NULL.
 * ay_track_waiting returns the lane that waits to ask for that attempt, or NULL; a resumed run
 * needs it. */
struct ay_lane *ay_track_find(const struct ay_track *t, const char *id);
struct ay_lane *ay_track_waiting(const struct ay_track *t, const char *problem, int round, int worker);
/* Reports an answer. kernel: it has a kernel to judge; else the attempt ends. */
void ay_track_answered(struct ay_track *t, struct ay_lane *l, bool kernel);
/* Reports a judged attempt. If it ends the problem, the other lanes become STOPPED. */
void ay_track_judged(struct ay_track *t, struct ay_lane *l, const struct ay_attempt_worth *w, const char *sha256);
/* Returns the problem's next STOPPED lane, which becomes OVER, or NULL if none is left. */
struct ay_lane *ay_track_stopped(struct ay_track *t, int problem);
/* Returns lane i of the problem. */
static inline struct ay_lane *ay_track_lane(const struct ay_track *t, int problem, int i)
{
	return &t->lane[problem * t->lanes + i];
}
/* Returns true if every lane of the problem is over. */
bool ay_problem_over(const struct ay_track *t, int problem);

/*
 * Returns the unbiased estimate of pass@k from n independent samples of which c are correct: 1 -
 * C(n-c, k) / C(n, k). That is the chance that k samples, drawn without replacement, include a
 * correct one. Returns -1 if k > n or the numbers are invalid.
 */
double ay_pass_at_k(int n, int c, int k);

#endif
