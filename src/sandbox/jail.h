/* SPDX-License-Identifier: Apache-2.0
 *
 * jail - one process started inside the layers of a sandbox.
 */
#ifndef AY_SANDBOX_JAIL_H
#define AY_SANDBOX_JAIL_H

#include "sandbox/filter.h"
#include "sandbox/sandbox.h"

#include <sys/types.h>

enum { AY_JAIL_FDS = 8 };

struct ay_zygote;

/* A file to be found in the working folder. */
struct ay_jail_file {
	const char *name; /* at most one folder deep: "assay/kernel.h" */
	const void *data;
	size_t bytes;
};

struct ay_jail_limits {
	uint64_t file_bytes, address_bytes, cpu_s; /* 0: as it is */
	uint64_t files, tasks;
	uint64_t folder_bytes; /* of the working folder */
	uint64_t memory_bytes; /* of the cgroup; 0: half of this machine's */
};

struct ay_jail_spec {
	struct ay_sandbox *sandbox;
	enum ay_jail_kind kind;
	int exe; /* program as a descriptor, or -1: argv[0] */
	const char *const *argv;
	const char *const *env;
	const int *fd; /* become 0, 1, 2...; -1 = /dev/null */
	int nfd;
	const struct ay_jail_file *file; /* the forge's working folder, /w, begins with these */
	int nfile;
	const char *const *also; /* NULL-ended: further folders of this machine to be seen; NULL = none */
	const char *const *nodes,
		*const *drivers; /* NULL-ended: devices that it may use, folders of their libraries;
						     * NULL = none */
	bool whole_proc;         /* not its processes alone, but what the kernel tells too: for programs of ours */
	struct ay_zygote *far;   /* the process it is to be a copy of; NULL: argv is the program */
	bool freezable;          /* gets a cgroup of its own for ay_freeze, where there are any */
	struct ay_jail_limits limits;
};

struct ay_jailed {
	struct ay_sandbox *sandbox;
	pid_t pid; /* child of ours, leads a process group; 0 = none. With a pid namespace it is the namespace's
		    * init: all in the jail ends with it */
	int dir;   /* the forge's working folder, or -1 */
	char path[64]; /* its name where there is no mount namespace; else "" */
	int report;    /* what the child says before it becomes the program; or -1 */
	int seat;      /* its number among the sandbox's jails; -1 = none */
	int group;     /* its folder in cgroup v2, or -1 */
	int memory;    /* its folder in the memory controller of cgroup v1, or -1 */
	uint64_t memory_bytes;
};

/* The filter that a process of this kind is to load, for one that does it itself (an executor); NULL = none. */
const struct ay_filter *ay_sandbox_filter(const struct ay_sandbox *s, enum ay_jail_kind kind);
/* Starts it. Returns at once: the child builds its jail while we go on. */
int ay_jail_start(struct ay_jailed *j, const struct ay_jail_spec *spec, struct ay_err *err);
/* Waits until the program runs (its folder, if any, is in `dir` then), or says why it does not. */
int ay_jail_wait(struct ay_jailed *j, struct ay_err *err);
/*
 * To be called now and then while it works: puts it under the memory controller of cgroup v1 the first time (that
 * can take 15 ms, so short calls are spared it), and returns true if `pid` holds more than `more` bytes beyond the
 * limit of its jail.
 */
bool ay_jail_too_large(struct ay_jailed *j, pid_t pid, uint64_t more);
/* Was a process of it killed for memory by its own cgroup? */
bool ay_jail_oom(const struct ay_jailed *j);
/* Takes back what start made, but for the process, which must be dead and reaped. */
void ay_jail_release(struct ay_jailed *j);

#endif
