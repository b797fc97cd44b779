/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

extern const uint8_t ay_embedded_native[], ay_embedded_native_end[];

int ay_launch_memfd(const char *name, const void *data, size_t n, unsigned flags)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
	size_t at = 0;

	if (fd < 0 && errno == EINVAL) /* MFD_EXEC is of Linux 6.3 */
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	while (fd >= 0 && at < n) {
		ssize_t k = write(fd, (const uint8_t *)data + at, n - at);

		if (k < 0 && errno != EINTR) {
			close(fd);
			return -1;
		}
		at += k > 0 ? (size_t)k : 0;
	}
	if (fd >= 0)
		fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
	return fd;
}

/* In the child: from here to exec only async-signal-safe calls. */
static _Noreturn void become(int exe, int sock, int page, pid_t parent)
{
	static char name[] = "assay-native";
	char *argv[] = { name, NULL }, *env[] = { NULL };
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;
	int null;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigemptyset(&none);
	for (int s = 1; s < 32; s++)
		sigaction(s, &dfl, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Out of the way of the numbers they are to have. */
	exe = fcntl(exe, F_DUPFD, 32);
	sock = fcntl(sock, F_DUPFD, 32);
	page = fcntl(page, F_DUPFD, 32);
	null = open("/dev/null", O_RDWR);
	if (exe < 0 || sock < 0 || page < 0 || null < 0)
		_exit(1);
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	dup2(sock, AY_WIRE_FD_SOCKET);
	dup2(page, AY_WIRE_FD_PAGE);
	dup3(exe, AY_WIRE_FD_PAGE + 1, O_CLOEXEC);
	if (close_range(AY_WIRE_FD_PAGE + 2, ~0U, 0))
		_exit(1);
	fexecve(AY_WIRE_FD_PAGE + 1, argv, env);
	_exit(127);
}

/* Sealed before it is shared, or the other end could shrink it and have us killed by SIGBUS. */
static int make_page(struct ay_launched *l, struct ay_err *err)
{
	int fd = memfd_create("assay-page", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *p = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, AY_WIRE_PAGE))
		p = mmap(NULL, AY_WIRE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)) {
		ay_fail_errno(err, AY_ERR_EXEC, "cannot make a shared page");
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	if (p != MAP_FAILED) {
		madvise(p, AY_WIRE_PAGE, MADV_DONTFORK);
		l->page = p;
	}
	return fd;
}

int ay_launch(struct ay_launched *l, uint32_t spin_us, struct ay_err *err)
{
	size_t n = (size_t)(ay_embedded_native_end - ay_embedded_native);
	int pair[2] = { -1, -1 }, exe, page;
	pid_t parent = getpid();

	*l = (struct ay_launched){ .sock = -1 };
	page = make_page(l, err);
	if (page < 0)
		return -1;
	l->page->spin_us = spin_us;
	l->page->go = 1; /* there before it starts: the greeting answers no message */
	exe = ay_launch_memfd("assay-native", ay_embedded_native, n, MFD_EXEC);
	if (exe < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		ay_fail_errno(err, AY_ERR_EXEC, "cannot set up an executor");
	} else {
		l->sock = pair[0];
		l->pid = fork();
		if (!l->pid)
			become(exe, pair[1], page, parent);
		if (l->pid < 0)
			ay_fail_errno(err, AY_ERR_EXEC, "cannot start an executor");
		close(pair[1]);
	}
	if (exe >= 0)
		close(exe);
	close(page);
	if (l->pid > 0)
		return 0;
	l->pid = 0;
	return -1;
}
