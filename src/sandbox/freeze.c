/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/freeze.h"

#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EAGER_NS = 300000, NAP_NS = 50000 };

/* The state of all tasks. */
enum frozen_tasks { RUNS, STANDS, ENDED };

static int order(int group, const char *text)
{
	int fd = openat(group, "cgroup.freeze", O_WRONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -1;
	rc = write(fd, text, 1) == 1 ? 0 : -1;
	close(fd);
	return rc;
}

static enum frozen_tasks look_at_group(pid_t pid, int group)
{
	int fd = openat(group, "cgroup.events", O_RDONLY | O_CLOEXEC);
	char text[256];
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	if (!strstr(text, "frozen 1"))
		return kill(pid, 0) && errno == ESRCH ? ENDED : RUNS;
	return STANDS;
}

/* Returns the state of a task (R, S, D, T, Z...), or 0 if it does not exist. The task's name comes
 * before it and may have any byte, so the last ')' counts. */
static char state_of(int tasks, const char *task)
{
	char path[40], text[512], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%.20s/stat", task);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	at = strrchr(text, ')');
	return at && at[1] == ' ' ? at[2] : 0;
}

/* Reads the state of each task. A task that ends meanwhile does not run; a new task is seen in this
 * pass or in the next. */
static enum frozen_tasks look_at_tasks(pid_t pid)
{
	enum frozen_tasks seen = ENDED;
	char path[40];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d && seen != RUNS && (e = readdir(d))) {
		char s = e->d_name[0] == '.' ? 0 : state_of(dirfd(d), e->d_name);

		if (s == 'T')
			seen = STANDS;
		else if (s && s != 'Z' && s != 'X')
			seen = RUNS;
	}
	if (d)
		closedir(d);
	return seen;
}

/* Two passes must agree: a task that was created during the first is stopped in the second, and
 * none is created in between. */
static enum frozen_tasks look(pid_t pid, int group)
{
	enum frozen_tasks s;

	if (group >= 0)
		return look_at_group(pid, group);
	s = look_at_tasks(pid);
	return s == STANDS ? look_at_tasks(pid) : s;
}

int ay_freeze(pid_t pid, int group, double timeout_s, enum ay_freeze *how, int64_t *took_ns, struct ay_err *err)
{
	const struct timespec nap = { 0, NAP_NS };
	int64_t begin = ay_now_ns(), now = begin;
	enum frozen_tasks seen = RUNS;

	*how = AY_FREEZE_LATE;
	if (group >= 0 ? order(group, "1") : kill(pid, SIGSTOP)) {
		if (group >= 0 || errno != ESRCH)
			return ay_fail_errno(err, AY_ERR_SYS, "cannot stop process %d", (int)pid);
		seen = ENDED;
	}
	while (seen == RUNS && now - begin < (int64_t)(timeout_s * 1e9)) {
		seen = look(pid, group);
		now = ay_now_ns();
		if (seen == RUNS && now - begin > EAGER_NS)
			nanosleep(&nap, NULL);
	}
	*took_ns = now - begin;
	if (seen != RUNS)
		*how = seen == STANDS ? AY_FREEZE_OK : AY_FREEZE_GONE;
	return 0;
}

int ay_thaw(pid_t pid, int group, int64_t *took_ns, struct ay_err *err)
{
	int64_t begin = ay_now_ns();
	int rc = group >= 0 ? order(group, "0") : kill(pid, SIGCONT);

	*took_ns = ay_now_ns() - begin;
	if (rc && (group >= 0 || errno != ESRCH))
		return ay_fail_errno(err, AY_ERR_SYS, "cannot continue process %d", (int)pid);
	return 0;
}
