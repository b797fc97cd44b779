/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/ab_internal.h"

#include "base/process.h"
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

/* T of a batch over gate_ns: with less, the rest is only the scatter of gate_ns */
static const double below_noise_factor = 1.1;
/* fraction of a baseline's time that remains, whatever python_extra_ns is */
static const double least_left = 0.05;

static struct ay_key draw(struct ab *p, uint64_t n)
{
	const int at = p->ndrawn++ % CONTENTS_KEPT;

	p->drawn[at].n = n;
	p->drawn[at].key = ay_input_template_key(&p->template, n);
	return p->drawn[at].key;
}

struct ay_key ay_ab_key(struct ab *p)
{
	return draw(p, ay_secret_u64() | 1ull << 63);
}

struct ay_key ay_ab_first_key(struct ab *p, int n)
{
	return draw(p, (uint64_t)n);
}

void ay_ab_name(struct ab *p, struct ay_key key, int set)
{
	for (int i = 0; i < CONTENTS_KEPT && i < p->ndrawn; i++)
		if (!memcmp(&p->drawn[i].key, &key, sizeof key)) {
			p->r->named = true;
			p->r->content = p->drawn[i].n;
			p->r->set = set;
		}
}

uint8_t ay_ab_poison(void)
{
	return (uint8_t)(0x70 + ay_secret_below(12));
}

int ay_ab_is_over(struct ab *p, const struct ay_outcome *o)
{
	if (o->what == AY_EXEC_RAN)
		return 0;
	p->r->fault = AY_AB_ENDED;
	p->r->outcome = *o;
	ay_ab_name(p, p->now, o->set);
	return 1;
}

int ay_ab_check(struct ab *p, struct ay_key key, int from, int n, uint8_t poison, double ns, bool certain)
{
	static const enum ay_ab_fault fault[] = { [AY_VERIFIED] = AY_AB_NONE,
						  [AY_WRONG] = AY_AB_WRONG,
						  [AY_UNFINISHED] = AY_AB_UNFINISHED,
						  [AY_UNFETCHED] = AY_AB_ENDED,
						  [AY_REPEATED] = AY_AB_REPEATED };
	bool late = false;

	p->broken = p->changed = false;
	if (ay_gated_exec_late(p->a, &late, p->err))
		return -1;
	sched_setaffinity(0, sizeof p->check_cpus, &p->check_cpus);
	if (late)
		p->r->fault = AY_AB_UNFINISHED;
	else if (certain)
		p->r->fault = fault[ay_verify_once(&p->verify, &p->a->sets, key, from, n, poison, p->r->text)];
	else
		p->r->fault =
			fault[ay_verify_batch(&p->verify, &p->a->sets, key, from, n, poison, ns, p->r->text)];
	sched_setaffinity(0, sizeof p->judge_cpus, &p->judge_cpus);
	if (p->changed)
		p->r->fault = AY_AB_INPUT;
	/* one call alone does not show that it repeats another */
	if (p->r->fault != AY_AB_NONE && p->r->fault != AY_AB_REPEATED)
		ay_ab_name(p, key, p->verify.set);
	return p->broken ? -1 : p->r->fault != AY_AB_NONE;
}

bool ay_ab_fetch(void *user, int set, const struct ay_byte_range *need)
{
	struct ab *p = user;

	p->broken = ay_gated_exec_fetch(p->a, set, need, &p->changed, p->err);
	if (p->broken || p->changed)
		return false;
	return !ay_gated_exec_take(p->a, set, need, &p->r->outcome, p->err) && p->r->outcome.what == AY_EXEC_RAN;
}

bool ay_ab_is_right(void *user, int set)
{
	struct ab *p = user;
	struct ay_err unsaid = { 0 }; /* a fault is found and reported when the set is fetched */
	struct ay_outcome o;
	bool right = false;

	return !ay_gated_exec_take(p->a, set, NULL, &o, &unsaid) && o.what == AY_EXEC_RAN &&
	       !ay_input_sets_are_right(&p->a->sets, p->s->op, set, &right, &unsaid) && right;
}

int ay_ab_forget(struct ab *p)
{
	struct ay_outcome o;

	return ay_gated_exec_forget(p->a, &o, p->err) ? -1 : ay_ab_is_over(p, &o);
}

uint8_t ay_ab_kernel_poison(const struct ab *p)
{
	return p->s->device && p->s->kernel.python ? AY_GATED_EXEC_POISON : ay_ab_poison();
}

/* Writes content for n sets. A trusted executor that leaves its sets unchanged keeps its first
 * content: then *key becomes the key of that content. */
static int write_sets(struct ab *p, struct ay_gated_exec *gexec, int n, uint8_t poison, struct ay_key *key)
{
	const bool once = p->s->ungated && !ay_input_template_is_updated(&p->template);

	if (!once)
		return ay_input_sets_write(&gexec->sets, *key, 0, n, poison, p->err);
	*key = p->ungated_key;
	if (gexec->written)
		return 0;
	gexec->written = true;
	return ay_input_sets_write(&gexec->sets, *key, 0, gexec->sets.cap, ay_ab_kernel_poison(p), p->err);
}

int ay_ab_kernel(struct ab *p, struct ay_key key, int n, bool certain, struct ay_batch_time *bt)
{
	const uint8_t poison = ay_ab_kernel_poison(p);
	struct ay_outcome o;
	int rc;

	if (write_sets(p, p->a, n, poison, &key))
		return -1;
	p->now = key;
	if (ay_gated_exec_batch(p->a, n, bt, &o, p->err))
		return -1;
	p->below_noise |= bt->ns < below_noise_factor * p->ga->gate_ns;
	p->device_busy |= p->a->device_busy;
	if (ay_ab_is_over(p, &o))
		return 1;
	rc = ay_ab_check(p, key, 0, n, poison, bt->ns, certain);
	return rc ? rc : ay_ab_forget(p);
}

/* Times the operator's own reference. It is trusted, so it runs in the judge, on the kernel's
 * CPUs, by a plain clock. */
double ay_ab_reference(struct ab *p, struct ay_key key, int n)
{
	struct ay_call *c = p->s->call;
	const struct ay_view **out = ay_xrealloc(NULL, sizeof *out * (size_t)(c->nout + 1));
	struct ay_compare q = { .op = p->s->op, .call = c, .threads = p->s->threads };
	int64_t ns = 0;

	ay_input_sets_write(&p->reference, key, 0, n, ay_ab_poison(), p->err); /* into host memory: cannot fail */
	sched_setaffinity(0, sizeof p->cpus, &p->cpus);
	for (int set = 0; set < n; set++) {
		int64_t begin;

		for (int i = 0; i < c->noperand; i++) {
			struct ay_operand *o = c->operand[i];

			o->view.data = ay_input_sets_at(&p->reference, set, i) +
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

int ay_ab_forget_ours(struct ab *p, struct ay_gated_exec *gexec)
{
	struct ay_outcome o;

	if (ay_gated_exec_forget(gexec, &o, p->err))
		return -1;
	return o.what == AY_EXEC_RAN ? 0 : ay_fail(p->err, AY_ERR_EXEC, "the baseline failed: %s", o.text);
}

int ay_ab_baseline(struct ab *p, struct ay_key key, int n, double *ns, double *lag)
{
	struct ay_outcome o;
	struct ay_batch_time bt;

	*lag = 0;
	if (p->against == AY_BASELINE_REFERENCE) {
		*ns = ay_ab_reference(p, key, n);
		return 0;
	}
	if (write_sets(p, p->b, n, ay_ab_poison(), &key) || ay_gated_exec_batch(p->b, n, &bt, &o, p->err))
		return -1;
	p->device_busy |= p->b->device_busy;
	if (o.what != AY_EXEC_RAN)
		return ay_fail(p->err, AY_ERR_EXEC, "the baseline failed: %s", o.text);
	p->below_noise |= bt.ns < below_noise_factor * p->gb->gate_ns;
	*lag = bt.claimed_ns > 0 ? bt.ns - bt.claimed_ns : 0;
	*ns = (bt.ns - p->gb->gate_ns) / n / p->passes;
	*ns = fmax(*ns - p->python_extra_ns, *ns * least_left);
	return ay_ab_forget_ours(p, p->b);
}
