/* SPDX-License-Identifier: Apache-2.0
 *
 * task - one kernel, from source to verdict: finds its operator, builds it, and judges every case
 * that it has a function for.
 *
 * `check` prints, `check -` streams and `eval` stores the results. All of them get these case by
 * case through callbacks.
 */
#ifndef AY_JUDGE_TASK_H
#define AY_JUDGE_TASK_H

#include "judge/perf.h"
#include "op/drawn.h"

struct ay_task {
	const char *file; /* its name, for finding the operator and for messages */
	/* NUL-terminated; for a backend without source its name and version: "aten 2.13.0" */
	const char *source;
	size_t len;
	enum ay_lang lang;
	/* NULL: found by the file's name, or by the functions that the source mentions */
	const struct ay_entry_op *op;
	/* The cases to judge: these lines, or those of the suite, or the operator's own up to a
	 * tier. */
	const char *const *line;
	int nline;
	const struct ay_suite *suite;
	enum ay_tier tier;
	/* cases drawn beside the operator's own ones (drawn.h); not beside lines or a suite */
	struct ay_drawing drawing;
	/* judge only cases about these dtypes (1 << dt), whether own cases or lines; 0: all */
	uint32_t dtypes;
	struct ay_policy policy;
	struct ay_perf_policy timing;
	/* why this machine has no device for it: the task is skipped with this text; NULL: it has
	 * one */
	const char *no_device;
	/* time also a kernel of which some dtypes did not pass; such times are not for scores */
	bool time_what_passes;
	/* seconds; total: for judging, later cases are skipped; 0: no limit */
	double build_timeout_s, total_timeout_s;
};

/* The verdicts on the cases of one overload. */
struct ay_tally {
	const struct ay_schema *schema;
	bool derived; /* judged through the functional form: does not count against the file */
	int n, count[AY_VERDICT_COUNT];
	enum ay_verdict verdict;
};

struct ay_task_result {
	const struct ay_entry_op *op;
	enum ay_verdict verdict;
	const char *detail; /* more detail than the verdict's text; NULL: none; in the arena */
	struct ay_built built;
	int ntally;
	struct ay_tally *tally; /* in the arena */
	bool empty;             /* it was loaded, but defines none of the operator's functions */
	/* the task failed because there is no case for what the kernel defines */
	bool no_case;
	/* cases that were judged; cases of higher tiers that were left out */
	int judged, left;
	/* of the judged ones: how many were drawn, and how many of those did not pass */
	int drawn, drawn_bad;
	int timed; /* number of cases */
	/* the dtypes in which a case did not pass: "c64, c128"; NULL: none */
	const char *failed;
	double wall_s; /* seconds for judging, without the compiler */
};

struct ay_task_watch {
	void *user;
	/* Called when the build has ended (see result->built.ok) and before judging starts. */
	void (*built)(void *user, const struct ay_task_result *r);
	/* Called when the kernel is loaded. `cases`: number of cases that will be judged. May be
	 * NULL. */
	void (*planned)(void *user, int cases);
	/* Called when one case was judged. A non-zero result means that the callback failed; it
	 * ends the task. */
	int (*judged)(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		      const struct ay_report *rep);
	/* Called when a case has passed and is about to be timed, which takes seconds. May be
	 * NULL. */
	void (*timing)(void *user, const struct ay_suite_case *sc);
	/* Returns true and fills in *rep if the case's result is known already. Then the case is
	 * not judged again. NULL: no result is known. */
	bool (*known)(void *user, const struct ay_suite_case *sc, struct ay_report *rep);
};

/* Runs a task. Returns -1 if assay failed, or if the task cannot be understood (unknown operator,
 * bad line). The caller closes res->built.fd. */
int ay_task_run(const struct ay_registry *r, struct ay_forge *f, const struct ay_task *t,
		const struct ay_task_watch *w, struct ay_arena *a, struct ay_task_result *res, struct ay_err *err);

/* ay_tally_of returns the tally of an overload and creates it if necessary; the caller has
 * reserved space for one more. ay_tally_add counts one more case in a tally. */
struct ay_tally *ay_tally_of(struct ay_task_result *res, const struct ay_schema *s, bool derived);
void ay_tally_add(struct ay_task_result *res, struct ay_tally *t, enum ay_verdict v);

/* Returns the operator that a file is for, by its name (text after "__" is free for the author) or
 * by its source. */
const struct ay_entry_op *ay_task_find_op(const struct ay_registry *r, struct ay_arena *a, const char *file,
					  const char *source, struct ay_err *err);

#endif
