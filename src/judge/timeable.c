/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/timeable.h"

#include "timing/floor.h"

#include <math.h>

/* times the shortest call; a shorter call is mostly hand-over */
static const double clearly = 4;
/* fraction of the largest work seen; a call with less work says little about large calls */
static const double alike = 1.0 / 4;
static const double late = 0.5; /* fraction of a call's time-out */
/* seconds; shorter calls are timed in any budget, if necessary without a ratio */
static const double least_s = 1;

double ay_case_work(const struct ay_suite_case *sc)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_floor f = { 0 };
	struct ay_call *c;
	struct ay_case line = *sc->line;

	line.seed = 0;
	line.has_seed = true;
	if (!ay_call_bind(&a, sc->op->op[0], sc->schema, &line, &c, &err) &&
	    !(sc->op->op[0]->flags & AY_UNCATALOGUED))
		ay_floor_cost(c, &f);
	ay_arena_release(&a);
	return f.flops > 0 ? f.flops : f.bytes;
}

static void note_failure(struct ay_timeable *t, const struct ay_suite_case *sc, enum ay_verdict v)
{
	const enum ay_dt dt = ay_case_dtype(sc->line);

	t->cheats |= v == AY_VERDICT_CHEAT;
	for (int i = 0; i < t->nfailed; i++) {
		struct ay_failed_dtype *f = &t->failed[i];

		if (f->schema == sc->schema && f->dt == dt) {
			f->verdict = ay_verdict_merge(f->verdict, v);
			return;
		}
	}
	if (t->nfailed == t->failed_cap) {
		t->failed_cap = 2 * t->failed_cap + 8;
		t->failed = ay_xrealloc(t->failed, sizeof *t->failed * (size_t)t->failed_cap);
	}
	t->failed[t->nfailed++] = (struct ay_failed_dtype){ sc->schema, dt, v };
}

void ay_timeable_note(struct ay_timeable *t, const struct ay_suite_case *sc, enum ay_verdict v, double call_s)
{
	if (v < AY_VERDICT_WEAK_CASE)
		note_failure(t, sc, v);
	if (v != AY_VERDICT_PASS || !(call_s > 0))
		return;
	if (t->n == t->cap) {
		t->cap = 2 * t->cap + 64;
		t->call = ay_xrealloc(t->call, sizeof *t->call * (size_t)t->cap);
	}
	t->call[t->n++] = (struct ay_timed_call){ sc->schema, ay_case_dtype(sc->line), ay_case_work(sc), call_s };
}

void ay_timeable_note_late(struct ay_timeable *t, const struct ay_suite_case *sc)
{
	t->late = sc->schema;
	t->late_work = ay_case_work(sc);
}

bool ay_timeable_was_late(const struct ay_timeable *t, const struct ay_suite_case *sc)
{
	return t->late == sc->schema && ay_case_work(sc) >= t->late_work;
}

double ay_timeable_estimate(const struct ay_timeable *t, const struct ay_schema *s, enum ay_dt dt, double work)
{
	double shortest = INFINITY, most = 0, each = INFINITY;

	for (int i = 0; i < t->n; i++) {
		const struct ay_timed_call *c = &t->call[i];

		if (c->schema != s || c->dt != dt)
			continue;
		shortest = fmin(shortest, c->s);
		most = fmax(most, c->work);
	}
	for (int i = 0; i < t->n; i++) {
		const struct ay_timed_call *c = &t->call[i];

		if (c->schema != s || c->dt != dt || !(c->work >= alike * most) || !(c->work > 0))
			continue;
		/* a call that is fast for its work shows that no estimate is possible */
		if (c->s < clearly * shortest)
			return 0;
		each = fmin(each, (c->s - shortest) / c->work);
	}
	return isfinite(each) ? each * work : 0;
}

const char *ay_timeable_failure(const struct ay_timeable *t, const struct ay_suite_case *sc, struct ay_arena *a)
{
	const enum ay_dt dt = ay_case_dtype(sc->line);

	if (t->cheats)
		return "not timed: the kernel cheats";
	for (int i = 0; i < t->nfailed; i++)
		if (t->failed[i].schema == sc->schema && t->failed[i].dt == dt)
			return ay_sprintf(a, "not timed: %s %s", dt == AY_DT_NONE ? "it" : ay_dt_info(dt)->name,
					  t->failed[i].verdict == AY_VERDICT_UNSUPPORTED ? "is not supported"
											 : "did not pass");
	return NULL;
}

const char *ay_timeable_failed(const struct ay_timeable *t, struct ay_arena *a)
{
	struct ay_str b = { 0 };
	const char *text = NULL;
	uint64_t said = 0;

	for (int i = 0; i < t->nfailed; i++) {
		const enum ay_dt dt = t->failed[i].dt;

		if (dt == AY_DT_NONE || said >> dt & 1)
			continue;
		said |= 1ull << dt;
		ay_str_addf(&b, "%s%s", b.len ? ", " : "", ay_dt_info(dt)->name);
	}
	if (b.len)
		text = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return text;
}

const char *ay_timeable_too_slow(double call_s, bool estimated, double budget_s, double call_timeout_s,
				 struct ay_arena *a)
{
	const char *takes = estimated ? "would take about" : "takes";

	if (call_s > late * call_timeout_s)
		return ay_sprintf(a, "too slow to time: a call %s %.2g s, and may take %g (--timeout)", takes,
				  call_s, call_timeout_s);
	if (call_s > fmax(budget_s, least_s))
		return ay_sprintf(a, "too slow to time: a call %s %.2g s, --budget is %g", takes, call_s,
				  budget_s);
	return NULL;
}

void ay_timeable_release(struct ay_timeable *t)
{
	ay_xfree(t->call);
	ay_xfree(t->failed);
	*t = (struct ay_timeable){ 0 };
}
