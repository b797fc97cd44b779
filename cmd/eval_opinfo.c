/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_opinfo - the suite opinfo, made by the user's own torch when it is first needed.
 */
#include "eval.h"
#include "op/suite_filter.h"
#include "base/file.h"
#include "exec/opinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEFT_MAX = 16 << 20 };

static void show_making(void *user, int done, int total)
{
	const struct eval *e = user;

	if (e->tty)
		fprintf(stderr, "\r  making the suite opinfo, once for this torch: %d of %d entries \033[K%s",
			done, total, done == total ? "\r\033[K" : "");
}

/* Returns the next field of a line; fields are separated by tabs. */
static char *field(char **p)
{
	char *s = *p, *tab = strchr(s, '\t');

	if (tab)
		*tab = 0;
	*p = tab ? tab + 1 : s + strlen(s);
	return s;
}

static void add_left(struct eval *e, const char *overload, const char *reason)
{
	struct ay_arena *a = e->app->arena;
	const char *base = strstr(overload, "::") + 2, *dot = strchr(base, '.');
	const struct ay_schema s = { .ns = ay_strndup(a, overload, (size_t)(base - 2 - overload)),
				     .base = ay_strndup(a, base, dot ? (size_t)(dot - base) : strlen(base)),
				     .overload = dot ? dot + 1 : "" };

	if (e->o.ops && !ay_schema_wanted(&s, e->o.ops))
		return;
	/* a further reason for the same overload */
	if (e->nleft && !strcmp(e->left[e->nleft - 1].overload, overload))
		return;
	e->left[e->nleft++] = (struct eval_left){ ay_sprintf(a, "%s::%s", s.ns, s.base), overload, reason };
}

/* Reads lines with tabs: overload, number of its cases, number of calls left out, reason. */
static int read_left(struct eval *e, const char *path, struct ay_err *err)
{
	char *text, *line, *next;
	size_t len, lines = 1;

	if (ay_file_read(e->app->arena, path, LEFT_MAX, &text, &len, err))
		return -1;
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	e->left = AY_NEW_N(e->app->arena, struct eval_left, lines);
	for (line = text; *line; line = next) {
		char *p = line, *name, *cases;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		name = field(&p);
		cases = field(&p);
		field(&p);
		if (*name != '#' && strstr(name, "::") && !strcmp(cases, "0"))
			add_left(e, name, p);
	}
	return 0;
}

int eval_opinfo(struct eval *e, const char **path, struct ay_err *err)
{
	const struct ay_opinfo o = { .python = e->o.torch.python,
				     .cache = e->o.cache,
				     .dtypes = e->dtypes,
				     .progress = show_making,
				     .user = e };
	struct ay_opinfo_files files;

	if (ay_opinfo(e->app->arena, &o, &files, err) || read_left(e, files.left, err))
		return -1;
	if (e->nleft)
		fprintf(stderr,
			"assay: %d overloads of opinfo have no case and count as not passed; %s says why\n",
			e->nleft, ay_shown(e->app->arena, files.left));
	*path = files.lines;
	return 0;
}
