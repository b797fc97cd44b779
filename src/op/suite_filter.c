/* SPDX-License-Identifier: Apache-2.0 */
#include "op/suite_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- by operator ------------------------------------------------------------------------------ */

/* Returns true if the n bytes at `word` are `name`. */
static bool says(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && !strncmp(word, name, n);
}

static bool is_named(const struct ay_schema *s, const char *word, size_t n)
{
	const size_t ns = strlen(s->ns), base = strlen(s->base);

	if (n > ns + 2 && !strncmp(word, s->ns, ns) && !strncmp(word + ns, "::", 2))
		word += ns + 2, n -= ns + 2;
	else if (n > ns + 1 && !strncmp(word, s->ns, ns) && word[ns] == '.')
		word += ns + 1, n -= ns + 1;
	if (n < base || strncmp(word, s->base, base))
		return false;
	if (n == base)
		return true;
	return word[base] == '.' && says(word + base + 1, n - base - 1, s->overload[0] ? s->overload : "default");
}

/* Returns the length of the list's next name, without blanks around it; 0 at the end. */
static size_t next_name(const char **list, const char **word)
{
	size_t n;

	*word = *list + strspn(*list, ", ");
	n = strcspn(*word, ",");
	*list = *word + n;
	while (n && (*word)[n - 1] == ' ')
		n--;
	return n;
}

bool ay_schema_wanted(const struct ay_schema *s, const char *list)
{
	const char *word;
	size_t n;

	while ((n = next_name(&list, &word)))
		if (is_named(s, word, n))
			return true;
	return false;
}

bool ay_names_next(const char **list, const char **name, struct ay_arena *a)
{
	const char *word;
	const size_t n = next_name(list, &word);

	*name = ay_strndup(a, word, n);
	return n;
}

const char *ay_suite_lacks(const struct ay_suite *s, const char *ops, struct ay_arena *a)
{
	const char *name, *lacks = "";

	while (ay_names_next(&ops, &name, a)) {
		int i = 0;

		while (i < s->n && !is_named(s->c[i].schema, name, strlen(name)))
			i++;
		if (i == s->n)
			lacks = ay_sprintf(a, "%s%s%s", lacks, *lacks ? ", " : "", name);
	}
	return lacks;
}

/* --- by size ---------------------------------------------------------------------------------- */

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t tensor_bytes(const struct ay_tdesc *t)
{
	uint64_t n = (uint64_t)ay_dt_info(t->dt)->bytes;
	bool over = false;

	for (int d = 0; d < t->ndim; d++)
		if (t->shape[d] <= 0)
			return 0;
	for (int d = 0; d < t->ndim; d++)
		over |= __builtin_mul_overflow(n, (uint64_t)t->shape[d], &n);
	return over ? UINT64_MAX : n;
}

static uint64_t value_bytes(const struct ay_value *v)
{
	uint64_t n = 0;

	if (v->kind == AY_V_TENSOR)
		return tensor_bytes(v->t);
	for (int i = 0; v->kind == AY_V_LIST && i < v->list.n; i++)
		n = add_up(n, value_bytes(&v->list.v[i]));
	return n;
}

uint64_t ay_case_bytes(const struct ay_case *c)
{
	uint64_t n = 0;

	for (int i = 0; i < c->narg; i++)
		n = add_up(n, value_bytes(&c->arg[i]));
	for (int i = 0; i < c->nkw; i++)
		n = add_up(n, value_bytes(&c->kw[i].v));
	return n;
}

struct sized {
	const struct ay_schema *schema;
	uint64_t bytes;
	int at;
};

/* Orders by overload, then by bytes, then by position. The order of overloads does not matter: the
 * cases of an overload only have to be together. */
static int smaller_first(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	if (x->schema != y->schema)
		return (uintptr_t)x->schema < (uintptr_t)y->schema ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return x->at - y->at;
}

static int larger_first(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	return x->schema == y->schema && x->bytes != y->bytes ? smaller_first(b, a) : smaller_first(a, b);
}

static int by_bytes(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	return x->bytes != y->bytes ? (x->bytes < y->bytes ? -1 : 1) : x->at - y->at;
}

void ay_suite_sort(struct ay_suite *s)
{
	struct sized *z = ay_xrealloc(NULL, sizeof *z * (size_t)(s->n + 1));
	struct ay_suite_case *c = ay_xrealloc(NULL, sizeof *c * (size_t)(s->n + 1));

	for (int i = 0; i < s->n; i++)
		z[i] = (struct sized){ s->c[i].schema, ay_case_bytes(s->c[i].line), i };
	qsort(z, (size_t)s->n, sizeof *z, by_bytes);
	memcpy(c, s->c, sizeof *c * (size_t)s->n);
	for (int i = 0; i < s->n; i++)
		s->c[i] = c[z[i].at];
	ay_xfree(z);
	ay_xfree(c);
}

static void keep_some(struct ay_suite *s, int64_t most, int (*order)(const void *, const void *))
{
	struct sized *z = ay_xrealloc(NULL, sizeof *z * (size_t)(s->n + 1));
	bool *stays = ay_xrealloc(NULL, (size_t)s->n + 1);
	int64_t taken = 0;
	int n = 0;

	for (int i = 0; i < s->n; i++)
		z[i] = (struct sized){ s->c[i].schema, ay_case_bytes(s->c[i].line), i };
	qsort(z, (size_t)s->n, sizeof *z, order);
	for (int i = 0; i < s->n; i++) {
		taken = i && z[i].schema == z[i - 1].schema ? taken + 1 : 0;
		stays[z[i].at] = taken < most;
	}
	for (int i = 0; i < s->n; i++)
		if (stays[i])
			s->c[n++] = s->c[i];
	s->n = n;
	ay_xfree(z);
	ay_xfree(stays);
}

int ay_suite_apply_filter(struct ay_suite *s, struct ay_suite_filter *n, struct ay_err *err)
{
	int left = 0;

	if (n->largest < 0 || n->smallest < 0)
		return ay_fail(err, AY_ERR_USAGE, "--topn and --smallest take a number of inputs");
	if (n->largest && n->smallest)
		return ay_fail(err, AY_ERR_USAGE,
			       "--topn keeps the largest inputs, --smallest the smallest: choose one");
	if (n->ops) {
		for (int i = 0; i < s->n; i++)
			if (ay_schema_wanted(s->c[i].schema, n->ops))
				s->c[left++] = s->c[i];
		s->n = left;
	}
	if (n->largest || n->smallest)
		keep_some(s, n->largest ? n->largest : n->smallest, n->largest ? larger_first : smaller_first);
	return 0;
}

/* --- equal lines ------------------------------------------------------------------------------ */

struct printed_names {
	uint64_t hash;
	int at;
};

/* FNV-1a. Lines with equal hashes are compared afterwards. */
static uint64_t hash_of(const struct ay_str *b)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < b->len; i++)
		h = (h ^ (unsigned char)b->s[i]) * 1099511628211u;
	return h;
}

static int by_hash(const void *a, const void *b)
{
	const struct printed_names *x = a, *y = b;

	return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : x->at - y->at;
}

static bool is_same_call(const struct ay_suite_case *a, const struct ay_suite_case *b)
{
	struct ay_case x = *a->line, y = *b->line;

	x.cnt = y.cnt = -1;
	return a->schema == b->schema && ay_case_equal(&x, &y);
}

static void absorb(struct ay_arena *a, struct ay_suite_case *first, const struct ay_suite_case *again)
{
	struct ay_case *line = AY_NEW(a, struct ay_case);

	*line = *first->line;
	if (again->line->cnt >= 0) {
		const int64_t had = line->cnt > 0 ? line->cnt : 0;

		if (__builtin_add_overflow(had, again->line->cnt, &line->cnt))
			line->cnt = INT64_MAX;
	}
	first->line = line;
}

int ay_suite_merge(struct ay_suite *s, struct ay_arena *a)
{
	struct printed_names *p = ay_xrealloc(NULL, sizeof *p * (size_t)(s->n + 1));
	struct ay_str b = { 0 };
	int n = 0, gone;

	for (int i = 0; i < s->n; i++) {
		struct ay_case c = *s->c[i].line;

		c.cnt = -1;
		ay_str_clear(&b);
		ay_case_print(&b, &c);
		p[i] = (struct printed_names){ hash_of(&b), i };
	}
	qsort(p, (size_t)s->n, sizeof *p, by_hash);
	for (int i = 1, first = 0; i < s->n; i++) {
		if (p[i].hash != p[first].hash || !is_same_call(&s->c[p[first].at], &s->c[p[i].at])) {
			first = i;
			continue;
		}
		absorb(a, &s->c[p[first].at], &s->c[p[i].at]);
		s->c[p[i].at].line = NULL;
	}
	for (int i = 0; i < s->n; i++)
		if (s->c[i].line)
			s->c[n++] = s->c[i];
	gone = s->n - n;
	s->n = n;
	ay_xfree(p);
	ay_str_release(&b);
	return gone;
}
