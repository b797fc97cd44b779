/* SPDX-License-Identifier: Apache-2.0
 *
 * inside - what the files of the sandbox share. Nobody else includes it.
 */
#ifndef AY_SANDBOX_SANDBOX_INTERNAL_H
#define AY_SANDBOX_SANDBOX_INTERNAL_H

#include "sandbox/jail.h"

#include "sandbox/zygote.h"

#include <stdatomic.h>

enum {
	AY_GATED_EXECS = 64, /* jails at once */
	/* Uids that nobody else uses (systemd's table of uids calls both ranges unused): the first has room for 64
	 * a process, the second is for containers that map 65,536 uids only. */
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
	int group_root, memory_root; /* our own cgroup in v2, and in v1's memory controller; or -1 */
	bool group_memory;           /* v2's groups bound memory */
	uint64_t memory_bytes;
	_Atomic uint64_t seats;
};

/* A step that failed, as the child tells it: ends up in an error message, or in the sandbox's list of what this
 * machine does not grant. */
struct ay_note {
	int32_t layer, err;
	char step[56];
};

/* What the child needs to know, made before the fork: there it may not allocate. */
struct ay_plan {
	const struct ay_jail_spec *spec;
	const struct ay_sandbox *sb;
	unsigned layers;
	int report;
	uid_t uid; /* with AY_LAYER_UID */
	char uid_map[40], gid_map[40];
	char work[64];       /* the working folder, as the child sees it before its uid changes; "" = none */
	char work_mount[80]; /* options of its tmpfs */
	const char *base;    /* an empty folder to build the root on */
};

/* In the child; each ends it when it fails. */
/* All the walls but the filter; afterwards descriptors have their numbers, and the program's is returned. */
int ay_child_enter(struct ay_plan *p);
void ay_step_failed(const struct ay_plan *p, int layer, const char *step) __attribute__((noreturn));
void ay_root_enter(const struct ay_plan *p);
void ay_root_landlock(const struct ay_plan *p);
/* A folder that nothing we bind lies in. */
const char *ay_root_base(const struct ay_jail_spec *spec);
/* 0 where there is no Landlock. */
int ay_root_landlock_abi(void);

/* Waits for the child's word: 0 it runs, 1 a note, -1 it ended without one. */
int ay_jail_listen(struct ay_jailed *j, struct ay_note *n);

/* cgroups: what there is; names left by judges that are dead are removed. */
void ay_group_probe(struct ay_sandbox *s);
/* A group of its own for a jail, before it starts; -1 and errno. */
int ay_group_make(const struct ay_sandbox *s, struct ay_jailed *j);
int ay_group_join_memory(struct ay_jailed *j);
void ay_group_remove(struct ay_jailed *j);

#endif
