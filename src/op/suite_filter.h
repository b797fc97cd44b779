/* SPDX-License-Identifier: Apache-2.0
 *
 * suite_filter - reduces a suite: by operator, and to the largest or the smallest inputs of every
 * overload. Sizes come from the lines; no tensor is allocated.
 */
#ifndef AY_OP_SUITE_FILTER_H
#define AY_OP_SUITE_FILTER_H

#include "op/suite.h"

struct ay_suite_filter {
	const char *ops; /* "add,mul.Tensor"; NULL = all */
	/* number of cases per overload; 0 = all. Setting both is an error. */
	int64_t largest, smallest;
};

/* Filters the suite. The remaining cases keep their order. Of inputs with equal sizes, earlier ones
 * are preferred. */
int ay_suite_apply_filter(struct ay_suite *s, struct ay_suite_filter *n, struct ay_err *err);

/* Returns the names in `ops` that match no case, as "a, b"; "" if every name matches. Allocated in
 * the arena. */
const char *ay_suite_lacks(const struct ay_suite *s, const char *ops, struct ay_arena *a);
/* Copies the next name of a list to *name, in the arena, and moves *list past it. Returns false at
 * the end. */
bool ay_names_next(const char **list, const char **name, struct ay_arena *a);

/* Sorts by size of the inputs, smallest first; equal sizes keep their order. */
void ay_suite_sort(struct ay_suite *s);

/* Returns true if the schema is in the list. "add" matches every overload of add with its out=
 * forms, but neither add_ nor addmm. "add.Tensor" and "relu.default" match that overload. Each name
 * may have "aten::" or "aten." before it. */
bool ay_schema_wanted(const struct ay_schema *s, const char *list);
/* Returns the bytes of all tensors that the line names, out= arguments included: number of elements
 * times element size, as if dense. Returns UINT64_MAX on overflow. */
uint64_t ay_case_bytes(const struct ay_case *c);

/* Merges lines of a file that differ only in their count. The first one stays, with the sum of the
 * counts; a missing count adds nothing. Returns the number of removed lines. */
int ay_suite_merge(struct ay_suite *s, struct ay_arena *a);

#endif
