/* SPDX-License-Identifier: Apache-2.0 */
#include "op/schema.h"
#include "op/parse.h"

#include <string.h>

enum { MAX_ARGS = 64, MAX_LIST = 1000 };

static const char *const type_names[] = {
#define T(name, text) [AY_TYPE_##name] = text,
	AY_TYPES(T)
#undef T
};

enum { TYPE_COUNT = sizeof type_names / sizeof *type_names };

/* --- parse: types ----------------------------------------------------------------------------- */

/* Parses a set of names, "a" or "a|b", or the wildcard. */
static int alias_set(struct ay_lex *l)
{
	size_t n;

	if (ay_lex_take(l, '*'))
		return 0;
	do {
		n = ay_lex_word(l);
		if (!n)
			return ay_lex_expected(l, "an alias set: a name or '*'");
		l->p += n;
	} while (ay_lex_take(l, '|'));
	ay_lex_take(l, '!');
	return 0;
}

/* Parses an alias set from after '(' to ')'. The text is stored as written; "a -> *" has the sets
 * before and after the call. */
static int alias(struct ay_lex *l, struct ay_stype *t)
{
	const char *start = l->p;

	if (t->alias)
		return ay_lex_fail(l, start, "an alias set is given twice");
	if (alias_set(l) || (ay_lex_take_text(l, "->") && alias_set(l)))
		return -1;
	t->alias = ay_strndup(l->a, start, (size_t)(l->p - start));
	return ay_lex_want(l, ')', "')' after an alias set");
}

/* Parses "]" or "2]", after '['. */
static int list_size(struct ay_lex *l, struct ay_stype *t)
{
	const char *at = l->p;
	uint64_t n = 0;

	t->list = true;
	t->list_size = -1;
	if (ay_lex_take(l, ']'))
		return 0;
	if (ay_lex_u64(l, &n))
		return -1;
	if (!n || n > MAX_LIST)
		return ay_lex_fail(l, at, "a list has a size from 1 to %d", MAX_LIST);
	t->list_size = (int)n;
	return ay_lex_want(l, ']', "']' after a list's size");
}

static int type(struct ay_lex *l, struct ay_stype *t)
{
	size_t n = ay_lex_word(l);
	int k = 0;

	while (k < TYPE_COUNT && !(n && ay_lex_word_is(l, n, type_names[k])))
		k++;
	if (k == TYPE_COUNT)
		return ay_lex_expected(l, "a type");
	*t = (struct ay_stype){ .base = (enum ay_type)k };
	l->p += n;
	if (ay_lex_peek(l, 0) == '(' && (l->p++, alias(l, t)))
		return -1;
	if (ay_lex_peek(l, 0) == '?') {
		l->p++;
		if (ay_lex_peek(l, 0) != '[') {
			t->optional = true;
			return 0;
		}
		t->elem_optional = true;
	}
	if (ay_lex_peek(l, 0) != '[')
		return 0;
	l->p++;
	if (list_size(l, t))
		return -1;
	if (ay_lex_peek(l, 0) == '(') {
		t->alias_after_list = true;
		l->p++;
		if (alias(l, t))
			return -1;
	}
	t->optional = ay_lex_peek(l, 0) == '?';
	l->p += t->optional;
	return 0;
}

/* --- codes ------------------------------------------------------------------------------------ */

const char *const ay_layout_names[] = { "strided", "sparse_coo", NULL };
const char *const ay_format_names[] = { "contiguous_format", "preserve_format", "channels_last",
					"channels_last_3d", NULL };

/* Converts the default of a ScalarType to a dtype. Where torch prints its schemas, it is a number
 * of c10/core/ScalarType.h. */
static void settle_dtype(struct ay_value *v)
{
	static const enum ay_dt code[] = { AY_DT_U8,  AY_DT_I8,  AY_DT_I16, AY_DT_I32, AY_DT_I64,  AY_DT_F16,
					   AY_DT_F32, AY_DT_F64, AY_DT_C32, AY_DT_C64, AY_DT_C128, AY_DT_B8 };
	enum ay_dt dt = AY_DT_NONE;

	if (v->kind == AY_V_INT && v->i >= 0 && v->i < (int64_t)(sizeof code / sizeof *code))
		dt = code[v->i];
	else if (v->kind == AY_V_SYM)
		dt = ay_dt_find(v->s, strlen(v->s));
	if (dt != AY_DT_NONE)
		*v = (struct ay_value){ .kind = AY_V_DTYPE, .col = v->col, .dt = dt };
}

/* --- parse: arguments and results ------------------------------------------------------------- */

/* Parses a literal, or a word of PyTorch such as contiguous_format or long. */
static int default_value(struct ay_lex *l, struct ay_sarg *g)
{
	struct ay_value *v = AY_NEW(l->a, struct ay_value);
	const char *start;
	int rc;

	ay_lex_skip(l);
	start = l->p;
	rc = ay_parse_literal(l, v);
	if (rc < 0)
		return -1;
	if (rc) {
		v->kind = AY_V_SYM;
		v->s = ay_lex_name(l, "a default value");
	}
	if (v->kind == AY_V_TENSOR)
		return ay_lex_fail(l, start, "a tensor cannot be a default value");
	g->def = v;
	g->def_text = ay_strndup(l->a, start, (size_t)(l->p - start));
	if (g->type.base == AY_TYPE_DTYPE)
		settle_dtype(v);
	return 0;
}

static int argument(struct ay_lex *l, const struct ay_sarg *before, int n, struct ay_sarg *g)
{
	const char *at;

	ay_lex_skip(l);
	g->col = ay_lex_col(l, l->p);
	if (type(l, &g->type))
		return -1;
	ay_lex_skip(l);
	at = l->p;
	g->name = ay_lex_name(l, "an argument's name after its type");
	if (!g->name)
		return -1;
	for (int i = 0; i < n; i++)
		if (!strcmp(before[i].name, g->name))
			return ay_lex_fail(l, at, "two arguments are called '%.60s'", g->name);
	return ay_lex_take(l, '=') ? default_value(l, g) : 0;
}

/* Parses a '*', which may occur once and needs an argument after it. */
static int star(struct ay_lex *l, bool *kwonly)
{
	if (!ay_lex_at(l, '*'))
		return 0;
	if (*kwonly)
		return ay_lex_fail(l, l->p, "a second '*'");
	*kwonly = true;
	l->p++;
	return ay_lex_want(l, ',', "',' and an argument after '*'");
}

static struct ay_sarg *keep(struct ay_lex *l, const struct ay_sarg *g, int n)
{
	struct ay_sarg *p = n ? AY_NEW_N(l->a, struct ay_sarg, n) : NULL;

	return n ? memcpy(p, g, sizeof *g * (size_t)n) : p;
}

/* Parses the arguments, after '('. */
static int arguments(struct ay_lex *l, struct ay_schema *s)
{
	struct ay_sarg g[MAX_ARGS];
	bool kwonly = false;
	int n = 0;

	if (ay_lex_take(l, ')'))
		return 0;
	do {
		if (star(l, &kwonly))
			return -1;
		if (n == MAX_ARGS)
			return ay_lex_fail(l, l->p, "more than %d arguments", MAX_ARGS);
		g[n] = (struct ay_sarg){ .kwonly = kwonly };
		if (argument(l, g, n, &g[n]))
			return -1;
		n++;
	} while (ay_lex_take(l, ','));
	s->narg = n;
	s->arg = keep(l, g, n);
	return ay_lex_want(l, ')', "',' or ')' after an argument");
}

static int result(struct ay_lex *l, struct ay_sarg *g)
{
	ay_lex_skip(l);
	*g = (struct ay_sarg){ .col = ay_lex_col(l, l->p) };
	if (type(l, &g->type))
		return -1;
	if (ay_lex_word(l))
		g->name = ay_lex_name(l, "a result's name");
	return 0;
}

static int results(struct ay_lex *l, struct ay_schema *s)
{
	struct ay_sarg g[MAX_ARGS];
	bool parens = ay_lex_take(l, '(');
	int n = 0;

	if (parens && ay_lex_take(l, ')'))
		return 0;
	do {
		if (n == MAX_ARGS)
			return ay_lex_fail(l, l->p, "more than %d results", MAX_ARGS);
		if (result(l, &g[n++]))
			return -1;
	} while (parens && ay_lex_take(l, ','));
	s->nret = n;
	s->ret = keep(l, g, n);
	s->ret_parens = parens && n == 1;
	return parens ? ay_lex_want(l, ')', "',' or ')' after a result") : 0;
}

static int name(struct ay_lex *l, struct ay_schema *s)
{
	const char *start = l->p;

	if (ay_lex_opname(l, &s->ns, &s->base, &s->overload))
		return -1;
	/* "aten.add" names an operator, but not in this language */
	if (!s->ns || !memchr(start, ':', (size_t)(l->p - start)))
		return ay_lex_fail(l, start, "expected ns::name, found no '::'");
	return 0;
}

int ay_schema_parse(struct ay_arena *a, const char *text, struct ay_schema **out, struct ay_err *err)
{
	struct ay_schema *s = AY_NEW(a, struct ay_schema);
	struct ay_lex l;

	if (ay_lex_init(&l, a, text, strlen(text), err))
		return -1;
	ay_lex_skip(&l);
	if (name(&l, s) || ay_lex_want(&l, '(', "'(' after the name") || arguments(&l, s))
		return -1;
	if (!ay_lex_take_text(&l, "->"))
		return ay_lex_expected(&l, "'->' after the arguments");
	if (results(&l, s))
		return -1;
	if (!ay_lex_at_end(&l))
		return ay_lex_expected(&l, "the end after the results");
	*out = s;
	return 0;
}

/* --- print ------------------------------------------------------------------------------------ */

static void print_alias(struct ay_str *b, const struct ay_stype *t)
{
	ay_str_addc(b, '(');
	ay_str_add(b, t->alias);
	ay_str_addc(b, ')');
}

static void print_type(struct ay_str *b, const struct ay_stype *t, bool aliases)
{
	aliases &= !!t->alias;
	ay_str_add(b, type_names[t->base]);
	if (aliases && !t->alias_after_list)
		print_alias(b, t);
	if (t->elem_optional)
		ay_str_addc(b, '?');
	if (t->list && t->list_size > 0)
		ay_str_addf(b, "[%d]", t->list_size);
	else if (t->list)
		ay_str_add(b, "[]");
	if (aliases && t->alias_after_list)
		print_alias(b, t);
	if (t->optional)
		ay_str_addc(b, '?');
}

static void print_arg(struct ay_str *b, const struct ay_sarg *g)
{
	print_type(b, &g->type, true);
	if (g->name) {
		ay_str_addc(b, ' ');
		ay_str_add(b, g->name);
	}
	if (g->def) {
		ay_str_addc(b, '=');
		ay_str_add(b, g->def_text);
	}
}

void ay_schema_name(struct ay_str *b, const struct ay_schema *s)
{
	ay_str_addf(b, "%s::%s", s->ns, s->base);
	if (s->overload[0])
		ay_str_addf(b, ".%s", s->overload);
}

void ay_schema_print(struct ay_str *b, const struct ay_schema *s)
{
	bool parens = s->nret != 1 || s->ret_parens;

	ay_schema_name(b, s);
	ay_str_addc(b, '(');
	for (int i = 0; i < s->narg; i++) {
		if (i)
			ay_str_add(b, ", ");
		if (s->arg[i].kwonly && (!i || !s->arg[i - 1].kwonly))
			ay_str_add(b, "*, ");
		print_arg(b, &s->arg[i]);
	}
	ay_str_add(b, parens ? ") -> (" : ") -> ");
	for (int i = 0; i < s->nret; i++) {
		if (i)
			ay_str_add(b, ", ");
		print_arg(b, &s->ret[i]);
	}
	if (parens)
		ay_str_addc(b, ')');
}

/* --- what a schema says ----------------------------------------------------------------------- */

bool ay_stype_written(const struct ay_stype *t)
{
	return t->alias && strchr(t->alias, '!');
}

bool ay_stype_is_tensor(const struct ay_stype *t)
{
	return t->base == AY_TYPE_TENSOR;
}

bool ay_schema_inplace(const struct ay_schema *s)
{
	size_t n = strlen(s->base);

	return n > 1 && s->base[n - 1] == '_' && s->base[n - 2] != '_' && s->narg &&
	       ay_stype_written(&s->arg[0].type);
}

static bool is_out(const struct ay_sarg *g)
{
	return g->kwonly && ay_stype_is_tensor(&g->type) && ay_stype_written(&g->type);
}

bool ay_schema_out(const struct ay_schema *s)
{
	for (int i = 0; i < s->narg; i++)
		if (is_out(&s->arg[i]))
			return true;
	return false;
}

/* Returns true for a named dimension. Schemas print Dimname as str, so it is recognised by the
 * argument's name. */
static bool is_named_dim(const struct ay_sarg *g)
{
	return g->type.base == AY_TYPE_STR && g->name &&
	       (!strcmp(g->name, "dim") || !strcmp(g->name, "dims") || !strcmp(g->name, "names"));
}

/* Returns true for types that only TorchScript has. A list that is itself written, Tensor[](a!), is
 * one of them; Tensor(a!)[] is a list of written tensors. */
static bool is_script_only(const struct ay_sarg *g)
{
	return g->type.base == AY_TYPE_TVAR || g->type.base == AY_TYPE_ENUM || g->type.alias_after_list;
}

bool ay_schema_is_kernel(const struct ay_schema *s)
{
	bool tensor = false;

	for (int i = 0; i < s->narg + s->nret; i++) {
		const struct ay_sarg *g = i < s->narg ? &s->arg[i] : &s->ret[i - s->narg];

		if (is_named_dim(g) || is_script_only(g))
			return false;
		tensor |= ay_stype_is_tensor(&g->type);
	}
	return tensor;
}

int ay_schema_ret_arg(const struct ay_schema *s, int r)
{
	const struct ay_stype *t = &s->ret[r].type;

	for (int i = 0; ay_stype_written(t) && i < s->narg; i++)
		if (s->arg[i].type.alias && !strcmp(s->arg[i].type.alias, t->alias))
			return i;
	return -1;
}

static bool is_tensor_option(const struct ay_sarg *g)
{
	static const char *const names[] = { "dtype", "layout", "device", "pin_memory" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (g->kwonly && !strcmp(g->name, names[i]))
			return true;
	return false;
}

void ay_schema_signature(struct ay_str *b, const struct ay_schema *s)
{
	size_t n = strlen(s->base) - ay_schema_inplace(s);
	const char *comma = "";

	ay_str_addf(b, "%s::%.*s(", s->ns, (int)n, s->base);
	for (int i = 0; i < s->narg; i++) {
		if (is_out(&s->arg[i]) || is_tensor_option(&s->arg[i]))
			continue;
		ay_str_add(b, comma);
		print_type(b, &s->arg[i].type, false);
		ay_str_addf(b, " %s", s->arg[i].name);
		comma = ", ";
	}
	ay_str_addc(b, ')');
}
