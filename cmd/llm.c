/* SPDX-License-Identifier: Apache-2.0
 *
 * llm - has a language model write kernels, and judges them.
 *
 * This file has the command's options and their defaults, and restores the options of a resumed
 * run.
 */
#include "llm_internal.h"
#include "base/machine.h"
#include "base/process.h"
#include "device/device.h"
#include "exec/interpreter.h"

#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct usage usage = {
	"assay llm [--dataset D] [--model-name M] [options]",
	"Asks a language model for a kernel of every operator of a set, judges each answer, and asks again for "
	"what "
	"is not\n"
	"solved, --max-rounds times. Generating and judging overlap. Every question, answer, kernel and verdict "
	"is kept in "
	"the run\n"
	"folder; a killed run goes on with --resume-from and asks for nothing twice. Sets: KernelGenBench-aten, "
	"-vllm, -cublas,\n"
	"KernelGenBench, smoke, opinfo, torchbench, a file of case lines. Exit status: 0 when the run is "
	"complete; 1 with\n--min-pass if too few are solved; 2 usage or our failure.",
	"  assay llm --op-name aten::add --print-prompt                        what is asked; needs no key\n"
	"  OPENAI_API_KEY=... assay llm --op-name aten::add --model-name gpt-4o\n"
	"  assay llm --dataset KernelGenBench-aten --max-rounds 5 --reflection --lang c --quick\n"
	"  assay llm --dataset KernelGenBench --samples 10                     the unbiased pass@k, k = 1 to 10\n"
	"  assay llm --ref ref.py --lang triton                                an operator of your own\n"
	"  assay llm --resume-from runs/llm-...                                go on where it was killed\n"
	"  assay llm --server-type replay --replay-from runs/llm-... --dataset KernelGenBench-aten\n",
};

bool llm_is_backend(const char *backend)
{
	return !strcmp(backend, "llm") || !strcmp(backend, "kernel_agent");
}

static bool is_agent(const struct eval *e)
{
	return !strcmp(e->o.backend, "kernel_agent");
}

/* --- what a resumed run was started with ------------------------------------------------------ */

/* Options that a run stores. When it is resumed, they must be absent or equal. */
static const struct setting {
	const char *key, *flag;
	enum opt_kind kind;
	size_t at;
} settings[] = {
	{ "server", "--server-type", OPT_TEXT, offsetof(struct llm_options, server) },
	{ "model", "--model-name", OPT_TEXT, offsetof(struct llm_options, model) },
	{ "lang", "--lang", OPT_TEXT, offsetof(struct llm_options, lang) },
	{ "prompts", "--prompts", OPT_TEXT, offsetof(struct llm_options, prompts) },
	{ "replay", "--replay-from", OPT_TEXT, offsetof(struct llm_options, replay) },
	{ "rounds", "--max-rounds", OPT_INT, offsetof(struct llm_options, rounds) },
	{ "samples", "--samples", OPT_INT, offsetof(struct llm_options, samples) },
	{ "workers", "--kernel-agent-workers", OPT_INT, offsetof(struct llm_options, agent_workers) },
	{ "max_tokens", "--max-tokens", OPT_INT, offsetof(struct llm_options, max_tokens) },
	{ "temperature", "--temperature", OPT_REAL, offsetof(struct llm_options, temperature) },
	{ "reflection", "--reflection", OPT_FLAG, offsetof(struct llm_options, reflection) },
	{ "best", "--best", OPT_FLAG, offsetof(struct llm_options, best) },
	{ "per_overload", "--per-overload", OPT_FLAG, offsetof(struct llm_options, per_overload) },
	{ "held_out", "--held-out", OPT_INT, offsetof(struct llm_options, held_out) },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static json_t *setting_json(const void *at, enum opt_kind kind)
{
	switch (kind) {
	case OPT_TEXT: return *(const char *const *)at ? json_string(*(const char *const *)at) : json_null();
	case OPT_INT: return json_integer(*(const int64_t *)at);
	case OPT_REAL: return json_real(*(const double *)at);
	default: return json_boolean(*(const bool *)at);
	}
}

static bool is_given(const void *at, enum opt_kind kind)
{
	switch (kind) {
	case OPT_TEXT: return *(const char *const *)at;
	case OPT_INT: return *(const int64_t *)at;
	case OPT_REAL: return *(const double *)at >= 0;
	default: return *(const bool *)at;
	}
}

const char *llm_given(const struct llm_options *o)
{
	for (int i = 0; i < SETTINGS; i++)
		if (is_given((const char *)o + settings[i].at, settings[i].kind))
			return settings[i].flag;
	return o->agent_rounds   ? "--kernel-agent-max-rounds"
	       : o->in_flight    ? "--num-workers"
	       : o->print_prompt ? "--print-prompt"
				 : NULL;
}

json_t *llm_settings_json(const struct llm *m)
{
	json_t *j = json_object();

	for (int i = 0; i < SETTINGS; i++)
		json_object_set_new(j, settings[i].key,
				    setting_json((const char *)&m->e->llm + settings[i].at, settings[i].kind));
	return j;
}

static int take_setting(struct eval *e, const struct setting *s, const json_t *then, struct ay_err *err)
{
	void *at = (char *)&e->llm + s->at;
	json_t *now = setting_json(at, s->kind);
	const bool same = json_equal(now, then);
	const bool given = is_given(at, s->kind);

	json_decref(now);
	if (given && !same)
		return ay_fail(err, AY_ERR_USAGE,
			       "the run was started with another %s: leave it out to go on, or start a new run",
			       s->flag);
	if (s->kind == OPT_TEXT && json_is_string(then))
		*(const char **)at = ay_strdup(e->app->arena, json_string_value(then));
	else if (s->kind == OPT_INT && json_is_integer(then))
		*(int64_t *)at = json_integer_value(then);
	else if (s->kind == OPT_REAL && json_is_number(then))
		*(double *)at = json_number_value(then);
	else if (s->kind == OPT_FLAG)
		*(bool *)at = json_is_true(then);
	return 0;
}

static json_t *read_head(const char *dir, struct ay_err *err)
{
	json_t *j = ay_run_head(dir, err);

	if (!j || json_is_object(json_object_get(j, "llm")))
		return j;
	ay_fail(err, AY_ERR_USAGE, "'%s' is no run in which a model wrote kernels", dir);
	json_decref(j);
	return NULL;
}

static int take_over(struct llm *m, struct ay_err *err)
{
	struct eval *e = m->e;
	json_t *head = read_head(e->o.resume, err);
	const json_t *kept = json_object_get(head, "llm");
	const char *command = json_string_value(json_object_get(head, "command"));
	int rc = head ? 0 : -1;

	if (e->llm.agent_rounds && !rc)
		rc = take_setting(e,
				  &(struct setting){ "rounds", "--kernel-agent-max-rounds", OPT_INT,
						     offsetof(struct llm_options, agent_rounds) },
				  json_object_get(kept, "rounds"), err);
	for (int i = 0; i < SETTINGS && !rc; i++)
		rc = take_setting(e, &settings[i], json_object_get(kept, settings[i].key), err);
	if (!rc) {
		const char *hash = json_string_value(json_object_get(kept, "prompts_sha256"));

		m->prompts_then = hash ? ay_strdup(e->app->arena, hash) : NULL;
		if (command)
			e->command = ay_strdup(e->app->arena, command);
	}
	json_decref(head);
	return rc;
}

/* --- what was not given ----------------------------------------------------------------------- */

/* Maps values of BackendBench's --dsl to languages of assay. */
static const struct {
	const char *word, *lang; /* NULL: not supported */
} dsls[] = { { "pytorch", "python" }, { "cutedsl", NULL }, { "helion", NULL } };

static int check_prompts(const char *dir, struct ay_err *err)
{
	if (!dir || !access(dir, R_OK | X_OK))
		return 0;
	return ay_fail_errno(err, AY_ERR_USAGE, "--prompts: cannot read the folder '%s'", dir);
}

static int find_lang(struct llm *m, struct ay_err *err)
{
	struct llm_options *o = &m->e->llm;

	for (size_t i = 0; o->lang && i < sizeof dsls / sizeof *dsls; i++) {
		if (strcmp(o->lang, dsls[i].word))
			continue;
		if (!dsls[i].lang)
			return ay_fail(err, AY_ERR_USAGE,
				       "kernels in %s are not judged here: triton, cuda, c or python", o->lang);
		o->lang = dsls[i].lang;
	}
	if (!o->lang)
		o->lang = m->gpu ? "triton" : "c";
	if (ay_prompt_lang_find(o->lang, &m->lang, err))
		return -1;
	if (ay_lang_of(ay_sprintf(m->e->app->arena, "kernel%s", ay_prompt_lang_end(m->lang)), &m->forge_lang,
		       err)) {
		ay_err_prefix(err, "--lang %s", o->lang);
		return -1;
	}
	return 0;
}

/* Returns the GPU's name, such as "NVIDIA H200", from the driver's /proc file. CUDA must not be
 * started here, because workers are not forked yet. */
static const char *gpu_name(struct ay_arena *a)
{
	const char *name = "an NVIDIA GPU";
	glob_t g;

	if (glob("/proc/driver/nvidia/gpus/*/information", 0, NULL, &g))
		return name;
	for (size_t i = 0; i < g.gl_pathc && i < 1; i++) {
		FILE *f = fopen(g.gl_pathv[i], "re");
		char line[200], model[160];

		while (f && fgets(line, sizeof line, f))
			if (sscanf(line, "Model: %159[^\n]", model) == 1)
				name = ay_strdup(a, model);
		if (f)
			fclose(f);
	}
	globfree(&g);
	return name;
}

/* Finds the device: CUDA kernels run on the GPU, Triton kernels on it if there is one, all others
 * on the processor. */
static int find_device(struct llm *m, struct ay_err *err)
{
	const char **wish = &m->e->o.device.wish;
	const bool named = *wish && strcmp(*wish, "auto");
	struct ay_arena *a = m->e->app->arena;
	struct ay_err unmeasured = { 0 };
	char why[300] = "--device is cpu", *cpu;
	bool cuda;

	m->gpu = (!named || strcmp(*wish, "cpu")) && ay_dev_has_cuda(why, sizeof why);
	if (find_lang(m, err))
		return -1;
	cuda = named && ay_starts(*wish, "cuda");
	if (cuda && m->lang == AY_PROMPT_C)
		return ay_fail(err, AY_ERR_USAGE, "--device %s: kernels in C run on the processor", *wish);
	if ((cuda || m->lang == AY_PROMPT_CUDA) && !m->gpu && !m->e->llm.print_prompt)
		return ay_fail(err, AY_ERR_USAGE, "%s %s: there is no NVIDIA GPU for it: %s (see: assay doctor)",
			       cuda ? "--device" : "--lang", cuda ? *wish : "cuda", why);
	if (m->lang == AY_PROMPT_TRITON && m->gpu && !named)
		*wish = "cuda";
	if (cuda || m->lang == AY_PROMPT_CUDA || (m->lang == AY_PROMPT_TRITON && m->gpu)) {
		m->device = gpu_name(a);
		return 0;
	}
	if (ay_ceilings_load(&m->ceilings, &m->measured, &unmeasured))
		m->measured = false;
	cpu = ay_machine_cpu(a);
	cpu[strcspn(cpu, "#")] = 0;
	m->device = ay_sprintf(a, "%d CPUs of %s", ay_cpu_count(), cpu);
	return 0;
}

/* Fails if the kernels are in Python and there is no interpreter, rather than with every kernel. */
static int find_python(struct llm *m, struct ay_err *err)
{
	struct ay_interpreter i;

	if (m->lang != AY_PROMPT_PYTHON && m->lang != AY_PROMPT_TRITON)
		return 0;
	if (ay_interpreter_look(m->e->app->arena, m->e->o.torch.python, &i, err))
		return -1;
	if (m->lang == AY_PROMPT_TRITON && !i.triton)
		return ay_fail(
			err, AY_ERR_USAGE,
			"'%s' has no package triton: install it there, name another interpreter with --python, "
			"or ask for another --lang",
			i.path);
	return 0;
}

static int find_server(struct llm *m, struct ay_err *err)
{
	struct llm_options *o = &m->e->llm;
	const bool anthropic = !strcmp(m->e->command, "eval") && !is_agent(m->e);
	static const char *const names[] = { "openai", "anthropic", "replay" };
	static const char *const models[] = { "gpt-4o", "claude-sonnet-4-20250514", NULL };
	const char *note = NULL;

	if (ay_chat_server(o->server, anthropic ? AY_SERVER_ANTHROPIC : AY_SERVER_OPENAI, &m->server, &note, err))
		return -1;
	if (note)
		fprintf(stderr, "assay: %s\n", note);
	if ((m->server == AY_SERVER_REPLAY) != (o->replay != NULL))
		return ay_fail(err, AY_ERR_USAGE,
			       "--server-type replay and --replay-from RUN go together: the run has the answers");
	if (o->replay && !o->model) {
		json_t *head = read_head(o->replay, err);
		const char *model = json_string_value(json_object_get(json_object_get(head, "llm"), "model"));

		if (model)
			o->model = ay_strdup(m->e->app->arena, model);
		json_decref(head);
		if (!head)
			return -1;
	}
	o->server = names[m->server];
	if (!o->model)
		o->model = models[m->server] ? models[m->server] : "replay";
	return 0;
}

static int find_track(struct llm *m, struct ay_err *err)
{
	struct llm_options *o = &m->e->llm;
	const bool eval = !strcmp(m->e->command, "eval");

	if (is_agent(m->e) && o->agent_rounds)
		o->rounds = o->agent_rounds;
	if (!is_agent(m->e) && ((o->agent_workers && o->agent_workers != 1) || o->agent_rounds))
		return ay_fail(err, AY_ERR_USAGE, "--kernel-agent-* are for --backend kernel_agent");
	if (o->samples && (o->reflection || is_agent(m->e) || (o->rounds && o->rounds != o->samples)))
		return ay_fail(
			err, AY_ERR_USAGE,
			"--samples draws independent samples: --reflection, --max-rounds and kernel_agent are "
			"something else");
	m->kind = is_agent(m->e)                     ? AY_TRACK_AGENT
		  : o->samples                       ? AY_TRACK_SAMPLES
		  : o->reflection || eval || o->best ? AY_TRACK_REPAIR
						     : AY_TRACK_SEQUENCE;
	o->reflection = m->kind == AY_TRACK_REPAIR || m->kind == AY_TRACK_AGENT;
	if (!o->rounds)
		o->rounds = o->samples ? o->samples : eval && !is_agent(m->e) ? 5 : 10;
	if (!o->agent_workers)
		o->agent_workers = is_agent(m->e) ? 4 : 1;
	if (!o->max_tokens)
		o->max_tokens = 16384;
	if (!o->in_flight)
		o->in_flight = 150;
	if (o->temperature < 0)
		o->temperature = 0.8;
	if (o->rounds < 1 || o->rounds > LLM_ROUNDS_MAX || o->agent_workers < 1 ||
	    o->agent_workers > LLM_LANES_MAX || o->in_flight < 1 || o->in_flight > LLM_IN_FLIGHT_MAX ||
	    o->samples < 0 || o->max_tokens < 1 || o->temperature > 2 || o->request_timeout < 0)
		return ay_fail(
			err, AY_ERR_USAGE,
			"out of range: --max-rounds and --samples go to %d, workers to %d, --num-workers to %d, "
			"--temperature to 2; --max-tokens is positive",
			LLM_ROUNDS_MAX, LLM_LANES_MAX, LLM_IN_FLIGHT_MAX);
	return 0;
}

/* Sets up the timing, which --best requires. */
static int find_timing(struct llm *m, struct ay_err *err)
{
	struct eval *e = m->e;

	if (!e->o.clock.timing && e->llm.best)
		e->o.clock.timing = "auto";
	if (eval_choose_timing(e, err))
		return -1;
	if (e->llm.best && e->timing.mode == AY_TIMED_NONE)
		return ay_fail(err, AY_ERR_USAGE,
			       "--best takes the fastest kernel: it goes with --timing auto or full");
	return 0;
}

int llm_settings(struct llm *m, struct ay_err *err)
{
	struct eval *e = m->e;
	bool chosen = e->o.ops;

	if (e->o.resume && take_over(m, err))
		return -1;
	if (!e->o.suite && e->o.own.file)
		e->o.suite = own_suite_name(&e->o.own), chosen = true;
	else if (!e->o.suite)
		e->o.suite = e->o.ops ? "KernelGenBench" : "KernelGenBench-aten";
	else
		chosen = true;
	if (!e->o.torch.allow)
		e->o.torch.allow = "helpers";
	if (check_prompts(e->llm.prompts, err) || find_track(m, err) || find_device(m, err) ||
	    find_timing(m, err) || find_python(m, err) ||
	    (!e->llm.print_prompt && !e->o.list && find_server(m, err)))
		return -1;
	e->policy = (struct ay_policy){ .threads = (int)e->o.threads,
					.oracle_threads = 1,
					.call_timeout_s = e->o.call_timeout,
					.crowd = (int)e->o.jobs * e->o.device.n,
					.memory_free = ay_memory_available(),
					.device_crowd = (int)e->o.jobs };
	if (torch_policy(&e->o.torch, &e->policy, err) || eval_own(e, err) || eval_choose_drawing(e, err))
		return -1;
	m->held.n = e->llm.held_out ? (int)e->llm.held_out : e->drawing.n ? AY_DRAWN_QUICK : 0;
	if (!chosen && !e->o.json && !e->o.list)
		fprintf(stderr, "the operators of %s; those of vLLM and cuBLAS too: --dataset KernelGenBench\n",
			e->o.suite);
	return 0;
}

/* --- the command ------------------------------------------------------------------------------ */

static int run(struct eval *e, struct ay_err *err)
{
	e->tty = isatty(2) && !e->o.json;
	if (eval_settle(e, err))
		return EXIT_FAILED;
	if (e->o.resume && (!e->o.backend || !llm_is_backend(e->o.backend)))
		return ay_fail(err, AY_ERR_USAGE, "'%s' is no run of a model's kernels: assay eval --resume-from",
			       e->o.resume),
		       EXIT_FAILED;
	e->o.backend = e->o.backend ? e->o.backend : "llm";
	return llm_run(e, err);
}

int cmd_llm(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	struct eval e = { .app = app, .command = "llm", .begin = ay_now_ns(), .last = ay_now_ns(), .err = err };
	const struct opt opts[] = {
		{ "dataset|suite", OPT_TEXT, &e.o.suite, "D",
		  "the operators: KernelGenBench-aten (default), -vllm, -cublas, KernelGenBench, smoke, opinfo, "
		  "..." },
		{ "op-name|op|ops", OPT_TEXT, &e.o.ops, "A,B", "only these operators (aten::add) or overloads" },
		{ "single-test", OPT_FLAG, &e.llm.single, NULL, "only one operator: with --seed always the same" },
		{ "debug", OPT_FLAG, &e.llm.debug, NULL, "only the first 8 operators" },
		LLM_OPTS(&e.llm),
		{ "list", OPT_FLAG, &e.o.list, NULL, "print the operators, and send no request" },
		{ "jobs", OPT_INT, &e.o.jobs, "N",
		  "kernels judged at once on each device (the number of cores; on a GPU 2; 1 where they are "
		  "timed)",
		  1, WORKERS_MAX },
		{ "timeout", OPT_REAL, &e.o.timeout, "S", "seconds one kernel may take to be judged (300)",
		  OPT_ABOVE_0, SECONDS_MAX },
		{ "call-timeout", OPT_REAL, &e.o.call_timeout, "S",
		  "seconds one call may take (10); a first call that compiles may need more", OPT_ABOVE_0,
		  SECONDS_MAX },
		{ "quick", OPT_FLAG, &e.o.quick, NULL,
		  "only the quick cases, and no times unless --timing says so" },
		{ "dtypes", OPT_TEXT, &e.o.dtypes, "A,B", "only cases about these dtypes" },
		{ "data|alternative-torchbench-data-path", OPT_TEXT, &e.o.data, "FILE",
		  "the trace of suite torchbench, as text or parquet" },
		{ "threads", OPT_INT, &e.o.threads, "N", "threads a kernel may use (1)", 1, THREADS_MAX },
		CLOCK_OPTS(&e.o.clock),
		DRAWN_OPTS(&e.o.drawn),
		TORCH_OPTS(&e.o.torch),
		DEVICE_OPTS(&e.o.device),
		OWN_OPTS(&e.o.own),
		{ "seed", OPT_INT, &e.o.seed, "N", "which operator --single-test takes", 0, OPT_ANY },
		{ "output-dir|out|log-dir", OPT_TEXT, &e.o.out, "DIR", "the run folder (runs/llm-...)" },
		{ "resume-from", OPT_TEXT, &e.o.resume, "RUN", "go on with a run that did not end" },
		{ "min-pass", OPT_REAL, &e.o.min_pass, "P", "exit status 1 if less than P % are solved", 0, 100 },
		{ "unsafe", OPT_FLAG, &e.o.unsafe, NULL,
		  "run kernels although this machine grants no sandbox; none passes" },
		{ "cache", OPT_TEXT, &e.o.cache, "DIR", "where compiled kernels are kept; '' = nowhere",
		  .empty = true },
		{ "json", OPT_FLAG, &e.o.json, NULL, "one JSON object an attempt, a summary last" },
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
