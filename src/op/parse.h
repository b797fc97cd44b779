/* SPDX-License-Identifier: Apache-2.0
 *
 * parse - parses values, tensors, fills and calls from a cursor. Private to src/op; the public
 * headers are caseline.h and grid.h.
 *
 * One grammar serves lines and templates. With l->exprs, a value may be an AY_V_EXPR, and the *_x
 * members of a tensor may be set. Without l->exprs, neither happens.
 */
#ifndef AY_OP_PARSE_H
#define AY_OP_PARSE_H

#include "op/caseline.h"
#include "op/lex.h"

/* Parses any value; with l->exprs an expression too. */
int ay_parse_value(struct ay_lex *l, struct ay_value *v);
/* Parses a value that is not an operator, a name or a call. Returns 0, -1 on error, or 1 for a word
 * that is not a literal; the word is not consumed. */
int ay_parse_literal(struct ay_lex *l, struct ay_value *v);
/* Parses an expression; v is a plain literal if the expression is only that. In expr.c. */
int ay_parse_expr(struct ay_lex *l, struct ay_value *v);
/* Returns v as an expression, even if it is a literal. In expr.c. */
const struct ay_expr *ay_expr_of(struct ay_arena *a, const struct ay_value *v);
/* Parses name or name(args). */
int ay_parse_fill(struct ay_lex *l, struct ay_fill *f);
/* Parses [cnt: N,] [opname] ((args), {kw}) { key=value } [# comment], up to the end of the text.
 * In caseline.c. */
int ay_parse_case(struct ay_lex *l, struct ay_case *c);

/* Convert values to the parts of a tensor, with v->col for messages. Also used when a template
 * is expanded. Expressions in a LIST go to xs (NULL: the list cannot have any). `what` is
 * "shape" or "stride". */
int ay_tdesc_ints(const struct ay_value *v, const char *what, int64_t *dst, const struct ay_expr **xs, int *n,
		  struct ay_err *err);
int ay_tdesc_offset(const struct ay_value *v, int64_t *dst, struct ay_err *err);
/* Checks for a flat list of numbers, bools or (in a template) expressions. */
int ay_tdesc_data(const struct ay_value *v, struct ay_err *err);
/* Fails, at column col, if the number of strides is not n = number of dimensions. */
int ay_tdesc_nstride(const struct ay_tdesc *t, int n, int col, struct ay_err *err);
/* Checks that data= matches the shape and is given without fill=. Only for a tensor
 * without expressions. */
int ay_tdesc_check(const struct ay_tdesc *t, struct ay_err *err);

#endif
