/* SPDX-License-Identifier: Apache-2.0 */
#include "store/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLUSH_AT = 1 << 16 };

static const char *advice(int e)
{
	switch (e) {
	case ENOSPC:
	case EDQUOT:
		return "the disk is full; what was recorded is safe: make room, then go on with --resume-from";
	case EFBIG:
		return "a limit on file sizes (ulimit -f) was met; what was recorded is safe: raise it, then go "
		       "on with "
		       "--resume-from";
	case EROFS:
	case EACCES:
	case EPERM: return "the folder must be writable; choose another with --out, or change its rights";
	case EIO: return "the disk reports damage; copy the folder to another disk before going on";
	case ELOOP: return "it is a link, and the store follows none inside a run folder";
	default: return "what was recorded is safe";
	}
}

int ay_folder_fail(const struct ay_folder *d, const char *what, const char *name, struct ay_err *err)
{
	int e = errno;

	return ay_fail(err, AY_ERR_IO, "cannot %s '%s/%s': %s (%s)", what, d->path, name, strerror(e), advice(e));
}

static int write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t w = write(fd, s, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return errno;
		s += w;
		n -= (size_t)w;
	}
	return 0;
}

int ay_folder_begin(struct ay_folder_file *f, const struct ay_folder *d, const char *name, struct ay_err *err)
{
	const char *slash = strrchr(name, '/');
	int base = slash ? (int)(slash + 1 - name) : 0;

	*f = (struct ay_folder_file){ .dir = d, .name = name, .fd = -1 };
	if (snprintf(f->tmp, sizeof f->tmp, "%.*s.%s.tmp", base, name, name + base) >= (int)sizeof f->tmp)
		return ay_fail(err, AY_ERR_IO, "cannot write '%.100s...': the name is too long", name);
	unlinkat(d->fd, f->tmp, 0);
	f->fd = openat(d->fd, f->tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	return f->fd < 0 ? ay_folder_fail(d, "write", name, err) : 0;
}

static void flush(struct ay_folder_file *f)
{
	if (!f->failed)
		f->failed = write_all(f->fd, ay_str_text(&f->buf), f->buf.len);
	ay_str_clear(&f->buf);
}

void ay_folder_flush(struct ay_folder_file *f)
{
	if (f->buf.len >= FLUSH_AT)
		flush(f);
}

int ay_folder_end(struct ay_folder_file *f, bool sync, struct ay_err *err)
{
	const struct ay_folder *d = f->dir;

	flush(f);
	if (!f->failed && sync && fdatasync(f->fd))
		f->failed = errno;
	close(f->fd);
	ay_str_release(&f->buf);
	if (!f->failed && renameat(d->fd, f->tmp, d->fd, f->name))
		f->failed = errno;
	if (!f->failed)
		return 0;
	unlinkat(d->fd, f->tmp, 0);
	errno = f->failed;
	return ay_folder_fail(d, "write", f->name, err);
}

int ay_folder_write(const struct ay_folder *d, const char *name, const void *data, size_t n, bool sync,
		    struct ay_err *err)
{
	struct ay_folder_file f;

	if (ay_folder_begin(&f, d, name, err))
		return -1;
	f.failed = write_all(f.fd, data, n);
	return ay_folder_end(&f, sync, err);
}

static int read_all(int fd, char *dst, size_t n)
{
	while (n) {
		ssize_t r = read(fd, dst, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			errno = r ? errno : EIO;
			return -1;
		}
		dst += r;
		n -= (size_t)r;
	}
	return 0;
}

int ay_folder_read(const struct ay_folder *d, const char *name, struct ay_arena *a, size_t max, char **data,
		   size_t *n, struct ay_err *err)
{
	int fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), rc = -1;
	struct stat st;

	*data = NULL;
	*n = 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : ay_folder_fail(d, "read", name, err);
	if (fstat(fd, &st)) {
		ay_folder_fail(d, "read", name, err);
	} else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > max) {
		ay_fail(err, AY_ERR_IO, "cannot read '%s/%s': not a file of at most %zu bytes", d->path, name,
			max);
	} else {
		*n = (size_t)st.st_size;
		*data = ay_alloc(a, *n + 1);
		rc = read_all(fd, *data, *n) ? ay_folder_fail(d, "read", name, err) : 0;
	}
	close(fd);
	return rc;
}
