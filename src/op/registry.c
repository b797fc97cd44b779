/* SPDX-License-Identifier: Apache-2.0 */
#include "op/registry.h"
#include "op/proto.h"

#include <stdio.h>
#include <string.h>

enum { FOREIGN_MAX = 4096 };

static int init_entry(struct ay_registry *r, const struct ay_op_file *f, int i, struct ay_entry_op *e,
		      struct ay_err *err)
{
	const char *const *text = f->table[0][i].schemas;
	struct ay_schema *s;

	e->path = f->path;
	for (int n = 0; n < AY_NUM_COUNT; n++)
		e->op[n] = &f->table[n][i];
	while (text[e->nschema])
		e->nschema++;
	e->schema = AY_NEW_N(&r->arena, struct ay_schema *, e->nschema);
	for (int k = 0; k < e->nschema; k++) {
		if (ay_schema_parse(&r->arena, text[k], &e->schema[k], err)) {
			ay_err_prefix(err, "%s, schema %d of %s", f->path, k + 1, f->stem);
			return -1;
		}
	}
	s = e->schema[0];
	e->name = ay_sprintf(&r->arena, "%s::%s", s->ns, s->base);
	return 0;
}

int ay_registry_init(struct ay_registry *r, const struct ay_op_file *files, struct ay_err *err)
{
	int n = 0;

	*r = (struct ay_registry){ 0 };
	for (const struct ay_op_file *f = files; f->path; f++)
		for (int i = 0; f->table[0][i].schemas; i++)
			n++;
	/* pointers to entries are handed out, so the array is never moved */
	r->cap = n + FOREIGN_MAX;
	r->op = AY_NEW_N(&r->arena, struct ay_entry_op, r->cap);
	for (const struct ay_op_file *f = files; f->path; f++)
		for (int i = 0; f->table[0][i].schemas; i++)
			if (init_entry(r, f, i, &r->op[r->n++], err))
				return -1;
	return 0;
}

void ay_registry_release(struct ay_registry *r)
{
	ay_arena_release(&r->arena);
	*r = (struct ay_registry){ 0 };
}

/* --- lookup ----------------------------------------------------------------------------------- */

/* Returns true if `name` is one of the usual spellings of the overload. */
static bool names_schema(const char *name, const struct ay_schema *s)
{
	const char *ov = s->overload;
	char buf[6][300];
	int n = 0;

	if (*ov) {
		snprintf(buf[n++], sizeof *buf, "%s::%s.%s", s->ns, s->base, ov);
		snprintf(buf[n++], sizeof *buf, "%s.%s.%s", s->ns, s->base, ov);
		snprintf(buf[n++], sizeof *buf, "%s.%s", s->base, ov);
		snprintf(buf[n++], sizeof *buf, "%s_%s_%s", s->ns, s->base, ov);
		snprintf(buf[n++], sizeof *buf, "%s_%s", s->base, ov);
	} else {
		snprintf(buf[n++], sizeof *buf, "%s::%s.default", s->ns, s->base);
		snprintf(buf[n++], sizeof *buf, "%s.%s.default", s->ns, s->base);
		snprintf(buf[n++], sizeof *buf, "%s.default", s->base);
		snprintf(buf[n++], sizeof *buf, "%s_%s", s->ns, s->base);
	}
	while (n--)
		if (!strcmp(name, buf[n]))
			return true;
	return false;
}

static bool names_op(const char *name, const struct ay_entry_op *e)
{
	const struct ay_schema *s = e->schema[0];
	size_t n = strlen(s->ns);

	if (!strcmp(name, e->name) || !strcmp(name, s->base))
		return true;
	if (!strncmp(name, s->ns, n) && name[n] == '.' && !strcmp(name + n + 1, s->base))
		return true;
	for (const char *const *p = e->op[0]->names; p && *p; p++)
		if (!strcmp(*p, name))
			return true;
	return false;
}

/* Returns true if one name is one or several whole words of the other: "softmax" of "_softmax", but
 * "cat" not of "replicate". Names of one or two letters ("t") do not count. */
static bool is_part(const char *a, const char *b)
{
	const char *shorter = strlen(a) < strlen(b) ? a : b, *longer = shorter == a ? b : a;
	const size_t n = strlen(shorter);

	for (const char *at = n > 2 ? strstr(longer, shorter) : NULL; at; at = strstr(at + 1, shorter))
		if ((at == longer || at[-1] == '_') && (!at[n] || at[n] == '_'))
			return true;
	return false;
}

/* The largest number of changed letters at which a name is still meant for another. */
static int most_typos(const char *name)
{
	const int n = ((int)strlen(name) + 1) / 3;

	return n < 1 ? 1 : n > 4 ? 4 : n;
}

static int fail_unknown(const struct ay_registry *r, const char *name, struct ay_err *err)
{
	const char *bare = strstr(name, "::") ? strstr(name, "::") + 2 : name;
	const char *best = NULL;
	int least = most_typos(bare) + 1;

	for (int i = 0; i < r->n; i++) {
		const char *base = r->op[i].schema[0]->base;
		int d = ay_str_distance(bare, base);

		if (is_part(base, bare))
			d = 1;
		if (d < least) {
			least = d;
			best = r->op[i].name;
		}
	}
	if (best)
		return ay_fail(err, AY_ERR_USAGE, "there is no operator '%s'; did you mean %s? (see: assay ops)",
			       name, best);
	return ay_fail(err, AY_ERR_USAGE, "there is no operator '%s' (see: assay ops)", name);
}

const struct ay_entry_op *ay_registry_find(const struct ay_registry *r, const char *name,
					   const struct ay_schema **schema, bool *exact, struct ay_err *err)
{
	/* "add" means the operator, before an overload of some other operator */
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < r->n; i++) {
			const struct ay_entry_op *e = &r->op[i];

			*exact = pass;
			*schema = e->schema[0];
			if (!pass && names_op(name, e))
				return e;
			for (int k = 0; pass && k < e->nschema; k++) {
				*schema = e->schema[k];
				if (names_schema(name, e->schema[k]))
					return e;
			}
		}
	}
	fail_unknown(r, name, err);
	return NULL;
}

const struct ay_entry_op *ay_registry_find_case(const struct ay_registry *r, const struct ay_case *c,
						const struct ay_schema **schema, struct ay_err *err)
{
	const struct ay_entry_op *base = NULL;
	const char *overload = c->overload;
	char name[300];

	if (!c->base) {
		ay_fail(err, AY_ERR_BIND, "the line names no operator; write it as aten::relu((...), {})");
		return NULL;
	}
	if (!strcmp(c->base, "sum") && !strcmp(overload, "SymInt"))
		overload = "dim_IntList"; /* its name in old traces */
	for (int i = 0; i < r->n; i++) {
		const struct ay_entry_op *e = &r->op[i];

		if (strcmp(e->schema[0]->base, c->base) || (c->ns && strcmp(e->schema[0]->ns, c->ns)))
			continue;
		base = e;
		for (int k = 0; k < e->nschema; k++) {
			*schema = e->schema[k];
			if (!strcmp(e->schema[k]->overload, overload))
				return e;
		}
	}
	if (base) {
		ay_fail(err, AY_ERR_BIND, "%s has no overload '%s' (see: assay show %s)", base->name,
			*overload ? overload : "default", base->name);
		return NULL;
	}
	snprintf(name, sizeof name, "%s::%s", c->ns ? c->ns : "aten", c->base);
	fail_unknown(r, name, err);
	return NULL;
}

static bool is_functional(const struct ay_schema *s)
{
	for (int i = 0; i < s->narg; i++)
		if (ay_stype_written(&s->arg[i].type))
			return false;
	return true;
}

const struct ay_schema *ay_registry_functional(const struct ay_registry *r, const struct ay_schema *s,
					       const struct ay_entry_op **owner)
{
	struct ay_str want = { 0 }, have = { 0 };
	const struct ay_schema *found = NULL;

	if (is_functional(s))
		return NULL;
	ay_schema_signature(&want, s);
	for (int i = 0; i < r->n && !found; i++) {
		for (int k = 0; k < r->op[i].nschema && !found; k++) {
			/* equal signatures have equal bases except for the underscore; comparing
			 * the bases first is faster */
			if (strncmp(r->op[i].schema[k]->base, s->base, strlen(r->op[i].schema[k]->base)) ||
			    !is_functional(r->op[i].schema[k]))
				continue;
			ay_str_clear(&have);
			ay_schema_signature(&have, r->op[i].schema[k]);
			if (!strcmp(ay_str_text(&want), ay_str_text(&have))) {
				found = r->op[i].schema[k];
				*owner = &r->op[i];
			}
		}
	}
	ay_str_release(&want);
	ay_str_release(&have);
	return found;
}

const char *ay_entry_source(const struct ay_entry_op *e)
{
	static const char *const sources[] = { "aten", "vllm", "cublas", "extra" };

	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		size_t n = strlen(sources[i]);

		if (!strncmp(e->path, "ops/", 4) && !strncmp(e->path + 4, sources[i], n) && e->path[4 + n] == '/')
			return sources[i];
	}
	return "extra";
}

enum ay_num_type ay_call_num_type(const struct ay_call *c)
{
	bool wide = false, complex_ = false;

	for (int i = 0; i < c->noperand; i++) {
		enum ay_dt dt = c->operand[i]->view.dt;
		bool written = c->operand[i]->role != AY_IN;

		complex_ |= ay_dt_is_complex(dt);
		/* integers must be exact; so must a comparison of two i64 that yields a b8, and an i64
		 * that is rounded to a float */
		if (dt == AY_DT_F64 || dt == AY_DT_C128 || ay_dt_info(dt)->cls == AY_CLASS_INT)
			wide |= written || (c->nout && c->out[0]->view.dt == AY_DT_B8) ||
				(dt == AY_DT_I64 && c->op->flags & AY_CONVERTS);
	}
	return (complex_ ? AY_NUM_Z : AY_NUM_D) + wide;
}
