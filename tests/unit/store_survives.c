/* SPDX-License-Identifier: Apache-2.0
 *
 * store_survives - tests that added records survive a kill, a full disk and a second writer.
 */
#include "test.h"
#include "helpers.h"
#include "store_fixture.h"

#include <errno.h>
#include <fcntl.h>
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

/* Goes on with the run: adds the jobs that are missing and says which were added, until it is
 * killed. */
static void write_until_killed(const char *dir, int fd)
{
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r;

	if (ay_run_resume(dir, NULL, &r, &found, &err))
		_exit(3);
	for (int i = 0;; i++) {
		int attempts;

		if (store_fixture_has_job(r, i, &attempts))
			continue;
		if (store_fixture_add(r, store_fixture_job_record(i), &err) || write(fd, &i, sizeof i) != sizeof i)
			_exit(4);
		if (ay_run_progress_due(r) && ay_run_progress(r, NULL, &err))
			_exit(5);
	}
}

TEST(store_kill_at_twenty_points_loses_nothing)
{
	const char *dir = help_path("r");
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = store_fixture_create(dir);
	int promised = 0, attempts;

	ay_run_close(r, &err);
	srandom((unsigned)time(NULL));
	for (int round = 0; round < 20; round++) {
		int fd[2], status, i;
		/* otherwise it may still be reading */
		int awaited = round % 4 ? 1 + (int)(random() % 12) : 0;
		pid_t pid;

		CHECK(!pipe2(fd, O_CLOEXEC));
		pid = fork();
		if (!pid) {
			close(fd[0]);
			write_until_killed(dir, fd[1]);
		}
		close(fd[1]);
		for (; awaited && read(fd[0], &i, sizeof i) == sizeof i; awaited--)
			promised = i + 1;
		CHECK(!awaited); /* it was killed, and did not end by itself */
		usleep((useconds_t)(random() % 5000));
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
		while (read(fd[0], &i, sizeof i) == sizeof i)
			promised = i + 1;
		close(fd[0]);
		r = store_fixture_resume(dir, &found);
		if (!r)
			return;
		for (i = 0; i < promised; i++)
			CHECKF(store_fixture_has_job(r, i, &attempts) && attempts == 1,
			       "round %d: job %d of %d: %d times", round, i, promised, attempts);
		/* one more record may be written but not reported */
		CHECK(found.records >= promised && found.records <= promised + 1);
		CHECK(found.lines == found.records + found.fault[AY_FAULT_TORN]);
		ay_run_close(r, &err);
		CHECK(store_fixture_count_whole(dir) == found.records);
		promised = (int)found.records;
	}
	CHECK(promised >= 15); /* at least one in each round that waited */
	CHECKF(!err.code, "%s", err.msg);
}

TEST(store_torn_line_is_cut_at_any_byte)
{
	const char *dir = help_path("r"), *path = help_path("r/results.jsonl");
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = store_fixture_create(dir);
	size_t n, whole;
	char *data;
	int attempts;

	CHECK(!store_fixture_add(r, store_fixture_job_record(0), &err) &&
	      !store_fixture_add(r, store_fixture_job_record(1), &err) && !ay_run_close(r, &err));
	data = help_slurp(&a, path, &n);
	whole = (size_t)((char *)memchr(data, '\n', n) + 1 - data);
	for (size_t keep = whole; keep < n; keep += keep < n - 4 ? 29 : 1) {
		if (keep > n - 4 && keep < n - 1)
			keep = n - 1; /* all but the line's end */
		help_spill(path, data, keep);
		r = store_fixture_resume(dir, &found);
		CHECK(found.records == 1 && found.fault[AY_FAULT_TORN] == (keep > whole));
		CHECK(store_fixture_has_job(r, 0, &attempts) && !store_fixture_has_job(r, 1, &attempts));
		CHECK(!store_fixture_add(r, store_fixture_job_record(2), &err) &&
		      store_fixture_has_job(r, 2, &attempts));
		CHECK(!ay_run_close(r, &err) && store_fixture_count_whole(dir) == 2);
	}
	CHECK(strstr(help_slurp(&a, help_path("r/results.rejected.jsonl"), &n),
		     "has no end")); /* noted, not lost */
	ay_arena_release(&a);
}

/* Adds records until that fails. Checks that the error is clear, the file ends in a whole record,
 * every added record is there, and the run can be resumed. */
static int fill(const char *dir, const char *says, struct ay_err *err)
{
	struct ay_run *r = store_fixture_create(dir);
	int n = 0;

	while (r && n < 100000 && !store_fixture_add(r, store_fixture_job_record(n), err))
		n++;
	CHECKF(n > 10 && n < 100000, "%d records", n);
	if (!n)
		return 0;
	CHECKF(strstr(err->msg, says) && strstr(err->msg, "--resume-from"), "%s", err->msg);
	CHECK(store_fixture_count_whole(dir) == n);
	ay_err_clear(err);
	/* still no room, and the file is still whole */
	CHECK(store_fixture_add(r, store_fixture_job_record(n), err));
	CHECK(store_fixture_count_whole(dir) == n);
	ay_err_clear(err);
	ay_run_close(r, err);
	return n;
}

static void go_on(const char *dir, int n)
{
	struct ay_run_found found;
	struct ay_err err = { 0 };
	struct ay_run *r = store_fixture_resume(dir, &found);

	CHECK(found.records == n && !found.first_bad);
	CHECKF(!store_fixture_add(r, store_fixture_job_record(n), &err), "%s", err.msg);
	ay_run_close(r, &err);
	CHECK(store_fixture_count_whole(dir) == n + 1);
}

TEST(store_file_size_limit_ends_in_a_clear_error)
{
	struct rlimit lim = { 20000, RLIM_INFINITY };
	struct ay_err err = { 0 };
	int n;

	signal(SIGXFSZ, SIG_IGN);
	CHECK(!setrlimit(RLIMIT_FSIZE, &lim));
	n = fill(help_path("r"), "ulimit -f", &err);
	lim.rlim_cur = RLIM_INFINITY;
	CHECK(!setrlimit(RLIMIT_FSIZE, &lim));
	go_on(help_path("r"), n);
}

static bool write_map(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Mounts a small tmpfs: as root in a mount namespace, else inside a user namespace. */
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

	if (!mount_small(help_path("small")))
		test_skip("no small file system can be mounted here: %s", strerror(errno));
	n = fill(help_path("small/r"), "disk is full", &err);
	CHECK(!mount("none", help_path("small"), "tmpfs", MS_REMOUNT, "size=1m"));
	go_on(help_path("small/r"), n);
	umount(help_path("small"));
}

/* Runs as a user without write permission (another user, if this process is root). Exit status 0 = refused with
 * a clear message. */
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
	const char *dir = help_path("r");
	struct ay_err err = { 0 };
	struct ay_run *r = store_fixture_create(dir);
	int rc;

	CHECK(!store_fixture_add(r, store_fixture_job_record(0), &err) && !ay_run_close(r, &err));
	CHECK(!chmod(test_dir(), 0755) && !chmod(help_path("r/results.jsonl"), 0444) &&
	      !chmod(help_path("r/run.lock"), 0444));
	CHECK(!chmod(dir, 0555) && !mkdir(help_path("empty"), 0555));
	rc = try_read_only(dir, true);
	CHECKF(!rc, "resume: %d", rc);
	rc = try_read_only(help_path("empty"), false);
	CHECKF(!rc, "create: %d", rc);
	CHECK(!chmod(dir, 0755) && store_fixture_count_whole(dir) == 1);
}

TEST(store_second_writer_is_refused)
{
	const char *dir = help_path("r");
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = store_fixture_create(dir), *second;
	char pid[40];

	snprintf(pid, sizeof pid, "(process %d)", (int)getpid());
	CHECK(ay_run_resume(dir, NULL, &second, &found, &err) && !second);
	CHECKF(strstr(err.msg, "another assay") && strstr(err.msg, pid), "%s", err.msg);
	ay_err_clear(&err);
	CHECK(ay_run_create(dir, NULL, &second, &err) && strstr(err.msg, "another assay"));
	ay_err_clear(&err);
	CHECK(!store_fixture_add(r, store_fixture_job_record(0), &err) && !ay_run_close(r, &err));
	r = store_fixture_resume(dir, &found);
	CHECK(found.records == 1);
	ay_run_close(r, &err);
}
