/* SPDX-License-Identifier: Apache-2.0
 *
 * expr - expressions inside templates: their trees (expr.c), their evaluation (expr_eval.c), and
 * the expansion of a template's values to plain values (expand.c). Private to src/op; the public
 * header is grid.h.
 */
#ifndef AY_OP_EXPR_H
#define AY_OP_EXPR_H

#include "op/grid.h"

#include <stdint.h>

/* Binary operators: token, level (a higher level binds tighter). Longer tokens first. */
/* clang-format off */
#define AY_OPS(O)           \
	O(EQ,  "==", 0)     \
	O(NE,  "!=", 0)     \
	O(LE,  "<=", 1)     \
	O(GE,  ">=", 1)     \
	O(LT,  "<",  1)     \
	O(GT,  ">",  1)     \
	O(ADD, "+",  2)     \
	O(SUB, "-",  2)     \
	O(MUL, "*",  3)     \
	O(DIV, "/",  3)     \
	O(MOD, "%",  3)

enum ay_node {
#define O(name, token, level) AY_EXPR_##name,
	AY_OPS(O)
#undef O
	AY_EXPR_OPS,
	AY_EXPR_VALUE = AY_EXPR_OPS, /* `v`, whose items may be expressions */
	AY_EXPR_NAME,
	AY_EXPR_CALL, /* name(x[0], ... x[n-1]) */
	AY_EXPR_INDEX,
	AY_EXPR_NEG,
	AY_EXPR_COND,
};
/* clang-format on */

struct ay_expr {
	enum ay_node op;
	int col, height, n;
	const char *name;
	const struct ay_expr **x;
	struct ay_value v;
};

enum { AY_MAX_CALL_ARGS = 16 };

/* Returns the token of a binary operator. */
const char *ay_expr_token(enum ay_node op);

/* The state of one expansion. A short template and a long grid value can multiply into a huge case,
 * so the number of values made is limited. */
struct ay_expand {
	struct ay_arena *a;
	const struct ay_scope *s;
	struct ay_err *err;
	int64_t budget; /* number of values that may still be made */
	int depth;
	/* while a value from the grid is copied: the column in the template; else 0 */
	int at;
};

void ay_expand_init(struct ay_expand *e, struct ay_arena *a, const struct ay_scope *s, struct ay_err *err);
/* Copies v into *out without expressions. The copy is in the arena. */
int ay_expand_value(struct ay_expand *e, const struct ay_value *v, struct ay_value *out);
/* Subtracts n from the budget. Fails with a message at col if the budget is exhausted. */
int ay_expand_spend(struct ay_expand *e, int64_t n, int col);
int ay_expand_fill(struct ay_expand *e, const struct ay_fill *f, struct ay_fill *out);

/* Evaluates an expression. The value may point to memory of the scope. out->col is the
 * expression's column. */
int ay_eval(struct ay_expand *e, const struct ay_expr *x, struct ay_value *out);

/* Adds the expression's text, with every operation in brackets. */
void ay_expr_print(struct ay_str *b, const struct ay_expr *x);

#endif
