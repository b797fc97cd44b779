/* SPDX-License-Identifier: Apache-2.0
 *
 * Evaluation of expressions: lazy in ?:, strict elsewhere. Recursion is as deep as the tree
 * is high.
 */
#include "op/expr.h"
#include "op/parse.h"

#include <math.h>
#include <string.h>

/* --- numbers, lists, comparison --------------------------------------------------------------- */

static int fail(struct ay_expand *e, const struct ay_expr *x, const char *what)
{
	return ay_parse_fail(e->err, x->col, "%s", what);
}

static bool is_number(const struct ay_value *v)
{
	return v->kind == AY_V_INT || v->kind == AY_V_FLOAT;
}

static double as_double(const struct ay_value *v)
{
	return v->kind == AY_V_INT ? (double)v->i : v->f;
}

static int set_bool(struct ay_value *out, bool b)
{
	out->kind = AY_V_BOOL;
	out->b = b;
	return 0;
}

static int int_op(struct ay_expand *e, const struct ay_expr *x, int64_t a, int64_t b, struct ay_value *out)
{
	bool over = false;

	out->kind = AY_V_INT;
	if ((x->op == AY_EXPR_DIV || x->op == AY_EXPR_MOD) && !b)
		return fail(e, x, "division by zero");
	switch (x->op) {
	case AY_EXPR_ADD: over = __builtin_add_overflow(a, b, &out->i); break;
	case AY_EXPR_SUB: over = __builtin_sub_overflow(a, b, &out->i); break;
	case AY_EXPR_MUL: over = __builtin_mul_overflow(a, b, &out->i); break;
	default: /* INT64_MIN / -1 traps, and so does the remainder */
		over = a == INT64_MIN && b == -1;
		if (!over)
			out->i = x->op == AY_EXPR_DIV ? a / b : a % b;
	}
	return over ? fail(e, x, "the result does not fit in 64 bits") : 0;
}

static int float_op(struct ay_expand *e, const struct ay_expr *x, double a, double b, struct ay_value *out)
{
	if (x->op == AY_EXPR_DIV && b == 0)
		return fail(e, x, "division by zero");
	if (x->op == AY_EXPR_MOD)
		return fail(e, x, "% needs ints");
	out->kind = AY_V_FLOAT;
	out->f = x->op == AY_EXPR_ADD   ? a + b
		 : x->op == AY_EXPR_SUB ? a - b
		 : x->op == AY_EXPR_MUL ? a * b
					: a / b;
	return 0;
}

static int concat(struct ay_expand *e, const struct ay_expr *x, const struct ay_value *a, const struct ay_value *b,
		  struct ay_value *out)
{
	int64_t n = (int64_t)a->list.n + b->list.n;

	if (ay_expand_spend(e, n, x->col))
		return -1;
	out->kind = AY_V_LIST;
	out->list.n = (int)n;
	out->list.v = AY_NEW_N(e->a, struct ay_value, n);
	if (a->list.n)
		memcpy(out->list.v, a->list.v, sizeof *a * (size_t)a->list.n);
	if (b->list.n)
		memcpy(out->list.v + a->list.n, b->list.v, sizeof *b * (size_t)b->list.n);
	return 0;
}

static int arith(struct ay_expand *e, const struct ay_expr *x, const struct ay_value *a, const struct ay_value *b,
		 struct ay_value *out)
{
	if (a->kind == AY_V_INT && b->kind == AY_V_INT)
		return int_op(e, x, a->i, b->i, out);
	if (is_number(a) && is_number(b))
		return float_op(e, x, as_double(a), as_double(b), out);
	if (x->op == AY_EXPR_ADD && a->kind == AY_V_LIST && b->kind == AY_V_LIST)
		return concat(e, x, a, b, out);
	return ay_parse_fail(e->err, x->col, "%s cannot stand between %s and %s", ay_expr_token(x->op),
			     ay_kind_name(a->kind), ay_kind_name(b->kind));
}

/* Returns -1, 0 or 1; 2 if one is NaN. Ints are not compared as doubles: 2^53 + 1 must differ
 * from 2^53. */
static int order(const struct ay_value *a, const struct ay_value *b)
{
	double p, q;

	if (a->kind == AY_V_INT && b->kind == AY_V_INT)
		return (a->i > b->i) - (a->i < b->i);
	p = as_double(a);
	q = as_double(b);
	return isnan(p) || isnan(q) ? 2 : (p > q) - (p < q);
}

/* Values of different kinds are different, not an error: x == None is legal for any x. */
static bool same(const struct ay_value *a, const struct ay_value *b)
{
	return is_number(a) && is_number(b) ? !order(a, b) : ay_value_equal(a, b);
}

static int compare(struct ay_expand *e, const struct ay_expr *x, const struct ay_value *a,
		   const struct ay_value *b, struct ay_value *out)
{
	int o;

	if (x->op == AY_EXPR_EQ || x->op == AY_EXPR_NE)
		return set_bool(out, same(a, b) == (x->op == AY_EXPR_EQ));
	if (!is_number(a) || !is_number(b))
		return ay_parse_fail(e->err, x->col, "%s needs numbers, not %s and %s", ay_expr_token(x->op),
				     ay_kind_name(a->kind), ay_kind_name(b->kind));
	o = order(a, b);
	return set_bool(out, x->op == AY_EXPR_LT   ? o == -1
			     : x->op == AY_EXPR_LE ? o <= 0
			     : x->op == AY_EXPR_GT ? o == 1
						   : o == 0 || o == 1);
}

static int negate(struct ay_expand *e, const struct ay_expr *x, const struct ay_value *a, struct ay_value *out)
{
	if (a->kind == AY_V_FLOAT) {
		out->kind = AY_V_FLOAT;
		out->f = -a->f;
		return 0;
	}
	if (a->kind != AY_V_INT)
		return ay_parse_fail(e->err, x->col, "- cannot stand before %s", ay_kind_name(a->kind));
	out->kind = AY_V_INT;
	if (__builtin_sub_overflow(0, a->i, &out->i))
		return fail(e, x, "the result does not fit in 64 bits");
	return 0;
}

static int element(struct ay_expand *e, const struct ay_expr *x, const struct ay_value *list,
		   const struct ay_value *at, struct ay_value *out)
{
	int64_t i;

	if (list->kind != AY_V_LIST || at->kind != AY_V_INT)
		return ay_parse_fail(e->err, x->col, "[] needs a list and an int, not %s and %s",
				     ay_kind_name(list->kind), ay_kind_name(at->kind));
	i = at->i < 0 ? at->i + list->list.n : at->i;
	if (i < 0 || i >= list->list.n)
		return ay_parse_fail(e->err, x->col, "index %lld in a list of %d", (long long)at->i, list->list.n);
	*out = list->list.v[i];
	return 0;
}

/* --- names and calls -------------------------------------------------------------------------- */

static int numel(struct ay_expand *e, const struct ay_expr *x, const struct ay_value *v, struct ay_value *out)
{
	int n = v->kind == AY_V_TENSOR ? v->t->ndim : v->list.n;
	bool zero = false, over = false;

	out->kind = AY_V_INT;
	out->i = 1;
	for (int k = 0; k < n; k++) {
		int64_t d = v->kind == AY_V_TENSOR ? v->t->shape[k] : v->list.v[k].i;

		if (v->kind == AY_V_LIST && v->list.v[k].kind != AY_V_INT)
			return fail(e, x, "numel() needs a list of ints");
		zero |= !d;
		over |= __builtin_mul_overflow(out->i, d, &out->i);
	}
	if (zero)
		out->i = 0;
	return over && !zero ? fail(e, x, "the result does not fit in 64 bits") : 0;
}

/* Evaluates a built-in function. Returns 1 if it does not exist. */
static int builtin(struct ay_expand *e, const struct ay_expr *x, const struct ay_value *arg, struct ay_value *out)
{
	bool is_numel = !strcmp(x->name, "numel"), is_len = !strcmp(x->name, "len");

	if (!is_numel && !is_len)
		return 1;
	if (x->n != 1 || (arg->kind != AY_V_LIST && arg->kind != AY_V_TENSOR))
		return ay_parse_fail(e->err, x->col, "%s() needs one list", x->name);
	if (is_numel)
		return numel(e, x, arg, out);
	out->kind = AY_V_INT;
	out->i = arg->kind == AY_V_TENSOR ? arg->t->ndim : arg->list.n;
	return 0;
}

/* Calls the scope's find and adds the column to its message. Returns 1 if find does not know
 * the name. */
static int ask(struct ay_expand *e, const struct ay_expr *x, int nargs, const struct ay_value *arg,
	       struct ay_value *out)
{
	const struct ay_scope *s = e->s;
	int rc = s && s->find ? s->find(s->user, e->a, x->name, nargs, arg, out, e->err) : 1;

	if (rc < 0 && !e->err->code)
		return ay_parse_fail(e->err, x->col, "'%.60s' has no value here", x->name);
	if (rc < 0 && !e->err->col) {
		e->err->col = x->col;
		ay_err_prefix(e->err, "column %d", x->col);
	}
	return rc;
}

static int eval_name(struct ay_expand *e, const struct ay_expr *x, struct ay_value *out)
{
	int rc;

	for (int i = 0; e->s && i < e->s->n; i++)
		if (!strcmp(e->s->names[i], x->name)) {
			*out = e->s->values[i];
			return 0;
		}
	rc = ask(e, x, -1, NULL, out);
	return rc == 1 ? ay_parse_fail(e->err, x->col, "nothing here is called '%.60s'", x->name) : rc;
}

static int eval_call(struct ay_expand *e, const struct ay_expr *x, struct ay_value *out)
{
	struct ay_value arg[AY_MAX_CALL_ARGS];
	int rc;

	for (int i = 0; i < x->n; i++)
		if (ay_eval(e, x->x[i], &arg[i]))
			return -1;
	rc = ask(e, x, x->n, arg, out);
	if (rc == 1)
		rc = builtin(e, x, arg, out);
	return rc == 1 ? ay_parse_fail(e->err, x->col, "there is no function '%.60s'", x->name) : rc;
}

static int eval_cond(struct ay_expand *e, const struct ay_expr *x, struct ay_value *out)
{
	struct ay_value c;

	if (ay_eval(e, x->x[0], &c))
		return -1;
	if (c.kind != AY_V_BOOL && c.kind != AY_V_INT)
		return ay_parse_fail(e->err, x->col, "?: asks for a bool or an int, not %s", ay_kind_name(c.kind));
	return ay_eval(e, (c.kind == AY_V_BOOL ? c.b : c.i != 0) ? x->x[1] : x->x[2], out);
}

static int eval_operator(struct ay_expand *e, const struct ay_expr *x, struct ay_value *out)
{
	struct ay_value v[2];

	if (ay_eval(e, x->x[0], &v[0]) || (x->n > 1 && ay_eval(e, x->x[1], &v[1])))
		return -1;
	if (x->op == AY_EXPR_NEG)
		return negate(e, x, &v[0], out);
	if (x->op == AY_EXPR_INDEX)
		return element(e, x, &v[0], &v[1], out);
	return x->op < AY_EXPR_ADD ? compare(e, x, &v[0], &v[1], out) : arith(e, x, &v[0], &v[1], out);
}

int ay_eval(struct ay_expand *e, const struct ay_expr *x, struct ay_value *out)
{
	int rc;

	*out = (struct ay_value){ 0 };
	if (ay_expand_spend(e, 1, x->col))
		return -1;
	switch (x->op) {
	case AY_EXPR_VALUE: rc = ay_expand_value(e, &x->v, out); break;
	case AY_EXPR_NAME: rc = eval_name(e, x, out); break;
	case AY_EXPR_CALL: rc = eval_call(e, x, out); break;
	case AY_EXPR_COND: rc = eval_cond(e, x, out); break;
	default: rc = eval_operator(e, x, out);
	}
	out->col = x->col;
	return rc;
}

int ay_expr_eval(struct ay_arena *a, const struct ay_expr *x, const struct ay_scope *s, struct ay_value *out,
		 struct ay_err *err)
{
	struct ay_expand e;

	ay_expand_init(&e, a, s, err);
	return ay_eval(&e, x, out);
}
