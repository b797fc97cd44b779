/* SPDX-License-Identifier: Apache-2.0
 *
 * check - the state of one `assay check`, and the functions of check_print.c that print its
 * results.
 */
#ifndef AY_CMD_CHECK_H
#define AY_CMD_CHECK_H

#include "cmd.h"
#include "exec/printed.h"
#include "judge/task.h"
#include "timing_opts.h"
#include "device_opts.h"
#include "drawn_opts.h"
#include "examples.h"
#include "own.h"
#include "case_record.h"
#include "torch_opts.h"

/* The command-line options. */
struct check_options {
	const char *op, *line, *cache, *out, *resume, *dtypes, *dump;
	bool json, full, tf32, all, verbose, fresh, unsafe, no_sandbox, sources_only;
	int64_t threads, jobs, seed;
	double timeout;
	struct clock_options clock;
	struct drawn_options drawn;
	struct torch_options torch;
	struct device_options device;
	struct own_options own;
};

/* The state of one check. */
struct check {
	struct app *app;
	struct ay_err *err;
	struct check_options o;
	struct ay_task task;
	struct ay_sandbox *sandbox;
	const char *compiler;
	struct record_facts facts;
	struct examples examples;
	struct ay_printed printed; /* what the kernel has printed since the last case */
	size_t printed_shown;
	int printed_left; /* number of cases whose output is not shown */
	/* detail of the first case that is a CRASH; NULL: there is none */
	const char *crash;
	char skipped[300];   /* why the first SKIPPED case was skipped */
	struct ay_str times; /* the table of times */
	/* its rows that say more than that a dtype did not pass */
	int timed;
	const struct ay_task_result *result; /* the result so far */
	/* for the progress line */
	bool tty;
	int64_t begin, last;
	int done;
};

/* Callbacks of struct ay_task_watch; `user` is the struct check. */
void check_on_built(void *user, const struct ay_task_result *r);
int check_on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		    const struct ay_report *rep);
void check_on_timing(void *user, const struct ay_suite_case *sc);
/* Prints the end of the report: examples, tallies, times, the verdict. */
void check_print_result(struct check *c, const struct ay_task_result *r);

#endif
