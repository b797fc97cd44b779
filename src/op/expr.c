/* SPDX-License-Identifier: Apache-2.0
 *
 * Parser of expressions: precedence by recursion, from ?: (lowest) over == < + * to unary minus,
 * indexing and the primaries. A plain literal stays a value; nodes are made only for operations.
 * The height of a tree is limited, because evaluation recurses. ay_lex_enter() limits brackets, but
 * 1+1+1+... is deep without any.
 */
#include "op/expr.h"
#include "op/parse.h"

#include <string.h>

enum { MAX_HEIGHT = 64, TOP_LEVEL = 4 };

static const struct {
	const char *token;
	int level;
} ops[AY_EXPR_OPS] = {
#define O(name, token, level) [AY_EXPR_##name] = { token, level },
	AY_OPS(O)
#undef O
};

const char *ay_expr_token(enum ay_node op)
{
	return ops[op].token;
}

/* --- parse ------------------------------------------------------------------------------------ */

const struct ay_expr *ay_expr_of(struct ay_arena *a, const struct ay_value *v)
{
	struct ay_expr *x;

	if (v->kind == AY_V_EXPR)
		return v->x;
	x = AY_NEW(a, struct ay_expr);
	x->op = AY_EXPR_VALUE;
	x->col = v->col;
	x->height = 1;
	x->v = *v;
	return x;
}

/* Makes a node over n operands in v, which may be one of the operands. */
static int make(struct ay_lex *l, enum ay_node op, int col, const char *name, const struct ay_value *operand,
		int n, struct ay_value *v)
{
	struct ay_expr *x = AY_NEW(l->a, struct ay_expr);

	x->op = op;
	x->col = col;
	x->name = name;
	x->n = n;
	x->x = n ? AY_NEW_N(l->a, const struct ay_expr *, n) : NULL;
	for (int i = 0; i < n; i++) {
		x->x[i] = ay_expr_of(l->a, &operand[i]);
		if (x->x[i]->height > x->height)
			x->height = x->x[i]->height;
	}
	if (++x->height > MAX_HEIGHT)
		return ay_parse_fail(l->err, col, "an expression of more than %d operations", MAX_HEIGHT);
	*v = (struct ay_value){ .kind = AY_V_EXPR, .col = col, .x = x };
	return 0;
}

static int call(struct ay_lex *l, const char *name, int col, struct ay_value *v)
{
	struct ay_value arg[AY_MAX_CALL_ARGS];
	int n = 0;

	if (ay_lex_enter(l))
		return -1;
	while (!ay_lex_take(l, ')')) {
		if (n == AY_MAX_CALL_ARGS)
			return ay_lex_fail(l, l->p, "more than %d arguments", AY_MAX_CALL_ARGS);
		if (ay_parse_expr(l, &arg[n++]))
			return -1;
		if (!ay_lex_take(l, ',') && !ay_lex_at(l, ')'))
			return ay_lex_expected(l, "',' or ')' after an argument");
	}
	ay_lex_leave(l);
	return make(l, AY_EXPR_CALL, col, name, arg, n, v);
}

static int primary(struct ay_lex *l, struct ay_value *v)
{
	int rc = ay_parse_literal(l, v), col = v->col;
	const char *name;

	if (rc < 1)
		return rc;
	name = ay_lex_name(l, "a value or a name");
	if (!name)
		return -1;
	return ay_lex_take(l, '(') ? call(l, name, col, v) : make(l, AY_EXPR_NAME, col, name, NULL, 0, v);
}

static int postfix(struct ay_lex *l, struct ay_value *v)
{
	if (primary(l, v))
		return -1;
	while (ay_lex_take(l, '[')) {
		struct ay_value both[2] = { *v };

		if (ay_lex_enter(l) || ay_parse_expr(l, &both[1]) || ay_lex_want(l, ']', "']' after an index"))
			return -1;
		ay_lex_leave(l);
		if (make(l, AY_EXPR_INDEX, v->col, NULL, both, 2, v))
			return -1;
	}
	return 0;
}

static int unary(struct ay_lex *l, struct ay_value *v)
{
	int col;

	/* -1 is a literal: the sign must be part of the number, or -9223372036854775808 could not
	 * be written */
	if (!ay_lex_at(l, '-') || ay_lex_at_number(l))
		return postfix(l, v);
	col = ay_lex_col(l, l->p++);
	if (ay_lex_enter(l) || unary(l, v))
		return -1;
	ay_lex_leave(l);
	return make(l, AY_EXPR_NEG, col, NULL, v, 1, v);
}

/* Consumes the next operator if it has this level; returns AY_EXPR_OPS if there is none. */
static enum ay_node take_op(struct ay_lex *l, int level)
{
	for (int op = 0; op < AY_EXPR_OPS; op++)
		if (ops[op].level == level && ay_lex_take_text(l, ops[op].token))
			return (enum ay_node)op;
	return AY_EXPR_OPS;
}

static int binary(struct ay_lex *l, struct ay_value *v, int level)
{
	enum ay_node op;

	if (level == TOP_LEVEL)
		return unary(l, v);
	if (binary(l, v, level + 1))
		return -1;
	while ((op = take_op(l, level)) != AY_EXPR_OPS) {
		struct ay_value both[2] = { *v };

		if (binary(l, &both[1], level + 1) || make(l, op, v->col, NULL, both, 2, v))
			return -1;
	}
	return 0;
}

int ay_parse_expr(struct ay_lex *l, struct ay_value *v)
{
	struct ay_value part[3];

	if (binary(l, v, 0))
		return -1;
	if (!ay_lex_take(l, '?'))
		return 0;
	part[0] = *v;
	if (ay_lex_enter(l) || ay_parse_expr(l, &part[1]) ||
	    ay_lex_want(l, ':', "':' and the other value of ?:") || ay_parse_expr(l, &part[2]))
		return -1;
	ay_lex_leave(l);
	return make(l, AY_EXPR_COND, v->col, NULL, part, 3, v);
}

int ay_expr_parse(struct ay_arena *a, const char *text, const struct ay_expr **out, struct ay_err *err)
{
	struct ay_value v;
	struct ay_lex l;

	if (ay_lex_init(&l, a, text, strlen(text), err))
		return -1;
	l.exprs = l.lines = true;
	if (ay_parse_expr(&l, &v))
		return -1;
	if (!ay_lex_at_end(&l))
		return ay_lex_expected(&l, "an operator or the end");
	*out = ay_expr_of(a, &v);
	return 0;
}

/* --- print ------------------------------------------------------------------------------------ */

static void print_list(struct ay_str *b, const struct ay_expr *const *x, int n)
{
	for (int i = 0; i < n; i++) {
		if (i)
			ay_str_add(b, ", ");
		ay_expr_print(b, x[i]);
	}
}

static void print_joined(struct ay_str *b, const struct ay_expr *x, const char *op1, const char *op2)
{
	ay_str_addc(b, '(');
	ay_expr_print(b, x->x[0]);
	ay_str_add(b, op1);
	ay_expr_print(b, x->x[1]);
	ay_str_add(b, op2);
	if (x->op == AY_EXPR_COND) {
		ay_expr_print(b, x->x[2]);
		ay_str_addc(b, ')');
	}
}

void ay_expr_print(struct ay_str *b, const struct ay_expr *x)
{
	switch (x->op) {
	case AY_EXPR_VALUE: ay_value_print(b, &x->v); break;
	case AY_EXPR_NAME: ay_str_add(b, x->name); break;
	case AY_EXPR_CALL:
		ay_str_add(b, x->name);
		ay_str_addc(b, '(');
		print_list(b, x->x, x->n);
		ay_str_addc(b, ')');
		break;
	case AY_EXPR_INDEX:
		ay_expr_print(b, x->x[0]);
		ay_str_addc(b, '[');
		ay_expr_print(b, x->x[1]);
		ay_str_addc(b, ']');
		break;
	case AY_EXPR_NEG:
		ay_str_add(b, "-(");
		ay_expr_print(b, x->x[0]);
		ay_str_addc(b, ')');
		break;
	case AY_EXPR_COND: print_joined(b, x, " ? ", " : "); break;
	default: print_joined(b, x, ops[x->op].token, ")"); break;
	}
}
