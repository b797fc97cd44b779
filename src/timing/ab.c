/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/ab_internal.h"

#include "base/process.h"
#include "device/perf_lock.h"
#include "timing/cpuset.h"

enum { ALONE_RUNS = 10 };

static void say_waiting(void *user)
{
	struct ab *p = user;

	p->t->waited = true;
	if (p->s->waiting)
		p->s->waiting();
}

static void place(struct ab *p)
{
	const double pool = (double)p->template.bytes * p->m * 0.8;

	p->t->level = ay_ceiling_level(p->s->ceilings, pool);
	p->t->cold = p->t->level == AY_LEVEL_MEMORY;
	if (p->s->device && !p->t->cold) /* the last cache of a GPU is its L2 */
		p->t->level = AY_LEVEL_L2;
	p->t->pool_bytes = pool;
}

/* Clears the operands' data pointers, because the data no longer exists. */
static void forget_data(struct ay_call *c)
{
	for (int i = 0; i < c->noperand; i++)
		c->operand[i]->view.data = c->operand[i]->old.data = NULL;
}

/* --- all of it ------------------------------------------------------------------------------------------- */

static int open_exec(struct ab *p, struct ay_gated_exec *gexec, struct ay_input_sets *mem,
		     const struct ay_impl *who, struct ay_outcome *o)
{
	struct ay_gated_exec_spec spec = ay_ab_gexec(p, who, ay_ab_cap(p->m));

	spec.stack_shift = ay_gated_exec_shift(p->renewals);
	spec.sets = mem->cap && !p->s->device ? mem : NULL;
	if (ay_ab_open(p, gexec, &spec, o))
		return -1;
	gexec->extra_passes = p->passes - 1;
	gexec->map_most = (who == &p->s->kernel ? p->ga : p->gb)->map_most;
	return 0;
}

/* Times the baseline beside a second executor of itself, as it will run beside the kernel. If it
 * had the CPU for itself, it would keep the caches and branch predictors that any other process
 * takes, and an honest kernel would be blamed for that. */
static int time_alone(struct ab *p, struct spell *alone)
{
	double x[ALONE_RUNS], lag;
	struct ay_input_sets none = { 0 };
	struct ay_outcome o = { 0 };
	struct ay_gated_exec twin;
	int rc = 0;

	*alone = (struct spell){ 0 };
	/* trusted code does not disturb the baseline on purpose */
	if (p->against != AY_BASELINE_KERNEL || p->s->trusted)
		return 0;
	if (open_exec(p, &twin, &none, &p->s->base, &o))
		return -1;
	for (int i = -1; i < ALONE_RUNS && !rc && o.what == AY_EXEC_RAN; i++) {
		struct ay_batch_time bt;

		if (ay_input_sets_write(&twin.sets, ay_ab_key(p), 0, p->m, ay_ab_poison(), p->err))
			rc = -1;
		else
			rc = ay_gated_exec_batch(&twin, p->m, &bt, &o, p->err);
		if (!rc && o.what == AY_EXEC_RAN)
			rc = ay_gated_exec_forget(&twin, &o, p->err);
		if (!rc && o.what == AY_EXEC_RAN)
			rc = ay_ab_baseline(p, ay_ab_key(p), p->m, &x[i < 0 ? 0 : i], &lag);
	}
	ay_gated_exec_close(&twin);
	if (!rc && o.what != AY_EXEC_RAN)
		rc = ay_fail(p->err, AY_ERR_EXEC, "the baseline failed: %s", o.text);
	if (!rc)
		*alone = (struct spell){ ay_quantile(x, ALONE_RUNS, 0.5), ay_quantile(x, ALONE_RUNS, 0.75) };
	return rc;
}

/* Allocates the memory of both executors before either of them exists. */
static int reserve(struct ab *p)
{
	const int cap = ay_ab_cap(p->m);

	if (p->against != AY_BASELINE_KERNEL || p->s->device)
		return 0;
	if (ay_input_sets_init(&p->mem_a, &p->template, cap, false, p->err) ||
	    ay_input_sets_init(&p->mem_b, &p->template, cap, false, p->err))
		return -1;
	ay_input_sets_share_pages(&p->mem_a, &p->mem_b);
	return 0;
}

static int open_base_exec(struct ab *p)
{
	struct ay_outcome o = { 0 };

	if (open_exec(p, p->b, &p->mem_b, &p->s->base, &o))
		return -1;
	return o.what == AY_EXEC_RAN ? 0 : ay_fail(p->err, AY_ERR_EXEC, "the baseline failed: %s", o.text);
}

static int open_baseline(struct ab *p)
{
	if (p->against == AY_BASELINE_REFERENCE)
		return ay_input_sets_init(&p->reference, &p->template, ay_ab_cap(p->mb), false, p->err);
	if (p->against == AY_BASELINE_NONE)
		return 0;
	return open_base_exec(p);
}

static int open_kernel(struct ab *p)
{
	struct ay_outcome o = { 0 };

	return open_exec(p, p->a, &p->mem_a, &p->s->kernel, &o) ? -1 : ay_ab_is_over(p, &o);
}

int ay_ab_renew(struct ab *p)
{
	const bool pair = p->against == AY_BASELINE_KERNEL;
	const double begin = ay_ab_elapsed_s(p);
	int rc;

	p->renewals++;
	ay_gated_exec_leave(p->a, pair ? &p->mem_b : &p->mem_a);
	if (pair)
		ay_gated_exec_leave(p->b, &p->mem_a);
	rc = pair ? open_base_exec(p) : 0;
	if (!rc)
		rc = open_kernel(p);
	p->opened_s = ay_ab_elapsed_s(p);
	p->open_s = p->opened_s - begin;
	return rc;
}

/* Records how much device memory is free before the kernel has any. As much must be free when its
 * process has ended. */
static void mark_device(struct ab *p)
{
	if (p->s->device)
		ay_dev_mark(p->s->device, !p->s->crowded);
}

static int take_blocks(struct ab *p)
{
	const int64_t begin = ay_now_ns();
	const int rc = ay_ab_blocks(p);

	p->t->blocks_s = (double)(ay_now_ns() - begin) / 1e9;
	return rc;
}

static int measure(struct ab *p)
{
	double begin;
	int rc = ay_ab_gate(p);

	mark_device(p);
	if (!rc)
		rc = ay_ab_try(p);
	if (rc)
		return rc;
	if (!ay_ab_plan(p)) { /* then measure at least the kernel's time */
		p->t->why = "no ratio: baseline and kernel together are too slow for the budget (see --budget)";
		p->against = AY_BASELINE_NONE;
		ay_ab_plan(p);
	}
	place(p);
	if (p->s->device && ay_ab_gate_ns(p)) /* with as much memory as batches have */
		return -1;
	if (reserve(p) || open_baseline(p) || time_alone(p, &p->alone[0]))
		return -1;
	begin = ay_ab_elapsed_s(p);
	mark_device(p);
	rc = open_kernel(p);
	p->opened_s = ay_ab_elapsed_s(p);
	p->open_s = 2 * (p->opened_s - begin);
	if (!rc)
		rc = take_blocks(p);
	if (rc)
		p->a->kept = NULL;
	ay_gated_exec_close(p->a);
	if (!rc)
		rc = time_alone(p, &p->alone[1]);
	return rc;
}

/* Starts trusted executors ahead of time. They are all of one kind, so the gate, the baseline and
 * the kernel can each use any of them. */
static int prepare_execs(struct ab *p)
{
	enum { AT_ONCE = 3 }; /* for the gate, the baseline and the kernel */
	const struct ay_ab_spec *s = p->s;
	const struct ay_gated_exec_spec spec = ay_ab_gexec(p, &s->kernel, 0);
	struct ay_perf_lock lock;
	int rc;

	if (!s->ungated || !s->crowded || !s->kept || s->kept->n)
		return 0;
	if (ay_perf_lock_gpu_shared(&lock, s->device->info.uuid, p->err))
		return -1;
	rc = ay_gated_exec_prepare(&spec, AT_ONCE, p->err);
	ay_perf_unlock(&lock);
	return rc;
}

int ay_ab_time(const struct ay_ab_spec *s, struct ay_arena *a, struct ay_timing *t, struct ay_ab_report *r,
	       struct ay_err *err)
{
	struct ab *p = AY_NEW(a, struct ab);
	struct ay_input_sets *const memory[] = { &p->gexec[0].sets,      &p->gexec[1].sets, &p->gate[0].gexec.sets,
						 &p->gate[1].gexec.sets, &p->mem_a,         &p->mem_b,
						 &p->reference };
	struct ay_perf_lock lock = { 0 }, gpu = { 0 };
	int64_t opening;
	int rc = -1;

	*r = (struct ay_ab_report){ 0 };
	*t = (struct ay_timing){ .threads = s->threads };
	*p = (struct ab){ .s = s, .against = s->against, .t = t, .r = r, .err = err, .begin = ay_now_ns() };
	p->ga = p->gb = &p->gate[0];
	p->a = &p->gexec[0];
	p->b = &p->gexec[1];
	p->passes = 1;
	for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
		memory[i]->pool = (struct ay_pool){ .fd = { -1, -1 } };
	sched_getaffinity(0, sizeof p->before, &p->before);
	/* done before the lock, so no other measurement waits for it */
	ay_input_template_init_by(&p->template, s->call, CPU_COUNT(&p->before), s->ungated);
	p->ungated_key = ay_ab_key(p);
	if (s->all_cpus)
		sched_setaffinity(0, sizeof *s->all_cpus, s->all_cpus);
	ay_cpuset_choose(s->threads, &p->cpus, &p->judge_cpus, &p->spare);
	if (prepare_execs(p) || ay_perf_lock_cpus(&lock, &p->cpus, say_waiting, p, err) ||
	    (s->device && ay_perf_lock_gpu(&gpu, s->device->info.uuid, say_waiting, p, err))) {
		ay_perf_unlock(&lock);
		sched_setaffinity(0, sizeof p->before, &p->before);
		ay_input_template_release(&p->template);
		return -1;
	}
	/* waiting for other measurements does not count for the budget */
	p->begin = p->entered = ay_now_ns();
	p->check_cpus = p->judge_cpus;
	/* other kernels use the remaining CPUs, and the judge never sleeps while this kernel
	 * runs */
	if (s->all_cpus)
		ay_cpuset_keep_one(&p->judge_cpus, &p->cpus, ay_cpuset_same_core);
	sched_setaffinity(0, sizeof p->judge_cpus, &p->judge_cpus);
	p->verify = (struct ay_verify){ .op = s->op, .call = s->call, .threads = CPU_COUNT(&p->check_cpus) };
	p->verify.fetch = s->kernel.python || s->device ? ay_ab_fetch : NULL;
	p->verify.user = p;
	/* batches are short on a device, and much time passes between them */
	p->verify.of_wall = s->device;
	p->verify.trusted = s->trusted;
	p->verify.keeps_no_draws = s->trusted || s->torch_own;
	p->verify.answer = s->answer;
	p->verify.answerer = s->answerer;
	rc = s->device ? ay_input_template_to_device(&p->template, s->device, err) : 0;
	opening = ay_now_ns();
	if (!rc && ay_input_template_can_multiply(&p->template, s->op))
		p->verify.right = ay_ab_is_right;
	p->begin += ay_now_ns() - opening; /* the library is opened once for many cases */
	if (!rc)
		rc = measure(p);
	if (rc) /* the process misbehaved, so it is not kept */
		p->a->kept = NULL;
	ay_gated_exec_close(p->a);
	ay_gated_exec_close(p->b);
	ay_gated_exec_close(&p->gate[0].gexec);
	ay_gated_exec_close(&p->gate[1].gexec);
	ay_input_sets_release(&p->reference);
	ay_input_sets_release(&p->mem_a);
	ay_input_sets_release(&p->mem_b);
	ay_verify_release(&p->verify);
	ay_input_template_release(&p->template);
	forget_data(s->call);
	sched_setaffinity(0, sizeof p->before, &p->before);
	ay_perf_unlock(&gpu);
	ay_perf_unlock(&lock);
	if (rc >= 0 && r->fault != AY_AB_NONE && s->device && ay_dev_is_well(s->device, err))
		rc = -1;
	if (rc >= 0 && r->fault == AY_AB_NONE)
		ay_ab_tell(p, a);
	t->gate_ns = p->ga->gate_ns;
	t->gated = !s->ungated;
	t->wall_s = (double)(ay_now_ns() - p->entered) / 1e9;
	t->check_s = p->verify.spent_ns / 1e9;
	return rc < 0 ? -1 : 0;
}
