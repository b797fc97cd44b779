/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/unfenced_code.h"

#include <ctype.h>
#include <string.h>

/* A line without its end and without trailing blanks. */
struct code_line {
	const char *at;
	size_t len, indent;
};

static bool begins(const struct code_line *l, const char *with)
{
	const size_t n = strlen(with);

	return l->len - l->indent >= n && !memcmp(l->at + l->indent, with, n);
}

static bool begins_with_one(const struct code_line *l, const char *const *list)
{
	for (; *list; list++)
		if (begins(l, *list))
			return true;
	return false;
}

static bool has_one(const struct code_line *l, const char *set)
{
	for (size_t i = l->indent; i < l->len; i++)
		if (l->at[i] && strchr(set, l->at[i]))
			return true;
	return false;
}

static bool ends_with_one(const struct code_line *l, const char *set)
{
	return l->len > l->indent && l->at[l->len - 1] && strchr(set, l->at[l->len - 1]);
}

/* --- C ---------------------------------------------------------------------------------------- */

static bool is_directive(const struct code_line *l)
{
	static const char *const words[] = { "#include", "#define", "#pragma",   "#if",      "#undef", "#endif",
					     "#else",    "#elif",   "# include", "# define", NULL };

	return begins_with_one(l, words);
}

/* Prose may begin with "using" or "static", but has none of these marks. */
static bool starts_c(const struct code_line *l)
{
	static const char *const comments[] = { "//", "/*", NULL };
	static const char *const words[] = { "static ",       "extern ",    "inline ",    "const ",   "int ",
					     "void ",         "float ",     "double ",    "typedef ", "struct ",
					     "union ",        "enum ",      "template",   "using ",   "namespace ",
					     "__global",      "__device__", "__constant", "__host__", "constexpr",
					     "__attribute__", NULL };

	return is_directive(l) || begins_with_one(l, comments) ||
	       (begins_with_one(l, words) && has_one(l, "(;{="));
}

static bool ends_c(const struct code_line *l)
{
	return is_directive(l) || begins(l, "//") || ends_with_one(l, "};") ||
	       (ends_with_one(l, "/") && l->len - l->indent >= 2 && l->at[l->len - 2] == '*');
}

/* --- Python ----------------------------------------------------------------------------------- */

/* Returns true if one word follows `at` and the rest does not look like a sentence. */
static bool is_module(const struct code_line *l, size_t at)
{
	while (at < l->len && (isalnum((unsigned char)l->at[at]) || l->at[at] == '_' || l->at[at] == '.'))
		at++;
	return at == l->len || l->at[at] == ',' || (l->len - at > 4 && !memcmp(l->at + at, " as ", 4)) ||
	       (l->len - at > 7 && !memcmp(l->at + at, " import", 7));
}

static bool starts_python(const struct code_line *l)
{
	if (l->indent)
		return false;
	if (begins(l, "import ") || begins(l, "from "))
		return is_module(l, begins(l, "from ") ? 5 : 7);
	return begins(l, "@") || (begins(l, "def ") && has_one(l, "(")) ||
	       (begins(l, "class ") && has_one(l, ":")) || begins(l, "\"\"\"") || begins(l, "'''");
}

static bool ends_python(const struct code_line *l)
{
	size_t n = 0;

	while (n < l->len && (isalnum((unsigned char)l->at[n]) || l->at[n] == '_'))
		n++;
	return l->indent || starts_python(l) || begins(l, ")") || begins(l, "]") || begins(l, "}") ||
	       (n && l->len - n > 3 && !memcmp(l->at + n, " = ", 3));
}

/* ---------------------------------------------------------------------------------------------- */

const char *ay_unfenced_code_find(const char *text, size_t n, bool python, size_t *len)
{
	const char *first = NULL, *last = NULL, *end = text + n;

	for (const char *p = text, *nl; p < end; p = nl + 1) {
		struct code_line l = { .at = p };

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		l.len = (size_t)(nl - p);
		while (l.len && isspace((unsigned char)p[l.len - 1]))
			l.len--;
		while (l.indent < l.len && isspace((unsigned char)p[l.indent]))
			l.indent++;
		if (l.indent == l.len)
			continue;
		if (!first && (python ? starts_python(&l) : starts_c(&l)))
			first = p;
		if (first && (python ? ends_python(&l) : ends_c(&l)))
			last = nl < end ? nl + 1 : end;
	}
	*len = first && last ? (size_t)(last - first) : 0;
	return first && last ? first : NULL;
}
