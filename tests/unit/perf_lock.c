/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "base/arena.h"
#include "device/perf_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static cpu_set_t set_of(int a, int b)
{
	cpu_set_t s;

	CPU_ZERO(&s);
	CPU_SET((size_t)a, &s);
	CPU_SET((size_t)b, &s);
	return s;
}

static void count(void *user)
{
	++*(int *)user;
}

static _Noreturn void leave_waiting(void *user)
{
	(void)user;
	_exit(7); /* it would have had to wait */
}

/* Runs in its own process: exits with 7 if another process holds the set, 0 if it could be
 * taken. */
static int other_process(const char *dir, cpu_set_t cpus)
{
	struct ay_perf_lock l;
	struct ay_err err = { 0 };
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		_exit(ay_perf_lock_cpus_in(&l, dir, &cpus, leave_waiting, NULL, &err) ? 9 : 0);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(perf_lock_keeps_others_out)
{
	const char *dir = test_dir();
	struct ay_perf_lock l;
	struct ay_err err = { 0 };
	cpu_set_t cpus = set_of(1, 5);
	int waited = 0;

	CHECKF(!ay_perf_lock_cpus_in(&l, dir, &cpus, count, &waited, &err), "%s", err.msg);
	CHECK(l.n == 2 && !waited);
	CHECK(other_process(dir, set_of(1, 1)) == 7);
	CHECK(other_process(dir, set_of(5, 7)) == 7);
	CHECK(other_process(dir, set_of(0, 2)) == 0);
	ay_perf_unlock(&l);
	CHECK(other_process(dir, cpus) == 0);
}

/* A file that one user made must lock another user out, who may neither write nor remove it. */
TEST(perf_lock_is_for_every_user)
{
	const char *dir = test_dir();
	struct ay_perf_lock l;
	struct ay_err err = { 0 };
	cpu_set_t cpus = set_of(0, 1);
	pid_t pid;
	int status;

	if (geteuid())
		test_skip("only root can be two users");
	CHECK(!chmod(dir, 01777));
	CHECK(!ay_perf_lock_cpus_in(&l, dir, &cpus, NULL, NULL, &err));
	for (int held = 1; held >= 0; held--) {
		pid = fork();
		if (!pid) {
			if (setgid(65534) || setuid(65534) || chdir(dir))
				_exit(77);
			_exit(ay_perf_lock_cpus_in(&l, ".", &cpus, leave_waiting, NULL, &err) ? 9 : 0);
		}
		waitpid(pid, &status, 0);
		if (WEXITSTATUS(status) == 77)
			test_skip("the other user cannot enter the scratch folder");
		CHECKF(WEXITSTATUS(status) == (held ? 7 : 0), "held %d: ended with %d", held, WEXITSTATUS(status));
		ay_perf_unlock(&l);
	}
}

TEST(perf_lock_dies_with_its_holder)
{
	const char *dir = test_dir();
	struct ay_perf_lock l;
	struct ay_err err = { 0 };
	cpu_set_t cpus = set_of(0, 3);
	int ready[2], waited = 0;
	char c = 0;
	pid_t pid;

	CHECK(!pipe(ready));
	pid = fork();
	if (!pid) {
		if (ay_perf_lock_cpus_in(&l, dir, &cpus, NULL, NULL, &err) || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	CHECK(read(ready[0], &c, 1) == 1);
	CHECK(other_process(dir, cpus) == 7);
	if (!fork()) { /* while we wait below */
		usleep(50000);
		kill(pid, SIGKILL);
		_exit(0);
	}
	CHECKF(!ay_perf_lock_cpus_in(&l, dir, &cpus, count, &waited, &err), "%s", err.msg);
	CHECKF(waited == 1, "said %d times that it waits", waited);
	ay_perf_unlock(&l);
	while (wait(NULL) > 0)
		;
	close(ready[0]);
	close(ready[1]);
}

TEST(perf_lock_refuses_what_was_planted)
{
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct ay_perf_lock l;
	char *victim = ay_sprintf(&a, "%s/victim", dir), *name = ay_sprintf(&a, "%s/assay-cpu-2.lock", dir);
	cpu_set_t cpus = set_of(1, 2);
	int fd = open(victim, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	close(fd);
	for (int how = 0; how < 5; how++) {
		static const char *const words[] = { "symbolic link", "symbolic link", "special file",
						     "another name", "special file" };
		struct ay_err err = { 0 };
		int planted = how == 0   ? symlink(victim, name)
			      : how == 1 ? symlink("/nowhere/at-all", name)
			      : how == 2 ? mkfifo(name, 0666)
			      : how == 3 ? link(victim, name)
					 : mkdir(name, 0777);

		CHECK(!planted);
		CHECK(ay_perf_lock_cpus_in(&l, dir, &cpus, leave_waiting, NULL, &err) == -1);
		CHECKF(strstr(err.msg, words[how]) && strstr(err.msg, name), "%s", err.msg);
		CHECK(l.n == 0);
		CHECKF(other_process(dir, set_of(1, 1)) == 0, "CPU 1 is still held after the failure");
		CHECK(!remove(name));
	}
	ay_arena_release(&a);
}

/* The folder is cleaned while a lock is held. The next process uses a new file, and so does a
 * process that was waiting. */
TEST(perf_lock_survives_a_removed_file)
{
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct ay_perf_lock first, second;
	struct ay_err err = { 0 };
	cpu_set_t cpus = set_of(0, 0);
	char *name = ay_sprintf(&a, "%s/assay-cpu-0.lock", dir);
	struct stat st, held;
	mode_t old = umask(0077);

	CHECK(!ay_perf_lock_cpus_in(&first, dir, &cpus, NULL, NULL, &err));
	umask(old);
	/* every user may lock it, none may write to it */
	CHECK(!stat(name, &st) && (st.st_mode & 07777) == 0444);
	CHECK(!unlink(name));
	CHECKF(!ay_perf_lock_cpus_in(&second, dir, &cpus, leave_waiting, NULL, &err), "%s", err.msg);
	CHECK(!stat(name, &st) && !fstat(second.fd[0], &held) && st.st_ino == held.st_ino);
	ay_perf_unlock(&first);
	CHECK(other_process(dir, cpus) == 7);
	ay_perf_unlock(&second);
	ay_arena_release(&a);
}

struct cleaner {
	const char *name;
	pid_t holder;
};

static void clean_and_kill(void *user)
{
	struct cleaner *c = user;

	CHECK(!unlink(c->name) && !kill(c->holder, SIGKILL));
}

TEST(perf_lock_after_waiting_is_the_file_others_find)
{
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct ay_perf_lock l;
	struct ay_err err = { 0 };
	cpu_set_t cpus = set_of(0, 0);
	struct cleaner c = { .name = ay_sprintf(&a, "%s/assay-cpu-0.lock", dir) };
	int ready[2];
	char x;

	CHECK(!pipe(ready));
	c.holder = fork();
	if (!c.holder) {
		if (!ay_perf_lock_cpus_in(&l, dir, &cpus, NULL, NULL, &err) && write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	CHECK(read(ready[0], &x, 1) == 1);
	CHECKF(!ay_perf_lock_cpus_in(&l, dir, &cpus, clean_and_kill, &c, &err), "%s", err.msg);
	CHECKF(other_process(dir, cpus) == 7, "we hold a file that other processes do not find");
	ay_perf_unlock(&l);
	waitpid(c.holder, NULL, 0);
	ay_arena_release(&a);
}

/* Like other_process, but for a GPU. */
static int other_on_gpu(const char *dir, uint8_t last)
{
	uint8_t uuid[AY_GPU_UUID_BYTES] = { 0xab, [15] = last };
	struct ay_perf_lock l;
	struct ay_err err = { 0 };
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		_exit(ay_perf_lock_gpu_in(&l, dir, uuid, leave_waiting, NULL, &err) ? 9 : 0);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* One GPU has one lock, whatever its name. Another GPU, and every CPU, has another lock. */
TEST(perf_lock_of_a_gpu)
{
	const uint8_t uuid[AY_GPU_UUID_BYTES] = { 0xab, [15] = 1 };
	const char *dir = test_dir();
	struct ay_arena a = { 0 };
	struct ay_perf_lock l;
	struct ay_err err = { 0 };
	struct stat st;
	char *name = ay_sprintf(&a, "%s/assay-gpu-ab000000000000000000000000000001.lock", dir);

	CHECKF(!ay_perf_lock_gpu_in(&l, dir, uuid, leave_waiting, NULL, &err), "%s", err.msg);
	CHECK(l.n == 1 && !stat(name, &st) && (st.st_mode & 07777) == 0444);
	CHECK(other_on_gpu(dir, 1) == 7);
	CHECK(other_on_gpu(dir, 2) == 0 && other_process(dir, set_of(0, 1)) == 0);
	ay_perf_unlock(&l);
	CHECK(other_on_gpu(dir, 1) == 0);
	CHECK(!unlink(name) && !symlink("/nowhere/at-all", name));
	CHECK(ay_perf_lock_gpu_in(&l, dir, uuid, leave_waiting, NULL, &err) == -1 && l.n == 0);
	CHECKF(strstr(err.msg, "symbolic link") && strstr(err.msg, name), "%s", err.msg);
	ay_arena_release(&a);
}

/* Returns 0 if it could share the GPU, 7 if it had to wait. */
static int other_shares(const char *dir)
{
	const uint8_t uuid[AY_GPU_UUID_BYTES] = { 0xab, [15] = 1 };
	struct ay_perf_lock l;
	struct ay_err err = { 0 };
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		alarm(1); /* no callback reports that it waits */
		_exit(ay_perf_lock_gpu_shared_in(&l, dir, uuid, &err) ? 9 : 0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 7 : WEXITSTATUS(status);
}

/* Processes that only judge share a GPU with each other, but not with one that times. They cannot
 * keep the timing process out. */
TEST(perf_lock_of_a_gpu_is_shared)
{
	const uint8_t uuid[AY_GPU_UUID_BYTES] = { 0xab, [15] = 1 };
	const char *dir = test_dir();
	struct ay_perf_lock l, own;
	struct ay_err err = { 0 };
	int status = 0;
	pid_t pid;

	CHECKF(!ay_perf_lock_gpu_shared_in(&l, dir, uuid, &err), "%s", err.msg);
	CHECK(other_shares(dir) == 0 && other_on_gpu(dir, 1) == 7);
	pid = fork(); /* waits for the GPU; later processes wait behind it */
	if (!pid) {
		alarm(10);
		ay_perf_unlock(&l); /* this process's copy of the lock */
		_exit(ay_perf_lock_gpu_in(&own, dir, uuid, NULL, NULL, &err) ? 9 : 0);
	}
	usleep(200000);
	CHECK(other_shares(dir) == 7);
	ay_perf_unlock(&l);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
	CHECKF(!ay_perf_lock_gpu_in(&own, dir, uuid, NULL, NULL, &err), "%s", err.msg);
	CHECK(other_shares(dir) == 7);
	ay_perf_unlock(&own);
	CHECK(other_shares(dir) == 0);
}
