/* SPDX-License-Identifier: Apache-2.0 */
#include "device/perf_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, SHARES_NAP_US = 2000 };

/* Returns one folder for all users of the machine. The choice depends only on the folder, not on
 * what this user may do there. */
static const char *lock_dir(void)
{
	struct stat st;

	if (!lstat("/run/lock", &st) && S_ISDIR(st.st_mode) && (st.st_mode & 01777) == 01777)
		return "/run/lock";
	return "/tmp";
}

/* Opens a lock file, or creates it if it does not exist. In a folder that everyone may write to,
 * Linux refuses O_CREAT for another user's file (fs.protected_regular). */
static int open_file(const char *path, struct ay_err *err)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

	for (int i = 0; i < TRIES; i++) {
		int fd = open(path, flags);

		if (fd >= 0 || errno == ELOOP)
			return fd >= 0 ? fd : ay_fail(err, AY_ERR_SYS, "'%s' is a symbolic link: remove it", path);
		/* another process is between open and fchmod, or access is really denied */
		if (errno == EACCES) {
			usleep(1000);
			errno = EACCES;
			continue;
		}
		if (errno != ENOENT)
			break;
		fd = open(path, flags | O_CREAT | O_EXCL, 0444);
		if (fd >= 0 && !fchmod(fd, 0444)) /* whatever the umask is */
			return fd;
		if (fd >= 0)
			close(fd);
		if (errno != EEXIST)
			break;
	}
	return ay_fail_errno(err, AY_ERR_SYS, "cannot open the lock '%s'", path);
}

/* Returns true if the file still has its name. A file that was removed while this process waited
 * for it is one that no other process will find. */
static bool still_there(int fd, const char *path)
{
	struct stat held, named;

	return !fstat(fd, &held) && !lstat(path, &named) && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}

/* Locks a file. how: LOCK_EX or LOCK_SH, with LOCK_NB to not wait. Returns 1 if LOCK_NB is set and
 * another process holds the lock. */
static int lock_file(int fd, const char *path, int how, void (**said)(void *user), void *user, struct ay_err *err)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink > 1)
		return ay_fail(err, AY_ERR_SYS, "'%s' is no lock of ours, but a %s: remove it", path,
			       S_ISREG(st.st_mode) ? "file with another name" : "special file");
	if (!flock(fd, how | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK && how & LOCK_NB)
		return 1;
	if (errno == EWOULDBLOCK && *said) {
		(*said)(user);
		*said = NULL;
	}
	while (flock(fd, how))
		if (errno != EINTR)
			return ay_fail_errno(err, AY_ERR_SYS, "cannot lock '%s'", path);
	return 0;
}

enum { HAD = -2 }; /* locked by another process */

/* Opens and locks one lock file. what: "cpu-3". Returns the descriptor, or -1, or HAD if another
 * process holds the lock and LOCK_NB is set. */
static int take_one(const char *dir, const char *what, int how, void (**said)(void *user), void *user,
		    struct ay_err *err)
{
	char path[4096];

	if (snprintf(path, sizeof path, "%s/assay-%s.lock", dir, what) >= (int)sizeof path)
		return ay_fail(err, AY_ERR_SYS, "the name of the folder for locks is too long");
	for (int i = 0; i < TRIES; i++) {
		int fd = open_file(path, err), rc;

		if (fd < 0)
			return -1;
		rc = lock_file(fd, path, how, said, user, err);
		if (!rc && still_there(fd, path))
			return fd;
		close(fd);
		if (rc)
			return rc < 0 ? -1 : HAD;
	}
	return ay_fail(err, AY_ERR_SYS, "the lock '%s' is removed again and again", path);
}

int ay_perf_lock_cpus_in(struct ay_perf_lock *l, const char *dir, const cpu_set_t *cpus, void (*said)(void *user),
			 void *user, struct ay_err *err)
{
	l->n = 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char what[20];
		int fd;

		if (!CPU_ISSET((size_t)cpu, cpus))
			continue;
		snprintf(what, sizeof what, "cpu-%d", cpu);
		fd = take_one(dir, what, LOCK_EX, &said, user, err);
		if (fd < 0) {
			ay_perf_unlock(l);
			return -1;
		}
		l->fd[l->n++] = fd;
	}
	return 0;
}

int ay_perf_lock_cpus(struct ay_perf_lock *l, const cpu_set_t *cpus, void (*said)(void *user), void *user,
		      struct ay_err *err)
{
	return ay_perf_lock_cpus_in(l, lock_dir(), cpus, said, user, err);
}

enum { GPU_NAME = 4 + 2 * AY_GPU_UUID_BYTES + 8 };

static const char *gpu_name(char what[GPU_NAME], const uint8_t uuid[AY_GPU_UUID_BYTES], const char *tail)
{
	int n = snprintf(what, GPU_NAME, "gpu-");

	for (int i = 0; i < AY_GPU_UUID_BYTES; i++)
		n += snprintf(what + n, (size_t)(GPU_NAME - n), "%02x", uuid[i]);
	snprintf(what + n, (size_t)(GPU_NAME - n), "%s", tail);
	return what;
}

/* Locks a GPU. Every process passes a second lock (the turnstile) first. A process that needs the
 * GPU exclusively holds the turnstile while it waits. Without it, processes that share the GPU
 * would come and go and keep it waiting for ever. */
static int enter_gpu(struct ay_perf_lock *l, const char *dir, const uint8_t uuid[AY_GPU_UUID_BYTES], int how,
		     void (*said)(void *user), void *user, struct ay_err *err)
{
	char what[GPU_NAME];
	int turnstile, fd;

	l->n = 0;
	turnstile = take_one(dir, gpu_name(what, uuid, "-turn"), LOCK_EX, &said, user, err);
	if (turnstile < 0)
		return -1;
	fd = take_one(dir, gpu_name(what, uuid, ""), how, &said, user, err);
	close(turnstile);
	if (fd < 0)
		return -1;
	l->fd[l->n++] = fd;
	return 0;
}

/* Locks free shares until l holds `shares` of them or no more are free. */
static int take_shares(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], int shares,
		       struct ay_err *err)
{
	void (*no_message)(void *user) = NULL;

	for (int i = 0; i < AY_GPU_MEMORY_SHARES && l->n < shares; i++) {
		char what[GPU_NAME], tail[24];
		int fd;

		snprintf(tail, sizeof tail, "-room-%d", i);
		fd = take_one(lock_dir(), gpu_name(what, uuid, tail), LOCK_EX | LOCK_NB, &no_message, NULL, err);
		if (fd >= 0)
			l->fd[l->n++] = fd;
		else if (fd != HAD)
			return -1;
	}
	return 0;
}

/* A process that waits for shares holds a turnstile. So no later process takes shares that would
 * suffice for a smaller request. */
int ay_perf_lock_gpu_memory(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], int shares,
			    struct ay_err *err)
{
	void (*no_message)(void *user) = NULL;
	char what[GPU_NAME];
	int turnstile, rc;

	l->n = 0;
	turnstile = take_one(lock_dir(), gpu_name(what, uuid, "-room"), LOCK_EX, &no_message, NULL, err);
	if (turnstile < 0)
		return -1;
	for (rc = 0; !rc && l->n < shares;) {
		rc = take_shares(l, uuid, shares, err);
		if (!rc && l->n < shares)
			usleep(SHARES_NAP_US);
	}
	close(turnstile);
	if (rc)
		ay_perf_unlock(l);
	return rc;
}

int ay_perf_lock_gpu_in(struct ay_perf_lock *l, const char *dir, const uint8_t uuid[AY_GPU_UUID_BYTES],
			void (*said)(void *user), void *user, struct ay_err *err)
{
	return enter_gpu(l, dir, uuid, LOCK_EX, said, user, err);
}

int ay_perf_lock_gpu(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], void (*said)(void *user),
		     void *user, struct ay_err *err)
{
	return enter_gpu(l, lock_dir(), uuid, LOCK_EX, said, user, err);
}

int ay_perf_lock_gpu_shared_in(struct ay_perf_lock *l, const char *dir, const uint8_t uuid[AY_GPU_UUID_BYTES],
			       struct ay_err *err)
{
	return enter_gpu(l, dir, uuid, LOCK_SH, NULL, NULL, err);
}

int ay_perf_lock_gpu_shared(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], struct ay_err *err)
{
	return enter_gpu(l, lock_dir(), uuid, LOCK_SH, NULL, NULL, err);
}

void ay_perf_unlock(struct ay_perf_lock *l)
{
	while (l->n)
		close(l->fd[--l->n]);
}
