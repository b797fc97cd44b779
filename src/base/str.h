/* SPDX-License-Identifier: Apache-2.0
 *
 * str - a growing string. `s` is NULL until the first add; afterwards it always ends in a NUL. {0}
 * is an empty string.
 */
#ifndef AY_BASE_STR_H
#define AY_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

struct ay_arena;

struct ay_str {
	char *s;
	size_t len, cap;
};

void ay_str_add(struct ay_str *b, const char *s);
void ay_str_addn(struct ay_str *b, const char *s, size_t n);
void ay_str_addc(struct ay_str *b, char c);
void ay_str_addf(struct ay_str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns the length of the UTF-8 sequence at s (of n bytes, n > 0), or 0 if a terminal or a record
 * must not get it unchanged: a control character, a mark that changes the direction of text, or a
 * byte that is not UTF-8. Line ends and tabs have the length 1. */
size_t ay_utf8_safe(const char *s, size_t n);
/* Adds at most `max` of the n bytes, made safe for a terminal or a record: control characters and
 * bytes that are not UTF-8 are written as \xHH. */
void ay_str_add_safe(struct ay_str *b, const char *s, size_t n, size_t max);
/* Adds at most `max` bytes as one line for a terminal: control bytes are escaped, and line ends
 * become spaces. */
void ay_term_text(struct ay_str *b, const char *s, size_t max);
/* Returns a name as ay_term_text writes it: `name` itself if nothing in it must be escaped, else a
 * copy in the arena. Line ends and tabs are escaped as well. */
const char *ay_shown(struct ay_arena *a, const char *name);
/* Adds `s` quoted so that a shell reads it as one word with the value `s`. Control characters and
 * bytes that are not UTF-8 are written in the form $'\033', which bash, ksh and zsh read. No shell
 * runs anything in it. */
void ay_shell_word(struct ay_str *b, const char *s);
/* Adds a double as Python's repr writes it: the shortest form that reads back, always with '.',
 * 'e', inf or nan. */
void ay_str_add_real(struct ay_str *b, double x);
/* Adds x with nine digits, or with as many as are needed to distinguish it from y. */
void ay_str_add_apart(struct ay_str *b, long double x, long double y);
/* Adds "want 1, got 2, bound 1e-07". The bound is left out if `want` or `got` is not finite, since
 * it then means nothing. */
void ay_str_add_mismatch(struct ay_str *b, long double want, long double got, double bound);
void ay_str_clear(struct ay_str *b);
void ay_str_release(struct ay_str *b);
/* Returns the text; "" for a string that has never been added to. Never NULL. */
const char *ay_str_text(const struct ay_str *b);

bool ay_starts(const char *s, const char *prefix);
bool ay_ends(const char *s, const char *suffix);
/* Returns how many bytes must be inserted, deleted, replaced or swapped to turn a into b; for "did
 * you mean". */
int ay_str_distance(const char *a, const char *b);

#endif
