/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/launch.h"

#include "exec/printed.h"
#include "exec/python.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
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

	if (fd < 0 && errno == EINVAL) /* MFD_EXEC exists since Linux 6.3 */
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

/* Makes the shared page. It is sealed before it is shared: otherwise the executor could shrink it,
 * and the judge would be killed by SIGBUS. */
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

/* Puts the filter into the page, where later the results are. The executor loads it before it
 * greets. */
static int hand_filter(struct ay_wire_page *page, const struct ay_sandbox *s, enum ay_jail_kind kind,
		       struct ay_err *err)
{
	const struct ay_filter *f = ay_sandbox_filter(s, kind);
	size_t n = f ? f->n * sizeof *f->insn : 0;

	if (n > AY_WIRE_SCALARS * sizeof *page->scalar)
		return ay_fail(err, AY_ERR_EXEC, "a filter of %zu bytes", n);
	if (n)
		memcpy(page->scalar, f->insn, n);
	page->filter_n = f ? f->n : 0;
	page->own_pids = !!(ay_sandbox_layers(s) & AY_LAYER_PID);
	return 0;
}

/* Returns the GPU of the executor; NULL: it has none. */
static const struct ay_dev_info *device_of(const struct ay_exec_spec *spec)
{
	return spec->device && spec->device->info.kind != AY_DEV_CPU ? &spec->device->info : NULL;
}

static enum ay_jail_kind kind_of(const struct ay_exec_spec *spec)
{
	if (spec->python)
		return device_of(spec) ? AY_JAIL_PYTHON_GPU : AY_JAIL_PYTHON;
	return device_of(spec) ? AY_JAIL_GPU : AY_JAIL_EXECUTOR;
}

/* Files are only for memfds, of which a kernel needs few. Without a cgroup, their number and size
 * are the only limit on memory that no process has mapped. The limit on address space is loose,
 * because reserving address space is no abuse. */
static struct ay_jail_limits limits(const struct ay_exec_spec *spec, const struct ay_dev_info *device)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	/* a driver reserves more address space than any useful limit would allow */
	return (struct ay_jail_limits){ .file_bytes = 128 << 20,
					.folder_bytes = 128 << 20,
					.address_bytes = device ? 0 : 4 * memory + (64ull << 30),
					.files = device         ? 1024
						 : spec->python ? 256
								: 64,
					.tasks = 256 + 4 * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
					.memory_bytes = spec->memory_max };
}

/* Starts the jail on these CPUs. A child inherits its parent's CPUs, and the filter keeps it
 * there. */
static int start_on(struct ay_launched *l, const struct ay_jail_spec *jail, const cpu_set_t *cpus,
		    struct ay_err *err)
{
	cpu_set_t mine;
	int rc;

	if (!cpus)
		return ay_jail_start(&l->jail, jail, err);
	if (sched_getaffinity(0, sizeof mine, &mine) || sched_setaffinity(0, sizeof *cpus, cpus))
		return ay_fail_errno(err, AY_ERR_EXEC, "cannot choose the CPUs of an executor");
	rc = ay_jail_start(&l->jail, jail, err);
	sched_setaffinity(0, sizeof mine, &mine);
	return rc;
}

/* Starts the executor's process. out: the pipe for what it prints; -1: discarded. */
static int start(struct ay_launched *l, struct ay_sandbox *s, const struct ay_exec_spec *spec, int sock, int page,
		 int life, int out, struct ay_err *err)
{
	static const char *const argv[] = { "assay-native", NULL }, *const env[] = { NULL };
	const size_t n = (size_t)(ay_embedded_native_end - ay_embedded_native);
	const struct ay_dev_info *device = device_of(spec);
	const int fd[] = {
		-1, out, out, [AY_WIRE_FD_SOCKET] = sock, [AY_WIRE_FD_PAGE] = page, [AY_WIRE_FD_LIFE] = life
	};
	struct ay_jail_spec jail = { .sandbox = s,
				     .kind = kind_of(spec),
				     .argv = argv,
				     .env = device ? device->env : env,
				     .fd = fd,
				     .nfd = sizeof fd / sizeof *fd,
				     .freezable = spec->freezable,
				     .far = spec->python ? &spec->python->far : NULL,
				     .also = spec->python ? spec->python->folders : spec->folders,
				     .nodes = device ? device->node : NULL,
				     .drivers = device ? device->folder : NULL,
				     .whole_proc = !spec->python && spec->folders,
				     .exe = -1,
				     .limits = limits(spec, device) };
	int rc = -1;

	if (jail.far)
		return start_on(l, &jail, spec->cpus, err);
	jail.exe = ay_launch_memfd("assay-native", ay_embedded_native, n, MFD_EXEC);
	if (jail.exe < 0)
		return ay_fail_errno(err, AY_ERR_EXEC, "cannot set up an executor");
	rc = start_on(l, &jail, spec->cpus, err);
	close(jail.exe);
	return rc;
}

int ay_launch(struct ay_launched *l, struct ay_sandbox *s, const struct ay_exec_spec *spec, uint32_t spin_us,
	      struct ay_err *err)
{
	int sock[2] = { -1, -1 }, life[2] = { -1, -1 }, out[2] = { -1, -1 }, page, rc = -1;
	const int on = 1;

	*l = (struct ay_launched){ .sock = -1, .life = -1, .out = -1 };
	page = make_page(l, err);
	if (page < 0)
		return -1;
	l->page->spin_us = spin_us;
	l->page->printed = spec->printed != NULL;
	l->page->stack_shift = (uint32_t)spec->stack_shift;
	if (device_of(spec)) {
		l->page->cuda = 1;
		memcpy(l->page->uuid, spec->device->info.uuid, sizeof l->page->uuid);
	}
	/* set before the start: the greeting answers message 1, which is never sent */
	l->page->go = 1;
	if (hand_filter(l->page, s, kind_of(spec), err) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, life) ||
	    (spec->printed && ay_printed_pipe(out)) ||
	    setsockopt(life[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on))
		ay_fail_errno(err, AY_ERR_EXEC, "cannot set up an executor");
	else
		rc = start(l, s, spec, sock[1], page, life[1], out[1], err);
	l->sock = sock[0];
	l->life = life[0];
	l->out = out[0];
	for (int i = 0; i < 3; i++) {
		const int theirs = (const int[]){ sock[1], life[1], out[1] }[i];

		if (theirs >= 0)
			close(theirs);
	}
	close(page);
	return rc;
}
