/* SPDX-License-Identifier: Apache-2.0 */
#include "op/value.h"
#include "op/expr.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *ay_kind_name(enum ay_kind k)
{
	static const char *const names[] = {
		[AY_V_NONE] = "None",     [AY_V_BOOL] = "a bool",        [AY_V_INT] = "an int",
		[AY_V_FLOAT] = "a float", [AY_V_COMPLEX] = "a complex",  [AY_V_STR] = "a string",
		[AY_V_DTYPE] = "a dtype", [AY_V_SYM] = "a torch.name",   [AY_V_TENSOR] = "a tensor",
		[AY_V_LIST] = "a list",   [AY_V_EXPR] = "an expression",
	};

	return names[k];
}

/* --- print ------------------------------------------------------------------------------------ */

/* Prints like Python's repr: double quotes only around a string with single quotes and no
 * double ones. */
static void print_str(struct ay_str *b, const char *s)
{
	char quote = strchr(s, '\'') && !strchr(s, '"') ? '"' : '\'';
	const char stop[] = { '\\', '\n', '\t', '\r', quote, 0 };

	ay_str_addc(b, quote);
	while (*s) {
		size_t n = strcspn(s, stop);

		/* control bytes and invalid UTF-8 become \xHH, which reads back */
		ay_str_add_safe(b, s, n, n);
		s += n;
		if (!*s)
			break;
		ay_str_addc(b, '\\');
		ay_str_addc(b, *s == '\n' ? 'n' : *s == '\t' ? 't' : *s == '\r' ? 'r' : *s);
		s++;
	}
	ay_str_addc(b, quote);
}

/* Prints (re+imj), always with both parts, so that it can be parsed in any context. */
static void print_complex(struct ay_str *b, const double c[2])
{
	ay_str_addc(b, '(');
	ay_str_add_real(b, c[0]);
	if (!signbit(c[1]) || isnan(c[1]))
		ay_str_addc(b, '+');
	ay_str_add_real(b, c[1]);
	ay_str_add(b, "j)");
}

static void print_items(struct ay_str *b, const struct ay_value *v, int n)
{
	for (int i = 0; i < n; i++) {
		if (i)
			ay_str_add(b, ", ");
		ay_value_print(b, &v[i]);
	}
}

static void print_int(struct ay_str *b, int64_t x)
{
	char t[24], *p = t + sizeof t;
	uint64_t u = x < 0 ? -(uint64_t)x : (uint64_t)x;

	do
		*--p = (char)('0' + u % 10);
	while (u /= 10);
	if (x < 0)
		*--p = '-';
	ay_str_addn(b, p, (size_t)(t + sizeof t - p));
}

static void print_ints(struct ay_str *b, const int64_t *x, const struct ay_expr *const *xs, int n)
{
	for (int i = 0; i < n; i++) {
		if (i)
			ay_str_add(b, ", ");
		if (xs[i])
			ay_expr_print(b, xs[i]);
		else
			print_int(b, x[i]);
	}
}

static void print_layout(struct ay_str *b, const struct ay_tdesc *t)
{
	if (t->stride_x) {
		ay_str_add(b, ", stride=");
		ay_expr_print(b, t->stride_x);
	} else if (t->has_stride) {
		ay_str_add(b, ", stride=(");
		print_ints(b, t->stride, t->stride_xs, t->ndim);
		ay_str_add(b, t->ndim == 1 ? ",)" : ")");
	}
	if (t->offset_x) {
		ay_str_add(b, ", offset=");
		ay_expr_print(b, t->offset_x);
	} else if (t->offset) {
		ay_str_add(b, ", offset=");
		print_int(b, t->offset);
	}
}

static void print_content(struct ay_str *b, const struct ay_tdesc *t)
{
	if (t->fill.name) {
		ay_str_add(b, ", fill=");
		ay_str_add(b, t->fill.name);
	}
	if (t->fill.n) {
		ay_str_addc(b, '(');
		print_items(b, t->fill.arg, t->fill.n);
		ay_str_addc(b, ')');
	}
	if (t->data) {
		ay_str_add(b, ", data=");
		ay_value_print(b, t->data);
	}
	if (t->device) {
		ay_str_add(b, ", device=");
		print_str(b, t->device);
	}
	if (t->conj)
		ay_str_add(b, ", conj=True");
	if (t->neg)
		ay_str_add(b, ", neg=True");
}

static void print_tensor(struct ay_str *b, const struct ay_tdesc *t)
{
	ay_str_add(b, "T(");
	if (t->shape_x) {
		ay_expr_print(b, t->shape_x);
	} else {
		ay_str_addc(b, '[');
		print_ints(b, t->shape, t->dim_x, t->ndim);
		ay_str_addc(b, ']');
	}
	ay_str_add(b, ", ");
	if (t->dt_x)
		ay_expr_print(b, t->dt_x);
	else
		ay_str_add(b, ay_dt_info(t->dt)->name);
	print_layout(b, t);
	print_content(b, t);
	ay_str_addc(b, ')');
}

void ay_value_print(struct ay_str *b, const struct ay_value *v)
{
	switch (v->kind) {
	case AY_V_NONE: ay_str_add(b, "None"); break;
	case AY_V_BOOL: ay_str_add(b, v->b ? "True" : "False"); break;
	case AY_V_INT: print_int(b, v->i); break;
	case AY_V_FLOAT: ay_str_add_real(b, v->f); break;
	case AY_V_COMPLEX: print_complex(b, v->c); break;
	case AY_V_STR: print_str(b, v->s); break;
	case AY_V_DTYPE: ay_str_add(b, ay_dt_info(v->dt)->name); break;
	case AY_V_SYM:
		ay_str_add(b, "torch.");
		ay_str_add(b, v->s);
		break;
	case AY_V_TENSOR: print_tensor(b, v->t); break;
	case AY_V_LIST:
		ay_str_addc(b, '[');
		print_items(b, v->list.v, v->list.n);
		ay_str_addc(b, ']');
		break;
	case AY_V_EXPR: ay_expr_print(b, v->x); break;
	}
}

/* --- equal ------------------------------------------------------------------------------------ */

/* Equal if printed equally: NaN equals NaN, and 0.0 differs from -0.0. */
static bool real_equal(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static bool str_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool items_equal(const struct ay_value *a, const struct ay_value *b, int n)
{
	for (int i = 0; i < n; i++)
		if (!ay_value_equal(&a[i], &b[i]))
			return false;
	return true;
}

static bool exprs_equal(const struct ay_tdesc *a, const struct ay_tdesc *b)
{
	return a->shape_x == b->shape_x && a->dt_x == b->dt_x && a->offset_x == b->offset_x &&
	       a->stride_x == b->stride_x && !memcmp(a->dim_x, b->dim_x, sizeof a->dim_x) &&
	       !memcmp(a->stride_xs, b->stride_xs, sizeof a->stride_xs);
}

/* Entries from ndim on are zero in both. */
static bool tensor_equal(const struct ay_tdesc *a, const struct ay_tdesc *b)
{
	if (a->ndim != b->ndim || a->dt != b->dt || a->has_stride != b->has_stride || a->offset != b->offset ||
	    a->conj != b->conj || a->neg != b->neg || a->fill.n != b->fill.n || !a->data != !b->data)
		return false;
	return !memcmp(a->shape, b->shape, sizeof a->shape) && !memcmp(a->stride, b->stride, sizeof a->stride) &&
	       str_equal(a->device, b->device) && str_equal(a->fill.name, b->fill.name) &&
	       items_equal(a->fill.arg, b->fill.arg, a->fill.n) &&
	       (!a->data || ay_value_equal(a->data, b->data)) && exprs_equal(a, b);
}

bool ay_value_equal(const struct ay_value *a, const struct ay_value *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case AY_V_NONE: return true;
	case AY_V_BOOL: return a->b == b->b;
	case AY_V_INT: return a->i == b->i;
	case AY_V_FLOAT: return real_equal(a->f, b->f);
	case AY_V_COMPLEX: return real_equal(a->c[0], b->c[0]) && real_equal(a->c[1], b->c[1]);
	case AY_V_STR:
	case AY_V_SYM: return !strcmp(a->s, b->s);
	case AY_V_DTYPE: return a->dt == b->dt;
	case AY_V_TENSOR: return tensor_equal(a->t, b->t);
	case AY_V_LIST: return a->list.n == b->list.n && items_equal(a->list.v, b->list.v, a->list.n);
	case AY_V_EXPR: return a->x == b->x;
	}
	return false;
}
