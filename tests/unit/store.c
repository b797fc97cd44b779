/* SPDX-License-Identifier: Apache-2.0
 *
 * The run folder: what was added is there after a kill, a full disk, a second writer; what was tampered with is
 * not.
 */
#include "test.h"
#include "base/arena.h"
#include "base/file.h"
#include "store/run.h"
#include "store/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KERNEL_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KERNEL_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* A path in the scratch folder; a few live at once. */
static const char *in_dir(const char *name)
{
	static char path[16][4200];
	static int turn;

	turn = (turn + 1) % 16;
	snprintf(path[turn], sizeof path[turn], "%s/%s", test_dir(), name);
	return path[turn];
}

static json_t *case_record(const char *kernel, const char *line, const char *verdict)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f}", "type", "case", "overload", "aten::relu", "line",
			 line, "verdict", verdict, "kernel_sha256", kernel, "file", "aten_relu.c", "wall_s", 0.1);
}

static json_t *job_record(int i)
{
	char job[40], line[80];
	json_t *j;

	snprintf(job, sizeof job, "job-%d", i);
	snprintf(line, sizeof line, "aten::relu((T([%d], f32),), {}) seed=%d", i, i);
	j = case_record(KERNEL_A, line, "PASS");
	json_object_set_new(j, "job", json_string(job));
	return j;
}

static bool has_job(struct ay_run *r, int i, int *attempts)
{
	char job[40];
	json_t *j;

	snprintf(job, sizeof job, "job-%d", i);
	j = ay_run_find(r, ay_id_job(job), attempts);
	json_decref(j);
	return j;
}

static int add(struct ay_run *r, json_t *rec, struct ay_err *err)
{
	int rc = ay_run_add(r, rec, err);

	json_decref(rec);
	return rc;
}

static char *slurp(struct ay_arena *a, const char *path, size_t *n)
{
	struct ay_err err = { 0 };
	char *data;

	if (ay_file_read(a, path, 64 << 20, &data, n, &err)) {
		test_fail(__FILE__, __LINE__, "%s", err.msg);
		*n = 0;
		return ay_strdup(a, "");
	}
	return data;
}

static void spill(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, n, f) != n || fclose(f))
		test_fail(__FILE__, __LINE__, "cannot write %s", path);
}

static struct ay_run *create(const char *dir)
{
	json_t *h = json_pack("{s:s, s:s, s:s, s:{s:i}}", "command", "eval", "suite", "smoke", "backend",
			      "directory", "policy", "threads", 2);
	struct ay_err err = { 0 };
	struct ay_run *r;

	CHECKF(!ay_run_create(dir, h, &r, &err), "%s", err.msg);
	json_decref(h);
	return r;
}

static struct ay_run *resume(const char *dir, struct ay_run_found *found)
{
	struct ay_err err = { 0 };
	struct ay_run *r;

	CHECKF(!ay_run_resume(dir, NULL, &r, found, &err), "%s", err.msg);
	return r;
}

/* Every line is whole and good; gives their number. */
static int64_t count_whole(const char *dir)
{
	char path[4300];
	struct ay_arena a = { 0 };
	int64_t lines = 0;
	char *data;
	size_t n;

	snprintf(path, sizeof path, "%s/results.jsonl", dir);
	data = slurp(&a, path, &n);
	CHECK(!n || data[n - 1] == '\n');
	for (char *p = data, *end; (end = memchr(p, '\n', (size_t)(data + n - p))); p = end + 1, lines++) {
		json_t *rec;
		enum ay_fault f = ay_record_open(p, (size_t)(end - p), &rec);

		CHECKF(f == AY_FAULT_NONE, "line %lld: %s", (long long)lines + 1, ay_fault_text(f));
		json_decref(rec);
	}
	ay_arena_release(&a);
	return lines;
}

/* --- the plain way --------------------------------------------------------------------------------------- */

TEST(store_round_trip)
{
	static const char source[] = "int x;\n";
	const char *dir = in_dir("new/run"), *line = "aten::relu((T([7], f32),), {}) seed=1";
	struct ay_run *r = create(dir);
	struct ay_run_found found;
	struct ay_err err = { 0 };
	char sha[AY_SHA256_HEX], build[AY_SHA256_HEX];
	json_t *rec = case_record(KERNEL_A, line, "MISMATCH"), *got;
	int attempts;

	json_object_set_new(rec, "detail", json_string("\x1b[31m \xe2\x82\xac \"quoted\" \\"));
	json_object_set_new(rec, "unknown", json_pack("[i, n, {s:f}]", 1, "x", 0.1));
	CHECK(!ay_run_add(r, rec, &err));
	CHECK(!add(r,
		   json_pack("{s:s, s:s, s:s, s:s, s:{}}", "type", "kernel", "operator", "aten::relu", "verdict",
			     "MISMATCH", "kernel_sha256", KERNEL_A, "overloads"),
		   &err));
	CHECK(!add(r, json_pack("{s:s, s:i, s:s}", "type", "error", "id", 7, "error", "no such operator"), &err));
	ay_sha256(source, strlen(source), sha);
	CHECK(!ay_run_keep_kernel(r, sha, "c", source, strlen(source), &err));
	CHECK(ay_run_progress_due(r));
	CHECK(!ay_run_progress(r, NULL, &err) && !ay_run_progress_due(r));
	CHECK(!ay_run_close(r, &err));
	CHECK(count_whole(dir) == 3);

	r = resume(dir, &found);
	CHECK(found.records == 3 && !found.first_bad && ay_run_records(r) == 3);
	got = ay_run_find(r, ay_id_case(KERNEL_A, line), &attempts);
	CHECK(got && json_equal(got, rec) && attempts == 1);
	CHECK(!ay_build_sha256(build, &err) && got && !strcmp(ay_record_str(got, AY_FIELD_BUILD_SHA256), build));
	CHECK(ay_run_has(r, ay_id_kernel(KERNEL_A, "aten::relu")));
	CHECK(!ay_run_has(r, ay_id_kernel(KERNEL_A, "aten::add")) && !ay_run_has(r, ay_id_case(KERNEL_B, line)));
	CHECK(!ay_run_find(r, ay_id_case(KERNEL_A, "aten::relu"), &attempts) && !attempts);
	CHECK(!ay_run_close(r, &err));
	CHECKF(!err.code, "%s", err.msg);
	json_decref(got);
	json_decref(rec);
}

TEST(store_head_names_run_machine_and_build)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	const char *dir = in_dir("r");
	struct ay_run *r = create(dir);
	char path[4300];
	size_t n;
	json_t *h;

	ay_run_close(r, &err);
	snprintf(path, sizeof path, "%s/run.json", dir);
	h = json_loads(slurp(&a, path, &n), 0, NULL);
	CHECK(strlen(json_string_value(json_object_get(h, "run"))) == 32);
	CHECK(ay_is_sha256(json_string_value(json_object_get(h, "build_sha256"))));
	CHECK(json_integer_value(json_object_get(json_object_get(h, "machine"), "cores")) > 0);
	CHECK_STR(json_string_value(json_object_get(h, "suite")), "smoke");
	CHECK(json_object_get(h, "start") && json_object_get(h, "policy"));
	json_decref(h);
	ay_arena_release(&a);
}

TEST(store_names_runs_and_makes_them_unique)
{
	json_t *h = json_pack("{s:s, s:s, s:s}", "command", "eval", "suite", "../../tmp/.. my suite;.txt",
			      "backend", "directory");
	struct ay_err err = { 0 };
	struct ay_run *r[3];
	char first[300];

	CHECK(!chdir(test_dir()));
	for (int i = 0; i < 3; i++)
		CHECK(!ay_run_create(NULL, h, &r[i], &err));
	CHECKF(!err.code, "%s", err.msg);
	snprintf(first, sizeof first, "%s", ay_run_dir(r[0]));
	CHECKF(ay_starts(first, "runs/eval-mysuite.txt-directory-2"), "%s", first);
	CHECK(strlen(first) == strlen("runs/eval-mysuite.txt-directory-yyyymmddThhmmssZ"));
	CHECK(strcmp(first, ay_run_dir(r[1])) && strcmp(ay_run_dir(r[1]), ay_run_dir(r[2])));
	for (int i = 0; i < 3; i++)
		ay_run_close(r[i], &err);
	json_decref(h);
}

TEST(store_refuses_a_used_folder_and_other_rules)
{
	const char *dir = in_dir("r");
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = create(dir), *again;
	json_t *h = json_pack("{s:{s:i}}", "policy", "threads", 4);

	ay_run_close(r, &err);
	CHECK(ay_run_create(dir, NULL, &again, &err) && !again && strstr(err.msg, "--resume-from"));
	ay_err_clear(&err);
	CHECK(ay_run_resume(dir, h, &again, &found, &err) && strstr(err.msg, "its policy was another"));
	ay_err_clear(&err);
	CHECK(ay_run_resume(in_dir("none"), NULL, &again, &found, &err) && strstr(err.msg, "none"));
	ay_err_clear(&err);
	CHECK(!mkdir(in_dir("empty"), 0755));
	CHECK(ay_run_resume(in_dir("empty"), NULL, &again, &found, &err) && strstr(err.msg, "no run in"));
	json_decref(h);
}

TEST(store_refuses_records_it_could_not_read_back)
{
	struct ay_err err = { 0 };
	struct ay_run *r = create(in_dir("r"));
	json_t *deep = json_object(), *big = case_record(KERNEL_A, "l", "PASS");
	char *text = ay_xrealloc(NULL, AY_RECORD_MAX + 1);

	CHECK(add(r, case_record(KERNEL_A, "l", "GREAT"), &err) && strstr(err.msg, "'verdict'"));
	ay_err_clear(&err);
	CHECK(add(r, case_record("abc", "l", "PASS"), &err) && strstr(err.msg, "'kernel_sha256'"));
	ay_err_clear(&err);
	CHECK(add(r, json_pack("{s:s, s:s, s:s}", "type", "case", "verdict", "PASS", "kernel_sha256", KERNEL_A),
		  &err));
	ay_err_clear(&err);
	json_object_set_new(deep, "type", json_string("error"));
	for (int i = 0; i < 40; i++)
		deep = json_pack("{s:s, s:o}", "type", "error", "id", deep);
	CHECK(add(r, deep, &err));
	ay_err_clear(&err);
	memset(text, 'x', AY_RECORD_MAX);
	text[AY_RECORD_MAX] = 0;
	json_object_set_new(big, "detail", json_string(text));
	CHECK(add(r, big, &err) && strstr(err.msg, "bytes"));
	ay_err_clear(&err);
	CHECK(!add(r, case_record(KERNEL_A, "l", "PASS"), &err));
	CHECK(!ay_run_close(r, &err) && count_whole(in_dir("r")) == 1);
	ay_xfree(text);
}

TEST(store_keeps_kernels_under_their_hash_only)
{
	const char *dir = in_dir("r");
	struct ay_err err = { 0 };
	struct ay_run *r = create(dir);
	char sha[AY_SHA256_HEX], path[4400];
	struct stat st;

	ay_sha256("abc", 3, sha);
	CHECK(ay_run_keep_kernel(r, KERNEL_A, "c", "abc", 3, &err));
	CHECK(ay_run_keep_kernel(r, sha, "../x", "abc", 3, &err) &&
	      ay_run_keep_kernel(r, sha, "", "abc", 3, &err));
	ay_err_clear(&err);
	CHECK(!ay_run_keep_kernel(r, sha, "cu", "abc", 3, &err) &&
	      !ay_run_keep_kernel(r, sha, "cu", "abc", 3, &err));
	snprintf(path, sizeof path, "%s/kernels/%s.cu", dir, sha);
	CHECK(!stat(path, &st) && st.st_size == 3);
	CHECK(!truncate(path, 0) && !ay_run_keep_kernel(r, sha, "cu", "abc", 3, &err)); /* after a power loss */
	CHECK(!stat(path, &st) && st.st_size == 3);
	ay_run_close(r, &err);
	CHECKF(!err.code, "%s", err.msg);
}

static void *add_many(void *run)
{
	static int next;

	for (int i = 0; i < 200; i++) {
		struct ay_err err = { 0 };

		if (add(run, job_record(__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)), &err))
			return run;
	}
	return NULL;
}

TEST(store_threads_add_at_once)
{
	struct ay_err err = { 0 };
	struct ay_run *r = create(in_dir("r"));
	struct ay_arena a = { 0 };
	bool seen[801] = { 0 };
	size_t n;
	pthread_t t[4];
	void *failed;
	int attempts;

	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, add_many, r));
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(t[i], &failed) && !failed);
	for (int i = 0; i < 800; i++)
		CHECK(has_job(r, i, &attempts) && attempts == 1);
	CHECK(!ay_run_close(r, &err) && count_whole(in_dir("r")) == 800);
	for (char *p = slurp(&a, in_dir("r/results.jsonl"), &n); (p = strstr(p, "\"seq\":")); p++) {
		long seq = strtol(p + 6, NULL, 10);

		CHECKF(seq >= 1 && seq <= 800 && !seen[seq], "seq %ld twice", seq);
		seen[seq < 801 ? seq : 0] = true;
	}
	ay_arena_release(&a);
}

/* --- what must survive ----------------------------------------------------------------------------------- */

/* Goes on with the run: adds the jobs that are missing and says which were added, until it is killed. */
static void write_until_killed(const char *dir, int fd)
{
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r;

	if (ay_run_resume(dir, NULL, &r, &found, &err))
		_exit(3);
	for (int i = 0;; i++) {
		int attempts;

		if (has_job(r, i, &attempts))
			continue;
		if (add(r, job_record(i), &err) || write(fd, &i, sizeof i) != sizeof i)
			_exit(4);
		if (ay_run_progress_due(r) && ay_run_progress(r, NULL, &err))
			_exit(5);
	}
}

TEST(store_kill_at_twenty_points_loses_nothing)
{
	const char *dir = in_dir("r");
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = create(dir);
	int promised = 0, attempts;

	ay_run_close(r, &err);
	srandom((unsigned)time(NULL));
	for (int round = 0; round < 20; round++) {
		int fd[2], status, i;
		pid_t pid;

		CHECK(!pipe2(fd, O_CLOEXEC));
		pid = fork();
		if (!pid) {
			close(fd[0]);
			write_until_killed(dir, fd[1]);
		}
		close(fd[1]);
		usleep((useconds_t)(random() % 40000) + (round ? 0 : 60000));
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
		while (read(fd[0], &i, sizeof i) == sizeof i)
			promised = i + 1;
		close(fd[0]);
		r = resume(dir, &found);
		if (!r)
			return;
		for (i = 0; i < promised; i++)
			CHECKF(has_job(r, i, &attempts) && attempts == 1, "round %d: job %d of %d: %d times",
			       round, i, promised, attempts);
		CHECK(found.records >= promised &&
		      found.records <= promised + 1); /* one more may be written, not said */
		CHECK(found.lines == found.records + found.fault[AY_FAULT_TORN]);
		ay_run_close(r, &err);
		CHECK(count_whole(dir) == found.records);
		promised = (int)found.records;
	}
	CHECK(promised > 0);
	CHECKF(!err.code, "%s", err.msg);
}

TEST(store_torn_line_is_cut_at_any_byte)
{
	const char *dir = in_dir("r"), *path = in_dir("r/results.jsonl");
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = create(dir);
	size_t n, whole;
	char *data;
	int attempts;

	CHECK(!add(r, job_record(0), &err) && !add(r, job_record(1), &err) && !ay_run_close(r, &err));
	data = slurp(&a, path, &n);
	whole = (size_t)((char *)memchr(data, '\n', n) + 1 - data);
	for (size_t keep = whole; keep < n; keep += keep < n - 4 ? 29 : 1) {
		if (keep > n - 4 && keep < n - 1)
			keep = n - 1; /* all but the line's end */
		spill(path, data, keep);
		r = resume(dir, &found);
		CHECK(found.records == 1 && found.fault[AY_FAULT_TORN] == (keep > whole));
		CHECK(has_job(r, 0, &attempts) && !has_job(r, 1, &attempts));
		CHECK(!add(r, job_record(2), &err) && has_job(r, 2, &attempts));
		CHECK(!ay_run_close(r, &err) && count_whole(dir) == 2);
	}
	CHECK(strstr(slurp(&a, in_dir("r/results.rejected.jsonl"), &n), "has no end")); /* noted, not lost */
	ay_arena_release(&a);
}

/* Adds until it fails: the error is clear, the file whole, everything promised is there and can be gone on with.
 */
static int fill(const char *dir, const char *says, struct ay_err *err)
{
	struct ay_run *r = create(dir);
	int n = 0;

	while (r && n < 100000 && !add(r, job_record(n), err))
		n++;
	CHECKF(n > 10 && n < 100000, "%d records", n);
	if (!n)
		return 0;
	CHECKF(strstr(err->msg, says) && strstr(err->msg, "--resume-from"), "%s", err->msg);
	CHECK(count_whole(dir) == n);
	ay_err_clear(err);
	CHECK(add(r, job_record(n), err)); /* still no room: still whole */
	CHECK(count_whole(dir) == n);
	ay_err_clear(err);
	ay_run_close(r, err);
	return n;
}

static void go_on(const char *dir, int n)
{
	struct ay_run_found found;
	struct ay_err err = { 0 };
	struct ay_run *r = resume(dir, &found);

	CHECK(found.records == n && !found.first_bad);
	CHECKF(!add(r, job_record(n), &err), "%s", err.msg);
	ay_run_close(r, &err);
	CHECK(count_whole(dir) == n + 1);
}

TEST(store_file_size_limit_ends_in_a_clear_error)
{
	struct rlimit lim = { 20000, RLIM_INFINITY };
	struct ay_err err = { 0 };
	int n;

	signal(SIGXFSZ, SIG_IGN);
	CHECK(!setrlimit(RLIMIT_FSIZE, &lim));
	n = fill(in_dir("r"), "ulimit -f", &err);
	lim.rlim_cur = RLIM_INFINITY;
	CHECK(!setrlimit(RLIMIT_FSIZE, &lim));
	go_on(in_dir("r"), n);
}

static bool write_map(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* A small tmpfs: as root in a mount namespace, else with a user namespace around it. */
static bool mount_small(const char *dir)
{
	char uid[40], gid[40];

	snprintf(uid, sizeof uid, "0 %d 1", (int)geteuid());
	snprintf(gid, sizeof gid, "0 %d 1", (int)getegid());
	if (mkdir(dir, 0755))
		return false;
	if (unshare(CLONE_NEWNS) &&
	    (unshare(CLONE_NEWUSER | CLONE_NEWNS) || !write_map("/proc/self/setgroups", "deny") ||
	     !write_map("/proc/self/uid_map", uid) || !write_map("/proc/self/gid_map", gid)))
		return false;
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	return !mount("none", dir, "tmpfs", 0, "size=64k");
}

TEST(store_full_disk_ends_in_a_clear_error)
{
	struct ay_err err = { 0 };
	int n;

	if (!mount_small(in_dir("small")))
		test_skip("no small file system can be mounted here: %s", strerror(errno));
	n = fill(in_dir("small/r"), "disk is full", &err);
	CHECK(!mount("none", in_dir("small"), "tmpfs", MS_REMOUNT, "size=1m"));
	go_on(in_dir("small/r"), n);
	umount(in_dir("small"));
}

/* As somebody who may not write: nobody, if we are root. Exit status 0 = refused with a clear message. */
static int try_read_only(const char *dir, bool exists)
{
	struct ay_run_found found;
	struct ay_err err = { 0 };
	struct ay_run *r;
	pid_t pid = fork();
	int status, rc;

	if (!pid) {
		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(9);
		rc = exists ? ay_run_resume(dir, NULL, &r, &found, &err) : ay_run_create(dir, NULL, &r, &err);
		_exit(!rc                                     ? 1
		      : r                                     ? 2
		      : !strstr(err.msg, "Permission denied") ? 3
		      : !strstr(err.msg, "writable")          ? 4
							      : 0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(store_read_only_folder_is_refused_and_stays)
{
	const char *dir = in_dir("r");
	struct ay_err err = { 0 };
	struct ay_run *r = create(dir);
	int rc;

	CHECK(!add(r, job_record(0), &err) && !ay_run_close(r, &err));
	CHECK(!chmod(test_dir(), 0755) && !chmod(in_dir("r/results.jsonl"), 0444) &&
	      !chmod(in_dir("r/run.lock"), 0444));
	CHECK(!chmod(dir, 0555) && !mkdir(in_dir("empty"), 0555));
	rc = try_read_only(dir, true);
	CHECKF(!rc, "resume: %d", rc);
	rc = try_read_only(in_dir("empty"), false);
	CHECKF(!rc, "create: %d", rc);
	CHECK(!chmod(dir, 0755) && count_whole(dir) == 1);
}

TEST(store_second_writer_is_refused)
{
	const char *dir = in_dir("r");
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = create(dir), *second;
	char pid[40];

	snprintf(pid, sizeof pid, "(process %d)", (int)getpid());
	CHECK(ay_run_resume(dir, NULL, &second, &found, &err) && !second);
	CHECKF(strstr(err.msg, "another assay") && strstr(err.msg, pid), "%s", err.msg);
	ay_err_clear(&err);
	CHECK(ay_run_create(dir, NULL, &second, &err) && strstr(err.msg, "another assay"));
	ay_err_clear(&err);
	CHECK(!add(r, job_record(0), &err) && !ay_run_close(r, &err));
	r = resume(dir, &found);
	CHECK(found.records == 1);
	ay_run_close(r, &err);
}

/* --- what must be noticed -------------------------------------------------------------------------------- */

TEST(store_altered_record_is_noticed)
{
	const char *dir = in_dir("r"), *path = in_dir("r/results.jsonl");
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = create(dir);
	char *data, *at;
	size_t n;
	int attempts;

	for (int i = 0; i < 3; i++) {
		json_t *j = job_record(i);

		json_object_set_new(j, "verdict", json_string("LOAD"));
		CHECK(!add(r, j, &err));
	}
	data = slurp(&a, path, &n);
	at = memmem(data, n, "\"LOAD\"", 6);
	at = memmem(at + 1, n - (size_t)(at + 1 - data), "\"LOAD\"", 6);
	memcpy(at, "\"PASS\"", 6);
	spill(path, data, n); /* same file, behind the writer's back */
	CHECK(has_job(r, 0, &attempts) && !has_job(r, 1, &attempts) && has_job(r, 2, &attempts));
	ay_run_close(r, &err);
	r = resume(dir, &found);
	CHECK(found.records == 2 && found.fault[AY_FAULT_ALTERED] == 1 && found.first_bad == 2);
	CHECK(!has_job(r, 1, &attempts) && has_job(r, 2, &attempts));
	ay_run_close(r, &err);
	ay_arena_release(&a);
}

TEST(store_any_flipped_byte_is_noticed)
{
	struct ay_err err = { 0 };
	struct ay_str b = { 0 };
	json_t *rec = job_record(3), *got;

	CHECK(!ay_record_seal(rec, KERNEL_B, &b, &err));
	CHECK(ay_record_open(b.s, b.len - 1, &got) == AY_FAULT_NONE && json_equal(rec, got));
	json_decref(got);
	for (size_t i = 0; i + 1 < b.len; i++) {
		b.s[i] ^= 1;
		/* the last digit of a number may not matter */
		CHECKF(ay_record_open(b.s, b.len - 1, &got) != AY_FAULT_NONE || json_equal(rec, got), "byte %zu",
		       i);
		json_decref(got);
		b.s[i] ^= 1;
	}
	json_decref(rec);
	ay_str_release(&b);
}

/* Seals a record of that text as a forger would, with its own idea of run and build. */
static void forge(struct ay_str *b, const char *text)
{
	json_t *j = json_loads(text, JSON_ALLOW_NUL, NULL);
	struct ay_str s = { 0 };
	char hex[AY_SHA256_HEX];

	json_dump_callback(j, ay_dump_to, &s, JSON_COMPACT | JSON_SORT_KEYS);
	ay_sha256(s.s, s.len, hex);
	json_object_set_new(j, "sha256", json_string(hex));
	json_dump_callback(j, ay_dump_to, b, JSON_COMPACT);
	json_decref(j);
	ay_str_release(&s);
}

TEST(store_resume_takes_only_its_own_run_and_build)
{
	const char *dir = in_dir("r"), *path = in_dir("r/results.jsonl");
	struct ay_run *r = create(dir);
	struct ay_run_found found;
	struct ay_err err = { 0 };
	struct ay_str b = { 0 }, t = { 0 };
	json_t *j;
	int attempts;

	for (int i = 0; i < 3; i++) {
		j = job_record(i);
		json_object_set_new(j, "run", json_string(i == 1 ? KERNEL_A : ay_run_id(r)));
		CHECK(!ay_record_seal(j, i == 2 ? KERNEL_A : ay_run_build_sha256(r), &b, &err));
		json_decref(j);
	}
	ay_run_close(r, &err);
	spill(path, b.s, b.len);
	r = resume(dir, &found);
	CHECK(found.records == 1 && found.fault[AY_FAULT_RUN] == 1 && found.fault[AY_FAULT_BUILD] == 1);
	CHECK(has_job(r, 0, &attempts) && !has_job(r, 1, &attempts) && !has_job(r, 2, &attempts));
	ay_run_found_print(&t, &found);
	CHECK_STR(ay_str_text(&t),
		  "1 records; 2 lines not taken, the first is line 2; 1: belongs to another run; 1: "
		  "judged by another build of assay");
	ay_run_close(r, &err);
	ay_str_release(&b);
	ay_str_release(&t);
}

/* What a stranger may put into the file. %F: the text is sealed by a forger. */
static const struct {
	const char *what, *text;
	enum ay_fault fault;
} hostile[] = {
	{ "no JSON", "hello", AY_FAULT_JSON },
	{ "half an object", "{\"type\":\"case\"", AY_FAULT_JSON },
	{ "two objects", "{\"type\":\"a\"}{\"type\":\"b\"}", AY_FAULT_JSON },
	{ "an array", "[1,2,3]", AY_FAULT_JSON },
	{ "a number", "42", AY_FAULT_JSON },
	{ "a string", "\"PASS\"", AY_FAULT_JSON },
	{ "null", "null", AY_FAULT_JSON },
	{ "an empty object", "{}", AY_FAULT_UNSEALED },
	{ "no seal", "{\"type\":\"error\",\"error\":\"x\"}", AY_FAULT_UNSEALED },
	{ "a seal that is a number", "{\"type\":\"error\",\"sha256\":1}", AY_FAULT_UNSEALED },
	{ "a short seal", "{\"type\":\"error\",\"sha256\":\"00\"}", AY_FAULT_ALTERED },
	{ "a seal of zeros",
	  "{\"type\":\"error\",\"sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\"}",
	  AY_FAULT_ALTERED },
	{ "a key twice", "{\"type\":\"error\",\"type\":\"case\"}", AY_FAULT_JSON },
	{ "a key twice, deep", "{\"type\":\"error\",\"id\":{\"a\":1,\"a\":2}}", AY_FAULT_JSON },
	{ "bytes that are no UTF-8", "{\"type\":\"\xff\xfe\"}", AY_FAULT_JSON },
	{ "half a surrogate", "{\"type\":\"\\ud800\"}", AY_FAULT_JSON },
	{ "an escaped NUL", "{\"type\":\"a\\u0000b\"}", AY_FAULT_JSON },
	{ "a huge integer", "{\"type\":\"error\",\"id\":99999999999999999999999}", AY_FAULT_JSON },
	{ "a huge real", "{\"type\":\"error\",\"id\":1e999}", AY_FAULT_JSON },
	{ "NaN", "{\"type\":\"error\",\"id\":NaN}", AY_FAULT_JSON },
	{ "a raw ESC", "{\"type\":\"\x1b[2J\"}", AY_FAULT_JSON },
	{ "a byte order mark", "\xef\xbb\xbf{\"type\":\"error\"}", AY_FAULT_JSON },
	{ "a comma too many", "{\"type\":\"error\",}", AY_FAULT_JSON },
	{ "deep arrays", "%D", AY_FAULT_DEEP },
	{ "deep arrays that never close", "%d", AY_FAULT_DEEP },
	{ "a long line", "%L", AY_FAULT_LONG },
	{ "sealed: no type", "%F{\"verdict\":\"PASS\"}", AY_FAULT_SHAPE },
	{ "sealed: type is a number", "%F{\"type\":1}", AY_FAULT_SHAPE },
	{ "sealed: a case without a line",
	  "%F{\"type\":\"case\",\"overload\":\"a\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\"}", AY_FAULT_SHAPE },
	{ "sealed: a line without its hash",
	  "%F{\"type\":\"case\",\"overload\":\"a\",\"line\":\"l\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\"}",
	  AY_FAULT_ALTERED },
	{ "sealed: unknown verdict",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":\"NONE\",\"kernel_sha256\":\"\"}",
	  AY_FAULT_SHAPE },
	{ "sealed: verdict is an object",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":{},\"kernel_sha256\":\"\"}", AY_FAULT_SHAPE },
	{ "sealed: a path for a hash",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":\"PASS\",\"kernel_sha256\":\"../../etc/passwd\"}",
	  AY_FAULT_SHAPE },
	{ "sealed: overloads is an array",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\",\"overloads\":[]"
	  "}",
	  AY_FAULT_SHAPE },
	{ "sealed: a negative count",
	  "%F{\"type\":\"kernel\",\"operator\":\"a\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\",\"overloads\":{"
	  "\"a\":{"
	  "\"verdict\":\"PASS\",\"counts\":{\"PASS\":-1}}}}",
	  AY_FAULT_SHAPE },
	{ "sealed: cases is text", "%F{\"type\":\"summary\",\"cases\":\"12\"}", AY_FAULT_SHAPE },
	{ "sealed: a suite of numbers", "%F{\"type\":\"suite\",\"operators\":{\"a\":[1]}}", AY_FAULT_SHAPE },
	{ "sealed: another run", "%F{\"type\":\"error\",\"run\":\"x\"}", AY_FAULT_RUN },
	{ "sealed: no run", "%F{\"type\":\"strange\",\"new\":true}", AY_FAULT_RUN },
};

static void hostile_text(struct ay_str *b, const char *text)
{
	if (ay_starts(text, "%F")) {
		forge(b, text + 2);
	} else if (ay_starts(text, "%L")) {
		for (int i = 0; i < 3 * AY_RECORD_MAX / 16; i++)
			ay_str_add(b, "{\"type\":\"case\"} ");
	} else if (text[0] == '%') {
		ay_str_add(b, "{\"id\":");
		for (int i = 0; i < 100000; i++)
			ay_str_addc(b, '[');
		for (int i = 0; i < 100000 && text[1] == 'D'; i++)
			ay_str_addc(b, ']');
		ay_str_addc(b, '}');
	} else {
		ay_str_add(b, text);
	}
}

TEST(store_hostile_lines_are_counted_and_passed_over)
{
	const char *dir = in_dir("r"), *path = in_dir("r/results.jsonl");
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = create(dir);
	size_t n, half;
	char *data;
	int attempts;

	CHECK(!add(r, job_record(0), &err) && !add(r, job_record(1), &err) && !ay_run_close(r, &err));
	data = slurp(&a, path, &n);
	half = (size_t)((char *)memchr(data, '\n', n) + 1 - data);
	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
		struct ay_str b = { 0 };

		ay_str_addn(&b, data, half);
		hostile_text(&b, hostile[i].text);
		ay_str_addc(&b, '\n');
		ay_str_addn(&b, data + half, n - half);
		spill(path, b.s, b.len);
		r = resume(dir, &found);
		CHECKF(found.records == 2 && found.fault[hostile[i].fault] == 1 && found.first_bad == 2,
		       "%s: %lld records, %s", hostile[i].what, (long long)found.records,
		       ay_fault_text(found.first_fault));
		CHECK(has_job(r, 0, &attempts) && has_job(r, 1, &attempts));
		CHECK(!ay_run_close(r, &err));
		slurp(&a, path, &half);
		CHECK(half == b.len); /* the bad line is still there */
		half = (size_t)((char *)memchr(data, '\n', n) + 1 - data);
		ay_str_release(&b);
	}
	ay_arena_release(&a);
}

TEST(store_hostile_files_are_survived)
{
	static const struct {
		const char *what, *text;
		size_t n;
		int64_t bad;
		enum ay_fault first;
	} files[] = {
		{ "empty", "", 0, 0, 0 },
		{ "one line end", "\n", 1, 0, 0 },
		{ "blank lines", "\n \n\t\r\n", 6, 0, 0 },
		{ "a NUL byte", "\0\n", 2, 1, AY_FAULT_NUL },
		{ "NUL bytes and no end", "\0\0\0\0", 4, 1, AY_FAULT_TORN },
		{ "ELF", "\177ELF\2\1\1\0\0\0\n\0", 12, 2, AY_FAULT_NUL },
		{ "carriage returns", "a\r\nb\r\n", 6, 2, AY_FAULT_JSON },
		{ "no end", "{\"type\":", 8, 1, AY_FAULT_TORN },
	};
	const char *dir = in_dir("r"), *path = in_dir("r/results.jsonl");
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = create(dir);

	ay_run_close(r, &err);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		int64_t bad = 0;

		spill(path, files[i].text, files[i].n);
		r = resume(dir, &found);
		for (int k = 0; k < AY_FAULT_COUNT; k++)
			bad += found.fault[k];
		CHECKF(!found.records && bad == files[i].bad && found.first_fault == files[i].first,
		       "%s: %lld bad, %s", files[i].what, (long long)bad, ay_fault_text(found.first_fault));
		CHECKF(!add(r, job_record(0), &err), "%s: %s", files[i].what, err.msg);
		ay_run_close(r, &err);
		r = resume(dir, &found);
		CHECKF(found.records == 1, "%s", files[i].what);
		ay_run_close(r, &err);
	}
}

TEST(store_follows_no_links_and_hangs_on_no_fifo)
{
	static const char *const names[] = { "run.json", "results.jsonl", "run.lock" };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r;

	spill(in_dir("victim"), "precious\n", 9);
	for (int i = 0; i < 9; i++) {
		char path[4400], dir[40];
		struct stat st;

		snprintf(dir, sizeof dir, "r%d", i);
		ay_run_close(create(in_dir(dir)), &err);
		snprintf(path, sizeof path, "%s/%s/%s", test_dir(), dir, names[i % 3]);
		CHECK(!unlink(path));
		CHECK(!(i < 3 ? symlink(in_dir("victim"), path) : i < 6 ? mkfifo(path, 0644) : mkdir(path, 0755)));
		if (i == 5) /* a lock that is a FIFO locks just as well */
			continue;
		CHECKF(ay_run_resume(in_dir(dir), NULL, &r, &found, &err), "%s %d", names[i % 3], i / 3);
		ay_err_clear(&err);
		CHECK(!stat(in_dir("victim"), &st) && st.st_size == 9);
	}
}

TEST(store_hostile_run_json_is_refused)
{
	static const char *const heads[] = { "",
					     "{",
					     "[]",
					     "{}",
					     "{\"run\":1}",
					     "{\"run\":\"short\"}",
					     "null",
					     "{\"run\":\"x\",\"run\":\"00000000000000000000000000000000\"}" };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = create(in_dir("r"));

	CHECK(!add(r, job_record(0), &err) && !ay_run_close(r, &err));
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		ay_err_clear(&err);
		spill(in_dir("r/run.json"), heads[i], strlen(heads[i]));
		CHECKF(ay_run_resume(in_dir("r"), NULL, &r, &found, &err) && strstr(err.msg, "damaged"), "%s: %s",
		       heads[i], err.msg);
	}
	CHECK(count_whole(in_dir("r")) == 1);
}

struct counted {
	int64_t good, bad[AY_FAULT_COUNT];
};

static int count_line(void *user, const struct ay_scan_line *l, struct ay_err *err)
{
	struct counted *c = user;

	(void)err;
	c->good += l->fault == AY_FAULT_NONE;
	c->bad[l->fault]++;
	return 0;
}

TEST(store_reader_does_not_care_how_bytes_arrive)
{
	struct ay_str b = { 0 };
	struct ay_err err = { 0 };

	for (int i = 0; i < 3; i++) {
		json_t *j = job_record(i);

		CHECK(!ay_record_seal(j, KERNEL_A, &b, &err));
		json_decref(j);
		ay_str_add(&b, i ? "garbage\n\n" : "\n");
	}
	ay_str_add(&b, "torn");
	for (size_t step = 1; step <= b.len; step = step * 3 + 1) {
		struct counted c = { 0 };
		struct ay_scan s = { .line = count_line, .user = &c };
		size_t from = 0, used;

		for (size_t to = 0; to < b.len;) {
			to = to + step < b.len ? to + step : b.len;
			CHECK(!ay_scan_feed(&s, b.s + from, to - from, to == b.len, &used, &err));
			from += used;
		}
		CHECKF(c.good == 3 && c.bad[AY_FAULT_JSON] == 2 && c.bad[AY_FAULT_TORN] == 1 &&
			       s.end == b.len - 4 && s.offset == b.len,
		       "step %zu: %lld good", step, (long long)c.good);
	}
	ay_str_release(&b);
}
