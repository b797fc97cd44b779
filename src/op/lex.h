/* SPDX-License-Identifier: Apache-2.0
 *
 * lex - a cursor over hostile text, shared by the parsers of case lines, schemas, templates and grids.
 *
 * The text needs no NUL behind it and may hold any bytes. Columns count bytes from 1. Every failure is
 * AY_ERR_PARSE with the column in err->col and in the message. Unless said otherwise a function skips blanks
 * first.
 */
#ifndef AY_OP_LEX_H
#define AY_OP_LEX_H

#include "base/arena.h"
#include "base/err.h"
#include "op/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AY_MAX_DEPTH = 32 };

struct ay_lex {
	const char *text, *p, *end;
	struct ay_arena *a;
	struct ay_err *err;
	bool exprs; /* a template: where a value may stand, an expression may */
	bool lines; /* newlines are blanks */
	int depth;  /* of brackets, so that recursion ends */
	/* Items of the lists that are open now; a closed list is copied out, so that long ones cost no more than
	 * twice their size. */
	struct ay_value *stack;
	int nstack, capstack;
};

/* -1 if the text is longer than AY_LINE_MAX. */
int ay_lex_init(struct ay_lex *l, struct ay_arena *a, const char *text, size_t len, struct ay_err *err);
int ay_lex_col(const struct ay_lex *l, const char *at);

/* "column N: ..."; always -1. */
int ay_parse_fail(struct ay_err *err, int col, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int ay_lex_fail(struct ay_lex *l, const char *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found ..." at the next token; always -1. */
int ay_lex_expected(struct ay_lex *l, const char *what);

/* No skipping: the byte i places on, 0 beyond the end (and for a NUL, which no grammar accepts). */
static inline char ay_lex_peek(const struct ay_lex *l, size_t i)
{
	return (size_t)(l->end - l->p) > i ? l->p[i] : 0;
}

void ay_lex_skip(struct ay_lex *l);
bool ay_lex_at(struct ay_lex *l, char c);
bool ay_lex_at_end(struct ay_lex *l);
/* Takes c or the text s if it is next. */
bool ay_lex_take(struct ay_lex *l, char c);
bool ay_lex_take_text(struct ay_lex *l, const char *s);
/* 0, or the failure "expected WHAT". */
int ay_lex_want(struct ay_lex *l, char c, const char *what);

/* Length of the name at the next token, 0 if there is none; does not take it. */
size_t ay_lex_word(struct ay_lex *l);
bool ay_lex_word_is(const struct ay_lex *l, size_t n, const char *word);
/* Takes a name into the arena; NULL is the failure "expected WHAT". */
const char *ay_lex_name(struct ay_lex *l, const char *what);

/* "ns::base.overload", "ns.base.overload", "ns.base", "base", "base.default": no blanks inside. */
int ay_lex_opname(struct ay_lex *l, const char **ns, const char **base, const char **overload);

/* A Python string in single or double quotes. */
int ay_lex_str(struct ay_lex *l, const char **out);
/* A number may start here: a digit, a sign or a point before one, inf, nan. */
bool ay_lex_at_number(struct ay_lex *l);
/* An int, float or complex, the sign included: -1, 1e-05, inf, 2j, 1-2.5j. */
int ay_lex_number(struct ay_lex *l, struct ay_value *v);
/* Decimal or 0x. */
int ay_lex_u64(struct ay_lex *l, uint64_t *out);

/* One bracket deeper (the one just taken), and out again. */
int ay_lex_enter(struct ay_lex *l);
void ay_lex_leave(struct ay_lex *l);

/* Items of a list: push each, then pop all above the mark (nstack at the start) into v, a LIST. */
void ay_lex_push(struct ay_lex *l, const struct ay_value *v);
void ay_lex_pop(struct ay_lex *l, int mark, struct ay_value *v);

#endif
