/* SPDX-License-Identifier: Apache-2.0 */
#include "store/score.h"
#include "store/record.h"
#include "store/timing_json.h"

#include <math.h>
#include <string.h>

const double ay_perf_p[AY_PERF_N] = { 0, 0.5, 0.8, 1, 1.5, 2 };

/* Indices of the sums of logarithms. */
enum { NS, FLOOR, SPEEDUP, LO, HI, ANY, ANY_LO, ANY_HI };

/* --- one case --------------------------------------------------------------------------------- */

/* Returns 0 for a value that no clock can give. Records are untrusted, and their means must stay
 * finite. */
static double positive(double x)
{
	return x >= 1e-30 && x <= 1e30 ? x : 0;
}

void ay_case_time_read(const json_t *rec, struct ay_case_time *t, struct ay_str *name)
{
	const json_t *timing = json_object_get(rec, ay_field_name(AY_FIELD_TIMING));
	struct ay_timing x;

	*t = (struct ay_case_time){ .baseline = -1 };
	if (!timing)
		return;
	ay_timing_json_read(timing, &x);
	t->ns = positive(x.ns);
	t->ns_lo = positive(x.ns_lo);
	t->ns_hi = positive(x.ns_hi);
	t->floor_ns = positive(x.floor_ns);
	t->base_ns = positive(x.base_ns);
	t->timed = t->ns > 0;
	t->too_slow = x.too_slow;
	t->threads = x.threads;
	t->pace = x.pace;
	t->overhead_bound = x.overhead_bound;
	if (!x.baseline || !*x.baseline || x.pace == AY_PACE_NONE)
		return;
	t->speedup = positive(x.speedup);
	t->lo = positive(x.lo);
	t->hi = positive(x.hi);
	t->scored = x.scored && !x.overhead_bound && strcmp(x.baseline, "reference") != 0;
	ay_str_addf(name, "%s%s%s", x.baseline, x.version ? " " : "", x.version ? x.version : "");
}

double ay_case_worth(const struct ay_case_time *t)
{
	if (!t->scored || !t->timed)
		return 0;
	return t->pace == AY_PACE_UNCLEAR ? fmin(t->lo, t->speedup) : t->speedup;
}

bool ay_case_counts_less(const struct ay_case_time *t)
{
	return t->scored && t->timed && ay_case_worth(t) < t->speedup;
}

bool ay_case_time_worse(const struct ay_case_time *a, const struct ay_case_time *b)
{
	if (a->too_slow || b->too_slow)
		return !a->too_slow;
	if (a->scored != b->scored) /* a case that is left out must not hide one that counts */
		return b->scored;
	if (a->scored)
		return ay_case_worth(b) < ay_case_worth(a);
	if (a->timed != b->timed)
		return b->timed;
	return b->ns > a->ns;
}

/* --- many ------------------------------------------------------------------------------------- */

static void add_ratio(struct ay_speed *s, const struct ay_case_time *t)
{
	if (!(t->speedup > 0))
		return;
	s->ratios++;
	s->sum[ANY] += log(t->speedup);
	s->any_no_lo |= !(t->lo > 0);
	s->any_no_hi |= !(t->hi > 0);
	s->sum[ANY_LO] += t->lo > 0 ? log(t->lo) : 0;
	s->sum[ANY_HI] += t->hi > 0 ? log(t->hi) : 0;
}

static void add_scored(struct ay_speed *s, const struct ay_case_time *t)
{
	const double worth = ay_case_worth(t);

	if (!(worth > 0 && t->lo > 0)) {
		s->unknown++;
		return;
	}
	s->scored++;
	s->lowered += ay_case_counts_less(t);
	s->sum[SPEEDUP] += log(worth);
	s->sum[LO] += log(fmin(t->lo, worth)); /* a lower bound must not exceed its value */
	s->no_hi |= !(t->hi > 0);
	s->sum[HI] += log(fmax(t->hi, worth));
}

void ay_speed_add(struct ay_speed *s, const struct ay_case_time *t)
{
	s->unknown += t->too_slow;
	if (!t->timed)
		return;
	s->timed++;
	s->sum[NS] += log(t->ns);
	if (t->floor_ns > 0) {
		s->floors++;
		s->sum[FLOOR] += log(t->floor_ns / t->ns);
	}
	if (t->baseline >= 0) {
		s->baselines += !s->baselines || (s->baselines == 1 && s->baseline != t->baseline);
		s->baseline = t->baseline;
	}
	add_ratio(s, t);
	if (t->scored)
		add_scored(s, t);
	else
		*(t->overhead_bound ? &s->overhead : &s->other) += 1;
}

static double mean(double sum, int n)
{
	return n ? exp(sum / n) : 0;
}

void ay_speed_end(struct ay_speed *s)
{
	const int n = s->unknown ? 0 : s->scored; /* one unknown case makes the mean unknown */

	s->baseline = s->baselines == 1 ? s->baseline : -1;
	s->ns = mean(s->sum[NS], s->timed);
	s->of_floor = mean(s->sum[FLOOR], s->floors);
	s->speedup = mean(s->sum[SPEEDUP], n);
	s->lo = mean(s->sum[LO], n);
	s->hi = mean(s->sum[HI], s->no_hi ? 0 : n);
	s->any_speedup = mean(s->sum[ANY], s->ratios);
	s->any_lo = mean(s->sum[ANY_LO], s->any_no_lo ? 0 : s->ratios);
	s->any_hi = mean(s->sum[ANY_HI], s->any_no_hi ? 0 : s->ratios);
}

/* --- for people ------------------------------------------------------------------------------- */

struct ay_speed_shown ay_speed_shown(const struct ay_speed *s)
{
	return (struct ay_speed_shown){ s->any_speedup, s->any_lo, s->any_hi, s->speedup > 0,
					s->lowered ? s->speedup : 0 };
}

static void print_end(struct ay_str *b, double x)
{
	if (x > 0)
		ay_str_addf(b, "%.3g", x);
	else
		ay_str_addc(b, '?');
}

void ay_speed_print(struct ay_str *b, const struct ay_speed_shown *x)
{
	if (!(x->speedup > 0))
		return;
	ay_str_addf(b, "%.3gx [", x->speedup);
	print_end(b, x->lo);
	ay_str_add(b, ", ");
	print_end(b, x->hi);
	ay_str_add(b, x->scored ? "]" : "] (not scored)");
	if (x->scored && x->counts_as > 0)
		ay_str_addf(b, " counts as %.3gx", x->counts_as);
}

void ay_time_print(struct ay_str *b, double ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" } };
	int u = 0;

	if (!(ns > 0))
		return;
	while (u < 3 && ns >= 999.5 * units[u].ns)
		u++;
	ay_str_addf(b, "%.3g %s", ns / units[u].ns, units[u].unit);
}

/* --- scores ----------------------------------------------------------------------------------- */

/* The margin covers rounding: the mean of equal numbers must not be above that number. */
bool ay_is_above(double x, double p)
{
	return x > p * (1 + 1e-12);
}

void ay_speed_score_add(struct ay_speed_score *s, const struct ay_speed *x, bool correct)
{
	s->of++;
	s->overhead_cases += x->overhead;
	if (!correct)
		return;
	s->correct++;
	s->unknown_cases += x->unknown;
	s->overhead += x->overhead && !x->scored && !x->unknown;
	if (!(x->speedup > 0))
		return;
	s->scored++;
	s->lowered_cases += x->lowered;
	s->sum[0] += log(x->speedup);
	s->sum[1] += log(x->lo);
	s->sum[2] += x->hi > 0 ? log(x->hi) : 0;
	s->no_hi |= !(x->hi > 0);
	for (int i = 0; i < AY_PERF_N; i++) {
		s->fast[i] += ay_is_above(x->speedup, ay_perf_p[i]);
		s->surely[i] += ay_is_above(x->lo, ay_perf_p[i]);
	}
}

void ay_speed_score_end(struct ay_speed_score *s)
{
	s->speedup = mean(s->sum[0], s->scored);
	s->lo = mean(s->sum[1], s->scored);
	s->hi = mean(s->sum[2], s->no_hi ? 0 : s->scored);
}

void ay_speed_score_print_notes(struct ay_str *b, const struct ay_speed_score *s)
{
	if (s->overhead_cases)
		ay_str_addf(b, "; %lld cases are overhead-bound and left out", (long long)s->overhead_cases);
	if (s->lowered_cases)
		ay_str_addf(b, "; %lld cases are UNCLEAR and count as their lower bound",
			    (long long)s->lowered_cases);
	if (s->unknown_cases)
		ay_str_addf(b,
			    "; %lld cases were too slow to time or have no lower bound, and take the speed-up of "
			    "theirs away",
			    (long long)s->unknown_cases);
}
