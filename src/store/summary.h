/* SPDX-License-Identifier: Apache-2.0
 *
 * summary - what the records of a run add up to: verdict and counts per overload and operator, and two scores.
 *
 * Made from results.jsonl alone, whatever was concatenated there. Of several records about one thing the worst
 * verdict counts. The denominators of the scores are the operators and overloads that the "suite" records list;
 * those without a record are missing and have not passed. Without such a record they are what was seen. Of the attempts
 * of a generation track only the chosen kernel's count (attempts.h).
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
	struct ay_record_id what; /* overload and line, whatever the kernel: for comparing runs */
	int row;
	enum ay_verdict verdict; /* the worst of its attempts */
	int attempts;
	uint64_t offset; /* of a record with that verdict */
	uint32_t len;
	struct ay_case_time time; /* of the worst attempt that passed */
	int64_t calls;            /* of a traced model; -1 = not known */
};

/* One kernel on one overload. */
struct ay_sum_row {
	int overload;
	const char *kernel_sha256, *file;
	bool derived;
	int64_t cases, count[AY_VERDICT_COUNT];
	int attempts; /* the most that one case has */
	enum ay_verdict verdict;
	enum ay_verdict said; /* by the kernel's own record */
	int64_t said_cases, said_count[AY_VERDICT_COUNT];
	struct ay_speed speed;
};

/* One kernel record (the worst of its attempts). */
struct ay_sum_kernel {
	int op;
	const char *kernel_sha256, *file;
	const char *overload; /* the one that its file is named after; NULL: the file is for the whole operator */
	enum ay_verdict verdict;
	int attempts;
	bool has_rows;
	bool of_rows; /* its verdict is the worst of theirs, and some may be another operator's: a file can have several */
	uint64_t offset; /* of a record with that verdict */
	uint32_t len;
};

/* Of several kernels for one overload. */
struct ay_sum_best {
	int row;             /* -1: none passes */
	int kernels, passed; /* how many there are, and how many pass */
	bool certain;        /* it is faster than all others, by their intervals */
};

struct ay_sum_overload {
	const char *name;
	int op;
	bool in_suite, derived;  /* derived: every row is */
	enum ay_verdict verdict; /* NONE: missing */
	int64_t cases, count[AY_VERDICT_COUNT];
	int attempts, rows;
	int next; /* of the same operator; -1 = none */
	struct ay_speed speed;
	int64_t calls; /* that the suite lists */
	struct ay_sum_best best;
};

struct ay_sum_operator {
	const char *name;
	const char *
		file; /* of its kernel; of a kernel that is named after another operator where it has none of its own.
			   * NULL: it has none, or several */
	bool in_suite;
	bool planned; /* the run has a kernel for it, or its records do not say for which operators it has one */
	bool passed;  /* every overload of the suite passes */
	const char *left_out;    /* why the suite has no case of it; NULL = it has, or nobody says */
	enum ay_verdict verdict; /* NONE: missing */
	int overloads, overloads_passed;
	int64_t cases, count[AY_VERDICT_COUNT];
	int attempts, kernels;
	int first, last; /* overloads; -1 = none */
	struct ay_speed speed;
};

/* passed + partial + failed + undecided + missing = of, and each is the number of rows with such a label. */
struct ay_score {
	int of;
	int passed;
	int partial;   /* operators: what was judged passes, but not every overload of the suite was or does */
	int failed;    /* a verdict against the kernel */
	int undecided; /* SKIPPED or WEAK_CASE, and nothing else */
	int missing;   /* no verdict at all */
	int left_out;  /* of those missing: by the suite itself, with a reason */
	int pending;   /* of those missing: the run ended before it came to them */
};

/* {0} first. Strings live in the arena; control bytes are escaped, the rest may be anything. */
struct ay_summary {
	struct ay_arena arena;
	json_t *head;   /* run.json; NULL where there is none that can be understood */
	int results_fd; /* for ay_summary_record; open if `runs` is there */
	int noperator, noverload, nrow, nkernel, ncase, nbaseline;
	struct ay_sum_operator *op; /* in the order of the suite, then as met */
	struct ay_sum_overload *overload;
	struct ay_sum_row *row;
	struct ay_sum_kernel *kernel;
	struct ay_sum_case *cases; /* in the order in which they were met */
	const char **baseline;     /* names, as the cases number them */
	bool has_suite;            /* else the denominators are what was seen */
	bool unfinished;           /* the process that wrote the run was stopped before its end */
	struct ay_score operators, overloads;
	struct ay_speed_score speed_operators, speed_overloads;
	struct ay_by_calls by_calls;
	int64_t timed;         /* cases */
	int64_t errors;        /* records of type error */
	int64_t devices_lost;  /* records of type device */
	int64_t duplicates;    /* lines that were there already */
	json_t *runs, *builds; /* { id: records } */
	struct ay_run_found found;
	struct ay_index names, rows, things; /* private; those of things are cases and kernels */
	struct ay_index seen;
	struct ay_attempts aside;
};

int ay_summary_read(const char *dir, struct ay_summary *s, struct ay_err *err);
void ay_summary_release(struct ay_summary *s);
/* The record of a case or kernel, read again and opened like a stranger's; NULL if it is not there any more. */
json_t *ay_summary_record(const struct ay_summary *s, uint64_t offset, uint32_t len);
/* "openblas 0.3.21", "several", or "" for none. */
const char *ay_sum_baseline(const struct ay_summary *s, const struct ay_speed *x);
/* Fills in overload[].best (best.c); ay_summary_read does. */
void ay_sum_find_best(struct ay_summary *s);
/* "best of 3: the only one that passes"; x has a row. */
void ay_sum_best_print(struct ay_str *b, const struct ay_summary *s, const struct ay_sum_best *x);
/* perf@p for one p, which need not be of ay_perf_p: right and above p times the library, and so by the lower bound. */
struct ay_perf_at {
	int of, fast, surely;
};
struct ay_perf_at ay_perf_at_operators(const struct ay_summary *s, double p);
struct ay_perf_at ay_perf_at_overloads(const struct ay_summary *s, double p);
/* Cases that did not pass: neither PASS nor SKIPPED nor WEAK_CASE. */
int64_t ay_count_failed(const int64_t count[AY_VERDICT_COUNT]);
/* "MISSING" for NONE. */
const char *ay_sum_verdict_name(enum ay_verdict v);
/* What a table says of an operator: its verdict, but PASS only if the operator is among those that the score counts, else
 * AY_SUM_PARTIAL. So the rows of the suite's operators add up to the score. */
#define AY_SUM_PARTIAL "PARTIAL"
const char *ay_sum_label(const struct ay_sum_operator *op);
/* Returns true if the run was stopped before it came to this operator, for which it has a kernel. */
bool ay_sum_is_pending(const struct ay_summary *s, const struct ay_sum_operator *op);
/* "67 of 110 pass, 3 partial, 4 fail, 36 without a kernel"; numbers that are 0 are left out. absent: "without a kernel". */
void ay_score_print(struct ay_str *b, const struct ay_score *x, const char *absent);

#endif
