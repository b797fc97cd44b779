/* SPDX-License-Identifier: Apache-2.0 */
#include "report/row_filter.h"
#include "op/suite.h"

#include <string.h>

_Static_assert(AY_VERDICT_COUNT < 32 && AY_DT_COUNT <= 32, "verdicts and dtypes are bits of 32");

enum { NAME_MAX_SHOWN = 60 };

int ay_filter_verdicts(const char *list, uint32_t *set, struct ay_err *err)
{
	*set = 0;
	while (*list) {
		const size_t n = strcspn(list, ",");
		int v = 0;

		while (v <= AY_VERDICT_COUNT && (strlen(ay_sum_verdict_name((enum ay_verdict)v)) != n ||
						 strncmp(ay_sum_verdict_name((enum ay_verdict)v), list, n) != 0))
			v++;
		if (v > AY_VERDICT_COUNT)
			return ay_fail(err, AY_ERR_USAGE,
				       "--verdict: there is no verdict '%.*s' (MISMATCH, CRASH, ..., PASS, or "
				       "MISSING: docs/verdicts.md)",
				       n < NAME_MAX_SHOWN ? (int)n : NAME_MAX_SHOWN, list);
		*set |= 1u << v;
		list += n + (list[n] == ',');
	}
	return *set ? 0 : ay_fail(err, AY_ERR_USAGE, "--verdict: name at least one, such as MISMATCH,CRASH");
}

/* Returns true if the n bytes at word are the name or its part before the dot, with or without
 * "aten::". */
static bool says(const char *word, size_t n, const char *name)
{
	const char *bare = strstr(name, "::");

	bare = bare ? bare + 2 : name;
	return (!strncmp(name, word, n) && (!name[n] || name[n] == '.')) ||
	       (!strncmp(bare, word, n) && (!bare[n] || bare[n] == '.'));
}

/* Finds the next name of a list. Returns its length, or 0 at the end. */
static size_t next_name(const char **list, const char **word)
{
	size_t n;

	*word = *list + strspn(*list, ", ");
	n = strcspn(*word, ", ");
	*list = *word + n;
	return n;
}

bool ay_row_filter_takes_name(const struct ay_row_filter *f, const char *name)
{
	const char *list = f->ops, *word;
	size_t n;

	if (!list)
		return true;
	while ((n = next_name(&list, &word)))
		if (says(word, n, name))
			return true;
	return false;
}

bool ay_row_filter_takes_operator(const struct ay_row_filter *f, const struct ay_summary *s, int op)
{
	if (ay_row_filter_takes_name(f, s->op[op].name))
		return true;
	for (int i = s->op[op].first; i >= 0; i = s->overload[i].next)
		if (ay_row_filter_takes_name(f, s->overload[i].name))
			return true;
	return false;
}

static bool is_of_run(const struct ay_summary *s, const char *word, size_t n)
{
	for (int i = 0; i < s->noperator; i++)
		if (says(word, n, s->op[i].name))
			return true;
	for (int i = 0; i < s->noverload; i++)
		if (says(word, n, s->overload[i].name))
			return true;
	return false;
}

int ay_row_filter_check(const struct ay_row_filter *f, const struct ay_summary *s, struct ay_err *err)
{
	const char *list = f->ops ? f->ops : "", *word;
	size_t n;

	while ((n = next_name(&list, &word)))
		if (!is_of_run(s, word, n))
			return ay_fail(err, AY_ERR_USAGE, "--ops: the run has no operator or overload '%.*s'",
				       n < NAME_MAX_SHOWN ? (int)n : NAME_MAX_SHOWN, word);
	return 0;
}

bool ay_row_filter_takes_verdict(const struct ay_row_filter *f, enum ay_verdict v)
{
	return !f->verdicts || f->verdicts >> v & 1;
}

bool ay_row_filter_takes_dtype(const struct ay_row_filter *f, const json_t *rec)
{
	const char *line = ay_record_str(rec, AY_FIELD_LINE);
	struct ay_arena a = { 0 };
	struct ay_err ignored = { 0 };
	struct ay_case *c;
	enum ay_dt dt = AY_DT_NONE;

	if (!f->dtypes)
		return true;
	if (line && !ay_case_parse(&a, line, strlen(line), &c, &ignored))
		dt = ay_case_dtype(c);
	ay_arena_release(&a);
	return dt != AY_DT_NONE && f->dtypes >> dt & 1;
}

bool ay_row_filter_is_by_case(const struct ay_row_filter *f)
{
	return f->verdicts || f->dtypes;
}
