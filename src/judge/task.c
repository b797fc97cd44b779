/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/task.h"
#include "judge/backend.h"
#include "judge/timeable.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"
#include "exec/launch.h"

#include <string.h>

/* The state of a running task. */
struct work {
	const struct ay_registry *r;
	const struct ay_task *t;
	const struct ay_task_watch *w;
	struct ay_arena *a;
	struct ay_task_result *res;
	struct ay_err *err;
	struct ay_suite suite; /* the cases to judge */
	struct ay_judge judge;
	const char *about; /* Python: see ay_python_about */
	struct ay_perf clock;
	struct ay_timeable timeable;
	int64_t begin;
};

/* --- building ----------------------------------------------------------------------------------------- */

/* Returns true if an operator is defined in the same file. Forms of an operator share a file (add,
 * add_), and the kernel may define any of them. */
static bool same_family(const struct work *k, const struct ay_entry_op *e)
{
	return !strcmp(e->path, k->res->op->path);
}

static const char *const backends[] = { [AY_LANG_ATEN] = "aten", [AY_LANG_FLAG_GEMS] = "flag_gems" };

/* Finds for every prototype that of its functional form, if it is in the list; see struct
 * ay_python_kernel. */
static const struct ay_proto *const *find_functional(struct work *k, int n, const struct ay_proto *const *protos)
{
	const struct ay_proto **found = AY_NEW_N(k->a, const struct ay_proto *, n + 1);

	for (int i = 0; i < n; i++) {
		const struct ay_entry_op *owner;
		const struct ay_schema *f = ay_registry_functional(k->r, protos[i]->s, &owner);

		for (int j = 0; f && j < n; j++)
			if (protos[j]->s == f)
				found[i] = protos[j];
	}
	return found;
}

/* Builds a kernel in Python: nothing is compiled. The executor gets the source, or nothing. A
 * backend without source is identified by its name and version. */
static int build_python(struct work *k, int n, const struct ay_proto *const *protos)
{
	/* torch's own functions are built as a baseline has them, so that torch against itself is
	 * recognised as equal */
	const bool aten = k->t->lang == AY_LANG_ATEN;
	const struct ay_python_kernel about = { .file = aten ? backends[AY_LANG_ATEN]
							     : ay_file_basename(k->t->file),
						.backend = backends[k->t->lang],
						.use = aten ? AY_TORCH_ALL : k->t->policy.torch_use,
						.n = n,
						.proto = protos,
						.functional = find_functional(k, n, protos) };
	struct ay_built *b = &k->res->built;
	struct ay_hash h;

	*b = (struct ay_built){ .ok = true, .fd = -1, .log = "", .command = "" };
	ay_hash_init(&h);
	ay_hash_add(&h, k->t->source, k->t->len);
	ay_hash_end(&h, b->sha256);
	k->about = ay_python_about(k->a, &about);
	/* importing torch takes seconds, which must not count for the kernel, so it is done before
	 * its time starts */
	if (k->t->policy.python && ay_python_open(k->t->policy.python, k->err))
		return -1;
	if (about.backend)
		return 0;
	b->fd = ay_launch_memfd("assay-kernel", k->t->source, k->t->len, 0);
	return b->fd < 0 ? ay_fail_errno(k->err, AY_ERR_EXEC, "cannot hand over the source") : 0;
}

/* Returns the architecture for nvcc. From Hopper on some instructions exist in one generation only
 * ("a"). Code without them is the same either way. */
static const char *cuda_arch(struct ay_arena *a, const struct ay_dev_info *d)
{
	return ay_sprintf(a, "sm_%d%d%s", d->major, d->minor, d->major >= 9 ? "a" : "");
}

static int build(struct work *k, struct ay_forge *f)
{
	const struct ay_proto **protos = NULL;
	int n = 0, rc = -1;

	for (int i = 0; i < k->r->n; i++) {
		const struct ay_entry_op *e = &k->r->op[i];

		for (int s = 0; s < e->nschema && same_family(k, e); s++) {
			struct ay_proto *p;

			if (ay_proto_make(k->a, e->schema[s], &p, k->err))
				goto out;
			protos = ay_xrealloc(protos, sizeof *protos * (size_t)(n + 1));
			protos[n++] = p;
		}
	}
	if (k->t->policy.device && k->t->policy.device->info.kind == AY_DEV_CUDA)
		f->cuda_arch = cuda_arch(&f->arena, &k->t->policy.device->info);
	if (!f->sandbox)
		f->sandbox = k->t->policy.sandbox;
	rc = k->t->lang >= AY_LANG_PY ? build_python(k, n, protos)
				      : ay_forge_build(f, k->a, k->t->source, k->t->len, k->t->lang, n, protos,
						       k->t->build_timeout_s, &k->res->built, k->err);
out:
	ay_xfree(protos);
	return rc;
}

/* Returns the function that the file is named after; else, with --op, the operator's first. */
static const char *expected_symbol(struct work *k)
{
	const struct ay_schema *s = NULL;
	const struct ay_entry_op *e = ay_backend_file_op(k->r, k->a, k->t->file, &s);

	if (!e || !s || !same_family(k, e))
		s = k->res->op->schema[0];
	return ay_proto_symbol(k->a, s);
}

/* Says what a file lacks that defines none of its family's functions: names the expected one and
 * counts the others. */
static const char *tell_missing(struct work *k)
{
	const char *expected = expected_symbol(k);
	int others = -1;

	for (int i = 0; i < k->r->n; i++)
		others += same_family(k, &k->r->op[i]) ? k->r->op[i].nschema : 0;
	if (!others)
		return ay_sprintf(k->a, "the file does not define %s", expected);
	return ay_sprintf(k->a,
			  "the file does not define %s, nor any of the %d others of its family (assay show %s)",
			  expected, others, k->res->op->name);
}

/* --- which cases -------------------------------------------------------------------------------------- */

static int add_line(struct work *k, const char *text)
{
	struct ay_suite_case sc = { 0 };
	struct ay_case *line;

	if (ay_case_parse(k->a, text, strlen(text), &line, k->err))
		return -1;
	if (!line->base) {
		line->ns = k->res->op->schema[0]->ns;
		line->base = k->res->op->schema[0]->base;
		line->overload = k->res->op->schema[0]->overload;
	}
	sc.op = ay_registry_find_case(k->r, line, &sc.schema, k->err);
	sc.line = line;
	if (!sc.op)
		return -1;
	if (!same_family(k, sc.op))
		return ay_fail(k->err, AY_ERR_USAGE, "the line is for %s, the kernel for %s", sc.op->name,
			       k->res->op->name);
	ay_suite_push(&k->suite, &sc);
	return 0;
}

/* Adds the cases of the kernel's family from the catalogue, and drawn ones. */
static int add_own_cases(struct work *k)
{
	const struct ay_task *t = k->t;
	struct ay_drawing drawing = t->drawing;

	for (int i = 0; i < k->r->n; i++)
		if (same_family(k, &k->r->op[i]) && ay_suite_add_op(&k->suite, k->a, k->r, &k->r->op[i],
								    t->timing.mode ? AY_PERF : AY_FULL, k->err))
			return -1;
	drawing.dtypes = t->dtypes;
	for (int i = 0; i < k->r->n; i++)
		if (same_family(k, &k->r->op[i]) &&
		    ay_suite_add_drawn(&k->suite, k->a, k->r, &k->r->op[i], &drawing, k->err))
			return -1;
	return 0;
}

static int add_cases(struct work *k)
{
	const struct ay_task *t = k->t;

	for (int i = 0; i < t->nline; i++)
		if (add_line(k, t->line[i]))
			return -1;
	/* which of its cases to time was chosen with the suite */
	for (int i = 0; t->suite && !t->nline && i < t->suite->n; i++)
		if (same_family(k, t->suite->c[i].op))
			ay_suite_push(&k->suite, &t->suite->c[i]);
	if (!t->suite && !t->nline && add_own_cases(k))
		return -1;
	ay_suite_keep_dtypes(&k->suite, t->dtypes);
	k->suite.listed = t->nline > 0;
	if (!t->suite)
		ay_suite_pick(&k->suite, t->timing.mode, false);
	return 0;
}

/* --- judging ------------------------------------------------------------------------------------------ */

struct ay_tally *ay_tally_of(struct ay_task_result *res, const struct ay_schema *s, bool derived)
{
	for (int i = 0; i < res->ntally; i++)
		if (res->tally[i].schema == s)
			return &res->tally[i];
	res->tally[res->ntally] = (struct ay_tally){ .schema = s, .derived = derived, .verdict = AY_VERDICT_NONE };
	return &res->tally[res->ntally++];
}

void ay_tally_add(struct ay_task_result *res, struct ay_tally *t, enum ay_verdict v)
{
	t->n++;
	t->count[v]++;
	t->verdict = ay_verdict_merge(t->verdict, v);
	res->judged++;
}

static bool out_of_time(const struct work *k)
{
	return k->t->total_timeout_s > 0 && (double)(ay_now_ns() - k->begin) / 1e9 > k->t->total_timeout_s;
}

/* Returns true for verdicts that a known difference of ATen may explain: a wrong answer, also in
 * the wrong place, an exception, no kernel at all. */
static bool is_excusable(const struct ay_report *rep)
{
	return rep->verdict == AY_VERDICT_MISMATCH || rep->verdict == AY_VERDICT_UNSTABLE ||
	       rep->verdict == AY_VERDICT_UNWRITTEN || rep->verdict == AY_VERDICT_OVERRUN ||
	       rep->verdict == AY_VERDICT_BAD_RESULT || rep->verdict == AY_VERDICT_UNSUPPORTED ||
	       (rep->verdict == AY_VERDICT_CRASH && rep->detail && !strncmp(rep->detail, "raised ", 7));
}

/* Returns true if no argument is a tensor on the GPU, so that nothing tells torch to use the
 * GPU. */
static bool has_numbers_alone(const struct ay_call *c)
{
	int numbers = 0, tensors = 0;

	for (int i = 0; i < c->noperand; i++) {
		numbers += c->operand[i]->wrapped;
		tensors += !c->operand[i]->wrapped && c->operand[i]->role != AY_OUT &&
			   c->operand[i]->role != AY_RESULT;
	}
	return numbers && !tensors;
}

static const char *known_of_aten(const struct work *k, const struct ay_op *op, const struct ay_call *c)
{
	if (!k->t->policy.device)
		return op->aten_differs ? op->aten_differs(c) : NULL;
	if (has_numbers_alone(c))
		return "of plain numbers it makes a tensor of the processor, and takes no out of the GPU";
	return op->cuda_differs ? op->cuda_differs(c) : NULL;
}

/* Returns true if torch reported a refusal, but not by the exception that is meant for it. */
static bool is_refusal(const struct ay_report *rep)
{
	return rep->verdict == AY_VERDICT_CRASH && rep->detail && ay_starts(rep->detail, "raised ") &&
	       strstr(rep->detail, "not supported");
}

/* Skips a case, with the reason, if ATen does not support it or is known to differ. This is no
 * news about ATen. */
static int excuse_aten(struct work *k, const struct ay_suite_case *sc, struct ay_arena *a, struct ay_report *rep)
{
	const struct ay_op *op = sc->op->op[0];
	const char *why = NULL;
	struct ay_call *c;

	if (is_excusable(rep)) {
		if (ay_call_bind(a, op, sc->schema, sc->line, &c, k->err))
			return -1;
		why = known_of_aten(k, op, c);
	}
	if (!why && (rep->verdict == AY_VERDICT_UNSUPPORTED || is_refusal(rep)))
		why = ay_sprintf(a, "not implemented: %s", rep->detail ? rep->detail : "");
	if (why) {
		rep->verdict = AY_VERDICT_SKIPPED;
		rep->detail = ay_sprintf(a, "known of ATen on the %s: %s", k->t->policy.device ? "GPU" : "CPU",
					 why);
	}
	return 0;
}

/* Returns the time-out for a call of a few bytes. */
static double call_timeout(const struct work *k)
{
	return ay_judge_call_timeout(&k->t->policy, 0);
}

static int leave_untimed(struct ay_report *rep, struct ay_arena *a, const char *why, bool too_slow)
{
	struct ay_timing *m = AY_NEW(a, struct ay_timing);

	m->why = why;
	m->too_slow = too_slow;
	rep->timing = m;
	return 0;
}

/* Reports a case that would only be judged to be timed, and is too slow for that. The kernel was
 * not called. */
static void report_too_slow(const struct ay_suite_case *sc, struct ay_arena *a, const char *why,
			    struct ay_report *rep)
{
	struct ay_str line = { 0 };

	ay_case_print(&line, sc->line);
	*rep = (struct ay_report){ .verdict = AY_VERDICT_SKIPPED,
				   .all = 1u << AY_VERDICT_SKIPPED,
				   .line = ay_strdup(a, ay_str_text(&line)),
				   .detail = why };
	ay_str_release(&line);
	leave_untimed(rep, a, why, true);
}

/* Returns true if the case was included for timing alone, so that it would not be judged without
 * timing. */
static bool is_for_time_alone(const struct work *k, const struct ay_suite_case *sc)
{
	return sc->timed && sc->tier == AY_PERF && !k->suite.listed && !(k->t->suite && k->t->suite->listed);
}

/* Returns why a case is too slow to time, by an estimate before it is judged; NULL: it is not. */
static const char *expect_too_slow(const struct work *k, const struct ay_suite_case *sc, struct ay_arena *a)
{
	double s;

	if (!is_for_time_alone(k, sc))
		return NULL;
	if (ay_timeable_was_late(&k->timeable, sc))
		return "too slow to time: calls with as much to do did not return in time";
	s = ay_timeable_estimate(&k->timeable, sc->schema, ay_case_dtype(sc->line), ay_case_work(sc));
	return ay_timeable_too_slow(s, true, ay_perf_budget(&k->t->timing), call_timeout(k), a);
}

/* Turns a time-out into SKIPPED if the case was included for timing alone and timing is only the
 * default. With --timing full the time-out counts. */
static bool forgive_slow(struct work *k, const struct ay_suite_case *sc, struct ay_arena *a, struct ay_report *rep)
{
	if (rep->verdict != AY_VERDICT_TIMEOUT || k->t->timing.mode != AY_TIMED_AUTO || !is_for_time_alone(k, sc))
		return false;
	ay_timeable_note_late(&k->timeable, sc);
	report_too_slow(sc, a, ay_sprintf(a, "too slow to time: a call %s", rep->detail ? rep->detail : ""), rep);
	return true;
}

static int judge_one(struct work *k, const struct ay_suite_case *sc, struct ay_arena *a, struct ay_report *rep)
{
	const int timeouts = k->judge.timeouts, hangs = k->judge.hangs;
	const char *slow;

	if (k->w->known && k->w->known(k->w->user, sc, rep))
		return 0;
	slow = expect_too_slow(k, sc, a);
	if (slow) {
		report_too_slow(sc, a, slow, rep);
		return 0;
	}
	if (!out_of_time(k)) {
		if (ay_judge_case(&k->judge, sc, a, rep, k->err) ||
		    (k->t->lang == AY_LANG_ATEN && excuse_aten(k, sc, a, rep)))
			return -1;
		/* the time-out does not count for the limits either */
		if (forgive_slow(k, sc, a, rep)) {
			k->judge.timeouts = timeouts;
			k->judge.hangs = hangs;
		}
		return 0;
	}
	*rep = (struct ay_report){ .verdict = AY_VERDICT_SKIPPED, .all = 1u << AY_VERDICT_SKIPPED, .line = "" };
	rep->detail = ay_sprintf(a, "the kernel's %g s are over", k->t->total_timeout_s);
	return 0;
}

/* Returns true if the kernel of an overload did not pass. Every overload of a package is a
 * function of its own; those of a file are one kernel. */
static bool is_wrong(const struct work *k, const struct ay_schema *s)
{
	for (int i = 0; i < k->res->ntally; i++) {
		const struct ay_tally *y = &k->res->tally[i];

		if (!y->derived && y->verdict < AY_VERDICT_WEAK_CASE &&
		    (y->schema == s || k->t->lang < AY_LANG_ATEN))
			return true;
	}
	return false;
}

/* Times a case that passed and was chosen. A kernel that is wrong somewhere is not timed, or only
 * where it passes (time_what_passes). */
static int time_one(struct work *k, const struct ay_suite_case *sc, struct ay_arena *a, struct ay_report *rep)
{
	int64_t begin = ay_now_ns();

	const char *why;

	if (!sc->timed || !rep->line || out_of_time(k))
		return 0;
	why = k->t->time_what_passes ? ay_timeable_failure(&k->timeable, sc, a) : NULL;
	if (why)
		return leave_untimed(rep, a, why, false);
	if (rep->verdict != AY_VERDICT_PASS || (!k->t->time_what_passes && is_wrong(k, sc->schema)))
		return 0;
	why = ay_timeable_too_slow(rep->call_s, false, ay_perf_budget(&k->t->timing), call_timeout(k), a);
	if (why)
		return leave_untimed(rep, a, why, true);
	if (k->w->timing)
		k->w->timing(k->w->user, sc);
	k->res->timed++;
	if (ay_perf_case(&k->clock, &k->judge, sc, a, rep, k->err) ||
	    (k->t->lang == AY_LANG_ATEN && excuse_aten(k, sc, a, rep)))
		return -1;
	rep->spent[AY_SPENT_TIME] = (double)(ay_now_ns() - begin) / 1e9;
	rep->wall_s += rep->spent[AY_SPENT_TIME];
	return 0;
}

/* Returns true for cases of a tier that was not requested, unless they are to be timed. Derived
 * forms are not timed. A form that is judged through its functional form has no drawn cases, because
 * the functional form has them. */
static bool is_left_out(const struct work *k, const struct ay_suite_case *sc, bool derived)
{
	if (sc->drawn)
		return derived;
	return sc->tier > k->t->tier && (!sc->timed || derived) && !k->t->nline && !k->t->suite;
}

/* Returns how many cases judge_cases() will judge. */
static int count_cases(struct work *k)
{
	bool derived;
	int n = 0;

	for (int i = 0; i < k->suite.n; i++) {
		const struct ay_suite_case *sc = &k->suite.c[i];

		n += (ay_judge_has(&k->judge, sc->schema, &derived) || k->t->nline) &&
		     !is_left_out(k, sc, derived);
	}
	return n;
}

static int judge_cases(struct work *k)
{
	struct ay_task_result *res = k->res;
	struct ay_arena a = { 0 };
	bool lines = k->t->nline > 0;
	int rc = 0;

	for (int i = 0; i < k->suite.n && !rc; i++) {
		const struct ay_suite_case *sc = &k->suite.c[i];
		struct ay_report rep;
		struct ay_tally *y;
		bool derived;

		if (!ay_judge_has(&k->judge, sc->schema, &derived) && !lines)
			continue;
		if (is_left_out(k, sc, derived)) {
			res->left += sc->tier != AY_PERF && !sc->drawn;
			continue;
		}
		ay_arena_clear(&a);
		rc = judge_one(k, sc, &a, &rep);
		if (derived)
			rep.timing = NULL; /* a derived form is not too slow to time either */
		if (!rc && !derived)
			ay_timeable_note(&k->timeable, sc, rep.verdict, rep.call_s);
		if (!rc && !derived)
			rc = time_one(k, sc, &a, &rep);
		if (rc)
			break;
		y = ay_tally_of(res, sc->schema, derived);
		ay_tally_add(res, y, rep.verdict);
		res->drawn += sc->drawn;
		res->drawn_bad += sc->drawn && rep.verdict < AY_VERDICT_WEAK_CASE;
		if (k->w->judged)
			rc = k->w->judged(k->w->user, sc, y, &rep);
	}
	ay_arena_release(&a);
	return rc;
}

/* Computes the verdict of the task. Functions that the file does not define do not count against
 * it, unless nothing else was requested. */
static int sum_up(struct work *k)
{
	struct ay_task_result *res = k->res;

	for (int i = 0; i < res->ntally; i++)
		if (!res->tally[i].derived || res->ntally == 1)
			res->verdict = ay_verdict_merge(res->verdict, res->tally[i].verdict);
	if (res->verdict == AY_VERDICT_SKIPPED && !res->detail)
		res->detail = ay_judge_no_pass_reason(&k->t->policy);
	res->no_case = res->verdict == AY_VERDICT_NONE;
	if (res->no_case && k->t->dtypes)
		return ay_fail(k->err, AY_ERR_USAGE, "%s: no case of what it defines is about these dtypes",
			       k->t->file);
	if (res->no_case)
		return ay_fail(k->err, AY_ERR_USAGE,
			       "%s: there is no case for what it defines: give it some (--case LINE, or eval "
			       "--suite opinfo)",
			       k->t->file);
	return 0;
}

static int judge(struct work *k)
{
	struct ay_task_result *res = k->res;
	struct ay_policy policy = k->t->policy;
	struct ay_report rep;

	k->begin = ay_now_ns();
	policy.torch_own = k->t->lang == AY_LANG_ATEN;
	if (ay_judge_init(&k->judge, k->r, &policy, res->built.fd, k->about, k->a, &rep, k->err))
		return -1;
	res->verdict = rep.verdict;
	res->detail = rep.detail;
	if (res->verdict != AY_VERDICT_NONE)
		return 0;
	if (!k->judge.kernel.entries.n) {
		res->verdict = AY_VERDICT_LOAD;
		res->empty = true;
		res->detail = tell_missing(k);
		return 0;
	}
	if (add_cases(k))
		return -1;
	if (k->w->planned)
		k->w->planned(k->w->user, count_cases(k));
	res->tally = AY_NEW_N(k->a, struct ay_tally, k->suite.n + 1);
	if (judge_cases(k))
		return -1;
	res->wall_s = (double)(ay_now_ns() - k->begin) / 1e9;
	res->failed = ay_timeable_failed(&k->timeable, k->a);
	return sum_up(k);
}

int ay_task_run(const struct ay_registry *r, struct ay_forge *f, const struct ay_task *t,
		const struct ay_task_watch *w, struct ay_arena *a, struct ay_task_result *res, struct ay_err *err)
{
	struct work k = { .r = r, .t = t, .w = w, .a = a, .res = res, .err = err };
	struct ay_hash h;
	int rc = -1;

	*res = (struct ay_task_result){ .op = t->op, .verdict = AY_VERDICT_NONE };
	k.clock.policy = t->timing;
	k.clock.forge = f;
	res->built.fd = -1;
	if (!res->op)
		res->op = ay_task_find_op(r, a, t->file, t->source, err);
	if (res->op && t->no_device) {
		res->verdict = AY_VERDICT_SKIPPED;
		res->detail = t->no_device;
		ay_hash_init(&h);
		ay_hash_add(&h, t->source, t->len);
		ay_hash_end(&h, res->built.sha256);
		return 0;
	}
	if (res->op && !build(&k, f)) {
		if (w->built)
			w->built(w->user, res);
		if (res->built.ok) {
			rc = judge(&k);
		} else {
			res->verdict = AY_VERDICT_BUILD;
			rc = 0;
		}
	}
	ay_timeable_release(&k.timeable);
	ay_perf_release(&k.clock);
	ay_judge_release(&k.judge);
	ay_suite_release(&k.suite);
	return rc;
}
