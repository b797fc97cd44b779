/* SPDX-License-Identifier: Apache-2.0
 *
 * str - a growing string. `s` is never NULL after the first add and always ends in a NUL; {0} is an empty one.
 */
#ifndef AY_BASE_STR_H
#define AY_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

struct ay_str {
	char *s;
	size_t len, cap;
};

void ay_str_add(struct ay_str *b, const char *s);
void ay_str_addn(struct ay_str *b, const char *s, size_t n);
void ay_str_addc(struct ay_str *b, char c);
void ay_str_addf(struct ay_str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* For a terminal or a record: control bytes as \xHH, invalid UTF-8 too, at most max bytes of the source. */
void ay_str_add_safe(struct ay_str *b, const char *s, size_t n, size_t max);
/* One line for a terminal: control bytes escaped, line ends as spaces, at most max bytes. */
void ay_term_text(struct ay_str *b, const char *s, size_t max);
/* A word of a shell command that means the text itself. */
void ay_shell_word(struct ay_str *b, const char *s);
/* A double as Python's repr writes it: the shortest form that reads back, always with '.', 'e', inf or nan. */
void ay_str_add_real(struct ay_str *b, double x);
/* x with nine digits, or as many as tell it from y. */
void ay_str_add_apart(struct ay_str *b, long double x, long double y);
/* "want 1, got 2, bound 1e-07". Where one of the two is no finite number, a bound means nothing and is left out. */
void ay_str_add_mismatch(struct ay_str *b, long double want, long double got, double bound);
void ay_str_clear(struct ay_str *b);
void ay_str_release(struct ay_str *b);
/* Empty strings included. */
const char *ay_str_text(const struct ay_str *b);

bool ay_starts(const char *s, const char *prefix);
bool ay_ends(const char *s, const char *suffix);
/* Bytes to insert, delete, replace or swap to get from a to b; for "did you mean". */
int ay_str_distance(const char *a, const char *b);

#endif
