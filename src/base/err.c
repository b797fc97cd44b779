/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 9000 /* bytes; two names of files of the greatest length fit */ };

/* Copies bytes of src, with control characters and what is not UTF-8 as \xHH, until dst is full.
 * Returns how many bytes were copied. dst ends in a NUL. */
static size_t copy_safe(char *dst, size_t cap, const char *src, size_t n, bool lines)
{
	size_t i = 0, at = 0;

	while (i < n) {
		const size_t len = ay_utf8_safe(src + i, n - i);
		const bool as_it_is = len && (lines || src[i] != '\n');

		if (at + (as_it_is ? len : 4) >= cap)
			break;
		if (as_it_is)
			memcpy(dst + at, src + i, len);
		else
			snprintf(dst + at, cap - at, "\\x%02x", (unsigned char)src[i]);
		at += as_it_is ? len : 4;
		i += len ? len : 1;
	}
	dst[at] = 0;
	return i;
}

/* Sets the message. A message that is too long, which is due to a name in it, loses its middle, so
 * that the reason at its end stays. */
static void set_message(char msg[AY_ERR_MAX], const char *text, size_t n, bool lines)
{
	static const char gap[] = " [...] ";
	size_t at, from;

	if (copy_safe(msg, AY_ERR_MAX, text, n, lines) == n)
		return;
	copy_safe(msg, AY_ERR_MAX / 2, text, n, lines);
	at = strlen(msg);
	memcpy(msg + at, gap, sizeof gap);
	at += sizeof gap - 1;
	from = n > AY_ERR_MAX - at ? n - (AY_ERR_MAX - at) : 0;
	while (copy_safe(msg + at, AY_ERR_MAX - at, text + from, n - from, lines) < n - from)
		from++;
}

/* Keeps a message whose format is `fmt`, with `end` after it. Line ends are those of the format:
 * one in an argument, which may be the name of a file, is escaped. */
static void keep(struct ay_err *err, const char *fmt, va_list ap, const char *end)
{
	char text[TEXT_MAX + AY_ERR_MAX];
	const int n = vsnprintf(text, TEXT_MAX, fmt, ap);
	const size_t len = n < 0 ? 0 : n < TEXT_MAX ? (size_t)n : TEXT_MAX - 1;

	snprintf(text + len, AY_ERR_MAX, "%s", end);
	set_message(err->msg, text, len + strlen(text + len), strchr(fmt, '\n'));
}

int ay_fail(struct ay_err *err, enum ay_code code, const char *fmt, ...)
{
	if (!err->code) {
		va_list ap;

		va_start(ap, fmt);
		keep(err, fmt, ap, "");
		va_end(ap);
		err->code = code;
		err->col = 0;
	}
	return -1;
}

int ay_fail_at(struct ay_err *err, enum ay_code code, int col, const char *fmt, ...)
{
	if (!err->code) {
		va_list ap;

		va_start(ap, fmt);
		keep(err, fmt, ap, "");
		va_end(ap);
		err->code = code;
		err->col = col;
	}
	return -1;
}

int ay_fail_errno(struct ay_err *err, enum ay_code code, const char *fmt, ...)
{
	int e = errno;

	if (!err->code) {
		char reason[200];
		va_list ap;

		snprintf(reason, sizeof reason, ": %s", strerror(e));
		va_start(ap, fmt);
		keep(err, fmt, ap, reason);
		va_end(ap);
		err->code = code;
		err->col = 0;
	}
	return -1;
}

void ay_err_clear(struct ay_err *err)
{
	*err = (struct ay_err){ 0 };
}

void ay_err_prefix(struct ay_err *err, const char *fmt, ...)
{
	char text[TEXT_MAX + AY_ERR_MAX], old[AY_ERR_MAX + 2];
	va_list ap;
	int n;
	size_t len;

	va_start(ap, fmt);
	n = vsnprintf(text, TEXT_MAX, fmt, ap);
	va_end(ap);
	len = n < 0 ? 0 : n < TEXT_MAX ? (size_t)n : TEXT_MAX - 1;
	snprintf(old, sizeof old, ": %s", err->msg);
	for (size_t i = 0; i < len; i++) /* one line */
		text[i] = (char)(text[i] == '\n' ? ' ' : text[i]);
	memcpy(text + len, old, strlen(old) + 1);
	set_message(err->msg, text, len + strlen(old), true);
}

void ay_bug(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "assay: bug at %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
