/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/symbols.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 200 /* in bytes; longer words are ignored */ };

/* --- lists of words --------------------------------------------------------------------------- */

struct words {
	int n, cap;
	const char **word;
};

struct symbol_scan {
	struct ay_arena *a;
	const char *p, *end;
	struct words def, shared, import, use;
};

static void push(struct ay_arena *a, struct words *w, const char *s, size_t n)
{
	if (!n || n > WORD_MAX)
		return;
	if (w->n == w->cap) {
		const char **more = AY_NEW_N(a, const char *, w->cap = w->cap ? 2 * w->cap : 64);

		if (w->n)
			memcpy(more, w->word, sizeof *more * (size_t)w->n);
		w->word = more;
	}
	w->word[w->n++] = ay_strndup(a, s, n);
}

/* Adds a name that other blocks can refer to. */
static void define(struct symbol_scan *s, const char *w, size_t n)
{
	push(s->a, &s->def, w, n);
	push(s->a, &s->shared, w, n);
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int settle(struct words *w)
{
	int n = 0;

	if (w->n)
		qsort(w->word, (size_t)w->n, sizeof *w->word, by_name);
	for (int i = 0; i < w->n; i++)
		if (!n || strcmp(w->word[n - 1], w->word[i]) != 0)
			w->word[n++] = w->word[i];
	return n;
}

static void give(struct symbol_scan *s, struct ay_symbols *out)
{
	out->ndef = settle(&s->def);
	out->def = s->def.word;
	out->nshared = settle(&s->shared);
	out->shared = s->shared.word;
	out->nimport = settle(&s->import);
	out->import = s->import.word;
	out->nuse = settle(&s->use);
	out->use = s->use.word;
}

bool ay_symbols_has(const char *const *list, int n, const char *name)
{
	return n && bsearch(&name, list, (size_t)n, sizeof *list, by_name);
}

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

/* Returns the length of the word at s->p, or 0. */
static size_t word_at(const struct symbol_scan *s)
{
	size_t n = 0;

	if (s->p >= s->end || !is_letter(*s->p))
		return 0;
	while (s->p + n < s->end && (is_letter(s->p[n]) || isdigit((unsigned char)s->p[n])))
		n++;
	return n;
}

static bool is_word(const char *s, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == n && !memcmp(*list, s, n))
			return true;
	return false;
}

static bool starts(const struct symbol_scan *s, const char *with)
{
	const size_t n = strlen(with);

	return (size_t)(s->end - s->p) >= n && !memcmp(s->p, with, n);
}

static void skip_line(struct symbol_scan *s)
{
	const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));

	s->p = nl ? nl : s->end;
}

/* Skips a string, which ends at its quote or at the line end. */
static void skip_string(struct symbol_scan *s, char quote)
{
	for (s->p++; s->p < s->end && *s->p != quote && *s->p != '\n'; s->p++)
		if (*s->p == '\\' && s->p + 1 < s->end)
			s->p++;
	if (s->p < s->end && *s->p == quote)
		s->p++;
}

static void skip_to(struct symbol_scan *s, const char *mark)
{
	while (s->p < s->end && !starts(s, mark))
		s->p++;
	s->p += s->p < s->end ? strlen(mark) : 0;
}

/* --- C, C++ and CUDA -------------------------------------------------------------------------- */

/* State of the statement that is being read. */
struct c_scan {
	struct symbol_scan s;
	/* clear: braces of namespaces, whose content is still top level */
	int braces, parens, clear;
	int names;              /* depth of an enum's names; 0 = not in an enum */
	const char *called;     /* the last word before a parenthesis, at top level */
	const char *tag, *last; /* struct TAG; the last word */
	size_t called_len, tag_len, last_len;
	bool is_typedef, is_enum, is_clear,
		is_kept; /* kept: static or const, so not a variable of a code fragment */
	bool fresh;      /* an enum's name may follow */
};

static void end_statement(struct c_scan *c)
{
	c->called = c->tag = c->last = NULL;
	c->is_typedef = c->is_enum = c->is_clear = c->is_kept = false;
	c->parens = 0;
}

static bool is_top(const struct c_scan *c)
{
	return !c->braces && !c->parens;
}

static void c_word(struct c_scan *c, size_t n)
{
	static const char *const tagged[] = { "struct", "union", "enum", "class", NULL };
	static const char *const spaces[] = { "extern", "namespace", NULL };
	static const char *const kept[] = { "static", "const", "constexpr", "__constant__", "__device__", NULL };
	struct symbol_scan *s = &c->s;
	const char *w = s->p;

	if (c->names && c->braces == c->names && c->fresh)
		define(s, w, n);
	c->fresh = false;
	if (is_top(c)) {
		if (c->last && is_word(c->last, c->last_len, tagged))
			c->tag = w, c->tag_len = n;
		c->is_typedef |= n == 7 && !memcmp(w, "typedef", 7);
		c->is_enum |= n == 4 && !memcmp(w, "enum", 4);
		c->is_clear |= is_word(w, n, spaces);
		c->is_kept |= is_word(w, n, kept);
	}
	push(s->a, &s->use, w, n);
	c->last = w, c->last_len = n;
	s->p += n;
}

/* Handles an opening brace. At top level it belongs to a function, a tagged type or a namespace. */
static void c_open(struct c_scan *c)
{
	struct symbol_scan *s = &c->s;

	if (!is_top(c)) {
		c->braces++;
	} else if (c->called) {
		define(s, c->called, c->called_len);
		c->braces = 1;
	} else if (c->is_clear && !c->tag) {
		c->clear++;
		end_statement(c);
	} else {
		if (c->tag)
			define(s, c->tag, c->tag_len);
		c->braces = 1;
		c->names = c->is_enum ? 1 : 0;
		c->fresh = true;
	}
}

static void c_close(struct c_scan *c)
{
	if (c->braces)
		c->braces--;
	else if (c->clear)
		c->clear--;
	if (c->braces)
		return;
	c->names = 0;
	if (c->called) /* the end of a function needs no semicolon */
		end_statement(c);
}

static void c_mark(struct c_scan *c)
{
	/* words before a parenthesis that are no functions */
	static const char *const others[] = { "__attribute__", "__launch_bounds__",
					      "noexcept",      "alignas",
					      "_Alignas",      "__declspec",
					      "decltype",      "if",
					      "while",         "for",
					      "switch",        "return",
					      "sizeof",        "asm",
					      "__asm__",       NULL };
	struct symbol_scan *s = &c->s;
	const char m = *s->p++;

	switch (m) {
	case '{': c_open(c); return;
	case '}': c_close(c); return;
	case '(':
		if (is_top(c) && c->last && !is_word(c->last, c->last_len, others))
			c->called = c->last, c->called_len = c->last_len;
		c->parens += !c->braces;
		return;
	case ')': c->parens -= !c->braces && c->parens > 0; return;
	case ',': c->fresh = true; return;
	case '=':
	case '[':
		if (is_top(c) && c->last && c->is_kept)
			define(s, c->last, c->last_len);
		/* an initial value, even if it calls a function */
		if (is_top(c) && m == '=')
			c->called = c->tag = NULL;
		return;
	case ';':
		if (is_top(c) && c->is_typedef && c->last)
			define(s, c->last, c->last_len);
		if (!c->braces)
			end_statement(c);
		return;
	default: return;
	}
}

/* Handles a preprocessor line with its continuation lines. */
static void c_directive(struct c_scan *c)
{
	struct symbol_scan *s = &c->s;
	bool is_define = false;
	int words = 0;

	while (s->p < s->end && *s->p != '\n') {
		const size_t n = word_at(s);

		if (*s->p == '\\' && s->p + 1 < s->end) {
			s->p += 1 + (s->p[1] == '\r' && s->p + 2 < s->end && s->p[2] == '\n') + 1;
		} else if (!n) {
			s->p++;
		} else {
			if (!words)
				is_define = n == 6 && !memcmp(s->p, "define", 6);
			if (words == 1 && is_define)
				define(s, s->p, n);
			else if (words)
				push(s->a, &s->use, s->p, n);
			words++;
			s->p += n;
		}
	}
}

/* Skips 'x' and '\n'. An apostrophe in prose or in 1'000 is no quote. */
static void c_quote(struct symbol_scan *s)
{
	const size_t left = (size_t)(s->end - s->p);
	size_t n = left > 2 && s->p[1] == '\\' ? 3 : 2;

	while (n < left && n < 6 && s->p[n] != '\'' && s->p[n] != '\n')
		n++;
	s->p += n < left && s->p[n] == '\'' ? n + 1 : 1;
}

void ay_symbols_c(struct ay_arena *a, const char *text, size_t len, struct ay_symbols *out)
{
	struct c_scan c = { .s = { .a = a, .p = text, .end = text + len } };
	struct symbol_scan *s = &c.s;
	bool line = true; /* only blanks so far on this line */

	while (s->p < s->end) {
		const size_t n = word_at(s);

		if (*s->p == '\n') {
			/* an empty line: an unfinished statement was prose */
			if (line && !c.braces)
				end_statement(&c);
			line = true;
			s->p++;
			continue;
		}
		if (isspace((unsigned char)*s->p)) {
			s->p++;
			continue;
		}
		if (starts(s, "//"))
			skip_line(s);
		else if (starts(s, "/*"))
			skip_to(s, "*/");
		else if (*s->p == '"')
			skip_string(s, '"');
		else if (*s->p == '\'')
			c_quote(s);
		else if (*s->p == '#' && line)
			c_directive(&c);
		else if (n)
			c_word(&c, n);
		else
			c_mark(&c);
		line = false;
	}
	give(s, out);
}

/* --- Python ----------------------------------------------------------------------------------- */

struct py_scan {
	struct symbol_scan s;
	int brackets;
	bool soft; /* inside a top-level if, try, with...: its content is at top level too */
};

static bool is_quote(const struct symbol_scan *s)
{
	return *s->p == '"' || *s->p == '\'';
}

static void py_string(struct symbol_scan *s)
{
	const char q = *s->p, three[] = { q, q, q, 0 };

	if (starts(s, three)) {
		s->p += 3;
		skip_to(s, three);
	} else {
		skip_string(s, q);
	}
}

static void py_blanks(struct symbol_scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

/* Reads import a.b as c, d; or from x import (a as b, c), up to the end of the line or parenthesis.
 * Adds the names that it defines. */
static void py_import(struct py_scan *y, bool from)
{
	struct symbol_scan *s = &y->s;
	const char *name = NULL, *w;
	size_t n, len = 0;
	bool behind = !from, dotted = false, as = false;
	int open = 0;

	for (; s->p < s->end && (*s->p != '\n' || open) && *s->p != '#' && *s->p != ';'; s->p += n ? n : 1) {
		w = s->p;
		n = word_at(s);
		open += (*w == '(') - (*w == ')');
		if (n == 6 && !memcmp(w, "import", 6)) {
			behind = true;
			dotted = false;
		} else if (n == 2 && !memcmp(w, "as", 2)) {
			as = true;
		} else if (n && behind && (!dotted || as)) { /* a.b defines a */
			name = w, len = n;
		} else if (*w == ',' && name) {
			push(s->a, &s->import, name, len);
			name = NULL;
			dotted = as = false;
		}
		dotted |= *w == '.';
	}
	if (name && behind)
		push(s->a, &s->import, name, len);
}

/* Reads A, B = ...; or A: int = ...; and adds the names before the sign. Does not move the scan. */
static void py_assigned(struct py_scan *y)
{
	struct symbol_scan at = y->s;
	struct words names = { 0 };

	for (size_t n; at.p < at.end; at.p += n ? n : 1) {
		n = word_at(&at);
		if (n) {
			push(at.a, &names, at.p, n);
		} else if (*at.p == ':' && names.n == 1) {
			while (at.p + 1 < at.end && at.p[1] != '=' && at.p[1] != '\n')
				at.p++;
		} else if (*at.p != ',' && *at.p != ' ' && *at.p != '\t') {
			break;
		}
	}
	if (at.p >= at.end || *at.p != '=' || (at.p + 1 < at.end && at.p[1] == '='))
		return;
	for (int i = 0; i < names.n; i++) {
		const char *w = names.word[i];

		push(y->s.a, &y->s.def, w, strlen(w));
		if (!w[strcspn(w, "abcdefghijklmnopqrstuvwxyz")])
			push(y->s.a, &y->s.shared, w, strlen(w));
	}
}

/* Reads the beginning of a statement with `column` blanks before it. */
static void py_statement(struct py_scan *y, size_t column)
{
	static const char *const soft[] = { "if",      "elif", "else", "try",   "except",
					    "finally", "with", "for",  "while", NULL };
	static const char *const named[] = { "def", "class", NULL };
	struct symbol_scan *s = &y->s;
	size_t n = word_at(s);

	if (n == 5 && !memcmp(s->p, "async", 5)) {
		s->p += n;
		py_blanks(s);
		n = word_at(s);
	}
	if (n == 4 && !memcmp(s->p, "from", 4)) {
		py_import(y, true);
		return;
	}
	if (n == 6 && !memcmp(s->p, "import", 6)) {
		s->p += n;
		py_import(y, false);
		return;
	}
	if (!column)
		y->soft = is_word(s->p, n, soft);
	if (!n || (column && !y->soft))
		return;
	if (is_word(s->p, n, named)) {
		y->soft &= column > 0;
		s->p += n;
		py_blanks(s);
		n = word_at(s);
		define(s, s->p, n);
		s->p += n;
	} else if (!is_word(s->p, n, soft)) {
		py_assigned(y);
	}
}

void ay_symbols_python(struct ay_arena *a, const char *text, size_t len, struct ay_symbols *out)
{
	struct py_scan y = { .s = { .a = a, .p = text, .end = text + len } };
	struct symbol_scan *s = &y.s;

	for (bool line = true; s->p < s->end;) {
		size_t n;

		if (line && !y.brackets) {
			const char *from = s->p;

			py_blanks(s);
			py_statement(&y, (size_t)(s->p - from));
			line = false;
			continue;
		}
		n = word_at(s);
		line = *s->p == '\n';
		if (*s->p == '#') {
			skip_line(s);
		} else if (is_quote(s)) {
			py_string(s);
		} else if (n) {
			push(s->a, &s->use, s->p, n);
			s->p += n;
		} else {
			y.brackets += (*s->p == '(' || *s->p == '[' || *s->p == '{') -
				      (*s->p == ')' || *s->p == ']' || *s->p == '}');
			y.brackets = y.brackets < 0 ? 0 : y.brackets;
			s->p++;
		}
	}
	give(s, out);
}
