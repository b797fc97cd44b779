/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_size - how many sets a batch has.
 *
 * Users compare from run to run whether a case is cold or warm, and roughly how many sets it has.
 * A figure that is measured differently each time must not decide this. So cold or warm follows
 * from the case, the machine and the budget only. The number of sets depends on how long calls
 * take. It is a power of two, and it is remembered.
 */
#include "timing/ab_internal.h"

#include "timing/floor.h"
#include "timing/plan_cache.h"

#include <math.h>

enum {
	SETS_MAX = 6000,
	/* This many blocks must fit into the budget, unless batches would be shorter than
	 * short_ns. On a shared host another process disturbs one batch in ten, however long it
	 * is. So many short batches prove more than a few long ones. */
	BLOCKS_PLANNED = 200,
	BLOCKS_NEEDED = 24, /* this many must fit, however short the batches */
	/* least sets of a batch with several passes, even if the caches hold more; if these exceed
	 * FRESH_BYTES, fewer, but at least two, since writing them takes longer than the batch */
	FRESH_SETS = 16,
};
#define FRESH_BYTES (128 << 20) /* of all these sets */
/* fraction of the budget; the rest is for trials, audits and comparisons */
static const double planned = 0.75;
static const double slack_wanted = 0.005;
static const double room = 1.0 / 8; /* fraction of the free memory, for one executor */
/* a remembered number counts if it differs from the present one by no more than this factor */
static const double kept_within = 4;

static const struct scale processor = { .trial_sets = 32,
					.trial_bytes = 8 << 20,
					.least_ns = LEAST_BATCH_NS,
					.longest_ns = 12e6,
					.short_ns = 2.5e6,
					.pool_max = 768 << 20,
					.write_per_ns = 1.5,
					.late_max_ns = 1e5,
					.gap_ns = 5000000,
					.usual_ns = 100,
					.usual_bytes = 10,
					.usual_flops = 10,
					.usual_gate_ns = 1e5 };
/* New memory is allocated for every batch, which takes 0.7 ms for a GiB. */
static const struct scale gpu = { .trial_sets = 256,
				  .trial_bytes = 512 << 20,
				  .least_ns = 4e6,
				  .longest_ns = 8e6,
				  .short_ns = 4e6,
				  .pool_max = 16.0 * (1 << 30),
				  .write_per_ns = 500,
				  .around_ns = 1.5e6,
				  .late_max_ns = 5e5,
				  .gap_ns = 500000,
				  .usual_ns = 4e3,
				  .usual_bytes = 1500,
				  .usual_flops = 1e4,
				  .usual_gate_ns = 4e5 };
/* For torch against itself, where little time passes between two batches. Calls that take the host
 * as long as the GPU scatter by 3 to 12 % with batches of 5 ms, and gate_ns by half a per cent. So
 * short batches prove as much. */
static const struct scale ungated = { .trial_sets = 64,
				      .trial_bytes = 256 << 20,
				      .least_ns = 4e6,
				      .longest_ns = 8e6,
				      .short_ns = 4e6,
				      .pool_max = 4.0 * (1 << 30),
				      .write_per_ns = 1000,
				      .around_ns = 5e5,
				      .late_max_ns = 3e5,
				      .gap_ns = 100000,
				      .brief_ns = 1.5e4,
				      .brief_batch_ns = 1e6,
				      .usual_ns = 4e3,
				      .usual_bytes = 1500,
				      .usual_flops = 1e4,
				      .usual_gate_ns = 1e5 };

const struct scale *ay_ab_scale(const struct ab *p)
{
	return !p->s->device ? &processor : p->s->ungated ? &ungated : &gpu;
}

static double bytes_of(const struct ab *p)
{
	return (double)p->template.bytes + 1;
}

static double last_cache(const struct ab *p)
{
	return (double)p->s->ceilings->cache[AY_LEVEL_L3];
}

/* Returns the least number of sets that exceeds twice the last cache. */
static double cold_sets(const struct ab *p)
{
	return floor(2.2 * last_cache(p) / bytes_of(p) / 0.8 + 1);
}

/* Returns the largest number of sets that does not. */
static double warm_sets(const struct ab *p)
{
	return fmax(1, floor(2 * last_cache(p) / bytes_of(p) / 0.8));
}

/* Returns true if a set may be used again. Trusted code gains nothing from seeing a set twice. But
 * a call that updates a set changes it. */
static bool may_repeat(const struct ab *p)
{
	return p->s->trusted && !ay_input_template_is_updated(&p->template);
}

/* Returns how many sets a batch of this many calls needs. */
static double sets_for(const struct ab *p, double calls)
{
	const double fresh = ay_clamp(FRESH_BYTES / bytes_of(p), 2, FRESH_SETS);

	return may_repeat(p) ? fmin(calls, fmax(cold_sets(p), fresh)) : calls;
}

/* Times of calls, for estimating the time of a block. */
struct costs {
	/* ns of a call of the kernel and of the baseline; of both gates together */
	double a, b, gate_ns;
	int mb; /* sets of the baseline; 0: as many as of the kernel */
};

static double block_of(const struct ab *p, double m, const struct costs *k)
{
	const double b = p->against == AY_BASELINE_NONE ? 0 : k->b * (k->mb ? fmin(k->mb, m) : m);
	const double written = (double)p->template.bytes * sets_for(p, m) / ay_ab_scale(p)->write_per_ns +
			       ay_ab_scale(p)->around_ns;

	return 2 * (m * k->a * 1.3 + b + written * (p->against == AY_BASELINE_KERNEL ? 2 : 1)) + 4 * k->gate_ns;
}

static double block_ns(const struct ab *p, double m)
{
	return block_of(p, m, &(struct costs){ p->trial_a, p->trial_b, p->ga->gate_ns + p->gb->gate_ns, p->mb });
}

/* --- memory ---------------------------------------------------------------------------------------------- */

/* Returns the bytes for one executor. The amount of free memory differs from run to run, so it is
 * rounded down to a power of two. */
static double pool_max(const struct ab *p)
{
	const double have = (double)(p->s->device ? ay_dev_free_bytes(p->s->device) : ay_memory_available());

	return fmin(ay_ab_scale(p)->pool_max, exp2(floor(log2(fmax(have, 1)))) * room);
}

void ay_ab_lend(struct ab *p, int sets)
{
	p->ga->gexec.empty_bytes = p->gb->gexec.empty_bytes = ay_input_template_read_bytes(&p->template) *
							      (uint64_t)sets;
}

/* --- cold or warm ---------------------------------------------------------------------------------------- */

/* Returns the time of a typical kernel for this call. It does not use this kernel's time, which is
 * measured. */
static double usual_call_ns(const struct ab *p)
{
	const struct scale *k = ay_ab_scale(p);
	struct ay_floor f = { 0 };

	if (p->s->call)
		ay_floor_cost(p->s->call, &f);
	return k->usual_ns +
	       (bytes_of(p) / k->usual_bytes + f.flops / k->usual_flops) / (p->s->threads > 0 ? p->s->threads : 1);
}

bool ay_ab_wants_cold(const struct ab *p)
{
	const struct scale *k = ay_ab_scale(p);
	const double cold = cold_sets(p), each = usual_call_ns(p), budget = planned * p->s->budget_s * 1e9;
	const struct costs usual = { each, each, 2 * k->usual_gate_ns, 0 };

	if (warm_sets(p) * bytes_of(p) * 0.8 > 2 * last_cache(p)) /* a single set exceeds it */
		return true;
	if (cold > SETS_MAX || cold * bytes_of(p) > pool_max(p))
		return false;
	/* writing this much takes longer than estimated if it does not fit into the caches either;
	 * a batch no longer than a warm one needs fewer blocks, but enough for a kernel that is
	 * slower than usual */
	return block_of(p, cold, &usual) * (cold * each <= k->short_ns ? 4 * BLOCKS_NEEDED : 2 * BLOCKS_PLANNED) <
	       budget;
}

/* --- how many sets --------------------------------------------------------------------------------------- */

/* Returns how long a batch should be whose calls take `each` ns. */
static double batch_ns(const struct ab *p, double each)
{
	const struct scale *k = ay_ab_scale(p);

	if (each < k->brief_ns)
		return k->brief_batch_ns;
	return ay_clamp(fmax(p->ga->spread, p->gb->spread) / slack_wanted, k->least_ns, k->longest_ns);
}

/* Returns true if enough blocks of m fit for the first interim analysis. */
static bool is_affordable(const struct ab *p, double m)
{
	return block_ns(p, m) * ay_interim_blocks[0] < 2 * p->s->budget_s * 1e9;
}

/* Returns the fewest sets for which a batch is clearly longer than gate_ns. It is reduced to what
 * is affordable, because on a busy machine gate_ns is large. */
static double least_sets(const struct ab *p, double fastest, double most)
{
	double m = fmin(most, 3 * fmax(p->ga->gate_ns, p->gb->gate_ns) / fastest);

	while (m > 1 && !is_affordable(p, m))
		m *= 0.8;
	return m;
}

/* Returns the nearest power of two. */
static double step_of(double m)
{
	return exp2(round(log2(fmax(m, 1))));
}

/* Returns the calls in a batch according to the present measurements. */
static double calls_now(const struct ab *p, double fastest, double most)
{
	const double budget = planned * p->s->budget_s * 1e9, target = batch_ns(p, fastest);
	double m = ay_clamp(target / fastest, 1, most), least;

	while (m > 1 && m * fastest > ay_ab_scale(p)->short_ns && block_ns(p, m) * BLOCKS_PLANNED > budget)
		m = fmax(1, m * 0.8);
	while (m > 1 && block_ns(p, m) * BLOCKS_NEEDED > budget)
		m = fmax(1, m * 0.8);
	least = least_sets(p, fastest, most);
	m = step_of(m);
	while (m > 1 && !is_affordable(p, m))
		m /= 2;
	while (m < least && 2 * m <= most && is_affordable(p, 2 * m))
		m *= 2;
	return ay_clamp(m, 1, most);
}

static bool is_remembered(const struct ab *p)
{
	return p->s->plan_file && p->s->plan_name && p->against == p->s->against;
}

/* Returns the remembered number, unless it differs from the present one by more than kept_within.
 * Then the machine was busy at one of the two times. */
static double as_before(double now, int before)
{
	return now <= kept_within * before && before <= kept_within * now ? before : now;
}

/* Moves m beyond the caches if that is wanted and enough blocks of it fit. Otherwise moves it
 * below, so that no batch is in between. */
static double settle_regime(const struct ab *p, double m, double most, bool was_cold)
{
	const double cold = cold_sets(p), budget = planned * p->s->budget_s * 1e9 * (was_cold ? kept_within : 1);

	if (ay_ab_wants_cold(p))
		return m >= cold || (cold <= most && block_ns(p, cold) * BLOCKS_NEEDED <= budget)
			       ? fmax(m, cold)
			       : fmin(m, warm_sets(p));
	return may_repeat(p) ? m : fmin(m, warm_sets(p));
}

/* Returns the calls in a batch, and sets p->mb, the sets of the baseline. */
static double choose_calls(struct ab *p, double most)
{
	const bool pair = p->against == AY_BASELINE_KERNEL;
	const double fastest = pair ? fmin(p->trial_a, p->trial_b) : p->trial_a, target = batch_ns(p, fastest);
	struct ay_batch_plan plan = { 0 };
	double m;
	const bool known = is_remembered(p) && ay_plan_cache_find(p->s->plan_file, p->s->plan_name, &plan);

	p->mb = 0;
	/* the reference is slow: use only what a batch needs */
	if (p->against == AY_BASELINE_REFERENCE) {
		p->mb = (int)step_of(ay_clamp(target / p->trial_b, 1, fmax(1, target / fastest)));
		p->mb = known ? (int)as_before(p->mb, plan.base) : p->mb;
	}
	m = calls_now(p, fastest, most);
	if (known)
		m = fmin(as_before(m, plan.calls), most);
	m = settle_regime(p, m, most, known && plan.calls >= cold_sets(p));
	if (is_remembered(p) && (!known || plan.calls != (int)m || (p->mb && plan.base != p->mb)))
		ay_plan_cache_note(p->s->plan_file, p->s->plan_name,
				   &(struct ay_batch_plan){ (int)m, p->mb ? p->mb : 1 });
	return m;
}

bool ay_ab_plan(struct ab *p)
{
	const bool pair = p->against == AY_BASELINE_KERNEL;
	const double fit = pool_max(p) / bytes_of(p);
	/* a batch has no more time than one call may take */
	const double calls = p->s->call_timeout_s * 1e9 / 8 / (pair ? fmax(p->trial_a, p->trial_b) : p->trial_a);
	const double most = ay_clamp(may_repeat(p) ? calls : fmin(fit, calls), 1, SETS_MAX);
	const double m = choose_calls(p, most);
	double sets = ay_clamp(sets_for(p, m), 1, fmax(1, fit));

	if (sets < cold_sets(p))
		sets = fmin(sets, warm_sets(p));
	p->m = (int)sets;
	p->passes = may_repeat(p) ? (int)fmax(1, m / p->m) : 1;
	ay_ab_lend(p, p->m);
	if (!p->mb || p->mb > p->m)
		p->mb = p->m;
	/* for the kernel alone one block always gives a time */
	return p->against == AY_BASELINE_NONE || is_affordable(p, p->m);
}

int ay_ab_cap(int m)
{
	return m + m / 5 + 1;
}
