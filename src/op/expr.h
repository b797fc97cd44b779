/* SPDX-License-Identifier: Apache-2.0
 *
 * expr - expressions inside templates: their trees (expr.c), what they are worth (expr_eval.c), and the way from a
 * template's values to plain ones (expand.c). Private to src/op; the face is grid.h.
 */
#ifndef AY_OP_EXPR_H
#define AY_OP_EXPR_H

#include "op/grid.h"

#include <stdint.h>

/* Binary operators: token, level (higher binds tighter). Longer tokens first. */
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
	AY_EXPR_VALUE = AY_EXPR_OPS, /* v, which may hold expressions further down */
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

/* The token of a binary operator. */
const char *ay_expr_token(enum ay_node op);

/* One expansion. A short template and a long grid value can multiply, so what is made is counted. */
struct ay_expand {
	struct ay_arena *a;
	const struct ay_scope *s;
	struct ay_err *err;
	int64_t budget; /* values that may still be made */
	int depth;
	int at; /* while a value from the grid is copied: the column in the template it is for; else 0 */
};

void ay_expand_init(struct ay_expand *e, struct ay_arena *a, const struct ay_scope *s, struct ay_err *err);
/* v without expressions, a copy in the arena. */
int ay_expand_value(struct ay_expand *e, const struct ay_value *v, struct ay_value *out);
/* Takes n from the budget; -1 with a message at col if it is spent. */
int ay_expand_spend(struct ay_expand *e, int64_t n, int col);
int ay_expand_fill(struct ay_expand *e, const struct ay_fill *f, struct ay_fill *out);

/* The value an expression has; what it points to may be shared with the scope. out->col is the expression's. */
int ay_eval(struct ay_expand *e, const struct ay_expr *x, struct ay_value *out);

/* With every operation in brackets. */
void ay_expr_print(struct ay_str *b, const struct ay_expr *x);

#endif
