/* SPDX-License-Identifier: Apache-2.0
 *
 * cli - tests of commands and their output: tests/cli/NAME.test, the ```sh blocks of README.md, and
 * the ```console blocks of docs/.
 *
 *	$ assay ops no_such_op
 *	assay: no operator's name contains 'no_such_op' (see: assay ops)
 *	exit 2
 *
 *	# a comment stands between a blank line and a command
 *	$ assay ops --help
 *	...
 *
 * `...` alone on a line matches any lines, within a line any text. `exit N` gives the exit status;
 * without it the status is 0. Commands run in the top folder, with the program under test first in
 * PATH; $T is a scratch folder. Files whose first line is "# needs torch", and ```console torch
 * blocks, need an interpreter with torch. Each is a test of its own, which is skipped if there is
 * no interpreter. In ```console figures blocks every number matches any other.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if `text` matches a pattern in which "..." stands for any text. */
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

/* Compares line by line; "..." alone stands for any number of lines. */
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

/* --- figures, which are others in every run --------------------------------------------------- */

static const char *after_number(const char *at)
{
	while (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
		at++;
	if (*at == 'e' &&
	    (isdigit((unsigned char)at[1]) || (strchr("+-", at[1]) && isdigit((unsigned char)at[2]))))
		for (at += 2; isdigit((unsigned char)*at); at++)
			;
	return at;
}

/* Returns the end of a word that stands for others of its kind; *kind is the kind. */
static const char *after_word(const char *at, const char **kind)
{
	static const char *const like[][2] = { { "FASTER", "PACE" },  { "SLOWER", "PACE" }, { "SAME", "PACE" },
					       { "UNCLEAR", "PACE" }, { "ns", "UNIT" },     { "us", "UNIT" },
					       { "ms", "UNIT" },      { "s", "UNIT" },      { "floor", "LIMIT" },
					       { "peak", "LIMIT" },   { "warm", "WHERE" },  { "cold", "WHERE" } };

	for (size_t i = 0; i < sizeof like / sizeof *like; i++) {
		const size_t n = strlen(like[i][0]);

		*kind = like[i][1];
		if (!strncmp(at, like[i][0], n) && !isalnum((unsigned char)at[n]))
			return at + n;
	}
	return at;
}

/* Returns the end of the remarks after a ratio: that it was audited, and why it is UNCLEAR. */
static const char *after_remark(const char *line, const char *at)
{
	static const char *const remarks[] = { ", audited", ", disturbed", ", overhead-bound" };
	const char *ratio = strstr(line, " over "), *end = strchr(at, ')');

	if (!ratio || at < ratio)
		return at;
	for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
		if (!strncmp(at, remarks[i], strlen(remarks[i])))
			return at + strlen(remarks[i]);
	return end && !strncmp(at, " (", 2) ? end + 1 : at;
}

/* A line with # for every number, and a kind for words that say how fast something is and by which
 * compiler it was built. */
static char *without_figures(struct ay_arena *a, const char *line)
{
	const char *built = strstr(line, ", built "), *kind, *end;
	struct ay_str b = { 0 };
	char *plain;

	for (const char *at = line; *at; at = end) {
		const char last = b.len ? b.s[b.len - 1] : '\n';

		end = after_remark(line, at);
		if (end > at)
			continue;
		end = at + 1;
		if (built && *at == '(' && at < built && strchr(at, ')')) {
			end = strchr(at, ')');
			ay_str_add(&b, "(BUILT");
		} else if (isdigit((unsigned char)*at) ||
			   (*at == '-' && isdigit((unsigned char)*end) && last == ' ')) {
			end = after_number(end);
			ay_str_add(&b, "#");
		} else if (!isalnum((unsigned char)last) && after_word(at, &kind) > at) {
			end = after_word(at, &kind);
			ay_str_add(&b, kind);
		} else if (*at != ' ' || last != ' ') {
			ay_str_addn(&b, at, 1);
		}
	}
	plain = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return plain;
}

static char **all_without_figures(struct ay_arena *a, char **line, int n)
{
	char **plain = AY_NEW_N(a, char *, n + 1);

	for (int i = 0; i < n; i++)
		plain[i] = without_figures(a, line[i]);
	return plain;
}

TEST(cli_figures_are_alike_and_nothing_else_is)
{
	static const struct {
		const char *a, *b;
		bool due;
	} try[] = {
		{ "184 us  3.3 %  6 % of floor    1.20x [1.17, 1.24] FASTER over f.c; warm",
		  "9.5 ms 13.1 %  16 % of peak  11.2x [10.0, 12.4] UNCLEAR over f.c; cold", true },
		{ "1.2x [1.1, 1.3] FASTER over f.c; warm",
		  "3.1x [0.5, 3.2] UNCLEAR over f.c, audited (the budget ended: see --budget); warm", true },
		{ "9 us (of one)", "9 us", false },
		{ "want -1.7e-05, got 2, bound 0.001", "want 3, got -2.25, bound 1e+10", true },
		{ "k.c  (clang-14, built in 0.2 s)", "k.c  (gcc 12.2, built before)", true },
		{ "102 PASS", "102 MISMATCH", false },
		{ "1.20x [1.17, 1.24] FASTER over f.c", "1.20x FASTER over f.c", false },
		{ "9 us FASTER over f.c", "9 us FASTER over g.c", false },
		{ "2 cases in 3 s", "2 cases", false },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof try / sizeof *try; i++)
		CHECKF(!strcmp(without_figures(&a, try[i].a), without_figures(&a, try[i].b)) == try[i].due,
		       "%s\n      %s", without_figures(&a, try[i].a), without_figures(&a, try[i].b));
	ay_arena_release(&a);
}

/* --- commands and what they print ------------------------------------------------------------- */

struct told {
	const char *file;
	bool figures; /* differ from those shown */
};

/* A command of a machine that is busy with six others takes minutes. */
enum { COMMAND_S = 270 };

/* Where torch is not to be used, commands need not start an interpreter to search for it. */
static const char *without_torch(void)
{
	const char *why = getenv("ASSAY_NO_TORCH");

	return !getenv("ASSAY_PYTHON") && why && why[0] ? " ASSAY_PYTHON=none" : "";
}

static void run_command(struct ay_arena *a, const struct told *t, int line, const char *cmd, char **want,
			int nwant)
{
	char *out, *shown, **got;
	int status = 0, real, n;
	const char *full;

	if (nwant && !strncmp(want[nwant - 1], "exit ", 5))
		status = (int)strtol(want[--nwant] + 5, NULL, 10);
	full = ay_sprintf(a, "export PATH=%s:$PATH T=%s XDG_CACHE_HOME=%s%s; %s", help_build_dir(), test_dir(),
			  help_cache(), without_torch(), cmd);
	real = help_run(a, full, COMMAND_S, &out);
	shown = ay_strdup(a, out);
	n = split(a, out, &got);
	if (t->figures) {
		want = all_without_figures(a, want, nwant);
		got = all_without_figures(a, got, n);
	}
	CHECKF(real == status, "%s:%d: %s\n      exit status %d, not %d:\n%s", t->file, line, cmd, real, status,
	       shown);
	CHECKF(matches_lines(want, nwant, got, n), "%s:%d: %s\n      printed:\n%s", t->file, line, cmd, shown);
}

/* Returns the end of a command's output, in lines [begin, end). Blank lines before the next command
 * do not belong to it. Nor does a comment ("# ...") between a blank line and that command. */
static int end_of_output(char **line, int begin, int end)
{
	int used = end;

	for (int i = end; i > begin && (!line[i - 1][0] || !strncmp(line[i - 1], "# ", 2)); i--)
		if (!line[i - 1][0])
			used = i - 1;
	return used;
}

/* Runs the commands of lines [0, n). A command starts with "$ "; its output follows. */
static int run_lines(struct ay_arena *a, const struct told *t, int first, char **line, int n)
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
		used = end_of_output(line, i + 1, end);
		run_command(a, t, first + i, line[i] + 2, line + i + 1, used - i - 1);
		commands++;
		i = end;
	}
	return commands;
}

/* With sanitizers these take a minute, most of it in executors, which are not instrumented. Other
 * files test the judge's code in them too. */
static bool is_long(const char *path)
{
	static const char *const files[] = { "hostile", "large", "machine", "timing" };

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (strstr(path, files[i]))
			return true;
	return false;
}

/* The pages write below /tmp/try, so that their commands can be pasted. The tests write below a
 * folder of their own: returns the text with that folder. */
static char *with_scratch_folder(struct ay_arena *a, const char *text)
{
	static const char shown[] = "/tmp/try";
	struct ay_str b = { 0 };
	char *made;

	for (const char *next; (next = strstr(text, shown)); text = next + sizeof shown - 1) {
		ay_str_addn(&b, text, (size_t)(next - text));
		ay_str_add(&b, test_dir());
	}
	ay_str_add(&b, text);
	made = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return made;
}

/* Runs all commands of a file that need torch, or all that do not. */
static int run_file(const char *path, bool torch)
{
	const char *block = torch ? "```console torch" : "```console", *figures = "```console figures";
	struct told t = { .file = path };
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
	if (markdown)
		text = with_scratch_folder(&a, text);
	n = split(&a, text, &line);
	if (!markdown)
		return n && torch == !strcmp(line[0], "# needs torch") ? run_lines(&a, &t, 1, line, n) : 0;
	for (int i = 0; i < n; i++) {
		int end = i + 1;

		t.figures = !torch && !strcmp(line[i], figures);
		if (strcmp(line[i], block) && !t.figures)
			continue;
		while (end < n && strcmp(line[end], "```"))
			end++;
		commands += run_lines(&a, &t, i + 2, line + i + 1, end - i - 1);
		i = end;
	}
	ay_arena_release(&a);
	return commands;
}

static bool needs_torch(struct ay_arena *a, const char *path)
{
	struct ay_err err = { 0 };
	char *text;
	size_t len;

	return !ay_file_read(a, path, 1 << 20, &text, &len, &err) && !strncmp(text, "# needs torch\n", 14);
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
		commands += run_file(g.gl_pathv[i], torch);
	CHECKF(commands >= at_least, "%s: only %d commands", pattern, commands);
	globfree(&g);
}

/* Lists one test for each file. A tests/cli/NAME.test whose first line is "# needs torch" is
 * skipped without an interpreter. */
static void list_commands(test_add_value_fn add)
{
	help_list_files("tests/cli/*.test", add);
}

TEST_EACH(cli, list_commands)
{
	struct ay_arena a = { 0 };
	const char *path = test_arg();
	const bool torch = needs_torch(&a, path);

	if (getenv("ASSAY_SANITIZED") && is_long(path))
		test_skip("the plain build shows it");
	if (torch && !getenv("ASSAY_SLOW"))
		test_skip("left to make check");
	if (torch)
		help_python();
	CHECKF(run_file(path, torch) > 0, "%s has no commands", path);
	ay_arena_release(&a);
}

static void skip_if_sanitized(void)
{
	if (getenv("ASSAY_SANITIZED"))
		test_skip("the plain build shows it");
}

/* The ```sh blocks of README.md as one script, in a shell with nothing set but a home and the system's folders: what a
 * reader pastes. A ```text block right behind one is what it prints, but for numbers. ```sh setup blocks, which build, are
 * what led here. */
struct pasted {
	struct ay_str script;
	char **want[16];
	int nwant[16], n;
};

static int end_of_block(char **line, int i, int n)
{
	while (i < n && strcmp(line[i], "```"))
		i++;
	return i;
}

static void add_block(struct pasted *p, char **line, int i, int n)
{
	int end = end_of_block(line, i + 1, n), next = end + 1;

	for (int k = i + 1; k < end; k++)
		ay_str_addf(&p->script, "%s\n", line[k]);
	ay_str_addf(&p->script, "printf '\\036\\n'\n");
	while (next < n && !line[next][0])
		next++;
	p->nwant[p->n] = -1;
	if (next < n && !strcmp(line[next], "```text")) {
		p->want[p->n] = line + next + 1;
		p->nwant[p->n] = end_of_block(line, next + 1, n) - next - 1;
	}
	p->n++;
}

static void check_pasted(struct ay_arena *a, const struct pasted *p, char *out)
{
	for (int i = 0; i < p->n; i++) {
		char *end = strstr(out, "\036\n"), **got;
		int n;

		if (!end) {
			test_fail(__FILE__, __LINE__, "README.md: block %d of %d did not end:\n%s", i + 1, p->n,
				  out);
			return;
		}
		*end = 0;
		n = split(a, ay_strdup(a, out), &got);
		CHECKF(p->nwant[i] < 0 || matches_lines(all_without_figures(a, p->want[i], p->nwant[i]),
							p->nwant[i], all_without_figures(a, got, n), n),
		       "README.md: block %d prints:\n%s", i + 1, out);
		out = end + 2;
	}
}

TEST(docs_readme_runs_as_pasted)
{
	struct pasted p = { 0 };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	char *text, **line, *out;
	size_t len;
	int n, status;

	skip_if_sanitized();
	CHECKF(!ay_file_read(&a, "README.md", 1 << 20, &text, &len, &err), "%s", err.msg);
	n = split(&a, text, &line);
	for (int i = 0; i < n; i++)
		if (!strcmp(line[i], "```sh") && p.n < 16)
			add_block(&p, line, i, n);
	CHECKF(p.n >= 3, "README.md: only %d blocks", p.n);
	help_spill(help_path("readme.sh"), ay_str_text(&p.script), p.script.len);
	status = help_run(&a,
			  ay_sprintf(&a, "env -i HOME=%s PATH=/usr/local/bin:/usr/bin:/bin sh -e %s", test_dir(),
				     help_path("readme.sh")),
			  120, &out);
	CHECKF(!status, "README.md: status %d:\n%s", status, out);
	check_pasted(&a, &p, out);
	ay_str_release(&p.script);
	ay_arena_release(&a);
}

TEST(docs_pages_show_the_real_thing)
{
	unsetenv("ASSAY_DRAWN");
	run_all("docs/*.md", false, 3);
}

TEST(docs_show_the_real_thing_with_torch)
{
	skip_if_sanitized();
	help_python();
	run_all("docs/*.md", true, 2);
}

/* Checks a page that a command makes. */
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

/* Follows CONTRIBUTING's recipe for an operator, step by step, in a copy of the tree. */
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
