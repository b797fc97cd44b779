/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/backing.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* One line of /proc/PID/maps: addresses [lo, hi), and the byte of the file at lo. */
struct mapping {
	uint64_t lo, hi, dev, ino, offset;
};

/* struct procmap_query and PROCMAP_QUERY of linux/fs.h, which older headers lack. */
struct map_query {
	uint64_t size, flags, addr;
	uint64_t lo, hi, vma_flags, page_size, offset, ino;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name, build_id;
};
#define MAP_QUERY   _IOWR('f', 17, struct map_query)
#define MAP_OR_NEXT 0x10 /* flags: the mapping at addr, or else the next one */

/* Adds the part of a mapping that lies in [at, hi). */
static void add(struct ay_backing *b, const struct mapping *m, uint64_t at, uint64_t hi)
{
	const uint64_t lo = m->lo > at ? m->lo : at, end = m->hi < hi ? m->hi : hi;

	if (!m->ino || lo >= end)
		return;
	if (b->n == AY_BACKING_PIECES)
		b->more = true;
	else
		b->piece[b->n++] = (struct ay_file_piece){ m->dev, m->ino, m->offset + (lo - m->lo),
							   m->offset + (end - m->lo) };
}

/* Opens /proc/PID/maps. Returns 1 if the process has ended. */
static int open_maps(const struct ay_jailed *j, pid_t pid, int *fd, struct ay_err *err)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	*fd = j ? ay_jail_open(j, path) : open(path, O_RDONLY | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
	ay_fail_errno(err, AY_ERR_EXEC, "cannot read %s", path);
	if (!kill(pid, 0) || errno != ESRCH)
		return -1;
	ay_err_clear(err);
	return 1;
}

int ay_backing_find_in_text(const struct ay_jailed *j, pid_t pid, uint64_t lo, uint64_t hi, struct ay_backing *b,
			    struct ay_err *err)
{
	char line[8192];
	unsigned major, minor;
	struct mapping m;
	int fd, rc;
	FILE *f;

	b->more = false;
	b->n = 0;
	rc = open_maps(j, pid, &fd, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	f = fdopen(fd, "r");
	if (!f)
		AY_BUG("a descriptor that was just opened is not one");
	while (!b->more && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64, &m.lo, &m.hi, &m.offset,
			   &major, &minor, &m.ino) != 6)
			continue;
		m.dev = makedev(major, minor);
		add(b, &m, lo, hi);
	}
	fclose(f);
	return 0;
}

int ay_backing_find(const struct ay_jailed *j, pid_t pid, uint64_t lo, uint64_t hi, struct ay_backing *b,
		    struct ay_err *err)
{
	uint64_t at = lo;
	int e = 0, fd, rc;

	b->more = false;
	b->n = 0;
	rc = open_maps(j, pid, &fd, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	while (at < hi && !b->more && !e) {
		struct map_query q = { .size = sizeof q, .flags = MAP_OR_NEXT, .addr = at };
		struct mapping m;

		e = ioctl(fd, MAP_QUERY, &q) ? errno : 0;
		m = (struct mapping){ q.lo, q.hi, makedev(q.dev_major, q.dev_minor), q.ino, q.offset };
		if (!e)
			add(b, &m, at, hi);
		at = m.hi;
	}
	close(fd);
	/* ENOENT: no mapping follows. Other errors: Linux is too old */
	return e && e != ENOENT ? ay_backing_find_in_text(j, pid, lo, hi, b, err) : 0;
}

static bool share(const struct ay_file_piece *x, const struct ay_file_piece *y)
{
	return x->dev == y->dev && x->ino == y->ino && x->lo < y->hi && y->lo < x->hi;
}

bool ay_backing_meets(const struct ay_backing *a, const struct ay_backing *b)
{
	for (int i = 0; i < a->n; i++)
		for (int k = 0; k < b->n; k++)
			if (share(&a->piece[i], &b->piece[k]))
				return true;
	return false;
}

bool ay_backing_repeats(const struct ay_backing *b)
{
	for (int i = 0; i < b->n; i++)
		for (int k = 0; k < i; k++)
			if (share(&b->piece[i], &b->piece[k]))
				return true;
	return false;
}

bool ay_backing_has_file(const struct ay_backing *b, int fd)
{
	struct stat st;

	if (!b->n || fd < 0 || fstat(fd, &st))
		return false;
	for (int i = 0; i < b->n; i++)
		if (b->piece[i].ino == st.st_ino && b->piece[i].dev == (uint64_t)st.st_dev)
			return true;
	return false;
}
