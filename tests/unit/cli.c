/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands and what they print: tests/cli/NAME.test, and the ```console blocks of README.md and docs/.
 *
 *	$ assay show no_such_op
 *	assay: there is no operator 'no_such_op' (see: assay ops)
 *	exit 2
 *
 * `...` alone on a line stands for any lines, inside a line for any text. `exit N` is the status, 0 if it is not
 *there. Commands run in the top folder with the program under test first in PATH; $T is a scratch folder. What needs
 *an interpreter with torch, files whose first line is "# needs torch" and ```console torch blocks, is a test of its
 *own, which is skipped where there is none.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* Does `text` match a pattern in which "..." stands for anything? */
static bool matches(const char *pattern, const char *text)
{
	const char *dots = strstr(pattern, "...");
	size_t n;

	if (!dots)
		return !strcmp(pattern, text);
	n = (size_t)(dots - pattern);
	if (strncmp(pattern, text, n))
		return false;
	for (text += n;; text++) {
		if (matches(dots + 3, text))
			return true;
		if (!*text)
			return false;
	}
}

/* Line by line, "..." alone standing for any number of lines. */
static bool matches_lines(char **want, int nw, char **got, int ng)
{
	if (!nw)
		return !ng;
	if (!strcmp(want[0], "...")) {
		for (int skip = 0; skip <= ng; skip++)
			if (matches_lines(want + 1, nw - 1, got + skip, ng - skip))
				return true;
		return false;
	}
	return ng && matches(want[0], got[0]) && matches_lines(want + 1, nw - 1, got + 1, ng - 1);
}

static int split(struct ay_arena *a, char *text, char ***lines)
{
	int n = 0;

	*lines = AY_NEW_N(a, char *, strlen(text) + 2);
	while (*text) {
		size_t len = strcspn(text, "\n");
		bool last = !text[len];

		text[len] = 0;
		(*lines)[n++] = text;
		text += len + !last;
	}
	return n;
}

static void run_command(struct ay_arena *a, const char *file, int line, const char *cmd, char **want, int nwant)
{
	char *out, *shown, **got;
	int status = 0, real, n;
	const char *full;

	if (nwant && !strncmp(want[nwant - 1], "exit ", 5))
		status = (int)strtol(want[--nwant] + 5, NULL, 10);
	full = ay_sprintf(a, "export PATH=%s:$PATH T=%s XDG_CACHE_HOME=%s; %s", help_build_dir(), test_dir(),
			  help_cache(), cmd);
	real = help_run(a, full, 120, &out);
	shown = ay_strdup(a, out);
	n = split(a, out, &got);
	CHECKF(real == status, "%s:%d: %s\n      exit status %d, not %d:\n%s", file, line, cmd, real, status,
	       shown);
	CHECKF(matches_lines(want, nwant, got, n), "%s:%d: %s\n      printed:\n%s", file, line, cmd, shown);
}

/* Runs the commands of lines [0, n): a command starts with "$ ", what follows it is its output. */
static int run_lines(struct ay_arena *a, const char *file, int first, char **line, int n)
{
	int commands = 0;

	for (int i = 0; i < n;) {
		int end = i + 1, used;

		if (strncmp(line[i], "$ ", 2)) {
			i++;
			continue;
		}
		while (end < n && strncmp(line[end], "$ ", 2))
			end++;
		for (used = end; used > i + 1 && !line[used - 1][0];) /* blank lines between commands */
			used--;
		run_command(a, file, first + i, line[i] + 2, line + i + 1, used - i - 1);
		commands++;
		i = end;
	}
	return commands;
}

/* With sanitizers these take a minute, most of it in executors, which have none; what they do of ours other files do too. */
static bool is_long(const char *path)
{
	static const char *const files[] = { "hostile", "large", "machine", "timing" };

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (strstr(path, files[i]))
			return true;
	return false;
}

/* All commands of a file that need torch, or all that do not. */
static int run_file(const char *path, bool torch)
{
	const char *block = torch ? "```console torch" : "```console";
	bool markdown = strstr(path, ".md") != NULL;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	char *text, **line;
	size_t len;
	int n, commands = 0;

	if (ay_file_read(&a, path, 1 << 20, &text, &len, &err)) {
		test_fail(__FILE__, __LINE__, "%s", err.msg);
		return 0;
	}
	n = split(&a, text, &line);
	if (!markdown)
		return n && torch == !strcmp(line[0], "# needs torch") ? run_lines(&a, path, 1, line, n) : 0;
	for (int i = 0; i < n; i++) {
		int end = i + 1;

		if (strcmp(line[i], block))
			continue;
		while (end < n && strcmp(line[end], "```"))
			end++;
		commands += run_lines(&a, path, i + 2, line + i + 1, end - i - 1);
		i = end;
	}
	ay_arena_release(&a);
	return commands;
}

static void run_all(const char *pattern, bool torch, int at_least)
{
	glob_t g;
	int commands = 0;

	if (glob(pattern, 0, NULL, &g)) {
		test_fail(__FILE__, __LINE__, "no %s", pattern);
		return;
	}
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (!getenv("ASSAY_SANITIZED") || !is_long(g.gl_pathv[i]))
			commands += run_file(g.gl_pathv[i], torch);
	CHECKF(commands >= at_least, "%s: only %d commands", pattern, commands);
	globfree(&g);
}

TEST(cli_prints_what_its_tests_say)
{
	run_all("tests/cli/*.test", false, 30);
}

TEST_SLOW(cli_prints_what_its_tests_with_torch_say)
{
	help_python();
	run_all("tests/cli/*.test", true, 5);
}

static void skip_if_sanitized(void)
{
	if (getenv("ASSAY_SANITIZED"))
		test_skip("the plain build shows it");
}

TEST(docs_readme_shows_the_real_thing)
{
	skip_if_sanitized();
	run_all("README.md", false, 3);
}

TEST(docs_pages_show_the_real_thing)
{
	run_all("docs/*.md", false, 3);
}

TEST(docs_show_the_real_thing_with_torch)
{
	skip_if_sanitized();
	help_python();
	run_all("README.md", true, 2);
	run_all("docs/*.md", true, 2);
}

/* A page that a command makes. */
TEST(docs_catalogue_page_is_what_the_program_prints)
{
	struct ay_arena a = { 0 };
	char *out;

	CHECKF(!help_run(&a,
			 ay_sprintf(&a, "%s/assay ops --markdown | diff docs/catalogue.md -", help_build_dir()),
			 60, &out),
	       "run: assay ops --markdown > docs/catalogue.md\n%.800s", out);
	ay_arena_release(&a);
}

/* CONTRIBUTING's recipe for an operator, step by step, in a copy of the tree. */
TEST_SLOW(recipe_new_operator_touches_one_file)
{
	struct ay_arena a = { 0 };
	char *out;

	if (getenv("ASSAY_SANITIZED"))
		test_skip("the plain build follows the recipe");
	CHECKF(!help_run(&a, ay_sprintf(&a, "sh tests/recipe.sh %s %s", help_build_dir(), test_dir()), 280, &out),
	       "%s", out);
	ay_arena_release(&a);
}

TEST_SLOW(eval_survives_twenty_kills_and_a_full_disk)
{
	struct ay_arena a = { 0 };
	char *out;

	CHECKF(!help_run(&a, ay_sprintf(&a, "sh tests/resume.sh %s %s", help_build_dir(), test_dir()), 280, &out),
	       "%s", out);
	ay_arena_release(&a);
}
