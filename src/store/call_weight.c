/* SPDX-License-Identifier: Apache-2.0 */
#include "store/call_weight.h"
#include "store/summary.h"

#include <math.h>

/* One case, merged over the kernels that answer it. */
struct met {
	int overload;
	int64_t calls;
	enum ay_verdict verdict;
	const struct ay_case_time *time; /* time of the kernel with the lowest score */
};

struct totals {
	/* sums of time x calls in ns: of the baseline, and of the kernel by speed-up, hi and lo */
	double base, time, least, most;
	bool no_hi;
};

/* Returns true if a case can be weighted: it has a speed-up with a lower end. */
static bool has_ratio(const struct ay_case_time *t)
{
	return t->scored && ay_case_worth(t) > 0 && t->lo > 0;
}

static void add_time(struct ay_by_calls *w, struct totals *x, const struct met *m)
{
	const struct ay_case_time *t = m->time;
	const double worth = ay_case_worth(t), base = t->base_ns > 0 ? t->base_ns : t->speedup * t->ns;
	const double n = (double)m->calls * base;

	if (!has_ratio(t) || !(n > 0))
		return;
	w->timed += m->calls;
	x->base += n;
	x->time += n / worth;
	x->most += n / fmin(t->lo, worth);
	x->no_hi |= !(t->hi > 0);
	x->least += n / fmax(t->hi, worth);
}

/* Collects the cases with a call count, each once. Returns their number. */
static int find_cases(struct ay_summary *s, struct met *met)
{
	struct ay_index index = { 0 };
	int n = 0;

	for (int i = 0; i < s->ncase; i++) {
		const struct ay_sum_case *c = &s->cases[i];
		const int overload = s->row[c->row].overload;
		struct ay_index_entry *e;
		struct met *m;

		if (s->has_suite && !s->overload[overload].in_suite)
			continue;
		if (c->calls < 0) {
			s->by_calls.unknown++;
			continue;
		}
		e = ay_index_get(&index, c->what);
		if (!e->attempts++) {
			e->owner = n;
			met[n++] = (struct met){ overload, c->calls, c->verdict, &c->time };
			continue;
		}
		m = &met[e->owner];
		m->verdict = ay_verdict_merge(m->verdict, c->verdict);
		if (ay_case_time_worse(m->time, &c->time) || !has_ratio(&c->time))
			m->time = &c->time;
	}
	ay_index_release(&index);
	return n;
}

/* Adds up the calls of each overload: the suite's number, or that of the records if it is larger.
 * Files of several runs may be concatenated. */
static void count_calls(struct ay_summary *s, const struct met *met, int n)
{
	int64_t *seen = ay_xrealloc(NULL, sizeof *seen * (size_t)(s->noverload + 1));

	for (int i = 0; i < s->noverload; i++)
		seen[i] = 0;
	for (int i = 0; i < n; i++)
		seen[met[i].overload] += met[i].calls;
	for (int i = 0; i < s->noverload; i++)
		if (s->overload[i].in_suite || !s->has_suite)
			s->by_calls.calls += seen[i] > s->overload[i].calls ? seen[i] : s->overload[i].calls;
	ay_xfree(seen);
}

/* SKIPPED and WEAK_CASE are no verdicts against a kernel; AY_VERDICT_NONE is no verdict. */
static bool is_against(enum ay_verdict v)
{
	return v != AY_VERDICT_PASS && v != AY_VERDICT_SKIPPED && v != AY_VERDICT_WEAK_CASE &&
	       v != AY_VERDICT_NONE;
}

void ay_call_weights_add(struct ay_summary *s)
{
	struct ay_by_calls *w = &s->by_calls;
	struct met *met = ay_xrealloc(NULL, sizeof *met * (size_t)(s->ncase + 1));
	struct totals x = { 0 };
	int n;

	*w = (struct ay_by_calls){ 0 };
	n = find_cases(s, met);
	w->cases = n;
	count_calls(s, met, n);
	for (int i = 0; i < n; i++) {
		if (is_against(met[i].verdict))
			w->wrong += met[i].calls;
		if (met[i].verdict != AY_VERDICT_PASS)
			continue;
		w->right += met[i].calls;
		add_time(w, &x, &met[i]);
	}
	if (w->timed) {
		w->speedup = x.base / x.time;
		w->lo = x.base / x.most;
		w->hi = x.no_hi ? 0 : x.base / x.least;
	}
	ay_xfree(met);
}

void ay_by_calls_print(struct ay_str *b, const struct ay_by_calls *w, bool timed)
{
	const struct ay_speed_shown shown = { w->speedup, w->lo, w->hi, true, 0 };

	if (!w->calls)
		return;
	ay_str_addf(b, "by calls: %lld of %lld calls are right (%.1f %%), %lld are wrong, %lld are not judged",
		    (long long)w->right, (long long)w->calls, 100.0 * (double)w->right / (double)w->calls,
		    (long long)w->wrong, (long long)(w->calls - w->right - w->wrong));
	if (timed) {
		ay_str_addf(b, "; speed-up of their total time: %s", w->timed ? "" : "none");
		ay_speed_print(b, &shown);
		ay_str_addf(b, " over %lld of %lld calls", (long long)w->timed, (long long)w->calls);
	}
	if (w->unknown)
		ay_str_addf(b, "; %lld cases have no count", (long long)w->unknown);
}

json_t *ay_by_calls_json(const struct ay_by_calls *w)
{
	const struct {
		const char *name;
		double x;
	} speeds[] = { { "speedup", w->speedup }, { "speedup_lo", w->lo }, { "speedup_hi", w->hi } };
	json_t *j;

	if (!w->calls)
		return NULL;
	j = json_pack("{s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I}", "of", (json_int_t)w->calls, "right",
		      (json_int_t)w->right, "wrong", (json_int_t)w->wrong, "not_judged",
		      (json_int_t)(w->calls - w->right - w->wrong), "rate", (double)w->right / (double)w->calls,
		      "timed", (json_int_t)w->timed, "cases", (json_int_t)w->cases, "cases_without_count",
		      (json_int_t)w->unknown);
	for (int i = 0; i < 3; i++)
		if (speeds[i].x > 0)
			json_object_set_new(j, speeds[i].name, json_real(speeds[i].x));
	return j;
}
