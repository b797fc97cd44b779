/* SPDX-License-Identifier: Apache-2.0
 *
 * eval - the inside of the command, shared by its files: eval_backend.c says where
 * kernels come from, eval_plan.c what there is to do, eval_work.c does it
 * in a worker, eval_run.c gives it out and keeps the records, eval.c sums up.
 */
#ifndef AY_CMD_EVAL_H
#define AY_CMD_EVAL_H

#include "cmd.h"
#include "base/worker_pool.h"
#include "timing_opts.h"
#include "device_opts.h"
#include "llm.h"
#include "own.h"
#include "torch_opts.h"
#include "judge/backend.h"
#include "case_record.h"
#include "store/run.h"
#include "store/summary.h"

#include <math.h>

enum { SOURCE_MAX = 4 << 20 };
#define EVAL_NOT_GIVEN INT64_MIN /* nobody asks for so few threads */

struct eval_options {
	const char *suite, *backend, *kernels, *ops, *dtypes, *out, *resume, *cache, *data;
	bool list, quick, json, require_all, unsafe, no_sandbox;
	int64_t jobs, topn, smallest;
	int64_t seed;        /* -1: none was given, and inputs are drawn by chance */
	int64_t threads;     /* may be EVAL_NOT_GIVEN until eval_settle */
	double call_timeout; /* likewise, NAN */
	double timeout;
	double min_pass;       /* below 0: none was given */
	double p;              /* a further threshold of perf@p; NAN: none was given */
	const char *log_level; /* of BackendBench, as are: */
	bool overhead_dominated, no_logs, daemon, no_daemon;
	struct clock_options clock;
	struct torch_options torch;
	struct device_options device;
	struct own_options own;
};
#define EVAL_DEFAULTS                                      \
	((struct eval_options){ .threads = EVAL_NOT_GIVEN, \
				.call_timeout = NAN,       \
				.timeout = 300,            \
				.seed = -1,                \
				.min_pass = -1,            \
				.p = NAN })

/* What BackendBench's command line has besides: eval_take_backendbench says what becomes of each. */
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
	const char *file; /* of a package its name and version; NULL: the reference */
	const struct ay_entry_op *op;
	const struct ay_schema *schema;
	enum ay_lang lang;
	char sha256[65];
	int cases, seen; /* that may come (exact once the kernel is loaded), and that are known */
	double work;     /* of them, in bytes */
	int parts;       /* that its cases are judged in, by several workers; 0: all of it by one */
	bool timed;      /* it has cases that are timed, in no part: see struct eval's clocks */
	int parts_done;
	bool recalled; /* what is known of its cases was counted */
	bool finished; /* its last record has come */
	bool broken;   /* a worker died of it */
	struct device_losses losses;
};

/*
 * What one worker does at a time: a job, or a part of its cases. After all parts the job is given once more, with all
 * that is known of it, and what is left to do is to sum up, as when a run is resumed, and before that what is timed.
 */
struct eval_turn {
	struct eval_job *job;
	int part; /* -1: all of it */
	enum { EVAL_WAITING, EVAL_GIVEN, EVAL_DONE } state;
	int64_t given; /* when */
	int place;     /* in the queue */
};

/* An overload that the suite names and has no case for. */
struct eval_left {
	const char *op, *overload, *reason; /* op: "aten::add" */
};

struct eval {
	struct app *app;
	const char *command;
	struct eval_options o;
	struct llm_options llm; /* of the backends llm and kernel_agent */
	uint32_t dtypes;        /* of --dtypes; 0 = all */
	struct ay_suite suite;
	int nleft;
	struct eval_left *left;
	struct ay_backend backend;
	const char *package; /* "aten 2.13.0+cpu"; NULL: it is none */
	int njob;
	struct eval_job *job;
	struct ay_forge forge;
	struct ay_exec *spare, *spare_base, *spare_witness[2]; /* of a worker: see struct ay_policy */
	struct ay_idle_memory memory;
	struct ay_exec_cache kept; /* and struct ay_perf_policy */
	struct ay_policy policy;
	cpu_set_t all_cpus; /* of this process, before workers leave some to kernels that are timed */
	struct ay_perf_policy timing;
	struct ay_sandbox *sandbox; /* of this process; every worker makes its own */
	struct ay_run *run;
	struct record_facts facts; /* in a worker */
	struct ay_worker_pool *crew;
	/* So many workers of a device time kernels, after all of them have judged what is not timed: beside others calls
	 * of 10 us scatter by a tenth and take five times as many blocks, and others wait for the GPU meanwhile. 0: whoever
	 * judges a kernel times it at once. */
	int clocks;
	int nturn;
	struct eval_turn *turn, **queue;
	int first; /* in the queue: all before it are given or done */
	/* progress: cases; of those done some were known before, and some will never come */
	int64_t begin, last;
	int total, done, recalled, never, failures;
	int unused; /* kernels that define nothing that the suite has a case for */
	int errors_said;
	bool tty;
	struct ay_err *err;
};

/* Where the suite's lines are: its name, or a file. The trace of torchbench is looked for; parquet is converted,
 * once. */
int eval_find_data(struct eval *e, const char **from, struct ay_err *err);
/* The suite, then one job a kernel file (or, where there are no files, an operator). */
int eval_plan(struct eval *e, struct ay_err *err);
/* Its first half. */
int eval_suite(struct eval *e, struct ay_err *err);
/* A package of Python, and of whose operators it may have functions. */
struct eval_package {
	const char *name, *package, *ns, *get;
	enum ay_lang lang;
};
/* By the backend's name; NULL: it is none. */
const struct eval_package *eval_package(const char *backend);
/* Is there such a backend, its folder or package, and anything in it? Before the suite is made. */
int eval_backend(struct eval *e, struct ay_err *err);
/* The files of the backend directory, and what is wrong with them. After the suite is made: its operators may be those of
 * the registry that torch alone knows. */
int eval_scan(struct eval *e, struct ay_err *err);
/* The folder of the backend directory. */
const char *eval_folder(const struct eval *e);
/* { operator: true }: what the run has a kernel for, as far as that is known before the kernels are loaded. */
json_t *eval_planned(const struct eval *e);
/* Is the backend a package of Python: torch itself, or one for it? */
bool eval_is_package(const struct eval *e);
/* The file of the suite opinfo, made if it is not there yet, and what is not in it. */
int eval_opinfo(struct eval *e, const char **path, struct ay_err *err);
/* Which file is for which operator, and every file that was not understood. */
void eval_print_list(const struct eval *e);
/* One line of such a list: an operator, and how many cases the suite has for it. */
void eval_print_cases(const struct eval *e, const char *name, int cases);
/* Is it said what to judge? Without suite, backend and kernels a folder generated_kernels stands for them, on the suite
 * smoke. */
bool eval_names_work(struct eval *e);
/* What to say where it is not: to standard error. */
void eval_help(void);
/* Flags of BackendBench: gives them their meaning here, or says what does. -1: what was asked for is not there. */
int eval_take_backendbench(struct eval *e, struct ay_err *err);
/* What was not given: of a run that is resumed as it was then, else the defaults. */
int eval_settle(struct eval *e, struct ay_err *err);
/* The file of --ref, which must be that of the run that is resumed, and what judges need to know of it. */
int eval_own(struct eval *e, struct ay_err *err);
/* Whether it is timed, and by that the devices, and how many workers each has. */
int eval_choose_timing(struct eval *e, struct ay_err *err);
/* Compiler and sandbox. */
int eval_guard(struct eval *e, struct ay_err *err);
/* For run.json. */
json_t *eval_header(const struct eval *e);
/* The record of the denominators. */
int eval_add_suite(struct eval *e);
/* All jobs, by the crew. */
int eval_run_jobs(struct eval *e);
int eval_keep_progress(struct eval *e, bool last);
bool eval_is_good(enum ay_verdict v);
void eval_print_table(const struct ay_summary *s);
void eval_release(struct eval *e);
/* The type of a message from a worker that is no record: how many cases its kernel will be judged on. */
#define EVAL_PLAN "plan"
/* One job, in a worker; user is the struct eval. */
void eval_work(void *user, const char *text, size_t len, struct ay_worker_out *out);
/* Is the case among those that a resumed run knows ({ id: verdict })? Then rep has its verdict. */
bool eval_known(const json_t *known, const struct ay_suite_case *sc, struct ay_report *rep);
/* The backends llm and kernel_agent, and the command llm; gives the exit status. */
int llm_run(struct eval *e, struct ay_err *err);

/* perf@P of --p: a line for people, an object for programs. */
void eval_print_perf_at(const struct ay_summary *s, double p);
json_t *eval_perf_at_json(const struct ay_summary *s, double p);

#endif
