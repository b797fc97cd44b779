/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "base/str.h"

#include <errno.h>
#include <math.h>
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

/* Returns true if one of the spellings "a|b|c" equals the n bytes at name. */
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

/* Returns the length of the first two words of "assay check FILE". */
static int command_length(const struct usage *u)
{
	return (int)strcspn(u->line + 6, " ") + 6;
}

static int unknown(const struct opt *opts, const char *arg, const struct usage *u, struct ay_err *err)
{
	const char *names[64], *best;
	const size_t dashes = arg[1] == '-' ? 2 : 1;
	char word[60], each[64][32];
	int n = 0;

	snprintf(word, sizeof word, "%.*s", (int)strcspn(arg + dashes, "="), arg + dashes);
	for (; opts->name && n < 63; opts++, n++) {
		snprintf(each[n], sizeof each[n], "%.*s", (int)strcspn(opts->name, "|"), opts->name);
		names[n] = each[n];
	}
	names[n] = NULL;
	/* a word of two letters is similar to every name */
	best = strlen(word) > 2 ? nearest(word, names) : NULL;
	if (best)
		return ay_fail(err, AY_ERR_USAGE, "there is no option %.*s%s; did you mean --%s?", (int)dashes,
			       "--", word, best);
	return ay_fail(err, AY_ERR_USAGE, "there is no option %.*s%s (see: %.*s --help)", (int)dashes, "--", word,
		       command_length(u), u->line);
}

/* Describes a range: "from 1 to 1024", "above 0, up to 10", "of at least 0". */
static void say_range(const struct opt *o, char *text, size_t n)
{
	if (o->lo == OPT_ABOVE_0)
		snprintf(text, n, "above 0, up to %.0f", o->hi);
	else if (o->hi < OPT_ANY)
		snprintf(text, n, "from %.0f to %.0f", o->lo, o->hi);
	else
		snprintf(text, n, "of at least %.0f", o->lo);
}

static int refuse_number(const struct opt *o, const char *text, struct ay_err *err)
{
	const int n = (int)strcspn(o->name, "|");
	char range[80];

	say_range(o, range, sizeof range);
	if (o->lo < o->hi)
		return ay_fail(err, AY_ERR_USAGE, "--%.*s is a %s %s, not '%s'", n, o->name,
			       o->kind == OPT_INT ? "whole number" : "number", range, text);
	return ay_fail(err, AY_ERR_USAGE, "--%.*s takes a number, not '%s'", n, o->name, text);
}

static int check_number(const struct opt *o, const char *text, double x, const char *end, struct ay_err *err)
{
	/* blanks, and the hexadecimal reals of strtod, are no numbers here */
	if (!*text || *end || strpbrk(text, " xX"))
		return ay_fail(err, AY_ERR_USAGE, "--%.*s takes a %snumber, not '%s'", (int)strcspn(o->name, "|"),
			       o->name, o->kind == OPT_INT ? "whole " : "", text);
	if (errno || !isfinite(x) || (o->lo < o->hi && (x < o->lo || x > o->hi)))
		return refuse_number(o, text, err);
	return 0;
}

static int set(const struct opt *o, const char *text, struct ay_err *err)
{
	char *end = NULL;

	errno = 0;
	switch (o->kind) {
	case OPT_FLAG: *(bool *)o->value = true; return 0;
	case OPT_TEXT:
		*(const char **)o->value = text;
		return *text || o->empty
			       ? 0
			       : ay_fail(err, AY_ERR_USAGE, "--%.*s is empty: give it %s, or leave it out",
					 (int)strcspn(o->name, "|"), o->name, o->arg);
	case OPT_INT:
		*(int64_t *)o->value = strtoll(text, &end, 10);
		return check_number(o, text, (double)*(int64_t *)o->value, end, err);
	case OPT_REAL:
		*(double *)o->value = strtod(text, &end);
		return check_number(o, text, *(double *)o->value, end, err);
	}
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
			return unknown(opts, arg, u, err);
		if (o->kind == OPT_FLAG && arg[n])
			return ay_fail(err, AY_ERR_USAGE, "%.*s takes no value", (int)n, arg);
		if (o->kind != OPT_FLAG && !arg[n] && ++i == argc)
			return ay_fail(err, AY_ERR_USAGE, "%s needs %s", arg, o->arg);
		if (set(o, o->kind == OPT_FLAG ? NULL : arg[n] ? arg + n + 1 : argv[i], err))
			return -1;
	}
	if (!u->command && left > u->most)
		return ay_fail(err, AY_ERR_USAGE, "%.*s: what is '%s'? (see: %.*s --help)", command_length(u) - 6,
			       u->line + 6, argv[u->most], command_length(u), u->line);
	return left;
}

int check_run_options(const char *out, const char *resume, bool unsafe, bool no_sandbox, struct ay_err *err)
{
	if (out && resume)
		return ay_fail(err, AY_ERR_USAGE,
			       "--out makes a new run and --resume-from goes on with one where it is: choose one");
	if (unsafe && no_sandbox)
		return ay_fail(err, AY_ERR_USAGE,
			       "--unsafe takes what sandbox there is and --no-sandbox none: choose one");
	return 0;
}
