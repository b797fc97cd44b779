/* SPDX-License-Identifier: Apache-2.0
 *
 * Every kernel under kernels/ gets the verdict that its first line says it is due.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "judge/verdict.h"

#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* "due: MISMATCH" somewhere in the first line. */
static const char *due(struct ay_arena *a, const char *path)
{
	struct ay_err err = { 0 };
	char *text, *at;
	size_t len;

	if (ay_file_read(a, path, 1 << 20, &text, &len, &err))
		return NULL;
	text[strcspn(text, "\n")] = 0;
	at = strstr(text, "due: ");
	if (!at)
		return NULL;
	at += 5;
	at[strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] = 0;
	return at;
}

/* The summary is the last line of the program's JSON. */
static const char *verdict(struct ay_arena *a, const char *path, char **out)
{
	const char *cmd = ay_sprintf(a, "%s/assay check %s --json --timeout 2 --cache %s/cache", help_build_dir(),
				     path, help_build_dir());
	json_t *j;
	char *last;
	int status = help_run(a, cmd, 120, out);

	if (status != 0 && status != 1)
		return NULL;
	last = ay_strdup(a, *out);
	while (*last && last[strlen(last) - 1] == '\n')
		last[strlen(last) - 1] = 0;
	j = json_loads(strrchr(last, '\n') ? strrchr(last, '\n') + 1 : last, 0, NULL);
	return j ? json_string_value(json_object_get(j, "verdict")) : NULL;
}

static void judge_one(const char *path)
{
	struct ay_arena a = { 0 };
	const char *want = due(&a, path), *got;
	char *out = "";

	CHECKF(want && ay_verdict_find(want) != AY_VERDICT_NONE, "%s: its first line names no verdict (due: ...)",
	       path);
	if (!want)
		return;
	got = verdict(&a, path, &out);
	CHECKF(got && !strcmp(got, want), "%s is due %s, got %s\n%.1500s", path, want, got ? got : "nothing", out);
	ay_arena_release(&a);
}

/* Half of the files by a child, the other half here: two cores. */
static void judge_all(const char *pattern, size_t at_least)
{
	glob_t g;
	pid_t child;
	int status = 0;

	if (glob(pattern, 0, NULL, &g)) {
		test_fail(__FILE__, __LINE__, "no %s", pattern);
		return;
	}
	CHECKF(g.gl_pathc >= at_least, "%s: only %zu", pattern, g.gl_pathc);
	fflush(stdout);
	child = fork();
	for (size_t i = child ? 0 : 1; i < g.gl_pathc; i += 2)
		judge_one(g.gl_pathv[i]);
	if (!child) {
		fflush(stdout);
		_exit(test_failures() ? 1 : 0);
	}
	waitpid(child, &status, 0);
	CHECKF(!status, "see above");
	globfree(&g);
}

TEST(samples_good_kernels_pass)
{
	judge_all("kernels/c/*.c", 8);
}

TEST(samples_honest_summation_orders_pass)
{
	judge_all("kernels/c/orders/*.c", 8);
}

TEST(samples_wrong_kernels_get_what_they_are_due)
{
	judge_all("kernels/wrong/*", 30);
}
