/* SPDX-License-Identifier: Apache-2.0
 *
 * eval - judges a backend on a suite, and keeps every record.
 *
 * Theory of operation. The suite and the list of kernels are made first. Then workers are forked,
 * which inherit both. Then the run folder is opened, which no worker may hold. A job is one kernel
 * file, or one operator of the reference. Its worker sends a record for every case as it is judged,
 * and one for the kernel at the end. Only this process writes the records (eval_run.c). A resumed
 * run sends the known results along, so that only the rest is judged.
 */
#include "eval.h"
#include "base/process.h"
#include "interrupt.h"
#include "screen.h"
#include "store/export.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct usage usage = {
	"assay eval --suite S --backend B [options]",
	"Judges a backend on a suite and writes a run folder with every record. Backends: reference (the "
	"operators' own\n"
	"references), aten (torch's own functions), flag_gems, directory (--kernels DIR), llm and kernel_agent (a "
	"language\nmodel writes the kernels: docs/llm.md). Suites: smoke, demo, "
	"kernelgenbench, kernelgenbench-aten, -vllm, "
	"-cublas, opinfo\n"
	"(PyTorch's own samples), torchbench (a trace of real models, see --data), a trace of suites/ (bert), or "
	"a file "
	"of case lines. Exit status: 0; 1 if a kernel that is there did not pass (--require-all: or is missing); "
	"2 our failure.",
	"  assay eval --suite smoke --backend reference\n"
	"  assay eval --suite kernelgenbench --backend directory --kernels kernels/c --quick\n"
	"  assay eval --suite kernelgenbench-aten --kernels my_kernels --list       which file is for which "
	"operator\n"
	"  assay eval --suite my.lines --kernels my_kernels --ops add,sum --out runs/mine\n"
	"  assay eval --suite torchbench --data torchbench.trace --smallest 3 --timing none\n"
	"  assay eval --ref ref.py --kernels my_kernels                             an operator of your own\n"
	"  assay eval --suite smoke --backend llm --ops relu,add\n"
	"  assay eval --suite smoke --backend kernel_agent --kernel-agent-workers 6 --kernel-agent-max-rounds 15\n"
	"  assay eval --suite kernelgenbench --kernels my_kernels --device cuda --device-count 4\n"
	"  assay eval --resume-from runs/mine                                       go on where it was killed\n",
};

/* --- the run ---------------------------------------------------------------------------------- */

static void add_calls(json_t *calls, const char *overload, int64_t n)
{
	const int64_t sum = json_integer_value(json_object_get(calls, overload));

	json_object_set_new(calls, overload, json_integer(sum + (n < AY_CALLS_MAX ? n : AY_CALLS_MAX)));
}

static void add_overload(json_t *ops, const char *op, const char *overload)
{
	json_t *list = json_object_get(ops, op);

	if (!list) {
		list = json_array();
		json_object_set_new(ops, op, list);
	}
	for (size_t k = 0; k < json_array_size(list); k++)
		if (!strcmp(json_string_value(json_array_get(list, k)), overload))
			return;
	json_array_append_new(list, json_string(overload));
}

/* Adds the denominators: every operator and overload for which the suite has cases, or should
 * have. */
int eval_add_suite(struct eval *e)
{
	json_t *rec = json_object(), *ops = json_object(), *left = json_object(), *calls = json_object();
	int rc;

	for (int i = 0; i < e->suite.n; i++) {
		struct ay_str name = { 0 };

		ay_schema_name(&name, e->suite.c[i].schema);
		add_overload(ops, e->suite.c[i].op->name, ay_str_text(&name));
		if (e->suite.c[i].line->cnt >= 0)
			add_calls(calls, ay_str_text(&name), e->suite.c[i].line->cnt);
		ay_str_release(&name);
	}
	for (int i = 0; i < e->nleft; i++) {
		add_overload(ops, e->left[i].op, e->left[i].overload);
		json_object_set_new(left, e->left[i].overload, json_string(e->left[i].reason));
	}
	json_object_set_new(rec, "type", json_string(AY_RECORD_SUITE));
	json_object_set_new(rec, "suite", ay_json_name(e->o.suite));
	json_object_set_new(rec, "operators", ops);
	json_object_set_new(rec, "left_out", left);
	if (e->njob)
		json_object_set_new(rec, ay_field_name(AY_FIELD_PLANNED), eval_planned(e));
	if (json_object_size(calls))
		json_object_set(rec, "calls_by_overload", calls);
	json_decref(calls);
	rc = ay_run_add(e->run, rec, e->err);
	json_decref(rec);
	return rc;
}

static bool has_python(const struct eval *e)
{
	for (int i = 0; i < e->backend.n; i++)
		if (e->backend.file[i].op && e->backend.file[i].lang >= AY_LANG_PY)
			return true;
	return false;
}

json_t *eval_header(const struct eval *e)
{
	char hash[65];
	json_t *h = json_object();

	ay_suite_hash(&e->suite, hash);
	json_object_set_new(h, "command", json_string(e->command));
	json_object_set_new(h, "assay", json_string(e->app->version));
	json_object_set_new(h, "suite", ay_json_name(e->o.suite));
	json_object_set_new(h, "suite_sha256", json_string(hash));
	json_object_set_new(h, "backend", ay_json_name(e->o.backend));
	json_object_set_new(h, "kernels", ay_json_name(e->o.kernels ? e->o.kernels : ""));
	json_object_set_new(h, "ops", ay_json_name(e->o.ops ? e->o.ops : ""));
	json_object_set_new(h, "data", ay_json_name(e->o.data ? e->o.data : ""));
	json_object_set_new(h, "topn", json_integer(e->o.topn));
	json_object_set_new(h, "smallest", json_integer(e->o.smallest));
	json_object_set_new(h, "dtypes", ay_json_name(e->o.dtypes ? e->o.dtypes : ""));
	json_object_set_new(h, "sandbox", json_string(e->facts.sandbox));
	json_object_set_new(h, "device", ay_json_name(e->o.device.wish ? e->o.device.wish : "auto"));
	json_object_set_new(h, "device_count", ay_json_name(e->o.device.count ? e->o.device.count : ""));
	json_object_set_new(h, "quick", json_boolean(e->o.quick));
	if (e->o.follow_links)
		json_object_set_new(h, "follow_links", json_true());
	if (e->suite.bad)
		json_object_set_new(
			h, "lines_not_taken",
			json_pack("{s:i, s:o}", "count", e->suite.bad, "first", ay_json_name(e->suite.first_bad)));
	/* no rule of judging, so it may differ in a resumed run */
	json_object_set_new(h, "budget_s", json_real(e->o.clock.budget));
	json_object_set_new(h, "policy",
			    json_pack("{s:i,s:f,s:s,s:o}", "threads", e->policy.threads, "call_timeout_s",
				      e->policy.call_timeout_s, "timing", ay_timed_name(e->timing.mode),
				      "baseline", ay_json_name(e->timing.baseline ? e->timing.baseline : "auto")));
	if (e->timing.gate_always)
		json_object_set_new(json_object_get(h, "policy"), "gate", json_string("always"));
	if (e->o.seed >= 0)
		json_object_set_new(json_object_get(h, "policy"), "seed", json_integer(e->o.seed));
	if (e->drawing.n)
		json_object_set_new(json_object_get(h, "policy"), "drawn",
				    json_pack("{s:i,s:I}", "cases_per_overload", e->drawing.n, "seed",
					      (json_int_t)e->drawing.seed));
	own_write(&e->o.own, h);
	if (has_python(e))
		torch_record(&e->policy, e->app->arena, json_object_get(h, "policy"));
	return h;
}

static int open_run(struct eval *e)
{
	json_t *h = eval_header(e);
	struct ay_run_found found = { 0 };
	int rc;

	if (e->o.resume) {
		rc = ay_run_resume(e->o.resume, h, &e->run, &found, e->err);
		if (!rc && !e->o.json) {
			struct ay_str b = { 0 };

			ay_run_found_print(&b, &found);
			fprintf(stderr, "resuming %s: %s\n", ay_shown(e->app->arena, e->o.resume),
				ay_str_text(&b));
			ay_str_release(&b);
		}
	} else {
		rc = ay_run_create(e->o.out, h, &e->run, e->err);
	}
	if (!rc && !found.records) /* a new run, or one killed before its first record */
		rc = eval_add_suite(e);
	json_decref(h);
	return rc;
}

int eval_own(struct eval *e, struct ay_err *err)
{
	json_t *head;
	int rc;

	if (own_load(&e->o.own, e->app, &e->o.torch.interpreter, e->o.clock.baseline, err))
		return -1;
	own_policy(&e->o.own, &e->policy);
	e->facts.ref = e->o.own.file;
	if (!e->o.resume)
		return 0;
	head = ay_run_head(e->o.resume, err);
	rc = head ? own_check_same(&e->o.own, head, e->o.resume, err) : -1;
	json_decref(head);
	return rc;
}

/* --- summing up ------------------------------------------------------------------------------- */

void eval_print_table(const struct ay_summary *s)
{
	const struct ay_screen screen = screen_find();
	struct ay_str b = { 0 };

	ay_report_run(&b, s, AY_FORMAT_TEXT, &screen);
	printf("%s", ay_str_text(&b));
	ay_str_release(&b);
}

bool eval_is_good(enum ay_verdict v)
{
	return v == AY_VERDICT_PASS || v == AY_VERDICT_SKIPPED || v == AY_VERDICT_WEAK_CASE;
}

/* Returns the exit status: failure if a kernel did not pass, or by the thresholds if they are
 * set. */
static int status_of(const struct eval *e, const struct ay_summary *s)
{
	bool failed = s->errors > 0;

	for (int i = 0; i < s->nkernel; i++)
		failed |= !eval_is_good(s->kernel[i].verdict);
	if (e->o.min_pass >= 0)
		failed = 100.0 * s->operators.passed < e->o.min_pass * s->operators.of;
	if (e->o.require_all && s->operators.missing)
		failed = true;
	return failed ? EXIT_NOT_PASSED : EXIT_PASSED;
}

/* If a kernel did not pass, prints the command that shows why. */
static void say_failures(const struct ay_summary *s, const char *dir)
{
	struct ay_str word = { 0 };
	int failed = 0;

	for (int i = 0; i < s->nkernel; i++)
		failed += !eval_is_good(s->kernel[i].verdict);
	ay_shell_word(&word, dir);
	if (failed)
		printf("%d kernel%s did not pass; each failing case: assay report %s --failures\n", failed,
		       failed > 1 ? "s" : "", ay_str_text(&word));
	ay_str_release(&word);
}

static int sum_up(struct eval *e)
{
	struct ay_summary s = { 0 };
	const char *dir = ay_strdup(e->app->arena, ay_run_dir(e->run)), *shown = ay_shown(e->app->arena, dir);
	int status = EXIT_FAILED;

	if (!ay_summary_read(dir, &s, e->err) && !ay_export(dir, &s, e->err)) {
		status = status_of(e, &s);
		if (e->o.json) {
			json_t *j = json_pack("{s:s,s:o,s:i,s:i,s:i,s:i,s:i,s:f}", "type", "summary", "run",
					      ay_json_name(dir), "operators", s.operators.of, "operators_passed",
					      s.operators.passed, "overloads", s.overloads.of, "overloads_passed",
					      s.overloads.passed, "missing", s.operators.missing, "wall_s",
					      (double)(ay_now_ns() - e->begin) / 1e9);

			if (!isnan(e->o.p))
				json_object_set_new(j, "perf_at_p", eval_perf_at_json(&s, e->o.p));
			ay_json_line(stdout, j);
			json_decref(j);
		} else {
			eval_print_table(&s);
			if (!isnan(e->o.p))
				eval_print_perf_at(&s, e->o.p);
			if (e->unused)
				printf("%d kernels define nothing that the suite has a case for\n", e->unused);
			say_failures(&s, dir);
			printf("%d cases in %.2f s; everything is in %s, for people in %s/OVERALL_SUMMARY.md\n",
			       e->done, (double)(ay_now_ns() - e->begin) / 1e9, shown, shown);
		}
	}
	ay_summary_release(&s);
	return status;
}

/* Forks workers before the run folder is opened, because no worker may hold its lock. */
static int evaluate(struct eval *e)
{
	struct ay_err end = { 0 };
	int status = EXIT_FAILED;

	for (int i = 0; i < e->njob; i++)
		e->total += e->job[i].cases;
	if (!ay_worker_pool_start_groups(&e->pool, e->o.device.n, (int)e->o.jobs, eval_work, e, e->err) &&
	    !open_run(e)) {
		int rc;

		interrupt_say_resume("eval", ay_run_dir(e->run));
		rc = eval_keep_progress(e, false) || eval_run_jobs(e) ? -1 : 0;

		if (e->tty)
			fprintf(stderr, "\r\033[K");
		if (!rc && !eval_keep_progress(e, true))
			status = sum_up(e);
		else if (rc)
			ay_err_prefix(e->err, "go on with: assay eval --resume-from %s", ay_run_dir(e->run));
		if (ay_run_close(e->run, &end) && !e->err->code)
			*e->err = end;
		interrupt_say(2, NULL);
	}
	ay_worker_pool_stop(e->pool);
	return status;
}

/* Returns the number of workers for timed runs. If there are cores enough, other kernels are judged
 * while one is timed on a GPU: they mostly wait for the GPU or for an executor. */
static int timed_jobs(const struct eval_options *o)
{
	const int cores = ay_cpu_count() / (o->device.n ? o->device.n : 1);

	return !o->device.cuda || cores < 8 ? 1 : cores < 18 ? cores - 2 : 16;
}

/* Returns how many workers time kernels, after all have judged (struct eval). On a GPU one times
 * while another judges the next kernel and a third is ready. A kernel file is not split among
 * workers. */
static int choose_clocks(const struct eval *e)
{
	const int most = e->o.device.cuda ? 3 : 1;

	return eval_is_package(e) && e->o.jobs >= 2 * most ? most : 0;
}

static int choose_workers(struct eval *e, struct ay_err *err)
{
	struct eval_options *o = &e->o;
	const bool timed = e->timing.mode != AY_TIMED_NONE;

	if (device_plan(&o->device, err))
		return -1;
	if (!o->jobs)
		o->jobs = timed ? timed_jobs(o) : device_jobs(&o->device, ay_cpu_count());
	e->clocks = timed ? choose_clocks(e) : 0;
	if (timed && !o->device.cuda && ((o->jobs > 1 && !e->clocks) || o->device.n > 1))
		return ay_fail(err, AY_ERR_USAGE,
			       "--%s %lld beside --timing: kernels that are judged at the same time would disturb "
			       "each other's times; leave one of them out",
			       o->device.n > 1 ? "device-count" : "jobs",
			       (long long)(o->device.n > 1 ? o->device.n : o->jobs));
	return device_check_jobs(&o->device, o->jobs, err);
}

/* Decides about timing. The reference is what others are compared with; the small cases of smoke
 * and opinfo say nothing about speed. */
int eval_choose_timing(struct eval *e, struct ay_err *err)
{
	const bool worth = strcmp(e->o.backend, "reference") && strcasecmp(e->o.suite, "smoke") &&
			   strcasecmp(e->o.suite, "opinfo");

	if (!e->o.clock.timing && e->o.quick) /* --quick is for verdicts, not for times */
		e->o.clock.timing = "none";
	if (clock_policy(&e->o.clock, worth ? AY_TIMED_AUTO : AY_TIMED_NONE, &e->timing, err))
		return -1;
	if (!strcmp(e->o.backend, "reference"))
		e->timing.mode = AY_TIMED_NONE;
	return choose_workers(e, err);
}

int eval_choose_drawing(struct eval *e, struct ay_err *err)
{
	const bool whole = ay_suite_promised(e->o.suite, NULL) > 0 && !e->o.topn && !e->o.smallest;
	const uint64_t seed = e->drawing.seed;

	if (drawn_policy(&e->o.drawn, whole ? AY_DRAWN_QUICK : 0, false, e->o.seed, &e->drawing, err))
		return -1;
	if (e->o.resume)
		e->drawing.seed = seed;
	return 0;
}

static int prepare(struct eval *e, struct ay_err *err)
{
	if (!e->o.suite)
		e->o.suite = e->o.own.file ? own_suite_name(&e->o.own) : "kernelgenbench-aten";
	if (!e->o.backend)
		e->o.backend = e->o.kernels || e->o.own.file ? "directory" : "reference";
	if (e->o.own.file && !strcmp(e->o.backend, "reference"))
		return ay_fail(
			err, AY_ERR_USAGE,
			"--ref is the reference of your own operator, which is judged by it: name kernels for it "
			"with --kernels DIR");
	if (eval_choose_timing(e, err))
		return -1;
	e->policy = (struct ay_policy){ .threads = (int)e->o.threads,
					.oracle_threads = 1,
					.call_timeout_s = e->o.call_timeout,
					.has_seed = e->o.seed >= 0,
					.seed = e->o.seed >= 0 ? (uint64_t)e->o.seed : 0,
					.crowd = (int)e->o.jobs * e->o.device.n,
					.memory_free = ay_memory_available(),
					.device_crowd = (int)e->o.jobs };
	if (eval_choose_drawing(e, err))
		return -1;
	if (e->timing.mode != AY_TIMED_NONE && e->o.device.cuda && e->o.jobs > 1 &&
	    !sched_getaffinity(0, sizeof e->all_cpus, &e->all_cpus))
		e->policy.cpus = &e->all_cpus;
	/* with two kernels at a time on a GPU, most cores are free for the oracle */
	if (ay_cpu_count() > e->policy.crowd)
		e->policy.oracle_threads = ay_cpu_count() / e->policy.crowd;
	return torch_policy(&e->o.torch, &e->policy, err) || eval_own(e, err) || eval_plan(e, err) ? -1 : 0;
}

/* Prepares compiler and sandbox. The reference needs neither: it is trusted and runs in this
 * process. */
int eval_guard(struct eval *e, struct ay_err *err)
{
	enum ay_sandbox_mode mode = e->o.no_sandbox ? AY_SANDBOX_OFF
				    : e->o.unsafe   ? AY_SANDBOX_UNSAFE
						    : AY_SANDBOX_FULL;

	e->facts.sandbox = "not needed";
	if (!e->backend.n && !eval_is_package(e) && !llm_is_backend(e->o.backend))
		return 0;
	if (ay_forge_init(&e->forge, e->o.cache, err) || ay_sandbox_new(&e->sandbox, mode, err))
		return -1;
	e->facts.sandbox = ay_sandbox_text(e->sandbox, e->app->arena);
	return 0;
}

void eval_release(struct eval *e)
{
	ay_sandbox_free(e->sandbox);
	ay_forge_release(&e->forge);
	ay_backend_release(&e->backend);
	ay_suite_release(&e->suite);
	own_close(&e->o.own);
	ay_python_close(&e->o.torch.interpreter);
}

static int run(struct eval *e, struct ay_err *err)
{
	int status = EXIT_FAILED;

	e->tty = isatty(2) && !e->o.json;
	if (eval_settle(e, err))
		return EXIT_FAILED;
	if (!eval_names_work(e))
		return eval_help(), EXIT_FAILED;
	if (eval_take_backendbench(e, err))
		return EXIT_FAILED;
	if (e->o.backend && llm_is_backend(e->o.backend))
		return llm_run(e, err);
	if (llm_given(&e->llm))
		return ay_fail(err, AY_ERR_USAGE, "%s is for the backends llm and kernel_agent",
			       llm_given(&e->llm)),
		       EXIT_FAILED;
	if (!prepare(e, err)) {
		if (e->o.list)
			eval_print_list(e), status = EXIT_PASSED;
		else if (!eval_guard(e, err))
			status = evaluate(e);
	}
	return status;
}

int cmd_eval(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	struct eval e = { .app = app, .command = "eval", .begin = ay_now_ns(), .last = ay_now_ns(), .err = err };
	const struct opt opts[] = {
		{ "suite|dataset", OPT_TEXT, &e.o.suite, "S",
		  "smoke, demo, kernelgenbench[-aten|-vllm|-cublas], opinfo, torchbench, a trace of suites/ "
		  "(bert), or a "
		  "file of case lines" },
		{ "backend", OPT_TEXT, &e.o.backend, "B",
		  "reference, aten, flag_gems, directory, llm or kernel_agent" },
		{ "kernels|ops-directory", OPT_TEXT, &e.o.kernels, "DIR",
		  "the folder of backend directory (generated_kernels)" },
		{ "follow-links", OPT_FLAG, &e.o.follow_links, NULL,
		  "judge the files that symbolic links in that folder name; without it they are refused" },
		{ "ops|op|op-name", OPT_TEXT, &e.o.ops, "A,B",
		  "only these operators (add) or overloads (add.Tensor)" },
		{ "topn|topn-inputs", OPT_INT, &e.o.topn, "N",
		  "of every overload only the N inputs with most bytes", 1, OPT_ANY },
		{ "smallest", OPT_INT, &e.o.smallest, "N", "of every overload only the N inputs with least bytes",
		  1, OPT_ANY },
		{ "data|alternative-torchbench-data-path", OPT_TEXT, &e.o.data, "FILE",
		  "the trace of suite torchbench, as text or parquet" },
		{ "dtypes", OPT_TEXT, &e.o.dtypes, "A,B",
		  "only cases about these dtypes (opinfo: f32,bf16,i64,c64)" },
		{ "list", OPT_FLAG, &e.o.list, NULL, "print which file is for which operator, and judge nothing" },
		{ "quick", OPT_FLAG, &e.o.quick, NULL,
		  "only the quick cases, and no times unless --timing says so" },
		{ "jobs", OPT_INT, &e.o.jobs, "N",
		  "kernels judged at once on each device (the number of cores; on a GPU 2; 1 where they are "
		  "timed, of a package's also more: they are timed when all are judged)",
		  1, WORKERS_MAX },
		{ "threads", OPT_INT, &e.o.threads, "N", "threads a kernel may use (1)", 1, THREADS_MAX },
		{ "timeout", OPT_REAL, &e.o.timeout, "S", "seconds one kernel may take for one operator (300)",
		  OPT_ABOVE_0, SECONDS_MAX },
		{ "call-timeout", OPT_REAL, &e.o.call_timeout, "S",
		  "seconds one call may take (10); a first call that compiles may need more", OPT_ABOVE_0,
		  SECONDS_MAX },
		CLOCK_OPTS(&e.o.clock),
		DRAWN_OPTS(&e.o.drawn),
		TORCH_OPTS(&e.o.torch),
		LLM_OPTS(&e.llm),
		AGENT_OPTS(&e.llm),
		DEVICE_OPTS(&e.o.device),
		OWN_OPTS(&e.o.own),
		BACKENDBENCH_OPTS(&e.o),
		{ "seed", OPT_INT, &e.o.seed, "N",
		  "inputs that follow from N, so that two runs agree; without it they are drawn by chance", 0,
		  OPT_ANY },
		{ "out|log-dir|output-dir", OPT_TEXT, &e.o.out, "DIR", "the run folder (runs/eval-...)" },
		{ "resume-from", OPT_TEXT, &e.o.resume, "RUN", "go on with a run that did not end" },
		{ "require-all", OPT_FLAG, &e.o.require_all, NULL,
		  "operators without a kernel count as failures" },
		{ "min-pass", OPT_REAL, &e.o.min_pass, "P", "exit status 0 if at least P % of the operators pass",
		  0, 100 },
		{ "unsafe", OPT_FLAG, &e.o.unsafe, NULL,
		  "run kernels although this machine grants no sandbox; none passes" },
		{ "no-sandbox", OPT_FLAG, &e.o.no_sandbox, NULL, "run without one, for a debugger; none passes" },
		{ "cache", OPT_TEXT, &e.o.cache, "DIR", "where compiled kernels and opinfo are kept; '' = nowhere",
		  .empty = true },
		{ "json", OPT_FLAG, &e.o.json, NULL, "one JSON object a record, a summary last" },
		{ 0 },
	};
	int n, status;

	e.o = EVAL_DEFAULTS;
	e.llm = LLM_DEFAULTS;
	e.facts.version = app->version;
	n = opt_parse(argc, argv, opts, &usage, err);
	if (n < 0)
		return opt_status(n);
	if (e.o.device.wish && ay_dev_check_wish(e.o.device.wish, err))
		return EXIT_FAILED;
	status = run(&e, err);
	eval_release(&e);
	return status;
}
