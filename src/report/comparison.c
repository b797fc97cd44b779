/* SPDX-License-Identifier: Apache-2.0 */
#include "report/comparison.h"

#include <stdlib.h>
#include <string.h>

static const double margin = 1.03;

/* --- pairing ---------------------------------------------------------------------------------- */

/* One run, indexed by overload and case. */
struct side {
	const struct ay_summary *s;
	/* the entries' owner: index in worst; index of the overload */
	struct ay_index cases, overloads;
	const struct ay_sum_case **worst; /* for each case that of the worst kernel */
	int n;
	int *count; /* number of cases of each overload */
};

static bool is_worse(const struct ay_sum_case *a, const struct ay_sum_case *b)
{
	if (a->verdict != b->verdict)
		return ay_verdict_merge(a->verdict, b->verdict) == b->verdict;
	return b->time.ns > a->time.ns;
}

static void open_side(struct side *d, const struct ay_summary *s)
{
	d->s = s;
	d->worst = ay_xrealloc(NULL, sizeof *d->worst * (size_t)(s->ncase + 1));
	d->count = ay_xrealloc(NULL, sizeof *d->count * (size_t)(s->noverload + 1));
	memset(d->count, 0, sizeof *d->count * (size_t)(s->noverload + 1));
	for (int i = 0; i < s->ncase; i++) {
		const struct ay_sum_case *c = &s->cases[i];
		struct ay_index_entry *e = ay_index_get(&d->cases, c->what);

		if (!e->attempts++) {
			e->owner = d->n++;
			d->worst[e->owner] = c;
			d->count[s->row[c->row].overload]++;
		} else if (is_worse(d->worst[e->owner], c)) {
			d->worst[e->owner] = c;
		}
	}
	for (int i = 0; i < s->noverload; i++) {
		struct ay_index_entry *e = ay_index_get(&d->overloads, ay_id_job(s->overload[i].name));

		e->attempts++;
		e->owner = i;
	}
}

static void close_side(struct side *d)
{
	ay_index_release(&d->cases);
	ay_index_release(&d->overloads);
	ay_xfree(d->worst);
	ay_xfree(d->count);
}

static const struct ay_sum_case *find_case(const struct side *d, struct ay_record_id what)
{
	const struct ay_index_entry *e = ay_index_find(&d->cases, what);

	return e ? d->worst[e->owner] : NULL;
}

/* Returns -1 if the run does not have the overload. */
static int find_overload(const struct side *d, const char *name)
{
	const struct ay_index_entry *e = ay_index_find(&d->overloads, ay_id_job(name));

	return e ? e->owner : -1;
}

static int overload_of(const struct side *d, const struct ay_sum_case *c)
{
	return d->s->row[c->row].overload;
}

/* --- changes ---------------------------------------------------------------------------------- */

static void add(struct ay_comparison *c, struct ay_change change)
{
	if (!(c->n & (c->n - 1)))
		c->change = ay_xrealloc(c->change, sizeof *c->change * (size_t)(c->n ? 2 * c->n : 1));
	c->change[c->n++] = change;
	c->count[change.kind]++;
}

enum case_state { PASSES, FAILS, SAYS_NOTHING, ABSENT };

static enum case_state state_of(enum ay_verdict v)
{
	switch (v) {
	case AY_VERDICT_PASS: return PASSES;
	case AY_VERDICT_WEAK_CASE: return SAYS_NOTHING;
	case AY_VERDICT_SKIPPED:
	case AY_VERDICT_NONE: return ABSENT;
	default: return FAILS;
	}
}

/* The kind of change, by [before][now]; AY_CHANGE_COUNT = no change to report. */
static const enum ay_change_kind became[4][4] = {
	[PASSES] = { AY_CHANGE_COUNT, AY_CHANGE_BROKEN, AY_CHANGE_COUNT, AY_CHANGE_MISSING },
	[FAILS] = { AY_CHANGE_FIXED, AY_CHANGE_COUNT, AY_CHANGE_COUNT, AY_CHANGE_MISSING },
	[SAYS_NOTHING] = { AY_CHANGE_COUNT, AY_CHANGE_NEW, AY_CHANGE_COUNT, AY_CHANGE_COUNT },
	[ABSENT] = { AY_CHANGE_NEW, AY_CHANGE_NEW, AY_CHANGE_COUNT, AY_CHANGE_COUNT },
};

static bool has_interval(const struct ay_case_time *t)
{
	return t->timed && t->ns_lo > 0 && t->ns_hi >= t->ns_lo && t->ns >= t->ns_lo && t->ns <= t->ns_hi;
}

/* Returns AY_CHANGE_COUNT if the time did not change or cannot be compared. */
static enum ay_change_kind pace_change(struct ay_comparison *c, const struct ay_case_time *was,
				       const struct ay_case_time *is)
{
	if (c->no_times || !has_interval(was) || !has_interval(is) || was->threads != is->threads)
		return AY_CHANGE_COUNT;
	c->times++;
	if (is->ns_lo > was->ns_hi && is->ns > was->ns * margin)
		return AY_CHANGE_SLOWER;
	if (is->ns_hi < was->ns_lo && is->ns * margin < was->ns)
		return AY_CHANGE_FASTER;
	return AY_CHANGE_COUNT;
}

static bool is_same_kernel(const struct ay_comparison *c, const struct ay_sum_case *was,
			   const struct ay_sum_case *is)
{
	const char *sha = c->a->row[was->row].kernel_sha256;

	return c->same_build && *sha && !strcmp(sha, c->b->row[is->row].kernel_sha256);
}

static void compare_case(struct ay_comparison *c, const char *overload, const struct ay_sum_case *was,
			 const struct ay_sum_case *is)
{
	const enum ay_verdict v0 = was ? was->verdict : AY_VERDICT_NONE, v1 = is ? is->verdict : AY_VERDICT_NONE;
	enum ay_change_kind kind = became[state_of(v0)][state_of(v1)];

	if (v0 == AY_VERDICT_PASS && v1 == AY_VERDICT_PASS) {
		kind = pace_change(c, &was->time, &is->time);
		c->same += kind == AY_CHANGE_COUNT;
	}
	if ((kind == AY_CHANGE_BROKEN || kind == AY_CHANGE_FIXED) && is_same_kernel(c, was, is))
		kind = AY_CHANGE_FLAKY;
	c->failing += state_of(v0) == FAILS && state_of(v1) == FAILS;
	if (kind != AY_CHANGE_COUNT)
		add(c, (struct ay_change){ kind, overload, was, is, v0, v1 });
}

/* Returns true if a kernel of the overload in this run has the source `sha`. */
static bool has_kernel(const struct side *d, int overload, const char *sha)
{
	for (int i = 0; i < d->s->nrow; i++)
		if (d->s->row[i].overload == overload && *sha && !strcmp(d->s->row[i].kernel_sha256, sha))
			return true;
	return false;
}

/* Compares a drawn case, which only one run has, with the other run's verdict on the overload. It is a
 * change if it failed where all cases of the other run passed. `now`: the second run has the case. */
static void compare_drawn(struct ay_comparison *c, const struct side *other, int overload,
			  const struct ay_sum_case *sc, const char *sha, bool now)
{
	const struct ay_sum_overload *o = &other->s->overload[overload];
	enum ay_change_kind kind = now ? AY_CHANGE_BROKEN : AY_CHANGE_FIXED;

	if (state_of(sc->verdict) != FAILS || state_of(o->verdict) != PASSES)
		return;
	if (c->same_build && has_kernel(other, overload, sha))
		kind = AY_CHANGE_FLAKY;
	add(c, (struct ay_change){ kind, o->name, now ? NULL : sc, now ? sc : NULL,
				   now ? AY_VERDICT_NONE : sc->verdict, now ? sc->verdict : AY_VERDICT_NONE });
}

/* Compares whole overloads. An overload with only WEAK_CASE counts as not judged. */
static void compare_overload(struct ay_comparison *c, const char *name, enum ay_verdict was, enum ay_verdict is)
{
	const enum ay_verdict v0 = was == AY_VERDICT_WEAK_CASE ? AY_VERDICT_NONE : was;
	const enum ay_verdict v1 = is == AY_VERDICT_WEAK_CASE ? AY_VERDICT_NONE : is;
	const enum ay_change_kind kind = became[state_of(v0)][state_of(v1)];

	if (kind != AY_CHANGE_COUNT)
		add(c, (struct ay_change){ kind, name, NULL, NULL, was, is });
}

/* --- all -------------------------------------------------------------------------------------- */

static const char *machine_text(const struct ay_summary *s, const char *key)
{
	return json_string_value(json_object_get(json_object_get(s->head, "machine"), key));
}

static bool same_text(const struct ay_summary *a, const struct ay_summary *b, const char *key)
{
	const char *x = machine_text(a, key), *y = machine_text(b, key);

	return x && y && !strcmp(x, y);
}

static const char *why_no_times(const struct ay_summary *a, const struct ay_summary *b)
{
	const json_t *m[] = { json_object_get(a->head, "machine"), json_object_get(b->head, "machine") };

	if (!a->timed || !b->timed)
		return a->timed   ? "the second run has no times"
		       : b->timed ? "the first run has no times"
				  : "no run has times";
	if (!m[0] || !m[1])
		return "a run.json does not say on which machine";
	if (json_object_get(a->head, "runs") || json_object_get(b->head, "runs"))
		return "a merged run may come from several machines";
	if (!same_text(a, b, "cpu") || !same_text(a, b, "arch") ||
	    !json_equal(json_object_get(m[0], "cores"), json_object_get(m[1], "cores")))
		return "the machines differ";
	return NULL;
}

static bool has_same_build(const struct ay_summary *a, const struct ay_summary *b)
{
	const char *id = json_object_iter_key(json_object_iter(a->builds));

	return json_object_size(a->builds) == 1 && json_object_size(b->builds) == 1 &&
	       json_object_get(b->builds, id);
}

static uint64_t place(const struct ay_change *c)
{
	return c->is ? c->is->offset : c->was ? c->was->offset : 0;
}

static int by_kind(const void *pa, const void *pb)
{
	const struct ay_change *a = pa, *b = pb;
	const int names = strcmp(a->overload, b->overload);

	if (a->kind != b->kind)
		return (int)a->kind - (int)b->kind;
	return names ? names : (place(a) > place(b)) - (place(a) < place(b));
}

/* worse: set for each overload of a that has a case that became worse. */
static void compare_cases(struct ay_comparison *c, const struct side *a, const struct side *b, bool *worse)
{
	for (int i = 0; i < a->n; i++) {
		const int from = overload_of(a, a->worst[i]),
			  before = ay_regressions(c) + c->count[AY_CHANGE_FLAKY];
		const char *name = a->s->overload[from].name;
		const int to = find_overload(b, name);

		const struct ay_sum_case *was = a->worst[i], *is = find_case(b, was->what);

		if (to >= 0 && b->count[to] && was->drawn && !is)
			compare_drawn(c, b, to, was, a->s->row[was->row].kernel_sha256, false);
		else if (to >= 0 && b->count[to])
			compare_case(c, name, was, is);
		worse[from] |= ay_regressions(c) + c->count[AY_CHANGE_FLAKY] > before;
	}
	for (int i = 0; i < b->n; i++) {
		const char *name = b->s->overload[overload_of(b, b->worst[i])].name;
		const int from = find_overload(a, name);

		const struct ay_sum_case *is = b->worst[i];

		if (from < 0 || !a->count[from] || find_case(a, is->what))
			continue;
		if (is->drawn) {
			const int before = c->n;

			compare_drawn(c, a, from, is, b->s->row[is->row].kernel_sha256, true);
			worse[from] |= c->n > before;
		} else {
			compare_case(c, name, NULL, is);
		}
	}
}

/* Compares overloads without cases in one of the runs, and those that no longer pass although no
 * case became worse. */
static void compare_overloads(struct ay_comparison *c, const struct side *a, const struct side *b,
			      const bool *worse)
{
	for (int i = 0; i < a->s->noverload; i++) {
		const struct ay_sum_overload *o = &a->s->overload[i];
		const int to = find_overload(b, o->name);
		const enum ay_verdict is = to < 0 ? AY_VERDICT_NONE : b->s->overload[to].verdict;
		const bool by_case = to >= 0 && a->count[i] && b->count[to];

		if (!by_case || (!worse[i] && o->verdict == AY_VERDICT_PASS))
			compare_overload(c, o->name, o->verdict, is);
	}
	for (int i = 0; i < b->s->noverload; i++)
		if (find_overload(a, b->s->overload[i].name) < 0)
			compare_overload(c, b->s->overload[i].name, AY_VERDICT_NONE, b->s->overload[i].verdict);
}

void ay_compare(struct ay_comparison *c, const struct ay_summary *a, const struct ay_summary *b)
{
	bool *worse = ay_xrealloc(NULL, (size_t)a->noverload + 1);
	struct side was = { 0 }, is = { 0 };

	*c = (struct ay_comparison){
		.a = a, .b = b, .no_times = why_no_times(a, b), .same_build = has_same_build(a, b)
	};
	memset(worse, 0, (size_t)a->noverload + 1);
	open_side(&was, a);
	open_side(&is, b);
	compare_cases(c, &was, &is, worse);
	compare_overloads(c, &was, &is, worse);
	if (c->n)
		qsort(c->change, (size_t)c->n, sizeof *c->change, by_kind);
	close_side(&was);
	close_side(&is);
	ay_xfree(worse);
}

void ay_comparison_release(struct ay_comparison *c)
{
	ay_xfree(c->change);
	*c = (struct ay_comparison){ 0 };
}

int ay_regressions(const struct ay_comparison *c)
{
	static const bool is_regression[] = {
#define C(name, text, regression, meaning) regression,
		AY_CHANGES(C)
#undef C
	};
	int n = 0;

	for (int i = 0; i < AY_CHANGE_COUNT; i++)
		n += is_regression[i] ? c->count[i] : 0;
	return n;
}
