/* SPDX-License-Identifier: Apache-2.0
 *
 * track - whose turn it is to ask, whose to be judged, and when a problem is over.
 *
 * Theory of operation. A problem is an operator (or one overload) that wants a kernel. It has lanes; a lane asks, is
 * answered, is judged, and asks again, from its first round to its last, one attempt at a time. The tracks differ in
 * their lanes only:
 *
 *	Pass@K          one lane, rounds 1 to K; over at the first correct kernel
 *	samples         N lanes of one round each, all of them drawn, whatever the others give
 *	repair          as Pass@K, but the caller shows each attempt what became of the last
 *	kernel_agent    W lanes of R rounds of repair side by side; the first correct kernel stops the other lanes
 *	best            of the last two: nobody stops, and the fastest correct kernel is chosen
 *
 * Lanes of different problems know nothing of each other, so asking and judging overlap. Nothing here asks, judges or
 * writes: the caller does, and tells. It tells the same about attempts of a run that it resumes, in their order.
 */
#ifndef AY_LLM_TRACK_H
#define AY_LLM_TRACK_H

#include "base/arena.h"
#include "base/json.h"

#include <stdbool.h>

struct ay_track_rules {
	int rounds;   /* of a lane; of samples: how many */
	int workers;  /* lanes of a problem; of samples: 1 */
	bool samples; /* a lane for every round */
	bool best;
};

enum ay_lane_state {
	AY_LANE_TO_ASK,
	AY_LANE_ASKED,
	AY_LANE_TO_JUDGE, /* it has a kernel */
	AY_LANE_JUDGING,
	AY_LANE_STOPPED, /* another lane was first: `was` says in the middle of what; the caller clears it away */
	AY_LANE_OVER,
};

struct ay_lane {
	int problem, worker, round, last;
	enum ay_lane_state state, was;
	char *id;   /* of the attempt it is at: "aten::add/r2/w0" */
	void *user; /* the caller's, of that attempt */
	bool queued;
	struct ay_lane *next;
};

/* What an attempt is worth, beside others of its problem. */
struct ay_attempt_worth {
	bool solved;
	int passed, of;    /* cases */
	double speedup_lo; /* lower end of its speed-up; 0 = none */
	double ns;         /* 0 = not timed */
};

struct ay_problem {
	const char *name;
	bool solved;
	int lanes_over;
	/* the attempt to show for it; id NULL: no kernel was judged */
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
	int nproblem, lanes; /* lanes of each problem */
	struct ay_problem *problem;
	struct ay_lane *lane; /* nproblem x lanes */
	struct ay_queue to_ask, to_judge;
	json_t *by_id;
	int over; /* problems */
};

void ay_track_init(struct ay_track *t, const struct ay_track_rules *rules, int n, const char *const *names);
void ay_track_release(struct ay_track *t);

/* The lane that waits longest: it is ASKED, or JUDGING, when this returns. NULL: none waits. */
struct ay_lane *ay_track_ask(struct ay_track *t);
struct ay_lane *ay_track_judge(struct ay_track *t);
/* Not now: back to the end of those to be judged. */
void ay_track_later(struct ay_track *t, struct ay_lane *l);
/* The lane whose attempt has that id, now or before; NULL: none. And of a resumed run: the lane that waits to ask for
 * this attempt, NULL if none does. */
struct ay_lane *ay_track_find(const struct ay_track *t, const char *id);
struct ay_lane *ay_track_waiting(const struct ay_track *t, const char *problem, int round, int worker);
/* It was answered: with a kernel to judge, or with nothing of use, which ends the attempt. */
void ay_track_answered(struct ay_track *t, struct ay_lane *l, bool kernel);
/* The attempt was judged. If that ends the problem, its other lanes are STOPPED. */
void ay_track_judged(struct ay_track *t, struct ay_lane *l, const struct ay_attempt_worth *w, const char *sha256);
/* The next lane of the problem that was STOPPED; it is OVER when this returns. NULL: no more. */
struct ay_lane *ay_track_stopped(struct ay_track *t, int problem);
/* Lane of the problem. */
static inline struct ay_lane *ay_track_lane(const struct ay_track *t, int problem, int i)
{
	return &t->lane[problem * t->lanes + i];
}
/* Is every lane of it over? */
bool ay_problem_over(const struct ay_track *t, int problem);

/*
 * The unbiased estimate of pass@k from n independent samples of which c are correct: 1 - C(n-c, k) / C(n, k), the
 * chance that k of them, drawn without putting back, hold a correct one. -1 where k > n or numbers make no sense.
 */
double ay_pass_at_k(int n, int c, int k);

#endif
