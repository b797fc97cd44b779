/* SPDX-License-Identifier: Apache-2.0
 *
 * task - one kernel, from source to verdict: find its operator, build it, judge every case it has a function for.
 *
 * What `check` prints, `check -` streams and `eval` stores all comes from here, case by case, through a callback.
 */
#ifndef AY_JUDGE_TASK_H
#define AY_JUDGE_TASK_H

#include "judge/perf.h"

struct ay_task {
	const char *file;   /* its name, for the operator and for messages */
	const char *source; /* NUL behind it; of what has none, its name and version: "aten 2.13.0" */
	size_t len;
	enum ay_lang lang;
	const struct ay_entry_op *op; /* NULL: by the file's name, or by the functions that the source mentions */
	/* Which cases: these lines, or those of the suite, or the operator's own up to a tier. */
	const char *const *line;
	int nline;
	const struct ay_suite *suite;
	enum ay_tier tier;
	uint32_t dtypes; /* of the operator's own or the lines only cases about these (1 << dt); 0 = all */
	struct ay_policy policy;
	struct ay_perf_policy timing;
	const char *
		no_device; /* why there is nothing here that it could run on: it is skipped, with this; NULL = there is */
	bool time_what_passes; /* also of a kernel some of whose dtypes did not pass: for people, not for scores */
	double build_timeout_s, total_timeout_s; /* total: judging, cases after it are skipped; 0 = none */
};

/* What happened to the cases of one overload. */
struct ay_tally {
	const struct ay_schema *schema;
	bool derived; /* judged through the functional form: does not count against the file */
	int n, count[AY_VERDICT_COUNT];
	enum ay_verdict verdict;
};

struct ay_task_result {
	const struct ay_entry_op *op;
	enum ay_verdict verdict;
	const char *detail; /* where there is more to say than the verdict's text; in the arena */
	struct ay_built built;
	int ntally;
	struct ay_tally *tally; /* in the arena */
	bool empty;             /* it was loaded, and defines none of the operator's functions */
	bool no_case;           /* the task failed because there is no case for what the kernel defines */
	int judged, left;       /* cases; those of higher tiers that were left out */
	int timed;              /* cases */
	const char *failed;     /* the dtypes in which a case did not pass: "c64, c128"; NULL: none */
	double wall_s;          /* of judging, without the compiler */
};

struct ay_task_watch {
	void *user;
	/* The kernel is built (or not: result->built.ok); judging starts. */
	void (*built)(void *user, const struct ay_task_result *r);
	/* The kernel is loaded, and so many cases will be judged. NULL: nobody wants to know. */
	void (*planned)(void *user, int cases);
	/* One case was judged. Non-zero ends the task (the callee failed). */
	int (*judged)(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		      const struct ay_report *rep);
	/* A case passed and is timed now, which takes seconds. NULL: nobody wants to know. */
	void (*timing)(void *user, const struct ay_suite_case *sc);
	/* Is this case known already? Then it is not judged again; fill in rep and return true. NULL: no. */
	bool (*known)(void *user, const struct ay_suite_case *sc, struct ay_report *rep);
};

/* -1: our failure, or a task that cannot be understood (unknown operator, bad line). The caller closes built.fd.
 */
int ay_task_run(const struct ay_registry *r, struct ay_forge *f, const struct ay_task *t,
		const struct ay_task_watch *w, struct ay_arena *a, struct ay_task_result *res, struct ay_err *err);

/* The tally of an overload, made if it is new; the caller has room for one more. And one more case in it. */
struct ay_tally *ay_tally_of(struct ay_task_result *res, const struct ay_schema *s, bool derived);
void ay_tally_add(struct ay_task_result *res, struct ay_tally *t, enum ay_verdict v);

/* The operator that a file is for, by its name (what follows "__" is the author's) or by its source. */
const struct ay_entry_op *ay_task_find_op(const struct ay_registry *r, struct ay_arena *a, const char *file,
					  const char *source, struct ay_err *err);

#endif
