/* SPDX-License-Identifier: Apache-2.0
 *
 * grid - many case lines from one template and a table of values.
 *
 *   line  ((T([n, d], dt), T([d], dt, fill=uniform(0.5, 1.5)), 1e-6), {})
 *   grid  dt=f32|f16 (n,d)=(1,1)|(7,129) ; dt=bf16 (n,d)=(64,1000)
 *
 * A block of slots is their Cartesian product, the last slot fastest; blocks follow one another. In a template a
 * value, dimension, dtype or fill argument may be an expression over the slots' names: C's + - * / % ( ) == ?: on
 * integers, strings, dtypes and lists, and the functions the caller's scope offers. A name alone may stand for a
 * whole shape or for any value (None, a list, a tensor).
 */
#ifndef AY_OP_GRID_H
#define AY_OP_GRID_H

#include "op/caseline.h"

/* Names an expression may use. Looked up in `names` first, then by `find` (NULL if none). */
struct ay_scope {
	int n;
	const char **names;
	struct ay_value *values;
	/* name(args): 0 and *out, 1 = no such function or name, -1 = error. nargs < 0: a plain name. */
	int (*find)(void *user, struct ay_arena *a, const char *name, int nargs, const struct ay_value *args,
		    struct ay_value *out, struct ay_err *err);
	void *user;
};

struct ay_template;

/* A case line in which expressions may stand. */
int ay_template_parse(struct ay_arena *a, const char *text, struct ay_template **out, struct ay_err *err);
/* The case at one point; nothing of it is an expression any more. */
int ay_template_expand(struct ay_arena *a, const struct ay_template *t, const struct ay_scope *s,
		       struct ay_case **out, struct ay_err *err);

/* Calls each() for every point of the grid, in order, until it returns non-zero (which is passed on). An empty or
 * NULL grid has one point without names. */
int ay_grid_each(struct ay_arena *a, const char *grid, int (*each)(void *user, const struct ay_scope *s),
		 void *user, struct ay_err *err);
/* How many points. -1 on error. */
int64_t ay_grid_count(struct ay_arena *a, const char *grid, struct ay_err *err);

/* One expression alone, as in "index=index(size(self, dim))". */
int ay_expr_parse(struct ay_arena *a, const char *text, const struct ay_expr **out, struct ay_err *err);
int ay_expr_eval(struct ay_arena *a, const struct ay_expr *x, const struct ay_scope *s, struct ay_value *out,
		 struct ay_err *err);
/* "name(args)" or "name", args expressions: the form of a fill, evaluated. */
int ay_fill_parse(struct ay_arena *a, const char *text, size_t len, const struct ay_scope *s, struct ay_fill *out,
		  struct ay_err *err);

#endif
