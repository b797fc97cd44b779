/* SPDX-License-Identifier: Apache-2.0 */
#include "op/lex.h"
#include "op/caseline.h"
#include "base/str.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FOUND_MAX = 24,   /* bytes of a word shown in a message */
	NUMBER_MAX = 400, /* more than the longest decimal text of a double in practice */
};

/* isalpha() and similar functions depend on the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(char c)
{
	return is_name_start(c) || is_digit(c);
}

int ay_lex_init(struct ay_lex *l, struct ay_arena *a, const char *text, size_t len, struct ay_err *err)
{
	*l = (struct ay_lex){ .text = text, .p = text, .end = text + len, .a = a, .err = err };
	if (len <= AY_LINE_MAX)
		return 0;
	return ay_parse_fail(err, AY_LINE_MAX + 1, "the text is longer than %d bytes", AY_LINE_MAX);
}

int ay_lex_col(const struct ay_lex *l, const char *at)
{
	return (int)(at - l->text) + 1;
}

/* --- failures --------------------------------------------------------------------------------- */

static int vfail(struct ay_err *err, int col, const char *fmt, va_list ap)
{
	char msg[sizeof err->msg - 32];

	vsnprintf(msg, sizeof msg, fmt, ap);
	return ay_fail_at(err, AY_ERR_PARSE, col, "column %d: %s", col, msg);
}

int ay_parse_fail(struct ay_err *err, int col, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfail(err, col, fmt, ap);
	va_end(ap);
	return -1;
}

int ay_lex_fail(struct ay_lex *l, const char *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfail(l->err, ay_lex_col(l, at), fmt, ap);
	va_end(ap);
	return -1;
}

/* Adds what is next: a whole word or else one character, "'x'", or "the end". */
static void add_found(struct ay_lex *l, struct ay_str *b)
{
	size_t n = ay_lex_word(l), left = (size_t)(l->end - l->p);

	if (!left) {
		ay_str_add(b, "the end");
		return;
	}
	if (!n) /* a character of several bytes is shown completely */
		for (n = 1; n < left && n < 4 && ((unsigned char)l->p[n] & 0xc0) == 0x80; n++)
			;
	ay_str_addc(b, '\'');
	ay_str_add_safe(b, l->p, n < FOUND_MAX ? n : FOUND_MAX, FOUND_MAX);
	ay_str_add(b, n > FOUND_MAX ? "...'" : "'");
}

int ay_lex_expected(struct ay_lex *l, const char *what)
{
	struct ay_str found = { 0 };

	ay_lex_skip(l);
	add_found(l, &found);
	ay_lex_fail(l, l->p, "expected %s, found %s", what, ay_str_text(&found));
	ay_str_release(&found);
	return -1;
}

/* --- punctuation and names -------------------------------------------------------------------- */

void ay_lex_skip(struct ay_lex *l)
{
	while (l->p < l->end && (*l->p == ' ' || *l->p == '\t' || (l->lines && (*l->p == '\n' || *l->p == '\r'))))
		l->p++;
}

bool ay_lex_at(struct ay_lex *l, char c)
{
	ay_lex_skip(l);
	return l->p < l->end && *l->p == c;
}

bool ay_lex_at_end(struct ay_lex *l)
{
	ay_lex_skip(l);
	return l->p == l->end;
}

bool ay_lex_take(struct ay_lex *l, char c)
{
	bool yes = ay_lex_at(l, c);

	l->p += yes;
	return yes;
}

bool ay_lex_take_text(struct ay_lex *l, const char *s)
{
	size_t n = strlen(s);

	ay_lex_skip(l);
	if ((size_t)(l->end - l->p) < n || memcmp(l->p, s, n))
		return false;
	l->p += n;
	return true;
}

int ay_lex_want(struct ay_lex *l, char c, const char *what)
{
	return ay_lex_take(l, c) ? 0 : ay_lex_expected(l, what);
}

/* Like ay_lex_word, without skipping blanks. */
static size_t word_here(const struct ay_lex *l)
{
	size_t n = 0;

	if (is_name_start(ay_lex_peek(l, 0)))
		while (is_name(ay_lex_peek(l, n)))
			n++;
	return n;
}

size_t ay_lex_word(struct ay_lex *l)
{
	ay_lex_skip(l);
	return word_here(l);
}

bool ay_lex_word_is(const struct ay_lex *l, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(l->p, word, n);
}

static const char *take_word(struct ay_lex *l, size_t n)
{
	l->p += n;
	return ay_strndup(l->a, l->p - n, n);
}

const char *ay_lex_name(struct ay_lex *l, const char *what)
{
	size_t n = ay_lex_word(l);

	if (n)
		return take_word(l, n);
	ay_lex_expected(l, what);
	return NULL;
}

int ay_lex_opname(struct ay_lex *l, const char **ns, const char **base, const char **overload)
{
	const char *part[3];
	int n = 0;
	bool colons = false;

	ay_lex_skip(l);
	for (;;) {
		size_t len = word_here(l);

		if (!len)
			return ay_lex_expected(l, n ? "a name after '.' or '::'" : "an operator's name");
		part[n++] = take_word(l, len);
		if (n == 1 && ay_lex_peek(l, 0) == ':' && ay_lex_peek(l, 1) == ':') {
			colons = true;
			l->p += 2;
		} else if (n < 3 && ay_lex_peek(l, 0) == '.') {
			l->p++;
		} else {
			break;
		}
	}
	/* "relu" and "relu.default" have no namespace; "aten.relu" is a namespace and a base */
	bool bare = !colons && (n == 1 || (n == 2 && !strcmp(part[1], "default")));
	int b = bare ? 0 : 1;

	*ns = bare ? NULL : part[0];
	*base = part[b];
	*overload = b + 1 < n && strcmp(part[b + 1], "default") ? part[b + 1] : "";
	return 0;
}

/* --- strings ---------------------------------------------------------------------------------- */

static int hex(char c)
{
	return is_digit(c)            ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Consumes an escape sequence, at a backslash. Returns the byte that it stands for, or -1. */
static int unescape(struct ay_lex *l)
{
	static const char from[] = "\\'\"ntr", to[] = "\\'\"\n\t\r";
	char c = ay_lex_peek(l, 1);
	const char *known = c ? strchr(from, c) : NULL;
	int hi = hex(ay_lex_peek(l, 2)), lo = hex(ay_lex_peek(l, 3));

	if (known) {
		l->p += 2;
		return (unsigned char)to[known - from];
	}
	if (c != 'x' || hi < 0 || lo < 0)
		return ay_lex_fail(l, l->p, "unknown escape in a string (known: \\\\ \\' \\\" \\n \\t \\r \\xHH)");
	if (!(hi << 4 | lo))
		return ay_lex_fail(l, l->p, "a string cannot hold a NUL");
	l->p += 4;
	return hi << 4 | lo;
}

int ay_lex_str(struct ay_lex *l, const char **out)
{
	const char *start, *close;
	char quote, *s;
	size_t n = 0;

	if (!ay_lex_at(l, '\'') && !ay_lex_at(l, '"'))
		return ay_lex_expected(l, "a string");
	start = l->p++;
	quote = *start;
	for (close = l->p; close < l->end && *close != quote; close++)
		close += *close == '\\' && close + 1 < l->end;
	if (close >= l->end)
		return ay_lex_fail(l, start, "a string without its closing %c", quote);
	s = ay_alloc(l->a, (size_t)(close - l->p) + 1);
	while (l->p < close) {
		int c = *l->p == '\\' ? unescape(l) : (unsigned char)*l->p++;

		if (c < 0)
			return -1;
		if (!c || (c == '\n' && l->p[-1] == '\n'))
			return ay_lex_fail(l, l->p - 1, "a string cannot hold a %s", c ? "line break" : "NUL");
		s[n++] = (char)c;
	}
	l->p = close + 1;
	*out = s;
	return 0;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* The text of a real number, with its sign. */
struct real {
	const char *s;
	size_t n;
	bool integer, word; /* word: inf or nan */
};

static const char *digits(const char *p, const char *end)
{
	while (p < end && is_digit(*p))
		p++;
	return p;
}

/* Returns the end of the unsigned real number at p, or p itself if there is none. */
static const char *scan_unsigned(const char *p, const char *end, struct real *r)
{
	const char *q = digits(p, end), *frac, *e;

	r->integer = r->word = false;
	if (end - p >= 3 && (!memcmp(p, "inf", 3) || !memcmp(p, "nan", 3))) {
		r->word = true;
		return p + 3;
	}
	if (q == end || (*q != '.' && *q != 'e' && *q != 'E')) {
		r->integer = true;
		return q;
	}
	frac = *q == '.' ? digits(q + 1, end) : q;
	if (q == p && frac <= q + 1)
		return p;
	if (frac == end || (*frac != 'e' && *frac != 'E'))
		return frac;
	e = frac + 1;
	if (e < end && (*e == '+' || *e == '-'))
		e++;
	return digits(e, end) > e ? digits(e, end) : frac;
}

/* Scans [sign] unsigned at p. Returns false if there is none. */
static bool scan_real(const char *p, const char *end, struct real *r)
{
	const char *q = p + (p < end && (*p == '-' || *p == '+')), *stop = scan_unsigned(q, end, r);

	r->s = p;
	r->n = (size_t)(stop - p);
	return stop > q;
}

/* A number must not be followed directly by a name: 12ab, info. */
static bool clean_end(const char *p, const char *end)
{
	return p == end || !is_name(*p);
}

static bool is_imaginary(const struct real *r, const char *end)
{
	const char *j = r->s + r->n;

	return j < end && *j == 'j' && clean_end(j + 1, end);
}

static int real_double(struct ay_lex *l, const struct real *r, double *out)
{
	char t[NUMBER_MAX + 1];

	if (r->n > NUMBER_MAX)
		return ay_lex_fail(l, r->s, "a number of more than %d characters", NUMBER_MAX);
	memcpy(t, r->s, r->n);
	t[r->n] = 0;
	*out = strtod(t, NULL);
	if (isnan(*out))
		*out = NAN; /* one NaN: the sign of "-nan" would not be printed */
	if (isinf(*out) && !r->word)
		return ay_lex_fail(l, r->s, "a number that does not fit in a double");
	return 0;
}

static int real_int(struct ay_lex *l, const struct real *r, int64_t *out)
{
	bool neg = r->s[0] == '-';
	int64_t x = 0;

	/* computes negative numbers, since -INT64_MIN does not fit */
	for (size_t i = r->s[0] == '-' || r->s[0] == '+'; i < r->n; i++)
		if (__builtin_mul_overflow(x, 10, &x) || __builtin_sub_overflow(x, r->s[i] - '0', &x))
			return ay_lex_fail(l, r->s, "an integer that does not fit in 64 bits");
	if (!neg && __builtin_sub_overflow(0, x, &x))
		return ay_lex_fail(l, r->s, "an integer that does not fit in 64 bits");
	*out = x;
	return 0;
}

bool ay_lex_at_number(struct ay_lex *l)
{
	struct real r;

	ay_lex_skip(l);
	if (!scan_real(l->p, l->end, &r))
		return false;
	/* a name may begin with inf or nan */
	return !r.word || clean_end(r.s + r.n, l->end) || is_imaginary(&r, l->end);
}

/* Parses a complex number; re NULL: only an imaginary part. */
static int complex_value(struct ay_lex *l, const struct real *re, const struct real *im, struct ay_value *v)
{
	v->kind = AY_V_COMPLEX;
	v->c[0] = 0;
	if ((re && real_double(l, re, &v->c[0])) || real_double(l, im, &v->c[1]))
		return -1;
	l->p = im->s + im->n + 1;
	return 0;
}

int ay_lex_number(struct ay_lex *l, struct ay_value *v)
{
	struct real re, im;
	const char *stop;

	ay_lex_skip(l);
	*v = (struct ay_value){ .col = ay_lex_col(l, l->p) };
	if (!scan_real(l->p, l->end, &re))
		return ay_lex_expected(l, "a number");
	if (is_imaginary(&re, l->end))
		return complex_value(l, NULL, &re, v);
	stop = re.s + re.n;
	if (stop < l->end && (*stop == '+' || *stop == '-') && scan_real(stop, l->end, &im) &&
	    is_imaginary(&im, l->end))
		return complex_value(l, &re, &im, v);
	if (re.s[0] == '+')
		return ay_lex_expected(l, "a value");
	if (!clean_end(stop, l->end))
		return ay_lex_fail(l, stop, "a letter or digit behind a number");
	l->p = stop;
	v->kind = re.integer ? AY_V_INT : AY_V_FLOAT;
	return re.integer ? real_int(l, &re, &v->i) : real_double(l, &re, &v->f);
}

int ay_lex_u64(struct ay_lex *l, uint64_t *out)
{
	const char *start;
	int base = 10, d;
	uint64_t x = 0;

	ay_lex_skip(l);
	start = l->p;
	if (ay_lex_peek(l, 0) == '0' && ay_lex_peek(l, 1) == 'x' && hex(ay_lex_peek(l, 2)) >= 0) {
		base = 16;
		l->p += 2;
	}
	if (!is_digit(ay_lex_peek(l, 0)) && base == 10)
		return ay_lex_expected(l, "an unsigned integer");
	for (; (d = hex(ay_lex_peek(l, 0))) >= 0 && d < base; l->p++)
		if (__builtin_mul_overflow(x, (uint64_t)base, &x) || __builtin_add_overflow(x, (uint64_t)d, &x))
			return ay_lex_fail(l, start, "an integer that does not fit in 64 bits");
	if (!clean_end(l->p, l->end))
		return ay_lex_fail(l, l->p, "a letter or digit behind a number");
	*out = x;
	return 0;
}

/* --- nesting ---------------------------------------------------------------------------------- */

int ay_lex_enter(struct ay_lex *l)
{
	if (l->depth++ < AY_MAX_DEPTH)
		return 0;
	return ay_lex_fail(l, l->p - 1, "nested deeper than %d", AY_MAX_DEPTH);
}

void ay_lex_leave(struct ay_lex *l)
{
	l->depth--;
}

void ay_lex_push(struct ay_lex *l, const struct ay_value *v)
{
	if (l->nstack == l->capstack) {
		int cap = l->capstack ? l->capstack * 2 : 32;
		struct ay_value *s = AY_NEW_N(l->a, struct ay_value, cap);

		if (l->nstack)
			memcpy(s, l->stack, sizeof *s * (size_t)l->nstack);
		l->stack = s;
		l->capstack = cap;
	}
	l->stack[l->nstack++] = *v;
}

void ay_lex_pop(struct ay_lex *l, int mark, struct ay_value *v)
{
	int n = l->nstack - mark;

	v->kind = AY_V_LIST;
	v->list.n = n;
	v->list.v = NULL;
	if (n) {
		v->list.v = AY_NEW_N(l->a, struct ay_value, n);
		memcpy(v->list.v, l->stack + mark, sizeof *v * (size_t)n);
	}
	l->nstack = mark;
}
