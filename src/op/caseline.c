/* SPDX-License-Identifier: Apache-2.0 */
#include "op/caseline.h"
#include "op/parse.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_KEYWORDS = 64 };

/* --- parse ------------------------------------------------------------------------------------ */

/* Parses "cnt: N," before the line. cnt::op would be an operator. */
static int count_prefix(struct ay_lex *l, struct ay_case *c)
{
	const char *start;
	struct ay_value v;

	if (!ay_lex_word_is(l, ay_lex_word(l), "cnt"))
		return 0;
	start = l->p;
	l->p += 3;
	if (!ay_lex_at(l, ':') || ay_lex_peek(l, 1) == ':') {
		l->p = start;
		return 0;
	}
	l->p++;
	if (ay_lex_number(l, &v))
		return -1;
	if (v.kind != AY_V_INT || v.i < 0)
		return ay_parse_fail(l->err, v.col, "cnt must be an int >= 0");
	c->cnt = v.i;
	return ay_lex_want(l, ',', "',' after the count");
}

static int arguments(struct ay_lex *l, struct ay_case *c)
{
	int mark = l->nstack;
	struct ay_value v;

	if (ay_lex_want(l, '(', "'(' before the positional arguments") || ay_lex_enter(l))
		return -1;
	while (!ay_lex_take(l, ')')) {
		if (ay_parse_value(l, &v))
			return -1;
		ay_lex_push(l, &v);
		if (!ay_lex_take(l, ',') && !ay_lex_at(l, ')'))
			return ay_lex_expected(l, "',' or ')' after a value");
	}
	ay_lex_leave(l);
	ay_lex_pop(l, mark, &v);
	c->narg = v.list.n;
	c->arg = v.list.v;
	return 0;
}

static int keyword(struct ay_lex *l, const struct ay_kw *before, int n, struct ay_kw *kw)
{
	const char *at;

	ay_lex_skip(l);
	at = l->p;
	kw->col = ay_lex_col(l, at);
	if (!ay_lex_at(l, '\'') && !ay_lex_at(l, '"'))
		return ay_lex_expected(l, "a keyword in quotes or '}'");
	if (ay_lex_str(l, &kw->name))
		return -1;
	for (int i = 0; i < n; i++)
		if (!strcmp(before[i].name, kw->name))
			return ay_lex_fail(l, at, "the keyword '%.60s' is given twice", kw->name);
	return ay_lex_want(l, ':', "':' after a keyword") ? -1 : ay_parse_value(l, &kw->v);
}

static int keywords(struct ay_lex *l, struct ay_case *c)
{
	struct ay_kw kw[MAX_KEYWORDS];
	int n = 0;

	if (ay_lex_want(l, '{', "'{' before the keyword arguments"))
		return -1;
	while (!ay_lex_take(l, '}')) {
		if (n == MAX_KEYWORDS)
			return ay_lex_fail(l, l->p, "more than %d keywords", MAX_KEYWORDS);
		if (keyword(l, kw, n, &kw[n]))
			return -1;
		n++;
		if (!ay_lex_take(l, ',') && !ay_lex_at(l, '}'))
			return ay_lex_expected(l, "',' or '}' after a value");
	}
	c->nkw = n;
	if (n) {
		c->kw = AY_NEW_N(l->a, struct ay_kw, n);
		memcpy(c->kw, kw, sizeof *kw * (size_t)n);
	}
	return 0;
}

/* Parses the numbers after timed=. */
static int timed_numbers(struct ay_lex *l, struct ay_case *c)
{
	const char *at;
	uint64_t set;

	if (ay_lex_u64(l, &c->timed_content) || ay_lex_want(l, ':', "':' and the number of a set"))
		return -1;
	at = l->p;
	if (ay_lex_u64(l, &set))
		return -1;
	if (set > INT32_MAX)
		return ay_lex_fail(l, at, "no batch has so many sets");
	c->timed_set = (int)set;
	c->is_timed = true;
	return 0;
}

/* Parses seed=, timed= or cnt= after the call. */
static int trailing_key(struct ay_lex *l, struct ay_case *c)
{
	size_t n = ay_lex_word(l);
	const char *at = l->p;
	bool seed = ay_lex_word_is(l, n, "seed"), cnt = ay_lex_word_is(l, n, "cnt"),
	     timed = ay_lex_word_is(l, n, "timed");
	uint64_t x;

	if (ay_lex_word_is(l, n, "same"))
		return ay_lex_fail(l, at, "same= is reserved");
	if (!seed && !cnt && !timed)
		return ay_lex_expected(l, "seed=, cnt=, timed=, '#' or the end after the call");
	if (timed && c->is_timed)
		return ay_lex_fail(l, at, "timed is given twice");
	if (timed) {
		l->p += n;
		return ay_lex_want(l, '=', "'=' after a key") ? -1 : timed_numbers(l, c);
	}
	if (seed ? c->has_seed : c->cnt >= 0)
		return ay_lex_fail(l, at, "%s is given twice", seed ? "seed" : "cnt");
	l->p += n;
	if (ay_lex_want(l, '=', "'=' after a key"))
		return -1;
	ay_lex_skip(l);
	at = l->p;
	if (ay_lex_u64(l, &x))
		return -1;
	if (cnt && x > INT64_MAX)
		return ay_lex_fail(l, at, "an integer that does not fit in 64 bits");
	if (cnt)
		c->cnt = (int64_t)x;
	else
		c->seed = x;
	c->has_seed |= seed;
	return 0;
}

int ay_parse_case(struct ay_lex *l, struct ay_case *c)
{
	c->cnt = -1;
	c->overload = "";
	if (count_prefix(l, c) || (ay_lex_word(l) && ay_lex_opname(l, &c->ns, &c->base, &c->overload)))
		return -1;
	if (ay_lex_want(l, '(', "'(' and the arguments of a call") || arguments(l, c) ||
	    ay_lex_want(l, ',', "',' and {keywords} after the arguments") || keywords(l, c) ||
	    ay_lex_want(l, ')', "')' after the keywords"))
		return -1;
	while (!ay_lex_at_end(l) && !ay_lex_at(l, '#'))
		if (trailing_key(l, c))
			return -1;
	return 0;
}

int ay_case_parse(struct ay_arena *a, const char *text, size_t len, struct ay_case **out, struct ay_err *err)
{
	struct ay_lex l;

	if (ay_lex_init(&l, a, text, len, err))
		return -1;
	*out = AY_NEW(a, struct ay_case);
	return ay_parse_case(&l, *out);
}

int ay_opname_parse(struct ay_arena *a, const char *text, size_t len, const char **ns, const char **base,
		    const char **overload, struct ay_err *err)
{
	struct ay_lex l;

	if (ay_lex_init(&l, a, text, len, err) || ay_lex_opname(&l, ns, base, overload))
		return -1;
	return ay_lex_at_end(&l) ? 0 : ay_lex_expected(&l, "the end after an operator's name");
}

/* --- print, equal ----------------------------------------------------------------------------- */

void ay_case_opname(struct ay_str *b, const struct ay_case *c)
{
	if (!c->base)
		return;
	if (c->ns) {
		ay_str_add(b, c->ns);
		ay_str_add(b, "::");
	}
	ay_str_add(b, c->base);
	if (c->overload[0]) {
		ay_str_addc(b, '.');
		ay_str_add(b, c->overload);
	}
}

void ay_case_print(struct ay_str *b, const struct ay_case *c)
{
	ay_case_opname(b, c);
	ay_str_add(b, "((");
	for (int i = 0; i < c->narg; i++) {
		if (i)
			ay_str_add(b, ", ");
		ay_value_print(b, &c->arg[i]);
	}
	ay_str_add(b, c->narg == 1 ? ",), {" : "), {");
	for (int i = 0; i < c->nkw; i++) {
		if (i)
			ay_str_add(b, ", ");
		ay_value_print(b, &(struct ay_value){ .kind = AY_V_STR, .s = c->kw[i].name });
		ay_str_add(b, ": ");
		ay_value_print(b, &c->kw[i].v);
	}
	ay_str_add(b, "})");
	if (c->has_seed)
		ay_str_addf(b, " seed=%" PRIu64, c->seed);
	if (c->is_timed)
		ay_str_addf(b, " timed=%" PRIu64 ":%d", c->timed_content, c->timed_set);
	if (c->cnt >= 0)
		ay_str_addf(b, " cnt=%" PRId64, c->cnt);
}

static bool same_name(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool ay_case_equal(const struct ay_case *a, const struct ay_case *b)
{
	if (!same_name(a->ns, b->ns) || !same_name(a->base, b->base) || !same_name(a->overload, b->overload) ||
	    a->narg != b->narg || a->nkw != b->nkw || a->cnt != b->cnt || a->has_seed != b->has_seed ||
	    a->seed != b->seed || a->is_timed != b->is_timed || a->timed_content != b->timed_content ||
	    a->timed_set != b->timed_set)
		return false;
	for (int i = 0; i < a->narg; i++)
		if (!ay_value_equal(&a->arg[i], &b->arg[i]))
			return false;
	for (int i = 0; i < a->nkw; i++)
		if (strcmp(a->kw[i].name, b->kw[i].name) || !ay_value_equal(&a->kw[i].v, &b->kw[i].v))
			return false;
	return true;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Finds the next line, without its line end. Returns false at the end of the text. */
static bool next_line(struct ay_reader *r, const char **line, size_t *len)
{
	const char *start = r->text + r->pos, *nl;

	if (r->pos >= r->len)
		return false;
	nl = memchr(start, '\n', r->len - r->pos);
	*line = start;
	*len = nl ? (size_t)(nl - start) : r->len - r->pos;
	r->pos += *len + !!nl;
	r->line++;
	if (*len && start[*len - 1] == '\r')
		--*len;
	return true;
}

/* Parses "Operator: name", optionally with a comment. A bad header also clears the previous one,
 * because the lines below do not belong to that operator. */
static int header(struct ay_reader *r, struct ay_lex *l)
{
	const char *ns, *base, *overload;

	r->op = NULL;
	l->p += strlen("Operator");
	if (ay_lex_want(l, ':', "':' after 'Operator'"))
		return -1;
	ay_lex_skip(l);
	const char *start = l->p;

	if (ay_lex_opname(l, &ns, &base, &overload))
		return -1;
	const char *end = l->p;

	if (!ay_lex_at_end(l) && !ay_lex_at(l, '#'))
		return ay_lex_expected(l, "the end after an operator's name");
	r->op = start;
	r->op_len = (size_t)(end - start);
	return 0;
}

/* Takes the case's names from the header. They are parsed again for each case, so that the case
 * owns all that it points to, whatever arena it is in. */
static int name_from_header(const struct ay_reader *r, struct ay_arena *a, struct ay_case *c, struct ay_err *err)
{
	if (c->base || !r->op)
		return 0;
	return ay_opname_parse(a, r->op, r->op_len, &c->ns, &c->base, &c->overload, err);
}

int ay_reader_next(struct ay_reader *r, struct ay_arena *a, struct ay_case **out, struct ay_err *err)
{
	const char *line;
	size_t len;

	while (next_line(r, &line, &len)) {
		struct ay_lex l;

		if (ay_lex_init(&l, a, line, len, err))
			return -1;
		if (ay_lex_at_end(&l) || ay_lex_at(&l, '#'))
			continue;
		if (ay_lex_word_is(&l, ay_lex_word(&l), "Operator")) {
			if (header(r, &l))
				return -1;
			continue;
		}
		l.p = line;
		*out = AY_NEW(a, struct ay_case);
		return ay_parse_case(&l, *out) || name_from_header(r, a, *out, err) ? -1 : 1;
	}
	return 0;
}
