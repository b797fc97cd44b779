/* SPDX-License-Identifier: Apache-2.0
 *
 * Binding: gives every argument of a schema its value from a case line. What the line leaves out
 * comes from the schema (defaults) and from the operator (fills, shapes of results).
 */
#include "op/call.h"
#include "op/fill.h"
#include "op/input_domain.h"
#include "op/grid.h"
#include "op/op.h"

#include <assay/kernel.h>
#include <string.h>

enum { MAX_OPERANDS = 4096 };

struct binder {
	struct ay_arena *a;
	struct ay_call *c;
	struct ay_err *err;
	int cap;
};

/* --- one value to one type -------------------------------------------------------------------- */

static int refuse(struct binder *b, const struct ay_sarg *s, const struct ay_value *v, const char *want)
{
	return ay_fail_at(b->err, AY_ERR_BIND, v->col, "column %d: argument '%s' takes %s, not %s", v->col,
			  s->name, want, ay_kind_name(v->kind));
}

static bool is_number(const struct ay_value *v)
{
	return v->kind >= AY_V_BOOL && v->kind <= AY_V_COMPLEX;
}

static int symbol_code(const char *const *names, const char *s, int64_t *code)
{
	for (int i = 0; names[i]; i++) {
		if (!strcmp(names[i], s)) {
			*code = i;
			return 0;
		}
	}
	return -1;
}

static int bind_symbol(struct binder *b, const struct ay_sarg *s, const struct ay_value *v, struct ay_value *out)
{
	bool layout = s->type.base == AY_TYPE_LAYOUT;
	int64_t code;

	if (v->kind == AY_V_INT) { /* enum defaults may be integers */
		*out = *v;
		return 0;
	}
	if ((v->kind != AY_V_SYM && v->kind != AY_V_STR) ||
	    symbol_code(layout ? ay_layout_names : ay_format_names, v->s, &code))
		return refuse(b, s, v,
			      layout ? "a layout such as torch.strided"
				     : "a memory format such as torch.preserve_format");
	*out = (struct ay_value){ .kind = AY_V_INT, .col = v->col, .i = code };
	return 0;
}

static int bind_plain(struct binder *b, const struct ay_sarg *s, const struct ay_value *v, struct ay_value *out)
{
	*out = *v;
	switch (s->type.base) {
	case AY_TYPE_INT:
	case AY_TYPE_SYMINT: return v->kind == AY_V_INT ? 0 : refuse(b, s, v, "an int");
	case AY_TYPE_FLOAT:
		if (v->kind == AY_V_INT)
			*out = (struct ay_value){ .kind = AY_V_FLOAT, .col = v->col, .f = (double)v->i };
		return v->kind == AY_V_INT || v->kind == AY_V_FLOAT ? 0 : refuse(b, s, v, "a float");
	case AY_TYPE_BOOL: return v->kind == AY_V_BOOL ? 0 : refuse(b, s, v, "True or False");
	case AY_TYPE_SCALAR:
	case AY_TYPE_COMPLEX: return is_number(v) ? 0 : refuse(b, s, v, "a number");
	case AY_TYPE_STR: return v->kind == AY_V_STR ? 0 : refuse(b, s, v, "a string");
	case AY_TYPE_DTYPE: return v->kind == AY_V_DTYPE ? 0 : refuse(b, s, v, "a dtype");
	case AY_TYPE_LAYOUT:
	case AY_TYPE_FORMAT: return bind_symbol(b, s, v, out);
	case AY_TYPE_DEVICE: /* replaced by the device of the run */
		*out = (struct ay_value){ .kind = AY_V_STR, .col = v->col, .s = "cpu" };
		return v->kind == AY_V_SYM || v->kind == AY_V_STR ? 0 : refuse(b, s, v, "a device");
	case AY_TYPE_GENERATOR: *out = (struct ay_value){ .kind = AY_V_NONE, .col = v->col }; return 0;
	default:
		return ay_fail(b->err, AY_ERR_BIND, "argument '%s' has a type that no case line can give",
			       s->name);
	}
}

static int bind_list(struct binder *b, const struct ay_sarg *s, const struct ay_value *v, struct ay_value *out)
{
	bool list = v->kind == AY_V_LIST;
	int n = list ? v->list.n : s->type.list_size; /* int[2] accepts one int for both */

	if (!list && n < 1)
		return refuse(b, s, v, "a list");
	/* an empty list is accepted: a pooling's stride is then its kernel size */
	if (list && s->type.list_size > 1 && n != s->type.list_size && n > 1)
		return ay_fail_at(b->err, AY_ERR_BIND, v->col, "column %d: argument '%s' takes %d values, not %d",
				  v->col, s->name, s->type.list_size, n);
	*out = (struct ay_value){ .kind = AY_V_LIST, .col = v->col };
	out->list.n = n;
	out->list.v = AY_NEW_N(b->a, struct ay_value, n);
	for (int i = 0; i < n; i++)
		if (bind_plain(b, s, list ? &v->list.v[i] : v, &out->list.v[i]))
			return -1;
	return 0;
}

/* --- tensors ---------------------------------------------------------------------------------- */

static struct ay_operand *add_operand(struct binder *b, const char *name, enum ay_role role)
{
	struct ay_call *c = b->c;
	struct ay_operand *o = AY_NEW(b->a, struct ay_operand);

	if (c->noperand == b->cap) {
		struct ay_operand **old = c->operand;

		b->cap = b->cap ? b->cap * 2 : 8;
		c->operand = AY_NEW_N(b->a, struct ay_operand *, b->cap);
		if (c->noperand)
			memcpy(c->operand, old, sizeof *old * (size_t)c->noperand);
	}
	o->name = name;
	o->role = role;
	o->ordinal = c->noperand;
	return c->operand[c->noperand++] = o;
}

/* Makes an operand of a number given for a Tensor; PyTorch wraps it. */
static struct ay_operand *wrap_number(struct binder *b, const struct ay_sarg *s, const struct ay_value *v)
{
	static const enum ay_dt dts[] = { [AY_V_BOOL] = AY_DT_B8,
					  [AY_V_INT] = AY_DT_I64,
					  [AY_V_FLOAT] = AY_DT_F64,
					  [AY_V_COMPLEX] = AY_DT_C128 };
	struct ay_operand *o = add_operand(b, s->name, AY_IN);
	struct ay_value *list = AY_NEW(b->a, struct ay_value);

	*list = (struct ay_value){ .kind = AY_V_LIST };
	list->list.n = 1;
	list->list.v = AY_NEW(b->a, struct ay_value);
	*list->list.v = *v;
	o->view.dt = dts[v->kind];
	o->data = list;
	o->wrapped = true;
	return o;
}

static enum ay_role role_of(const struct ay_schema *s, const struct ay_sarg *arg, const struct ay_fill *fill)
{
	if (!ay_stype_written(&arg->type))
		return AY_IN;
	if (arg->kwonly)
		return AY_OUT;
	if (arg == s->arg && ay_schema_inplace(s))
		return AY_INOUT;
	return fill->name && !strcmp(fill->name, "out") ? AY_OUT : AY_INOUT;
}

static int bind_tensor(struct binder *b, const struct ay_sarg *s, const struct ay_value *v,
		       struct ay_operand **out)
{
	const struct ay_tdesc *t = v->t;
	struct ay_operand *o;
	struct ay_view *w;

	*out = NULL;
	if (v->kind == AY_V_NONE && (s->type.optional || s->type.elem_optional))
		return 0;
	if (b->c->noperand >= MAX_OPERANDS)
		return ay_fail(b->err, AY_ERR_BIND, "more than %d tensors in one call", MAX_OPERANDS);
	if (is_number(v) && !s->type.list && !ay_stype_written(&s->type)) {
		*out = wrap_number(b, s, v);
		return 0;
	}
	if (v->kind != AY_V_TENSOR)
		return refuse(b, s, v, "a tensor");
	*out = o = add_operand(b, s->name, AY_IN);
	w = &o->view;
	o->desc = t;
	o->fill = t->fill;
	o->data = t->data;
	w->dt = t->dt;
	w->ndim = t->ndim;
	w->offset = t->offset;
	w->conj = t->conj;
	w->neg = t->neg;
	memcpy(w->shape, t->shape, sizeof w->shape);
	if (!ay_shape_ok(t->ndim, t->shape, ay_dt_info(t->dt)->bytes))
		return ay_fail_at(b->err, AY_ERR_BIND, v->col, "column %d: the shape of '%s' is impossible",
				  v->col, s->name);
	if (t->neg && ay_dt_is_integral(t->dt))
		return ay_fail_at(b->err, AY_ERR_BIND, v->col, "column %d: neg= is for floats", v->col);
	if (t->has_stride)
		memcpy(w->stride, t->stride, sizeof w->stride);
	else
		ay_strides_dense(t->ndim, t->shape, w->stride);
	if (ay_view_too_far(w))
		return ay_fail_at(b->err, AY_ERR_BIND, v->col, "column %d: the strides of '%s' reach too far",
				  v->col, s->name);
	return 0;
}

static int bind_tensors(struct binder *b, struct ay_barg *arg, const struct ay_value *v)
{
	const struct ay_sarg *s = arg->s;

	if (!s->type.list) {
		arg->t = AY_NEW(b->a, struct ay_operand *);
		arg->n = 1;
		return bind_tensor(b, s, v, arg->t);
	}
	if (v->kind == AY_V_NONE && s->type.optional)
		return 0;
	if (v->kind != AY_V_LIST)
		return refuse(b, s, v, "a list of tensors");
	arg->n = v->list.n;
	arg->t = AY_NEW_N(b->a, struct ay_operand *, arg->n + 1);
	for (int i = 0; i < arg->n; i++)
		if (bind_tensor(b, s, &v->list.v[i], &arg->t[i]))
			return -1;
	return 0;
}

/* --- arguments -------------------------------------------------------------------------------- */

/* Makes a 0-dim tensor of a Scalar, so that one reference serves add.Tensor and add.Scalar. */
static void make_scalar_view(struct ay_barg *arg)
{
	const struct ay_value *v = &arg->v;
	void *at = arg->scalar_store;

	arg->scalar = (struct ay_view){ .data = at };
	switch (v->kind) {
	case AY_V_BOOL:
		arg->scalar.dt = AY_DT_B8;
		*(uint8_t *)at = v->b;
		break;
	case AY_V_INT:
		arg->scalar.dt = AY_DT_I64;
		*(int64_t *)at = v->i;
		break;
	case AY_V_FLOAT:
		arg->scalar.dt = AY_DT_F64;
		*(double *)at = v->f;
		break;
	default: arg->scalar.dt = AY_DT_C128; memcpy(at, v->c, sizeof v->c);
	}
}

static int bind_arg(struct binder *b, struct ay_barg *arg, const struct ay_value *v)
{
	const struct ay_sarg *s = arg->s;

	if (ay_stype_is_tensor(&s->type))
		return bind_tensors(b, arg, v);
	if (v->kind == AY_V_NONE) {
		if (!s->type.optional && s->type.base != AY_TYPE_GENERATOR)
			return refuse(b, s, v, "a value");
		arg->v = *v;
		return 0;
	}
	if (s->type.list ? bind_list(b, s, v, &arg->v) : bind_plain(b, s, v, &arg->v))
		return -1;
	if (!s->type.list && is_number(&arg->v))
		make_scalar_view(arg);
	return 0;
}

static const struct ay_value *find_kw(const struct ay_case *line, const char *name)
{
	for (int i = 0; i < line->nkw; i++)
		if (!strcmp(line->kw[i].name, name))
			return &line->kw[i].v;
	return NULL;
}

static int check_names(struct binder *b, const struct ay_case *line)
{
	const struct ay_schema *s = b->c->s;
	int npos = 0;

	while (npos < s->narg && !s->arg[npos].kwonly)
		npos++;
	if (line->narg > npos)
		return ay_fail_at(b->err, AY_ERR_BIND, line->arg[npos].col,
				  "column %d: %s takes %d positional arguments, not %d", line->arg[npos].col,
				  s->base, npos, line->narg);
	for (int i = 0; i < line->nkw; i++) {
		int j = 0;

		while (j < s->narg && strcmp(s->arg[j].name, line->kw[i].name))
			j++;
		if (j == s->narg)
			return ay_fail_at(b->err, AY_ERR_BIND, line->kw[i].col,
					  "column %d: %s has no argument '%s'", line->kw[i].col, s->base,
					  line->kw[i].name);
		if (j < line->narg)
			return ay_fail_at(b->err, AY_ERR_BIND, line->kw[i].col,
					  "column %d: argument '%s' is given twice", line->kw[i].col,
					  line->kw[i].name);
	}
	return 0;
}

static int bind_args(struct binder *b, const struct ay_case *line)
{
	static const struct ay_value none = { .kind = AY_V_NONE };
	const struct ay_schema *s = b->c->s;

	if (check_names(b, line))
		return -1;
	b->c->arg = AY_NEW_N(b->a, struct ay_barg, s->narg);
	for (int i = 0; i < s->narg; i++) {
		const struct ay_value *v = i < line->narg ? &line->arg[i] : find_kw(line, s->arg[i].name);

		b->c->arg[i].s = &s->arg[i];
		if (!v)
			v = s->arg[i].def;
		if (!v && s->arg[i].type.base == AY_TYPE_GENERATOR)
			v = &none;
		if (!v)
			return ay_fail(b->err, AY_ERR_BIND, "%s needs its argument '%s'", s->base, s->arg[i].name);
		if (bind_arg(b, &b->c->arg[i], v))
			return -1;
	}
	return 0;
}

/* --- fills ------------------------------------------------------------------------------------ */

/* Finds names and functions that an operator's fill may use: arguments, size(x, i), numel(x). */
static int scope_find(void *user, struct ay_arena *a, const char *name, int nargs, const struct ay_value *args,
		      struct ay_value *out, struct ay_err *err)
{
	const struct ay_call *c = user;

	(void)a;
	if (nargs < 0) {
		for (int i = 0; i < c->s->narg; i++) {
			const struct ay_barg *arg = &c->arg[i];

			if (strcmp(arg->s->name, name))
				continue;
			if (arg->n == 1 && arg->t[0] && arg->t[0]->desc)
				*out = (struct ay_value){ .kind = AY_V_TENSOR,
							  .t = (struct ay_tdesc *)arg->t[0]->desc };
			else
				*out = arg->v;
			return 0;
		}
		return 1;
	}
	if (nargs >= 1 && args[0].kind == AY_V_TENSOR) {
		const struct ay_tdesc *t = args[0].t;

		*out = (struct ay_value){ .kind = AY_V_INT, .i = 1 };
		if (nargs == 1 && !strcmp(name, "numel")) {
			for (int d = 0; d < t->ndim; d++)
				out->i *= t->shape[d];
			return 0;
		}
		if (nargs == 2 && !strcmp(name, "size") && args[1].kind == AY_V_INT) {
			int d = ay_dim_wrap(args[1].i, t->ndim, err);

			out->i = d >= 0 && t->ndim ? t->shape[d] : 1;
			return d < 0 ? -1 : 0;
		}
	}
	return 1;
}

static const char *after_spaces(const char *s)
{
	return s + strspn(s, " \t\n;");
}

/* Sets the fill that the operator declares for an argument: "name=fill; name=fill". */
static int fill_from_op(struct binder *b, struct ay_operand *o)
{
	struct ay_scope scope = { .find = scope_find, .user = b->c };
	const char *fills = b->c->op->flags & AY_UNCATALOGUED ? ay_input_domain_fills(b->c->s) : b->c->op->fills;
	size_t len = strlen(o->name);

	for (const char *s = after_spaces(fills ? fills : ""); *s;) {
		const char *eq = strchr(s, '='), *end = s + strcspn(s, ";");

		if (!eq || eq > end)
			AY_BUG("fills of %s: no '=' in '%s'", b->c->s->base, s);
		if ((size_t)(eq - s) == len && !strncmp(s, o->name, len))
			return ay_fill_parse(b->a, eq + 1, (size_t)(end - eq - 1), &scope, &o->fill, b->err);
		s = after_spaces(end);
	}
	return 0;
}

static struct ay_fill fill_by_dtype(struct binder *b, enum ay_dt dt)
{
	struct ay_fill f = { .name = "int", .n = 2, .arg = AY_NEW_N(b->a, struct ay_value, 2) };

	if (dt == AY_DT_B8)
		return (struct ay_fill){ .name = "bool" };
	if (!ay_dt_is_integral(dt))
		return (struct ay_fill){ .name = "normal" };
	f.arg[0] = (struct ay_value){ .kind = AY_V_INT, .i = dt == AY_DT_U8 ? 0 : -9 };
	f.arg[1] = (struct ay_value){ .kind = AY_V_INT, .i = 9 };
	return f;
}

static int resolve_operands(struct binder *b)
{
	struct ay_call *c = b->c;

	for (int i = 0; i < c->s->narg; i++) {
		for (int j = 0; j < c->arg[i].n; j++) {
			struct ay_operand *o = c->arg[i].t[j];

			if (!o)
				continue;
			if (!o->fill.name && !o->data && fill_from_op(b, o))
				return -1;
			o->role = role_of(c->s, c->arg[i].s, &o->fill);
			if (!o->fill.name && o->role == AY_OUT)
				o->fill.name = "out";
			if (!o->fill.name)
				o->fill = fill_by_dtype(b, o->view.dt);
			if (o->role == AY_OUT)
				o->data = NULL;
			o->old = o->view;
			if (o->role != AY_IN && ay_view_overlaps(&o->view))
				return ay_fail(b->err, AY_ERR_BIND,
					       "'%s' is written, but its elements share memory", o->name);
			if (ay_fill_check(c, o, b->err))
				return -1;
		}
	}
	return 0;
}

/* --- results ---------------------------------------------------------------------------------- */

/* Describes result k, as op->result does. Answers of written arguments precede those of results. */
static int result_of(struct binder *b, int k, struct ay_meta *m)
{
	const struct ay_call *c = b->c;

	if (c->given) {
		int first = 0;

		for (int i = 0; i < c->noperand; i++)
			first += c->operand[i]->role == AY_INOUT || c->operand[i]->role == AY_OUT;
		if (first + k >= c->given->n)
			return ay_fail(b->err, AY_ERR_BIND, "%s gives fewer results than its schema says",
				       c->s->base);
		*m = c->given->answer[first + k].meta;
		return 0;
	}
	return c->op->result ? c->op->result(c, k, m, b->err) : ay_result_like_first(c, k, m, b->err);
}

static int add_result(struct binder *b, int k, const char *name)
{
	struct ay_meta m = { .dt = AY_DT_NONE };
	struct ay_operand *o;

	if (b->c->noperand >= MAX_OPERANDS)
		return ay_fail(b->err, AY_ERR_BIND, "more than %d tensors in one call", MAX_OPERANDS);
	if (result_of(b, k, &m))
		return -1;
	if (m.dt == AY_DT_NONE || !ay_shape_ok(m.ndim, m.shape, ay_dt_info(m.dt)->bytes))
		return ay_fail(b->err, AY_ERR_BIND, "%s cannot give a result for these arguments", b->c->s->base);
	o = add_operand(b, name ? name : "out", AY_RESULT);
	o->fill.name = "out";
	o->view.dt = m.dt;
	o->view.ndim = m.ndim;
	memcpy(o->view.shape, m.shape, sizeof m.shape);
	o->has_stride = m.has_stride;
	o->may_alias = m.may_alias;
	o->absent = m.absent;
	o->fresh = m.fresh;
	o->resolved = m.resolved;
	if (m.has_stride)
		memcpy(o->view.stride, m.stride, sizeof m.stride);
	else
		ay_strides_dense(m.ndim, m.shape, o->view.stride);
	if (ay_view_too_far(&o->view))
		return ay_fail(b->err, AY_ERR_BIND, "the strides of '%s' reach too far", o->name);
	return 0;
}

/* Returns how many tensors a list of results has: the operator's number, or the answers left. */
static int list_length(const struct binder *b)
{
	const struct ay_call *c = b->c;
	int n = c->given ? c->given->n : c->op->length ? c->op->length(c) : 1;

	for (int i = 0; i < c->noperand && c->given; i++)
		n -= c->operand[i]->role == AY_INOUT || c->operand[i]->role == AY_OUT;
	for (int r = 0; r < c->s->nret && c->given; r++)
		n -= ay_schema_ret_arg(c->s, r) < 0 && ay_stype_is_tensor(&c->s->ret[r].type) &&
		     !c->s->ret[r].type.list;
	return n;
}

static int bind_results(struct binder *b)
{
	struct ay_call *c = b->c;
	const struct ay_schema *s = c->s;
	const int length = list_length(b);
	int k = 0;

	for (int r = 0; r < s->nret; r++) {
		if (ay_schema_ret_arg(s, r) >= 0)
			continue;
		if (!ay_stype_is_tensor(&s->ret[r].type)) {
			c->nscalar_out++;
			continue;
		}
		for (int n = s->ret[r].type.list ? length : 1; n > 0; n--)
			if (add_result(b, k++, s->ret[r].name))
				return -1;
	}
	return 0;
}

static void list_outputs(struct binder *b)
{
	struct ay_call *c = b->c;

	c->out = AY_NEW_N(b->a, struct ay_operand *, c->noperand + 1);
	for (int i = 0; i < c->noperand; i++)
		if (c->operand[i]->role != AY_IN)
			c->out[c->nout++] = c->operand[i];
}

/* Checks that out= arguments have the shapes of the functional results, and the right number. */
static int check_out_shapes(struct binder *b)
{
	struct ay_call *c = b->c;
	int k = 0;

	if (c->op->length && ay_schema_out(c->s) && c->nout != c->op->length(c))
		return ay_fail(b->err, AY_ERR_BIND, "%d tensors are given for %d results", c->nout,
			       c->op->length(c));
	for (int i = 0; i < c->nout; i++) {
		struct ay_operand *o = c->out[i];
		struct ay_meta m = { .dt = AY_DT_NONE };

		if (o->role != AY_OUT || !c->op->result || !ay_schema_out(c->s))
			continue;
		if (c->op->result(c, k++, &m, b->err))
			return -1;
		if (m.ndim != o->view.ndim || memcmp(m.shape, o->view.shape, sizeof *m.shape * (size_t)m.ndim))
			return ay_fail(b->err, AY_ERR_BIND, "'%s' has not the shape of the result", o->name);
	}
	return 0;
}

static int close_call(struct binder *b)
{
	if (bind_results(b))
		return -1;
	list_outputs(b);
	return check_out_shapes(b);
}

int ay_call_bind(struct ay_arena *a, const struct ay_op *op, const struct ay_schema *s, const struct ay_case *line,
		 struct ay_call **out, struct ay_err *err)
{
	struct ay_call *c = AY_NEW(a, struct ay_call);
	struct binder b = { a, c, err, 0 };

	*out = c;
	c->op = op;
	c->s = s;
	c->line = line;
	c->seed = line->has_seed ? line->seed : 0;
	c->key = ay_key_from_seed("assay case seed", c->seed);
	if (bind_args(&b, line) || resolve_operands(&b) || (op->accepts && op->accepts(c, err)))
		return -1;
	return op->flags & AY_UNCATALOGUED ? 0 : close_call(&b);
}

int ay_call_close(struct ay_arena *a, struct ay_call *c, const struct ay_expected *given, struct ay_err *err)
{
	/* the operand list is another binder's and has no room left */
	struct binder b = { a, c, err, c->noperand };

	c->given = given;
	return close_call(&b);
}
