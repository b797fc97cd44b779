/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *nearest(const char *word, const char *const *list)
{
	const char *best = NULL;
	int least = 3;

	for (; *list; list++) {
		int d = ay_str_distance(word, *list);

		if (d < least) {
			least = d;
			best = *list;
		}
	}
	return best;
}

/* Does one of the spellings "a|b|c" equal the n bytes at name? */
static bool spells(const char *names, const char *name, size_t n)
{
	while (*names) {
		size_t len = strcspn(names, "|");

		if (len == n && !strncmp(names, name, n))
			return true;
		names += len + (names[len] == '|');
	}
	return false;
}

static const struct opt *find(const struct opt *opts, const char *name, size_t n)
{
	for (; opts->name; opts++)
		if (spells(opts->name, name, n))
			return opts;
	return NULL;
}

static int unknown(const struct opt *opts, const char *arg, const struct usage *u, struct ay_err *err)
{
	const char *names[64], *best;
	char word[60], each[64][32];
	int n = 0;

	snprintf(word, sizeof word, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
	for (; opts->name && n < 63; opts++, n++) {
		snprintf(each[n], sizeof each[n], "%.*s", (int)strcspn(opts->name, "|"), opts->name);
		names[n] = each[n];
	}
	names[n] = NULL;
	best = nearest(word, names);
	if (best)
		return ay_fail(err, AY_ERR_USAGE, "there is no option --%s; did you mean --%s?", word, best);
	return ay_fail(err, AY_ERR_USAGE, "there is no option --%s (see: %.*s --help)", word,
		       (int)strcspn(u->line + 6, " ") + 6, u->line);
}

static int set(const struct opt *o, const char *text, struct ay_err *err)
{
	char *end = NULL;

	errno = 0;
	switch (o->kind) {
	case OPT_FLAG: *(bool *)o->value = true; return 0;
	case OPT_TEXT: *(const char **)o->value = text; return 0;
	case OPT_INT: *(int64_t *)o->value = strtoll(text, &end, 0); break;
	case OPT_REAL: *(double *)o->value = strtod(text, &end); break;
	}
	if (errno || !*text || *end)
		return ay_fail(err, AY_ERR_USAGE, "--%.*s takes a number, not '%s'", (int)strcspn(o->name, "|"),
			       o->name, text);
	return 0;
}

int opt_parse(int argc, const char **argv, const struct opt *opts, const struct usage *u, struct ay_err *err)
{
	int left = 0;
	bool only_operands = false;

	for (int i = 0; i < argc; i++) {
		const char *arg = argv[i];
		size_t n = strcspn(arg, "=");
		const struct opt *o;

		if (only_operands || arg[0] != '-' || !arg[1]) {
			argv[left++] = arg;
			only_operands |= u->command;
			continue;
		}
		if (!strcmp(arg, "--")) {
			only_operands = true;
			continue;
		}
		if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
			help_print(opts, u);
			return -2;
		}
		o = n > 2 && arg[1] == '-' ? find(opts, arg + 2, n - 2) : n == 2 ? find(opts, arg + 1, 1) : NULL;
		if (!o)
			return unknown(opts, arg[1] == '-' ? arg : "--?", u, err);
		if (o->kind == OPT_FLAG && arg[n])
			return ay_fail(err, AY_ERR_USAGE, "%.*s takes no value", (int)n, arg);
		if (o->kind != OPT_FLAG && !arg[n] && ++i == argc)
			return ay_fail(err, AY_ERR_USAGE, "%s needs %s", arg, o->arg);
		if (set(o, o->kind == OPT_FLAG ? NULL : arg[n] ? arg + n + 1 : argv[i], err))
			return -1;
	}
	return left;
}
