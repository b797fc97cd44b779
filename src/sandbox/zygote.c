/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NODE = '!', ALSO_BYTES = 16 << 10, ALSO_MAX = 64, FDS = AY_JAIL_FDS + 2 };

/* A plan without pointers. Both ends are of one build, because the judge itself starts the zygote
 * with its code. */
struct zygote_request {
	uint64_t flags;
	uint32_t layers;
	int32_t landlock_abi;
	uid_t uid;
	char uid_map[40], gid_map[40], work[64], work_mount[80], base[64];
	struct ay_jail_limits limits;
	cpu_set_t cpus;
	int32_t nfd, at[AY_JAIL_FDS]; /* index of each descriptor among those sent; -1: none */
	/* index of the cgroup's descriptor, -1: none; descriptor 0 is `report` */
	int32_t group;
	int32_t kind;
	uint32_t also_bytes;
	/* NUL-ended paths, one after the other; a device file's path has NODE before it */
	char also[ALSO_BYTES];
};

/* --- the judge's end ------------------------------------------------------------------------------------- */

static int pack_paths(struct zygote_request *q, const char *const *list, const char *before)
{
	for (; list && *list; list++) {
		const size_t head = strlen(before), len = strlen(*list) + 1;

		if (head + len > sizeof q->also - q->also_bytes) {
			errno = E2BIG;
			return -1;
		}
		memcpy(q->also + q->also_bytes, before, head);
		memcpy(q->also + q->also_bytes + head, *list, len);
		q->also_bytes += (uint32_t)(head + len);
	}
	return 0;
}

static int pack(struct zygote_request *q, int fd[FDS], const struct ay_plan *p, uint64_t flags, int group)
{
	static const char node[] = { NODE, 0 };
	const struct ay_jail_spec *s = p->spec;
	int n = 0;

	*q = (struct zygote_request){ .flags = flags, .layers = p->layers, .landlock_abi = p->sb->landlock_abi };
	q->uid = p->uid;
	q->limits = s->limits;
	memcpy(q->uid_map, p->uid_map, sizeof q->uid_map);
	memcpy(q->gid_map, p->gid_map, sizeof q->gid_map);
	memcpy(q->work, p->work, sizeof q->work);
	memcpy(q->work_mount, p->work_mount, sizeof q->work_mount);
	strncpy(q->base, p->base ? p->base : "", sizeof q->base - 1);
	sched_getaffinity(0, sizeof q->cpus, &q->cpus);
	fd[n++] = p->report;
	q->nfd = s->nfd;
	for (int i = 0; i < s->nfd; i++) {
		q->at[i] = s->fd[i] < 0 ? -1 : n;
		if (s->fd[i] >= 0)
			fd[n++] = s->fd[i];
	}
	q->group = group < 0 ? -1 : n;
	if (group >= 0)
		fd[n++] = group;
	q->kind = s->kind;
	return pack_paths(q, s->also, "") || pack_paths(q, s->drivers, "") || pack_paths(q, s->nodes, node) ? -1
													    : n;
}

static int send_question(int sock, struct zygote_request *q, const int *fd, int n)
{
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(FDS * sizeof(int))] = { 0 };
	struct iovec v = { q, sizeof *q };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control };
	struct cmsghdr *c = (struct cmsghdr *)control;

	h.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
	memcpy(CMSG_DATA(c), fd, (size_t)n * sizeof(int));
	return sendmsg(sock, &h, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

pid_t ay_zygote_request(struct ay_zygote *f, const struct ay_plan *p, uint64_t clone_flags, int group)
{
	struct zygote_request q;
	int32_t answer = -EPIPE; /* the zygote has ended */
	int fd[FDS], n = pack(&q, fd, p, clone_flags, group);

	if (n < 0)
		return -1;
	pthread_mutex_lock(&f->lock);
	if (send_question(f->sock, &q, fd, n) || recv(f->sock, &answer, sizeof answer, 0) != sizeof answer)
		answer = -EPIPE;
	pthread_mutex_unlock(&f->lock);
	if (answer > 0)
		return answer;
	errno = -answer;
	return -1;
}

/* --- the zygote's end ------------------------------------------------------------------------------------ */

static int receive(int sock, struct zygote_request *q, int fd[FDS], int *n)
{
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(FDS * sizeof(int))];
	struct iovec v = { q, sizeof *q };
	struct msghdr h = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
	};
	struct cmsghdr *c;
	ssize_t got;

	do
		got = recvmsg(sock, &h, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	c = CMSG_FIRSTHDR(&h);
	if (got != (ssize_t)sizeof *q || !c || c->cmsg_type != SCM_RIGHTS || h.msg_flags & MSG_CTRUNC)
		return -1;
	*n = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	memcpy(fd, CMSG_DATA(c), (size_t)*n * sizeof(int));
	return 0;
}

/* From here on the copy is as any child of the judge (jail.c): it must not allocate, and it cannot
 * return to being a zygote. */
static void enter(const struct zygote_request *q, const int *got)
{
	struct ay_sandbox sb = { .landlock_abi = q->landlock_abi };
	const char *also[ALSO_MAX + 1] = { 0 }, *nodes[ALSO_MAX + 1] = { 0 };
	int fd[AY_JAIL_FDS], nalso = 0, nnode = 0;
	struct ay_jail_spec spec = { .kind = (enum ay_jail_kind)q->kind,
				     .exe = -1,
				     .fd = fd,
				     .nfd = q->nfd,
				     .also = also,
				     .nodes = nodes,
				     .limits = q->limits };
	struct ay_plan p = { .spec = &spec, .sb = &sb, .layers = q->layers, .report = got[0], .uid = q->uid };

	for (const char *s = q->also; s < q->also + q->also_bytes && nalso + nnode < ALSO_MAX; s += strlen(s) + 1)
		if (*s == NODE)
			nodes[nnode++] = s + 1;
		else
			also[nalso++] = s;
	for (int i = 0; i < q->nfd; i++)
		fd[i] = q->at[i] < 0 ? -1 : got[q->at[i]];
	memcpy(p.uid_map, q->uid_map, sizeof p.uid_map);
	memcpy(p.gid_map, q->gid_map, sizeof p.gid_map);
	memcpy(p.work, q->work, sizeof p.work);
	memcpy(p.work_mount, q->work_mount, sizeof p.work_mount);
	p.base = q->base[0] ? q->base : NULL;
	sched_setaffinity(0, sizeof q->cpus, &q->cpus);
	ay_child_enter(&p);
	close(p.report); /* no report means success, and there is no exec that would close it */
}

int ay_zygote_serve(int sock)
{
	static struct zygote_request q; /* static, because the copy reads it too */
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
			set_tid_size, cgroup;
	} args = { 0 };
	int fd[FDS], n = 0;
	int32_t answer;
	long pid;

	if (receive(sock, &q, fd, &n))
		return -1;
	args.flags = q.flags | CLONE_PARENT;
	if (q.group >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)fd[q.group];
	}
	pid = syscall(SYS_clone3, &args, sizeof args);
	if (pid < 0 && errno == ENOSYS && q.group < 0) /* a container; there is no cgroup then either */
		pid = syscall(SYS_clone, q.flags | CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		enter(&q, fd);
		return 1;
	}
	answer = pid < 0 ? -errno : (int32_t)pid;
	for (int i = 0; i < n; i++)
		close(fd[i]);
	return send(sock, &answer, sizeof answer, MSG_NOSIGNAL) < 0 ? -1 : 0;
}
