/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/clock.h"

#include "base/file.h"
#include "exec/launch.h"
#include "judge/trial.h"
#include "device/gpu.h"
#include "timing/baseline.h"
#include "timing/ceiling_gpu.h"
#include "timing/floor.h"
#include "timing/libtorch.h"
#include "timing/pair.h"
#include "timing/quiet.h"

#include <string.h>
#include <unistd.h>

enum { SOURCE_MAX = 4 << 20, OVERHEAD_BOUND = 5 /* empty calls */ };

static const double budgets[] = { [AY_TIMED_AUTO] = 3, [AY_TIMED_FULL] = 20 };
static const double build_timeout_s = 120;
static const double implausible = 0.9; /* of the floor */

/* --- the baseline ---------------------------------------------------------------------------------------- */

/* Which library an operator comes from, as far as this machine can have it: for the processor, and for a GPU. */
static const struct {
	const char *source, *library, *cuda;
} homes[] = { { "cublas", "openblas", "cublas" }, { "aten", "openblas", "cublas" } };

static bool is_cuda(const struct ay_judge *j)
{
	return j->policy.device && j->policy.device->info.kind == AY_DEV_CUDA;
}

static bool is_aten(const char *name)
{
	return !strcmp(name, "aten");
}

static bool is_library(const char *name)
{
	if (is_aten(name))
		return true;
	for (const char *const *p = ay_baseline_names; *p; p++)
		if (!strcmp(*p, name))
			return true;
	return false;
}

int ay_clock_check_baseline(const char *baseline, struct ay_err *err)
{
	enum ay_lang lang;

	if (!baseline || !strcmp(baseline, "auto") || !strcmp(baseline, "reference") ||
	    !strcmp(baseline, "none") || is_library(baseline))
		return 0;
	if (ay_file_exists(baseline))
		return ay_lang_of(baseline, &lang, err);
	return ay_fail(err, AY_ERR_USAGE,
		       "--baseline is auto, reference, aten, openblas, cublas, none or a kernel's file; there is "
		       "no file '%s'",
		       baseline);
}

static void drop_base(struct ay_clock *k)
{
	int *const fd[] = { &k->base_fd, &k->timed_fd, &k->least_fd };

	if (k->base_schema) {
		ay_judge_release(&k->base);
		for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
			if (*fd[i] >= 0)
				close(*fd[i]);
	}
	k->base_schema = NULL;
	k->base_about = NULL;
	k->base_folders = NULL;
	k->base_fd = k->timed_fd = k->least_fd = -1;
}

/* Every function of the operator's file that the baseline may define; in the clock's arena. Negative: our failure. */
static int list_protos(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		       const struct ay_proto ***out, struct ay_err *err)
{
	int n = 0, most = 0;

	for (int i = 0; i < j->registry->n; i++)
		most += strcmp(j->registry->op[i].path, sc->op->path) ? 0 : j->registry->op[i].nschema;
	*out = AY_NEW_N(&k->arena, const struct ay_proto *, most + 1);
	for (int i = 0; i < j->registry->n; i++) {
		const struct ay_entry_op *e = &j->registry->op[i];

		for (int s = 0; s < e->nschema && !strcmp(e->path, sc->op->path); s++) {
			struct ay_proto *p;

			if (ay_proto_make(&k->arena, e->schema[s], &p, err))
				return -1;
			(*out)[n++] = p;
		}
	}
	return n;
}

/* k->base_fd and k->base_about are there: loads them. If that cannot be, k->why says so. */
static int load(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc, struct ay_err *err)
{
	struct ay_policy policy = j->policy;
	struct ay_report rep;
	bool derived;

	policy.spare = k->base_about && k->base_fd < 0 ? j->policy.spare_base : NULL;
	k->base_schema = sc->schema;
	policy.folders = k->timed_fd >= 0 ? ay_libtorch_folders(&k->arena, j->policy.python->folders)
					  : k->base_folders;
	if (ay_judge_init(&k->base, j->registry, &policy, k->base_fd, k->base_about, &k->arena, &rep, err))
		return -1;
	if (rep.verdict != AY_VERDICT_NONE)
		k->why = "the baseline cannot be loaded";
	else if (!ay_judge_has(&k->base, sc->schema, &derived))
		k->why = "the baseline has no function for this overload";
	return 0;
}

/* False: k->why says why there is none. */
static bool has_interpreter(struct ay_clock *k, struct ay_python *python)
{
	struct ay_err no = { 0 };

	if (!python)
		k->why = "there is no interpreter for the baseline";
	else if (ay_python_open(python, &no))
		k->why = ay_strdup(&k->arena, no.msg);
	return !k->why;
}

/* A kernel in Python, or torch's own functions. Of an interpreter that does not start k->why says why. */
static int take_python(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		       const char *source, size_t len, struct ay_err *err)
{
	const struct ay_proto **protos;
	const int n = list_protos(k, j, sc, &protos, err);
	struct ay_python *python = j->policy.python;

	if (n < 0)
		return -1;
	if (!has_interpreter(k, python))
		return 0;
	k->base_fd = source ? ay_launch_memfd("assay-baseline", source, len, 0) : -1;
	if (source && k->base_fd < 0)
		return ay_fail_errno(err, AY_ERR_EXEC, "cannot hand over the baseline");
	if (!source) /* which way it is called: see docs/timing.md */
		k->version = ay_sprintf(&k->arena, "%s (python)", python->torch);
	k->base_about = ay_python_about(&k->arena, &(struct ay_python_kernel){ .file = k->name,
									       .backend = source ? NULL : "aten",
									       .use = AY_TORCH_ALL,
									       .n = n,
									       .proto = protos });
	return load(k, j, sc, err);
}

/* One object of ATen's function; -1 with no error: it could not be built. */
static int build_libtorch(struct ay_clock *k, const struct ay_judge *j, const struct ay_proto *p,
			  enum ay_libtorch what, int *fd, struct ay_err *err)
{
	const char *library = j->policy.python->library;
	const char *source = ay_libtorch_source(&k->arena, p, what, library,
						is_cuda(j) ? ay_libtorch_cuda(&k->arena, library) : NULL);
	struct ay_built b = { .fd = -1 };
	int rc = ay_forge_build(k->forge, &k->arena, source, strlen(source), AY_LANG_C, 1, &p, build_timeout_s, &b,
				err);

	*fd = rc || !b.ok ? -1 : b.fd;
	return rc;
}

/* Torch's own function, called from C as the kernel is. */
static int take_libtorch(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
			 struct ay_err *err)
{
	struct ay_proto *p;

	k->base_schema = sc->schema; /* what is built is dropped with it */
	if (ay_proto_make(&k->arena, sc->schema, &p, err) ||
	    build_libtorch(k, j, p, AY_LIBTORCH_JUDGED, &k->base_fd, err) ||
	    build_libtorch(k, j, p, AY_LIBTORCH_TIMED, &k->timed_fd, err) ||
	    build_libtorch(k, j, p, AY_LIBTORCH_LEAST, &k->least_fd, err))
		return -1;
	if (k->base_fd < 0 || k->timed_fd < 0 || k->least_fd < 0) {
		k->why = "the baseline does not compile";
		return 0;
	}
	k->version = ay_sprintf(&k->arena, "%s (C ABI)", j->policy.python->torch);
	return load(k, j, sc, err);
}

static int take_aten(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		     struct ay_err *err)
{
	if (!has_interpreter(k, j->policy.python)) /* it knows where torch is, in any case */
		return 0;
	if (is_cuda(j) && j->policy.python->library && !ay_libtorch_cuda(&k->arena, j->policy.python->library)) {
		k->why = ay_sprintf(&k->arena, "torch %s has no CUDA", j->policy.python->torch);
		return 0;
	}
	if (j->kernel.about || !j->policy.python->library || !ay_libtorch_takes(sc->schema))
		return take_python(k, j, sc, NULL, 0, err);
	return take_libtorch(k, j, sc, err);
}

/* A kernel of source becomes the baseline in hand; if it cannot, k->why says so. */
static int take_kernel(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		       const char *source, size_t len, enum ay_lang lang, struct ay_err *err)
{
	struct ay_built b = { .fd = -1 };
	const struct ay_proto **protos;
	int n;

	if (lang == AY_LANG_PY)
		return take_python(k, j, sc, source, len, err);
	n = list_protos(k, j, sc, &protos, err);
	if (n < 0 || ay_forge_build(k->forge, &k->arena, source, len, lang, n, protos, build_timeout_s, &b, err))
		return -1;
	if (!b.ok) {
		k->why = "the baseline does not compile";
		return 0;
	}
	k->base_fd = b.fd;
	k->base_about = NULL;
	return load(k, j, sc, err);
}

/* Both must run on the same: NULL, or why they do not. */
static const char *wrong_place(const struct ay_judge *j, bool cuda)
{
	if (cuda == is_cuda(j))
		return NULL;
	return cuda ? "the baseline is for GPUs, and the kernel runs on the processor"
		    : "the baseline is for the processor, and the kernel runs on a GPU";
}

static int take_file(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		     struct ay_err *err)
{
	enum ay_lang lang;
	char *source;
	size_t len;

	if (ay_file_read(&k->arena, k->policy.baseline, SOURCE_MAX, &source, &len, err) ||
	    ay_lang_of(k->policy.baseline, &lang, err))
		return -1;
	k->name = ay_strdup(&k->arena, ay_file_basename(k->policy.baseline));
	if (lang == AY_LANG_C || lang == AY_LANG_CXX || lang == AY_LANG_CU) /* others run on both */
		k->why = wrong_place(j, lang == AY_LANG_CU);
	return k->why ? 0 : take_kernel(k, j, sc, source, len, lang, err);
}

/* The interpreter beside whose torch CUDA's libraries may lie; NULL: there is none. Nothing is imported. */
static const char *interpreter_of(struct ay_clock *k, const struct ay_judge *j)
{
	struct ay_err ignored = { 0 };
	const char *path;

	if (!j->policy.python || ay_python_find(&k->arena, j->policy.python->wish, &path, &ignored))
		return NULL;
	return path;
}

static int take_library(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
			const char *library, struct ay_err *err)
{
	struct ay_baseline b;

	k->name = library;
	if (is_aten(library))
		return take_aten(k, j, sc, err);
	k->why = wrong_place(j, ay_baseline_is_cuda(library));
	if (k->why)
		return 0;
	if (ay_baseline_find(library, j->registry, sc->schema, is_cuda(j) ? interpreter_of(k, j) : NULL, &k->arena,
			     &b, err))
		return -1;
	k->name = b.name;
	k->version = b.version;
	k->why = b.why;
	k->base_folders = b.folders;
	return b.source ? take_kernel(k, j, sc, b.source, b.len, AY_LANG_C, err) : 0;
}

/* Importing torch takes seconds: it is not done for a kernel in C unless somebody has named an interpreter. */
static bool has_torch(const struct ay_judge *j)
{
	return j->policy.python && (j->kernel.about || ay_python_is_wished(j->policy.python));
}

static const char *home_of(const struct ay_judge *j, const struct ay_entry_op *op)
{
	for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
		if (!strcmp(homes[i].source, ay_entry_source(op)))
			return is_cuda(j) ? homes[i].cuda : homes[i].library;
	return NULL;
}

/* What is known of an operator outside the catalogue is another's answer, which took no time. */
static bool has_reference(const struct ay_entry_op *op)
{
	return op->op[0]->reference && !(op->op[0]->flags & AY_FOREIGN);
}

/* The reference has an answer for everything but random operators. */
static enum ay_against take_reference(struct ay_clock *k, const struct ay_suite_case *sc)
{
	drop_base(k);
	k->name = "reference";
	k->version = NULL;
	k->why = has_reference(sc->op)               ? NULL
		 : sc->op->op[0]->flags & AY_FOREIGN ? "an operator outside the catalogue has no reference to time"
						     : "a random operator has no reference to time";
	return k->why ? AY_AGAINST_NONE : AY_AGAINST_REFERENCE;
}

static int take_home(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		     struct ay_err *err)
{
	const char *home = home_of(j, sc->op);

	if (!strcmp(sc->schema->ns, "aten") && has_torch(j)) {
		if (take_library(k, j, sc, "aten", err))
			return -1;
		if (!k->why || !home)
			return 0;
		drop_base(k);
		k->name = k->version = k->why = NULL;
	}
	if (!home)
		k->why = "no library has this operator";
	return home ? take_library(k, j, sc, home, err) : 0;
}

int ay_clock_choose(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		    enum ay_against *against, struct ay_err *err)
{
	const char *want = k->policy.baseline ? k->policy.baseline : "auto";
	const bool automatic = !strcmp(want, "auto");
	int rc = 0;

	*against = AY_AGAINST_NONE;
	if (!strcmp(want, "none")) {
		k->name = NULL;
		return 0;
	}
	if (!strcmp(want, "reference")) {
		*against = take_reference(k, sc);
		return 0;
	}
	if (k->base_schema != sc->schema) {
		drop_base(k);
		k->name = k->version = k->why = NULL;
		rc = automatic          ? take_home(k, j, sc, err)
		     : is_library(want) ? take_library(k, j, sc, want, err)
					: take_file(k, j, sc, err);
	}
	if (!rc && !k->why)
		*against = AY_AGAINST_KERNEL;
	else if (!rc && automatic)
		*against = take_reference(k, sc);
	return rc;
}

/* Torch's own functions: there is no source of anybody's. */
static bool is_built_in(const struct ay_judge *j)
{
	return j->kernel.about && j->kernel.so_fd < 0;
}

/* A wrong baseline may be fast for the same reason. */
static int trust(struct ay_clock *k, const struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a,
		 enum ay_against *against, const char **why, struct ay_err *err)
{
	struct ay_report rep;

	if (*against != AY_AGAINST_KERNEL ||
	    (is_built_in(j) && is_built_in(&k->base))) /* torch's, which has just passed */
		return 0;
	if (ay_judge_case(&k->base, sc, a, &rep, err))
		return -1;
	if (rep.verdict == AY_VERDICT_PASS || rep.verdict == AY_VERDICT_WEAK_CASE)
		return 0;
	if (!k->policy.baseline || !strcmp(k->policy.baseline, "auto")) {
		*against = has_reference(sc->op) ? AY_AGAINST_REFERENCE : AY_AGAINST_NONE;
		return 0;
	}
	*against = AY_AGAINST_NONE;
	*why = ay_sprintf(a, "the baseline gets %s on this case", ay_verdict_name(rep.verdict));
	return 0;
}

/* --- what is made of it ---------------------------------------------------------------------------------- */

static void say_amiss(struct trial *t, const struct ay_pair_report *r)
{
	switch (r->amiss) {
	case AY_AMISS_NONE: break;
	case AY_AMISS_ENDED: ay_trial_outcome(t, &r->outcome); break;
	case AY_AMISS_WRONG:
		ay_trial_say(t, AY_VERDICT_MISMATCH,
			     ay_sprintf(t->a, "right when it was judged, wrong when it was timed: %s", r->text));
		break;
	case AY_AMISS_INPUT:
		ay_trial_say(t, AY_VERDICT_INPUT_WRITTEN, "changed an input while it was timed");
		break;
	case AY_AMISS_LEFT:
		ay_trial_say(t, AY_VERDICT_CHEAT,
			     "left work running on the GPU, behind the calls that were timed and beside others");
		break;
	case AY_AMISS_UNFINISHED:
		ay_trial_say(t, AY_VERDICT_CHEAT,
			     ay_sprintf(t->a,
					"was stopped after it had said `done`, and its output was not there%s%s",
					r->text[0] ? ": " : "", r->text));
	}
}

static void set_floor(struct ay_clock *k, struct trial *t, struct ay_timing *m)
{
	struct ay_floor f;

	ay_floor(t->call, &k->ceilings, m->threads, m->pool_bytes, m->null_ns, &f);
	if (t->j->kernel.about && t->call->op->flags & AY_VIEW) /* a view of its input touches nothing */
		f.ns = m->null_ns;
	m->floor_ns = f.ns;
	m->bytes = f.bytes;
	m->flops = f.flops;
	if (m->flops && m->ns) {
		const double most = ay_ceiling_flops(&k->ceilings, m->threads, ay_multiplied(t->call));

		m->peak = most ? m->flops / m->ns * 1e9 / most : 0;
	}
	/* with the gate's own time, which is subtracted from short batches as well as it is known */
	if (m->ns && m->ns + m->gate_ns / m->sets < implausible * m->floor_ns)
		ay_trial_say(t, AY_VERDICT_IMPLAUSIBLE,
			     ay_sprintf(t->a,
					"takes %.4g us a call; no correct kernel can take less than %.4g us here",
					m->ns / 1e3, m->floor_ns / 1e3));
}

static int bind(struct trial *t, const struct ay_suite_case *sc, struct ay_call **c, struct ay_err *err)
{
	struct ay_case *line = AY_NEW(t->a, struct ay_case);

	*line = *sc->line;
	line->cnt = -1;
	line->seed = ay_secret_u64() >> 32;
	line->has_seed = true;
	return ay_call_bind(t->a, sc->op->op[0], sc->schema, line, c, err);
}

/*
 * The results of an operator outside the catalogue are what its witness says. Every set has other values, so they must
 * not decide about the shapes: two draws tell. 1: it cannot be timed, and *why says why.
 */
static int close_call(struct trial *t, const struct ay_suite_case *sc, const char **why, struct ay_err *err)
{
	struct ay_call *other;
	int rc = bind(t, sc, &t->call, err);

	if (rc || !(sc->op->op[0]->flags & AY_FOREIGN))
		return rc;
	rc = ay_trial_answer(t, t->call, why, err);
	if (!rc)
		rc = bind(t, sc, &other, err);
	if (!rc)
		rc = ay_trial_answer(t, other, why, err);
	if (rc || ay_witness_agrees(t->call->given, other->given))
		return rc;
	*why = "its results have other shapes for other values";
	return 1;
}

/* For struct ay_verify. */
static bool answer_again(void *answerer, struct ay_call *c, struct ay_arena *a)
{
	struct trial *t = answerer;
	struct ay_err ignored = { 0 };
	const char *why;

	return !ay_witness_again(&t->j->witness, t->op, c, a, &why, &ignored);
}

/* A GPU that nobody else measures on meanwhile. Where its speed cannot be measured (there is no NVRTC), times have no
 * floor. */
static int look_at_gpu(struct ay_clock *k, struct ay_dev *d, struct ay_err *err)
{
	struct ay_quiet_lock lock;

	if (ay_ceilings_find_gpu(&k->ceilings, d))
		return 0;
	if (ay_quiet_take_gpu(&lock, d->info.uuid, NULL, NULL, err))
		return -1;
	if (ay_ceilings_get_gpu(&k->ceilings, d, err)) {
		ay_err_clear(err);
		k->ceilings = (struct ay_ceilings){ .cache[AY_LEVEL_L3] = d->info.l2_bytes };
	}
	ay_quiet_leave(&lock);
	return 0;
}

static int prepare(struct ay_clock *k, struct ay_dev *d, struct ay_err *err)
{
	const bool gpu = d && d->info.kind == AY_DEV_CUDA;

	if (k->has_ceilings)
		return 0;
	if (gpu ? look_at_gpu(k, d, err) : ay_ceilings_get(&k->ceilings, err))
		return -1;
	k->has_ceilings = true;
	return 0;
}

static void name_baseline(struct ay_clock *k, enum ay_against against, struct ay_arena *a, struct ay_timing *m)
{
	if (against == AY_AGAINST_REFERENCE)
		m->baseline = "reference";
	else if (against == AY_AGAINST_KERNEL)
		m->baseline = ay_strdup(a, k->name);
	if (against == AY_AGAINST_KERNEL && k->version)
		m->version = ay_strdup(a, k->version);
	m->overhead_bound = m->base_ns > 0 && m->base_ns < OVERHEAD_BOUND * m->base_null_ns;
	m->scored = against == AY_AGAINST_KERNEL && is_library(k->name) && !m->overhead_bound &&
		    m->pace != AY_PACE_NONE;
}

static struct ay_sitter sitter(struct ay_judge *j, const struct ay_schema *s)
{
	bool derived;

	return (struct ay_sitter){ .proto = ay_judge_entry(j, s, &derived),
				   .so_fd = j->kernel.so_fd,
				   .python = j->kernel.about ? j->policy.python : NULL,
				   .about = j->kernel.about };
}

static bool is_gpu(const struct ay_dev *d)
{
	return d && d->info.kind == AY_DEV_CUDA;
}

static const char *reason_not_to(const struct ay_judge *j)
{
	if (j->kernel.entries.interpreted)
		return "Triton's interpreter ran it: its times would say nothing";
	if (is_gpu(j->policy.device) && ay_gpu_mps_runs())
		return "the multi-process service (MPS) runs: processes share the GPU, and none has a time of its "
		       "own";
	return NULL;
}

int ay_clock_case(struct ay_clock *k, struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a,
		  struct ay_report *rep, struct ay_err *err)
{
	struct trial t = { .j = j, .a = a, .rep = rep, .op = sc->op };
	struct ay_timing *m = AY_NEW(a, struct ay_timing);
	struct ay_pair_spec s = { .op = sc->op,
				  .threads = j->policy.threads,
				  .budget_s = k->policy.budget_s > 0 ? k->policy.budget_s
								     : budgets[k->policy.mode],
				  .call_timeout_s = j->policy.call_timeout_s,
				  .thorough = k->policy.mode == AY_TIMED_FULL,
				  .sandbox = j->policy.sandbox,
				  .ceilings = &k->ceilings,
				  .device = is_gpu(j->policy.device) ? j->policy.device : NULL,
				  .crowded = j->policy.device_crowd > 1,
				  .all_cpus = j->policy.cpus,
				  .kept = k->policy.kept ? k->policy.kept : &k->kept,
				  .waiting = k->policy.waiting };
	struct ay_pair_report r;
	const char *why = NULL;
	int rc;

	rep->timing = m;
	m->why = reason_not_to(j);
	if (m->why)
		return 0;
	if (prepare(k, j->policy.device, err) || ay_clock_choose(k, j, sc, &s.against, err) ||
	    trust(k, j, sc, a, &s.against, &why, err))
		return -1;
	rc = close_call(&t, sc, &m->why, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	if (sc->op->op[0]->flags & AY_FOREIGN) {
		s.answer = answer_again;
		s.answerer = &t;
	}
	s.call = t.call;
	s.kernel = sitter(j, sc->schema);
	if (s.against == AY_AGAINST_KERNEL) {
		s.base = sitter(&k->base, sc->schema);
		s.base.aten = is_aten(k->name);
		if (k->timed_fd >= 0)
			s.base.so_fd = k->timed_fd;
		s.base.least_fd = k->least_fd;
		s.base.folders = k->base.policy.folders;
	}
	s.plain = s.device && !k->policy.gate_always && is_built_in(j) &&
		  (s.against != AY_AGAINST_KERNEL || is_library(k->name));
	if (!s.plain) { /* its executor would be one more process beside those that are timed */
		ay_judge_rest(j);
		ay_judge_rest(&k->base);
	}
	if (ay_pair_time(&s, a, m, &r, err))
		return -1;
	name_baseline(k, m->pace == AY_PACE_NONE ? AY_AGAINST_NONE : s.against, a, m);
	if (s.against == AY_AGAINST_NONE && (why || k->why))
		m->why = why ? why : ay_strdup(a, k->why);
	say_amiss(&t, &r);
	if (r.amiss == AY_AMISS_NONE && k->ceilings.nthread)
		set_floor(k, &t, m);
	return 0;
}

void ay_clock_release(struct ay_clock *k)
{
	ay_kept_release(&k->kept);
	drop_base(k);
	ay_arena_release(&k->arena);
	*k = (struct ay_clock){ 0 };
}
