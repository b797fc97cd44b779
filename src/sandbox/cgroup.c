/* SPDX-License-Identifier: Apache-2.0
 *
 * cgroups. In v2 a jail that needs one gets a cgroup of its own below the judge's and starts inside
 * it (CLONE_INTO_CGROUP). It is for the freezer, and for a limit on memory if that controller is
 * on. In v1 it is for a limit on memory alone. Joining a v1 cgroup can take 15 ms (a grace period
 * of the Linux kernel), so only jails that work for longer than a moment join. The v1 freezer is
 * never used: a process that it has frozen cannot be killed.
 *
 * A cgroup is named assay-<pid of the judge>-<index of the jail> and lives as long as its jail. If
 * a judge is killed, its jails end with it, so its cgroups are empty, and the next judge removes
 * them.
 */
#include "sandbox/sandbox_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, REMOVE_TRIES = 50 };

static bool put_at(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool put_number(int dir, const char *name, uint64_t x)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)x);
	return put_at(dir, name, text);
}

/* Opens the judge's own folder in a hierarchy. `mark` is what its line of /proc/self/cgroup has
 * between the colons. */
static int open_own(const char *mark, const char *const *mounts)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_BYTES], path[PATH_BYTES + 64];
	int dir = -1;

	while (f && dir < 0 && fgets(line, sizeof line, f)) {
		char *at = strchr(line, ':'), *own = at ? strchr(at + 1, ':') : NULL;

		if (!own || (size_t)(own - at - 1) != strlen(mark) || strncmp(at + 1, mark, strlen(mark)))
			continue;
		own[strcspn(own, "\n")] = 0;
		for (int i = 0; mounts[i] && dir < 0; i++) {
			snprintf(path, sizeof path, "%s%s", mounts[i], own + 1);
			dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			if (dir >= 0 && faccessat(dir, "cgroup.procs", F_OK, 0)) {
				close(dir);
				dir = -1;
			}
		}
	}
	if (f)
		fclose(f);
	return dir;
}

/* Removes the cgroups of judges that have ended. */
static void sweep(int root)
{
	DIR *d = fdopendir(openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *e;
	int pid, slot;

	while (d && (e = readdir(d)))
		if (sscanf(e->d_name, "assay-%d-%d", &pid, &slot) == 2 && kill(pid, 0) && errno == ESRCH)
			unlinkat(root, e->d_name, AT_REMOVEDIR);
	if (d)
		closedir(d);
}

static void name_group(char *name, size_t n, int slot)
{
	snprintf(name, n, "assay-%d-%d", (int)getpid(), slot);
}

static int make_at(int root, int slot)
{
	char name[40];

	name_group(name, sizeof name, slot);
	if (mkdirat(root, name, 0755) && errno != EEXIST)
		return -1;
	return openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Tests what a cgroup of its own offers, with an index that no jail has. Returns 0 or an errno. */
static int try_group(int *root, const char *file, const char *value)
{
	int dir = *root >= 0 ? make_at(*root, AY_JAILS_MAX) : -1, e = *root >= 0 ? errno : ENOENT;
	char name[40];

	name_group(name, sizeof name, AY_JAILS_MAX);
	if (dir >= 0) {
		e = put_at(dir, file, value) ? 0 : errno;
		close(dir);
		unlinkat(*root, name, AT_REMOVEDIR);
	}
	if (!e) {
		sweep(*root);
		return 0;
	}
	if (*root >= 0)
		close(*root);
	*root = -1;
	return e;
}

/* Returns 0 if a process can be started in a cgroup, which needs clone3, else an errno. A process
 * that joined a cgroup after its start could have left others outside of it. */
static int try_clone3(void)
{
	/* no arguments: EINVAL if the call exists */
	return syscall(SYS_clone3, NULL, 0) < 0 && errno != EINVAL ? errno : 0;
}

void ay_group_probe(struct ay_sandbox *s)
{
	static const char *const v2[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified", NULL };
	static const char *const v1[] = { "/sys/fs/cgroup/memory", NULL };
	int memory, e = ENOENT;

	s->why[AY_LAYER_I_FREEZER] = try_clone3();
	s->group_root = s->why[AY_LAYER_I_FREEZER] ? -1 : open_own("", v2);
	memory = s->group_root >= 0 ? dup(s->group_root) : -1;
	if (!s->why[AY_LAYER_I_FREEZER])
		s->why[AY_LAYER_I_FREEZER] = try_group(&s->group_root, "cgroup.freeze", "0");
	if (!s->why[AY_LAYER_I_FREEZER]) {
		s->layers |= AY_LAYER_FREEZER;
		e = try_group(&memory, "memory.max", "max");
		s->group_memory = !e;
	}
	if (memory >= 0)
		close(memory);
	if (e) {
		s->memory_root = open_own("memory", v1);
		e = try_group(&s->memory_root, "memory.limit_in_bytes", "-1");
	}
	s->why[AY_LAYER_I_MEMORY] = e;
	if (!e)
		s->layers |= AY_LAYER_MEMORY;
}

int ay_group_make(const struct ay_sandbox *s, struct ay_jailed *j)
{
	j->group = make_at(s->group_root, j->slot);
	if (j->group < 0)
		return -1;
	put_at(j->group, "cgroup.freeze", "0");
	if (s->group_memory &&
	    (!put_number(j->group, "memory.max", j->memory_bytes) || !put_at(j->group, "memory.oom.group", "1")))
		return -1;
	return 0;
}

int ay_group_join_memory(struct ay_jailed *j)
{
	j->memory = make_at(j->sandbox->memory_root, j->slot);
	if (j->memory < 0)
		return -1;
	/* Memory that the process has by now is counted in the cgroup it came from, so this limit
	 * is looser by that much. */
	if (!put_number(j->memory, "memory.limit_in_bytes", j->memory_bytes) ||
	    !put_number(j->memory, "cgroup.procs", (uint64_t)j->pid))
		return -1;
	return 0;
}

static void remove_at(int root, int *dir, int slot)
{
	const struct timespec nap = { 0, 1000000 };
	char name[40];

	if (*dir < 0)
		return;
	close(*dir);
	*dir = -1;
	name_group(name, sizeof name, slot);
	for (int i = 0; i < REMOVE_TRIES && unlinkat(root, name, AT_REMOVEDIR) && errno == EBUSY; i++)
		nanosleep(&nap, NULL); /* its last process is just ending */
}

void ay_group_remove(struct ay_jailed *j)
{
	remove_at(j->sandbox->group_root, &j->group, j->slot);
	remove_at(j->sandbox->memory_root, &j->memory, j->slot);
}

bool ay_jail_oom(const struct ay_jailed *j)
{
	static const char *const files[] = { "memory.events", "memory.oom_control" };
	char text[512];

	for (int i = 0; i < 2; i++) {
		int dir = i ? j->memory : j->group,
		    fd = dir < 0 ? -1 : openat(dir, files[i], O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
		const char *at;

		if (fd >= 0)
			close(fd);
		text[n > 0 ? n : 0] = 0;
		at = strstr(text, "oom_kill ");
		if (at && strtoull(at + 9, NULL, 10))
			return true;
	}
	return false;
}
