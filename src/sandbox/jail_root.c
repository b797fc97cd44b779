/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the file system that a jailed process sees: an empty root into which the rows of a table
 * are bound, read-only, and Landlock around it. Everything here runs in the child between fork and
 * exec: no allocation, no locks.
 *
 * The root is empty and has an allow-list, because even a read-only view of the whole machine would
 * show keys to read and daemons' sockets to connect to. Rows that are symbolic links on this
 * machine (/lib on merged systems) become the same links in the root.
 */
#include "sandbox/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	JIT = 1 << AY_JAIL_PYTHON_GPU,
	RUN = 1 << AY_JAIL_EXECUTOR | 1 << AY_JAIL_GPU | 1 << AY_JAIL_PYTHON,
	BUILD = 1 << AY_JAIL_FORGE | JIT, /* kinds with compilers */
	BOTH = RUN | BUILD,
	PATH_BYTES = 512,
};

/* Rows that do not exist on this machine are ignored. */
static const struct {
	const char *path;
	unsigned kinds;
} binds[] = {
	{ "/usr/lib", RUN },
	{ "/usr/lib64", RUN },
	{ "/usr/local/lib", RUN },
	{ "/usr", BUILD },
	{ "/lib", BOTH },
	{ "/lib64", BOTH },
	{ "/lib32", BUILD },
	{ "/bin", BUILD },
	{ "/sbin", JIT }, /* for ldconfig */
	{ "/etc/alternatives", BUILD },
	/* Debian's link from /usr/lib leads to the next two */
	{ "/etc/alternatives/libopenblas.so.0-x86_64-linux-gnu", RUN },
	{ "/etc/alternatives/libopenblas.so.0-aarch64-linux-gnu", RUN },
	{ "/etc/ld.so.conf", BUILD },
	{ "/etc/ld.so.conf.d", BUILD },
	{ "/etc/ld.so.cache", BOTH },
	{ "/nix/store", BOTH },
	{ "/dev/null", BOTH },
	/* for reading: its data is that of getrandom; JAX's std::random_device does not start
	 * without it */
	{ "/dev/urandom", 1 << AY_JAIL_PYTHON | JIT },
	/* the number of cores, for libgomp and OpenBLAS */
	{ "/sys/devices/system/cpu", RUN | JIT },
};

/* --- the root -------------------------------------------------------------------------------------------- */

const char *ay_root_base(const struct ay_jail_spec *spec)
{
	static const char *const places[] = { "/mnt", "/media", "/srv", "/opt", "/tmp" };
	struct stat st;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		bool free = !lstat(places[i], &st) && S_ISDIR(st.st_mode);

		for (const char *const *p = spec->also; free && p && *p; p++)
			free = strncmp(*p, places[i], strlen(places[i]));
		for (const char *const *p = spec->drivers; free && p && *p; p++)
			free = strncmp(*p, places[i], strlen(places[i]));
		if (free)
			return places[i];
	}
	return NULL;
}

/* Makes the folders above path, below the base of n bytes. */
static void make_parents(char *path, size_t n)
{
	for (char *p = path + n + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0755);
		*p = '/';
	}
}

static void bind_one(const struct ay_plan *p, const char *from)
{
	char to[PATH_BYTES], link[PATH_BYTES];
	size_t n = strlen(p->base);
	struct stat st;

	if (lstat(from, &st) || n + strlen(from) >= sizeof to)
		return;
	memcpy(to, p->base, n);
	memcpy(to + n, from, strlen(from) + 1);
	make_parents(to, n);
	if (S_ISLNK(st.st_mode)) {
		ssize_t k = readlink(from, link, sizeof link - 1);

		link[k > 0 ? k : 0] = 0;
		if (k <= 0 || (symlink(link, to) && errno != EEXIST))
			ay_step_failed(p, AY_LAYER_I_MOUNT, from);
		return;
	}
	if (S_ISDIR(st.st_mode))
		mkdir(to, 0755);
	else
		close(open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	if (mount(from, to, NULL, MS_BIND | MS_REC, NULL))
		ay_step_failed(p, AY_LAYER_I_MOUNT, from);
}

static void bind_all(const struct ay_plan *p, const char *const *list)
{
	for (; list && *list; list++)
		bind_one(p, *list);
}

/* Mounts /proc. Kernels under test see only processes there, no settings or symbols of Linux. Older
 * versions of Linux do not have that subset. */
static void mount_proc(const struct ay_plan *p)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | (p->spec->nodes ? 0 : MS_RDONLY);
	char to[64];

	snprintf(to, sizeof to, "%s/proc", p->base);
	mkdir(to, 0555);
	if ((p->spec->whole_proc || mount("proc", to, "proc", flags, "subset=pid")) &&
	    mount("proc", to, "proc", flags, NULL))
		ay_step_failed(p, AY_LAYER_I_PROC, "mount of /proc");
}

/* Makes the new root the only one. The old root disappears with its last name. */
static void change_root(const struct ay_plan *p)
{
	/* arguments of mount_setattr: attributes to set (read-only, nosuid), to clear, propagation,
	 * user namespace */
	uint64_t ro[4] = { 1 | 2 }, rw[4] = { 0, 1 };

	if (chdir(p->base) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/"))
		ay_step_failed(p, AY_LAYER_I_MOUNT, "pivot_root");
	if (syscall(SYS_mount_setattr, AT_FDCWD, "/", 0x8000 /* AT_RECURSIVE */, ro, sizeof ro))
		ay_step_failed(p, AY_LAYER_I_MOUNT, "mount_setattr");
	/* CUDA's driver names its threads by writing to their files there, and does not start if it
	 * cannot */
	if (p->spec->nodes && p->layers & AY_LAYER_PROC &&
	    syscall(SYS_mount_setattr, AT_FDCWD, "/proc", 0, rw, sizeof rw))
		ay_step_failed(p, AY_LAYER_I_PROC, "mount_setattr");
}

void ay_root_enter(const struct ay_plan *p)
{
	const struct ay_jail_spec *s = p->spec;
	char work[64];

	if (!p->base)
		ay_step_failed(p, AY_LAYER_I_MOUNT, "a folder to build on");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("assay", p->base, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,nr_inodes=1k,mode=755"))
		ay_step_failed(p, AY_LAYER_I_MOUNT, "mount of a tmpfs");
	for (size_t i = 0; i < sizeof binds / sizeof *binds; i++)
		if (binds[i].kinds >> s->kind & 1)
			bind_one(p, binds[i].path);
	bind_all(p, s->also);
	bind_all(p, s->drivers);
	bind_all(p, s->nodes);
	if (p->layers & AY_LAYER_PROC)
		mount_proc(p);
	snprintf(work, sizeof work, "%s" AY_WORK, p->base);
	mkdir(work, 0700);
	change_root(p);
	if (p->work[0] && mount("assay", AY_WORK, "tmpfs", MS_NOSUID | MS_NODEV, p->work_mount))
		ay_step_failed(p, AY_LAYER_I_MOUNT, "mount of the working folder");
}

/* --- Landlock -------------------------------------------------------------------------------------------- */

/* Landlock's structures, declared here: headers of today's distributions stop at the second
 * version. */
struct ruleset {
	uint64_t fs, net, scoped;
};
struct beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	TRUNCATE = 1 << 14,
	IOCTL_DEV = 1 << 15
};
#define LOOK (EXECUTE | READ_FILE | READ_DIR)

/* Returns the kinds of access that this version knows, up to version 5; later ones are not
 * restricted. */
static uint64_t fs_bits(int abi)
{
	static const uint8_t bits[] = { 0, 13, 14, 15, 15, 16 };

	return (1u << bits[abi < 5 ? abi : 5]) - 1;
}

int ay_root_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1u /* LANDLOCK_CREATE_RULESET_VERSION */);

	return abi > 0 ? (int)abi : 0;
}

static void allow(const struct ay_plan *p, int rules, const char *path, uint64_t access)
{
	struct beneath b = { .allowed = access, .parent = open(path, O_PATH | O_CLOEXEC) };
	struct stat st;

	if (b.parent < 0)
		return;
	if (!fstat(b.parent, &st) && !S_ISDIR(st.st_mode))
		b.allowed &= EXECUTE | WRITE_FILE | READ_FILE | IOCTL_DEV;
	if (syscall(SYS_landlock_add_rule, rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &b, 0))
		ay_step_failed(p, AY_LAYER_I_LANDLOCK, path);
	close(b.parent);
}

static bool is_gpu(enum ay_jail_kind kind)
{
	return kind == AY_JAIL_GPU || kind == AY_JAIL_PYTHON_GPU;
}

/* With a root of its own, one rule covers all of it. Without one, the rows of the table are the
 * rules. */
void ay_root_landlock(const struct ay_plan *p)
{
	int abi = p->sb->landlock_abi;
	struct ruleset r = { fs_bits(abi), abi >= 4 ? 3 : 0, abi >= 6 ? 3 : 0 };
	size_t size = abi >= 6 ? sizeof r : abi >= 4 ? 16 : 8;
	int rules = (int)syscall(SYS_landlock_create_ruleset, &r, size, 0);

	if (rules < 0)
		ay_step_failed(p, AY_LAYER_I_LANDLOCK, "landlock_create_ruleset");
	if (p->layers & AY_LAYER_MOUNT)
		allow(p, rules, "/", LOOK);
	for (size_t i = 0; !(p->layers & AY_LAYER_MOUNT) && i < sizeof binds / sizeof *binds; i++)
		if (binds[i].kinds >> p->spec->kind & 1)
			allow(p, rules, binds[i].path, LOOK);
	for (const char *const *f = p->spec->also; !(p->layers & AY_LAYER_MOUNT) && f && *f; f++)
		allow(p, rules, *f, LOOK);
	for (const char *const *f = p->spec->drivers; !(p->layers & AY_LAYER_MOUNT) && f && *f; f++)
		allow(p, rules, *f, LOOK);
	for (const char *const *f = p->spec->nodes; f && *f; f++)
		allow(p, rules, *f, (READ_FILE | WRITE_FILE | IOCTL_DEV) & r.fs);
	/* CUDA's driver does not start without /proc; nothing else gets that of all processes, where
	 * command lines are */
	if (p->spec->nodes && (p->layers & AY_LAYER_PROC || is_gpu(p->spec->kind)))
		allow(p, rules, "/proc", (LOOK | WRITE_FILE | TRUNCATE) & r.fs);
	allow(p, rules, "/dev/null", READ_FILE | WRITE_FILE);
	if (p->work[0])
		allow(p, rules, p->layers & AY_LAYER_MOUNT ? AY_WORK : p->work, r.fs);
	if (syscall(SYS_landlock_restrict_self, rules, 0))
		ay_step_failed(p, AY_LAYER_I_LANDLOCK, "landlock_restrict_self");
	close(rules);
}
