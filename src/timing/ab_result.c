/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/ab_internal.h"

#include "base/process.h"

#include <math.h>
#include <string.h>

/* baseline's time beside the kernel over its time without the kernel */
static const double disturbed_from = 1.02;
/* audited time over time in batches, or a lead over what audits show of it */
static const double audited_from = 1.0 / 0.9;
/* the least lead of which audits must show something */
static const double doubted_from = 1.25;
static const double lead_seen = 1.1;
/* fraction of the gain in batches that audits must show */
static const double gain_seen = 0.5;
/* fraction of the measured time by which device events may differ */
static const double contradicted_by = 0.1;
enum { LAGS_LEAST = 8 };
static const double lag_most = 0.33; /* fraction of gate_ns by which it may be corrected */
/* fraction of the hand-over that a first call may cost more than others */
static const double cold_start = 0.25;
static const double launch_most_ns = 1e5; /* of a launch through Python */

double ay_ab_elapsed_s(const struct ab *p)
{
	return (double)(ay_now_ns() - p->begin) / 1e9;
}

double ay_ab_slack(const struct ab *p, int n)
{
	const double batch = ay_quantile(p->ta, n, 0.5) * p->m * p->passes;

	p->t->slack = fmax(p->ga->spread, p->gb->spread) / fmax(batch, 1);
	/* a hand-over faster than that of the empty call could hide as much as gate_ns, so a lead
	 * of this size is not called FASTER */
	return fmax(p->t->slack, p->ga->gate_ns / fmax(batch, 1));
}

static void keep_samples(struct ab *p, struct ay_arena *a)
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

/* Returns the lead over the baseline when both are called one set at a time. ns: time of a call in
 * batches. */
static struct middle lead_alone(const struct ab *p, double cold, double ns)
{
	const double plain = ay_quantile(p->tb, p->n, 0.5);
	struct middle m;
	double d[AUDITS_KEPT];

	/* neither is assumed to be faster alone than in a batch */
	for (int i = 0; i < p->audit.n; i++)
		d[i] = log(fmax(p->audit.base[i], plain) / fmax(p->audit.kernel[i] - cold, ns));
	m = middle_of(d, p->audit.n);
	return (struct middle){ exp(m.mid), exp(m.lo), exp(m.hi) };
}

/* Returns true if single calls are shorter than the scatter of the hand-overs, so that audits
 * prove nothing. */
static bool is_out_of_sight(const struct ab *p)
{
	const struct middle none = middle_of(p->audit.none[0], p->audit.n);

	return fmax(middle_of(p->audit.kernel, p->audit.n).mid, 1) <= none.hi - none.lo;
}

/* Computes how much less time a single call takes than the baseline's, pair by pair. Hand-over and
 * cold start are in both times and cancel. Returns false if there are costs that batches
 * legitimately hide: launches on a GPU, and calls of another kind of executor. */
static bool gain_alone(const struct ab *p, struct middle *gain)
{
	double d[AUDITS_KEPT];

	if (p->s->device || p->gb != p->ga || p->against != AY_BASELINE_KERNEL || is_out_of_sight(p))
		return false;
	for (int i = 0; i < p->audit.n; i++)
		d[i] = p->audit.base[i] - p->audit.kernel[i];
	*gain = middle_of(d, p->audit.n);
	return true;
}

/* If handing over is slow, and few audits scatter widely, they prove nothing against a lead: a
 * first call may cost a quarter of the hand-over more. But a large lead of which audits show
 * nothing at all, without any correction, must not be reported. */
bool ay_ab_is_doubtful(const struct ab *p)
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

/* Returns the factor by which a large lead must be divided because most of it is gone when sets
 * come one by one; 1: none. */
static double lost_alone(const struct ab *p, double ns)
{
	const double base = ay_quantile(p->tb, p->n, 0.5);
	struct middle gain;

	if (base < doubted_from * ns || !gain_alone(p, &gain) || gain.hi >= gain_seen * (base - ns))
		return 1;
	return (base - fmax(gain.hi, 0)) / ns;
}

/* Returns true if a kernel is slower alone only because of its launch. A launch through Python
 * (Triton) takes 20 to 90 us, which batches legitimately hide and single calls do not. A kernel
 * that leads must show its lead in audits all the same. A kernel that does not lead is excused, if
 * the difference is no larger than a launch. */
static bool is_only_launching(const struct ab *p, double ns, double alone)
{
	return p->s->device && p->s->kernel.python && ay_quantile(p->tb, p->n, 0.5) <= ns &&
	       alone - ns < launch_most_ns;
}

/*
 * Returns what the ratio must be divided by because the kernel was slower in audits; 1: nothing.
 * It counts if the kernel is slower by more than 10 % when its sets come one by one, beyond
 * scatter and cold start. With a baseline, the lead must show in audits, since a first call costs
 * every kernel more. An exception are calls too short to measure beside the hand-over. For a large
 * lead, most of the difference in time must show too. The divisor never exceeds the loss that was
 * seen.
 */
static double audited_by(struct ab *p)
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

/* Returns how much slower the baseline is beside the kernel than without it; 1: not slower. It
 * counts if the baseline is slower than before and after the kernel, by more than both scatters.
 * Then its time without the kernel counts. */
static double disturbed_by(struct ab *p)
{
	const double alone = fmax(p->alone[0].q50, p->alone[1].q50), beside = ay_quantile(p->tb, p->n, 0.5);

	if (!alone || beside <= alone * disturbed_from ||
	    ay_quantile(p->tb, p->n, 0.25) <= fmax(p->alone[0].q75, p->alone[1].q75))
		return 1;
	p->t->disturbed = true;
	return beside / alone;
}

/* Corrects gate_ns and returns the correction. It was measured once, perhaps while the machine was
 * busy. Empty calls were also made beside the audits. If gate_ns is too large, an honest kernel
 * becomes implausible and a ratio larger than it is. So what was subtracted too much is added to
 * both times. */
static double give_back_c0(struct ab *p, struct gate *g)
{
	const double *none = p->audit.none[g != p->ga];
	const double much = p->audit.n < 8 ? 0 : fmax(0, g->empty_ns - ay_quantile(none, p->audit.n, 0.5));

	g->gate_ns -= much;
	return much;
}

/* Corrects gate_ns on a GPU and returns the correction. There a single call comes with less memory
 * than a batch, and an empty batch touches none of it. T includes the first access to memory (60
 * to 100 us for 8 GiB). The events of a trusted baseline tell which part of T was its own. The
 * rest is the right gate_ns, also for a kernel of the same kind. */
static double give_back_lag(struct ab *p)
{
	double lag[AY_BLOCKS_MAX], much;
	int n = 0;

	for (int i = 0; i < p->n && p->s->base.trusted && p->against == AY_BASELINE_KERNEL; i++)
		if (p->lag[i] > 0)
			lag[n++] = p->lag[i];
	if (n < LAGS_LEAST)
		return 0;
	p->t->lag_ns = ay_quantile(lag, n, 0.5);
	if (p->s->ungated || p->gb != p->ga)
		return 0;
	much = p->gb->gate_ns - p->t->lag_ns;
	much = ay_clamp(much, -lag_most * p->gb->gate_ns, lag_most * p->gb->gate_ns);
	p->gb->gate_ns -= much;
	return much;
}

static void give_back(struct ab *p)
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

/* Reports what the device said of itself. Figures from inside an executor are only reported, with
 * the information whether they agree with the judge's. */
static void say_device(struct ab *p, struct ay_arena *a)
{
	char words[AY_THROTTLE_WORDS];

	if (!p->s->device)
		return;
	p->t->claimed_ns = ay_quantile(p->claimed, p->n, 0.5);
	p->t->contradicted = (p->t->claimed_ns > 0 && p->t->claimed_ns < p->t->ns * (1 - contradicted_by)) ||
			     p->t->claimed_ns > p->t->ns * (1 + contradicted_by);
	if (p->throttled)
		p->t->throttled = ay_strdup(a, ay_gpu_throttle_words(p->throttled, words));
}

static void say_unclear(struct ab *p, struct ay_arena *a)
{
	char why[120];

	if (p->t->pace != AY_PACE_UNCLEAR || p->t->why)
		return;
	ay_ratio_why_unclear(&p->ratio, p->t->totals, ay_ab_slack(p, p->n), why, sizeof why);
	p->t->why = ay_strdup(a, why);
}

static const char too_early[] = "the budget ended before the first evaluation: see --budget";

void ay_ab_tell(struct ab *p, struct ay_arena *a)
{
	struct ay_timing *t = p->t;
	double mid, lo, hi, by, *ln = AY_NEW_N(a, double, p->n + 1);

	t->blocks = p->n;
	if (p->n && p->n < ay_interim_blocks[0] && !t->why)
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
	t->sets = p->m; /* nominal: each block has up to 20 % more or fewer */
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
	t->pace = p->n < ay_interim_blocks[0] ? AY_PACE_UNCLEAR : p->ratio.pace;
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
