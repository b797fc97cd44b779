/* SPDX-License-Identifier: Apache-2.0
 *
 * check - judges one kernel file at once. People and agents iterate with this command.
 */
#include "base/file.h"
#include "base/process.h"
#include "bulk.h"
#include "check.h"
#include "interrupt.h"
#include "output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_MAX = 4 << 20 };

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

/* --- the operator: of --op or --case, else ay_task_run finds it --- */
/* Checks that the operator of the --case line is that of --op, or one of the same file under ops/
 * (add and add_). */
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

/* Finds the operator by --op, by the case line, or by the file. */
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

/* Finds the operator; if the catalogue lacks it, looks in torch. Without torch the first error
 * stands. */
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
	    ay_torch_schemas_load(c->app->registry, &c->o.torch.interpreter, c->o.cache, &ignored))
		return -1;
	ay_err_clear(err);
	return find_op(c, err);
}

/* Chooses the device. Unlike eval, check fails if there is no device for the kernel, because its
 * user wants a verdict. */
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
	if (drawn_policy(&c->o.drawn, c->o.full ? AY_DRAWN_FULL : AY_DRAWN_QUICK, c->o.full, c->o.seed,
			 &t->drawing, err))
		return -1;
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
	struct ay_task_watch w = {
		.user = c, .built = check_on_built, .judged = check_on_judged, .timing = check_on_timing
	};
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
				check_print_result(c, &r);
			}
			status = r.verdict == AY_VERDICT_PASS || r.verdict == AY_VERDICT_SKIPPED ? EXIT_PASSED
												 : EXIT_NOT_PASSED;
		} else if (!c->o.json) {
			examples_print(&c->examples); /* of the cases judged before the failure */
		}
	}
	if (ferror(stdout) && output_is_unread()) /* not reported: see output.h */
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
				  .drawn = c->o.drawn,
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
	if (c->o.jobs == AY_UNSET)
		b.jobs = (int)(c->o.jobs = device_jobs(&c->o.device, ay_cpu_count()));
	if (device_check_jobs(&c->o.device, c->o.jobs, err))
		return EXIT_FAILED;
	b.device = c->o.device;
	b.policy = (struct ay_policy){ .threads = (int)c->o.threads,
				       .oracle_threads = 1,
				       .memory_free = ay_memory_available(),
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

/* Checks the options: some are only for one file, some only for jobs, and some exclude others. */
static int check_options(const struct check *c, struct ay_err *err)
{
	const struct check_options *o = &c->o;
	const bool jobs = !strcmp(c->task.file, "-");
	const struct {
		const char *name;
		bool given, of_jobs;
	} only[] = {
		{ "--op", o->op, false },         { "--case", o->line, false },
		{ "--full", o->full, false },     { "--all", o->all, false },
		{ "--dtypes", o->dtypes, false }, { "--jobs", o->jobs != AY_UNSET, true },
		{ "--fresh", o->fresh, true },    { "--sources-only", o->sources_only, true },
		{ "--out", o->out, true },        { "--resume-from", o->resume, true },
	};

	for (size_t i = 0; i < sizeof only / sizeof *only; i++)
		if (only[i].given && only[i].of_jobs != jobs)
			return ay_fail(err, AY_ERR_USAGE,
				       jobs ? "%s is for one file: each job says what it is about (docs/rl.md)"
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
	if (o->line && o->drawn.n != AY_UNSET)
		return ay_fail(err, AY_ERR_USAGE, "--case is one case and --drawn draws more: choose one");
	if (o->line && o->full)
		return ay_fail(err, AY_ERR_USAGE, "--case is one case and --full is all of them: choose one");
	return check_run_options(o->out, o->resume, o->unsafe, o->no_sandbox, err);
}

/* Makes the sandbox, then checks a file or jobs. */
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
		DRAWN_OPTS(&c.o.drawn),
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
		  "with -: kernels judged at once on each device (the number of cores; on a GPU 2)", 1,
		  WORKERS_MAX },
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
	c.o.jobs = AY_UNSET;
	c.o.drawn.n = AY_UNSET;
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
