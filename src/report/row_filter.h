/* SPDX-License-Identifier: Apache-2.0
 *
 * row_filter - selects a part of a run for a report: by operator, by verdict, by dtype.
 */
#ifndef AY_REPORT_ROW_FILTER_H
#define AY_REPORT_ROW_FILTER_H

#include "store/summary.h"

/* {0} selects everything. */
struct ay_row_filter {
	const char *ops;   /* "add,sum.dim_IntList": operators or overloads; NULL: all */
	uint32_t verdicts; /* 1 << verdict; AY_VERDICT_NONE is MISSING; 0: all */
	uint32_t dtypes;   /* 1 << dtype, the main dtype of a case (ay_case_dtype); 0: all */
	/* print a row for each operator without a verdict, instead of one line for all */
	bool missing;
};

/* Parses "MISMATCH,CRASH,MISSING". */
int ay_filter_verdicts(const char *list, uint32_t *set, struct ay_err *err);
/* Fails if f->ops has a name that is no operator or overload of the run. */
int ay_row_filter_check(const struct ay_row_filter *f, const struct ay_summary *s, struct ay_err *err);
/* Returns true if the filter selects a name such as "aten::add.Tensor" of an overload or operator.
 * An operator is selected if the filter may select one of its overloads. */
bool ay_row_filter_takes_name(const struct ay_row_filter *f, const char *name);
bool ay_row_filter_takes_operator(const struct ay_row_filter *f, const struct ay_summary *s, int op);
bool ay_row_filter_takes_verdict(const struct ay_row_filter *f, enum ay_verdict v);
/* Takes the record of a case or kernel. A kernel record has no dtype. */
bool ay_row_filter_takes_dtype(const struct ay_row_filter *f, const json_t *rec);
/* Returns true if the filter selects single cases, not only whole operators. */
bool ay_row_filter_is_by_case(const struct ay_row_filter *f);

#endif
