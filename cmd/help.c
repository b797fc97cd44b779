/* SPDX-License-Identifier: Apache-2.0
 *
 * help - the text of `assay COMMAND --help`. No line is wider than AY_WIDTH: sentences are wrapped.
 * So are the examples, but their commands can still be pasted.
 */
#include "cmd.h"
#include "base/wrap.h"

#include <stdio.h>
#include <string.h>

enum { INDENT = 2, HELP_AT = 25 /* column of an option's description */ };

static void add_option(struct ay_str *b, const struct opt *o)
{
	const size_t begin = b->len;

	ay_str_addf(b, "  --%.*s%s%s", (int)strcspn(o->name, "|"), o->name, o->arg ? " " : "",
		    o->arg ? o->arg : "");
	if (b->len - begin >= HELP_AT)
		ay_str_addf(b, "\n%*s", HELP_AT, "");
	else
		ay_str_addf(b, "%*s", (int)(HELP_AT - (b->len - begin)), "");
	ay_wrap(b, o->help, HELP_AT, HELP_AT, AY_WIDTH);
	ay_str_addc(b, '\n');
}

/* Appends a command of n bytes. If it is too long, it continues after a backslash, as in a
 * shell. */
static void add_command(struct ay_str *b, const char *s, size_t n)
{
	int col = INDENT;

	ay_str_addf(b, "%*s", INDENT, "");
	while (n) {
		const size_t room = (size_t)(AY_WIDTH - col);
		size_t cut = n;

		if (n > room) {
			for (cut = room - 2; cut && (s[cut] != ' ' || s[cut + 1] != '-');)
				cut--;
			cut = cut ? cut : n;
		}
		ay_str_addn(b, s, cut);
		n -= cut;
		s += cut;
		if (!n)
			break;
		ay_str_addf(b, " \\\n%*s", 3 * INDENT, "");
		col = 3 * INDENT;
		s++;
		n--;
	}
}

/* Appends one example: " command what it is for". If the line is too long, the comment goes above
 * the command. */
static void add_example(struct ay_str *b, const char *line, size_t n)
{
	const size_t margin = strspn(line, " ");
	const char *gap, *comment;
	size_t command;

	if (n <= AY_WIDTH) {
		ay_str_addf(b, "%.*s\n", (int)n, line);
		return;
	}
	line += margin;
	n -= margin;
	gap = memmem(line, n, "   ", 3);
	command = gap ? (size_t)(gap - line) : n;
	comment = gap ? gap + strspn(gap, " #") : line + n;
	n -= (size_t)(comment - line);
	if (n)
		ay_str_addf(b, "%*s# %.*s\n", INDENT, "", (int)n, comment);
	add_command(b, line, command);
	ay_str_addc(b, '\n');
}

static void add_examples(struct ay_str *b, const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, "\n");

		add_example(b, text, n);
		text += n + (text[n] == '\n');
	}
}

void help_print(const struct opt *opts, const struct usage *u)
{
	struct ay_str b = { 0 };

	ay_str_addf(&b, "%s\n\n", u->line);
	ay_wrap(&b, u->text, 0, 0, AY_WIDTH);
	ay_str_add(&b, opts->name ? "\n\noptions:\n" : "\n");
	for (; opts->name; opts++)
		add_option(&b, opts);
	if (u->examples) {
		ay_str_add(&b, "\nexamples:\n");
		add_examples(&b, u->examples);
	}
	fputs(ay_str_text(&b), stdout);
	ay_str_release(&b);
}
