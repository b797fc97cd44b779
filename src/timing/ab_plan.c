/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/ab_internal.h"

#include "base/process.h"
#include "exec/python.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum {
	GATE_RUNS = 32,   /* empty batches */
	BUSY_EVERY = 2,   /* one calibration batch after this many empty ones */
	NULL_SETS = 2048, /* calls in a batch of empty calls */
	NULL_RUNS = 6,    /* number of such batches */
	NULL_MOST = 36,   /* most such batches, if other processes have the CPUs */
	/* calls in a batch of torch's cheapest calls: longer batches are interrupted on a busy
	 * host */
	LEAST_SETS = 256,
	TRIALS = 5, /* batches by which m is chosen */
};
static const double slow_ns = 1e9;  /* one trial batch suffices if it takes this long */
static const double noisy_from = 4; /* median of empty calls over the shortest of them */

/* --- the gate's own cost --------------------------------------------------------------------------------- */

struct ay_gated_exec_spec ay_ab_gexec(const struct ab *p, const struct ay_impl *who, int cap)
{
	return (struct ay_gated_exec_spec){ .impl = *who,
					    .template = &p->template,
					    .cap = cap,
					    .threads = p->s->threads,
					    .timeout_s = p->s->call_timeout_s,
					    .sandbox = p->s->sandbox,
					    .device = p->s->device,
					    .kept = p->s->device ? p->s->kept : NULL,
					    .ungated = p->s->ungated,
					    .cpus = &p->cpus,
					    .spare = p->spare };
}

int ay_ab_open(struct ab *p, struct ay_gated_exec *gexec, const struct ay_gated_exec_spec *spec,
	       struct ay_outcome *o)
{
	const int64_t begin = ay_now_ns();
	const int rc = ay_gated_exec_open(gexec, spec, o, p->err);

	if (p->s->device)
		p->begin += ay_now_ns() - begin;
	p->t->open_s += (double)(ay_now_ns() - begin) / 1e9;
	return rc;
}

static int time_empty(struct ab *p, struct ay_gated_exec *none, int n, double *ns)
{
	struct ay_outcome o;
	struct ay_batch_time bt;

	if (ay_gated_exec_batch(none, n, &bt, &o, p->err))
		return -1;
	if (o.what != AY_EXEC_RAN)
		return ay_fail(p->err, AY_ERR_EXEC, "the empty call failed: %s", o.text);
	*ns = bt.ns;
	return p->s->device ? ay_gated_exec_forget(none, &o, p->err) : 0;
}

static int hand_over(struct ab *p, struct gate *g, bool busy, double *ns)
{
	const int64_t until = ay_now_ns() + ay_ab_scale(p)->gap_ns;
	struct ay_outcome o;

	while (ay_now_ns() < until) /* busy, as the judge is when it writes content */
		;
	if (ay_gated_exec_hand_over(&g->gexec, busy, ns, &o, p->err))
		return -1;
	return o.what == AY_EXEC_RAN ? 0 : ay_fail(p->err, AY_ERR_EXEC, "the empty call failed: %s", o.text);
}

/* Several hand-overs: their T, and the mapping time in it. */
struct overs {
	double ns[GATE_RUNS], map[GATE_RUNS];
};

static int note_over(struct ab *p, struct gate *g, bool busy, struct overs *o, int k)
{
	if (hand_over(p, g, busy, &o->ns[k]))
		return -1;
	o->map[k] = g->gexec.map_ns;
	return 0;
}

static int measure_c0(struct ab *p, struct gate *g, double empty[GATE_RUNS])
{
	double later[GATE_RUNS / BUSY_EVERY];
	struct overs idle, busy;

	/* subtracts nothing, to measure how long mapping takes */
	g->gexec.map_most = 0;
	for (int i = -2; i < GATE_RUNS; i++) { /* the first two are for warming up */
		const int k = i < 0 ? 0 : i;

		if (note_over(p, g, false, &idle, k))
			return -1;
		if (i % BUSY_EVERY == 0 && note_over(p, g, true, &busy, k / BUSY_EVERY))
			return -1;
	}
	g->map_most = g->gexec.map_most = ay_quantile(idle.map, GATE_RUNS, 0.95);
	for (int k = 0; k < GATE_RUNS; k++) {
		const int b = k / BUSY_EVERY;

		/* device events may report anything */
		empty[k] = fmax(0, idle.ns[k] - fmin(idle.map[k], g->map_most));
		if (k % BUSY_EVERY == 0)
			later[b] = busy.ns[b] - fmin(busy.map[b], g->map_most) - empty[k];
	}
	g->empty_ns = ay_quantile(empty, GATE_RUNS, 0.5);
	g->spread = ay_quantile(empty, GATE_RUNS, 0.95) - g->empty_ns + g->map_most -
		    ay_quantile(idle.map, GATE_RUNS, 0.5);
	g->gate_ns = g->empty_ns +
		     ay_clamp(ay_quantile(later, GATE_RUNS / BUSY_EVERY, 0.5), 0, ay_ab_scale(p)->late_max_ns);
	return 0;
}

/* Returns true if the host took the CPUs away during the measurement. It does so for a while, and
 * then the median is many times the shortest time. Spending some of the budget on waiting is
 * better than subtracting such a median. */
static bool is_disturbed(const struct ab *p, const struct gate *g, const double x[GATE_RUNS])
{
	return g->empty_ns > noisy_from * ay_quantile(x, GATE_RUNS, 0) && ay_ab_elapsed_s(p) < p->s->budget_s / 2;
}

static struct ay_exec_cache_gate kept_gate(const struct ab *p, const struct gate *g)
{
	return (struct ay_exec_cache_gate){ .name = g->gexec.name,
					    .ungated = p->s->ungated,
					    .empty_bytes = g->gexec.empty_bytes,
					    .empty_ns = g->empty_ns,
					    .spread = g->spread,
					    .gate_ns = g->gate_ns,
					    .map_most = g->map_most,
					    .null_ns = g->null_ns };
}

/* Returns the cache key of gate_ns. An order to torch's own functions costs the same for each of
 * them, so gate_ns is stored per kind of executor. The cost of an empty call depends on its
 * arguments, so it is not. */
static struct ay_exec_cache_gate gate_key(const struct ab *p, const struct gate *g)
{
	struct ay_exec_cache_gate k = kept_gate(p, g);

	if (!p->s->ungated || !k.name.kind[0])
		return k;
	memcpy(k.name.who, k.name.kind, sizeof k.name.who);
	k.null_ns = 0;
	return k;
}

/* Takes gate_ns from the cache: a recent measurement, for another case, is still valid. */
static bool know_c0(struct ab *p, struct gate *g)
{
	const struct ay_exec_cache_gate like = gate_key(p, g), *k = ay_exec_cache_find_gate(g->gexec.kept, &like);

	if (!k)
		return false;
	g->empty_ns = k->empty_ns;
	g->spread = k->spread;
	g->gate_ns = k->gate_ns;
	g->map_most = g->gexec.map_most = k->map_most;
	return true;
}

static int find_c0(struct ab *p, struct gate *g)
{
	const struct timespec nap = { 0, 50000000 };
	double x[GATE_RUNS];
	int rc = measure_c0(p, g, x);

	while (!rc && is_disturbed(p, g, x)) {
		nanosleep(&nap, NULL);
		rc = measure_c0(p, g, x);
	}
	return rc;
}

static int get_c0(struct ab *p, struct gate *g)
{
	struct ay_exec_cache_gate now;

	if (know_c0(p, g))
		return 0;
	if (find_c0(p, g))
		return -1;
	now = gate_key(p, g);
	ay_exec_cache_note_gate(g->gexec.kept, &now);
	return 0;
}

int ay_ab_gate_ns(struct ab *p)
{
	if (get_c0(p, p->ga) || (p->gb != p->ga && get_c0(p, p->gb)))
		return -1;
	p->a->map_most = p->ga->map_most;
	p->b->map_most = p->gb->map_most;
	return 0;
}

/* Opens an executor of the same kind as that of `who`, whose function does nothing. */
static int open_empty(struct ab *p, const struct ay_impl *who, enum ay_python_empty how,
		      struct ay_gated_exec *gexec)
{
	const struct ay_python_kernel about = { .empty = how, .n = 1, .proto = &who->proto };
	struct ay_impl none = { .proto = who->proto, .so_fd = -1, .python = who->python };
	struct ay_arena a = { 0 };
	struct ay_gated_exec_spec spec;
	struct ay_outcome o;
	int rc;

	if (none.python)
		none.about = ay_python_about(&a, &about);
	spec = ay_ab_gexec(p, &none, NULL_SETS);
	spec.empty = true;
	rc = ay_ab_open(p, gexec, &spec, &o);
	ay_arena_release(&a);
	if (!rc && o.what != AY_EXEC_RAN)
		rc = ay_fail(p->err, AY_ERR_EXEC, "the empty call cannot be made: %s", o.text);
	return rc;
}

/* Measures what each of n empty calls costs: the shortest batch less the shortest single call.
 * Floors are made of this figure, and an interrupted batch would raise a floor above honest
 * kernels. */
static int time_null(struct ab *p, struct ay_gated_exec *none, int n, double *ns)
{
	double many = INFINITY, one = INFINITY;
	struct ay_outcome o;

	for (int i = 0; i < NULL_RUNS || (many <= one && i < NULL_MOST); i++) {
		double of_n, of_one;

		if (time_empty(p, none, n, &of_n) || time_empty(p, none, 1, &of_one) ||
		    ay_gated_exec_forget(none, &o, p->err))
			return -1;
		if (o.what != AY_EXEC_RAN)
			return ay_fail(p->err, AY_ERR_EXEC, "the empty call failed: %s", o.text);
		many = fmin(many, of_n);
		one = fmin(one, of_one);
	}
	*ns = fmax(0, many - one) / (n - 1);
	return 0;
}

static int open_gate(struct ab *p, struct gate *g, const struct ay_impl *who)
{
	const struct ay_exec_cache_gate *k;
	struct ay_exec_cache_gate now;

	if (open_empty(p, who, AY_PY_EMPTY, &g->gexec) || get_c0(p, g))
		return -1;
	now = kept_gate(p, g);
	k = ay_exec_cache_find_gate(g->gexec.kept, &now);
	g->null_ns = k ? k->null_ns : 0;
	if (!(g->null_ns > 0) && time_null(p, &g->gexec, NULL_SETS, &g->null_ns))
		return -1;
	now = kept_gate(p, g);
	ay_exec_cache_note_gate(g->gexec.kept, &now);
	return 0;
}

/* Opens an executor of torch's cheapest call, through its C ABI. */
static int open_least(struct ab *p, const struct ay_impl *who, struct ay_gated_exec *gexec)
{
	struct ay_impl least = *who;
	struct ay_gated_exec_spec spec;
	struct ay_outcome o;

	least.so_fd = who->least_fd;
	spec = ay_ab_gexec(p, &least, LEAST_SETS);
	spec.empty = true;
	if (ay_ab_open(p, gexec, &spec, &o))
		return -1;
	return o.what == AY_EXEC_RAN
		       ? 0
		       : ay_fail(p->err, AY_ERR_EXEC, "torch's least call cannot be made: %s", o.text);
}

/* Measures torch's cheapest call, once for all cases if executors are cached. */
static int time_least(struct ab *p, struct ay_gated_exec *least)
{
	struct ay_exec_cache_gate now = { .name = least->name, .ungated = p->s->ungated };
	const struct ay_exec_cache_gate *k = ay_exec_cache_find_gate(least->kept, &now);

	p->t->base_null_ns = k ? k->null_ns : 0;
	if (!k && time_null(p, least, LEAST_SETS, &p->t->base_null_ns))
		return -1;
	now.null_ns = p->t->base_null_ns;
	ay_exec_cache_note_gate(least->kept, &now);
	return 0;
}

/* Measures the empty call that the baseline's times are compared with. A call of torch costs more
 * than a call of Python before it has done anything. This runs before the gates are opened. On a
 * device the gate can then reuse the process. */
static int find_base_null(struct ab *p)
{
	const struct ay_impl *base = &p->s->base;
	struct ay_gated_exec least;
	int rc;

	if (p->against != AY_BASELINE_KERNEL || !base->aten)
		return 0;
	rc = base->python ? open_empty(p, base, AY_PY_EMPTY_TORCH, &least) : open_least(p, base, &least);
	if (!rc)
		rc = time_least(p, &least);
	ay_gated_exec_close(&least);
	return rc;
}

int ay_ab_gate(struct ab *p)
{
	const bool pair = p->against == AY_BASELINE_KERNEL,
		   both = pair && !p->s->kernel.python != !p->s->base.python;

	p->gb = &p->gate[both];
	if (find_base_null(p) || open_gate(p, p->ga, &p->s->kernel) || (both && open_gate(p, p->gb, &p->s->base)))
		return -1;
	p->t->null_ns = p->ga->null_ns;
	if (!pair || !p->s->base.aten)
		p->t->base_null_ns = p->gb->null_ns;
	p->python_extra_ns = both && p->s->base.python ? fmax(0, p->gb->null_ns - p->ga->null_ns) : 0;
	return 0;
}

/* --- how long calls take -------------------------------------------------------------------------------------- */

/* Measures a rough time per call, in an executor of its own. It starts with one call, because a
 * batch has no more time than a single call may take. */
static int try_out(struct ab *p, const struct ay_impl *who, const struct gate *g, double *ns, struct ay_outcome *o)
{
	const struct scale *k = ay_ab_scale(p);
	const int cap = (int)ay_clamp(k->trial_bytes / ((double)p->template.bytes + 1), 1, k->trial_sets);
	struct ay_gated_exec_spec spec = ay_ab_gexec(p, who, cap);
	struct ay_gated_exec gexec;
	struct ay_batch_time bt = { 0 };
	int rc = 0, n = 1;

	if (ay_ab_open(p, &gexec, &spec, o))
		return -1;
	gexec.map_most = g->map_most;
	/* The shortest time counts, since the others were disturbed, but never less than a
	 * twentieth of the batch. A first call may have to compile something, which is not the
	 * kernel's time. So a kernel is slow only if the second batch is. */
	for (int i = 0; i < TRIALS && !rc && o->what == AY_EXEC_RAN && (i < 2 || bt.ns < slow_ns); i++) {
		double each;

		p->now = ay_ab_key(p);
		rc = ay_input_sets_write(&gexec.sets, p->now, 0, n, ay_ab_poison(), p->err);
		if (!rc)
			rc = ay_gated_exec_batch(&gexec, n, &bt, o, p->err);
		each = fmax(bt.ns - g->gate_ns, bt.ns / 20) / n;
		*ns = i ? fmin(*ns, each) : each;
		n = (int)ay_clamp(k->least_ns / *ns, 1, cap);
		if (!rc && o->what == AY_EXEC_RAN)
			rc = ay_gated_exec_forget(&gexec, o, p->err);
	}
	ay_gated_exec_close(&gexec);
	return rc;
}

int ay_ab_try(struct ab *p)
{
	struct ay_outcome o = { 0 };

	if (try_out(p, &p->s->kernel, p->ga, &p->trial_a, &o))
		return -1;
	if (ay_ab_is_over(p, &o))
		return 1;
	p->trial_b = 0;
	if (p->against == AY_BASELINE_REFERENCE) {
		if (ay_input_sets_init(&p->reference, &p->template, 1, false, p->err))
			return -1;
		p->trial_b = ay_ab_reference(p, ay_ab_key(p), 1);
		ay_input_sets_release(&p->reference);
	}
	if (p->against != AY_BASELINE_KERNEL)
		return 0;
	if (try_out(p, &p->s->base, p->gb, &p->trial_b, &o))
		return -1;
	if (o.what == AY_EXEC_RAN)
		return 0;
	p->t->why = o.what == AY_EXEC_REFUSED ? "no ratio: the baseline does not take this case"
					      : "no ratio: the baseline failed";
	p->against = AY_BASELINE_NONE;
	return 0;
}
