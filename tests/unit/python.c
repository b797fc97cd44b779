/* SPDX-License-Identifier: Apache-2.0
 *
 * python - tests of wrong, hostile and suspicious Python kernels, run after one another from one
 * zygote, with an honest kernel after each. Also tests a killed interpreter and a killed judge.
 */
#include "exec/exec.h"
#include "exec/python.h"
#include "base/file.h"
#include "base/process.h"
#include "helpers.h"
#include "judge/verdict.h"
#include "test.h"

#include <fcntl.h>
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- wrong and hostile ------------------------------------------------------------------------ */

#define HONEST "kernels/honest/relu__finds_nothing.py"

struct corpus {
	struct ay_arena a;
	glob_t files;
	FILE *jobs;
	int njob;
};

static char *read_text(struct corpus *c, const char *path)
{
	struct ay_err err = { 0 };
	char *text;
	size_t len;

	if (ay_file_read(&c->a, path, 1 << 20, &text, &len, &err))
		test_skip("%s", err.msg);
	return text;
}

/* "# due: MISMATCH - ..." */
static const char *due(struct corpus *c, const char *path)
{
	char *at = strstr(read_text(c, path), "due: ");

	if (!at)
		return "";
	at += 5;
	at[strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] = 0;
	return at;
}

/* A crash costs a new process for every case, so three cases must suffice. */
static json_t *few_cases(const char *verdict)
{
	static const char *const costly[] = { "CRASH", "OOM", "TIMEOUT", "INPUT_WRITTEN" };

	for (size_t i = 0; i < sizeof costly / sizeof *costly; i++)
		if (!strcmp(verdict, costly[i]))
			return json_pack("[s, s, s]", "aten::relu((T([], f32),), {})",
					 "aten::relu((T([65], bf16),), {})",
					 "aten::relu((T([129, 3], f64),), {})");
	return NULL;
}

static void put_job(struct corpus *c, json_t *job)
{
	char *text = json_dumps(job, JSON_COMPACT);

	fprintf(c->jobs, "%s\n", text);
	free(text);
	json_decref(job);
	c->njob++;
}

/* The kernel, then the honest one: as a text that differs each time, or its answer would come from
 * the store. */
static void put_pair(struct corpus *c, const char *path)
{
	json_t *job = json_pack("{s:s, s:s}", "id", path, "path", path), *few = few_cases(due(c, path));

	if (few && strstr(path, "/relu__"))
		json_object_set(job, "cases", few);
	json_decref(few);
	put_job(c, job);
	put_job(c, json_pack("{s:s, s:s, s:s, s:[s], s:s}", "id", ay_sprintf(&c->a, "honest after %s", path),
			     "lang", "python", "op", "aten::relu", "cases", "aten::relu((T([7, 9], f32),), {})",
			     "source", ay_sprintf(&c->a, "%s# %d\n", read_text(c, HONEST), c->njob)));
}

static void check_answer(struct corpus *c, const char *line)
{
	json_t *rec = json_loads(line, 0, NULL);
	const char *id = json_string_value(json_object_get(rec, "id"));
	const char *got = json_string_value(json_object_get(rec, "verdict"));

	CHECKF(rec, "no JSON: %.200s", line);
	if (id) {
		const char *want = strncmp(id, "honest", 6) ? due(c, id) : "PASS";

		CHECKF(ay_verdict_find(want) != AY_VERDICT_NONE, "%s: its first line names no verdict (due: ...)",
		       id);
		CHECKF(got && !strcmp(got, want), "%s is due %s, got %s\n%.800s", id, want, got ? got : "nothing",
		       line);
		c->njob--;
	}
	json_decref(rec);
}

/* Judges what `hangs` says: those that end by a time-out get a short one, so that the others can
 * have a long one. */
static void judge_all(struct corpus *c, bool hangs)
{
	const char *dir = test_dir(), *cmd;
	char *out, *save = NULL;
	int status;

	c->njob = 0;
	c->jobs = fopen(ay_sprintf(&c->a, "%s/jobs", dir), "w");
	for (size_t i = 0; c->jobs && i < c->files.gl_pathc; i++)
		if (!strcmp(due(c, c->files.gl_pathv[i]), "TIMEOUT") == hangs)
			put_pair(c, c->files.gl_pathv[i]);
	CHECK(c->jobs && !fclose(c->jobs));
	cmd = ay_sprintf(&c->a, "%s/assay check - --jobs 2 --seed 1 --timeout %d --out %s/run%d < %s/jobs",
			 help_build_dir(), hangs ? 2 : 60, dir, hangs, dir);
	status = help_run(&c->a, cmd, 280, &out);
	CHECKF(!status, "status %d: %.500s", status, out);
	for (char *line = strtok_r(out, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		check_answer(c, line);
	CHECKF(!c->njob, "%d jobs have no answer", c->njob);
}

TEST_SLOW(python_wrong_and_hostile_kernels_get_what_they_are_due)
{
	struct corpus c = { 0 };

	help_python();
	glob("kernels/hostile/*.py", 0, NULL, &c.files);
	glob("kernels/wrong/*.py", GLOB_APPEND, NULL, &c.files);
	glob("kernels/honest/*.py", GLOB_APPEND, NULL, &c.files);
	CHECKF(c.files.gl_pathc >= 120, "only %zu files", c.files.gl_pathc);
	judge_all(&c, false);
	judge_all(&c, true);
	globfree(&c.files);
	ay_arena_release(&c.a);
}

/* --- ends from outside ------------------------------------------------------------------------ */

static const char about_relu[] =
	"{\"backend\": \"aten\", \"empty\": \"\", \"file\": \"\", \"use\": \"all\", \"functions\": []}";

/* Starts an executor without functions; on failure err says why. */
static bool starts(struct ay_python *p, struct ay_sandbox *s, struct ay_err *err)
{
	struct ay_exec_spec spec = {
		.so_fd = -1, .python = p, .about = about_relu, .load_timeout_s = 60, .sandbox = s
	};
	struct ay_exec_entries e;
	struct ay_outcome o = { 0 };
	struct ay_arena a = { 0 };
	struct ay_exec *x = NULL;
	bool ok;

	*err = (struct ay_err){ 0 };
	ok = !ay_exec_start(&spec, &a, &x, &e, &o, err) && x;
	ay_exec_stop(x);
	ay_arena_release(&a);
	return ok;
}

TEST_SLOW(python_template_that_was_killed_is_started_again)
{
	struct ay_python p = { 0 };
	struct ay_sandbox *s;
	struct ay_err err = { 0 };
	struct ay_arena a = { 0 };
	int sock[2];
	pid_t first;

	help_python();
	if (ay_sandbox_new(&s, AY_SANDBOX_FULL, &err))
		test_skip("%s", err.msg);
	CHECKF(starts(&p, s, &err), "%s", err.msg);
	first = p.pid;
	CHECKF(starts(&p, s, &err) && p.pid == first, "%s", err.msg);
	kill(first, SIGKILL);
	waitid(P_PID, (id_t)first, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	CHECKF(starts(&p, s, &err) && p.pid != first, "%s", err.msg);
	/* between the check and the request: a failure of assay, with a message */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sock))
		test_skip("socketpair");
	close(sock[1]);
	dup2(sock[0], p.far.sock);
	close(sock[0]);
	CHECK(!starts(&p, s, &err));
	CHECKF(strstr(err.msg, "interpreter that kernels are copied from has ended"), "%s", err.msg);
	ay_python_close(&p);
	ay_sandbox_free(s);
	ay_arena_release(&a);
}

/* Returns true if a process that a killed judge left was adopted by this process. */
static bool somebody_left(double seconds)
{
	const int64_t deadline = ay_now_ns() + (int64_t)(seconds * 1e9);

	for (;;) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return false;
		if (ay_now_ns() > deadline)
			return true;
		usleep(10000);
	}
}

/* Returns true if such a process is among this process's descendants. */
static bool runs(struct ay_arena *a, const char *name)
{
	char *out;

	return !help_run(a, ay_sprintf(a, "cat /proc/[0-9]*/comm 2>/dev/null | grep -qx %s", name), 10, &out);
}

TEST_SLOW(python_nothing_outlives_a_killed_judge)
{
	struct ay_arena a = { 0 };
	const char *mark = ay_sprintf(&a, "hang%d", (int)getpid()),
		   *kernel = ay_sprintf(&a, "%s/relu__hangs.py", test_dir());
	FILE *f = fopen(kernel, "w");
	pid_t judge;

	help_python();
	CHECK(f && fprintf(f,
			   "import ctypes\n"
			   "def relu(self):\n"
			   "    ctypes.CDLL(None).prctl(15, b'%s')\n"
			   "    while True: pass\n",
			   mark) > 0);
	if (f)
		fclose(f);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(stdout);
	judge = fork();
	if (!judge) {
		const char *exe = ay_sprintf(&a, "%s/assay", help_build_dir());
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		dup2(null, 2);
		execl(exe, exe, "check", kernel, "--timing", "none", "--timeout", "1000", (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 1200 && !runs(&a, mark); i++)
		usleep(50000);
	CHECK(runs(&a, mark));
	kill(judge, SIGKILL);
	CHECK(!somebody_left(10));
	CHECK(!runs(&a, mark));
	ay_arena_release(&a);
}
