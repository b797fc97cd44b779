/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t ay_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Reads a file of /proc about a thread. Returns "" if there is none. */
static const char *read_task(pid_t pid, long tid, const char *name, char *text, size_t size)
{
	char path[100];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/task/%ld/%s", (int)pid, tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static int64_t thread_delay(pid_t pid, long tid)
{
	char text[200];
	long long ran, waited;

	return sscanf(read_task(pid, tid, "schedstat", text, sizeof text), "%lld %lld", &ran, &waited) == 2
		       ? waited
		       : 0;
}

/* Returns true if the thread runs or is ready to run. */
static bool is_ready(pid_t pid, long tid)
{
	char text[512];
	const char *end = strrchr(read_task(pid, tid, "stat", text, sizeof text), ')');

	return end && end[1] == ' ' && end[2] == 'R'; /* the name before it may hold anything */
}

int64_t ay_run_delay_ns(pid_t pid)
{
	return thread_delay(pid, pid);
}

int64_t ay_longest_run_delay_ns(pid_t pid, int64_t before, int64_t span, int *ready)
{
	char path[64];
	int64_t longest = 0;
	struct dirent *d;
	DIR *tasks;

	*ready = 0;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (d = readdir(tasks))) {
		const long tid = atol(d->d_name);
		int64_t delay;

		if (tid <= 0)
			continue;
		delay = thread_delay(pid, tid) - (tid == pid ? before : 0);
		delay = delay < span ? delay : span;
		longest = delay > longest ? delay : longest;
		*ready += is_ready(pid, tid);
	}
	if (tasks)
		closedir(tasks);
	return longest;
}

int ay_cpu_count(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

/* Becomes the program. Runs in the child: up to exec only async-signal-safe calls are allowed. */
static _Noreturn void become(const struct ay_run_spec *spec, char *const *env, int out, int report)
{
	int null = open("/dev/null", O_RDONLY), e;

	setpgid(0, 0);
	if (null >= 0 && dup2(null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0 &&
	    (!spec->dir || !chdir(spec->dir)))
		execve(spec->argv[0], (char *const *)spec->argv, env);
	e = errno;
	if (write(report, &e, sizeof e) < 0)
		_exit(126);
	_exit(127);
}

static int start(const struct ay_run_spec *spec, int *out, pid_t *pid, struct ay_err *err)
{
	static char locale[] = "LC_ALL=C";
	char path[4096], tmp[4096];
	char *own[] = { locale, path, tmp, NULL };
	int pipes[2][2] = { { -1, -1 }, { -1, -1 } }, e = 0;

	snprintf(path, sizeof path, "PATH=%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	snprintf(tmp, sizeof tmp, "TMPDIR=%s", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (pipe2(pipes[0], O_CLOEXEC) || pipe2(pipes[1], O_CLOEXEC))
		return ay_fail_errno(err, AY_ERR_SYS, "pipe");
	*pid = fork();
	if (!*pid)
		become(spec, spec->env ? (char *const *)spec->env : own, pipes[0][1], pipes[1][1]);
	close(pipes[0][1]);
	close(pipes[1][1]);
	*out = pipes[0][0];
	if (*pid < 0) {
		ay_fail_errno(err, AY_ERR_SYS, "cannot start '%s'", spec->argv[0]);
	} else if (read(pipes[1][0], &e, sizeof e) == sizeof e) {
		errno = e;
		ay_fail_errno(err, AY_ERR_SYS, "cannot start '%s'", spec->argv[0]);
		waitpid(*pid, NULL, 0);
	}
	close(pipes[1][0]);
	if (err->code)
		close(*out);
	return err->code ? -1 : 0;
}

/* Reads once from fd and adds to `to`, up to max bytes. Returns true if the other end is closed. */
static bool drain(int fd, struct ay_str *to, size_t max)
{
	char buf[16384];
	ssize_t n = read(fd, buf, sizeof buf);

	if (n > 0 && to->len < max)
		ay_str_addn(to, buf, (size_t)n < max - to->len ? (size_t)n : max - to->len);
	return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

/* Reads until the output is closed or the deadline has passed. */
static void read_output(pid_t pid, int out, int64_t deadline, size_t max, struct ay_run_result *res)
{
	for (;;) {
		int64_t left = deadline - ay_now_ns();
		struct pollfd p = { .fd = out, .events = POLLIN };

		if (left <= 0 && !res->timed_out) {
			res->timed_out = true;
			kill(-pid, SIGKILL);
		}
		if (poll(&p, 1, res->timed_out ? 100 : (int)(left / 1000000 + 1)) > 0 &&
		    drain(out, &res->output, max))
			break;
		if (res->timed_out && !p.revents)
			break; /* a process outside the group still holds the pipe */
	}
	close(out);
}

void ay_process_follow(pid_t pid, int out, double timeout_s, size_t output_max, struct ay_run_result *res)
{
	int64_t begin = ay_now_ns(), deadline = begin + (int64_t)(timeout_s * 1e9);
	int status = 0;

	*res = (struct ay_run_result){ 0 };
	read_output(pid, out, deadline, output_max, res);
	for (;;) {
		pid_t got = waitpid(pid, &status, res->timed_out ? 0 : WNOHANG);

		if (got == pid || (got < 0 && errno != EINTR))
			break;
		if (ay_now_ns() > deadline) { /* the child has closed its output but still runs */
			res->timed_out = true;
			kill(-pid, SIGKILL);
		}
		usleep(200);
	}
	kill(-pid, SIGKILL);
	res->status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	res->wall_s = (double)(ay_now_ns() - begin) / 1e9;
}

int ay_process_run(const struct ay_run_spec *spec, struct ay_run_result *res, struct ay_err *err)
{
	int out;
	pid_t pid;

	*res = (struct ay_run_result){ 0 };
	if (start(spec, &out, &pid, err))
		return -1;
	setpgid(pid, pid); /* the child calls it too; whichever call comes first counts */
	ay_process_follow(pid, out, spec->timeout_s, spec->output_max, res);
	return 0;
}
