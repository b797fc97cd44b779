/* SPDX-License-Identifier: Apache-2.0
 *
 * check - judge one kernel file now: what a person or an agent iterates with.
 */
#include "cmd.h"
#include "base/file.h"
#include "base/process.h"
#include "exec/printed.h"
#include "judge/task.h"
#include "bulk.h"
#include "clock.h"
#include "output.h"
#include "device.h"
#include "examples.h"
#include "interrupt.h"
#include "own.h"
#include "torch.h"
#include "record.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_MAX = 4 << 20, PRINTED_SHOWN = 64 << 10 /* bytes of all cases together */, NOT_SAID = -1 };

static const struct usage usage = {
	"assay check FILE [options]\n       assay check - [options]",
	"Judges a kernel. The operator is the one that the file's name says (aten_add_Tensor.c), the only one "
	"whose\n"
	"functions the file defines, or --op. What passes is timed (docs/timing.md). Exit status: 0 it passed, 1 "
	"it did not, 2 it could not be judged.\n"
	"With -: jobs as JSON Lines on standard input, one record a job as it finishes (docs/rl.md).",
	"  assay check kernels/c/aten_relu.c\n"
	"  assay check my_kernel.c --op aten::add\n"
	"  assay check my_kernel.cu --device cuda:1       on the second GPU (docs/gpu.md)\n"
	"  assay check my_kernel.c --full                 the whole grid of the operator, large shapes too\n"
	"  assay check my_kernel.c --case \"aten::relu((T([7], f32),), {}) seed=1\"\n"
	"  assay check my_kernel.c --verbose --dump /tmp/seen --case \"aten::relu((T([7], f32),), {}) seed=1\"\n"
	"  assay check my_kernel.c --timing full --threads 2 --baseline openblas\n"
	"  assay check new.c --baseline old.c             which one is faster?\n"
	"  assay check my_kernel.c --json | jq .verdict\n"
	"  assay check - --jobs 2 < jobs.jsonl\n",
	.most = OPERANDS_ANY,
};

struct options {
	const char *op, *line, *cache, *out, *resume, *dtypes, *dump;
	bool json, full, tf32, all, verbose, fresh, unsafe, no_sandbox, sources_only;
	int64_t threads, jobs, seed;
	double timeout;
	struct clock_options clock;
	struct torch_options torch;
	struct device_options device;
	struct own_options own;
};

/* Everything about one check. */
struct check {
	struct app *app;
	struct ay_err *err;
	struct options o;
	struct ay_task task;
	struct ay_sandbox *sandbox;
	const char *compiler;
	struct record_facts facts;
	struct examples examples;
	struct ay_printed printed; /* by the kernel, since the case before */
	size_t printed_shown;
	int printed_left;                    /* cases whose output is not shown any more */
	const char *crash;                   /* what the first case that is a CRASH says; NULL: there is none */
	char skipped[300];                   /* why the first case was SKIPPED that was */
	struct ay_str times;                 /* a table, */
	int timed;                           /* with so many rows that tell more than that a dtype did not pass */
	const struct ay_task_result *result; /* as far as it is known */
	/* progress */
	bool tty;
	int64_t begin, last;
	int done;
};

/* --- saying it ---------------------------------------------------------------------------------------- */

static void add_report(struct ay_str *b, const struct check *c, const struct ay_report *r)
{
	ay_str_addf(b, "    %s: %s\n", ay_verdict_name(r->verdict),
		    r->detail ? r->detail : ay_verdict_text(r->verdict));
	if (r->at) {
		ay_str_addf(b, "      %s%s: ", r->out, r->at);
		ay_str_add_mismatch(b, r->want, r->got, r->bound);
		ay_str_addc(b, '\n');
	}
	if (r->hint)
		ay_str_addf(b, "      hint: %s\n", r->hint);
	ay_str_addf(b, "      case: %s\n      again: assay check ", r->line);
	ay_shell_word(b, c->task.file);
	ay_str_add(b, " --case ");
	ay_shell_word(b, r->line);
	if (c->o.own.file) {
		ay_str_add(b, " --ref ");
		ay_shell_word(b, c->o.own.file);
	}
	if (c->o.device.wish)
		ay_str_addf(b, " --device %s", c->o.device.wish);
	ay_str_addc(b, '\n');
}

static void add_tally(struct ay_str *b, const struct ay_tally *t)
{
	struct ay_str name = { 0 };

	ay_schema_name(&name, t->schema);
	ay_str_addf(b, "  %-28s", ay_str_text(&name));
	for (int v = AY_VERDICT_COUNT - 1; v >= 0; v--)
		if (t->count[v])
			ay_str_addf(b, " %d %s", t->count[v], ay_verdict_name((enum ay_verdict)v));
	ay_str_add(b, t->derived ? "  (through the functional form)\n" : "\n");
	ay_str_release(&name);
}

/* What was found of each overload, and the times. */
static void add_findings(struct ay_str *b, const struct check *c, const struct ay_task_result *r)
{
	for (int i = 0; i < r->ntally; i++)
		add_tally(b, &r->tally[i]);
	if (c->skipped[0] && !r->detail)
		ay_str_addf(b, "  skipped: %s\n", c->skipped);
	if (c->timed)
		ay_str_add(b, ay_str_text(&c->times));
	if (c->timed && r->failed)
		ay_str_addf(b, "  only what passed was timed; these dtypes did not pass: %s\n", r->failed);
}

static void show_progress(struct check *c)
{
	int64_t now = ay_now_ns();

	c->done++;
	if (!c->tty || now - c->last < 200000000)
		return;
	c->last = now;
	fprintf(stderr, "\r  %d cases in %.0f s \033[K", c->done, (double)(now - c->begin) / 1e9);
}

/* The verdict of all cases up to sc, which passed and is timed now. What the file does not define cannot speak against it,
 * as when all is summed up. */
static struct ay_task_result result_so_far(const struct check *c, const struct ay_suite_case *sc)
{
	struct ay_task_result r = *c->result;
	struct ay_tally *t = AY_NEW_N(c->app->arena, struct ay_tally, r.ntally + 1);

	if (r.ntally)
		memcpy(t, r.tally, sizeof *t * (size_t)r.ntally);
	r.tally = t;
	ay_tally_add(&r, ay_tally_of(&r, sc->schema, false), AY_VERDICT_PASS);
	r.verdict = AY_VERDICT_NONE;
	for (int i = 0; i < r.ntally; i++)
		if (!r.tally[i].derived)
			r.verdict = ay_verdict_merge(r.verdict, r.tally[i].verdict);
	r.wall_s = (double)(ay_now_ns() - c->begin) / 1e9;
	return r;
}

/* What a signal prints while a case is timed: all that is known by then. */
static void say_so_far(const struct check *c, const struct ay_suite_case *sc, const char *timed)
{
	const struct ay_task_result r = result_so_far(c, sc);
	struct ay_str b = { 0 };

	if (c->o.json) {
		json_t *j = record_kernel(&c->facts, &r, "summary");

		json_object_set_new(j, "interrupted", json_sprintf("while %s was timed", timed));
		if (json_dump_callback(j, ay_dump_to, &b, JSON_COMPACT))
			AY_BUG("a record could not be written");
		json_decref(j);
	} else {
		ay_str_add(&b, c->tty ? "\r\033[K" : "");
		add_findings(&b, c, &r);
		ay_str_addf(&b, "%s  so far: %d cases judged; timing was interrupted, at %s",
			    ay_verdict_name(r.verdict), r.judged, timed);
	}
	ay_str_addc(&b, '\n');
	interrupt_say(1, ay_str_text(&b));
	ay_str_release(&b);
}

/* The examples of what did not pass, once: before anything is timed, so that an interrupted check has shown them. */
static void tell_examples(struct check *c)
{
	if (c->tty)
		fprintf(stderr, "\r\033[K");
	examples_print(&c->examples);
	examples_release(&c->examples);
}

/* Times come last, when it is known what passed; meanwhile a line says what is being done. */
static void on_timing(void *user, const struct ay_suite_case *sc)
{
	struct check *c = user;
	struct ay_str b = { 0 };

	clock_label(&b, sc);
	if (!c->o.json)
		tell_examples(c);
	say_so_far(c, sc, ay_str_text(&b));
	if (c->tty)
		fprintf(stderr, "\r  %d cases right; timing %s \033[K", c->done, ay_str_text(&b));
	ay_str_release(&b);
}

static void keep_time(struct check *c, const struct ay_suite_case *sc, const struct ay_timing *t)
{
	struct ay_str b = { 0 };

	c->timed += t->ns > 0 || t->pace != AY_PACE_NONE || t->too_slow || c->o.line;
	if (!c->times.len)
		clock_head(&c->times);
	clock_label(&b, sc);
	clock_row(&c->times, ay_str_text(&b), t);
	ay_str_release(&b);
}

/* What did not pass: a few examples at the end, or all as they come. */
static void tell_report(struct check *c, const struct ay_tally *y, const struct ay_report *r)
{
	struct ay_str b = { 0 };

	if (r->verdict == AY_VERDICT_CRASH && !y->derived && !c->crash)
		c->crash = ay_strdup(c->app->arena, r->detail ? r->detail : "");
	if (r->verdict == AY_VERDICT_PASS || r->verdict == AY_VERDICT_SKIPPED)
		return;
	if (!c->o.all && !c->o.line && !examples_want(&c->examples, y, r->verdict))
		return;
	add_report(&b, c, r);
	if (c->o.all || c->o.line)
		printf("%s", ay_str_text(&b));
	else
		examples_add(&c->examples, y, r->verdict, ay_str_text(&b));
	ay_str_release(&b);
}

static void on_built(void *user, const struct ay_task_result *r)
{
	struct check *c = user;

	snprintf(c->facts.kernel_sha256, sizeof c->facts.kernel_sha256, "%s", r->built.sha256);
	c->facts.operator_name = r->op->name;
	if (c->o.json)
		return;
	if (c->task.lang >= AY_LANG_PY) {
		printf("%s  %s  (torch %s)\n", r->op->name, c->task.file, c->task.policy.python->torch);
		return;
	}
	printf("%s  %s  (%s, ", r->op->name, c->task.file,
	       c->compiler                  ? ay_file_basename(c->compiler)
	       : c->task.lang >= AY_LANG_PY ? "Python"
					    : "no compiler");
	if (!c->compiler)
		printf("taken as it is)\n");
	else if (r->built.cached)
		printf("built before");
	else
		printf("built in %.2f s", r->built.wall_s);
	if (c->compiler)
		printf("%s%s)\n", c->facts.device ? "; " : "", c->facts.device ? c->facts.device : "");
	if (!r->built.ok)
		printf("%s", r->built.log);
}

/* Text that is safe to print, so that it cannot be taken for ours. */
static void show_printed(const char *what, const char *text, uint64_t dropped)
{
	printf("    printed by the kernel%s%s:\n", what[0] ? ", " : "", what);
	while (*text) {
		const size_t n = strcspn(text, "\n");

		printf("      | %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
	if (dropped)
		printf("      (%llu bytes more)\n", (unsigned long long)dropped);
}

static void tell_printed(struct check *c, const struct ay_report *r)
{
	if (!r->printed)
		return;
	if (c->printed_shown > PRINTED_SHOWN) {
		c->printed_left++;
		return;
	}
	c->printed_shown += strlen(r->printed);
	show_printed(c->o.line ? "" : r->line, r->printed, r->printed_dropped);
}

/* What it printed while it was loaded, if that was all that it did. */
static void tell_last_printed(struct check *c)
{
	struct ay_str b = { 0 };

	if (c->printed.n) {
		ay_str_add_safe(&b, c->printed.text, c->printed.n, sizeof c->printed.text);
		show_printed("", ay_str_text(&b), c->printed.dropped);
	}
	if (c->printed_left)
		printf("  what it printed in %d more cases is not shown: choose one with --case\n",
		       c->printed_left);
	ay_str_release(&b);
}

static int on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		     const struct ay_report *rep)
{
	struct check *c = user;

	show_progress(c);
	if (rep->verdict == AY_VERDICT_SKIPPED && !c->skipped[0])
		snprintf(c->skipped, sizeof c->skipped, "%s", rep->detail ? rep->detail : "");
	if (c->o.json) {
		json_t *j = record_case(&c->facts, sc, rep);
		const int rc = output_line(j, c->err);

		json_decref(j);
		return rc;
	} else {
		tell_printed(c, rep);
		tell_report(c, t, rep);
		if (rep->dump)
			printf("      dump: %s says what lies beside it\n", rep->dump);
		if (rep->timing)
			keep_time(c, sc, rep->timing);
	}
	return 0;
}

/* What an exception says comes from the case, whose words are "raised ...". */
static const char *verdict_words(const struct check *c, const struct ay_task_result *r)
{
	if (r->detail)
		return r->detail;
	if (r->verdict != AY_VERDICT_CRASH || !c->crash)
		return ay_verdict_text(r->verdict);
	return ay_starts(c->crash, "raised ") ? ay_sprintf(c->app->arena, "the kernel raised an exception: %s",
							   c->crash + strlen("raised "))
					      : "the kernel's process died";
}

static void print_result(struct check *c, const struct ay_task_result *r)
{
	struct ay_str found = { 0 };

	if (c->tty)
		fprintf(stderr, "\r\033[K");
	tell_last_printed(c);
	tell_examples(c);
	add_findings(&found, c, r);
	printf("%s%s  %s", ay_str_text(&found), ay_verdict_name(r->verdict), verdict_words(c, r));
	if (r->judged)
		printf(": %d cases in %.3f s", r->judged, r->wall_s);
	if (c->o.dtypes)
		printf(", only those about %s", c->o.dtypes);
	if (r->left)
		printf(" (%d more with --full)", r->left);
	printf("\n");
	ay_str_release(&found);
}

/* --- doing it ----------------------------------------------------------------------------------------- */

/* The operator of --op, or of --case; else the task finds it. */
/* A line of --case has an operator of its own: it is that of --op, or of the same file under ops/ (add and add_). */
static int check_line(const struct check *c, struct ay_err *err)
{
	const struct ay_entry_op *e;
	const struct ay_schema *s;
	struct ay_case *line;

	if (!c->o.line || ay_case_parse(c->app->arena, c->o.line, strlen(c->o.line), &line, err))
		return c->o.line ? (ay_err_prefix(err, "--case"), -1) : 0;
	e = line->base ? ay_registry_find_case(c->app->registry, line, &s, err) : c->task.op;
	if (e && strcmp(e->path, c->task.op->path) != 0)
		ay_fail(err, AY_ERR_USAGE, "--op is %s and --case a line of %s: leave one of them out",
			c->task.op->name, e->name);
	return err->code ? -1 : 0;
}

/* By --op, by the line, or by the file. */
static int find_op(struct check *c, struct ay_err *err)
{
	const struct ay_schema *s;
	struct ay_case *line;
	bool exact;

	if (c->o.op) {
		c->task.op = ay_registry_find(c->app->registry, c->o.op, &s, &exact, err);
		return c->task.op ? check_line(c, err) : -1;
	}
	if (!c->o.line) {
		c->task.op = ay_task_find_op(c->app->registry, c->app->arena, c->task.file, c->task.source, err);
		return c->task.op ? 0 : -1;
	}
	if (ay_case_parse(c->app->arena, c->o.line, strlen(c->o.line), &line, err)) {
		ay_err_prefix(err, "--case");
		return -1;
	}
	if (line->base)
		c->task.op = ay_registry_find_case(c->app->registry, line, &s, err);
	return err->code ? -1 : 0;
}

/* What is not in the catalogue torch may have; without it the first failure stands. */
static int find_op_anywhere(struct check *c, struct ay_err *err)
{
	struct ay_err ignored = { 0 };

	if (own_load(&c->o.own, c->app, &c->o.torch.interpreter, c->o.clock.baseline, err))
		return -1;
	c->task.op = c->o.own.ref.op;
	if (c->task.op)
		return 0;
	if (!find_op(c, err))
		return 0;
	if (err->code == AY_ERR_PARSE ||
	    ay_foreign_load(c->app->registry, &c->o.torch.interpreter, c->o.cache, &ignored))
		return -1;
	ay_err_clear(err);
	return find_op(c, err);
}

/* Who asks for one file wants its verdict: nothing to run it on is no answer. */
static int choose_device(struct check *c, struct ay_err *err)
{
	if (c->o.device.count || (c->o.device.wish && strchr(c->o.device.wish, ',')))
		return ay_fail(err, AY_ERR_USAGE,
			       "one kernel is judged on one device: several are for eval, llm and check -");
	if (device_choose(&c->o.device, &c->task, c->app->arena, err))
		return -1;
	if (c->task.no_device)
		return ay_fail(err, AY_ERR_USAGE, "%s: %s (see: assay doctor)", c->task.file, c->task.no_device);
	c->facts.device = device_text(&c->o.device, c->task.policy.device, c->app->arena);
	return 0;
}

static int prepare(struct check *c, struct ay_err *err)
{
	struct ay_task *t = &c->task;
	char *source;

	if (ay_file_read(c->app->arena, t->file, SOURCE_MAX, &source, &t->len, err))
		return -1;
	t->source = source;
	if (ay_lang_of(t->file, &t->lang, err) || torch_policy(&c->o.torch, &t->policy, err) ||
	    find_op_anywhere(c, err) || clock_policy(&c->o.clock, AY_TIMED_AUTO, &t->timing, err))
		return -1;
	t->line = c->o.line ? &c->o.line : c->o.own.ref.line;
	t->nline = c->o.line ? 1 : c->o.own.ref.nline;
	t->tier = c->o.full ? AY_FULL : AY_QUICK;
	if (c->o.dtypes && ay_dtypes_find(c->o.dtypes, &t->dtypes, err))
		return -1;
	t->build_timeout_s = 120;
	t->time_what_passes = true;
	t->policy = (struct ay_policy){ .threads = (int)c->o.threads,
					.oracle_threads = ay_cpu_count(),
					.call_timeout_s = c->o.timeout,
					.allow_tf32 = c->o.tf32,
					.has_seed = c->o.seed >= 0,
					.seed = (uint64_t)c->o.seed,
					.printed = c->o.verbose ? &c->printed : NULL,
					.dump = c->o.dump,
					.sandbox = c->sandbox };
	own_policy(&c->o.own, &t->policy);
	c->facts.ref = c->o.own.file;
	return torch_policy(&c->o.torch, &t->policy, err) || choose_device(c, err) ? -1 : 0;
}

static int check(struct check *c, struct ay_err *err)
{
	struct ay_task_watch w = { .user = c, .built = on_built, .judged = on_judged, .timing = on_timing };
	struct ay_task_result r = { .built.fd = -1 };
	struct ay_forge f = { 0 };
	int status = EXIT_FAILED;

	c->result = &r;
	if (!prepare(c, err) && !ay_forge_init(&f, c->o.cache, err)) {
		c->compiler = c->task.lang >= AY_LANG_PY    ? NULL
			      : c->task.lang == AY_LANG_CU  ? f.nvcc
			      : c->task.lang == AY_LANG_CXX ? f.cxx
							    : f.cc;
		if (!ay_task_run(c->app->registry, &f, &c->task, &w, c->app->arena, &r, err)) {
			if (c->o.json) {
				json_t *j = record_kernel(&c->facts, &r, "summary");

				if (c->o.dtypes)
					json_object_set_new(j, "dtypes", json_string(c->o.dtypes));
				ay_json_line(stdout, j);
				json_decref(j);
			} else {
				print_result(c, &r);
			}
			status = r.verdict == AY_VERDICT_PASS || r.verdict == AY_VERDICT_SKIPPED ? EXIT_PASSED
												 : EXIT_NOT_PASSED;
		} else if (!c->o.json) {
			examples_print(&c->examples); /* of what was judged before it failed */
		}
	}
	if (ferror(stdout) && output_is_unread()) /* which nobody is told: see output.h */
		ay_err_clear(err);
	interrupt_say(1, NULL);
	if (r.built.fd >= 0)
		close(r.built.fd);
	ay_forge_release(&f);
	examples_release(&c->examples);
	ay_str_release(&c->times);
	return status;
}

static int check_bulk(struct check *c, struct ay_err *err)
{
	struct bulk_options b = { .jobs = (int)c->o.jobs,
				  .fresh = c->o.fresh,
				  .sources_only = c->o.sources_only,
				  .out = c->o.out,
				  .resume = c->o.resume,
				  .cache = c->o.cache,
				  .timeout_s = 300 };

	if ((c->o.clock.timing && strcmp(c->o.clock.timing, "none")) || c->o.clock.baseline || c->o.clock.budget)
		return ay_fail(err, AY_ERR_USAGE,
			       "jobs of - are judged, not timed: leave --timing, --baseline and --budget out, or "
			       "time "
			       "single files"),
		       EXIT_FAILED;
	if (c->o.verbose || c->o.dump)
		return ay_fail(err, AY_ERR_USAGE, "--verbose and --dump are for one kernel file, not for jobs"),
		       EXIT_FAILED;
	if (device_plan(&c->o.device, err))
		return EXIT_FAILED;
	if (c->o.jobs == NOT_SAID)
		b.jobs = (int)(c->o.jobs = device_jobs(&c->o.device, ay_cpu_count()));
	if (device_check_jobs(&c->o.device, c->o.jobs, err))
		return EXIT_FAILED;
	b.device = c->o.device;
	b.policy = (struct ay_policy){ .threads = (int)c->o.threads,
				       .oracle_threads = 1,
				       .call_timeout_s = c->o.timeout,
				       .allow_tf32 = c->o.tf32,
				       .has_seed = c->o.seed >= 0,
				       .seed = (uint64_t)c->o.seed,
				       .sandbox = c->sandbox,
				       .crowd = b.jobs * b.device.n,
				       .device_crowd = b.jobs };
	if (torch_policy(&c->o.torch, &b.policy, err) ||
	    own_load(&c->o.own, c->app, &c->o.torch.interpreter, NULL, err))
		return EXIT_FAILED;
	own_policy(&c->o.own, &b.policy);
	b.own = &c->o.own;
	return bulk_run(c->app, &b, err);
}

/* One file and jobs have options of their own; some go with no other. */
static int check_options(const struct check *c, struct ay_err *err)
{
	const struct options *o = &c->o;
	const bool jobs = !strcmp(c->task.file, "-");
	const struct {
		const char *name;
		bool given, of_jobs;
	} only[] = {
		{ "--op", o->op, false },         { "--case", o->line, false },
		{ "--full", o->full, false },     { "--all", o->all, false },
		{ "--dtypes", o->dtypes, false }, { "--jobs", o->jobs != NOT_SAID, true },
		{ "--fresh", o->fresh, true },    { "--sources-only", o->sources_only, true },
		{ "--out", o->out, true },        { "--resume-from", o->resume, true },
	};

	for (size_t i = 0; i < sizeof only / sizeof *only; i++)
		if (only[i].given && only[i].of_jobs != jobs)
			return ay_fail(err, AY_ERR_USAGE,
				       jobs ? "%s is for one file: of jobs each line says its own (docs/rl.md)"
					    : "%s is for jobs: assay check -",
				       only[i].name);
	if (o->dump && !o->line)
		return ay_fail(
			err, AY_ERR_USAGE,
			"--dump writes the tensors of one case: name it with --case LINE, as the line after "
			"'again:' does");
	if (o->own.file && o->op)
		return ay_fail(err, AY_ERR_USAGE, "--ref names the operator by its SCHEMA: leave --op out");
	if (o->line && o->dtypes)
		return ay_fail(err, AY_ERR_USAGE, "--case is one case and --dtypes chooses among all: choose one");
	if (o->line && o->full)
		return ay_fail(err, AY_ERR_USAGE, "--case is one case and --full is all of them: choose one");
	return check_run_options(o->out, o->resume, o->unsafe, o->no_sandbox, err);
}

/* With a sandbox for all that follows. */
static int check_any(struct check *c, struct ay_err *err)
{
	enum ay_sandbox_mode mode = c->o.no_sandbox ? AY_SANDBOX_OFF
				    : c->o.unsafe   ? AY_SANDBOX_UNSAFE
						    : AY_SANDBOX_FULL;
	int status = EXIT_FAILED;

	if (ay_sandbox_new(&c->sandbox, mode, err))
		return status;
	c->facts.sandbox = ay_sandbox_text(c->sandbox, c->app->arena);
	status = strcmp(c->task.file, "-") ? check(c, err) : check_bulk(c, err);
	ay_sandbox_free(c->sandbox);
	return status;
}

int cmd_check(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	struct check c = { .app = app, .err = err, .begin = ay_now_ns() };
	const struct opt opts[] = {
		{ "op|ops|op-name", OPT_TEXT, &c.o.op, "OP", "the operator, if the file's name does not say it" },
		{ "case", OPT_TEXT, &c.o.line, "LINE", "judge this case line only" },
		{ "full", OPT_FLAG, &c.o.full, NULL, "the whole grid, not only the quick cases" },
		{ "dtypes", OPT_TEXT, &c.o.dtypes, "A,B", "only cases about these dtypes (f32,bf16,i64)" },
		{ "all", OPT_FLAG, &c.o.all, NULL, "print every case that did not pass, not only the first few" },
		{ "verbose", OPT_FLAG, &c.o.verbose, NULL,
		  "show what the kernel prints (the first 8 KiB of a case)" },
		{ "dump", OPT_TEXT, &c.o.dump, "DIR", "with --case: inputs, wanted and got as .npy files" },
		{ "json", OPT_FLAG, &c.o.json, NULL, "one JSON object a case, a summary last" },
		{ "threads", OPT_INT, &c.o.threads, "N", "threads the kernel may use (1)", 1, THREADS_MAX },
		CLOCK_OPTS(&c.o.clock),
		TORCH_OPTS(&c.o.torch),
		DEVICE_OPTS(&c.o.device),
		OWN_OPTS(&c.o.own),
		{ "timeout", OPT_REAL, &c.o.timeout, "S", "seconds one call may take (10)", OPT_ABOVE_0,
		  SECONDS_MAX },
		{ "seed", OPT_INT, &c.o.seed, "N", "inputs that follow from N; without it from chance", 0,
		  OPT_ANY },
		{ "allow-tf32", OPT_FLAG, &c.o.tf32, NULL, "accept errors of inputs rounded to TF32" },
		{ "jobs", OPT_INT, &c.o.jobs, "N",
		  "with -: kernels judged at once on each device (the number of cores; on a GPU 2)", 1, OPT_ANY },
		{ "sources-only", OPT_FLAG, &c.o.sources_only, NULL, "with -: refuse jobs that name a path" },
		{ "fresh", OPT_FLAG, &c.o.fresh, NULL, "with -: judge again what was judged before" },
		{ "out|log-dir|output-dir", OPT_TEXT, &c.o.out, "DIR", "with -: the run folder (runs/check-...)" },
		{ "resume-from", OPT_TEXT, &c.o.resume, "RUN", "with -: add to this run, and answer from it" },
		{ "unsafe", OPT_FLAG, &c.o.unsafe, NULL,
		  "run kernels although this machine grants no sandbox; none passes" },
		{ "no-sandbox", OPT_FLAG, &c.o.no_sandbox, NULL, "run without one, for a debugger; none passes" },
		{ "cache", OPT_TEXT, &c.o.cache, "DIR", "where compiled kernels are kept; '' = nowhere",
		  .empty = true },
		{ 0 },
	};
	int n;

	c.o.threads = 1;
	c.o.timeout = 10;
	c.o.seed = -1;
	c.o.jobs = NOT_SAID;
	n = opt_parse(argc, argv, opts, &usage, err);
	if (n < 0)
		return opt_status(n);
	if (n != 1)
		return ay_fail(err, AY_ERR_USAGE, "check: name one kernel file (see: assay check --help)"),
		       EXIT_FAILED;
	c.task.file = c.facts.file = argv[0];
	if (check_options(&c, err))
		return EXIT_FAILED;
	c.facts.version = app->version;
	c.tty = isatty(2) && !c.o.json;
	n = check_any(&c, err);
	ay_python_close(&c.o.torch.interpreter);
	device_close(&c.o.device);
	own_close(&c.o.own);
	return n;
}
