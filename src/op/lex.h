/* SPDX-License-Identifier: Apache-2.0
 *
 * lex - a cursor over untrusted text, shared by the parsers of case lines, schemas, templates and
 * grids.
 *
 * The text need not end with a NUL and may contain any bytes. Columns count bytes from 1. Every
 * failure is AY_ERR_PARSE with the column in err->col and in the message. Unless stated otherwise,
 * a function skips blanks first.
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
	bool exprs; /* a template: an expression may stand in place of a value */
	bool lines; /* newlines are blanks */
	/* nesting depth of brackets, which is limited because the parser is recursive */
	int depth;
	/* Items of the lists that are open now. A closed list is copied out of the stack, so long
	 * lists take no more than twice their size. */
	struct ay_value *stack;
	int nstack, capstack;
};

/* Returns -1 if the text is longer than AY_LINE_MAX. */
int ay_lex_init(struct ay_lex *l, struct ay_arena *a, const char *text, size_t len, struct ay_err *err);
int ay_lex_col(const struct ay_lex *l, const char *at);

/* Fail with "column N: ..."; always return -1. */
int ay_parse_fail(struct ay_err *err, int col, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int ay_lex_fail(struct ay_lex *l, const char *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Fails with "expected WHAT, found ..." at the next token; always returns -1. */
int ay_lex_expected(struct ay_lex *l, const char *what);

/* Returns the byte i places ahead, without skipping blanks. Returns 0 beyond the end, and for a
 * NUL, which no grammar accepts. */
static inline char ay_lex_peek(const struct ay_lex *l, size_t i)
{
	return (size_t)(l->end - l->p) > i ? l->p[i] : 0;
}

void ay_lex_skip(struct ay_lex *l);
bool ay_lex_at(struct ay_lex *l, char c);
bool ay_lex_at_end(struct ay_lex *l);
/* Consume c, or the text s, if it is next. Return whether it was. */
bool ay_lex_take(struct ay_lex *l, char c);
bool ay_lex_take_text(struct ay_lex *l, const char *s);
/* Consumes c and returns 0, or fails with "expected WHAT". */
int ay_lex_want(struct ay_lex *l, char c, const char *what);

/* Returns the length of the name at the next token, 0 if there is none. Does not consume it. */
size_t ay_lex_word(struct ay_lex *l);
bool ay_lex_word_is(const struct ay_lex *l, size_t n, const char *word);
/* Consumes a name and returns it in the arena. Returns NULL with the failure "expected WHAT" if
 * there is none. */
const char *ay_lex_name(struct ay_lex *l, const char *what);

/* Parses "ns::base.overload", "ns.base.overload", "ns.base", "base" or "base.default", without
 * blanks inside. */
int ay_lex_opname(struct ay_lex *l, const char **ns, const char **base, const char **overload);

/* Parses a Python string in single or double quotes. */
int ay_lex_str(struct ay_lex *l, const char **out);
/* Returns true if a number may start here: a digit, a sign or a point before a digit, inf
 * or nan. */
bool ay_lex_at_number(struct ay_lex *l);
/* Parses an int, float or complex number with its sign: -1, 1e-05, inf, 2j, 1-2.5j. */
int ay_lex_number(struct ay_lex *l, struct ay_value *v);
/* Parses a decimal or 0x number. */
int ay_lex_u64(struct ay_lex *l, uint64_t *out);

/* Enter the bracket that was just consumed, and leave it. ay_lex_enter fails beyond
 * AY_MAX_DEPTH. */
int ay_lex_enter(struct ay_lex *l);
void ay_lex_leave(struct ay_lex *l);

/* Build a list: push each item; ay_lex_pop then moves all items above `mark` (nstack at the start)
 * into v, a LIST. */
void ay_lex_push(struct ay_lex *l, const struct ay_value *v);
void ay_lex_pop(struct ay_lex *l, int mark, struct ay_value *v);

#endif
