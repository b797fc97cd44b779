/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/case_run.h"
#include "base/process.h"

#include <string.h>

enum {
	TIMEOUTS_MAX = 2, /* consecutive time-outs after which the rest is skipped */
	/* time-outs in all after which the rest is skipped: a kernel that answers now and then
	 * still costs their time */
	HANGS_MAX = 4,
	DECOY = 64 << 10, /* bytes of operands up to which cases get a decoy */
	/* elements of an operand up to which Triton's interpreter is used */
	INTERPRETED_MAX = 64 << 10,
	DEATHS_MAX = 4, /* the same for deaths on a GPU: each costs a new context, a fault three */
};

/* --- the executor and its entries ------------------------------------------------------------------------ */

static bool has_entry(const struct ay_judge *j, const char *symbol)
{
	for (int i = 0; i < j->kernel.entries.n; i++)
		if (!strcmp(j->kernel.entries.name[i], symbol))
			return true;
	return false;
}

static struct ay_proto *make_proto(struct ay_judge *j, const struct ay_schema *s)
{
	struct ay_err err = { 0 };
	struct ay_proto *proto;

	if (ay_proto_make(&j->keep, s, &proto, &err))
		AY_BUG("%s is loaded but has no prototype: %s", s->base, err.msg);
	return proto;
}

/* Returns the function for a form that the kernel does not define; NULL: none. A native kernel's
 * functional form writes into the caller's buffer itself. A Python function returns a tensor of
 * its own. The executor offers an entry that copies this tensor to the buffer. */
static struct ay_proto *derive_proto(struct ay_judge *j, const struct ay_schema *s,
				     const struct ay_schema *functional)
{
	const char *symbol = ay_sprintf(&j->keep, "%s" AY_PY_DERIVED, ay_proto_symbol(&j->keep, s));
	struct ay_proto *proto;

	if (!has_entry(j, ay_proto_symbol(&j->keep, functional)))
		return NULL;
	if (!j->kernel.about)
		return make_proto(j, functional);
	if (!has_entry(j, symbol))
		return NULL;
	proto = make_proto(j, s);
	proto->symbol = symbol;
	return proto;
}

static const struct ay_route *find_route(struct ay_judge *j, const struct ay_schema *s)
{
	const struct ay_entry_op *owner;
	const struct ay_schema *f;
	struct ay_route *r;

	for (r = j->routes; r; r = r->next)
		if (r->schema == s)
			return r;
	r = AY_NEW(&j->keep, struct ay_route);
	*r = (struct ay_route){ .schema = s, .safe = true, .next = j->routes };
	j->routes = r;
	if (has_entry(j, ay_proto_symbol(&j->keep, s))) {
		r->proto = make_proto(j, s);
		return r;
	}
	r->derived = true;
	f = ay_registry_functional(j->registry, s, &owner);
	r->proto = f ? derive_proto(j, s, f) : NULL;
	if (r->proto) {
		r->functional = ay_proto_symbol(&j->keep, f);
		/* an operator that is not safe in place would need scratch and a copy, which is
		 * the functional form again */
		r->safe = ay_schema_out(s) || owner->op[0]->flags & AY_ALIAS_SAFE;
	}
	return r;
}

bool ay_judge_has(struct ay_judge *j, const struct ay_schema *s, bool *derived)
{
	const struct ay_route *r = find_route(j, s);

	*derived = r->derived && r->proto;
	return r->proto && r->safe;
}

const struct ay_proto *ay_judge_entry(struct ay_judge *j, const struct ay_schema *s, bool *derived)
{
	return ay_judge_has(j, s, derived) ? find_route(j, s)->proto : NULL;
}

/* Ends the executor. Proceeds even if the GPU's lock cannot be taken; a concurrent measurement may
 * then be disturbed by this process exiting. */
void ay_judge_stop(struct ay_judge *j)
{
	struct ay_err ignored = { 0 };
	struct ay_perf_lock lock;

	if (!j->exec && !j->mapping.nslot)
		return;
	ay_judge_enter(j, &lock, &ignored);
	ay_judge_unmap_device(j);
	if (j->exec)
		ay_exec_stop(j->exec);
	j->exec = NULL;
	ay_judge_leave(j, &lock);
}

void ay_judge_stop_exec(struct ay_judge *j)
{
	ay_judge_stop(j);
	if (j->has_pool)
		ay_pool_release(&j->pool);
	j->has_pool = false;
}

double ay_judge_call_timeout(const struct ay_policy *p, uint64_t bytes)
{
	return p->call_timeout_s + (double)(bytes >> 28);
}

static double patience(const struct case_run *t)
{
	uint64_t bytes = 0;

	for (int i = 0; i < t->nneed; i++)
		bytes += t->need[i].bytes;
	return ay_judge_call_timeout(&t->j->policy, bytes);
}

const char *ay_spent_name(enum ay_spent what)
{
	static const char *const name[] = {
		[AY_SPENT_ORACLE] = "ask",   [AY_SPENT_FILL] = "fill", [AY_SPENT_RUN] = "run",
		[AY_SPENT_COMPARE] = "look", [AY_SPENT_TIME] = "time", [AY_SPENT_WAIT] = "wait",
	};

	return name[what];
}

/* Ends a stage and begins the next one. */
static void lap(struct case_run *t, enum ay_spent what)
{
	const int64_t now = ay_now_ns();

	t->rep->spent[what] += (double)(now - t->lap) / 1e9;
	t->lap = now;
}

void ay_case_run_say(struct case_run *t, enum ay_verdict v, const char *detail)
{
	struct ay_report *r = t->rep;

	r->all |= 1u << v;
	if (r->verdict == AY_VERDICT_NONE || v < r->verdict) {
		r->verdict = v;
		r->detail = detail;
	}
}

static const struct {
	enum ay_verdict verdict;
	const char *what;
} happened[] = {
	[AY_EXEC_RAN] = { AY_VERDICT_PASS, "" },
	[AY_EXEC_REFUSED] = { AY_VERDICT_UNSUPPORTED, "returned" },
	[AY_EXEC_CRASHED] = { AY_VERDICT_CRASH, "crashed" },
	[AY_EXEC_HUNG] = { AY_VERDICT_TIMEOUT, "did not return" },
	[AY_EXEC_LIED] = { AY_VERDICT_CHEAT, "sent what no kernel should" },
	[AY_EXEC_OOM] = { AY_VERDICT_OOM, "ran out of memory" },
	[AY_EXEC_FAULTED] = { AY_VERDICT_CRASH, "stopped the GPU" },
	[AY_EXEC_RAISED] = { AY_VERDICT_CRASH, "raised an exception" },
	[AY_EXEC_UNFIT] = { AY_VERDICT_BAD_RESULT, "returned something else" },
	[AY_EXEC_FORBIDDEN] = { AY_VERDICT_CHEAT, "called what it must not" },
};

const char *ay_case_run_slot_name(const struct case_run *t, int slot)
{
	for (int i = 0; i < t->nset * t->call->noperand; i++)
		if (t->slot[i] == slot)
			return t->call->operand[i % t->call->noperand]->name;
	return "?";
}

static const char *describe_crash(struct case_run *t, const struct ay_outcome *o, enum ay_verdict *v)
{
	if (o->fault == AY_TOUCH_INPUT) {
		*v = AY_VERDICT_INPUT_WRITTEN;
		return ay_sprintf(t->a, "wrote to its input '%s'", ay_case_run_slot_name(t, o->slot));
	}
	if (o->fault == AY_TOUCH_GUARD) {
		*v = AY_VERDICT_OVERRUN;
		return ay_sprintf(t->a, "touched memory %s '%s'",
				  o->fault_at < 0 ? "before the start of" : "behind the end of",
				  ay_case_run_slot_name(t, o->slot));
	}
	if (o->fault == AY_TOUCH_DEVICE)
		return ay_sprintf(t->a, "its host code touched '%s', which is memory of the GPU",
				  ay_case_run_slot_name(t, o->slot));
	if (o->signal)
		return ay_sprintf(t->a, "died of signal %d (%s)", o->signal, strsignal(o->signal));
	return ay_sprintf(t->a, "ended its process with exit status %d", o->exit_code);
}

void ay_case_run_outcome(struct case_run *t, const struct ay_outcome *o)
{
	enum ay_verdict v = happened[o->what].verdict;
	const char *detail = happened[o->what].what;

	if (o->what == AY_EXEC_CRASHED)
		detail = describe_crash(t, o, &v);
	else if (o->what == AY_EXEC_HUNG)
		detail = ay_sprintf(t->a, "did not return within %g s", patience(t));
	else if (o->what == AY_EXEC_REFUSED && o->rc == AY_UNSUPPORTED && !t->j->kernel.about)
		detail = "returned AY_UNSUPPORTED";
	else if (o->what == AY_EXEC_REFUSED && !t->j->kernel.about)
		detail = ay_sprintf(t->a, "returned %d, which is neither AY_OK nor AY_UNSUPPORTED", o->rc);
	else if (o->text[0])
		detail = ay_strdup(t->a, o->text);
	ay_case_run_say(t, v, detail);
}

/* Returns true if there is a CPU for the judge to wait on by spinning. */
static bool spare_core(const struct ay_policy *p)
{
	return ay_cpu_count() >= (p->threads + 1) * (p->crowd > 1 ? p->crowd : 1);
}

/* Loads the kernel into an idle executor, if there is one. Ends it if loading fails. */
static int take_spare(struct ay_judge *j, const struct ay_exec_spec *spec, struct ay_arena *names,
		      struct ay_exec_entries *e, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_exec **spare = j->policy.spare;

	if (!spare || !*spare)
		return 0;
	j->exec = *spare;
	*spare = NULL;
	if (ay_exec_load(j->exec, spec, names, e, o, err))
		return -1;
	if (o->what != AY_EXEC_RAN)
		ay_judge_stop(j);
	return 0;
}

int ay_judge_start(struct ay_judge *j, struct ay_arena *names, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_exec_spec spec = { .so_fd = j->kernel.so_fd,
				     .load_timeout_s = j->policy.call_timeout_s,
				     .python = j->kernel.about ? j->policy.python : NULL,
				     .about = j->kernel.about,
				     .folders = j->policy.folders,
				     .device = j->policy.device,
				     .sandbox = j->policy.sandbox,
				     .printed = j->policy.printed,
				     .spin = spare_core(&j->policy) };
	struct ay_perf_lock lock;
	int rc;
	struct ay_exec_entries e;

	if (j->policy.device)
		ay_dev_mark(j->policy.device, j->policy.device_crowd < 2);
	if (ay_judge_enter(j, &lock, err))
		return -1;
	rc = take_spare(j, &spec, names, &e, o, err) ||
	     (!j->exec && ay_exec_start(&spec, names, &j->exec, &e, o, err));
	ay_judge_leave(j, &lock);
	if (rc)
		return -1;
	if (o->what == AY_EXEC_RAN && names == &j->keep)
		j->kernel.entries = e;
	return 0;
}

int ay_judge_init(struct ay_judge *j, const struct ay_registry *r, const struct ay_policy *p, int so_fd,
		  const char *about, struct ay_arena *a, struct ay_report *rep, struct ay_err *err)
{
	struct ay_outcome o = { 0 };

	*j = (struct ay_judge){ .registry = r, .policy = *p };
	*rep = (struct ay_report){ .verdict = AY_VERDICT_NONE };
	j->kernel.so_fd = so_fd;
	j->kernel.about = about;
	ay_judge_take_memory(j);
	if (!j->policy.memory_free)
		j->policy.memory_free = ay_judge_memory(&j->policy);
	if (ay_judge_start(j, &j->keep, &o, err))
		return -1;
	if (o.what == AY_EXEC_RAN)
		return 0;
	if (p->device && ay_dev_is_well(p->device, err))
		return -1;
	rep->verdict = o.what == AY_EXEC_REFUSED ? AY_VERDICT_LOAD : happened[o.what].verdict;
	if (o.what == AY_EXEC_CRASHED)
		rep->detail = ay_sprintf(a, "died while it was loaded (signal %d, exit status %d)", o.signal,
					 o.exit_code);
	else
		rep->detail = ay_strdup(a, o.text[0] ? o.text : "could not be loaded");
	rep->all = 1u << rep->verdict;
	return 0;
}

bool ay_judge_is_built_in(const struct ay_judge *j)
{
	return j->policy.torch_own;
}

void ay_judge_release(struct ay_judge *j)
{
	if (j->policy.spare && j->exec)
		*j->policy.spare = j->exec, j->exec = NULL;
	ay_judge_stop(j); /* and unmaps its device memory */
	ay_judge_keep_memory(j);
	ay_aten_oracle_release(&j->aten_oracle);
	if (j->has_pool)
		ay_pool_release(&j->pool);
	ay_xfree(j->copy);
	ay_arena_release(&j->keep);
	*j = (struct ay_judge){ 0 };
}

/* --- one case -------------------------------------------------------------------------------------------- */

/* Chooses the function to call: the overload's own, else that of its functional form on the same
 * operands. */
static int choose_entry(struct case_run *t, struct ay_batch *b)
{
	const struct ay_route *r = find_route(t->j, t->call->s);

	b->call = t->call;
	b->proto = r->proto;
	if (!r->proto)
		ay_case_run_say(
			t, AY_VERDICT_LOAD,
			ay_sprintf(t->a, "the kernel does not define %s", ay_proto_symbol(t->a, t->call->s)));
	else if (r->derived)
		t->rep->derived = r->functional;
	return r->proto ? 0 : 1;
}

static bool too_slow(struct case_run *t)
{
	for (int i = 0; t->j->kernel.entries.interpreted && i < t->call->noperand; i++) {
		const int64_t n = ay_numel_of(&t->call->operand[i]->view);

		if (n <= INTERPRETED_MAX)
			continue;
		ay_case_run_say(t, AY_VERDICT_SKIPPED,
				ay_sprintf(t->a, "Triton's interpreter: '%s' has %lld elements, more than %d",
					   t->call->operand[i]->name, (long long)n, INTERPRETED_MAX));
		return true;
	}
	return false;
}

/* Runs one batch. Starts an executor if none is running. If a kernel loaded once but does not load
 * again, that is its own fault too. */
static int call(struct case_run *t, const struct ay_batch *b, bool wanted, struct ay_outcome *o,
		struct ay_err *err)
{
	struct ay_judge *j = t->j;

	int64_t begin;
	double waited;

	if (!j->exec && ay_judge_start(j, t->a, o, err))
		return -1;
	begin = ay_now_ns();
	waited = j->waited;
	if (j->exec && ay_case_run_call(t, b, wanted, o, err))
		return -1;
	t->rep->call_s = ((double)(ay_now_ns() - begin) / 1e9 - (j->waited - waited)) / b->nset;
	j->timeouts = o->what == AY_EXEC_HUNG ? j->timeouts + 1 : 0;
	j->hangs += o->what == AY_EXEC_HUNG;
	return 0;
}

static int end_badly(struct case_run *t, const struct ay_batch *b, const struct ay_outcome *o, struct ay_err *err)
{
	if (o->what == AY_EXEC_FAULTED)
		return ay_case_run_fault(t, b, o, err);
	ay_case_run_outcome(t, o);
	return 0;
}

/* Precedes half of the cases, at random, by a call on other content with the same shapes and
 * places. A kernel that returns the answer of the previous call, or a cached one for similar
 * inputs, returns the wrong one. The judge does not check what this call writes. Returns 1 if the
 * executor did not survive it. */
static int run_decoy(struct case_run *t, const struct ay_batch *b, struct ay_err *err)
{
	struct ay_batch one = *b;
	const struct printed before = ay_case_run_printed_so_far(t);
	struct ay_outcome o = { 0 };
	uint64_t bytes = 0;

	for (int i = 0; i < t->call->noperand; i++)
		bytes += t->need[t->slot[i]].bytes;
	if (bytes > DECOY || ay_case_run_chance(t) % 2)
		return 0;
	one.nset = 1;
	ay_layout_decoy(t);
	if (call(t, &one, false, &o, err))
		return -1;
	if (!ay_exec_is_alive(&o))
		return end_badly(t, &one, &o, err) ? -1 : 1;
	ay_case_run_unprint(t, &before);
	ay_layout_again(t);
	return 0;
}

static int run(struct case_run *t, const struct ay_batch *b, struct ay_err *err)
{
	struct ay_outcome o = { 0 };
	int rc = run_decoy(t, b, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (call(t, b, true, &o, err))
		return -1;
	lap(t, AY_SPENT_RUN);
	if (o.what != AY_EXEC_RAN)
		return end_badly(t, b, &o, err);
	/* for a package: all its results except numbers are on the host now, and other judges need
	 * the GPU's memory */
	if (t->j->policy.spare && !t->call->nscalar_out)
		ay_judge_trim_device_memory(t->j);
	if (t->changed >= 0)
		ay_case_run_say(t, AY_VERDICT_INPUT_WRITTEN,
				ay_sprintf(t->a, "changed its input '%s', whose mapping it must have replaced",
					   ay_case_run_slot_name(t, t->changed)));
	ay_check_outputs(t);
	if (ay_case_run_late(t, err))
		return -1;
	lap(t, AY_SPENT_COMPARE);
	if (o.rc && t->rep->verdict < AY_VERDICT_WEAK_CASE && !t->rep->hint)
		t->rep->hint = ay_sprintf(t->a, "a launch failed: %s (%d)",
					  ay_dev_error(ay_case_run_device(t), o.rc), o.rc);
	return 0;
}

/* Binds and lays out a case. Returns 1 if it cannot be judged: then the verdict says so. */
static int prepare(struct case_run *t, const struct ay_suite_case *sc, struct ay_err *err)
{
	struct ay_case *line = AY_NEW(t->a, struct ay_case);

	*line = *sc->line;
	line->cnt = -1;
	if (!line->has_seed) {
		line->seed = ay_case_run_draw_seed(t, sc->line);
		line->has_seed = true;
	}
	line->ns = sc->schema->ns;
	t->rep->line = ay_case_run_line(t->a, line);
	t->line = line;
	t->seeded = sc->line->has_seed || t->j->policy.has_seed;
	if (ay_call_bind(t->a, sc->op->op[0], sc->schema, line, &t->call, err))
		return -1;
	if (line->is_timed && sc->op->op[0]->flags & AY_UNCATALOGUED)
		return ay_fail(err, AY_ERR_USAGE,
			       "timed= is for operators of the catalogue; without it the line is judged");
	if (line->is_timed) {
		t->timed = AY_NEW(t->a, struct ay_input_template);
		ay_input_template_init_by(t->timed, t->call, t->j->policy.oracle_threads, false);
	}
	if (sc->op->op[0]->flags & AY_UNCATALOGUED) {
		const char *why = NULL;
		int rc = ay_case_run_answer(t, t->call, &why, err);

		if (rc > 0 && ay_case_run_free_memory(t, true))
			rc = ay_case_run_answer(t, t->call, &why, err);
		if (rc > 0)
			ay_case_run_say(t, AY_VERDICT_SKIPPED, why);
		if (rc)
			return rc;
		t->rep->given = t->call->given;
	}
	t->nset = sc->op->op[0]->flags & AY_RANDOM ? SETS_RANDOM : SETS;
	ay_layout_plan(t);
	return 0;
}

/* Without a sandbox, a kernel may have written the answer into the judge's memory. */
const char *ay_judge_no_pass_reason(const struct ay_policy *p)
{
	if (!p->sandbox || ay_sandbox_is_safe(p->sandbox))
		return NULL;
	return "would pass, but was judged without a sandbox";
}

static void doubt(struct case_run *t)
{
	const char *why = ay_judge_no_pass_reason(&t->j->policy);

	if (!why || t->rep->verdict != AY_VERDICT_PASS)
		return;
	t->rep->verdict = AY_VERDICT_SKIPPED;
	t->rep->all = 1u << AY_VERDICT_SKIPPED;
	t->rep->detail = why;
}

static int judge_trial(struct case_run *t, const struct ay_suite_case *sc, struct ay_err *err)
{
	struct ay_judge *j = t->j;
	struct ay_batch b = { .threads = j->policy.threads };
	int chosen, open, room = 0;

	ay_aten_oracle_forget_laid(&j->aten_oracle); /* its operands no longer exist */
	j->waited = 0;
	open = prepare(t, sc, err);
	if (open < 0)
		return -1;
	lap(t, AY_SPENT_ORACLE);
	chosen = open ? 1 : choose_entry(t, &b);
	if (!chosen && (j->timeouts >= TIMEOUTS_MAX || j->hangs >= HANGS_MAX))
		ay_case_run_say(t, AY_VERDICT_SKIPPED, ay_sprintf(t->a, "after %d time-outs", j->hangs));
	else if (!chosen && j->deaths >= DEATHS_MAX)
		ay_case_run_say(t, AY_VERDICT_SKIPPED,
				ay_sprintf(t->a, "after it died %d times on the GPU", j->deaths));
	else if (!chosen && !too_slow(t) && !(room = ay_case_run_host_room(t, err)) &&
		 !(room = ay_case_run_room(t, err))) {
		ay_case_run_draw(t);
		if (ay_layout_fill(t, err))
			return -1;
		lap(t, AY_SPENT_FILL);
		b.pool = &j->pool;
		b.nset = t->nset;
		b.slot = t->slot;
		b.offset = t->offset;
		b.rng = t->rng;
		b.told = t->told;
		memcpy(b.poison, t->poison, sizeof t->poison);
		b.timeout_s = patience(t);
		if (run(t, &b, err))
			return -1;
	}
	if (room < 0)
		return -1;
	if (t->rep->verdict == AY_VERDICT_NONE)
		ay_case_run_say(t, AY_VERDICT_PASS, NULL);
	doubt(t);
	ay_judge_trim_device_memory(j);
	return 0;
}

static int judge_once(struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a,
		      struct ay_report *rep, struct ay_err *err)
{
	const int64_t begin = ay_now_ns();
	struct case_run t = { .j = j, .a = a, .rep = rep, .op = sc->op, .lap = begin, .changed = -1 };
	int rc;

	*rep = (struct ay_report){ .verdict = AY_VERDICT_NONE };
	rc = judge_trial(&t, sc, err);
	ay_case_run_printed(&t);
	if (!rc && j->policy.dump)
		rc = ay_case_run_dump(&t, err);
	ay_judge_trim_host_memory(j);
	if (t.timed)
		ay_input_template_release(t.timed);
	rep->spent[AY_SPENT_WAIT] = j->waited;
	rep->wall_s = (double)(ay_now_ns() - begin) / 1e9;
	return rc;
}

/* With few numbers all may be negative. Then the case is weak and is judged once more with a new
 * seed, unless the seed is given. */
int ay_judge_case(struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a, struct ay_report *rep,
		  struct ay_err *err)
{
	enum { FEW = 4096 };
	int rc = judge_once(j, sc, a, rep, err);

	if (rc || rep->verdict != AY_VERDICT_WEAK_CASE || rep->total > FEW || sc->line->has_seed ||
	    j->policy.has_seed)
		return rc;
	return judge_once(j, sc, a, rep, err);
}
