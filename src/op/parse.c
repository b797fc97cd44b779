/* SPDX-License-Identifier: Apache-2.0
 *
 * Recursive descent. ay_lex_enter() limits the depth. Nothing is read twice except one number after
 * a '('.
 */
#include "op/parse.h"

#include <inttypes.h>
#include <string.h>

/* --- lists ------------------------------------------------------------------------------------ */

/* Parses items from after the opening bracket to the closing one. *comma: a comma was seen, so that
 * (x,) differs from (x). */
static int list_items(struct ay_lex *l, char close, struct ay_value *v, bool *comma)
{
	int mark = l->nstack;

	*comma = false;
	if (ay_lex_enter(l))
		return -1;
	while (!ay_lex_take(l, close)) {
		struct ay_value item;

		if (ay_parse_value(l, &item))
			return -1;
		ay_lex_push(l, &item);
		if (ay_lex_take(l, ','))
			*comma = true;
		else if (!ay_lex_at(l, close))
			return ay_lex_expected(l, close == ')' ? "',' or ')' after a value"
							       : "',' or ']' after a value");
	}
	ay_lex_leave(l);
	ay_lex_pop(l, mark, v);
	return 0;
}

/* Parses what follows a '('. A number alone is read ahead, so that (1+2j), the printed form of
 * complex numbers, is not a level of nesting. (x) is x and (x,) a list, as in Python. */
static int paren(struct ay_lex *l, struct ay_value *v)
{
	const char *start = l->p;
	int col = v->col;
	bool comma;

	if (ay_lex_at_number(l)) {
		if (ay_lex_number(l, v))
			return -1;
		v->col = col;
		if (ay_lex_take(l, ')'))
			return 0;
		l->p = start;
	}
	if (list_items(l, ')', v, &comma))
		return -1;
	if (!comma && v->list.n == 1) {
		struct ay_value only = v->list.v[0];

		*v = only;
	}
	v->col = col;
	return 0;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Finds the dtype for a bare word: assay's own names and "bool" only. PyTorch's other names (half,
 * long, double) need "torch.", because templates use them as names of variables. */
static enum ay_dt bare_dtype(const struct ay_lex *l, size_t n)
{
	if (ay_lex_word_is(l, n, "bool"))
		return AY_DT_B8;
	if (n > 8)
		return AY_DT_NONE;
	for (int dt = 0; dt < AY_DT_COUNT; dt++)
		if (ay_lex_word_is(l, n, ay_dt_table[dt].name))
			return (enum ay_dt)dt;
	return AY_DT_NONE;
}

/* Parses what follows "torch.": a dtype, device('...') or another word of PyTorch. */
static int torch_word(struct ay_lex *l, struct ay_value *v)
{
	size_t n = ay_lex_word(l);
	enum ay_dt dt = n ? ay_dt_find(l->p, n) : AY_DT_NONE;
	const char *s, *name;
	struct ay_str b = { 0 };

	if (dt != AY_DT_NONE) {
		l->p += n;
		v->kind = AY_V_DTYPE;
		v->dt = dt;
		return 0;
	}
	name = ay_lex_name(l, "a name after 'torch.'");
	if (!name)
		return -1;
	v->kind = AY_V_SYM;
	v->s = name;
	if (strcmp(name, "device") || !ay_lex_take(l, '('))
		return 0;
	if (ay_lex_str(l, &s) || ay_lex_want(l, ')', "')' after the device"))
		return -1;
	ay_str_add(&b, "device(");
	ay_value_print(&b, &(struct ay_value){ .kind = AY_V_STR, .s = s });
	ay_str_addc(&b, ')');
	v->s = ay_strndup(l->a, b.s, b.len);
	ay_str_release(&b);
	return 0;
}

static int tensor(struct ay_lex *l, struct ay_value *v);

/* Parses a word of n bytes. Returns 1 if it is not a literal. */
static int word(struct ay_lex *l, size_t n, struct ay_value *v)
{
	enum ay_dt dt;

	if (n == 1 && *l->p == 'T') {
		l->p++;
		if (ay_lex_take(l, '('))
			return tensor(l, v);
		l->p = l->text + v->col - 1;
		return 1;
	}
	if (ay_lex_word_is(l, n, "True") || ay_lex_word_is(l, n, "False")) {
		v->kind = AY_V_BOOL;
		v->b = *l->p == 'T';
	} else if (ay_lex_word_is(l, n, "None")) {
		v->kind = AY_V_NONE;
	} else if ((ay_lex_word_is(l, n, "torch") || ay_lex_word_is(l, n, "th")) && ay_lex_peek(l, n) == '.') {
		l->p += n + 1;
		return torch_word(l, v);
	} else if ((dt = bare_dtype(l, n)) != AY_DT_NONE) {
		v->kind = AY_V_DTYPE;
		v->dt = dt;
	} else {
		return 1;
	}
	l->p += n;
	return 0;
}

int ay_parse_literal(struct ay_lex *l, struct ay_value *v)
{
	size_t n;
	bool comma;

	ay_lex_skip(l);
	*v = (struct ay_value){ .col = ay_lex_col(l, l->p) };
	if (ay_lex_take(l, '['))
		return list_items(l, ']', v, &comma);
	if (ay_lex_take(l, '('))
		return paren(l, v);
	if (ay_lex_at(l, '\'') || ay_lex_at(l, '"')) {
		v->kind = AY_V_STR;
		return ay_lex_str(l, &v->s);
	}
	if (ay_lex_at_number(l))
		return ay_lex_number(l, v);
	n = ay_lex_word(l);
	if (n)
		return word(l, n, v);
	if (ay_lex_peek(l, 0) == '.' && ay_lex_peek(l, 1) == '.' && ay_lex_peek(l, 2) == '.')
		return ay_lex_fail(l, l->p, "'...' is not a value: write the whole case");
	return ay_lex_expected(l, "a value");
}

int ay_parse_value(struct ay_lex *l, struct ay_value *v)
{
	int rc = l->exprs ? ay_parse_expr(l, v) : ay_parse_literal(l, v);

	return rc == 1 ? ay_lex_expected(l, "a value") : rc;
}

/* --- parts of a tensor ------------------------------------------------------------------------ */

int ay_tdesc_ints(const struct ay_value *v, const char *what, int64_t *dst, const struct ay_expr **xs, int *n,
		  struct ay_err *err)
{
	/* without xs this is an expansion: the items' columns are those of the grid, the list's
	 * that of the template */
	if (v->kind != AY_V_LIST)
		return ay_parse_fail(err, v->col, "a %s must be a list, not %s", what, ay_kind_name(v->kind));
	for (int i = 0; i < v->list.n; i++) {
		const struct ay_value *x = &v->list.v[i];
		int col = xs ? x->col : v->col;

		if (i == AY_MAX_DIM)
			return ay_parse_fail(err, col, "a %s of more than %d dimensions", what, AY_MAX_DIM);
		if (x->kind == AY_V_EXPR && xs) {
			xs[i] = x->x;
			continue;
		}
		if (x->kind != AY_V_INT)
			return ay_parse_fail(err, col, "a %s is made of ints, this is %s", what,
					     ay_kind_name(x->kind));
		if (x->i < 0)
			return ay_parse_fail(err, col, "a %s cannot have the negative %" PRId64, what, x->i);
		dst[i] = x->i;
	}
	*n = v->list.n;
	return 0;
}

int ay_tdesc_offset(const struct ay_value *v, int64_t *dst, struct ay_err *err)
{
	if (v->kind != AY_V_INT || v->i < 0)
		return ay_parse_fail(err, v->col, "an offset must be an int >= 0");
	*dst = v->i;
	return 0;
}

int ay_tdesc_data(const struct ay_value *v, struct ay_err *err)
{
	if (v->kind != AY_V_LIST)
		return ay_parse_fail(err, v->col, "data must be a list, not %s", ay_kind_name(v->kind));
	for (int i = 0; i < v->list.n; i++) {
		const struct ay_value *x = &v->list.v[i];

		if ((x->kind < AY_V_BOOL || x->kind > AY_V_COMPLEX) && x->kind != AY_V_EXPR)
			return ay_parse_fail(err, x->col ? x->col : v->col,
					     "data is a flat list of numbers, this is %s", ay_kind_name(x->kind));
	}
	return 0;
}

/* Returns true if the shape has exactly n elements. */
static bool has_elements(const struct ay_tdesc *t, int n)
{
	int64_t product = 1;
	bool zero = false, over = false;

	for (int i = 0; i < t->ndim; i++) {
		zero |= !t->shape[i];
		over |= __builtin_mul_overflow(product, t->shape[i], &product);
	}
	return zero ? !n : !over && product == n;
}

int ay_tdesc_nstride(const struct ay_tdesc *t, int n, int col, struct ay_err *err)
{
	if (n == t->ndim)
		return 0;
	return ay_parse_fail(err, col, "%d strides for %d dimensions", n, t->ndim);
}

int ay_tdesc_check(const struct ay_tdesc *t, struct ay_err *err)
{
	if (!t->data)
		return 0;
	if (t->fill.name)
		return ay_parse_fail(err, t->data->col, "data= and fill= exclude each other");
	if (!has_elements(t, t->data->list.n))
		return ay_parse_fail(err, t->data->col, "%d data do not fill the shape", t->data->list.n);
	return 0;
}

int ay_parse_fill(struct ay_lex *l, struct ay_fill *f)
{
	struct ay_value args;
	bool comma;

	f->name = ay_lex_name(l, "the name of a fill");
	if (!f->name)
		return -1;
	f->n = 0;
	f->arg = NULL;
	if (!ay_lex_take(l, '('))
		return 0;
	if (list_items(l, ')', &args, &comma))
		return -1;
	f->n = args.list.n;
	f->arg = args.list.v;
	return 0;
}

/* --- tensors ---------------------------------------------------------------------------------- */

enum key { KEY_STRIDE, KEY_OFFSET, KEY_FILL, KEY_DATA, KEY_DEVICE, KEY_CONJ, KEY_NEG, KEY_SAME, KEY_COUNT };

static const char *const key_names[KEY_COUNT] = {
	[KEY_STRIDE] = "stride", [KEY_OFFSET] = "offset", [KEY_FILL] = "fill", [KEY_DATA] = "data",
	[KEY_DEVICE] = "device", [KEY_CONJ] = "conj",     [KEY_NEG] = "neg",   [KEY_SAME] = "same",
};

static int set_shape(struct ay_lex *l, struct ay_tdesc *t)
{
	struct ay_value v;

	if (ay_parse_value(l, &v))
		return -1;
	if (v.kind == AY_V_EXPR) {
		t->shape_x = v.x;
		return 0;
	}
	return ay_tdesc_ints(&v, "shape", t->shape, t->dim_x, &t->ndim, l->err);
}

static int set_dtype(struct ay_lex *l, struct ay_tdesc *t)
{
	struct ay_value v;

	ay_lex_skip(l);
	if (!l->exprs && bare_dtype(l, ay_lex_word(l)) == AY_DT_NONE && !ay_lex_at(l, 't'))
		return ay_lex_expected(l, "a dtype");
	if (ay_parse_value(l, &v))
		return -1;
	t->dt = v.dt;
	if (v.kind == AY_V_EXPR) {
		t->dt = AY_DT_NONE;
		t->dt_x = v.x;
	} else if (v.kind != AY_V_DTYPE) {
		return ay_parse_fail(l->err, v.col, "expected a dtype, found %s", ay_kind_name(v.kind));
	}
	return 0;
}

static int set_stride(struct ay_lex *l, struct ay_tdesc *t, const struct ay_value *v)
{
	int n;

	if (v->kind == AY_V_NONE)
		return 0;
	if (v->kind == AY_V_EXPR || t->shape_x) { /* the number of strides is not known yet */
		t->stride_x = ay_expr_of(l->a, v);
		return 0;
	}
	t->has_stride = true;
	if (ay_tdesc_ints(v, "stride", t->stride, t->stride_xs, &n, l->err))
		return -1;
	return ay_tdesc_nstride(t, n, v->col, l->err);
}

static int set_data(struct ay_lex *l, struct ay_tdesc *t, const struct ay_value *v)
{
	if (v->kind != AY_V_EXPR && ay_tdesc_data(v, l->err))
		return -1;
	t->data = AY_NEW(l->a, struct ay_value);
	*t->data = *v;
	return 0;
}

static int set_offset(struct ay_lex *l, struct ay_tdesc *t, const struct ay_value *v)
{
	if (v->kind != AY_V_EXPR)
		return ay_tdesc_offset(v, &t->offset, l->err);
	t->offset_x = v->x;
	return 0;
}

static int set_lazy(struct ay_lex *l, struct ay_tdesc *t, enum key k, const struct ay_value *v)
{
	if (v->kind == AY_V_EXPR) {
		*(k == KEY_CONJ ? &t->conj_x : &t->neg_x) = v->x;
		return 0;
	}
	if (v->kind != AY_V_BOOL)
		return ay_parse_fail(l->err, v->col, "%s must be True or False", key_names[k]);
	*(k == KEY_CONJ ? &t->conj : &t->neg) = v->b;
	return 0;
}

static int set_key(struct ay_lex *l, struct ay_tdesc *t, enum key k)
{
	struct ay_value v;

	if (k == KEY_FILL)
		return ay_parse_fill(l, &t->fill);
	if (ay_parse_value(l, &v))
		return -1;
	switch (k) {
	case KEY_STRIDE: return set_stride(l, t, &v);
	case KEY_OFFSET: return set_offset(l, t, &v);
	case KEY_DATA: return set_data(l, t, &v);
	case KEY_DEVICE:
		if (v.kind != AY_V_STR)
			return ay_parse_fail(l->err, v.col, "a device must be a string");
		t->device = v.s;
		return 0;
	default: return set_lazy(l, t, k, &v);
	}
}

/* Returns the length of a word before a single '=', or 0. */
static size_t key_word(struct ay_lex *l)
{
	size_t n = ay_lex_word(l);
	const char *start = l->p;
	bool yes;

	l->p += n;
	yes = n && ay_lex_at(l, '=') && ay_lex_peek(l, 1) != '=';
	l->p = start;
	return yes ? n : 0;
}

static int once(struct ay_lex *l, const char *at, unsigned *seen, enum key k)
{
	if (*seen & 1u << k)
		return ay_lex_fail(l, at, "%s is given twice", key_names[k]);
	*seen |= 1u << k;
	return 0;
}

static int keyed_extra(struct ay_lex *l, struct ay_tdesc *t, size_t n, unsigned *seen)
{
	const char *at = l->p;
	int k = 0;

	while (k < KEY_COUNT && !ay_lex_word_is(l, n, key_names[k]))
		k++;
	if (k == KEY_COUNT)
		return ay_lex_expected(l, "stride=, offset=, fill=, data=, device=, conj= or neg=");
	if (k == KEY_SAME)
		return ay_lex_fail(l, at, "same= is reserved");
	if (once(l, at, seen, (enum key)k))
		return -1;
	l->p += n;
	ay_lex_take(l, '=');
	return set_key(l, t, (enum key)k);
}

/* Parses a value without a key: a list is strides, None means no strides, a string is
 * the device. */
static int bare_extra(struct ay_lex *l, struct ay_tdesc *t, unsigned *seen)
{
	const char *at;
	struct ay_value v;

	ay_lex_skip(l);
	at = l->p;
	if (ay_parse_value(l, &v))
		return -1;
	if (v.kind == AY_V_STR) {
		t->device = v.s;
		return once(l, at, seen, KEY_DEVICE);
	}
	if (v.kind != AY_V_NONE && v.kind != AY_V_LIST && v.kind != AY_V_EXPR)
		return ay_lex_fail(l, at, "expected strides, a device or a key, found %s", ay_kind_name(v.kind));
	if (once(l, at, seen, KEY_STRIDE))
		return -1;
	return set_stride(l, t, &v);
}

/* Parses a tensor, after "T(". */
static int tensor(struct ay_lex *l, struct ay_value *v)
{
	struct ay_tdesc *t = AY_NEW(l->a, struct ay_tdesc);
	unsigned seen = 0;

	v->kind = AY_V_TENSOR;
	v->t = t;
	if (ay_lex_enter(l) || set_shape(l, t) || ay_lex_want(l, ',', "',' and a dtype after the shape") ||
	    set_dtype(l, t))
		return -1;
	while (!ay_lex_take(l, ')')) {
		size_t n;

		if (ay_lex_want(l, ',', "',' or ')' in a tensor"))
			return -1;
		n = key_word(l);
		if (n ? keyed_extra(l, t, n, &seen) : bare_extra(l, t, &seen))
			return -1;
	}
	ay_lex_leave(l);
	return l->exprs ? 0 : ay_tdesc_check(t, l->err);
}
