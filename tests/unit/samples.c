/* SPDX-License-Identifier: Apache-2.0
 *
 * samples - tests that every kernel under kernels/ gets the verdict that its first line says is
 * due. python.c has those in Python.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "judge/verdict.h"

#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the verdict after "due:" in the first line. In a jail without namespaces, the one after
 * "partial:" if there is one. Sets *full if "(--full)" follows: the quick cases do not show it. */
static const char *due(struct ay_arena *a, const char *path, bool partial, bool *full)
{
	struct ay_err err = { 0 };
	char *text, *at;
	size_t len;

	if (ay_file_read(a, path, 1 << 20, &text, &len, &err))
		return NULL;
	text[strcspn(text, "\n")] = 0;
	at = partial ? strstr(text, ", partial: ") : NULL;
	at = at ? at + 2 : strstr(text, "due: ");
	if (!at)
		return NULL;
	*full = !!strstr(at, "(--full)");
	at = strchr(at, ' ') + 1;
	at[strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] = 0;
	return at;
}

/* Returns the verdict in the summary, which is the last line of the program's JSON. */
static const char *verdict(struct ay_arena *a, const char *path, bool full, int timeout_s, char **out)
{
	const char *cmd = ay_sprintf(
		a, "%s/assay check %s%s --json --seed 1 --timing none --timeout %d --cache %s/assay",
		help_build_dir(), path, full ? " --full" : "", timeout_s, help_cache());
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

/* Returns the seconds that a call may take. Only kernels that may hang are cut short: a busy
 * machine must not make a right kernel one that hangs. */
static int patience_s(const char *path, const char *want)
{
	const bool may_hang = !strcmp(want, "TIMEOUT") || (strstr(path, "/hostile/") && strcmp(want, "PASS") != 0);

	return may_hang ? 2 : 30;
}

static void judge_one(const char *path)
{
	struct ay_arena a = { 0 };
	bool full = false;
	const char *want = due(&a, path, false, &full), *got;
	char *out = "";

	CHECKF(want && ay_verdict_find(want) != AY_VERDICT_NONE, "%s: its first line names no verdict (due: ...)",
	       path);
	if (!want)
		return;
	got = verdict(&a, path, full, full ? 60 : patience_s(path, want), &out);
	CHECKF(got && !strcmp(got, want), "%s is due %s, got %s\n%.1500s", path, want, got ? got : "nothing", out);
	ay_arena_release(&a);
}

/* Lists one test for each kernel. With sanitizers only every fourth, because the judge's code,
 * which they instrument, does equal work for all. */
static void list_some(const char *pattern, test_add_value_fn add)
{
	const size_t step = getenv("ASSAY_SANITIZED") ? 4 : 1;
	glob_t g;

	if (glob(pattern, 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i += step)
		add(g.gl_pathv[i]);
	globfree(&g);
}

static void list_good(test_add_value_fn add)
{
	list_some("kernels/c/*.c", add);
	list_some("kernels/c/orders/*.c", add);
}

static void list_wrong(test_add_value_fn add)
{
	list_some("kernels/wrong/*.c", add);
}

static void list_hostile(test_add_value_fn add)
{
	list_some("kernels/hostile/*.c*", add);
}

static void list_suspects(test_add_value_fn add)
{
	list_some("kernels/honest/*.c*", add);
}

TEST_EACH(samples_good_kernels_pass, list_good)
{
	judge_one(test_arg());
}

TEST_EACH(samples_wrong_kernels_get_what_they_are_due, list_wrong)
{
	if (getenv("ASSAY_SANITIZED"))
		test_skip("the plain build shows it, and this one good kernels");
	judge_one(test_arg());
}

TEST_EACH_SLOW(samples_hostile_kernels_get_what_they_are_due, list_hostile)
{
	judge_one(test_arg());
}

TEST_EACH_SLOW(samples_honest_suspects_pass, list_suspects)
{
	judge_one(test_arg());
}

static int nlisted;

static void count_value(const char *value)
{
	(void)value;
	nlisted++;
}

/* An empty pattern would test nothing. */
TEST(samples_are_there)
{
	static const struct {
		void (*list)(test_add_value_fn add);
		int at_least;
	} folders[] = { { list_good, 90 }, { list_wrong, 170 }, { list_hostile, 90 }, { list_suspects, 30 } };

	if (getenv("ASSAY_SANITIZED"))
		test_skip("the plain build shows it");
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		nlisted = 0;
		folders[i].list(count_value);
		CHECKF(nlisted >= folders[i].at_least, "folder %zu: only %d", i, nlisted);
	}
}

/* docs/hostile.md lists them by class. */
TEST(samples_page_of_hostile_kernels_is_current)
{
	struct ay_arena a = { 0 };
	char *out, *page = help_slurp(&a, "docs/hostile.md", NULL);

	CHECKF(!help_run(&a, "sh tools/hostile.sh", 60, &out), "%s", out);
	CHECKF(!strcmp(out, page), "sh tools/hostile.sh > docs/hostile.md");
	ay_arena_release(&a);
}

/* --- all of them in one run ------------------------------------------------------------------- */

/* A run's folder and its user: the beginning of a command. */
struct corpus {
	struct ay_arena a;
	const char *dir, *as;
	bool partial; /* the jails have no namespaces */
	glob_t files;
};

/* Each is judged alone elsewhere (samples_hostile_...): here half of them will do, and all with
 * ASSAY_WHOLE=1. */
static size_t every(void)
{
	return getenv("ASSAY_WHOLE") ? 1 : 2;
}

static void write_jobs(struct corpus *c)
{
	FILE *f = fopen(ay_sprintf(&c->a, "%s/jobs", c->dir), "w");

	glob("kernels/hostile/*.c*", 0, NULL, &c->files);
	glob("kernels/honest/*.c*", GLOB_APPEND, NULL, &c->files);
	CHECKF(c->files.gl_pathc >= 55, "only %zu files", c->files.gl_pathc);
	for (size_t i = 0; f && i < c->files.gl_pathc; i += every()) {
		const char *path = c->files.gl_pathv[i];

		fprintf(f, "{\"id\": \"%s\", \"path\": \"%s\", \"lang\": \"%s\"}\n", path, path,
			strstr(path, ".cc") ? "c++" : "c");
	}
	CHECK(f && !fclose(f));
}

/* Finds what an escaped kernel could have changed: mounts, System V objects, files with the
 * kernels' names or uids, the samples themselves. */
static const char *look_around(struct corpus *c)
{
	char *out;

	help_run(&c->a,
		 "cat /proc/self/mountinfo; cut -d' ' -f1-30 /proc/sysvipc/* 2>&1;"
		 "find / /tmp /var/tmp /dev /dev/shm /dev/mqueue /etc /usr/lib /usr/local/lib . -maxdepth 1 "
		 "\\( -name '*assay-hostile*' -o -uid +1879048191 \\) 2>/dev/null;"
		 "ls -lR --full-time kernels/hostile kernels/honest include",
		 60, &out);
	return out;
}

/* Returns true if cgroups are left that are named after a judge that has ended. Those of running
 * judges are ignored. */
static bool groups_left(struct corpus *c, const char *before)
{
	char *out, *save = NULL;
	bool left = false;
	int pid, slot;

	help_run(&c->a, "find /sys/fs/cgroup -type d -name 'assay-*' 2>/dev/null", 60, &out);
	for (char *line = strtok_r(out, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		left |= sscanf(strrchr(line, '/'), "/assay-%d-%d", &pid, &slot) == 2 && kill(pid, 0) &&
			errno == ESRCH && !strstr(before, line);
	return left;
}

/* Returns true if processes are left: those that outlived their parents are now children of this
 * process. */
static bool processes_left(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return waitpid(-1, NULL, WNOHANG) == 0;
}

/* Checks that there is exactly one record each, with the due verdict. */
static void check_answers(struct corpus *c)
{
	json_t *seen = json_object();
	FILE *f = fopen(ay_sprintf(&c->a, "%s/out", c->dir), "r");
	size_t cap = 0;
	char *line = NULL;

	while (f && getline(&line, &cap, f) > 0) {
		json_t *rec = json_loads(line, 0, NULL);
		const char *id = json_string_value(json_object_get(rec, "id"));

		CHECKF(rec, "no JSON: %.200s", line);
		CHECKF(!id || !json_object_get(seen, id), "%s: two records", id);
		if (id)
			json_object_set(seen, id, rec);
		json_decref(rec);
	}
	for (size_t i = 0; i < c->files.gl_pathc; i += every()) {
		bool full;
		const char *path = c->files.gl_pathv[i], *want = due(&c->a, path, c->partial, &full);
		const char *got = json_string_value(json_object_get(json_object_get(seen, path), "verdict"));

		CHECKF(want && got && !strcmp(want, got), "%s is due %s, got %s", path, want ? want : "?",
		       got ? got : "no record");
	}
	json_decref(seen);
	free(line);
	if (f)
		fclose(f);
}

/* Moves both texts to the first line that differs. */
static void skip_common_lines(const char **a, const char **b)
{
	size_t n = strcspn(*a, "\n");

	while (**a && n == strcspn(*b, "\n") && !memcmp(*a, *b, n)) {
		*a += n + ((*a)[n] == '\n');
		*b += n + ((*b)[n] == '\n');
		n = strcspn(*a, "\n");
	}
}

static void check_traces(struct corpus *c, const char *before, const char *groups)
{
	const char *after = look_around(c);
	char *out;
	bool left = true;

	skip_common_lines(&before, &after);
	CHECKF(!strcmp(before, after), "something changed\n--- before\n%.300s\n--- after\n%.300s", before, after);
	for (int i = 0; i < 30 && (left = processes_left() || groups_left(c, groups)); i++)
		usleep(100000);
	CHECKF(!left, "a process or a cgroup is left");
	help_run(&c->a, ay_sprintf(&c->a, "cd %s && ls -A . home | tr '\\n' ' '", c->dir), 10, &out);
	CHECK_STR(out, ".: cache err home jobs out run  home: ");
}

static void judge_corpus(const char *as, unsigned uid, bool partial)
{
	struct corpus c = { .as = as, .partial = partial };
	const char *before;
	char *out, *groups;
	int status;

	c.dir = ay_sprintf(&c.a, "%s/corpus", test_dir());
	if (chmod(test_dir(), 0755) || mkdir(c.dir, 0755) || mkdir(ay_sprintf(&c.a, "%s/home", c.dir), 0755))
		test_skip("no folder");
	write_jobs(&c);
	if (uid && (chown(c.dir, uid, uid) || chown(ay_sprintf(&c.a, "%s/home", c.dir), uid, uid)))
		test_skip("no folder for uid %u", uid);
	if (help_run(&c.a, ay_sprintf(&c.a, "%s test -x %s/assay -a -r kernels/hostile", as, help_build_dir()), 10,
		     &out))
		test_skip("%s cannot be run as uid %u", help_build_dir(), uid);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	before = look_around(&c);
	help_run(&c.a, "find /sys/fs/cgroup -type d -name 'assay-*' 2>/dev/null", 60, &groups);
	status = help_run(
		&c.a,
		ay_sprintf(&c.a,
			   "d=%s; %s env -i PATH=/usr/bin:/bin HOME=$d/home %s/assay check - --jobs 2 --seed 1 "
			   "--timeout 2 "
			   "--cache $d/cache --out $d/run < $d/jobs > $d/out 2> $d/err; s=$?; cat $d/err; exit $s",
			   c.dir, as, help_build_dir()),
		280, &out);
	if (status == 2 && strstr(out, "sandbox"))
		test_skip("uid %u: %s", uid, out);
	CHECKF(!status, "status %d: %.500s", status, out);
	check_answers(&c);
	check_traces(&c, before, groups);
	globfree(&c.files);
	ay_arena_release(&c.a);
}

TEST_SLOW(samples_all_in_one_run_leave_no_trace)
{
	if (!getenv("ASSAY_WHOLE"))
		test_skip("as an ordinary user they do, below; as root too: ASSAY_WHOLE=1");
	judge_corpus("", 0, false);
}

TEST_SLOW(samples_all_in_one_run_as_ordinary_user_leave_no_trace)
{
	if (geteuid())
		test_skip("the test before this one is this one");
	judge_corpus("setpriv --reuid 65534 --regid 65534 --clear-groups --", 65534, false);
}

/* --- in a container --------------------------------------------------------------------------- */

TEST_SLOW(samples_all_in_one_run_in_a_container_leave_no_trace)
{
	struct ay_arena a = { 0 };

	judge_corpus(help_container(&a), 0, true);
	ay_arena_release(&a);
}

/* A process starts in a cgroup by clone3 alone, which a container refuses. A group without the
 * process would look frozen while the kernel runs. */
TEST(samples_in_a_container_no_empty_cgroup_is_frozen)
{
	struct ay_arena a = { 0 };
	char *out;

	help_run(&a, ay_sprintf(&a, "%s %s/assay doctor", help_container(&a), help_build_dir()), 120, &out);
	CHECKF(strstr(out, "cgroup freezer missing"), "%s", out);
	ay_arena_release(&a);
}

/* Neither a uid of its own nor namespaces: that is below the minimum (docs/sandbox.md). */
TEST(samples_in_a_container_without_root_are_not_judged)
{
	struct ay_arena a = { 0 };
	const char *as = ay_sprintf(&a, "%s -u 65534", help_container(&a)), *build = help_build_dir();
	char *out;

	if (chmod(test_dir(), 0755) || help_run(&a, ay_sprintf(&a, "%s test -x %s/assay", as, build), 10, &out))
		test_skip("%s cannot be run as another user", build);
	CHECK(help_run(&a,
		       ay_sprintf(&a, "%s %s/assay check kernels/c/aten_relu.c --timing none --cache ''", as,
				  build),
		       60, &out) == 2);
	CHECKF(strstr(out, "grants too little for a sandbox") && !strstr(out, "PASS"), "%s", out);
	CHECK(help_run(
		      &a,
		      ay_sprintf(&a,
				 "d=$(mktemp -d) && chmod 777 $d && echo '{\"id\": 1, \"path\": "
				 "\"kernels/c/aten_relu.c\", \"lang\": \"c\"}' | %s %s/assay check - --out $d/run "
				 "--cache ''; s=$?; rm -r $d; exit $s",
				 as, build),
		      60, &out) == 2);
	CHECKF(strstr(out, "grants too little for a sandbox") && !strstr(out, "verdict"), "%s", out);
	CHECK(help_run(&a,
		       ay_sprintf(&a, "%s %s/assay check kernels/c/aten_relu.c --timing none --cache '' --unsafe",
				  as, build),
		       60, &out) == 0);
	CHECKF(strstr(out, "would pass, but was judged without a sandbox"), "%s", out);
	ay_arena_release(&a);
}
