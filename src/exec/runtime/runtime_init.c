/* SPDX-License-Identifier: Apache-2.0
 *
 * The init of a jail, and its last layer of defence.
 *
 * The program that the judge starts is process 1 of its pid namespace. It forks: the child is the
 * executor. The parent, init, waits for two events. When the executor ends, init reports to the
 * judge how, and ends. When the judge ends (its end of the socket closes), init ends. In both cases
 * the system kills all that is left in the namespace. Without a pid namespace, the executor asks
 * the system to be killed when its parent dies.
 *
 * Init has nothing that a kernel could use, its memory cannot be read by other processes, and it
 * loads the same system-call filter.
 */
#include "runtime.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_JAIL = 126 };

/* A copy of the judge's filter, because the page is used for other data after the executor has
 * greeted. */
struct filter {
	unsigned short n;
	struct sock_filter insn[BPF_MAXINSNS];
};

static void put_filter(unsigned short n, const struct sock_filter *insn)
{
	struct sock_fprog p = { n, (struct sock_filter *)insn };

	if (n && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		_exit(EXIT_JAIL);
}

/* Without a pid namespace: refuses signals to all processes but this one. */
static void filter_signals(void)
{
	const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM, self = (uint32_t)getpid();
	const struct sock_filter insn[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tkill, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, refuse),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	put_filter(sizeof insn / sizeof *insn, insn);
}

static _Noreturn void wait_for_end(pid_t executor, const struct filter *f)
{
	struct pollfd p[] = { { .fd = AY_WIRE_FD_LIFE },
			      { .fd = (int)syscall(SYS_pidfd_open, executor, 0), .events = POLLIN } };
	struct ay_wire_life end = { .ended = 1 };
	siginfo_t info = { 0 };

	prctl(PR_SET_NAME, "assay-init");
	close(AY_WIRE_FD_SOCKET);
	put_filter(f->n, f->insn);
	while (!p[1].revents) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			_exit(EXIT_JAIL);
		if (p[0].revents) /* nothing is ever sent here: the judge has ended */
			_exit(0);
	}
	while (waitid(P_PID, (id_t)executor, &info, WEXITED) && errno == EINTR)
		;
	end.code = info.si_code;
	end.status = info.si_status;
	send(AY_WIRE_FD_LIFE, &end, sizeof end, MSG_NOSIGNAL);
	syscall(SYS_futex, &page->done, FUTEX_WAKE, 1, NULL, NULL, 0); /* the judge waits there */
	_exit(0);
}

void split(const char *name)
{
	static struct filter f;
	const struct ay_wire_life here = { 0 };
	pid_t init = getpid(), pid;

	if (page->filter_n > BPF_MAXINSNS)
		_exit(EXIT_JAIL);
	f.n = (unsigned short)page->filter_n;
	memcpy(f.insn, page->scalar, f.n * sizeof *f.insn);
	/* before the fork: no other process may read this one's memory */
	prctl(PR_SET_DUMPABLE, 0);
	pid = fork();
	if (pid < 0)
		_exit(EXIT_JAIL);
	if (pid)
		wait_for_end(pid, &f);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != init)
		_exit(EXIT_JAIL);
	/* the judge may have to read the executor's memory, which has no secret */
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_NAME, name);
	if (send(AY_WIRE_FD_LIFE, &here, sizeof here, MSG_NOSIGNAL) < 0)
		_exit(EXIT_JAIL);
	close(AY_WIRE_FD_LIFE);
	if (f.n && !page->own_pids)
		filter_signals();
	put_filter(f.n, f.insn);
}
