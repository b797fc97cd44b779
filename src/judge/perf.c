/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/baseline_select.h"

#include "base/machine.h"
#include "device/gpu.h"
#include "judge/aten_crosscheck.h"
#include "judge/case_run.h"
#include "timing/ceiling_gpu.h"
#include "timing/floor.h"
#include "timing/ab.h"
#include "timing/plan_cache.h"
#include "device/perf_lock.h"

#include <string.h>
#include <unistd.h>

enum { OVERHEAD_BOUND = 5 /* empty calls; a baseline that takes less is overhead-bound */ };

static const double budgets[] = { [AY_TIMED_AUTO] = 3, [AY_TIMED_FULL] = 20 };
static const double implausible = 0.9; /* fraction of the floor */

double ay_perf_budget(const struct ay_perf_policy *p)
{
	return p->budget_s > 0 ? p->budget_s : budgets[p->mode];
}

static void say_amiss(struct case_run *t, const struct ay_ab_report *r)
{
	switch (r->fault) {
	case AY_AB_NONE: break;
	case AY_AB_ENDED: ay_case_run_outcome(t, &r->outcome); break;
	case AY_AB_WRONG:
		ay_case_run_say(
			t, AY_VERDICT_MISMATCH,
			ay_sprintf(t->a, "right when it was judged, wrong when it was timed: %s", r->text));
		break;
	case AY_AB_REPEATED:
		ay_case_run_say(t, AY_VERDICT_CHEAT, ay_sprintf(t->a, "keeps draws: %s", r->text));
		break;
	case AY_AB_INPUT:
		ay_case_run_say(t, AY_VERDICT_INPUT_WRITTEN, "changed an input while it was timed");
		break;
	case AY_AB_LEFT:
		ay_case_run_say(
			t, AY_VERDICT_CHEAT,
			"left work running on the GPU, behind the calls that were timed and beside others");
		break;
	case AY_AB_UNFINISHED:
		ay_case_run_say(
			t, AY_VERDICT_CHEAT,
			ay_sprintf(t->a, "was stopped after it had said `done`, and its output was not there%s%s",
				   r->text[0] ? ": " : "", r->text));
	}
}

static void set_floor(struct ay_perf *k, struct case_run *t, struct ay_timing *m)
{
	struct ay_floor f;

	ay_floor(t->call, &k->ceilings, m->threads, m->pool_bytes, m->null_ns, &f);
	/* a view of its input touches nothing */
	if (t->j->kernel.about && t->call->op->flags & AY_VIEW)
		f.ns = m->null_ns;
	m->floor_ns = f.ns;
	m->bytes = f.bytes;
	m->flops = f.flops;
	if (m->flops && m->ns) {
		const double most = ay_ceiling_flops(&k->ceilings, m->threads, ay_multiplied(t->call));

		m->peak = most ? m->flops / m->ns * 1e9 / most : 0;
	}
	/* includes gate_ns, which is subtracted from short batches only as precisely as it is
	 * known */
	if (m->ns && m->ns + m->gate_ns / m->sets / m->passes < implausible * m->floor_ns)
		ay_case_run_say(
			t, AY_VERDICT_IMPLAUSIBLE,
			ay_sprintf(t->a, "takes %.4g us a call; no correct kernel can take less than %.4g us here",
				   m->ns / 1e3, m->floor_ns / 1e3));
}

/* Draws a seed. It has 64 bits, because a kernel could try all values of 32 bits: seeing the
 * content of one set must not reveal that of others. */
static uint64_t draw_seed(const struct case_run *t, const struct ay_case *line)
{
	const struct ay_policy *p = &t->j->policy;

	if (line->has_seed)
		return line->seed;
	return p->has_seed ? ay_key_from_seed(ay_case_run_line(t->a, line), p->seed).k[1] : ay_secret_u64();
}

/* Makes the n-th draw for a case: its line with a seed, and the call. */
static int bind(struct case_run *t, const struct ay_suite_case *sc, uint64_t n, struct ay_call **c,
		struct ay_err *err)
{
	struct ay_case *line = AY_NEW(t->a, struct ay_case);

	*line = *sc->line;
	line->cnt = -1;
	line->is_timed = false;
	line->ns = sc->schema->ns;
	line->seed = draw_seed(t, line) + n;
	line->has_seed = true;
	t->line = line;
	return ay_call_bind(t->a, sc->op->op[0], sc->schema, line, c, err);
}

/* Sets the report's line to one that makes the same content again in a judged call. So a verdict
 * found while timing can be reproduced. */
static void name_content(struct case_run *t, const struct ay_ab_report *r, bool ungated)
{
	struct ay_case line = *t->line;

	line.is_timed = r->named && !ungated && !(t->op->op[0]->flags & AY_UNCATALOGUED);
	line.timed_content = r->content;
	line.timed_set = r->set;
	t->rep->line = ay_case_run_line(t->a, &line);
}

/*
 * Closes the timed call. For an operator outside the catalogue, the ATen oracle determines its
 * results. Every set has other values, so the shapes must not depend on them. Two draws are
 * compared: the judge's and another one. This is done once per overload, because an answer in
 * double may take longer than timing. It is not done for torch's own functions, which allocate
 * their results themselves. Returns 1 if the case cannot be timed, and *why says why.
 */
static int close_call(struct ay_perf *k, struct case_run *t, const struct ay_suite_case *sc, bool ungated,
		      const char **why, struct ay_err *err)
{
	const struct ay_case *line;
	struct ay_call *other;
	int rc = bind(t, sc, 0, &t->call, err);

	if (rc || !(sc->op->op[0]->flags & AY_UNCATALOGUED))
		return rc;
	rc = t->rep->given ? ay_call_close(t->a, t->call, t->rep->given, err)
			   : ay_case_run_answer(t, t->call, why, err);
	if (rc || ungated || k->shaped == sc->schema)
		return rc;
	line = t->line;
	rc = bind(t, sc, 1, &other, err);
	t->line = line;
	if (!rc)
		rc = ay_case_run_answer(t, other, why, err);
	if (!rc && !ay_aten_crosscheck_agree(t->call->given, other->given)) {
		*why = "its results have other shapes for other values";
		return 1;
	}
	k->shaped = rc ? k->shaped : sc->schema;
	return rc;
}

/* The `answer` callback of struct ay_verify. */
static bool answer_again(void *answerer, struct ay_call *c, struct ay_arena *a)
{
	struct case_run *t = answerer;
	struct ay_err ignored = { 0 };
	const char *why;

	return !ay_aten_oracle_again(&t->j->aten_oracle, t->op, c, a, &why, &ignored);
}

/* Gets the ceilings of a GPU, and measures them while it has the GPU exclusively. If they cannot
 * be measured (no NVRTC), times have no floor. */
static int look_at_gpu(struct ay_perf *k, struct ay_dev *d, struct ay_err *err)
{
	struct ay_perf_lock lock;

	if (ay_ceilings_find_gpu(&k->ceilings, d))
		return 0;
	if (ay_perf_lock_gpu(&lock, d->info.uuid, NULL, NULL, err))
		return -1;
	if (ay_ceilings_get_gpu(&k->ceilings, d, err)) {
		ay_err_clear(err);
		k->ceilings = (struct ay_ceilings){ .cache[AY_LEVEL_L3] = d->info.l2_bytes };
	}
	ay_perf_unlock(&lock);
	return 0;
}

static int prepare(struct ay_perf *k, struct ay_dev *d, struct ay_err *err)
{
	const bool gpu = d && d->info.kind == AY_DEV_CUDA;
	const char *folder;

	if (k->has_ceilings)
		return 0;
	folder = ay_machine_cache(&k->arena);
	k->plan_file = folder ? ay_sprintf(&k->arena, "%s/plans", folder) : NULL;
	if (gpu ? look_at_gpu(k, d, err) : ay_ceilings_get(&k->ceilings, err))
		return -1;
	k->has_ceilings = true;
	return 0;
}

static void name_baseline(struct ay_perf *k, enum ay_baseline_kind against, struct ay_arena *a,
			  struct ay_timing *m)
{
	if (against == AY_BASELINE_REFERENCE)
		m->baseline = "reference";
	else if (against == AY_BASELINE_KERNEL)
		m->baseline = ay_strdup(a, k->name);
	if (against == AY_BASELINE_KERNEL && k->version)
		m->version = ay_strdup(a, k->version);
	m->overhead_bound = m->base_ns > 0 && m->base_ns < OVERHEAD_BOUND * m->base_null_ns;
	m->scored = against == AY_BASELINE_KERNEL && ay_perf_is_library(k->name) && !m->overhead_bound &&
		    m->pace != AY_PACE_NONE;
}

static struct ay_impl impl(struct ay_judge *j, const struct ay_schema *s)
{
	bool derived;

	return (struct ay_impl){ .proto = ay_judge_entry(j, s, &derived),
				 .so_fd = j->kernel.so_fd,
				 .python = j->kernel.about ? j->policy.python : NULL,
				 .about = j->kernel.about };
}

static void add_object(struct ay_hash *h, int fd)
{
	char part[1 << 14];
	off_t at = 0;
	ssize_t n;

	while (fd >= 0 && (n = pread(fd, part, sizeof part, at)) > 0) {
		ay_hash_add(h, part, (size_t)n);
		at += n;
	}
}

/* Returns a hash of all that decides the batch size, except the times: machine, kernel, case,
 * baseline, options. */
static const char *plan_name(const struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
			     const struct ay_ab_spec *s, struct ay_arena *a)
{
	char *name = ay_alloc_raw(a, AY_SHA256_HEX);
	struct ay_case line = *sc->line;
	struct ay_str b = { 0 };
	struct ay_hash h;

	line.has_seed = false;
	line.cnt = -1;
	line.ns = sc->schema->ns;
	ay_case_print(&b, &line);
	ay_str_addf(&b, "\n%s %llu\n%s\n%s\n%d %g %g %d %d", k->ceilings.cpu,
		    (unsigned long long)k->ceilings.cache[AY_LEVEL_L3],
		    s->against == AY_BASELINE_KERNEL ? k->name : "",
		    s->against == AY_BASELINE_KERNEL && k->version ? k->version : "", s->threads, s->budget_s,
		    s->call_timeout_s, s->against, s->ungated);
	ay_hash_init(&h);
	ay_hash_add_str(&h, ay_str_text(&b));
	ay_hash_add_str(&h, j->kernel.about ? j->kernel.about : "");
	add_object(&h, j->kernel.so_fd);
	ay_hash_end(&h, name);
	ay_str_release(&b);
	return name;
}

static const char *reason_not_to(const struct ay_judge *j)
{
	if (j->kernel.entries.interpreted)
		return "Triton's interpreter ran it: its times would say nothing";
	if (ay_perf_is_cuda(j) && ay_gpu_mps_runs())
		return "the multi-process service (MPS) runs: processes share the GPU, and none has a time of its "
		       "own";
	return NULL;
}

/* Times a case. The measurement has the GPU exclusively, and so has its ATen oracle
 * (answer_again). `entered` says so: otherwise the oracle would wait for the lock for ever. */
static int take_time(struct ay_judge *j, const struct ay_ab_spec *s, struct ay_arena *a, struct ay_timing *m,
		     struct ay_ab_report *r, struct ay_err *err)
{
	const bool before = j->entered;
	int rc;

	j->entered = before || s->device;
	rc = ay_ab_time(s, a, m, r, err);
	j->entered = before;
	return rc;
}

int ay_perf_case(struct ay_perf *k, struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a,
		 struct ay_report *rep, struct ay_err *err)
{
	struct case_run t = { .j = j, .a = a, .rep = rep, .op = sc->op };
	struct ay_timing *m = AY_NEW(a, struct ay_timing);
	struct ay_ab_spec s = { .op = sc->op,
				.threads = j->policy.threads,
				.budget_s = ay_perf_budget(&k->policy),
				.call_timeout_s = j->policy.call_timeout_s,
				.thorough = k->policy.mode == AY_TIMED_FULL,
				.sandbox = j->policy.sandbox,
				.ceilings = &k->ceilings,
				.device = ay_perf_is_cuda(j) ? j->policy.device : NULL,
				.crowded = j->policy.device_crowd > 1,
				.all_cpus = j->policy.cpus,
				.kept = k->policy.kept ? k->policy.kept : &k->kept,
				.waiting = k->policy.waiting };
	struct ay_ab_report r;
	const char *why = NULL;
	int rc;

	rep->timing = m;
	m->why = reason_not_to(j);
	if (m->why)
		return 0;
	if (prepare(k, j->policy.device, err) || ay_perf_choose(k, j, sc, &s.against, err) ||
	    ay_perf_trust(k, j, sc, a, &s.against, &why, err))
		return -1;
	s.trusted = s.device && ay_judge_is_built_in(j) &&
		    (s.against != AY_BASELINE_KERNEL || ay_perf_is_library(k->name));
	s.torch_own = ay_judge_is_built_in(j);
	s.ungated = s.trusted && !k->policy.gate_always;
	rc = close_call(k, &t, sc, s.ungated, &m->why, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	if (sc->op->op[0]->flags & AY_UNCATALOGUED) {
		s.answer = answer_again;
		s.answerer = &t;
	}
	s.call = t.call;
	s.kernel = impl(j, sc->schema);
	if (s.against == AY_BASELINE_KERNEL) {
		s.base = impl(&k->base, sc->schema);
		s.base.aten = ay_perf_is_aten(k->name);
		s.base.trusted = ay_perf_is_library(k->name);
		if (k->timed_fd >= 0)
			s.base.so_fd = k->timed_fd;
		s.base.least_fd = k->least_fd;
		s.base.folders = k->base.policy.folders;
	}
	s.plan_file = k->plan_file;
	s.plan_name = plan_name(k, j, sc, &s, a);
	if (!s.ungated) { /* the judge's executor would be one more process beside the timed ones */
		ay_judge_stop_exec(j);
		ay_judge_stop_exec(&k->base);
	}
	if (take_time(j, &s, a, m, &r, err)) {
		if (!s.device || err->code != AY_ERR_MEMORY)
			return -1;
		m->why = ay_sprintf(a, "not timed: %s", err->msg);
		ay_err_clear(err);
		return 0;
	}
	name_baseline(k, m->pace == AY_PACE_NONE ? AY_BASELINE_NONE : s.against, a, m);
	if (s.against == AY_BASELINE_NONE && (why || k->why))
		m->why = why ? why : ay_strdup(a, k->why);
	say_amiss(&t, &r);
	if (r.fault != AY_AB_NONE) {
		name_content(&t, &r, s.ungated);
		m->why = m->why ? m->why : "no time: it went wrong while it was timed";
	}
	if (r.fault == AY_AB_NONE && k->ceilings.nthread)
		set_floor(k, &t, m);
	return 0;
}

void ay_perf_release(struct ay_perf *k)
{
	ay_exec_cache_release(&k->kept);
	ay_perf_drop_base(k);
	ay_arena_release(&k->arena);
	*k = (struct ay_perf){ 0 };
}
