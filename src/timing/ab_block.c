/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/ab_internal.h"

#include "base/process.h"
#include "timing/cpuset.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum {
	/* blocks that may be discarded because the host was busy; twice as many end the
	 * measurement */
	VOID_MAX = 40,
	/* discarded blocks, before any counts, after which gate_ns is measured again */
	BELOW_NOISE_OFTEN = 5,
	RENEWED_AFTER = 10, /* blocks after which the processes are replaced: ay_ab_renew */
	/* blocks with other work on the GPU, after which its origin is determined */
	DEVICE_BUSY_OFTEN = 6,
	IDLE_LOOKS = 20,       /* idle checks that tell whether there is such work all the time */
	IDLE_NAP_NS = 3000000, /* pause between two idle checks */
};
static const double throttled_below = 0.97; /* fraction of the clock at the first block */
/* fraction of a block: if the host took more CPU time, the block is void */
static const double stolen_max = 0.01;
static const double scatter_max = 0.05; /* relative difference of two batches of one side */
/* ns of an audit that the kernel takes. Hand-over and baseline take three times as long. */
static const double audit_ns = LEAST_BATCH_NS / 2;

static int draw_m(int m)
{
	return m < 5 ? m : (int)(m * 0.8 + (double)ay_secret_below((uint64_t)(m * 0.4) + 1));
}

/* Returns the time that two batches of one side give for a block. This is their mean, which
 * cancels drift. If they differ by more than noise does, another process disturbed one of them,
 * and the smaller time counts. A kernel that is slow now and then by itself has that in the
 * totals, and is not called FASTER. */
static double settle(const double x[2])
{
	const double least = fmin(x[0], x[1]), most = fmax(x[0], x[1]);

	return most - least > scatter_max * least ? least : (least + most) / 2;
}

/* The measurements of one block. */
struct ab_block {
	double a[2], b[2]; /* ns per call of each batch */
	double cpu;        /* CPU time of the kernel */
	/* time by the events of the kernel's device, which may report anything */
	double claimed;
	double lag[2]; /* of the baseline's batches: see ay_ab_baseline */
	int calls;     /* calls in a batch of the kernel */
};

/* Runs A B B A and B A A B alternately, each half on its own content. The first batch of a block
 * finds CPU and GPU after a pause, and was slower by half a per cent. Without a baseline, its
 * batches are left out. */
static int run_block(struct ab *p, const struct ay_key key[2], struct ab_block *k)
{
	const int m = draw_m(p->m), mb = p->mb == p->m ? m : p->mb, first = p->blocks++ % 2;
	struct ay_batch_time bt = { 0 };

	*k = (struct ab_block){ .b = { 1, 1 }, .calls = m * p->passes };
	for (int half = 0; half < 2; half++) {
		for (int turn = 0; turn < 2; turn++) {
			const bool kernel = turn == (half ^ first);
			int rc = 0;

			if (kernel)
				rc = ay_ab_kernel(p, key[half], m, false, &bt);
			else if (p->against != AY_BASELINE_NONE)
				rc = ay_ab_baseline(p, key[half], mb, &k->b[half], &k->lag[half]);
			if (rc)
				return rc;
			if (kernel) {
				k->a[half] = (bt.ns - p->ga->gate_ns) / k->calls;
				k->cpu += bt.cpu_ns / k->calls / 2;
				k->claimed += bt.claimed_ns / k->calls / 2;
			}
		}
	}
	return 0;
}

/* Runs one audited set in a trusted executor, so that kernel and baseline are compared under equal
 * conditions. */
static int audit_ours(struct ab *p, struct ay_gated_exec *gexec, int set, double *ns)
{
	struct ay_outcome o;
	bool bad;

	if (ay_gated_exec_one(gexec, set, ay_ab_key(p), ay_ab_poison(), ns, &bad, &o, p->err))
		return -1;
	if (p->s->device && o.what == AY_EXEC_RAN && ay_gated_exec_forget(gexec, &o, p->err))
		return -1;
	return o.what == AY_EXEC_RAN ? 0 : ay_fail(p->err, AY_ERR_EXEC, "failed when called alone: %s", o.text);
}

static int audit_kernel(struct ab *p, int set, struct ay_key key, uint8_t poison, double *ns)
{
	struct ay_outcome o;
	bool bad;
	int rc;

	p->now = key;
	if (ay_gated_exec_one(p->a, set, key, poison, ns, &bad, &o, p->err))
		return -1;
	o.set = set;
	if (ay_ab_is_over(p, &o))
		return 1;
	if (bad) {
		p->r->fault = AY_AB_UNFINISHED;
		ay_ab_name(p, key, set);
	}
	if (bad || !p->s->device)
		return bad;
	/* its memory is freed before the next set gets some */
	rc = ay_ab_check(p, key, set, 1, poison, p->trial_a, false);
	return rc ? rc : ay_ab_forget(p);
}

/* Audit of sets [from, from + n), one by one, with as many empty calls. */
struct alone {
	int from, n;
	struct ay_key key;
	uint8_t poison;
	double kernel[AUDIT_MAX], base[AUDIT_MAX], none[2][AUDIT_MAX];
};

static int audit_kernels(struct ab *p, struct alone *l)
{
	int rc = 0;

	for (int i = 0; i < l->n && !rc; i++)
		rc = audit_kernel(p, l->from + i, l->key, l->poison, &l->kernel[i]);
	return rc;
}

static int audit_all(struct ab *p, struct ay_gated_exec *gexec, const struct alone *l, double *ns)
{
	int rc = 0;

	for (int i = 0; i < l->n && !rc; i++)
		rc = audit_ours(p, gexec, l->from + i, &ns[i]);
	return rc;
}

/* Audits kernel and baseline in random order, with empty calls between them. So a disturbance hits
 * each of them equally often. */
static int audit_sets(struct ab *p, struct alone *l)
{
	const bool pair = p->against == AY_BASELINE_KERNEL, first = !pair || ay_secret_below(2);
	int rc = first ? audit_kernels(p, l) : audit_all(p, p->b, l, l->base);

	if (!rc)
		rc = audit_all(p, &p->ga->gexec, l, l->none[0]);
	memcpy(l->none[1], l->none[0], sizeof l->none[1]);
	if (!rc && p->gb != p->ga)
		rc = audit_all(p, &p->gb->gexec, l, l->none[1]);
	if (!rc && pair)
		rc = first ? audit_all(p, p->b, l, l->base) : audit_kernels(p, l);
	for (int i = 0; i < l->n && !rc && p->audit.n < AUDITS_KEPT; i++) {
		for (int k = 0; k < 2; k++)
			p->audit.none[k][p->audit.n] = l->none[k][i];
		p->audit.base[p->audit.n] = l->base[i] - l->none[1][i];
		p->audit.kernel[p->audit.n++] = l->kernel[i] - l->none[0][i];
	}
	return rc;
}

static int watch(struct ab *p, int n)
{
	const int set = (int)ay_secret_below((uint64_t)n);
	struct ay_outcome o;

	p->now = ay_ab_key(p);
	if (ay_gated_exec_watch(p->a, set, p->now, ay_ab_poison(), &o, p->err))
		return -1;
	o.set = set;
	return ay_ab_is_over(p, &o);
}

/* Runs an audit, unannounced: sets one by one. Their outputs are compared like those of other
 * batches. Otherwise a kernel that recognises an audit by its single sets could do nothing there
 * and be fast. */
static int audit(struct ab *p)
{
	const int most = p->s->device ? AUDIT_MAX_GPU : AUDIT_MAX;
	const int fit = (int)ay_clamp(audit_ns / p->trial_a, 4, most), n = fit < p->m ? fit : p->m;
	/* Processes alternate on one CPU. A kernel that launches through Python (Triton) takes 100
	 * us and more for a launch after another process ran, which is not its own cost. So on a
	 * device all sets of one process come in a row. */
	struct alone l = { .n = p->s->device ? n : 1, .key = ay_ab_key(p), .poison = ay_ab_kernel_poison(p) };
	int rc = 0;

	ay_ab_lend(p, 1);
	for (; l.from < n && !rc; l.from += l.n)
		rc = audit_sets(p, &l);
	ay_ab_lend(p, p->m);
	if (rc)
		return rc;
	p->t->audits++;
	if (!p->s->device)
		rc = ay_ab_check(p, l.key, 0, n, l.poison, p->trial_a * n, false);
	if (!rc)
		rc = watch(p, n);
	if (!rc)
		rc = ay_ab_forget(p);
	return rc || p->against != AY_BASELINE_KERNEL ? rc : ay_ab_forget_ours(p, p->b);
}

static bool was_stolen(const struct ay_cpu_use *from, const struct ay_cpu_use *to, int64_t ns, int cpus)
{
	return (double)(to->stolen_ns - from->stolen_ns) > stolen_max * (double)ns * cpus + 10e6;
}

/* Finds out whether foreign work runs on the GPU most of the time, while no executor has an
 * order. */
static int is_busy(struct ab *p, bool *busy)
{
	const struct timespec nap = { 0, IDLE_NAP_NS };
	int found = 0;

	for (int i = 0; i < IDLE_LOOKS; i++) {
		double ns = 0;

		nanosleep(&nap, NULL);
		if (ay_dev_idle(p->s->device, &ns, p->err))
			return -1;
		found += ns > AY_IDLE_NS;
	}
	*busy = found > IDLE_LOOKS / 2;
	return 0;
}

/* Handles a block that found foreign work on the GPU. Work that comes and goes voids only the
 * blocks that it hits. Work that is always there is the kernel's if it ends with the kernel's
 * process. Otherwise it belongs to another program, and no times can be measured. Returns 1 if the
 * measurement ends. */
static int find_device_busy(struct ab *p)
{
	bool before, after;

	p->t->discarded++;
	if (++p->device_busy_blocks % DEVICE_BUSY_OFTEN)
		return 0;
	if (is_busy(p, &before))
		return -1;
	if (!before)
		return 0;
	p->a->kept = NULL;
	ay_gated_exec_close(p->a);
	if (is_busy(p, &after))
		return -1;
	if (!after && !p->s->ungated)
		p->r->fault = AY_AB_LEFT;
	else
		p->t->why = "no times: another program uses this GPU";
	return 1;
}

/* Returns true if the GPU lowered its clock. NVML reports a reason for a second after its cause is
 * gone. So a block counts as throttled only if the clock is lower too. */
static bool was_throttled(struct ab *p)
{
	struct ay_gpu_state s;

	if (!p->s->device || ay_gpu_state(p->s->device, &s) || s.sm_mhz <= 0)
		return false;
	if (!p->mhz_first)
		p->mhz_first = s.sm_mhz;
	if (!p->t->sm_mhz || s.sm_mhz < p->t->sm_mhz)
		p->t->sm_mhz = s.sm_mhz;
	if (!s.throttled || s.sm_mhz >= throttled_below * p->mhz_first)
		return false;
	p->throttled |= s.throttled;
	return true;
}

static int add_block(struct ab *p)
{
	struct ay_cpu_use from, to;
	const int64_t begin = ay_now_ns();
	const struct ay_key key[2] = { ay_ab_key(p), ay_ab_key(p) };
	struct ab_block k;
	int rc;

	p->below_noise = p->device_busy = false;
	ay_cpu_use_read(&p->cpus, &from);
	rc = run_block(p, key, &k);
	ay_cpu_use_read(&p->cpus, &to);
	if (rc)
		return rc;
	if (p->device_busy)
		return find_device_busy(p);
	if (was_throttled(p) && p->t->discarded < VOID_MAX) {
		p->t->discarded++;
		return 0;
	}
	/* if the host is always busy, no block would remain: then the median must suffice */
	if (p->below_noise ||
	    (was_stolen(&from, &to, ay_now_ns() - begin, p->s->threads) && p->t->discarded < VOID_MAX)) {
		p->t->discarded++;
		/* if batches are repeatedly hardly longer than an empty one, gate_ns was measured
		 * at a bad moment */
		return p->below_noise && !p->n && p->t->discarded % BELOW_NOISE_OFTEN == 0 ? ay_ab_gate_ns(p) : 0;
	}
	p->ta[p->n] = settle(k.a);
	p->tb[p->n] = settle(k.b);
	p->sum_a += k.a[0] + k.a[1];
	p->sum_b += k.b[0] + k.b[1];
	p->cpu[p->n] = k.cpu;
	p->claimed[p->n] = k.claimed;
	p->lag[p->n] = fmin(k.lag[0], k.lag[1]) > 0 ? (k.lag[0] + k.lag[1]) / 2 : 0;
	p->calls[p->n] = k.calls;
	for (int half = 0; half < 2; half++) {
		const int i = 2 * p->n + half;

		p->a_half[i] = k.a[half];
		p->b_half[i] = k.b[half];
		p->d[i] = log(k.b[half] / k.a[half]);
	}
	p->n++;
	return 0;
}

/* Returns true if the samples suffice. Evaluates the result only at the allowed numbers of
 * blocks. */
static bool is_enough(struct ab *p)
{
	if (!ay_is_look(p->n))
		return false;
	if (p->against == AY_BASELINE_NONE)
		return !p->s->thorough || p->n >= ay_interim_blocks[1];
	ay_ratio_judge(p->d, 2 * p->n, p->sum_b / p->sum_a, ay_ab_slack(p, p->n), &p->ratio);
	if (p->n == AY_BLOCKS_MAX || ay_half_width(&p->ratio) <= 0.005)
		return true;
	return !p->s->thorough && p->ratio.pace != AY_PACE_UNCLEAR && !ay_ab_is_doubtful(p);
}

/* Returns true if there is time for as many blocks as the next interim analysis needs. */
static bool may_go_on(const struct ab *p)
{
	const double each = ay_ab_elapsed_s(p) / (p->n + p->t->discarded + 1),
		     may = ay_patience(p->n, &p->ratio) * p->s->budget_s;
	int next = AY_BLOCKS_MAX;

	if (p->t->discarded >= 2 * VOID_MAX)
		return false;
	if (!p->n) /* without any block there is no time to report */
		return true;
	for (int i = AY_INTERIMS - 1; i >= 0; i--)
		if (ay_interim_blocks[i] > p->n)
			next = ay_interim_blocks[i];
	if (p->n < ay_interim_blocks[0])
		return ay_ab_elapsed_s(p) < may;
	return !ay_is_look(p->n) || ay_ab_elapsed_s(p) + each * (next - p->n) < may;
}

/* Returns true if the processes should be replaced: after RENEWED_AFTER blocks, unless starting
 * new ones would take a tenth of the time. On a device memory is new for each batch in any case,
 * and the other properties of a process do not depend on the host. */
static bool is_stale(const struct ab *p)
{
	return !p->s->device && p->n && p->n % RENEWED_AFTER == 0 &&
	       ay_ab_elapsed_s(p) - p->opened_s > 10 * p->open_s;
}

/* Swaps the processes of kernel and baseline if both run the same function. A process keeps the
 * random properties that it got at its start (on a GPU too: 1 % of calls of 12 us). Torch compared
 * with itself has equal processes, so each is used in turn for both sides. */
static void change_places(struct ab *p)
{
	struct ay_gated_exec *a = p->a;

	if (!p->s->ungated || p->against != AY_BASELINE_KERNEL || strcmp(p->a->name.who, p->b->name.who) != 0)
		return;
	p->a = p->b;
	p->b = a;
}

/* Runs the first block of a process, which is checked but not counted. An answer in double may
 * take longer than all blocks, and the first one is unavoidable. So on a device it does not count
 * for the budget. */
static int begin(struct ab *p)
{
	const double before = p->verify.spent_ns;
	const struct ay_key key[2] = { ay_ab_first_key(p, 2 * p->renewals),
				       ay_ab_first_key(p, 2 * p->renewals + 1) };
	struct ab_block k;
	const int rc = run_block(p, key, &k);

	if (p->s->device)
		p->begin += (int64_t)(p->verify.spent_ns - before);
	return rc;
}

/* Runs the last batch of a process. It is always compared but not counted. On a slow machine a
 * process has few batches, and chance might skip all that are wrong. Draws of a random operator are
 * compared with others, so batches of one set are not enough. */
static int end(struct ab *p)
{
	const bool random = p->s->op->op[0]->flags & AY_RANDOM;
	const int batches = random && p->m < AY_VERIFY_TOGETHER ? AY_VERIFY_TOGETHER : 1;
	struct ay_batch_time bt;
	int rc = 0;

	for (int i = 0; i < batches && !p->s->trusted && !rc; i++)
		rc = ay_ab_kernel(p, ay_ab_key(p), draw_m(p->m), true, &bt);
	return rc;
}

int ay_ab_blocks(struct ab *p)
{
	int rc = begin(p);

	while (!rc && !is_enough(p) && may_go_on(p)) {
		/* 0: an audit before the block, 1: after it, 2 or 3: none */
		const uint64_t when = ay_secret_below(4);

		if (is_stale(p)) {
			rc = end(p);
			if (!rc)
				rc = ay_ab_renew(p);
			if (!rc)
				rc = begin(p);
		}
		if (!rc && when == 0 && !p->s->ungated)
			rc = audit(p);
		if (!rc)
			rc = add_block(p);
		if (!rc)
			change_places(p);
		if (!rc && when == 1 && !p->s->ungated)
			rc = audit(p);
	}
	return rc ? rc : end(p);
}
