/* SPDX-License-Identifier: Apache-2.0
 *
 * samples_cuda - tests of CUDA C++ samples: kernels/cuda must pass, kernels/hostile/gpu must be
 * caught. Their first lines:
 *
 *	due: UNWRITTEN|CHEAT - what it does	(one of these verdicts must come out)
 *	due: PASS, timed: CHEAT|NOT_FASTER - what it does
 *						(the second if it is timed, on `case:`, against `twin:`)
 *
 * With a compiler they are compiled with the prototypes of their operators. With a GPU they are
 * judged. What is not possible on a machine is skipped, with the reason.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "base/str.h"
#include "judge/task.h"
#include "judge/verdict.h"
#include "op/proto.h"

#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUILDS_S = 280, JUDGED_S = 300, GOOD = 12, HOSTILE = 24 };

static void list_files(glob_t *g)
{
	CHECK(!glob("kernels/cuda/*.cu", 0, NULL, g) && g->gl_pathc >= GOOD);
	CHECK(!glob("kernels/hostile/gpu/*.cu", GLOB_APPEND, NULL, g) && g->gl_pathc >= GOOD + HOSTILE);
}

static char *text_of(struct ay_arena *a, const char *path)
{
	struct ay_err err = { 0 };
	char *text = "";
	size_t len;

	CHECKF(!ay_file_read(a, path, 1 << 20, &text, &len, &err), "%s", err.msg);
	return text;
}

/* --- what they say ---------------------------------------------------------------------------- */

/* Returns the text after the mark in the first comment, up to its line end, or NULL. */
static char *said(struct ay_arena *a, const char *text, const char *mark)
{
	const char *end = strstr(text, "*/"), *at = strstr(text, mark);

	return at && end && at < end ? ay_strndup(a, at + strlen(mark), strcspn(at + strlen(mark), "\n")) : NULL;
}

/* Returns the words A|B|C after the mark, or "". */
static const char *words(struct ay_arena *a, const char *text, const char *mark)
{
	char *at = said(a, text, mark);

	if (at)
		at[strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_|")] = 0;
	return at ? at : "";
}

static bool is_one_of(const char *list, const char *word, size_t n)
{
	for (const char *at = list; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (!strncmp(at, word, n) && (at[n] == '|' || !at[n]))
			return true;
	return false;
}

/* Returns true if these are names of verdicts, at least one. */
static bool are_verdicts(struct ay_arena *a, const char *list, const char *besides)
{
	bool ok = list[0] != 0;

	for (const char *at = list; at && ok; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
		const size_t n = strcspn(at, "|");

		ok = is_one_of(besides, at, n) || ay_verdict_find(ay_strndup(a, at, n)) != AY_VERDICT_NONE;
	}
	return ok;
}

/* Returns true if the first lines are complete. */
static bool is_labelled(struct ay_arena *a, const char *text)
{
	const char *twin = said(a, text, " * twin: ");

	if (!ay_starts(text, "/* due: ") || !are_verdicts(a, words(a, text, "due: "), ""))
		return false;
	if (!strstr(text, ", timed: "))
		return true;
	return are_verdicts(a, words(a, text, "timed: "), "NOT_FASTER") && said(a, text, " * case: ") && twin &&
	       ay_file_exists(twin);
}

TEST(samples_cuda_kernels_say_what_they_are_due)
{
	struct ay_arena a = { 0 };
	glob_t g = { 0 };

	list_files(&g);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *text = text_of(&a, g.gl_pathv[i]);

		CHECKF(is_labelled(&a, text), "%s: see tests/unit/samples_cuda.c for its first lines",
		       g.gl_pathv[i]);
		CHECKF(strstr(g.gl_pathv[i], "hostile") || !strcmp(words(&a, text, "due: "), "PASS"),
		       "%s is due something else than PASS", g.gl_pathv[i]);
	}
	CHECK(!is_labelled(&a, "/* due: PERFECT - no such verdict */"));
	CHECK(!is_labelled(&a,
			   "/* due: PASS, timed: FASTER - no such outcome\n * case: x\n * twin: Makefile\n */"));
	CHECK(!is_labelled(&a, "/* due: PASS, timed: CHEAT - no twin\n * case: x\n * twin: none_such\n */"));
	CHECK(is_labelled(&a, "/* due: UNWRITTEN|CHEAT - two\n */"));
	globfree(&g);
	ay_arena_release(&a);
}

/* --- that they compile ------------------------------------------------------------------------ */

static const char *find_nvcc(struct ay_arena *a)
{
	char *out;

	if (getenv("ASSAY_SANITIZED"))
		test_skip("nothing of ours is at work here but a shell");
	if (help_run(a, "command -v nvcc || ls /usr/local/cuda/bin/nvcc", 10, &out))
		test_skip("no nvcc here");
	out[strcspn(out, "\n")] = 0;
	return out;
}

/* Returns the prototypes of the file's operator, which the forge includes before the file; "" for
 * an operator outside the catalogue. */
static const char *glue_of(struct ay_arena *a, const char *path, const char *text)
{
	struct ay_err err = { 0 };
	const struct ay_entry_op *op = ay_task_find_op(help_registry(), a, path, text, &err);
	const struct ay_proto **proto = AY_NEW_N(a, const struct ay_proto *, op ? op->nschema : 1);
	struct ay_str glue = { 0 };
	const char *kept;
	int n = 0;

	for (int i = 0; op && i < op->nschema; i++) {
		struct ay_proto *p;

		if (!ay_proto_make(a, op->schema[i], &p, &err))
			proto[n++] = p;
	}
	ay_proto_glue(&glue, n, proto);
	kept = ay_strdup(a, ay_str_text(&glue));
	ay_str_release(&glue);
	return kept;
}

/* Adds a line "compile FILE" to a list that two processes work through. */
static void add_build(struct ay_arena *a, FILE *list, const char *nvcc, const char *path, const char *text)
{
	const char *name = ay_file_basename(path), *glue = ay_sprintf(a, "%s/%s.h", test_dir(), name);
	const char *g = glue_of(a, path, text);
	struct ay_err err = { 0 };

	CHECKF(!ay_file_write(glue, g, strlen(g), &err), "%s", err.msg);
	/* only to PTX and without optimization: takes half the time and finds as much */
	fprintf(list, "%s -std=c++17 -arch=sm_90 -O0 -ptx -Iinclude -include %s -o %s/%s.ptx %s\n", nvcc, glue,
		test_dir(), name, path);
}

/* Compiles all files of a pattern in two processes; returns what the compiler prints. */
static int build_all(struct ay_arena *a, const char *nvcc, const char *pattern, char **out)
{
	const char *list = ay_sprintf(a, "%s/list", test_dir());
	FILE *f = fopen(list, "w");
	glob_t g = { 0 };

	if (!f)
		test_skip("no folder");
	CHECK(!glob(pattern, 0, NULL, &g));
	for (size_t i = 0; i < g.gl_pathc; i++)
		add_build(a, f, nvcc, g.gl_pathv[i], text_of(a, g.gl_pathv[i]));
	CHECK(!fclose(f));
	globfree(&g);
	return help_run(a, ay_sprintf(a, "xargs -P 2 -d '\\n' -n 1 sh -c < %s 2>&1", list), BUILDS_S, out);
}

static void compile(const char *pattern)
{
	struct ay_arena a = { 0 };
	char *out;

	CHECKF(!build_all(&a, find_nvcc(&a), pattern, &out), "%.3000s", out);
	ay_arena_release(&a);
}

TEST_SLOW(samples_cuda_good_kernels_compile)
{
	/* all of them take half a minute, so only some are compiled unless ASSAY_WHOLE is set */
	compile(getenv("ASSAY_WHOLE") ? "kernels/cuda/*.cu" : "kernels/cuda/aten_[c-e]*.cu");
}

TEST_SLOW(samples_cuda_hostile_kernels_compile)
{
	if (!getenv("ASSAY_WHOLE"))
		test_skip("some good ones are compiled above; these where they are judged, or with ASSAY_WHOLE=1");
	compile("kernels/hostile/gpu/*.cu");
}

/* Without this test the two before would prove nothing. */
TEST_SLOW(samples_cuda_wrong_signature_does_not_compile)
{
	static const char wrong[] = "extern \"C\" int aten_relu(const ay_tensor *self, int out) { return 0; }\n";
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	const char *nvcc = find_nvcc(&a), *path = ay_sprintf(&a, "%s/aten_relu__planted.cu", test_dir());
	char *out;

	CHECK(!ay_file_write(path, wrong, strlen(wrong), &err));
	CHECKF(build_all(&a, nvcc, path, &out) && strstr(out, "aten_relu"), "%.500s", out);
	ay_arena_release(&a);
}

/* --- that they get it ------------------------------------------------------------------------- */

static const char *verdict_of(struct ay_arena *a, const char *record)
{
	json_t *j = json_loads(record, 0, NULL);
	const char *v = json_string_value(json_object_get(j, "verdict"));

	v = v ? ay_strdup(a, v) : "nothing";
	json_decref(j);
	return v;
}

/* An operator outside the catalogue has no cases of its own, and jobs do not know it. */
static const char *judge_alone(struct ay_arena *a, const char *path, const char *line, char **out)
{
	const char *cmd = ay_sprintf(a,
				     "%s/assay check %s --device cuda --json --seed 1 --timing none --timeout 60 "
				     "--cache %s/assay --case \"%s\"",
				     help_build_dir(), path, help_cache(), line);
	const int status = help_run(a, cmd, JUDGED_S, out);
	char *last = ay_strdup(a, *out);

	while (*last && last[strlen(last) - 1] == '\n')
		last[strlen(last) - 1] = 0;
	return status == 0 || status == 1 ? verdict_of(a, strrchr(last, '\n') ? strrchr(last, '\n') + 1 : last)
					  : "nothing";
}

/* Returns the answer to a job, or "". */
static const char *answer_to(struct ay_arena *a, const char *out, const char *id)
{
	const char *mark = ay_sprintf(a, "{\"id\":\"%s\",", id), *at = strstr(out, mark);

	return at ? ay_strndup(a, at, strcspn(at, "\n")) : "";
}

/* One process judges all kernels one after the other; each hostile one is followed by a good
 * one. */
static void judge_jobs(struct ay_arena *a, const glob_t *g, char **out)
{
	static const char few[] = ", \"cases\": [\"aten::relu((T([3, 65], f32),), {})\", "
				  "\"aten::relu((T([64, 1000], f16),), {})\"]";
	const char *list = ay_sprintf(a, "%s/jobs", test_dir());
	FILE *f = fopen(list, "w");

	if (!f)
		test_skip("no folder");
	for (size_t i = 0; i < g->gl_pathc; i++) {
		fprintf(f, "{\"id\": \"%s\", \"path\": \"%s\"}\n", g->gl_pathv[i], g->gl_pathv[i]);
		if (strstr(g->gl_pathv[i], "hostile"))
			fprintf(f, "{\"id\": \"after %s\", \"path\": \"kernels/cuda/aten_relu.cu\"%s}\n",
				g->gl_pathv[i], few);
	}
	CHECK(!fclose(f));
	help_run(a,
		 ay_sprintf(a,
			    "%s/assay check - --device cuda --jobs 1 --fresh --timeout 10 --cache %s/assay --out "
			    "%s/run "
			    "< %s 2>&1",
			    help_build_dir(), help_cache(), test_dir(), list),
		 JUDGED_S, out);
}

static void judge_all(const char *pattern)
{
	struct ay_arena a = { 0 };
	glob_t g = { 0 };
	char *all = "";

	if (access("/dev/nvidiactl", R_OK | W_OK))
		test_skip("no NVIDIA GPU here");
	CHECK(!glob(pattern, 0, NULL, &g));
	judge_jobs(&a, &g, &all);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *path = g.gl_pathv[i], *text = text_of(&a, path), *due = words(&a, text, "due: "), *got;
		const char *line = strstr(path, "hostile") ? NULL : said(&a, text, " * case: ");
		char *out = (char *)answer_to(&a, all, path);

		got = line ? judge_alone(&a, path, line, &out) : verdict_of(&a, out);
		CHECKF(is_one_of(due, got, strlen(got)), "%s is due %s, got %s\n%.1500s", path, due, got, out);
		if (!strstr(path, "hostile"))
			continue;
		out = (char *)answer_to(&a, all, ay_sprintf(&a, "after %s", path));
		got = verdict_of(&a, out);
		CHECKF(!strcmp(got, "PASS"), "after %s a good kernel got %s\n%.1500s", path, got, out);
	}
	globfree(&g);
	ay_arena_release(&a);
}

TEST_SLOW(samples_cuda_good_kernels_pass)
{
	judge_all("kernels/cuda/*.cu");
}

/* Untimed, for the first of their due verdicts. */
TEST_SLOW(samples_cuda_timed_cheats_are_right)
{
	judge_all("kernels/hostile/gpu/*__timed_*.cu");
}

/* Returns "FASTER", "NOT_FASTER", or the verdict if the kernel did not pass. */
static const char *outcome_of(struct ay_arena *a, char *out)
{
	/* a kernel that was not timed counts as FASTER */
	const char *verdict = "nothing", *pace = "FASTER";

	for (char *save = NULL, *line = strtok_r(out, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_t *j = json_loads(line, 0, NULL), *t = json_object_get(j, "timing");
		const char *p = json_string_value(json_object_get(t, "pace"));

		if (p)
			pace = strcmp(p, "FASTER") && strcmp(p, "NONE") ? "NOT_FASTER" : "FASTER";
		if (json_object_get(j, "verdict"))
			verdict = ay_strdup(a, json_string_value(json_object_get(j, "verdict")));
		json_decref(j);
	}
	return strcmp(verdict, "PASS") ? verdict : pace;
}

TEST_SLOW(samples_cuda_timed_cheats_do_not_win)
{
	struct ay_arena a = { 0 };
	glob_t g = { 0 };

	if (access("/dev/nvidiactl", R_OK | W_OK))
		test_skip("no NVIDIA GPU here");
	CHECK(!glob("kernels/hostile/gpu/*__timed_*.cu", 0, NULL, &g));
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *path = g.gl_pathv[i], *text = text_of(&a, path), *due = words(&a, text, "timed: "),
			   *got;
		char *out = "",
		     *cmd = ay_sprintf(&a,
				       "%s/assay check %s --device cuda --json --timing auto --budget 3 "
				       "--timeout 10 --cache %s/assay --baseline %s --case \"%s\" 2> /dev/null",
				       help_build_dir(), path, help_cache(), said(&a, text, " * twin: "),
				       said(&a, text, " * case: "));

		help_run(&a, cmd, JUDGED_S, &out);
		got = outcome_of(&a, ay_strdup(&a, out));
		CHECKF(is_one_of(due, got, strlen(got)), "%s is due %s, got %s\n%.1500s", path, due, got, out);
	}
	globfree(&g);
	ay_arena_release(&a);
}

TEST_SLOW(samples_cuda_hostile_kernels_get_what_they_are_due)
{
	judge_all("kernels/hostile/gpu/*__[a-o]*.cu");
}

TEST_SLOW(samples_cuda_other_hostile_kernels_get_what_they_are_due)
{
	judge_all("kernels/hostile/gpu/*__[p-su-z]*.cu");
}

TEST_SLOW(samples_cuda_the_rest_of_the_hostile_gets_what_it_is_due)
{
	judge_all("kernels/hostile/gpu/*__t[a-hj-z]*.cu");
}
