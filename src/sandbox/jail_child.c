/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the jail. The child does this around itself, in an order in which each step still has the
 * rights that it needs:
 *
 *	end with the judge; own process group; default signals; first choice of the OOM killer
 *	uid maps (an ordinary user's jails)    needs: dumpable; a child of the judge is not
 *	empty root, /proc, working folder      needs: CAP_SYS_ADMIN over the new namespace
 *	remove capabilities from bounding set  needs: CAP_SETPCAP
 *	no groups, own uid                     needs: CAP_SETUID, CAP_SETGID; later steps: none
 *	limits, files, descriptors, no_new_privs, Landlock
 *	the system-call filter (only the forge; an executor loads its own after its start, when
 *	it needs no execve)
 *
 * Nothing here allocates or takes a lock: the child is a copy of a process that may have had
 * threads.
 */
#include "sandbox/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HIGH_FD = 64 };

void ay_step_failed(const struct ay_plan *p, int layer, const char *step)
{
	struct ay_note n = { .layer = layer, .err = errno };

	strncpy(n.step, step, sizeof n.step - 1);
	send(p->report, &n, sizeof n, MSG_NOSIGNAL);
	_exit(AY_EXIT_STEP);
}

/* Writes to a file of /proc with which a process changes itself. */
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
		_exit(AY_EXIT_STEP); /* the judge ended before PR_SET_PDEATHSIG was set */
	for (int s = 1; s < 32; s++)
		sigaction(s, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	put("/proc/self/oom_score_adj", "1000"); /* may fail */
}

static void map_users(const struct ay_plan *p)
{
	prctl(PR_SET_DUMPABLE, 1); /* otherwise these files belong to root */
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

/* Lowers a limit; never raises it. RLIMIT_CORE is 1 byte, because 0 does not stop a piped
 * core_pattern. */
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
		/* tasks are counted per user: if the uid is still the user's own, the limit would
		 * apply to the user */
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

/* Sends the working folder to the judge as a descriptor, because it has no name outside of the
 * namespace. */
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

/* Moves descriptors to their numbers, after moving all of them out of the way. Returns the
 * program's. */
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
	else
		/* no descriptor may stay there: in a fork of the zygote the number may be in use */
		close(s->nfd);
	p->report = dup3(p->report, s->nfd + 1, O_CLOEXEC);
	if (p->report < 0 || (s->exe >= 0 && exe < 0) || syscall(SYS_close_range, s->nfd + 2, ~0U, 0))
		_exit(AY_EXIT_STEP);
	return exe;
}

int ay_child_enter(struct ay_plan *p)
{
	int exe;

	begin(p);
	if (p->layers & AY_LAYER_USER)
		map_users(p);
	if (p->layers & AY_LAYER_UTS && sethostname("assay", 5))
		ay_step_failed(p, AY_LAYER_I_UTS, "sethostname");
	if (p->layers & AY_LAYER_MOUNT)
		ay_root_enter(p);
	drop_rights(p);
	fill_folder(p);
	exe = place_fds(p);
	set_limits(p);
	if (p->layers & AY_LAYER_NNP && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		ay_step_failed(p, AY_LAYER_I_NNP, "PR_SET_NO_NEW_PRIVS");
	if (p->layers & AY_LAYER_LANDLOCK)
		ay_root_landlock(p);
	return exe;
}
