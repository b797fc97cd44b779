/* SPDX-License-Identifier: Apache-2.0
 *
 * filter - the part of a run that a report is asked for: by operator, by verdict, by dtype.
 */
#ifndef AY_REPORT_ROW_FILTER_H
#define AY_REPORT_ROW_FILTER_H

#include "store/summary.h"

/* {0}: everything. */
struct ay_row_filter {
	const char *ops;   /* "add,sum.dim_IntList": operators or overloads; NULL: all */
	uint32_t verdicts; /* 1 << verdict; AY_VERDICT_NONE is MISSING; 0: all */
	uint32_t dtypes;   /* 1 << dtype, of what a case is about (ay_case_dtype); 0: all */
	bool missing;      /* a row for each operator without a verdict, not one line for all */
};

/* Parses "MISMATCH,CRASH,MISSING". */
int ay_filter_verdicts(const char *list, uint32_t *set, struct ay_err *err);
/* Fails if a name of f->ops is no operator or overload of the run. */
int ay_row_filter_check(const struct ay_row_filter *f, const struct ay_summary *s, struct ay_err *err);
/* name: of an operator or overload, "aten::add.Tensor". An operator is taken if one of its overloads may be. */
bool ay_row_filter_takes_name(const struct ay_row_filter *f, const char *name);
bool ay_row_filter_takes_operator(const struct ay_row_filter *f, const struct ay_summary *s, int op);
bool ay_row_filter_takes_verdict(const struct ay_row_filter *f, enum ay_verdict v);
/* rec: a record of a case or kernel. A kernel is about no dtype. */
bool ay_row_filter_takes_dtype(const struct ay_row_filter *f, const json_t *rec);
/* Returns true if single cases are asked for, and not operators as a whole. */
bool ay_row_filter_is_by_case(const struct ay_row_filter *f);

#endif
