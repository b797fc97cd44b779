/* SPDX-License-Identifier: Apache-2.0
 *
 * grid - generates many case lines from one template and a table of values.
 *
 *   line  ((T([n, d], dt), T([d], dt, fill=uniform(0.5, 1.5)), 1e-6), {})
 *   grid  dt=f32|f16 (n,d)=(1,1)|(7,129) ; dt=bf16 (n,d)=(64,1000)
 *
 * A grid is a list of blocks, separated by `;`. A block is a list of slots and stands for their
 * Cartesian product, with the last slot fastest. In a template, a value, dimension, dtype or fill
 * argument may be an expression over the slots' names. Expressions have C's operators + - * / % ( )
 * == ?: on integers, strings, dtypes and lists, and the functions that the caller's scope offers. A
 * name alone may stand for a whole shape or for any value (None, a list, a tensor).
 */
#ifndef AY_OP_GRID_H
#define AY_OP_GRID_H

#include "op/caseline.h"

/* The names that an expression may use. They are looked up in `names` first, then by `find` (NULL
 * if none). */
struct ay_scope {
	int n;
	const char **names;
	struct ay_value *values;
	/* Evaluates name(args), or a plain name if nargs < 0. Returns 0 with *out, 1 if the
	 * function or name does not exist, or -1 on error. */
	int (*find)(void *user, struct ay_arena *a, const char *name, int nargs, const struct ay_value *args,
		    struct ay_value *out, struct ay_err *err);
	void *user;
};

struct ay_template;

/* Parses a case line that may contain expressions. */
int ay_template_parse(struct ay_arena *a, const char *text, struct ay_template **out, struct ay_err *err);
/* Expands the template at one point of the grid. The case has no expressions. */
int ay_template_expand(struct ay_arena *a, const struct ay_template *t, const struct ay_scope *s,
		       struct ay_case **out, struct ay_err *err);

/* Calls each() for every point of the grid, in order. Stops when each() returns non-zero and
 * returns that value. An empty or NULL grid has one point without names. */
int ay_grid_each(struct ay_arena *a, const char *grid, int (*each)(void *user, const struct ay_scope *s),
		 void *user, struct ay_err *err);
/* A parsed grid from which points are chosen. Its values may be expressions over the slots before them
 * and over `find` of the scope. */
struct ay_grid;
int ay_grid_parse(struct ay_arena *a, const char *text, struct ay_grid **out, struct ay_err *err);
/* Chooses one point of the grid. pick(user, n) returns which of n blocks, or of n values of a slot, is
 * taken. On return *s has the names and values of the point, in the arena. */
int ay_grid_pick(struct ay_arena *a, const struct ay_grid *grid, int (*pick)(void *user, int n),
		 struct ay_scope *s, struct ay_err *err);
/* Returns the number of points, -1 on error. */
int64_t ay_grid_count(struct ay_arena *a, const char *grid, struct ay_err *err);

/* Parse and evaluate a single expression, as in "index=index(size(self, dim))". */
int ay_expr_parse(struct ay_arena *a, const char *text, const struct ay_expr **out, struct ay_err *err);
int ay_expr_eval(struct ay_arena *a, const struct ay_expr *x, const struct ay_scope *s, struct ay_value *out,
		 struct ay_err *err);
/* Parses and evaluates a fill: "name(args)" or "name", where args are expressions. */
int ay_fill_parse(struct ay_arena *a, const char *text, size_t len, const struct ay_scope *s, struct ay_fill *out,
		  struct ay_err *err);

#endif
