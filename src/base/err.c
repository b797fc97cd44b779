/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(struct ay_err *err, enum ay_code code, int col, const char *fmt, va_list ap)
{
	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	err->code = code;
	err->col = col;
}

int ay_fail(struct ay_err *err, enum ay_code code, const char *fmt, ...)
{
	if (!err->code) {
		va_list ap;

		va_start(ap, fmt);
		keep(err, code, 0, fmt, ap);
		va_end(ap);
	}
	return -1;
}

int ay_fail_at(struct ay_err *err, enum ay_code code, int col, const char *fmt, ...)
{
	if (!err->code) {
		va_list ap;

		va_start(ap, fmt);
		keep(err, code, col, fmt, ap);
		va_end(ap);
	}
	return -1;
}

int ay_fail_errno(struct ay_err *err, enum ay_code code, const char *fmt, ...)
{
	int e = errno;

	if (!err->code) {
		va_list ap;
		size_t n;

		va_start(ap, fmt);
		keep(err, code, 0, fmt, ap);
		va_end(ap);
		n = strlen(err->msg);
		snprintf(err->msg + n, sizeof err->msg - n, ": %s", strerror(e));
	}
	return -1;
}

void ay_err_clear(struct ay_err *err)
{
	*err = (struct ay_err){ 0 };
}

void ay_err_prefix(struct ay_err *err, const char *fmt, ...)
{
	char old[sizeof err->msg];
	va_list ap;
	size_t n;

	memcpy(old, err->msg, sizeof old);
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	va_end(ap);
	n = strlen(err->msg);
	snprintf(err->msg + n, sizeof err->msg - n, ": %.*s", (int)(sizeof old - 1), old);
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
