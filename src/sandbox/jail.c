/* SPDX-License-Identifier: Apache-2.0
 *
 * Theory of operation. ay_jail_start forks a child into new namespaces with one system call. The
 * child builds the jail around itself (jail_child.c) before it becomes the program. If the program
 * is a fork of the zygote (zygote.c), the zygote forks it, but also as a child of the judge.
 *
 * Until the child becomes the program, it is a copy of the judge, so no kernel's code may reach it.
 * With a judge that runs as root, the child has a uid that no other process has; with an ordinary
 * user, it is alone in its pid namespace.
 *
 * A step that fails is reported through `report`, a socket that closes by itself when the program
 * starts: no report means success. The forge's working folder, a tmpfs that exists only in the
 * child's namespace, is sent to the judge through it.
 */
#include "sandbox/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REAP_TRIES = 10000 };

/* --- starting -------------------------------------------------------------------------------------------- */

static _Noreturn void become(struct ay_plan p)
{
	const struct ay_jail_spec *s = p.spec;
	const int exe = ay_child_enter(&p);

	if (p.layers & AY_LAYER_SECCOMP && (s->kind == AY_JAIL_FORGE || !s->argv)) {
		errno = ay_filter_load(&p.sb->filter[s->kind]);
		if (errno)
			ay_step_failed(&p, AY_LAYER_I_SECCOMP, "PR_SET_SECCOMP");
	}
	if (!s->argv) /* a trial */
		_exit(0);
	/* The addresses of stack and heap change the speed of many kernels by some per cent, for
	 * the life of a process. So two processes that are timed against each other get equal
	 * addresses. Randomizing would not make anything safer: a kernel knows its own
	 * addresses. */
	if (s->kind == AY_JAIL_EXECUTOR || s->kind == AY_JAIL_GPU)
		personality(ADDR_NO_RANDOMIZE);
	if (exe >= 0)
		syscall(SYS_execveat, exe, "", s->argv, s->env, 0x1000 /* AT_EMPTY_PATH */);
	else
		execve(s->argv[0], (char *const *)s->argv, (char *const *)s->env);
	ay_step_failed(&p, -1, s->argv[0]);
}

/* Takes the lowest free index; uids and cgroups are named by it. */
static int take_slot(struct ay_sandbox *s)
{
	uint64_t busy = atomic_load(&s->slots);
	int i;

	do {
		if (busy == UINT64_MAX)
			return -1;
		i = __builtin_ctzll(~busy);
	} while (!atomic_compare_exchange_weak(&s->slots, &busy, busy | 1ull << i));
	return i;
}

static uint64_t clone_flags(unsigned layers)
{
	static const struct {
		unsigned layer;
		uint64_t flag;
	} table[] = { { AY_LAYER_USER, CLONE_NEWUSER },
		      { AY_LAYER_PID, CLONE_NEWPID },
		      { AY_LAYER_MOUNT, CLONE_NEWNS },
		      { AY_LAYER_IPC, CLONE_NEWIPC },
		      { AY_LAYER_UTS, CLONE_NEWUTS } };
	uint64_t flags = 0;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (layers & table[i].layer)
			flags |= table[i].flag;
	return flags;
}

/* Forks into namespaces and a cgroup. Some containers refuse clone3: then there is no cgroup
 * (ay_group_probe). */
static pid_t spawn(unsigned layers, int group)
{
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
			set_tid_size, cgroup;
	} args = { .flags = clone_flags(layers), .exit_signal = SIGCHLD };
	long pid;

	if (group >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)group;
	}
	pid = syscall(SYS_clone3, &args, sizeof args);
	if (pid < 0 && errno == ENOSYS && group < 0)
		pid = syscall(SYS_clone, clone_flags(layers) | SIGCHLD, 0, 0, 0, 0);
	return (pid_t)pid;
}

static uid_t uid_of(const struct ay_jailed *j)
{
	const unsigned n = (unsigned)getpid() * AY_JAILS_MAX + (unsigned)j->slot;

	return j->sandbox->small_uids ? AY_UIDS_SMALL + n % AY_UIDS_SMALL_N : AY_UIDS + n;
}

static void make_plan(struct ay_plan *p, const struct ay_jailed *j, const struct ay_jail_spec *spec)
{
	bool own = p->layers & AY_LAYER_UID;

	p->uid = uid_of(j);
	snprintf(p->uid_map, sizeof p->uid_map, "%d %u 1", AY_UID_INSIDE, (unsigned)geteuid());
	snprintf(p->gid_map, sizeof p->gid_map, "%d %u 1", AY_UID_INSIDE, (unsigned)getegid());
	snprintf(p->work_mount, sizeof p->work_mount, "size=%llu,nr_inodes=64k,mode=700,uid=%u,gid=%u",
		 (unsigned long long)spec->limits.folder_bytes, own ? p->uid : AY_UID_INSIDE,
		 own ? p->uid : AY_UID_INSIDE);
	if (p->layers & AY_LAYER_MOUNT && (spec->nfile || spec->far || !(p->layers & AY_LAYER_PROC)))
		snprintf(p->work, sizeof p->work, AY_WORK);
	else
		snprintf(p->work, sizeof p->work, "%s", j->path);
	p->base = ay_root_base(spec);
}

/* Makes the working folder on this machine if there is no mount namespace. */
static int make_folder(struct ay_jailed *j, const struct ay_jail_spec *spec, struct ay_err *err)
{
	const char *tmp = getenv("TMPDIR");

	if (!spec->nfile || spec->sandbox->layers & AY_LAYER_MOUNT)
		return 0;
	snprintf(j->path, sizeof j->path, "%.40s/assay-forge-XXXXXX",
		 tmp && tmp[0] == '/' && strlen(tmp) < 40 ? tmp : "/tmp");
	if (mkdtemp(j->path))
		return 0;
	ay_fail_errno(err, AY_ERR_IO, "cannot make the folder '%s'", j->path);
	j->path[0] = 0;
	return -1;
}

static int launch(struct ay_jailed *j, const struct ay_jail_spec *spec, int report[2], struct ay_err *err)
{
	struct ay_plan p = {
		.spec = spec, .sb = spec->sandbox, .layers = spec->sandbox->layers, .report = report[1]
	};
	sigset_t all, old;

	make_plan(&p, j, spec);
	sigfillset(&all); /* no signal handler of the judge may run in the child */
	pthread_sigmask(SIG_BLOCK, &all, &old);
	j->pid = spec->far ? ay_zygote_request(spec->far, &p, clone_flags(p.layers), j->group)
			   : spawn(p.layers, j->group);
	if (!j->pid)
		become(p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (j->pid > 0) {
		setpgid(j->pid, j->pid); /* the child does it too; either may be first */
		return 0;
	}
	j->pid = 0;
	if (spec->far && errno == EPIPE)
		return ay_fail(err, AY_ERR_EXEC, "the warm interpreter that kernels are copied from has ended");
	return ay_fail_errno(err, AY_ERR_SYS, "cannot start a process in its jail");
}

int ay_jail_start(struct ay_jailed *j, const struct ay_jail_spec *spec, struct ay_err *err)
{
	struct ay_sandbox *s = spec->sandbox;
	int report[2], rc;

	AY_ASSERT(spec->nfd <= AY_JAIL_FDS);
	*j = (struct ay_jailed){ .sandbox = s, .dir = -1, .report = -1, .group = -1, .memory = -1 };
	j->memory_bytes = spec->limits.memory_bytes ? spec->limits.memory_bytes : s->memory_bytes;
	j->slot = take_slot(s);
	if (j->slot < 0)
		return ay_fail(err, AY_ERR_SYS, "more than %d jails at once", AY_JAILS_MAX);
	if (make_folder(j, spec, err))
		return -1;
	if ((spec->freezable || s->group_memory) && s->layers & AY_LAYER_FREEZER && ay_group_make(s, j))
		return ay_fail_errno(err, AY_ERR_SYS, "cannot make a cgroup");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report))
		return ay_fail_errno(err, AY_ERR_SYS, "socketpair");
	rc = launch(j, spec, report, err);
	close(report[1]);
	j->report = report[0];
	return rc;
}

/* --- after the start ------------------------------------------------------------------------------------- */

int ay_jail_listen(struct ay_jailed *j, struct ay_note *n)
{
	struct iovec v = { n, sizeof *n };
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(int))];
	ssize_t got;

	for (;;) {
		struct msghdr h = {
			.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
		};
		struct cmsghdr *c;

		got = recvmsg(j->report, &h, MSG_CMSG_CLOEXEC);
		if (got < 0 && errno == EINTR)
			continue;
		if (got != (ssize_t)sizeof *n)
			return 0;
		c = CMSG_FIRSTHDR(&h);
		if (c && c->cmsg_type == SCM_RIGHTS && j->dir < 0)
			memcpy(&j->dir, CMSG_DATA(c), sizeof j->dir);
		if (n->err || n->layer >= 0)
			return 1;
	}
}

int ay_jail_wait(struct ay_jailed *j, struct ay_err *err)
{
	struct ay_note n = { 0 };

	if (!ay_jail_listen(j, &n))
		return 0;
	n.step[sizeof n.step - 1] = 0;
	errno = n.err;
	return ay_fail_errno(err, AY_ERR_SYS, "cannot set up the jail (%s, %s)",
			     n.layer >= 0 && n.layer < AY_LAYER_COUNT ? ay_layer_infos[n.layer].name : "start",
			     n.step);
}

/* Sets the real ids of the calling thread alone. The effective ids, and with them its rights, stay
 * those of root. The C library's functions would set them in all threads. */
static int set_real_ids(uid_t uid)
{
	return syscall(SYS_setresgid, uid, -1, -1) || syscall(SYS_setresuid, uid, -1, -1) ? -1 : 0;
}

/* Linux lets a process read another one's memory if their real uids and gids are equal. */
ssize_t ay_jail_read(const struct ay_jailed *j, pid_t pid, const struct iovec *here, const struct iovec *there,
		     unsigned long nthere)
{
	ssize_t n = process_vm_readv(pid, here, 1, there, nthere, 0);
	int e;

	if (n >= 0 || errno != EPERM || !(j->sandbox->layers & AY_LAYER_UID) || j->slot < 0)
		return n;
	if (!set_real_ids(uid_of(j)))
		n = process_vm_readv(pid, here, 1, there, nthere, 0);
	e = errno;
	if (set_real_ids(0))
		AY_BUG("a thread cannot get its own ids back");
	errno = e;
	return n;
}

/* Here the ids for files of the calling thread count. */
int ay_jail_open(const struct ay_jailed *j, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), e;

	if (fd >= 0 || (errno != EACCES && errno != EPERM) || !(j->sandbox->layers & AY_LAYER_UID) || j->slot < 0)
		return fd;
	syscall(SYS_setfsgid, uid_of(j));
	syscall(SYS_setfsuid, uid_of(j));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	e = errno;
	syscall(SYS_setfsuid, 0);
	syscall(SYS_setfsgid, 0);
	errno = e;
	return fd;
}

static uint64_t resident_bytes(pid_t pid)
{
	unsigned long long size, resident;
	char path[40], text[200];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	if (sscanf(text, "%llu %llu", &size, &resident) != 2)
		return 0;
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool ay_jail_too_large(struct ay_jailed *j, pid_t pid, uint64_t more)
{
	if (j->memory < 0 && j->sandbox->memory_root >= 0)
		ay_group_join_memory(j); /* may fail: the check below does not need it */
	return resident_bytes(pid) > j->memory_bytes + more;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *w)
{
	(void)st, (void)type, (void)w;
	remove(path);
	return 0;
}

/* Kills all processes that have the jail's uid. Without a pid namespace, some may have left the
 * process group. */
static void kill_by_uid(const struct ay_jailed *j)
{
	const uid_t uid = uid_of(j);
	pid_t pid = fork();

	if (!pid) {
		if (!syscall(SYS_setresuid, uid, uid, uid))
			kill(-1, SIGKILL);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Reaps what is left of the jail's process group. Without a pid namespace a process outlives its
 * parent, and then it is a child of the judge (PR_SET_CHILD_SUBREAPER in ay_sandbox_new). A process
 * that is not reaped counts against the limit of its uid, which later jails get too: a compiler would
 * fail by it. */
static void reap_group(pid_t group)
{
	const struct timespec nap = { 0, 100000 };
	pid_t pid;

	for (int i = 0; i < REAP_TRIES && (pid = waitpid(-group, NULL, WNOHANG | __WALL)) >= 0; i++)
		if (!pid)
			nanosleep(&nap, NULL);
}

void ay_jail_release(struct ay_jailed *j)
{
	if (!j->sandbox)
		return;
	if (j->sandbox->layers & AY_LAYER_UID && !(j->sandbox->layers & AY_LAYER_PID) && j->slot >= 0)
		kill_by_uid(j);
	if (!(j->sandbox->layers & AY_LAYER_PID) && j->pid > 0)
		reap_group(j->pid);
	if (j->report >= 0)
		close(j->report);
	if (j->dir >= 0)
		close(j->dir);
	if (j->path[0])
		nftw(j->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	ay_group_remove(j);
	if (j->slot >= 0)
		atomic_fetch_and(&j->sandbox->slots, ~(1ull << j->slot));
	*j = (struct ay_jailed){ .dir = -1, .report = -1, .slot = -1, .group = -1, .memory = -1 };
}
