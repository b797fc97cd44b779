/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/ab_internal.h"

#include "base/process.h"

#include <math.h>
#include <string.h>

static const double disturbed_from = 1.02;    /* baseline beside the kernel over baseline alone */
static const double audited_from = 1.0 / 0.9; /* audited time over plain time, or a lead over what is left of it */
static const double doubted_from = 1.25;      /* the least lead that audits must show something of: */
static const double lead_seen = 1.1;
static const double gain_seen = 0.5;       /* of what batches gain: so much must be left of it one by one */
static const double contradicted_by = 0.1; /* of our time: what events may say more or less of a call */
enum { LAGS_LEAST = 8 };
static const double lag_most = 0.33;      /* of c0: what its correction may be */
static const double cold_start = 0.25;    /* of the hand-over: what a first call may cost more than others */
static const double launch_most_ns = 1e5; /* by way of Python */

double ay_ab_elapsed_s(const struct pair *p)
{
	return (double)(ay_now_ns() - p->begin) / 1e9;
}

double ay_ab_slack(const struct pair *p, int n)
{
	const double batch = ay_quantile(p->ta, n, 0.5) * p->m * p->passes;

	p->t->slack = fmax(p->ga->spread, p->gb->spread) / fmax(batch, 1);
	/* a hand-over faster than ours could hide as much as all of c0, so so much is not called FASTER */
	return fmax(p->t->slack, p->ga->c0 / fmax(batch, 1));
}

static void keep_samples(struct pair *p, struct ay_arena *a)
{
	double *x = AY_NEW_N(a, double, 2 * p->n + 1);

	memcpy(x, p->d, sizeof *x * 2 * (size_t)p->n);
	p->t->sample = x;
	p->t->nsample = 2 * p->n;
}

struct middle {
	double mid, lo, hi;
};

static struct middle middle_of(const double *x, int n)
{
	struct middle m;

	ay_interval(x, n, 0.01, &m.mid, &m.lo, &m.hi);
	return m;
}

/* The lead over the baseline when both are called one set at a time; ns: of a call in batches. */
static struct middle lead_alone(const struct pair *p, double cold, double ns)
{
	const double plain = ay_quantile(p->tb, p->n, 0.5);
	struct middle m;
	double d[AUDITS_KEPT];

	/* neither is taken for faster alone than it is in a batch */
	for (int i = 0; i < p->audit.n; i++)
		d[i] = log(fmax(p->audit.base[i], plain) / fmax(p->audit.kernel[i] - cold, ns));
	m = middle_of(d, p->audit.n);
	return (struct middle){ exp(m.mid), exp(m.lo), exp(m.hi) };
}

/* Calls alone are too short to be seen beside hand-overs that scatter as much. */
static bool is_out_of_sight(const struct pair *p)
{
	const struct middle none = middle_of(p->audit.none[0], p->audit.n);

	return fmax(middle_of(p->audit.kernel, p->audit.n).mid, 1) <= none.hi - none.lo;
}

/* What a call takes less than the baseline's, pair by pair: hand-over and cold start are in both, and go. Launches on a GPU,
 * and calls of another kind, have costs alone that batches hide by right: false for these. */
static bool gain_alone(const struct pair *p, struct middle *gain)
{
	double d[AUDITS_KEPT];

	if (p->s->device || p->gb != p->ga || p->against != AY_BASELINE_KERNEL || is_out_of_sight(p))
		return false;
	for (int i = 0; i < p->audit.n; i++)
		d[i] = p->audit.base[i] - p->audit.kernel[i];
	*gain = middle_of(d, p->audit.n);
	return true;
}

/*
 * Where handing over is slow, and few audits scatter much, they prove nothing against it: a first call may cost a quarter
 * of that more. But a large lead of which nothing is to be seen there, with both taken as they are, is none to tell of.
 */
bool ay_ab_is_doubtful(const struct pair *p)
{
	const double ns = ay_quantile(p->ta, p->n, 0.5), gain = ay_quantile(p->tb, p->n, 0.5) - ns;
	struct middle lead, alone;

	if (p->ratio.pace != AY_PACE_FASTER || p->audit.n < 8 || p->ratio.lo < doubted_from || is_out_of_sight(p))
		return false;
	lead = lead_alone(p, 0, ns);
	if (lead.mid < lead_seen || lead.lo < 1)
		return true;
	return gain_alone(p, &alone) && alone.mid < gain_seen * gain && alone.hi < gain;
}

/* A lead of which most is gone when sets come one by one: what it is to be divided by. */
static double lost_alone(const struct pair *p, double ns)
{
	const double base = ay_quantile(p->tb, p->n, 0.5);
	struct middle gain;

	if (base < doubted_from * ns || !gain_alone(p, &gain) || gain.hi >= gain_seen * (base - ns))
		return 1;
	return (base - fmax(gain.hi, 0)) / ns;
}

/* Launching by way of Python (Triton) takes 20 to 90 us, which batches hide by right and calls alone do not. Who leads must
 * show it there all the same; who does not has nothing to show, if it is no more than that. */
static bool is_only_launching(const struct pair *p, double ns, double alone)
{
	return p->s->device && p->s->kernel.python && ay_quantile(p->tb, p->n, 0.5) <= ns &&
	       alone - ns < launch_most_ns;
}

/*
 * Slower by more than 10 % when its sets come one by one, beyond what scatter and a cold start explain: that is its
 * time. Beside a baseline it is the lead that must show there too, since a first call costs everybody more; unless
 * calls are too short to be seen beside the hand-over; or most of a large lead, by differences. What the ratio is to be
 * divided by: never more than was seen to be lost.
 */
static double audited_by(struct pair *p)
{
	const double plain = p->t->ns;
	struct middle one, none;
	double alone, cold, lost;

	if (p->audit.n < 8)
		return 1;
	one = middle_of(p->audit.kernel, p->audit.n);
	none = middle_of(p->audit.none[0], p->audit.n);
	alone = fmax(one.mid, 1);
	cold = cold_start * none.mid;
	p->t->latency_ns = fmax(one.mid, 0);
	if (p->against != AY_BASELINE_KERNEL)
		lost = one.lo - cold > plain * audited_from ? fmax(alone / plain, 1) : 1;
	else if (is_out_of_sight(p) || is_only_launching(p, plain, alone - cold))
		lost = 1;
	else
		lost = fmax(ay_quantile(p->tb, p->n, 0.5) / plain / lead_alone(p, cold, plain).hi,
			    lost_alone(p, plain));
	if (lost <= audited_from)
		return 1;
	p->t->audited = true;
	p->t->ns = fmax(plain, alone);
	return lost;
}

/* Slower beside the kernel than alone, before and after, and by more than both scatter: its time alone counts. */
static double disturbed_by(struct pair *p)
{
	const double alone = fmax(p->alone[0].q50, p->alone[1].q50), beside = ay_quantile(p->tb, p->n, 0.5);

	if (!alone || beside <= alone * disturbed_from ||
	    ay_quantile(p->tb, p->n, 0.25) <= fmax(p->alone[0].q75, p->alone[1].q75))
		return 1;
	p->t->disturbed = true;
	return beside / alone;
}

/*
 * c0 was measured once, and perhaps while the machine was busy; empty calls were made beside the audits too. A c0
 * that is too large would make an honest kernel implausible and a ratio larger than it is: what was subtracted too
 * much is given back to both.
 */
static double give_back_c0(struct pair *p, struct gate *g)
{
	const double *none = p->audit.none[g != p->ga];
	const double much = p->audit.n < 8 ? 0 : fmax(0, g->empty_c0 - ay_quantile(none, p->audit.n, 0.5));

	g->c0 -= much;
	return much;
}

/*
 * The same on a GPU, where a call alone comes with less memory than a batch, and an empty batch touches none of it: what
 * touching does for the first time (60 to 100 us of 8 GiB) is in T as well. A baseline of ours says by its events what
 * was its own; the rest is what c0 should be, for a kernel of the same kind too.
 */
static double give_back_lag(struct pair *p)
{
	double lag[AY_BLOCKS_MAX], much;
	int n = 0;

	for (int i = 0; i < p->n && p->s->base.trusted && p->against == AY_BASELINE_KERNEL; i++)
		if (p->lag[i] > 0)
			lag[n++] = p->lag[i];
	if (n < LAGS_LEAST)
		return 0;
	p->t->lag_ns = ay_quantile(lag, n, 0.5);
	if (p->s->plain || p->gb != p->ga)
		return 0;
	much = p->gb->c0 - p->t->lag_ns;
	much = ay_clamp(much, -lag_most * p->gb->c0, lag_most * p->gb->c0);
	p->gb->c0 -= much;
	return much;
}

static void give_back(struct pair *p)
{
	const double a = p->s->device ? give_back_lag(p) : give_back_c0(p, p->ga),
		     b = p->gb == p->ga || p->s->device ? a : give_back_c0(p, p->gb);

	for (int i = 0; i < p->n; i++) {
		p->ta[i] += a / p->calls[i];
		p->sum_a += 2 * a / p->calls[i];
		if (p->against == AY_BASELINE_KERNEL) {
			p->tb[i] += b / p->calls[i];
			p->sum_b += 2 * b / p->calls[i];
		}
	}
	for (int i = 0; i < 2 * p->n; i++) {
		const double calls = p->calls[i / 2];

		p->d[i] = log((p->b_half[i] + (p->against == AY_BASELINE_KERNEL ? b / calls : 0)) /
			      (p->a_half[i] + a / calls));
	}
}

/* What the device said of itself. Figures made inside an executor are told, and whether they agree with ours. */
static void say_device(struct pair *p, struct ay_arena *a)
{
	char words[AY_THROTTLE_WORDS];

	if (!p->s->device)
		return;
	p->t->claimed_ns = ay_quantile(p->claimed, p->n, 0.5);
	p->t->contradicted = (p->t->claimed_ns > 0 && p->t->claimed_ns < p->t->ns * (1 - contradicted_by)) ||
			     fmax(p->t->claimed_ns, p->t->graph_ns) > p->t->ns * (1 + contradicted_by);
	if (p->throttled)
		p->t->throttled = ay_strdup(a, ay_gpu_throttle_words(p->throttled, words));
}

static void say_unclear(struct pair *p, struct ay_arena *a)
{
	char why[120];

	if (p->t->pace != AY_PACE_UNCLEAR || p->t->why)
		return;
	ay_ratio_why_unclear(&p->ratio, p->t->totals, ay_ab_slack(p, p->n), why, sizeof why);
	p->t->why = ay_strdup(a, why);
}

static const char too_early[] = "the budget ended before the first look: see --budget";

void ay_ab_tell(struct pair *p, struct ay_arena *a)
{
	struct ay_timing *t = p->t;
	double mid, lo, hi, by, *ln = AY_NEW_N(a, double, p->n + 1);

	t->blocks = p->n;
	if (p->n && p->n < ay_looks[0] && !t->why)
		t->why = too_early;
	if (!p->n && !t->why)
		t->why = "every block was void: calls too short beside the gate, or a busy machine";
	if (!p->n)
		return;
	give_back(p);
	for (int i = 0; i < p->n; i++)
		ln[i] = log(p->ta[i]);
	ay_interval(ln, p->n, 0.01, &mid, &lo, &hi);
	t->cpu_ns = ay_quantile(p->cpu, p->n, 0.5);
	t->sets = p->m; /* what is meant: each block takes up to 20 % more or less */
	t->passes = p->passes;
	t->ns = exp(mid);
	say_device(p, a);
	by = audited_by(p);
	t->ns_lo = exp(lo) * t->ns / exp(mid);
	t->ns_hi = exp(hi) * t->ns / exp(mid);
	ay_ab_slack(p, p->n);
	if (p->against == AY_BASELINE_NONE)
		return;
	t->base_ns = ay_quantile(p->tb, p->n, 0.5);
	by *= disturbed_by(p);
	if (t->disturbed)
		t->base_ns = fmax(p->alone[0].q50, p->alone[1].q50);
	if (by > 1)
		for (int i = 0; i < 2 * p->n; i++)
			p->d[i] -= log(by);
	t->totals = p->sum_b / p->sum_a / by;
	ay_ratio_judge(p->d, 2 * p->n, t->totals, ay_ab_slack(p, p->n), &p->ratio);
	t->pace = p->n < ay_looks[0] ? AY_PACE_UNCLEAR : p->ratio.pace;
	t->speedup = p->ratio.ratio;
	t->lo = p->ratio.lo;
	t->hi = p->ratio.hi;
	if (t->pace == AY_PACE_FASTER && (ay_ab_is_doubtful(p) || (t->audited && t->ns > t->base_ns))) {
		t->pace = AY_PACE_UNCLEAR;
		t->why = "its lead does not show where calls come one by one, and these scatter too much to tell";
	}
	say_unclear(p, a);
	keep_samples(p, a);
}
