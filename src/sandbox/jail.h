/* SPDX-License-Identifier: Apache-2.0
 *
 * jail - one process started inside the layers of a sandbox.
 */
#ifndef AY_SANDBOX_JAIL_H
#define AY_SANDBOX_JAIL_H

#include "sandbox/filter.h"
#include "sandbox/sandbox.h"

#include <sys/types.h>
#include <sys/uio.h>

enum { AY_JAIL_FDS = 8 };

struct ay_zygote;

/* A file that the jailed process finds in its working folder. */
struct ay_jail_file {
	const char *name; /* at most one folder deep: "assay/kernel.h" */
	const void *data;
	size_t bytes;
};

struct ay_jail_limits {
	uint64_t file_bytes, address_bytes, cpu_s; /* 0: no limit of this jail's */
	uint64_t files, tasks;
	uint64_t folder_bytes; /* of the working folder */
	uint64_t memory_bytes; /* of the cgroup; 0: half of this machine's memory */
};

struct ay_jail_spec {
	struct ay_sandbox *sandbox;
	enum ay_jail_kind kind;
	int exe; /* the program as a descriptor; -1: argv[0] is its path */
	const char *const *argv;
	const char *const *env;
	const int *fd; /* fd[i] becomes descriptor i; -1: /dev/null */
	int nfd;
	/* files that the forge's working folder, /w, begins with */
	const struct ay_jail_file *file;
	int nfile;
	/* NULL-ended: further visible folders of this machine; NULL: none */
	const char *const *also;
	/* NULL-ended: device files that it may use, and folders of their libraries; NULL: none */
	const char *const *nodes, *const *drivers;
	/* all of /proc is visible, not only processes: for assay's own programs */
	bool whole_proc;
	/* the zygote that the process is forked from; NULL: argv is the program */
	struct ay_zygote *far;
	/* gets a cgroup of its own for ay_freeze, if the system has cgroups */
	bool freezable;
	struct ay_jail_limits limits;
};

struct ay_jailed {
	struct ay_sandbox *sandbox;
	/* A child of the judge that leads a process group; 0: none. In a pid namespace it is the
	 * namespace's init: all processes of the jail end with it. */
	pid_t pid;
	int dir;       /* the forge's working folder, or -1 */
	char path[64]; /* the working folder's name if there is no mount namespace; else "" */
	int report;    /* where the child reports before it becomes the program; or -1 */
	int slot;      /* its index among the sandbox's jails; -1: none */
	int group;     /* its folder in cgroup v2, or -1 */
	int memory;    /* its folder in the memory controller of cgroup v1, or -1 */
	uint64_t memory_bytes;
};

/* Returns the filter that a process of this kind must load if it loads its filter itself (an
 * executor); NULL: none. */
const struct ay_filter *ay_sandbox_filter(const struct ay_sandbox *s, enum ay_jail_kind kind);
/* Starts the process. Returns at once: the child builds its jail while the caller goes on. */
int ay_jail_start(struct ay_jailed *j, const struct ay_jail_spec *spec, struct ay_err *err);
/* Waits until the program runs; its working folder, if any, is then in `dir`. Fails with the reason
 * if it does not run. */
int ay_jail_wait(struct ay_jailed *j, struct ay_err *err);
/* process_vm_readv on `pid`, a process of the jail. If the judge is root without CAP_SYS_PTRACE, as in
 * a container, the calling thread has the jail's real uid meanwhile. */
ssize_t ay_jail_read(const struct ay_jailed *j, pid_t pid, const struct iovec *here, const struct iovec *there,
		     unsigned long nthere);
/* Opens a file of /proc about a process of the jail for reading, likewise. Returns -1 with errno. */
int ay_jail_open(const struct ay_jailed *j, const char *path);
/*
 * Returns true if `pid` holds more than `more` bytes beyond the limit of its jail. The caller calls
 * this now and then while the process works. The first call puts the process under the memory
 * controller of cgroup v1. That can take 15 ms, so it is not done at the start, where short calls
 * would pay for it.
 */
bool ay_jail_too_large(struct ay_jailed *j, pid_t pid, uint64_t more);
/* Returns true if its own cgroup killed one of its processes for memory. */
bool ay_jail_oom(const struct ay_jailed *j);
/* Frees what ay_jail_start made, except the process, which must be dead and reaped. */
void ay_jail_release(struct ay_jailed *j);

#endif
