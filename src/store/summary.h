/* SPDX-License-Identifier: Apache-2.0
 *
 * summary - the totals of a run: verdict and counts per overload and operator, and two scores.
 *
 * The summary is made from results.jsonl alone, which may be a concatenation of several files. Of
 * several records about one thing the worst verdict counts. The scores' denominators are the
 * operators and overloads that the "suite" records list. Those without a record are missing and
 * have not passed. If there is no "suite" record, the denominators are the operators and overloads
 * that the other records name. Of a generation track's attempts only the chosen kernel's records
 * count (attempts.h).
 */
#ifndef AY_STORE_SUMMARY_H
#define AY_STORE_SUMMARY_H

#include "base/arena.h"
#include "store/attempts.h"
#include "store/index.h"
#include "store/run.h"
#include "store/score.h"
#include "store/call_weight.h"

/* One kernel on one case. */
struct ay_sum_case {
	/* overload and line, the same for every kernel: used to compare runs */
	struct ay_record_id what;
	int row;
	bool drawn;              /* op/drawn.h */
	enum ay_verdict verdict; /* the worst of its attempts */
	int attempts;
	uint64_t offset; /* place of a record with that verdict */
	uint32_t len;
	struct ay_case_time time; /* of the worst attempt that passed */
	int64_t calls;            /* of the traced models; -1 = unknown */
};

/* One kernel on one overload. */
struct ay_sum_row {
	int overload;
	const char *kernel_sha256, *file;
	bool derived;
	int64_t cases, count[AY_VERDICT_COUNT];
	int attempts; /* the largest number of attempts at one case */
	enum ay_verdict verdict;
	enum ay_verdict said; /* verdict by the kernel's own record */
	int64_t said_cases, said_count[AY_VERDICT_COUNT];
	struct ay_speed speed;
};

/* The record of one kernel (of several attempts the worst). */
struct ay_sum_kernel {
	int op;
	const char *kernel_sha256, *file;
	/* the overload that its file is named after; NULL: the file is for the whole operator */
	const char *overload;
	enum ay_verdict verdict;
	int attempts;
	bool has_rows;
	/* its verdict is the worst of its rows, of which some may belong to other operators */
	bool of_rows;
	uint64_t offset; /* place of a record with that verdict */
	uint32_t len;
};

/* The best of several kernels for one overload. */
struct ay_sum_best {
	int row;             /* the best kernel's row; -1: no kernel passes */
	int kernels, passed; /* numbers of kernels and of passing kernels */
	bool certain;        /* its interval lies apart from those of all other kernels */
};

struct ay_sum_overload {
	const char *name;
	int op;
	bool in_suite, derived;  /* derived: true if every row is derived */
	enum ay_verdict verdict; /* NONE: missing */
	int64_t cases, count[AY_VERDICT_COUNT];
	int attempts, rows;
	int next; /* next overload of this operator; -1 = none */
	struct ay_speed speed;
	int64_t calls; /* calls that the suite lists */
	struct ay_sum_best best;
};

struct ay_sum_operator {
	const char *name;
	/* The operator's kernel file, or the file of another operator's kernel if it has none of
	 * its own. NULL: it has none, or several. */
	const char *file;
	bool in_suite;
	/* the run has a kernel for it, or its records do not say which operators have one */
	bool planned;
	bool passed; /* every overload of the suite passes */
	/* why the suite has no case of it; NULL = it has cases, or the reason is unknown */
	const char *left_out;
	enum ay_verdict verdict; /* NONE: missing */
	int overloads, overloads_passed;
	int64_t cases, count[AY_VERDICT_COUNT];
	int attempts, kernels;
	int first, last; /* its first and last overload; -1 = none */
	struct ay_speed speed;
};

/* passed + partial + failed + undecided + missing = of. Each is the number of table rows with that
 * label. */
struct ay_score {
	int of;
	int passed;
	/* operators only: all judged overloads pass, but not all of the suite's pass */
	int partial;
	int failed;    /* a verdict against the kernel */
	int undecided; /* only SKIPPED or WEAK_CASE */
	int missing;   /* no verdict */
	int left_out;  /* of the missing: left out by the suite itself, with a reason */
	int pending;   /* of the missing: the run ended before they were judged */
};

/* Start with {0}. Strings live in the arena. Their control bytes are escaped; the rest is untrusted
 * text. */
struct ay_summary {
	struct ay_arena arena;
	json_t *head;   /* content of run.json; NULL if it does not exist or cannot be understood */
	int results_fd; /* for ay_summary_record; open if `runs` is not NULL */
	int noperator, noverload, nrow, nkernel, ncase, nbaseline;
	/* in the order of the suite, then in the order of the records */
	struct ay_sum_operator *op;
	struct ay_sum_overload *overload;
	struct ay_sum_row *row;
	struct ay_sum_kernel *kernel;
	struct ay_sum_case *cases; /* in the order of the records */
	const char **baseline;     /* names; the index is the cases' `baseline` number */
	bool has_suite;            /* if false, the denominators come from the records seen */
	bool unfinished;           /* the process that wrote the run was stopped before its end */
	struct ay_score operators, overloads;
	struct ay_speed_score speed_operators, speed_overloads;
	struct ay_by_calls by_calls;
	int64_t timed; /* number of timed cases */
	/* of the cases: those that were drawn, and those of them that did not pass */
	int64_t drawn, drawn_bad;
	int64_t errors;        /* records of type error */
	int64_t devices_lost;  /* records of type device */
	int64_t duplicates;    /* lines that repeat an earlier line */
	json_t *runs, *builds; /* { id: number of records } */
	struct ay_run_found found;
	struct ay_index names, rows, things; /* private; `things` has cases and kernels */
	struct ay_index seen;
	struct ay_attempts aside;
};

int ay_summary_read(const char *dir, struct ay_summary *s, struct ay_err *err);
void ay_summary_release(struct ay_summary *s);
/* Reads the record of a case or kernel again, with all checks. Returns a new reference, or NULL if
 * no valid record is there any more. */
json_t *ay_summary_record(const struct ay_summary *s, uint64_t offset, uint32_t len);
/* Returns "openblas 0.3.21", "several", or "" if there is no baseline. */
const char *ay_sum_baseline(const struct ay_summary *s, const struct ay_speed *x);
/* Fills in overload[].best (best.c). ay_summary_read calls it. */
void ay_sum_find_best(struct ay_summary *s);
/* Appends "best of 3: the only one that passes". x->row must not be -1. */
void ay_sum_best_print(struct ay_str *b, const struct ay_summary *s, const struct ay_sum_best *x);
/* perf@p for any one p, not only those of ay_perf_p. `fast` counts what is right and above p times
 * the library; `surely` counts what is above p by its lower bound. */
struct ay_perf_at {
	int of, fast, surely;
};
struct ay_perf_at ay_perf_at_operators(const struct ay_summary *s, double p);
struct ay_perf_at ay_perf_at_overloads(const struct ay_summary *s, double p);
/* Returns the number of cases that failed, that is, are neither PASS nor SKIPPED nor WEAK_CASE. */
int64_t ay_count_failed(const int64_t count[AY_VERDICT_COUNT]);
/* Returns the verdict's name, or "MISSING" for AY_VERDICT_NONE. */
const char *ay_sum_verdict_name(enum ay_verdict v);
/* Returns an operator's label in a table: its verdict, or AY_SUM_PARTIAL for a PASS that the score
 * does not count as passed. So the rows of the suite's operators add up to the score. */
#define AY_SUM_PARTIAL "PARTIAL"
const char *ay_sum_label(const struct ay_sum_operator *op);
/* Appends how many cases were drawn, and how many of those did not pass. */
void ay_summary_add_drawn(struct ay_str *b, const struct ay_summary *s);
/* Returns true if the run has a kernel for this operator and was stopped before judging it. */
bool ay_sum_is_pending(const struct ay_summary *s, const struct ay_sum_operator *op);
/* Appends "67 of 110 pass, 3 partial, 4 fail, 36 without a kernel". Numbers that are 0 are left
 * out. absent: the text for "without a kernel". */
void ay_score_print(struct ay_str *b, const struct ay_score *x, const char *absent);

#endif
