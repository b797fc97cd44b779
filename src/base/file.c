/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int fd, char *dst, size_t len)
{
	while (len) {
		ssize_t n = read(fd, dst, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		dst += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_all(int fd, const char *src, size_t len)
{
	while (len) {
		ssize_t n = write(fd, src, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		src += n;
		len -= (size_t)n;
	}
	return 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode)                    ? "it is a folder"
	       : S_ISFIFO(mode)                 ? "it is a FIFO"
	       : S_ISSOCK(mode)                 ? "it is a socket"
	       : S_ISCHR(mode) || S_ISBLK(mode) ? "it is a device"
	       : S_ISLNK(mode)                  ? "it is a symbolic link"
						: "it is not a regular file";
}

const char *ay_file_why_not(const struct stat *st)
{
	return S_ISREG(st->st_mode) ? NULL : kind_of(st->st_mode);
}

/* Reads the regular file `name` of the folder `dir`; `path` is for messages. A file of another kind
 * is not opened, because opening a FIFO may wait and opening a device may act. */
static int read_at(struct ay_arena *a, int dir, const char *name, bool follow, const char *path, size_t max,
		   char **data, size_t *len, struct ay_err *err)
{
	struct stat st, after;
	int fd, rc = -1;

	if (fstatat(dir, name, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW))
		return ay_fail_errno(err, AY_ERR_IO, "cannot read '%s'", path);
	if (!S_ISREG(st.st_mode))
		return ay_fail(err, AY_ERR_IO, "cannot read '%s': %s", path, kind_of(st.st_mode));
	/* O_NONBLOCK in case a FIFO has taken the name since */
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
	if (fd < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot read '%s'", path);
	if (fstat(fd, &st))
		ay_fail_errno(err, AY_ERR_IO, "cannot read '%s'", path);
	else if (!S_ISREG(st.st_mode))
		ay_fail(err, AY_ERR_IO, "cannot read '%s': %s", path, kind_of(st.st_mode));
	else if ((unsigned long long)st.st_size > max)
		ay_fail(err, AY_ERR_IO, "cannot read '%s': %lld bytes, the limit is %zu", path,
			(long long)st.st_size, max);
	else
		rc = 0;
	if (!rc) {
		*len = (size_t)st.st_size;
		*data = ay_alloc(a, *len + 1);
		if (read_all(fd, *data, *len) || fstat(fd, &after) || !is_same(&st, &after))
			rc = ay_fail(err, AY_ERR_IO, "cannot read '%s': it changed while it was read", path);
	}
	close(fd);
	return rc;
}

int ay_file_read(struct ay_arena *a, const char *path, size_t max, char **data, size_t *len, struct ay_err *err)
{
	return read_at(a, AT_FDCWD, path, true, path, max, data, len, err);
}

int ay_file_read_below(struct ay_arena *a, const char *path, size_t folder, size_t max, char **data, size_t *len,
		       struct ay_err *err)
{
	const char *at = path + folder;
	int dir = open(ay_strndup(a, path, folder), O_PATH | O_DIRECTORY | O_CLOEXEC), rc = -1;

	while (dir >= 0 && strchr(at, '/')) {
		const size_t n = strcspn(at, "/");
		const int next = n ? openat(dir, ay_strndup(a, at, n),
					    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
				   : fcntl(dir, F_DUPFD_CLOEXEC, 0);

		close(dir);
		dir = next;
		at += n + 1;
	}
	if (dir < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot read '%s'", path);
	rc = read_at(a, dir, at, false, path, max, data, len, err);
	close(dir);
	return rc;
}

int ay_file_write(const char *path, const void *data, size_t len, struct ay_err *err)
{
	char tmp[4096];
	int fd;

	if (snprintf(tmp, sizeof tmp, "%s.XXXXXX", path) >= (int)sizeof tmp)
		return ay_fail(err, AY_ERR_IO, "cannot write '%.200s...': the name is too long", path);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot write '%s'", path);
	if (write_all(fd, data, len) || fchmod(fd, 0644) || rename(tmp, path)) {
		ay_fail_errno(err, AY_ERR_IO, "cannot write '%s'", path);
		unlink(tmp);
		close(fd);
		return -1;
	}
	close(fd);
	return 0;
}

int ay_file_mkdirs(const char *path, struct ay_err *err)
{
	char p[4096];

	if (snprintf(p, sizeof p, "%s", path) >= (int)sizeof p)
		return ay_fail(err, AY_ERR_IO, "cannot make '%.200s...': the name is too long", path);
	for (char *s = p + 1;; s++) {
		char c = *s;

		if (c && c != '/')
			continue;
		*s = 0;
		if (mkdir(p, 0755) && errno != EEXIST)
			return ay_fail_errno(err, AY_ERR_IO, "cannot make the folder '%s'", p);
		*s = c;
		if (!c)
			return 0;
	}
}

bool ay_file_exists(const char *path)
{
	return !access(path, F_OK);
}

char *ay_file_program(struct ay_arena *a, const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : ay_strdup(a, name);
	for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");
		char *full = ay_sprintf(a, "%.*s/%s", (int)n, p, name);

		if (n && !access(full, X_OK))
			return full;
		p += n + (p[n] == ':');
	}
	return NULL;
}

char *ay_file_beside(struct ay_arena *a, const char *name)
{
	char self[4096];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *slash;

	if (n <= 0)
		return NULL;
	self[n] = 0;
	slash = strrchr(self, '/');
	return slash ? ay_sprintf(a, "%.*s%s", (int)(slash + 1 - self), self, name) : NULL;
}

const char *ay_file_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
