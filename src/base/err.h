/* SPDX-License-Identifier: Apache-2.0
 *
 * err - errors of assay itself. A verdict on a kernel is never an error.
 *
 * Functions that can fail return 0 or -1 and take a trailing `struct ay_err *`. The first failure
 * is the one that is reported; its message is complete enough to be printed unchanged. A defect of
 * the program is reported by AY_BUG, which aborts.
 */
#ifndef AY_BASE_ERR_H
#define AY_BASE_ERR_H

#define AY_CODES(C)                                                       \
	C(OK, "no error")                                                 \
	C(USAGE, "the command line asks for something that is not there") \
	C(PARSE, "text that does not follow its grammar")                 \
	C(BIND, "a case line that does not fit its schema")               \
	C(IO, "a file could not be read or written")                      \
	C(SYS, "the operating system refused a request")                  \
	C(MEMORY, "not enough memory for a case")                         \
	C(EXEC, "the executor could not be started or spoken to")         \
	C(BUILD, "the compiler refused a kernel")

enum ay_code {
#define C(name, text) AY_ERR_##name,
	AY_CODES(C)
#undef C
};

enum { AY_ERR_MAX = 1000 };

struct ay_err {
	enum ay_code code;
	int col;              /* PARSE, BIND: 1-based column in the text, 0 if unknown */
	char msg[AY_ERR_MAX]; /* safe for a terminal and a record: UTF-8 without control characters */
};

/* Always returns -1, so that a caller can write `return ay_fail(...)`. If *err already has a
 * failure, that failure is kept: it is the cause, and the later one a consequence. */
int ay_fail(struct ay_err *err, enum ay_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int ay_fail_at(struct ay_err *err, enum ay_code code, int col, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Like ay_fail, and appends ": strerror(errno)". */
int ay_fail_errno(struct ay_err *err, enum ay_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void ay_err_clear(struct ay_err *err);
/* Puts "prefix: " before the message that *err already has. */
void ay_err_prefix(struct ay_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

_Noreturn void ay_bug(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define AY_BUG(...)  ay_bug(__FILE__, __LINE__, __VA_ARGS__)
#define AY_ASSERT(x) ((x) ? (void)0 : AY_BUG("%s", #x))

#endif
