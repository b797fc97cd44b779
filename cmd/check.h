/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of one `assay check`, and the functions of check_print.c that print what it finds.
 */
#ifndef AY_CMD_CHECK_H
#define AY_CMD_CHECK_H

#include "cmd.h"
#include "exec/printed.h"
#include "judge/task.h"
#include "timing_opts.h"
#include "device_opts.h"
#include "examples.h"
#include "own.h"
#include "case_record.h"
#include "torch_opts.h"

/* What the command line says. */
struct check_options {
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
	struct check_options o;
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

/* Callbacks of struct ay_task_watch; `user` is the struct check. */
void check_on_built(void *user, const struct ay_task_result *r);
int check_on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		    const struct ay_report *rep);
void check_on_timing(void *user, const struct ay_suite_case *sc);
/* Prints everything that is left to say at the end: examples, tallies, times, the verdict. */
void check_print_result(struct check *c, const struct ay_task_result *r);

#endif
