/* SPDX-License-Identifier: Apache-2.0
 *
 * eval - the internal interface of the command, shared by its files. eval_backend.c finds the
 * kernels and eval_plan.c makes the list of jobs. eval_work.c judges a job in a worker. eval_run.c
 * distributes jobs and keeps the records, and eval.c sums up. eval_settle.c fills in options that were
 * not given.
 */
#ifndef AY_CMD_EVAL_H
#define AY_CMD_EVAL_H

#include "cmd.h"
#include "base/worker_pool.h"
#include "timing_opts.h"
#include "device_opts.h"
#include "drawn_opts.h"
#include "llm.h"
#include "own.h"
#include "torch_opts.h"
#include "judge/backend.h"
#include "case_record.h"
#include "store/run.h"
#include "store/summary.h"

enum { SOURCE_MAX = 4 << 20 };

struct eval_options {
	const char *suite, *backend, *kernels, *ops, *dtypes, *out, *resume, *cache, *data;
	bool list, quick, json, require_all, unsafe, no_sandbox, follow_links;
	int64_t jobs, topn, smallest;
	int64_t seed;        /* -1: not given; inputs are random */
	int64_t threads;     /* may be AY_UNSET until eval_settle */
	double call_timeout; /* may be AY_UNSET_REAL until eval_settle */
	double timeout;
	double min_pass;       /* below 0: not given */
	double p;              /* an additional threshold of perf@p; AY_UNSET_REAL: not given */
	const char *log_level; /* an option of BackendBench, like the next ones */
	bool overhead_dominated, no_logs, daemon, no_daemon;
	struct clock_options clock;
	struct drawn_options drawn;
	struct torch_options torch;
	struct device_options device;
	struct own_options own;
};
#define EVAL_DEFAULTS                                          \
	((struct eval_options){ .threads = AY_UNSET,           \
				.call_timeout = AY_UNSET_REAL, \
				.timeout = 300,                \
				.seed = -1,                    \
				.min_pass = -1,                \
				.drawn.n = AY_UNSET,           \
				.p = AY_UNSET_REAL })

/* Further options of BackendBench's command line. eval_take_backendbench gives each a meaning or a
 * message. */
#define BACKENDBENCH_OPTS(o)                                                                               \
	{ "p",                                                                                             \
	  OPT_REAL,                                                                                        \
	  &(o)->p,                                                                                         \
	  "P",                                                                                             \
	  "also say perf@P: the operators that are right and above P times the library",                   \
	  0,                                                                                               \
	  OPT_ANY },                                                                                       \
		{ "log-level", OPT_TEXT, &(o)->log_level, "L", "of BackendBench; does nothing" },          \
		{ "disable-output-logs", OPT_FLAG, &(o)->no_logs, NULL, "of BackendBench; does nothing" }, \
		{ "daemon", OPT_FLAG, &(o)->daemon, NULL, "of BackendBench; does nothing" },               \
		{ "no-daemon", OPT_FLAG, &(o)->no_daemon, NULL, "of BackendBench; does nothing" },         \
	{                                                                                                  \
		"check-overhead-dominated-ops", OPT_FLAG, &(o)->overhead_dominated, NULL,                  \
			"of BackendBench; refused: --smallest N takes the small inputs"                    \
	}

/* One job: a kernel file, or an operator of another backend. */
struct eval_job {
	const char *file; /* for a package its name and version; NULL: the reference */
	/* the file's content, which is read once, before the workers are forked; NULL: it could not
	 * be read, and `unread` says why */
	const char *source, *unread;
	size_t len;
	const struct ay_entry_op *op;
	const struct ay_schema *schema;
	enum ay_lang lang;
	char sha256[65];
	/* cases to expect (exact once the kernel is loaded), and cases with a result */
	int cases, seen;
	double work; /* size of its cases, in bytes */
	/* number of parts in which several workers judge its cases; 0: one worker judges all */
	int parts;
	/* it has timed cases, which belong to no part: see `clocks` in struct eval */
	bool timed;
	int parts_done;
	bool recalled; /* its known cases were counted */
	bool finished; /* its last record has arrived */
	bool broken;   /* a worker died while judging it */
	struct device_losses losses;
};

/*
 * What one worker does at a time: a job, or a part of its cases. After all parts the job is given
 * to a worker once more, with all known results. That turn judges the timed cases and sums up, as
 * when a run is resumed.
 */
struct eval_turn {
	struct eval_job *job;
	int part; /* -1: the whole job */
	enum { EVAL_WAITING, EVAL_GIVEN, EVAL_DONE } state;
	int64_t given; /* time when a worker got it */
	int place;     /* index in the queue */
};

/* An overload that the suite names but has no case for. */
struct eval_left {
	const char *op, *overload, *reason; /* op: "aten::add" */
};

struct eval {
	struct app *app;
	const char *command;
	struct eval_options o;
	struct llm_options llm; /* options of the backends llm and kernel_agent */
	uint32_t dtypes;        /* set of --dtypes; 0 = all */
	struct ay_suite suite;
	/* the cases drawn beside the suite's; its seed is in run.json, so that a resumed run draws
	 * the same */
	struct ay_drawing drawing;
	int nleft;
	struct eval_left *left;
	struct ay_backend backend;
	const char *package; /* "aten 2.13.0+cpu"; NULL: the backend is no package */
	int njob;
	struct eval_job *job;
	struct ay_forge forge;
	/* a worker's idle executors: see struct ay_policy */
	struct ay_exec *spare, *spare_base, *spare_aten_oracle[2];
	struct ay_idle_memory memory;
	struct ay_exec_cache kept; /* see struct ay_perf_policy */
	struct ay_policy policy;
	cpu_set_t all_cpus; /* CPUs of this process, before workers leave some to timed kernels */
	struct ay_perf_policy timing;
	struct ay_sandbox *sandbox; /* of this process; each worker makes its own */
	struct ay_run *run;
	struct record_facts facts; /* used in a worker */
	struct ay_worker_pool *pool;
	/* How many workers of a device time kernels. They do so after all untimed cases are judged:
	 * beside other work, calls of 10 us scatter by a tenth and need five times as many blocks,
	 * and others must wait for the GPU. 0: the worker that judges a kernel times it at once. */
	int clocks;
	int nturn;
	struct eval_turn *turn, **queue;
	int first; /* index in the queue before which every turn is given or done */
	/* progress in cases; of those `done`, some were known before; `never` will not come */
	int64_t begin, last;
	int total, done, recalled, never, failures;
	int unused; /* kernels for which the suite has no case */
	int errors_said;
	bool tty;
	struct ay_err *err;
};

/* Finds the file with the suite's lines; *from may also stay a suite's name. Looks for the trace of
 * torchbench. Converts parquet to text, once. */
int eval_find_data(struct eval *e, const char **from, struct ay_err *err);
/* Makes the suite, then one job for each kernel file (or each operator, if the backend has no
 * files). */
int eval_plan(struct eval *e, struct ay_err *err);
/* Makes the suite only. */
int eval_suite(struct eval *e, struct ay_err *err);
/* A Python package, and the namespace of the operators that it may implement. */
struct eval_package {
	const char *name, *package, *ns, *get;
	enum ay_lang lang;
};
/* Finds a package by the backend's name; NULL: the backend is no package. */
const struct eval_package *eval_package(const char *backend);
/* Checks that the backend exists, with its folder or package, and is not empty. Call it before the
 * suite is made. */
int eval_backend(struct eval *e, struct ay_err *err);
/* Scans the files of the backend directory and reports what is wrong with them. Call it after the
 * suite is made, which may add operators to the registry that only torch knows. */
int eval_scan(struct eval *e, struct ay_err *err);
/* Returns the folder of the backend directory. */
const char *eval_folder(const struct eval *e);
/* Returns { operator: true } for the operators with a kernel, as far as known before the kernels
 * are loaded. */
json_t *eval_planned(const struct eval *e);
/* Returns true if the backend is a Python package: torch itself, or one for it. */
bool eval_is_package(const struct eval *e);
/* Finds the file of the suite opinfo, and makes it if it does not exist. Also reads what the suite
 * leaves out. */
int eval_opinfo(struct eval *e, const char **path, struct ay_err *err);
/* Prints which file is for which operator, and every file that was not understood. */
void eval_print_list(const struct eval *e);
/* Prints one line of such a list: an operator and the number of its cases. */
void eval_print_cases(const struct eval *e, const char *name, int cases);
/* Returns true if the options say what to judge. If they name no suite, backend or kernels but a
 * folder generated_kernels exists, selects it and the suite smoke. */
bool eval_names_work(struct eval *e);
/* Prints to standard error how to say what to judge. */
void eval_help(void);
/* Interprets flags of BackendBench, or prints what to use instead. Returns -1 for a flag that
 * cannot be honoured. */
int eval_take_backendbench(struct eval *e, struct ay_err *err);
/* Fills in options that were not given: from the run that is resumed, else with defaults. */
int eval_settle(struct eval *e, struct ay_err *err);
/* Reads the file of --ref and sets the policy for it. Fails if a run is resumed and its file
 * differs. */
int eval_own(struct eval *e, struct ay_err *err);
/* Decides whether kernels are timed, and from that the devices and the workers of each. */
int eval_choose_timing(struct eval *e, struct ay_err *err);
/* Decides how many cases are drawn beside the suite's: some beside the sets, which list whole operators,
 * unless only few of their cases are wanted; beside other suites what --drawn says. */
int eval_choose_drawing(struct eval *e, struct ay_err *err);
/* Prepares compiler and sandbox. */
int eval_guard(struct eval *e, struct ay_err *err);
/* Returns the header for run.json. */
json_t *eval_header(const struct eval *e);
/* Adds the "suite" record, which has the denominators. */
int eval_add_suite(struct eval *e);
/* Runs all jobs on the worker pool. */
int eval_run_jobs(struct eval *e);
int eval_keep_progress(struct eval *e, bool last);
bool eval_is_good(enum ay_verdict v);
void eval_print_table(const struct ay_summary *s);
void eval_release(struct eval *e);
/* Type of a worker's message that is no record: how many cases its kernel will be judged on. */
#define EVAL_PLAN "plan"
/* Runs one job in a worker; user is the struct eval. */
void eval_work(void *user, const char *text, size_t len, struct ay_worker_out *out);
/* Returns true if `known` ({ id: verdict }), the results of a resumed run, has the case. Then rep
 * gets its verdict. */
bool eval_known(const json_t *known, const struct ay_suite_case *sc, struct ay_report *rep);
/* Runs the backends llm and kernel_agent, and the command llm. Returns the exit status. */
int llm_run(struct eval *e, struct ay_err *err);

/* perf@P of --p: print a line, or return a JSON object. */
void eval_print_perf_at(const struct ay_summary *s, double p);
json_t *eval_perf_at_json(const struct ay_summary *s, double p);

#endif
