/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/track.h"
#include "base/err.h"

#include <stdio.h>
#include <string.h>

/* --- queues ----------------------------------------------------------------------------------- */

static void push(struct ay_queue *q, struct ay_lane *l)
{
	if (l->queued) /* its outcome was reported while it waited: it keeps its place */
		return;
	l->queued = true;
	l->next = NULL;
	if (q->tail)
		q->tail->next = l;
	else
		q->head = l;
	q->tail = l;
}

/* Removes and returns the first lane in that state; lanes that were stopped are skipped. */
static struct ay_lane *pop(struct ay_queue *q, enum ay_lane_state state)
{
	struct ay_lane *l;

	while ((l = q->head)) {
		q->head = l->next;
		if (!q->head)
			q->tail = NULL;
		l->queued = false;
		if (l->state == state)
			return l;
	}
	return NULL;
}

/* --- lanes ------------------------------------------------------------------------------------ */

static void wait_to_ask(struct ay_track *t, struct ay_lane *l, int round)
{
	l->round = round;
	l->state = AY_LANE_TO_ASK;
	l->user = NULL;
	l->id = ay_sprintf(&t->arena, "%s/r%d/w%d", t->problem[l->problem].name, round, l->worker);
	json_object_set_new(t->by_id, l->id, json_integer(l - t->lane));
	push(&t->to_ask, l);
}

static void end_lane(struct ay_track *t, struct ay_lane *l)
{
	l->state = AY_LANE_OVER;
	t->over += ++t->problem[l->problem].lanes_over == t->lanes;
}

void ay_track_init(struct ay_track *t, const struct ay_track_rules *rules, int n, const char *const *names)
{
	*t = (struct ay_track){ .rules = *rules, .nproblem = n, .by_id = json_object() };
	t->lanes = rules->samples ? rules->rounds : rules->workers;
	t->problem = AY_NEW_N(&t->arena, struct ay_problem, n + 1);
	t->lane = AY_NEW_N(&t->arena, struct ay_lane, n * t->lanes + 1);
	for (int p = 0; p < n; p++)
		t->problem[p].name = ay_strdup(&t->arena, names[p]);
	/* queue the first lanes of all problems before the second ones */
	for (int i = 0; i < t->lanes; i++)
		for (int p = 0; p < n; p++) {
			struct ay_lane *l = ay_track_lane(t, p, i);

			*l = (struct ay_lane){ .problem = p,
					       .worker = rules->samples ? 0 : i,
					       .last = rules->samples ? i + 1 : rules->rounds };
			wait_to_ask(t, l, rules->samples ? i + 1 : 1);
		}
}

void ay_track_release(struct ay_track *t)
{
	json_decref(t->by_id);
	ay_arena_release(&t->arena);
	*t = (struct ay_track){ 0 };
}

bool ay_problem_over(const struct ay_track *t, int problem)
{
	return t->problem[problem].lanes_over == t->lanes;
}

/* Returns true if a correct kernel ends the problem. */
static bool stops(const struct ay_track *t)
{
	return !t->rules.samples && !t->rules.best;
}

static void end_attempt(struct ay_track *t, struct ay_lane *l)
{
	if (l->round >= l->last || (stops(t) && t->problem[l->problem].solved))
		end_lane(t, l);
	else
		wait_to_ask(t, l, l->round + 1);
}

static void stop_others(struct ay_track *t, const struct ay_lane *first)
{
	for (int i = 0; i < t->lanes; i++) {
		struct ay_lane *l = ay_track_lane(t, first->problem, i);

		if (l == first || l->state == AY_LANE_OVER ||
		    l->state == AY_LANE_JUDGING) /* judging is not interrupted */
			continue;
		l->was = l->state;
		l->state = AY_LANE_STOPPED;
	}
}

struct ay_lane *ay_track_stopped(struct ay_track *t, int problem)
{
	for (int i = 0; i < t->lanes; i++) {
		struct ay_lane *l = ay_track_lane(t, problem, i);

		if (l->state == AY_LANE_STOPPED) {
			end_lane(t, l);
			return l;
		}
	}
	return NULL;
}

/* --- whose turn ------------------------------------------------------------------------------- */

struct ay_lane *ay_track_ask(struct ay_track *t)
{
	struct ay_lane *l = pop(&t->to_ask, AY_LANE_TO_ASK);

	if (l)
		l->state = AY_LANE_ASKED;
	return l;
}

struct ay_lane *ay_track_judge(struct ay_track *t)
{
	struct ay_lane *l = pop(&t->to_judge, AY_LANE_TO_JUDGE);

	if (l)
		l->state = AY_LANE_JUDGING;
	return l;
}

void ay_track_later(struct ay_track *t, struct ay_lane *l)
{
	l->state = AY_LANE_TO_JUDGE;
	push(&t->to_judge, l);
}

struct ay_lane *ay_track_find(const struct ay_track *t, const char *id)
{
	const json_t *i = json_object_get(t->by_id, id);

	return i ? &t->lane[json_integer_value(i)] : NULL;
}

struct ay_lane *ay_track_waiting(const struct ay_track *t, const char *problem, int round, int worker)
{
	for (int p = 0; p < t->nproblem; p++)
		for (int i = 0; i < t->lanes && !strcmp(t->problem[p].name, problem); i++) {
			struct ay_lane *l = ay_track_lane(t, p, i);

			if (l->state == AY_LANE_TO_ASK && l->round == round && l->worker == worker)
				return l;
		}
	return NULL;
}

/* --- what came of it -------------------------------------------------------------------------- */

void ay_track_answered(struct ay_track *t, struct ay_lane *l, bool kernel)
{
	if (!kernel) {
		end_attempt(t, l);
		return;
	}
	AY_ASSERT(!l->queued); /* a lane that has asked is in no queue */
	l->state = AY_LANE_TO_JUDGE;
	push(&t->to_judge, l);
}

/* Returns true if the attempt of lane l must replace the chosen one. */
static bool is_better(const struct ay_track *t, const struct ay_problem *p, const struct ay_lane *l,
		      const struct ay_attempt_worth *w)
{
	const struct ay_attempt_worth *old = &p->worth;

	if (!p->chosen || w->solved != old->solved)
		return !p->chosen || w->solved;
	if (!w->solved) /* of failures the one with the most passed cases; of equals the last */
		return (double)w->passed * old->of >= (double)old->passed * w->of;
	if (t->rules.best && (w->speedup_lo > 0 || old->speedup_lo > 0))
		return w->speedup_lo > old->speedup_lo;
	if (t->rules.best)
		return w->ns > 0 && (!(old->ns > 0) || w->ns < old->ns);
	/* samples rank in the order of drawing, not of judging */
	return t->rules.samples && l->round < p->round;
}

void ay_track_judged(struct ay_track *t, struct ay_lane *l, const struct ay_attempt_worth *w, const char *sha256)
{
	struct ay_problem *p = &t->problem[l->problem];

	if (is_better(t, p, l, w)) {
		p->chosen = l->id;
		p->round = l->round;
		p->worker = l->worker;
		p->worth = *w;
		snprintf(p->sha256, sizeof p->sha256, "%s", sha256);
	}
	if (w->solved && !p->solved) {
		p->solved = true;
		if (stops(t))
			stop_others(t, l);
	}
	end_attempt(t, l);
}

/* --- scores ----------------------------------------------------------------------------------- */

double ay_pass_at_k(int n, int c, int k)
{
	double none = 1;

	if (k < 1 || k > n || c < 0 || c > n)
		return -1;
	if (n - c < k)
		return 1;
	for (int i = n - c + 1; i <= n; i++)
		none *= 1 - (double)k / i;
	return 1 - none;
}
