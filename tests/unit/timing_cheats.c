/* SPDX-License-Identifier: Apache-2.0
 *
 * timing_cheats - tests of kernels that look faster than they are, *__timed_* of kernels/hostile.
 * Each ends as its first lines say when it is timed against its honest twin. docs/timing-cheats.md
 * lists them. Files in Python have the same lines behind a #, and aten as the twin.
 *
 *	due: PASS, timed: CHEAT|MISMATCH - what it does	(the first is due if it is not timed, over all cases)
 *	case: the line on which it is timed
 *	threads: 1 if not given
 *	twin: kernels/c/ and the operator's name if not given
 *
 * One of the words must come out: a verdict, or NOT_FASTER. Times on a busy machine scatter, and
 * their interval is sometimes wrong. So a failing test is tried twice more; a cheat that works does
 * so every time. The first test here checks that kernels are called FASTER at all.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "base/process.h"
#include "base/str.h"
#include "judge/verdict.h"
#include "timing/inputs.h"
#include "timing/stats.h"

#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS_S = 100, TRIES = 3, TRIES_CONTROL = 6, BUDGET_MOST = 16 };
static const double least_share = 0.7;

struct cheat {
	int budget; /* seconds */
	bool python;
	const char *path, *timed, *line, *twin, *threads;
};

/* --- what they say ---------------------------------------------------------------------------- */

/* Returns the end of the first comment. */
static const char *end_of_head(const char *text)
{
	if (*text != '#')
		return strstr(text, "*/");
	while (*text == '#')
		text += strcspn(text, "\n") + 1;
	return text;
}

/* What follows the mark, up to the end of its line; NULL if there is no such line in the first
 * comment. */
static const char *said(struct ay_arena *a, const char *text, const char *mark)
{
	const char *end = end_of_head(text), *at = strstr(text, mark);

	if (!at || !end || at > end)
		return NULL;
	at += strlen(mark);
	return ay_strndup(a, at, strcspn(at, "\n"));
}

static bool is_outcome(const char *word, size_t n)
{
	char name[32];

	snprintf(name, sizeof name, "%.*s", (int)(n < 31 ? n : 31), word);
	return !strcmp(name, "NOT_FASTER") || !strcmp(name, "UNTIMED") || ay_verdict_find(name) != AY_VERDICT_NONE;
}

/* Is `word` one of a|b|c? */
static bool is_one_of(const char *words, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (!strncmp(at, word, n) && (at[n] == '|' || !at[n]))
			return true;
	return false;
}

static bool read_cheat(struct ay_arena *a, const char *path, struct cheat *c)
{
	const char *name = ay_file_basename(path), *timed;
	struct ay_err err = { 0 };
	char *text;
	size_t len;

	*c = (struct cheat){ .path = path, .budget = 1 };
	if (ay_file_read(a, path, 1 << 20, &text, &len, &err) ||
	    !(ay_starts(text, "/* due: ") || ay_starts(text, "# due: ")))
		return false;
	c->python = *text == '#';
	timed = said(a, text, "timed: ");
	c->timed = timed ? ay_strndup(a, timed, strcspn(timed, " ")) : "";
	c->line = said(a, text, c->python ? "\n# case: " : " * case: ");
	c->threads = said(a, text, " * threads: ");
	c->twin = c->python ? "aten" : said(a, text, " * twin: ");
	if (!c->threads)
		c->threads = "1";
	if (!c->twin)
		c->twin = ay_sprintf(a, "kernels/c/%.*s.c", (int)(strstr(name, "__timed_") - name), name);
	for (const char *w = c->timed; w; w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL)
		if (!is_outcome(w, strcspn(w, "|")))
			return false;
	return c->line && (c->python || ay_file_exists(c->twin));
}

/* --- what becomes of them --------------------------------------------------------------------- */

/* Returns the verdict; for PASS FASTER, NOT_FASTER or UNTIMED. Stores the record in *out. */
static const char *outcome(struct ay_arena *a, const struct cheat *c, int budget, char **out)
{
	const char *cmd = ay_sprintf(
		a,
		"%s/assay check %s --json --timing auto --budget %d --baseline %s --threads %s "
		"--case \"%s\" --cache %s/assay",
		help_build_dir(), c->path, budget, c->twin, c->threads, c->line, help_cache());
	const int status = help_run(a, cmd, RUNS_S, out);
	const char *verdict, *pace;
	json_t *j;

	if (status != 0 && status != 1)
		return "nothing";
	j = json_loadb(*out, strcspn(*out, "\n"), 0, NULL); /* kept, because its strings are used */
	verdict = json_string_value(json_object_get(j, "verdict"));
	pace = json_string_value(json_object_get(json_object_get(j, "timing"), "pace"));
	if (!verdict || strcmp(verdict, "PASS"))
		return verdict ? verdict : "nothing";
	if (!pace || !strcmp(pace, ay_pace_name(AY_PACE_NONE)))
		return "UNTIMED";
	return strcmp(pace, ay_pace_name(AY_PACE_FASTER)) ? "NOT_FASTER" : "FASTER";
}

/* Returns the share of a CPU that a process gets that wants a whole one. */
static double cpu_share(void)
{
	const int64_t begin = ay_now_ns(), until = begin + 300000000;
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	while (ay_now_ns() < until)
		;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
	       (double)(ay_now_ns() - begin);
}

static void run_cheat(struct ay_arena *a, const struct cheat *c)
{
	int tries = c->budget > 1 ? TRIES_CONTROL : TRIES, budget = c->budget;
	const char *got = "";
	char *out = "";

	while (tries > 0 && !is_one_of(c->timed, got)) {
		got = outcome(a, c, budget, &out);
		/* where fresh memory is slow, or others have the CPUs, a second is too short for a
		 * ratio: that is no try */
		if (!strcmp(got, "UNTIMED") && budget < BUDGET_MOST)
			budget *= 4;
		else
			tries--;
	}
	/* with little CPU time FASTER cannot be proved; but an honest kernel must not be accused
	 * even then */
	if (!strcmp(c->timed, "FASTER") && is_one_of("NOT_FASTER|UNTIMED", got) && cpu_share() < least_share)
		test_skip("others have the CPUs: %s is not FASTER in %d runs", c->path, TRIES_CONTROL);
	CHECKF(is_one_of(c->timed, got), "%s is due %s, got %s\n%.1500s", c->path, c->timed, got, out);
}

static void list_cheats(test_add_value_fn add)
{
	glob_t g = { 0 };

	CHECK(!glob("kernels/hostile/*__timed_*", 0, NULL, &g));
	for (size_t i = 0; i < g.gl_pathc; i++)
		add(g.gl_pathv[i]);
	globfree(&g);
}

TEST(timing_cheats_say_what_they_are_due)
{
	struct ay_arena a = { 0 };
	glob_t g = { 0 };

	CHECK(!glob("kernels/hostile/*__timed_*", 0, NULL, &g));
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct cheat c;

		CHECKF(read_cheat(&a, g.gl_pathv[i], &c), "%s: see tests/unit/timing_cheats.c for its first lines",
		       g.gl_pathv[i]);
	}
	CHECKF(g.gl_pathc >= 50, "only %zu", g.gl_pathc);
	globfree(&g);
	ay_arena_release(&a);
}

/* Without this the rest proves nothing: an eighth of the work is FASTER, and more work is not. */
TEST_TIMED(timing_calls_less_work_faster)
{
	const struct cheat less = { .path = "kernels/c/aten_relu.c",
				    .timed = "FASTER",
				    .line = "aten::relu((T([256, 1024], f32),), {})",
				    .twin = "kernels/honest/aten_relu__eight_times.c",
				    .threads = "1",
				    .budget = 4 }; /* other tests run beside it */
	const struct cheat more = { .path = less.twin,
				    .timed = "NOT_FASTER",
				    .line = less.line,
				    .twin = less.path,
				    .threads = "1",
				    .budget = 1 };
	struct ay_arena a = { 0 };

	run_cheat(&a, &less);
	run_cheat(&a, &more);
	ay_arena_release(&a);
}

TEST_EACH_TIMED(timing_cheats_get_what_they_are_due, list_cheats)
{
	struct ay_arena a = { 0 };
	struct cheat c;

	if (read_cheat(&a, test_arg(), &c)) {
		if (c.python)
			help_python();
		run_cheat(&a, &c);
	}
	ay_arena_release(&a);
}

/* --- nothing is shown twice ------------------------------------------------------------------- */

enum { SETS = 8, ELEMENTS = 65536 };

/* Returns input 0 of some sets of a line. The caller frees it. */
static uint8_t *make_sets(struct ay_arena *a, const char *line, size_t bytes)
{
	const struct ay_key key = { { 1, 2 } };
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(help_registry(), a, line, &err);
	uint8_t *sets = ay_xrealloc(NULL, bytes * SETS);
	struct ay_input_template m;

	CHECKF(c, "%s", err.msg);
	if (!c)
		return sets;
	ay_input_template_init(&m, c);
	for (int i = 0; i < SETS; i++)
		ay_input_template_write(&m, 0, key, i, sets + bytes * (size_t)i);
	ay_input_template_release(&m);
	return sets;
}

/* A kept sum must be wrong for the next set, so the next set must not be a permutation of its
 * integers. */
TEST(timing_content_integers_do_not_add_up_to_the_same)
{
	struct ay_arena a = { 0 };
	int64_t *x = (int64_t *)make_sets(&a, "aten::sum((T([65536], i64, fill=int(0, 99)),), {})", 8 * ELEMENTS);
	int64_t sum[SETS] = { 0 };
	int same = 0, outside = 0;

	for (int i = 0; i < SETS; i++)
		for (int k = 0; k < ELEMENTS; k++) {
			sum[i] += x[i * ELEMENTS + k];
			outside += x[i * ELEMENTS + k] < 0 || x[i * ELEMENTS + k] > 99;
		}
	for (int i = 1; i < SETS; i++)
		same += sum[i] == sum[0];
	CHECKF(!outside, "%d outside of what the line allows", outside);
	CHECKF(same <= 1, "%d of %d have the sum of the first", same, SETS - 1);
	ay_xfree(x);
	ay_arena_release(&a);
}

/* The places of negative and of large numbers must not follow from the previous set. */
TEST(timing_content_floats_change_sign_and_size)
{
	struct ay_arena a = { 0 };
	float *x = (float *)make_sets(&a, "aten::relu((T([65536], f32),), {})", 4 * ELEMENTS);
	int sign = 0, large = 0, was_large = 0;

	for (int k = 0; k < ELEMENTS; k++) {
		sign += (x[k] < 0) == (x[ELEMENTS + k] < 0);
		was_large += x[k] >= 2;
		large += x[k] >= 2 && x[ELEMENTS + k] >= 2;
	}
	CHECKF(sign > ELEMENTS * 0.48 && sign < ELEMENTS * 0.52, "%d of %d have the same sign", sign, ELEMENTS);
	CHECKF(large < was_large * 0.1, "%d of %d are large again", large, was_large);
	ay_xfree(x);
	ay_arena_release(&a);
}
