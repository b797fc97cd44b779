/* SPDX-License-Identifier: Apache-2.0
 *
 * Theory of operation. ay_jail_start forks a child into new namespaces (one system call), and the child builds the
 * walls around itself, in an order that each step still has the rights it needs, before it becomes the program:
 *
 *	die with the judge; own process group; signals as new; first in line for the OOM killer
 *	uid maps (an ordinary user's jails)              needs: dumpable, which a child of the judge is not
 *	empty root, /proc, working folder (root.c)       needs: CAP_SYS_ADMIN over the new namespace
 *	capabilities out of the bounding set             needs: CAP_SETPCAP
 *	no groups, own uid                               needs: CAP_SETUID, CAP_SETGID; from here on: none
 *	limits, files, descriptors, no_new_privs, Landlock
 *	the filter of system calls (forge; an executor loads its own after it has started, when it needs no execve)
 *
 * The child is a copy of the judge until it becomes the program, so nothing of a kernel's may run beside it: as
 *root it has a uid that nobody else has, as an ordinary user it is alone in its pid namespace.
 *
 * A step that fails is told through `report`, a socket that closes itself when the program starts: silence is
 * success. The forge's working folder, a tmpfs that exists in the child's namespace alone, comes back the same
 *way.
 */
#include "sandbox/inside.h"

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
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HIGH_FD = 64, EXIT_STEP = 125 };

#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

/* --- the child ------------------------------------------------------------------------------------------- */

void ay_step_failed(const struct ay_plan *p, int layer, const char *step)
{
	struct ay_note n = { .layer = layer, .err = errno };

	strncpy(n.step, step, sizeof n.step - 1);
	send(p->report, &n, sizeof n, MSG_NOSIGNAL);
	_exit(EXIT_STEP);
}

/* Files of /proc that a process writes about itself. */
static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static void begin(const struct ay_plan *p)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	struct pollfd judge = { .fd = p->report };
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (poll(&judge, 1, 0) > 0 && judge.revents & POLLHUP)
		_exit(EXIT_STEP); /* it was gone before we asked to be told */
	for (int s = 1; s < 32; s++)
		sigaction(s, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	put("/proc/self/oom_score_adj", "1000"); /* a wish */
}

static void map_users(const struct ay_plan *p)
{
	prctl(PR_SET_DUMPABLE, 1); /* else these files are root's */
	if (!put("/proc/self/setgroups", "deny") || !put("/proc/self/uid_map", p->uid_map) ||
	    !put("/proc/self/gid_map", p->gid_map))
		ay_step_failed(p, AY_LAYER_I_USER, "uid_map");
}

static void drop_rights(const struct ay_plan *p)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { 0 };

	if (p->layers & AY_LAYER_CAPS) {
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
		for (int c = 0; prctl(PR_CAPBSET_READ, c) >= 0; c++)
			if (prctl(PR_CAPBSET_DROP, c))
				ay_step_failed(p, AY_LAYER_I_CAPS, "PR_CAPBSET_DROP");
	}
	if (p->layers & AY_LAYER_UID &&
	    ((p->work[0] && !(p->layers & AY_LAYER_MOUNT) && chown(p->work, p->uid, p->uid)) ||
	     syscall(SYS_setgroups, 0, NULL) || syscall(SYS_setresgid, p->uid, p->uid, p->uid) ||
	     syscall(SYS_setresuid, p->uid, p->uid, p->uid)))
		ay_step_failed(p, AY_LAYER_I_UID, "setresuid");
	if (p->layers & AY_LAYER_CAPS && syscall(SYS_capset, &h, none))
		ay_step_failed(p, AY_LAYER_I_CAPS, "capset");
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of uid clears it */
}

/* A limit is only ever lowered. A core of 1 byte, because 0 does not stop a piped core_pattern. */
static void limit(const struct ay_plan *p, int what, uint64_t most)
{
	struct rlimit r;

	if (getrlimit(what, &r))
		return;
	if (r.rlim_max > most)
		r.rlim_max = most;
	if (r.rlim_cur > r.rlim_max)
		r.rlim_cur = r.rlim_max;
	if (setrlimit(what, &r))
		ay_step_failed(p, AY_LAYER_I_LIMITS, "setrlimit");
}

static void set_limits(const struct ay_plan *p)
{
	const struct ay_jail_limits *l = &p->spec->limits;
	const struct {
		int what;
		uint64_t most;
	} table[] = { { RLIMIT_FSIZE, l->file_bytes },
		      { RLIMIT_AS, l->address_bytes },
		      { RLIMIT_CPU, l->cpu_s },
		      { RLIMIT_NOFILE, l->files },
		      { RLIMIT_NPROC, l->tasks } };

	limit(p, RLIMIT_CORE, 1);
	if (!(p->layers & AY_LAYER_LIMITS))
		return;
	limit(p, RLIMIT_MSGQUEUE, 0);
	limit(p, RLIMIT_RTPRIO, 0);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		/* tasks are counted by user: where that is still yours, the limit would hit you */
		if (table[i].most && (table[i].what != RLIMIT_NPROC || p->layers & (AY_LAYER_UID | AY_LAYER_USER)))
			limit(p, table[i].what, table[i].most);
}

static bool write_file(const struct ay_jail_file *f)
{
	const char *slash = strchr(f->name, '/');
	char folder[64] = "";
	size_t at = 0;
	int fd;

	if (slash && (size_t)(slash - f->name) < sizeof folder) {
		memcpy(folder, f->name, (size_t)(slash - f->name));
		mkdir(folder, 0755);
	}
	fd = open(f->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	while (fd >= 0 && at < f->bytes) {
		ssize_t k = write(fd, (const char *)f->data + at, f->bytes - at);

		if (k < 0)
			break;
		at += (size_t)k;
	}
	return fd >= 0 && at == f->bytes && !close(fd);
}

/* The folder goes to the judge as a descriptor: it has no name outside. */
static void send_folder(const struct ay_plan *p)
{
	int dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ay_note n = { .layer = -1 };
	struct iovec v = { &n, sizeof n };
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof dir)] = { 0 };
	struct cmsghdr *c = (struct cmsghdr *)control;
	struct msghdr h = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
	};

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof dir);
	memcpy(CMSG_DATA(c), &dir, sizeof dir);
	if (dir < 0 || sendmsg(p->report, &h, MSG_NOSIGNAL) < 0)
		ay_step_failed(p, -1, "sending the working folder");
	close(dir);
}

static void fill_folder(const struct ay_plan *p)
{
	if (!p->work[0])
		return;
	if (chdir(p->layers & AY_LAYER_MOUNT ? AY_WORK : p->work))
		ay_step_failed(p, -1, "entering the working folder");
	for (int i = 0; i < p->spec->nfile; i++)
		if (!write_file(&p->spec->file[i]))
			ay_step_failed(p, -1, p->spec->file[i].name);
	if (p->spec->nfile)
		send_folder(p);
}

/* Descriptors to their numbers: first all of them out of the way. Returns the program's. */
static int place_fds(struct ay_plan *p)
{
	const struct ay_jail_spec *s = p->spec;
	int high[AY_JAIL_FDS], exe = s->exe, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	p->report = fcntl(p->report, F_DUPFD_CLOEXEC, HIGH_FD);
	if (exe >= 0)
		exe = fcntl(exe, F_DUPFD_CLOEXEC, HIGH_FD);
	for (int i = 0; i < s->nfd; i++)
		high[i] = fcntl(s->fd[i] < 0 ? null : s->fd[i], F_DUPFD_CLOEXEC, HIGH_FD);
	for (int i = 0; i < s->nfd; i++)
		if (dup2(high[i], i) < 0)
			ay_step_failed(p, -1, "descriptors");
	if (exe >= 0)
		exe = dup3(exe, s->nfd, O_CLOEXEC);
	p->report = dup3(p->report, s->nfd + 1, O_CLOEXEC);
	if (p->report < 0 || (s->exe >= 0 && exe < 0) || syscall(SYS_close_range, s->nfd + 2, ~0U, 0))
		_exit(EXIT_STEP);
	return exe;
}

static _Noreturn void become(struct ay_plan p)
{
	const struct ay_jail_spec *s = p.spec;
	int exe;

	begin(&p);
	if (p.layers & AY_LAYER_USER)
		map_users(&p);
	if (p.layers & AY_LAYER_UTS && sethostname("assay", 5))
		ay_step_failed(&p, AY_LAYER_I_UTS, "sethostname");
	if (p.layers & AY_LAYER_MOUNT)
		ay_root_enter(&p);
	drop_rights(&p);
	fill_folder(&p);
	exe = place_fds(&p);
	set_limits(&p);
	if (p.layers & AY_LAYER_NNP && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		ay_step_failed(&p, AY_LAYER_I_NNP, "PR_SET_NO_NEW_PRIVS");
	if (p.layers & AY_LAYER_LANDLOCK)
		ay_root_landlock(&p);
	if (p.layers & AY_LAYER_SECCOMP && (s->kind == AY_JAIL_FORGE || !s->argv)) {
		errno = ay_filter_load(&p.sb->filter[s->kind]);
		if (errno)
			ay_step_failed(&p, AY_LAYER_I_SECCOMP, "PR_SET_SECCOMP");
	}
	if (!s->argv) /* a trial */
		_exit(0);
	if (exe >= 0)
		syscall(SYS_execveat, exe, "", s->argv, s->env, 0x1000 /* AT_EMPTY_PATH */);
	else
		execve(s->argv[0], (char *const *)s->argv, (char *const *)s->env);
	ay_step_failed(&p, -1, s->argv[0]);
}

/* --- starting -------------------------------------------------------------------------------------------- */

/* The lowest free one: uids and groups are named by it. */
static int take_seat(struct ay_sandbox *s)
{
	uint64_t busy = atomic_load(&s->seats);
	int i;

	do {
		if (busy == UINT64_MAX)
			return -1;
		i = __builtin_ctzll(~busy);
	} while (!atomic_compare_exchange_weak(&s->seats, &busy, busy | 1ull << i));
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

/* fork, but into namespaces and a group. Some containers refuse clone3: then the group is joined afterwards. */
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
	if (pid < 0 && errno == ENOSYS)
		pid = syscall(SYS_clone, clone_flags(layers) | SIGCHLD, 0, 0, 0, 0);
	return (pid_t)pid;
}

static void make_plan(struct ay_plan *p, const struct ay_jailed *j, const struct ay_jail_spec *spec)
{
	unsigned n = (unsigned)getpid() * AY_SEATS + (unsigned)j->seat;
	bool own = p->layers & AY_LAYER_UID;

	p->uid = spec->sandbox->small_uids ? AY_UIDS_SMALL + n % AY_UIDS_SMALL_N : AY_UIDS + n;
	snprintf(p->uid_map, sizeof p->uid_map, "%d %u 1", AY_UID_INSIDE, (unsigned)geteuid());
	snprintf(p->gid_map, sizeof p->gid_map, "%d %u 1", AY_UID_INSIDE, (unsigned)getegid());
	snprintf(p->work_mount, sizeof p->work_mount, "size=%llu,nr_inodes=64k,mode=700,uid=%u,gid=%u",
		 (unsigned long long)spec->limits.folder_bytes, own ? p->uid : AY_UID_INSIDE,
		 own ? p->uid : AY_UID_INSIDE);
	if (p->layers & AY_LAYER_MOUNT && (spec->nfile || !(p->layers & AY_LAYER_PROC)))
		snprintf(p->work, sizeof p->work, AY_WORK);
	else
		snprintf(p->work, sizeof p->work, "%s", j->path);
	p->base = ay_root_base(spec);
}

/* Without a mount namespace the folder is one of this machine. */
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
	sigfillset(&all); /* no handler of ours may run in the child */
	pthread_sigmask(SIG_BLOCK, &all, &old);
	j->pid = spawn(p.layers, j->group);
	if (!j->pid)
		become(p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (j->pid > 0) {
		setpgid(j->pid, j->pid); /* the child does it too: whoever comes first */
		return 0;
	}
	j->pid = 0;
	return ay_fail_errno(err, AY_ERR_SYS, "cannot start a process in its jail");
}

int ay_jail_start(struct ay_jailed *j, const struct ay_jail_spec *spec, struct ay_err *err)
{
	struct ay_sandbox *s = spec->sandbox;
	int report[2], rc;

	AY_ASSERT(spec->nfd <= AY_JAIL_FDS);
	*j = (struct ay_jailed){ .sandbox = s, .dir = -1, .report = -1, .group = -1, .memory = -1 };
	j->memory_bytes = spec->limits.memory_bytes ? spec->limits.memory_bytes : s->memory_bytes;
	j->seat = take_seat(s);
	if (j->seat < 0)
		return ay_fail(err, AY_ERR_SYS, "more than %d jails at once", AY_SEATS);
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

/* --- afterwards ------------------------------------------------------------------------------------------ */

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
		ay_group_join_memory(j); /* best effort: the look below is there in any case */
	return resident_bytes(pid) > j->memory_bytes + more;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *w)
{
	(void)st, (void)type, (void)w;
	remove(path);
	return 0;
}

/* Without a pid namespace something may have left the process group: all that has the jail's uid goes. */
static void kill_by_uid(const struct ay_jailed *j)
{
	unsigned n = (unsigned)getpid() * AY_SEATS + (unsigned)j->seat;
	uid_t uid = j->sandbox->small_uids ? AY_UIDS_SMALL + n % AY_UIDS_SMALL_N : AY_UIDS + n;
	pid_t pid = fork();

	if (!pid) {
		if (!syscall(SYS_setresuid, uid, uid, uid))
			kill(-1, SIGKILL);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void ay_jail_release(struct ay_jailed *j)
{
	if (!j->sandbox)
		return;
	if (j->sandbox->layers & AY_LAYER_UID && !(j->sandbox->layers & AY_LAYER_PID) && j->seat >= 0)
		kill_by_uid(j);
	if (j->report >= 0)
		close(j->report);
	if (j->dir >= 0)
		close(j->dir);
	if (j->path[0])
		nftw(j->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	ay_group_remove(j);
	if (j->seat >= 0)
		atomic_fetch_and(&j->sandbox->seats, ~(1ull << j->seat));
	*j = (struct ay_jailed){ .dir = -1, .report = -1, .seat = -1, .group = -1, .memory = -1 };
}
