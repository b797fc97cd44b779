/* SPDX-License-Identifier: Apache-2.0
 *
 * expr - expressions inside templates: their trees, and the way from a template's values to plain ones. Private to
 * src/op; the face is grid.h.
 */
#ifndef AY_OP_EXPR_H
#define AY_OP_EXPR_H

#include "op/grid.h"

#include <stdint.h>

/* One expansion. A short template and a long grid value can multiply, so what is made is counted. */
struct ay_expand {
	struct ay_arena *a;
	const struct ay_scope *s;
	struct ay_err *err;
	int64_t budget; /* values that may still be made */
	int depth;
	int at; /* the column of the expression whose value is being copied: the value's own is the grid's; 0 = none */
};

void ay_expand_init(struct ay_expand *e, struct ay_arena *a, const struct ay_scope *s, struct ay_err *err);
/* v without expressions, a copy in the arena. */
int ay_expand_value(struct ay_expand *e, const struct ay_value *v, struct ay_value *out);
int ay_expand_fill(struct ay_expand *e, const struct ay_fill *f, struct ay_fill *out);

/* The value an expression has; what it points to may be shared with the scope. out->col is the expression's. */
int ay_eval(struct ay_expand *e, const struct ay_expr *x, struct ay_value *out);

/* With every operation in brackets. */
void ay_expr_print(struct ay_str *b, const struct ay_expr *x);

#endif
