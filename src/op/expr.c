/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing: precedence by recursion, from ?: (lowest) over == < + * to unary minus, indexing and the primaries. An
 * operand that is a plain literal stays a value; nodes are only made where there is something to compute.
 *
 * Evaluation is lazy in ?: and strict elsewhere. Recursion is bounded by the height of the tree, which the parser
 * limits: brackets are limited by ay_lex_enter(), but 1+1+1+... is deep without any.
 */
#include "op/expr.h"
#include "op/parse.h"

#include <math.h>
#include <string.h>

enum { MAX_HEIGHT = 64, MAX_CALL_ARGS = 16 };

/* Binary operators: token, level (higher binds tighter). Longer tokens first. */
/* clang-format off */
#define OPS(O)              \
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
/* clang-format on */

enum node {
#define O(name, token, level) X_##name,
	OPS(O)
#undef O
	X_OPS,
	X_VALUE = X_OPS, /* v, which may hold expressions further down */
	X_NAME,
	X_CALL, /* name(x[0], ... x[n-1]) */
	X_INDEX,
	X_NEG,
	X_COND,
};

static const struct {
	const char *token;
	int level;
} ops[X_OPS] = {
#define O(name, token, level) [X_##name] = { token, level },
	OPS(O)
#undef O
};

enum { TOP_LEVEL = 4 };

struct ay_expr {
	enum node op;
	int col, height, n;
	const char *name;
	const struct ay_expr **x;
	struct ay_value v;
};

/* --- parse -------------------------------------------------------------------------------------------------- */

const struct ay_expr *ay_expr_of(struct ay_arena *a, const struct ay_value *v)
{
	struct ay_expr *x;

	if (v->kind == AY_V_EXPR)
		return v->x;
	x = AY_NEW(a, struct ay_expr);
	x->op = X_VALUE;
	x->col = v->col;
	x->height = 1;
	x->v = *v;
	return x;
}

/* A node over n operands, into v. v may be one of the operands. */
static int make(struct ay_lex *l, enum node op, int col, const char *name, const struct ay_value *operand, int n,
		struct ay_value *v)
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
	struct ay_value arg[MAX_CALL_ARGS];
	int n = 0;

	if (ay_lex_enter(l))
		return -1;
	while (!ay_lex_take(l, ')')) {
		if (n == MAX_CALL_ARGS)
			return ay_lex_fail(l, l->p, "more than %d arguments", MAX_CALL_ARGS);
		if (ay_parse_expr(l, &arg[n++]))
			return -1;
		if (!ay_lex_take(l, ',') && !ay_lex_at(l, ')'))
			return ay_lex_expected(l, "',' or ')' after an argument");
	}
	ay_lex_leave(l);
	return make(l, X_CALL, col, name, arg, n, v);
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
	return ay_lex_take(l, '(') ? call(l, name, col, v) : make(l, X_NAME, col, name, NULL, 0, v);
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
		if (make(l, X_INDEX, v->col, NULL, both, 2, v))
			return -1;
	}
	return 0;
}

static int unary(struct ay_lex *l, struct ay_value *v)
{
	int col;

	/* -1 is a literal; its sign must reach the number, or -9223372036854775808 could not be written */
	if (!ay_lex_at(l, '-') || ay_lex_at_number(l))
		return postfix(l, v);
	col = ay_lex_col(l, l->p++);
	if (ay_lex_enter(l) || unary(l, v))
		return -1;
	ay_lex_leave(l);
	return make(l, X_NEG, col, NULL, v, 1, v);
}

/* The operator of this level that is next, taken; X_OPS if none. */
static enum node take_op(struct ay_lex *l, int level)
{
	for (int op = 0; op < X_OPS; op++)
		if (ops[op].level == level && ay_lex_take_text(l, ops[op].token))
			return (enum node)op;
	return X_OPS;
}

static int binary(struct ay_lex *l, struct ay_value *v, int level)
{
	enum node op;

	if (level == TOP_LEVEL)
		return unary(l, v);
	if (binary(l, v, level + 1))
		return -1;
	while ((op = take_op(l, level)) != X_OPS) {
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
	if (ay_lex_enter(l) || ay_parse_expr(l, &part[1]) || ay_lex_want(l, ':', "':' and the other value of ?:") ||
	    ay_parse_expr(l, &part[2]))
		return -1;
	ay_lex_leave(l);
	return make(l, X_COND, v->col, NULL, part, 3, v);
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

/* --- print -------------------------------------------------------------------------------------------------- */

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
	if (x->op == X_COND) {
		ay_expr_print(b, x->x[2]);
		ay_str_addc(b, ')');
	}
}

void ay_expr_print(struct ay_str *b, const struct ay_expr *x)
{
	switch (x->op) {
	case X_VALUE: ay_value_print(b, &x->v); break;
	case X_NAME: ay_str_add(b, x->name); break;
	case X_CALL:
		ay_str_add(b, x->name);
		ay_str_addc(b, '(');
		print_list(b, x->x, x->n);
		ay_str_addc(b, ')');
		break;
	case X_INDEX:
		ay_expr_print(b, x->x[0]);
		ay_str_addc(b, '[');
		ay_expr_print(b, x->x[1]);
		ay_str_addc(b, ']');
		break;
	case X_NEG:
		ay_str_add(b, "-(");
		ay_expr_print(b, x->x[0]);
		ay_str_addc(b, ')');
		break;
	case X_COND: print_joined(b, x, " ? ", " : "); break;
	default: print_joined(b, x, ops[x->op].token, ")"); break;
	}
}

/* --- evaluate: numbers -------------------------------------------------------------------------------------- */

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
	if ((x->op == X_DIV || x->op == X_MOD) && !b)
		return fail(e, x, "division by zero");
	switch (x->op) {
	case X_ADD: over = __builtin_add_overflow(a, b, &out->i); break;
	case X_SUB: over = __builtin_sub_overflow(a, b, &out->i); break;
	case X_MUL: over = __builtin_mul_overflow(a, b, &out->i); break;
	default: /* INT64_MIN / -1 traps, the remainder too */
		over = a == INT64_MIN && b == -1;
		if (!over)
			out->i = x->op == X_DIV ? a / b : a % b;
	}
	return over ? fail(e, x, "the result does not fit in 64 bits") : 0;
}

static int float_op(struct ay_expand *e, const struct ay_expr *x, double a, double b, struct ay_value *out)
{
	if (x->op == X_DIV && b == 0)
		return fail(e, x, "division by zero");
	if (x->op == X_MOD)
		return fail(e, x, "% needs ints");
	out->kind = AY_V_FLOAT;
	out->f = x->op == X_ADD ? a + b : x->op == X_SUB ? a - b : x->op == X_MUL ? a * b : a / b;
	return 0;
}

static int spend(struct ay_expand *e, int64_t n, int col)
{
	e->budget -= n;
	return e->budget < 0 ? ay_parse_fail(e->err, col, "the expanded case is too large") : 0;
}

static int concat(struct ay_expand *e, const struct ay_expr *x, const struct ay_value *a, const struct ay_value *b,
		  struct ay_value *out)
{
	int64_t n = (int64_t)a->list.n + b->list.n;

	if (spend(e, n, x->col))
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
	if (x->op == X_ADD && a->kind == AY_V_LIST && b->kind == AY_V_LIST)
		return concat(e, x, a, b, out);
	return ay_parse_fail(e->err, x->col, "%s cannot stand between %s and %s", ops[x->op].token,
			     ay_kind_name(a->kind), ay_kind_name(b->kind));
}

/* -1, 0, 1; 2 if one is NaN. Not through double for ints: 2^53 + 1 must differ from 2^53. */
static int order(const struct ay_value *a, const struct ay_value *b)
{
	double p, q;

	if (a->kind == AY_V_INT && b->kind == AY_V_INT)
		return (a->i > b->i) - (a->i < b->i);
	p = as_double(a);
	q = as_double(b);
	return isnan(p) || isnan(q) ? 2 : (p > q) - (p < q);
}

/* Things of different kinds are merely different: x == None is a fair question about any x. */
static bool same(const struct ay_value *a, const struct ay_value *b)
{
	return is_number(a) && is_number(b) ? !order(a, b) : ay_value_equal(a, b);
}

static int compare(struct ay_expand *e, const struct ay_expr *x, const struct ay_value *a, const struct ay_value *b,
		   struct ay_value *out)
{
	int o;

	if (x->op == X_EQ || x->op == X_NE)
		return set_bool(out, same(a, b) == (x->op == X_EQ));
	if (!is_number(a) || !is_number(b))
		return ay_parse_fail(e->err, x->col, "%s needs numbers, not %s and %s", ops[x->op].token,
				     ay_kind_name(a->kind), ay_kind_name(b->kind));
	o = order(a, b);
	return set_bool(out, x->op == X_LT ? o == -1 : x->op == X_LE ? o <= 0 : x->op == X_GT ? o == 1 : o == 0 || o == 1);
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

/* --- evaluate: names and calls ------------------------------------------------------------------------------ */

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

/* 1: no such function. */
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

/* The caller's find; its message gets our column. 1: it knows nothing of the kind. */
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
	struct ay_value arg[MAX_CALL_ARGS];
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
	if (x->op == X_NEG)
		return negate(e, x, &v[0], out);
	if (x->op == X_INDEX)
		return element(e, x, &v[0], &v[1], out);
	return x->op < X_ADD ? compare(e, x, &v[0], &v[1], out) : arith(e, x, &v[0], &v[1], out);
}

int ay_eval(struct ay_expand *e, const struct ay_expr *x, struct ay_value *out)
{
	int rc;

	*out = (struct ay_value){ 0 };
	if (spend(e, 1, x->col))
		return -1;
	switch (x->op) {
	case X_VALUE: rc = ay_expand_value(e, &x->v, out); break;
	case X_NAME: rc = eval_name(e, x, out); break;
	case X_CALL: rc = eval_call(e, x, out); break;
	case X_COND: rc = eval_cond(e, x, out); break;
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

/* --- expand ------------------------------------------------------------------------------------------------- */

void ay_expand_init(struct ay_expand *e, struct ay_arena *a, const struct ay_scope *s, struct ay_err *err)
{
	/* about as many values as a line may have bytes: what is expanded should read back */
	*e = (struct ay_expand){ .a = a, .s = s, .err = err, .budget = AY_LINE_MAX };
}

static int expand_items(struct ay_expand *e, const struct ay_value *v, int n, int col, struct ay_value **out)
{
	*out = n ? AY_NEW_N(e->a, struct ay_value, n) : NULL;
	if (e->depth++ == AY_MAX_DEPTH)
		return ay_parse_fail(e->err, col, "the expanded case is nested deeper than %d", AY_MAX_DEPTH);
	for (int i = 0; i < n; i++)
		if (ay_expand_value(e, &v[i], &(*out)[i]))
			return -1;
	e->depth--;
	return 0;
}

static int expand_shape(struct ay_expand *e, const struct ay_tdesc *t, struct ay_tdesc *out)
{
	struct ay_value v;

	if (t->shape_x)
		return ay_eval(e, t->shape_x, &v) ? -1
						  : ay_tdesc_ints(&v, "shape", out->shape, NULL, &out->ndim, e->err);
	for (int i = 0; i < t->ndim; i++) {
		if (!t->dim_x[i])
			continue;
		if (ay_eval(e, t->dim_x[i], &v))
			return -1;
		if (v.kind != AY_V_INT || v.i < 0)
			return ay_parse_fail(e->err, v.col, "a size must be an int >= 0");
		out->shape[i] = v.i;
	}
	return 0;
}

static int expand_stride(struct ay_expand *e, const struct ay_tdesc *t, struct ay_tdesc *out)
{
	struct ay_value v;
	int n;

	if (t->stride_x) {
		if (ay_eval(e, t->stride_x, &v))
			return -1;
		if (v.kind == AY_V_NONE)
			return 0;
		out->has_stride = true;
		return ay_tdesc_ints(&v, "stride", out->stride, NULL, &n, e->err) ||
				       ay_tdesc_nstride(out, n, v.col, e->err)
			       ? -1
			       : 0;
	}
	for (int i = 0; i < t->ndim && t->has_stride; i++) {
		if (!t->stride_xs[i])
			continue;
		if (ay_eval(e, t->stride_xs[i], &v))
			return -1;
		if (v.kind != AY_V_INT || v.i < 0)
			return ay_parse_fail(e->err, v.col, "a stride must be an int >= 0");
		out->stride[i] = v.i;
	}
	return 0;
}

static int expand_dtype(struct ay_expand *e, const struct ay_tdesc *t, struct ay_tdesc *out)
{
	struct ay_value v;

	if (!t->dt_x)
		return 0;
	if (ay_eval(e, t->dt_x, &v))
		return -1;
	if (v.kind != AY_V_DTYPE)
		return ay_parse_fail(e->err, v.col, "expected a dtype, found %s", ay_kind_name(v.kind));
	out->dt = v.dt;
	return 0;
}

/* fill=NAME where NAME is a variable with a string: the string is the fill, so that a grid can vary it. */
static const char *fill_variable(const struct ay_expand *e, const struct ay_fill *f)
{
	for (int i = 0; e->s && !f->n && i < e->s->n; i++)
		if (!strcmp(e->s->names[i], f->name) && e->s->values[i].kind == AY_V_STR)
			return e->s->values[i].s;
	return NULL;
}

int ay_expand_fill(struct ay_expand *e, const struct ay_fill *f, struct ay_fill *out)
{
	const char *text;
	struct ay_lex l;
	struct ay_fill inner;

	*out = (struct ay_fill){ 0 };
	if (!f->name)
		return 0;
	text = fill_variable(e, f);
	if (text) {
		if (ay_lex_init(&l, e->a, text, strlen(text), e->err) || ay_parse_fill(&l, &inner))
			return -1;
		if (!ay_lex_at_end(&l))
			return ay_lex_expected(&l, "the end after a fill");
		f = &inner;
	}
	out->name = f->name;
	out->n = f->n;
	return expand_items(e, f->arg, f->n, 0, &out->arg);
}

static int expand_data(struct ay_expand *e, const struct ay_tdesc *t, struct ay_tdesc *out)
{
	if (!t->data)
		return 0;
	out->data = AY_NEW(e->a, struct ay_value);
	if (ay_expand_value(e, t->data, out->data))
		return -1;
	out->data->col = t->data->col; /* for the check below */
	return ay_tdesc_data(out->data, e->err);
}

static int expand_tensor(struct ay_expand *e, const struct ay_tdesc *t, int col, struct ay_value *out)
{
	struct ay_tdesc *d = AY_NEW(e->a, struct ay_tdesc);
	struct ay_value v;

	*d = *t;
	d->shape_x = d->dt_x = d->offset_x = d->stride_x = NULL;
	memset(d->dim_x, 0, sizeof d->dim_x);
	memset(d->stride_xs, 0, sizeof d->stride_xs);
	out->t = d;
	if (e->depth++ + 2 > AY_MAX_DEPTH) /* T( and its [ */
		return ay_parse_fail(e->err, col, "the expanded case is nested deeper than %d", AY_MAX_DEPTH);
	if (expand_shape(e, t, d) || expand_dtype(e, t, d) || expand_stride(e, t, d) ||
	    ay_expand_fill(e, &t->fill, &d->fill) || expand_data(e, t, d))
		return -1;
	if (t->offset_x && (ay_eval(e, t->offset_x, &v) || ay_tdesc_offset(&v, &d->offset, e->err)))
		return -1;
	e->depth--;
	if (ay_tdesc_check(d, e->err))
		return -1;
	if (d->data)
		d->data->col = 0;
	return 0;
}

/* Strings count by their length: a few names can stand for megabytes. */
static int64_t weight(const struct ay_value *v)
{
	size_t n = 1;

	if (v->kind == AY_V_STR || v->kind == AY_V_SYM)
		n += strlen(v->s);
	if (v->kind == AY_V_TENSOR && v->t->device)
		n += strlen(v->t->device);
	if (v->kind == AY_V_TENSOR && v->t->fill.name)
		n += strlen(v->t->fill.name);
	return (int64_t)n;
}

int ay_expand_value(struct ay_expand *e, const struct ay_value *v, struct ay_value *out)
{
	struct ay_value x;

	int outer = e->at, col, rc = 0;

	if (v->kind == AY_V_EXPR) {
		if (ay_eval(e, v->x, &x))
			return -1;
		e->at = x.col;
		v = &x;
	}
	col = e->at ? e->at : v->col;
	*out = *v;
	out->col = 0;
	if (spend(e, weight(v), col))
		return -1;
	switch (v->kind) {
	case AY_V_LIST: rc = expand_items(e, v->list.v, v->list.n, col, &out->list.v); break;
	case AY_V_TENSOR: rc = expand_tensor(e, v->t, col, out); break;
	case AY_V_EXPR: return ay_parse_fail(e->err, col, "a scope's value holds an expression");
	default: break;
	}
	e->at = outer;
	return rc;
}
