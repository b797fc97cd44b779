/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox_internal - what the files of the sandbox share. No other file includes it.
 */
#ifndef AY_SANDBOX_SANDBOX_INTERNAL_H
#define AY_SANDBOX_SANDBOX_INTERNAL_H

#include "sandbox/jail.h"

#include "sandbox/zygote.h"

#include <stdatomic.h>

enum {
	AY_JAILS_MAX = 64, /* jails that run at once */
	/* Uids that no other user has: systemd's table of uids lists both ranges as unused. The
	 * first range has 64 uids for each process. The second is for containers that map only
	 * 65,536 uids. */
	AY_UIDS = 1879048192,
	AY_UIDS_SMALL = 60706,
	AY_UIDS_SMALL_N = 478,
	AY_UID_INSIDE = 65534,
};

#define AY_WORK "/w"

#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

enum { AY_EXIT_STEP = 125 };

struct ay_sandbox {
	enum ay_sandbox_mode mode;
	unsigned layers;
	int why[AY_LAYER_COUNT];
	struct ay_filter filter[AY_JAIL_KINDS];
	int landlock_abi;
	bool small_uids;
	/* the judge's cgroup in v2, and in v1's memory controller; or -1 */
	int group_root, memory_root;
	bool group_memory; /* cgroups of v2 can limit memory */
	uint64_t memory_bytes;
	_Atomic uint64_t slots;
};

/* A step of the child that failed, as the child reports it. It becomes part of an error message, or
 * of the sandbox's list of what this machine does not grant. */
struct ay_note {
	int32_t layer, err;
	char step[56];
};

/* What the child needs. Made before the fork, because the child must not allocate. */
struct ay_plan {
	const struct ay_jail_spec *spec;
	const struct ay_sandbox *sb;
	unsigned layers;
	int report;
	uid_t uid; /* if AY_LAYER_UID is used */
	char uid_map[40], gid_map[40];
	/* the working folder, as the child sees it before its uid changes; "": none */
	char work[64];
	char work_mount[80]; /* options of its tmpfs */
	const char *base;    /* an empty folder to build the root file system on */
};

/* The next four functions run in the child and end it if they fail. */
/* Builds all layers but the filter. Gives descriptors their numbers and returns the program's
 * descriptor. */
int ay_child_enter(struct ay_plan *p);
void ay_step_failed(const struct ay_plan *p, int layer, const char *step) __attribute__((noreturn));
void ay_root_enter(const struct ay_plan *p);
void ay_root_landlock(const struct ay_plan *p);
/* Returns a folder to build the root on, in which nothing lies that the jail binds. */
const char *ay_root_base(const struct ay_jail_spec *spec);
/* Returns the version of Landlock's ABI; 0 if there is no Landlock. */
int ay_root_landlock_abi(void);

/* Waits for the child's report. Returns 0 if the program runs, 1 with *n if a step failed, -1 if it
 * ended silently. */
int ay_jail_listen(struct ay_jailed *j, struct ay_note *n);

/* Finds out which cgroups the judge can use, and removes those that dead judges have left. */
void ay_group_probe(struct ay_sandbox *s);
/* Makes a cgroup of its own for a jail, before the jail starts. Returns -1 and errno if that
 * fails. */
int ay_group_make(const struct ay_sandbox *s, struct ay_jailed *j);
int ay_group_join_memory(struct ay_jailed *j);
void ay_group_remove(struct ay_jailed *j);

#endif
