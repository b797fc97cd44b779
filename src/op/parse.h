/* SPDX-License-Identifier: Apache-2.0
 *
 * parse - values, tensors, fills and calls from a cursor. Private to src/op; the faces are caseline.h and grid.h.
 *
 * One grammar serves lines and templates. With l->exprs a value may come back as AY_V_EXPR, and the *_x members of
 * a tensor may be set; without, never.
 */
#ifndef AY_OP_PARSE_H
#define AY_OP_PARSE_H

#include "op/caseline.h"
#include "op/lex.h"

int ay_parse_value(struct ay_lex *l, struct ay_value *v);
/* What is not an operator, a name or a call: 0, -1, or 1 = a word that is no literal (not taken). */
int ay_parse_literal(struct ay_lex *l, struct ay_value *v);
/* An expression; v is a literal if it is nothing more. In expr.c. */
int ay_parse_expr(struct ay_lex *l, struct ay_value *v);
/* v as an expression, a literal too. In expr.c. */
const struct ay_expr *ay_expr_of(struct ay_arena *a, const struct ay_value *v);
/* name or name(args). */
int ay_parse_fill(struct ay_lex *l, struct ay_fill *f);
/* [cnt: N,] [opname] ((args), {kw}) { key=value } [# comment], up to the end of the text. In caseline.c. */
int ay_parse_case(struct ay_lex *l, struct ay_case *c);

/*
 * The parts of a tensor from values, with v->col for messages; also used when a template is expanded. A LIST's
 * expressions go to xs (NULL: there cannot be any). `what` is "shape" or "stride".
 */
int ay_tdesc_ints(const struct ay_value *v, const char *what, int64_t *dst, const struct ay_expr **xs, int *n,
		  struct ay_err *err);
int ay_tdesc_offset(const struct ay_value *v, int64_t *dst, struct ay_err *err);
/* A flat list of numbers or bools, or (in a template) expressions. */
int ay_tdesc_data(const struct ay_value *v, struct ay_err *err);
/* n strides, given at col, for these sizes? */
int ay_tdesc_nstride(const struct ay_tdesc *t, int n, int col, struct ay_err *err);
/* data= goes with the shape and without fill=. Only where nothing is an expression. */
int ay_tdesc_check(const struct ay_tdesc *t, struct ay_err *err);

#endif
