/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "base/arena.h"
#include "base/err.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct ay_str *b, size_t more)
{
	size_t need = b->len + more + 1;

	if (need <= b->cap)
		return;
	b->cap = need < 64 ? 64 : need + need / 2;
	b->s = ay_xrealloc(b->s, b->cap);
}

void ay_str_addn(struct ay_str *b, const char *s, size_t n)
{
	reserve(b, n);
	if (n)
		memcpy(b->s + b->len, s, n);
	b->len += n;
	b->s[b->len] = 0;
}

void ay_str_add(struct ay_str *b, const char *s)
{
	ay_str_addn(b, s, strlen(s));
}

void ay_str_addc(struct ay_str *b, char c)
{
	ay_str_addn(b, &c, 1);
}

void ay_str_addf(struct ay_str *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		AY_BUG("bad format '%s'", fmt);
	reserve(b, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

/* Returns the length of the valid UTF-8 sequence at s (at most n bytes), 0 if the bytes are
 * not valid. */
static size_t utf8_len(const unsigned char *s, size_t n)
{
	size_t len = s[0] < 0x80                   ? 1
		     : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		     : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		     : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						   : 0;

	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* Returns true for control characters, C1 included, and for the marks that change the direction
 * of text. */
static bool is_control(const unsigned char *s, size_t len)
{
	if (len == 1)
		return (s[0] < 0x20 && s[0] != '\n' && s[0] != '\t') || s[0] == 0x7f;
	if (len == 2)
		return s[0] == 0xc2 && s[1] < 0xa0;
	if (len == 3 && s[0] == 0xe2)
		return (s[1] == 0x80 && ((s[2] >= 0xaa && s[2] <= 0xae) || s[2] == 0x8e || s[2] == 0x8f)) ||
		       (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
	return false;
}

size_t ay_utf8_safe(const char *s, size_t n)
{
	const size_t len = utf8_len((const unsigned char *)s, n);

	return len && is_control((const unsigned char *)s, len) ? 0 : len;
}

void ay_str_add_safe(struct ay_str *b, const char *s, size_t n, size_t max)
{
	size_t end = n < max ? n : max;

	for (size_t i = 0; i < end;) {
		const size_t len = ay_utf8_safe(s + i, n - i);

		if (len)
			ay_str_addn(b, s + i, len);
		else
			ay_str_addf(b, "\\x%02x", (unsigned char)s[i]);
		i += len ? len : 1;
	}
	if (n > max)
		ay_str_addf(b, "... (%zu bytes more)", n - max);
}

void ay_str_add_real(struct ay_str *b, double x)
{
	char t[40];

	if (isnan(x)) {
		ay_str_add(b, "nan");
		return;
	}
	if (isinf(x)) {
		ay_str_add(b, x < 0 ? "-inf" : "inf");
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(t, sizeof t, "%.*e", digits - 1, x);
		if (strtod(t, NULL) == x)
			break;
	}
	/* %.*e found the number of digits; Python writes 1e-05 and 1e+16 with an exponent, values
	 * between them without */
	char *e = strchr(t, 'e');
	int exp10 = atoi(e + 1);
	int digits = (int)(e - t) - (t[0] == '-') - (strchr(t, '.') ? 1 : 0);

	if (exp10 < -4 || exp10 >= 16) {
		ay_str_add(b, t);
		return;
	}
	ay_str_addf(b, "%.*f", digits - 1 - exp10 > 1 ? digits - 1 - exp10 : 1, x);
}

void ay_str_add_apart(struct ay_str *b, long double x, long double y)
{
	const bool finite = isfinite(x) && isfinite(y), near = finite && fabsl(x - y) <= 1e-6L * fabsl(x);

	if (near && x == rintl(x) && y == rintl(y) && fabsl(x) >= 1e9L && fabsl(x) < 0x1p64L)
		ay_str_addf(b, "%.0Lf", x);
	else
		ay_str_addf(b, "%.*Lg", near ? 17 : 9, x);
}

void ay_str_add_mismatch(struct ay_str *b, long double want, long double got, double bound)
{
	ay_str_add(b, "want ");
	ay_str_add_apart(b, want, got);
	ay_str_add(b, ", got ");
	ay_str_add_apart(b, got, want);
	if (isfinite(want) && isfinite(got))
		ay_str_addf(b, ", bound %.9g", bound);
}

void ay_str_clear(struct ay_str *b)
{
	b->len = 0;
	if (b->s)
		b->s[0] = 0;
}

void ay_str_release(struct ay_str *b)
{
	ay_xfree(b->s);
	*b = (struct ay_str){ 0 };
}

const char *ay_str_text(const struct ay_str *b)
{
	return b->s ? b->s : "";
}

bool ay_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool ay_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !strcmp(s + n - m, suffix);
}

int ay_str_distance(const char *a, const char *b)
{
	enum { MAX = 64 };
	int n = (int)strnlen(a, MAX), m = (int)strnlen(b, MAX);
	int d[3][MAX + 1];

	for (int j = 0; j <= m; j++)
		d[0][j] = j;
	for (int i = 1; i <= n; i++) {
		int *row = d[i % 3], *up = d[(i - 1) % 3], *up2 = d[(i + 1) % 3];

		row[0] = i;
		for (int j = 1; j <= m; j++) {
			int best = up[j - 1] + (a[i - 1] != b[j - 1]);

			if (up[j] + 1 < best)
				best = up[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    up2[j - 2] + 1 < best)
				best = up2[j - 2] + 1;
			row[j] = best;
		}
	}
	return d[n % 3][m];
}

/* --- for a terminal and its shell ------------------------------------------------------------- */

void ay_term_text(struct ay_str *b, const char *s, size_t max)
{
	const size_t begin = b->len;

	ay_str_add_safe(b, s, strlen(s), max);
	for (size_t i = begin; i < b->len; i++)
		if (b->s[i] == '\n' || b->s[i] == '\t')
			b->s[i] = ' ';
}

/* Returns true if the sequence of `len` bytes (ay_utf8_safe) may stand in a name of one line. */
static bool is_one_line(char c, size_t len)
{
	return len && c != '\n' && c != '\t';
}

const char *ay_shown(struct ay_arena *a, const char *name)
{
	const size_t n = strlen(name);
	struct ay_str b = { 0 };
	const char *shown = name;

	for (size_t i = 0; i < n;) {
		const size_t len = ay_utf8_safe(name + i, n - i);

		if (is_one_line(name[i], len))
			ay_str_addn(&b, name + i, len);
		else
			ay_str_addf(&b, "\\x%02x", (unsigned char)name[i]);
		i += len ? len : 1;
	}
	if (b.len != n)
		shown = ay_strdup(a, b.s);
	ay_str_release(&b);
	return shown;
}

/* Returns true if a shell reads `s` unchanged without quotes. */
static bool is_plain(const char *s)
{
	const size_t n = strlen(s);

	return n && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:./-+,=@") == n;
}

/* Returns true if a terminal may get all of the n bytes unchanged. */
static bool is_text(const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = ay_utf8_safe(s + i, n - i);
		if (!is_one_line(s[i], len))
			return false;
	}
	return true;
}

/* Single quotes: in double quotes, an untrusted $(...) would run in the shell of a user who pastes
 * the line. */
static void add_quoted(struct ay_str *b, const char *s, size_t n)
{
	ay_str_addc(b, '\'');
	for (size_t i = 0; i < n; i++)
		ay_str_add(b, s[i] == '\'' ? "'\\''" : (char[]){ s[i], 0 });
	ay_str_addc(b, '\'');
}

/* The form $'...', with octal escapes. A quote and a backslash are escaped as numbers, so that a shell
 * without this form reads one word too, though another one. */
static void add_escaped(struct ay_str *b, const char *s, size_t n)
{
	ay_str_add(b, "$'");
	for (size_t i = 0; i < n;) {
		const size_t len = ay_utf8_safe(s + i, n - i);

		if (!is_one_line(s[i], len) || s[i] == '\'' || s[i] == '\\')
			ay_str_addf(b, "\\%03o", (unsigned char)s[i]);
		else
			ay_str_addn(b, s + i, len);
		i += len ? len : 1;
	}
	ay_str_addc(b, '\'');
}

void ay_shell_word(struct ay_str *b, const char *s)
{
	const size_t n = strlen(s);

	if (s[0] == '-')
		ay_str_add(b, "./");
	if (is_plain(s))
		ay_str_add(b, s);
	else if (is_text(s, n))
		add_quoted(b, s, n);
	else
		add_escaped(b, s, n);
}
