/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/pair.h"

#include "base/process.h"
#include "oracle/oracle.h"
#include "timing/quiet.h"
#include "timing/seat.h"
#include "timing/verify.h"

#include <math.h>
#include <string.h>

enum {
	GATE_RUNS = 32,     /* empty calls that c0 is the median of, */
	GATE_GAP_NS = 5000000, /* with as much between them, as there is between batches */
	NULL_SETS = 256,    /* in a batch of empty calls, */
	NULL_RUNS = 6,      /* of which there are as many */
	TRIAL_SETS = 32,    /* in the batches by which m is chosen, */
	TRIAL_BYTES = 8 << 20, /* or fewer, if they are larger than this */
	SETS_MAX = 6000,
	ALONE_RUNS = 10,
	AUDIT_MAX = 24, /* sets in an audit */
	AUDITS_KEPT = AY_BLOCKS_MAX * AUDIT_MAX,
	BLOCKS_PLANNED = 24, /* must fit into the budget */
	VOID_MAX = 40,       /* blocks that may be discarded */
};
static const double least_batch_ns = 5e6, longest_batch_ns = 40e6;
static const double slow_ns = 1e9; /* one trial of a kernel that takes so long is enough */
static const double slack_wanted = 0.005;
static const double pool_max = 768 << 20;   /* bytes of one seat */
static const double write_per_ns = 4;       /* bytes; of content, a careful guess for planning */
static const double stolen_max = 0.01;      /* of a block: more, and it is void for both */
static const double disturbed_from = 1.02;  /* baseline beside the kernel over baseline alone */
static const double audited_from = 1.0 / 0.9; /* audited time over plain time */
static const double cold_start = 0.1;       /* of the hand-over: what a first call may cost more than others */

struct samples {
	int n;
	double x[AUDITS_KEPT];
};

struct pair {
	const struct ay_pair_spec *s;
	enum ay_against against; /* NONE also where the baseline is too slow for the budget */
	struct ay_timing *t;
	struct ay_pair_report *r;
	struct ay_err *err;
	struct ay_master master;
	struct ay_verify verify;
	struct ay_seat a, b, none;
	struct ay_sets reference; /* where the reference works */
	cpu_set_t cpus, judge_cpus, before;
	bool spare;
	int64_t begin;
	double c0, spread;          /* of one empty call under the gate */
	double trial_a, trial_b;    /* ns per call, roughly */
	int m, mb;                  /* sets per batch: of the kernel, of the baseline */
	int n;                      /* blocks that count */
	double d[AY_BLOCKS_MAX], ta[AY_BLOCKS_MAX], tb[AY_BLOCKS_MAX], cpu[AY_BLOCKS_MAX], sets[AY_BLOCKS_MAX];
	struct spell {
		double q50, q75;
	} alone[2];                 /* baseline before and after */
	struct samples audit, audit_b, audit_none; /* T of sets one by one: kernel, baseline, the empty call */
	struct ay_ratio ratio;
};

static struct ay_key new_key(void)
{
	return (struct ay_key){ { ay_secret_u64(), ay_secret_u64() } };
}

/* As no float dtype's likely answer looks: see judge.c. */
static uint8_t new_poison(void)
{
	return (uint8_t)(0x70 + ay_secret_below(12));
}

static double elapsed_s(const struct pair *p)
{
	return (double)(ay_now_ns() - p->begin) / 1e9;
}

static double sum(const double *x, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += x[i];
	return s;
}

/* --- one batch of either side ---------------------------------------------------------------------------- */

static int is_over(struct pair *p, const struct ay_outcome *o)
{
	if (o->what == AY_X_RAN)
		return 0;
	p->r->amiss = AY_AMISS_ENDED;
	p->r->outcome = *o;
	return 1;
}

/* Are the kernel's outputs of a batch that took ns not what they should be? */
static bool is_bad(struct pair *p, struct ay_key key, int n, uint8_t poison, double ns)
{
	const enum ay_verified found = ay_verify_batch(&p->verify, &p->a.sets, key, n, poison, ns, p->r->text);

	if (found != AY_VERIFIED)
		p->r->amiss = found == AY_WRONG ? AY_AMISS_WRONG : AY_AMISS_UNFINISHED;
	return found != AY_VERIFIED;
}

/* n fresh sets through the kernel, and are they right? 1: something is amiss. */
static int run_kernel(struct pair *p, struct ay_key key, int n, struct ay_beat *beat)
{
	const uint8_t poison = new_poison();
	struct ay_outcome o;

	ay_sets_write(&p->a.sets, key, 0, n, poison);
	if (ay_seat_batch(&p->a, n, beat, &o, p->err))
		return -1;
	return is_over(p, &o) || is_bad(p, key, n, poison, beat->ns);
}

/* The operator's own reference is trusted: it runs here, on the kernel's CPUs, by a plain clock. */
static double run_reference(struct pair *p, struct ay_key key, int n)
{
	struct ay_call *c = p->s->call;
	const struct ay_view **out = ay_xrealloc(NULL, sizeof *out * (size_t)(c->nout + 1));
	struct ay_compare q = { .op = p->s->op, .call = c, .threads = p->s->threads };
	int64_t ns = 0;

	ay_sets_write(&p->reference, key, 0, n, new_poison());
	sched_setaffinity(0, sizeof p->cpus, &p->cpus);
	for (int set = 0; set < n; set++) {
		int64_t begin;

		for (int i = 0; i < c->noperand; i++) {
			struct ay_operand *o = c->operand[i];

			o->view.data = ay_sets_at(&p->reference, set, i) +
				       o->view.offset * ay_dt_info(o->view.dt)->bytes;
			o->old.data = o->view.data;
		}
		for (int k = 0; k < c->nout; k++)
			out[k] = &c->out[k]->view;
		begin = ay_now_ns();
		ay_oracle_produce(&q, out);
		ns += ay_now_ns() - begin;
	}
	sched_setaffinity(0, sizeof p->judge_cpus, &p->judge_cpus);
	ay_xfree(out);
	return (double)ns / n;
}

/* ns per call of the baseline. A baseline that fails is our failure. */
static int run_baseline(struct pair *p, struct ay_key key, int n, double *ns)
{
	struct ay_outcome o;
	struct ay_beat beat;

	if (p->against == AY_AGAINST_REFERENCE) {
		*ns = run_reference(p, key, n);
		return 0;
	}
	ay_sets_write(&p->b.sets, key, 0, n, new_poison());
	if (ay_seat_batch(&p->b, n, &beat, &o, p->err))
		return -1;
	if (o.what != AY_X_RAN)
		return ay_fail(p->err, AY_ERR_EXEC, "the baseline failed: %s", o.text);
	*ns = (beat.ns - p->c0) / n;
	return 0;
}

/* --- the gate's own cost --------------------------------------------------------------------------------- */

static struct ay_seat_spec seat_spec(const struct pair *p, int so_fd, const struct ay_proto *proto, int cap)
{
	return (struct ay_seat_spec){ .so_fd = so_fd,
				      .proto = proto,
				      .master = &p->master,
				      .cap = cap,
				      .threads = p->s->threads,
				      .timeout_s = p->s->call_timeout_s,
				      .sandbox = p->s->sandbox,
				      .cpus = &p->cpus,
				      .spare = p->spare };
}

static int time_empty(struct pair *p, int n, double *ns)
{
	struct ay_outcome o;
	struct ay_beat beat;

	if (ay_seat_batch(&p->none, n, &beat, &o, p->err))
		return -1;
	if (o.what != AY_X_RAN)
		return ay_fail(p->err, AY_ERR_EXEC, "the empty call failed: %s", o.text);
	*ns = beat.ns;
	return 0;
}

/* c0, and what an empty call costs by itself. */
static int measure_gate(struct pair *p)
{
	struct ay_seat_spec spec = seat_spec(p, -1, p->s->proto, NULL_SETS);
	double x[GATE_RUNS], many[NULL_RUNS];
	struct ay_outcome o;

	if (ay_seat_open(&p->none, &spec, &o, p->err))
		return -1;
	if (o.what != AY_X_RAN)
		return ay_fail(p->err, AY_ERR_EXEC, "the empty call cannot be made: %s", o.text);
	for (int i = -4; i < GATE_RUNS; i++) { /* the first few warm up */
		const int64_t until = ay_now_ns() + (i < 0 ? 0 : GATE_GAP_NS);

		while (ay_now_ns() < until) /* busy, as we are when we write content */
			;
		if (time_empty(p, 1, &x[i < 0 ? 0 : i]))
			return -1;
	}
	p->c0 = ay_quantile(x, GATE_RUNS, 0.5);
	p->spread = ay_quantile(x, GATE_RUNS, 0.95) - p->c0;
	for (int i = 0; i < NULL_RUNS; i++)
		if (time_empty(p, NULL_SETS, &many[i]))
			return -1;
	p->t->null_ns = fmax(0, ay_quantile(many, NULL_RUNS, 0.5) - p->c0) / NULL_SETS;
	return 0;
}

static double clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

/* --- how much to do -------------------------------------------------------------------------------------- */

/* A rough time per call, in a seat of its own. One call comes first: a slow kernel has the time of one call for each,
 * and a batch has no more. */
static int try_out(struct pair *p, int so_fd, const struct ay_proto *proto, double *ns, struct ay_outcome *o)
{
	const double fit = TRIAL_BYTES / ((double)p->master.bytes + 1);
	const int cap = fit > TRIAL_SETS ? TRIAL_SETS : fit < 1 ? 1 : (int)fit;
	struct ay_seat_spec spec = seat_spec(p, so_fd, proto, cap);
	struct ay_seat seat;
	struct ay_beat beat = { 0 };
	int rc = 0, n = 1;

	if (ay_seat_open(&seat, &spec, o, p->err))
		return -1;
	for (int i = 0; i < 4 && !rc && o->what == AY_X_RAN && beat.ns < slow_ns; i++) { /* the last counts */
		ay_sets_write(&seat.sets, new_key(), 0, n, new_poison());
		rc = ay_seat_batch(&seat, n, &beat, o, p->err);
		*ns = fmax(beat.ns - p->c0, 1) / n;
		n = (int)clamp(least_batch_ns / *ns, 1, cap);
	}
	ay_seat_close(&seat);
	return rc;
}

static int try_both(struct pair *p)
{
	struct ay_outcome o = { 0 };

	if (try_out(p, p->s->so_fd, p->s->proto, &p->trial_a, &o))
		return -1;
	if (is_over(p, &o))
		return 1;
	p->trial_b = 0;
	if (p->against == AY_AGAINST_REFERENCE) {
		if (ay_sets_init(&p->reference, &p->master, 1, false, p->err))
			return -1;
		p->trial_b = run_reference(p, new_key(), 1);
		ay_sets_release(&p->reference);
	}
	if (p->against != AY_AGAINST_KERNEL)
		return 0;
	if (try_out(p, p->s->base_fd, p->s->base_proto, &p->trial_b, &o))
		return -1;
	if (o.what == AY_X_RAN)
		return 0;
	p->t->why = o.what == AY_X_REFUSED ? "no ratio: the baseline does not take this case"
					   : "no ratio: the baseline failed";
	p->against = AY_AGAINST_NONE;
	return 0;
}

static double block_ns(const struct pair *p, double m)
{
	const double b = p->against == AY_AGAINST_NONE ? 0 : p->trial_b * (p->mb ? fmin(p->mb, m) : m);
	const double written = (double)p->master.bytes * m / write_per_ns;

	return 2 * (m * p->trial_a * 1.3 + b + written * (p->against == AY_AGAINST_KERNEL ? 2 : 1)) + 8 * p->c0;
}

/*
 * m: batches long enough for the gate's spread to vanish, beyond the last cache if that is affordable, and short
 * enough for the budget. false: not even single calls fit.
 */
static bool plan(struct pair *p)
{
	const double target = clamp(p->spread / slack_wanted, least_batch_ns, longest_batch_ns);
	const double bytes = (double)p->master.bytes + 1, room = (double)ay_memory_available() / 6;
	const bool pair = p->against == AY_AGAINST_KERNEL;
	/* a batch has no more time than a call may take */
	const double calls = p->s->call_timeout_s * 1e9 / 8 / (pair ? fmax(p->trial_a, p->trial_b) : p->trial_a);
	const double most = clamp(fmin(fmin(pool_max, room) / bytes, calls), 1, SETS_MAX);
	const double fastest = pair ? fmin(p->trial_a, p->trial_b) : p->trial_a;
	const double last = (double)p->s->ceilings->cache[AY_LEVEL_L3];
	const double budget = p->s->budget_s * 1e9;
	double m = clamp(target / fastest, 1, most), cold = 2.2 * last / bytes / 0.8 + 1;

	p->mb = 0;
	if (p->against == AY_AGAINST_REFERENCE) /* slow by nature: no more of it than a batch must have */
		p->mb = (int)clamp(target / p->trial_b, 1, m);
	if (cold > m && cold <= most && block_ns(p, cold) * BLOCKS_PLANNED < budget)
		m = cold;
	while (m > 1 && block_ns(p, m) * BLOCKS_PLANNED > budget)
		m = fmax(1, m * 0.8);
	p->m = (int)m;
	if (!p->mb || p->mb > p->m)
		p->mb = p->m;
	return block_ns(p, p->m) * ay_looks[0] < 2 * budget;
}

/* --- blocks ---------------------------------------------------------------------------------------------- */

static int draw_m(int m)
{
	return m < 5 ? m : (int)(m * 0.8 + (double)ay_secret_below((uint64_t)(m * 0.4) + 1));
}

static int cap_of(int m)
{
	return m + m / 5 + 1;
}

static void wait_said(void *user)
{
	((struct ay_timing *)user)->waited = true;
}

/* A B B A on two contents. The halves of the baseline are left out where there is none. */
static int run_block(struct pair *p, double ns[2], double *cpu, int *sets)
{
	const struct ay_key key[2] = { new_key(), new_key() };
	const int m = draw_m(p->m), mb = p->mb == p->m ? m : p->mb;
	struct ay_beat beat;
	double b, sum_a = 0, sum_b = 0, sum_cpu = 0;

	for (int half = 0; half < 2; half++) {
		for (int turn = 0; turn < 2; turn++) {
			const bool kernel = turn == half;
			int rc = 0;

			if (kernel)
				rc = run_kernel(p, key[half], m, &beat);
			else if (p->against != AY_AGAINST_NONE)
				rc = run_baseline(p, key[half], mb, &b);
			if (rc)
				return rc;
			if (kernel) {
				sum_a += (beat.ns - p->c0) / m / 2;
				sum_cpu += beat.cpu_ns / m / 2;
			} else if (p->against != AY_AGAINST_NONE) {
				sum_b += b / 2;
			}
		}
	}
	ns[0] = fmax(sum_a, 1e-3);
	ns[1] = fmax(sum_b, 1e-3);
	*cpu = sum_cpu;
	*sets = m;
	return 0;
}

static int audit_seat(struct pair *p, struct ay_seat *seat, int n, struct ay_key key, uint8_t poison,
		      struct samples *to, struct ay_outcome *o)
{
	double each[AUDIT_MAX];
	int bad = -1;

	if (ay_seat_audit(seat, n, key, poison, each, &bad, o, p->err))
		return -1;
	for (int i = 0; i < n && o->what == AY_X_RAN && to->n < AUDITS_KEPT; i++)
		to->x[to->n++] = each[i];
	return bad >= 0;
}

/* The same for those we trust, so that like is held against like. */
static int audit_ours(struct pair *p, struct ay_seat *seat, int n, struct samples *to)
{
	struct ay_outcome o;

	if (audit_seat(p, seat, n, new_key(), new_poison(), to, &o) < 0)
		return -1;
	return o.what == AY_X_RAN ? 0 : ay_fail(p->err, AY_ERR_EXEC, "failed when called alone: %s", o.text);
}

/* Unannounced: sets one by one. They are compared as those of other batches, or whoever knows an audit by its single
 * sets could be fast there by doing nothing. */
static int audit(struct pair *p)
{
	const int fit = (int)clamp(least_batch_ns / p->trial_a, 4, AUDIT_MAX), n = fit < p->m ? fit : p->m;
	const struct ay_key key = new_key();
	const uint8_t poison = new_poison();
	struct ay_outcome o;
	int rc = audit_seat(p, &p->a, n, key, poison, &p->audit, &o);

	if (rc < 0)
		return -1;
	if (is_over(p, &o))
		return 1;
	if (rc) {
		p->r->amiss = AY_AMISS_UNFINISHED;
		return 1;
	}
	if (is_bad(p, key, n, poison, sum(&p->audit.x[p->audit.n - n], n)))
		return 1;
	p->t->audits++;
	if (p->against == AY_AGAINST_KERNEL && audit_ours(p, &p->b, n, &p->audit_b))
		return -1;
	return audit_ours(p, &p->none, n, &p->audit_none);
}

static bool was_stolen(const struct ay_quiet_use *from, const struct ay_quiet_use *to, int64_t ns, int cpus)
{
	return (double)(to->stolen_ns - from->stolen_ns) > stolen_max * (double)ns * cpus + 10e6;
}

static int add_block(struct pair *p)
{
	struct ay_quiet_use from, to;
	int64_t begin = ay_now_ns();
	double ns[2], cpu;
	int sets, rc;

	ay_quiet_read(&p->cpus, &from);
	rc = run_block(p, ns, &cpu, &sets);
	ay_quiet_read(&p->cpus, &to);
	if (rc)
		return rc;
	if (was_stolen(&from, &to, ay_now_ns() - begin, p->s->threads) && p->t->discarded < VOID_MAX) {
		p->t->discarded++;
		return 0;
	}
	p->ta[p->n] = ns[0];
	p->tb[p->n] = ns[1];
	p->cpu[p->n] = cpu;
	p->sets[p->n] = sets;
	p->d[p->n] = log(ns[1] / ns[0]);
	p->n++;
	return 0;
}

static double slack_of(const struct pair *p, int n)
{
	const double batch = ay_quantile(p->ta, n, 0.5) * p->m;

	p->t->slack = p->spread / fmax(batch, 1);
	/* a hand-over faster than ours could hide as much as all of c0, so so much is not called FASTER */
	return fmax(p->t->slack, p->c0 / fmax(batch, 1));
}

/* Looks only where one may. True: enough. */
static bool is_enough(struct pair *p)
{
	if (!ay_is_look(p->n))
		return false;
	if (p->against == AY_AGAINST_NONE)
		return !p->s->thorough || p->n >= ay_looks[1];
	ay_ratio_judge(p->d, p->n, sum(p->tb, p->n) / sum(p->ta, p->n), slack_of(p, p->n), &p->ratio);
	if (p->n == AY_BLOCKS_MAX || ay_half_width(&p->ratio) <= 0.005)
		return true;
	return !p->s->thorough && p->ratio.pace != AY_PACE_UNCLEAR;
}

/* Is there time for as many blocks as the next look needs? */
static bool may_go_on(const struct pair *p)
{
	const double each = elapsed_s(p) / (p->n + p->t->discarded + 1);
	int next = AY_BLOCKS_MAX;

	for (int i = AY_LOOKS - 1; i >= 0; i--)
		if (ay_looks[i] > p->n)
			next = ay_looks[i];
	if (p->n < ay_looks[0])
		return elapsed_s(p) < 4 * p->s->budget_s;
	return !ay_is_look(p->n) || elapsed_s(p) + each * (next - p->n) < p->s->budget_s;
}

static int run_blocks(struct pair *p)
{
	double ns[2], cpu;
	int sets, rc = run_block(p, ns, &cpu, &sets); /* checked, not counted */

	while (!rc && !is_enough(p) && may_go_on(p)) {
		const uint64_t when = ay_secret_below(4); /* an audit before or after, or none */

		if (when == 0)
			rc = audit(p);
		if (!rc)
			rc = add_block(p);
		if (!rc && when == 1)
			rc = audit(p);
	}
	return rc;
}

/* --- the baseline alone ---------------------------------------------------------------------------------- */

/*
 * As it will be beside the kernel, but without it: between two batches as much memory is written as the kernel's
 * would be, or the caches would be kinder to the baseline than they can be later.
 */
static int time_alone(struct pair *p, struct spell *alone)
{
	double x[ALONE_RUNS];
	struct ay_sets ghost;
	int rc = 0;

	*alone = (struct spell){ 0 };
	if (p->against != AY_AGAINST_KERNEL)
		return 0;
	if (ay_sets_init(&ghost, &p->master, p->m, false, p->err))
		return -1;
	for (int i = -1; i < ALONE_RUNS && !rc; i++) {
		ay_sets_write(&ghost, new_key(), 0, p->m, new_poison());
		rc = run_baseline(p, new_key(), p->m, &x[i < 0 ? 0 : i]);
	}
	ay_sets_release(&ghost);
	if (!rc)
		*alone = (struct spell){ ay_quantile(x, ALONE_RUNS, 0.5), ay_quantile(x, ALONE_RUNS, 0.75) };
	return rc;
}

/* --- what comes out -------------------------------------------------------------------------------------- */

static void keep_samples(struct pair *p, struct ay_arena *a)
{
	double *x = AY_NEW_N(a, double, p->n + 1);

	memcpy(x, p->d, sizeof *x * (size_t)p->n);
	p->t->sample = x;
	p->t->nsample = p->n;
}

/*
 * Slower by more than 10 % when its sets come one by one, beyond what scatter and a cold start explain: that is its
 * time, and it is held against the baseline's of the same kind if that is the worse for it. What the ratio is to be
 * divided by.
 */
static double audited_by(struct pair *p)
{
	const double plain = p->t->ns, base = p->n ? ay_quantile(p->tb, p->n, 0.5) : 0;
	double one, least, most, none, none_least, none_most, alone, by;

	if (p->audit.n < 8)
		return 1;
	ay_interval(p->audit.x, p->audit.n, 0.01, &one, &least, &most);
	ay_interval(p->audit_none.x, p->audit_none.n, 0.01, &none, &none_least, &none_most);
	p->t->latency_ns = fmax(one - none, 0);
	if (least - none_most - cold_start * none <= plain * audited_from)
		return 1;
	p->t->audited = true;
	p->t->ns = one - none;
	by = (one - none) / plain;
	if (!p->audit_b.n)
		return by;
	alone = fmax(ay_quantile(p->audit_b.x, p->audit_b.n, 0.5) - none, 1);
	return fmax(by, base / plain / (alone / (one - none)));
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

static const char too_early[] = "the budget ended before the first look: see --budget";

static void tell(struct pair *p, struct ay_arena *a)
{
	struct ay_timing *t = p->t;
	double mid, lo, hi, by, *ln = AY_NEW_N(a, double, p->n + 1);

	t->blocks = p->n;
	if (!p->n && !t->why)
		t->why = too_early;
	if (!p->n)
		return;
	for (int i = 0; i < p->n; i++)
		ln[i] = log(p->ta[i]);
	ay_interval(ln, p->n, 0.01, &mid, &lo, &hi);
	t->ns = exp(mid);
	t->cpu_ns = ay_quantile(p->cpu, p->n, 0.5);
	t->sets = (int)(sum(p->sets, p->n) / p->n);
	by = audited_by(p);
	t->ns_lo = exp(lo) * t->ns / exp(mid);
	t->ns_hi = exp(hi) * t->ns / exp(mid);
	slack_of(p, p->n);
	if (p->against == AY_AGAINST_NONE)
		return;
	t->base_ns = ay_quantile(p->tb, p->n, 0.5);
	by *= disturbed_by(p);
	if (t->disturbed)
		t->base_ns = fmax(p->alone[0].q50, p->alone[1].q50);
	if (by > 1)
		for (int i = 0; i < p->n; i++)
			p->d[i] -= log(by);
	t->totals = sum(p->tb, p->n) / sum(p->ta, p->n) / by;
	ay_ratio_judge(p->d, p->n, t->totals, slack_of(p, p->n), &p->ratio);
	t->pace = p->n < ay_looks[0] ? AY_PACE_UNCLEAR : p->ratio.pace;
	t->speedup = p->ratio.ratio;
	t->lo = p->ratio.lo;
	t->hi = p->ratio.hi;
	keep_samples(p, a);
	if (p->n < ay_looks[0])
		t->why = too_early;
}

static void place(struct pair *p)
{
	const double pool = (double)p->master.bytes * p->m * 0.8;

	p->t->level = ay_ceiling_level(p->s->ceilings, pool);
	p->t->cold = p->t->level == AY_LEVEL_MEMORY;
	p->t->pool_bytes = pool;
}

/* What the operands were pointed at is gone. */
static void forget_data(struct ay_call *c)
{
	for (int i = 0; i < c->noperand; i++)
		c->operand[i]->view.data = c->operand[i]->old.data = NULL;
}

/* --- all of it ------------------------------------------------------------------------------------------- */

static int open_seat(struct pair *p, struct ay_seat *seat, int fd, const struct ay_proto *proto,
		     struct ay_outcome *o)
{
	struct ay_seat_spec spec = seat_spec(p, fd, proto, cap_of(p->m));

	return ay_seat_open(seat, &spec, o, p->err);
}

static int open_baseline(struct pair *p)
{
	struct ay_outcome o = { 0 };

	if (p->against == AY_AGAINST_REFERENCE)
		return ay_sets_init(&p->reference, &p->master, cap_of(p->mb), false, p->err);
	if (p->against == AY_AGAINST_NONE)
		return 0;
	if (open_seat(p, &p->b, p->s->base_fd, p->s->base_proto, &o))
		return -1;
	return o.what == AY_X_RAN ? 0 : ay_fail(p->err, AY_ERR_EXEC, "the baseline failed: %s", o.text);
}

static int measure(struct pair *p)
{
	struct ay_outcome o = { 0 };
	int rc = measure_gate(p);

	if (!rc)
		rc = try_both(p);
	if (rc)
		return rc;
	if (!plan(p) && p->against != AY_AGAINST_NONE) { /* then at least how long it takes */
		p->t->why = "no ratio: baseline and kernel together are too slow for the budget (see --budget)";
		p->against = AY_AGAINST_NONE;
	}
	if (p->against == AY_AGAINST_NONE && !plan(p)) {
		p->t->why = "too slow for the budget: see --budget";
		return 0;
	}
	place(p);
	if (open_baseline(p) || time_alone(p, &p->alone[0]) || open_seat(p, &p->a, p->s->so_fd, p->s->proto, &o))
		return -1;
	if (is_over(p, &o))
		return 1;
	rc = run_blocks(p);
	ay_seat_close(&p->a);
	if (!rc)
		rc = time_alone(p, &p->alone[1]);
	return rc;
}

int ay_pair_time(const struct ay_pair_spec *s, struct ay_arena *a, struct ay_timing *t, struct ay_pair_report *r,
		 struct ay_err *err)
{
	struct pair *p = AY_NEW(a, struct pair);
	struct ay_quiet_lock lock;
	int rc = -1;

	*r = (struct ay_pair_report){ 0 };
	*t = (struct ay_timing){ .threads = s->threads };
	*p = (struct pair){ .s = s, .against = s->against, .t = t, .r = r, .err = err, .begin = ay_now_ns() };
	p->a.sets.pool = p->b.sets.pool = p->none.sets.pool = p->reference.pool =
		(struct ay_pool){ .fd = { -1, -1 } };
	ay_quiet_cpus(s->threads, &p->cpus, &p->judge_cpus, &p->spare);
	if (ay_quiet_take(&lock, &p->cpus, wait_said, t, err))
		return -1;
	p->begin = ay_now_ns(); /* waiting for others is not our time */
	sched_getaffinity(0, sizeof p->before, &p->before);
	sched_setaffinity(0, sizeof p->judge_cpus, &p->judge_cpus);
	ay_master_init(&p->master, s->call);
	p->verify = (struct ay_verify){ .op = s->op, .call = s->call, .threads = CPU_COUNT(&p->judge_cpus) };
	rc = measure(p);
	ay_seat_close(&p->a);
	ay_seat_close(&p->b);
	ay_seat_close(&p->none);
	ay_sets_release(&p->reference);
	ay_verify_release(&p->verify);
	ay_master_release(&p->master);
	forget_data(s->call);
	sched_setaffinity(0, sizeof p->before, &p->before);
	ay_quiet_leave(&lock);
	t->gate_ns = p->c0;
	if (rc >= 0 && r->amiss == AY_AMISS_NONE)
		tell(p, a);
	t->wall_s = elapsed_s(p);
	return rc < 0 ? -1 : 0;
}
