/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cases of a suite are asked for: --ops and --dtypes.
 */
#include "op/suite.h"

#include <string.h>

/* Behind "ns::" or "ns." if the word begins so. */
static const char *without_namespace(const char *word, size_t *n, const char *ns)
{
	const size_t len = strlen(ns);
	size_t skip = 0;

	if (*n > len && !strncmp(word, ns, len))
		skip = word[len] == '.' ? len + 1 : *n > len + 1 && !strncmp(word + len, "::", 2) ? len + 2 : 0;
	*n -= skip;
	return word + skip;
}

static bool is_text(const char *word, size_t n, const char *text)
{
	return strlen(text) == n && !strncmp(word, text, n);
}

/* "add" is every overload of add, out= forms too; "add.Tensor" that one; "relu.default" the one without a name. */
static bool names(const char *word, size_t n, const struct ay_schema *s)
{
	const size_t base = strlen(s->base);
	const char *bare = without_namespace(word, &n, s->ns);

	if (n < base || strncmp(bare, s->base, base))
		return false;
	return n == base || (bare[base] == '.' &&
			     is_text(bare + base + 1, n - base - 1, s->overload[0] ? s->overload : "default"));
}

bool ay_suite_wants_op(const char *list, const struct ay_schema *s)
{
	while (*list) {
		const size_t n = strcspn(list, ",");

		if (n && names(list, n, s))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

int ay_dtypes_find(const char *list, uint32_t *set, struct ay_err *err)
{
	*set = 0;
	while (*list) {
		const size_t n = strcspn(list, ",");
		const enum ay_dt dt = ay_dt_find(list, n);

		if (dt == AY_DT_NONE)
			return ay_fail(err, AY_ERR_USAGE,
				       "--dtypes: there is no dtype '%.*s' (f32, bf16, i64, ...)",
				       n < 40 ? (int)n : 40, list);
		*set |= 1u << dt;
		list += n + (list[n] == ',');
	}
	return *set ? 0 : ay_fail(err, AY_ERR_USAGE, "--dtypes: name at least one, such as f32,bf16");
}

/* The heavier class decides, and of equals the first: an index beside f32 is not what a case is about. */
static void weigh(const struct ay_value *v, enum ay_dt *dt)
{
	if (v->kind == AY_V_LIST)
		for (int i = 0; i < v->list.n; i++)
			weigh(&v->list.v[i], dt);
	if (v->kind == AY_V_TENSOR && (*dt == AY_DT_NONE || ay_dt_info(v->t->dt)->cls > ay_dt_info(*dt)->cls))
		*dt = v->t->dt;
}

enum ay_dt ay_case_dtype(const struct ay_case *c)
{
	enum ay_dt dt = AY_DT_NONE;

	for (int i = 0; i < c->narg; i++)
		weigh(&c->arg[i], &dt);
	for (int i = 0; i < c->nkw; i++)
		weigh(&c->kw[i].v, &dt);
	for (int i = 0; i < c->nkw && dt == AY_DT_NONE; i++) /* arange and the like */
		if (c->kw[i].v.kind == AY_V_DTYPE)
			dt = c->kw[i].v.dt;
	return dt;
}
