/* SPDX-License-Identifier: Apache-2.0
 *
 * narrow - fewer cases of a suite: by operator, and of every overload the largest or the smallest inputs. Sizes
 * come from the lines; no tensor is made.
 */
#ifndef AY_OP_SUITE_FILTER_H
#define AY_OP_SUITE_FILTER_H

#include "op/suite.h"

struct ay_suite_filter {
	const char *ops;           /* "add,mul.Tensor"; NULL = all */
	int64_t largest, smallest; /* so many of every overload; 0 = all. Both at once are refused. */
};

/* What is left keeps its order. Of inputs with as many bytes the earlier ones stay. */
int ay_suite_apply_filter(struct ay_suite *s, struct ay_suite_filter *n, struct ay_err *err);

/* The names of `ops` that none of the cases has, "a, b"; "" if every one has some. In the arena. */
const char *ay_suite_lacks(const struct ay_suite *s, const char *ops, struct ay_arena *a);
/* Puts the next name of a list into *name, in the arena, and moves *list behind it; false at the end. */
bool ay_names_next(const char **list, const char **name, struct ay_arena *a);

/* The smallest inputs first; equals keep their order. */
void ay_suite_sort(struct ay_suite *s);

/* Is it in the list? "add" is every overload of add, out= forms too, but neither add_ nor addmm; "add.Tensor" and
 * "relu.default" are that one; each with or without "aten::" or "aten." before it. */
bool ay_schema_wanted(const struct ay_schema *s, const char *list);
/* Bytes of all tensors that the line names, out= arguments too: elements times their size, as if they were dense.
 * UINT64_MAX if that does not fit. */
uint64_t ay_case_bytes(const struct ay_case *c);

/* Lines of a file that differ in nothing but their count become one, where the first stood, with the sum of the
 * counts (a count that is not said adds nothing). Gives how many went. */
int ay_suite_merge(struct ay_suite *s, struct ay_arena *a);

#endif
