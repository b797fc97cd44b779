/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox - what stands between an untrusted process and this machine.
 *
 * A jail is built of layers, each used where the machine grants it. What is granted is found out once, by building
 * a case_run jail with the very code that builds the others (ay_sandbox_new); from then on a layer that was granted
 * and fails is a failure of ours, never a weaker jail. Below the minimum (no_new_privs, the filter of system
 * calls, a judge whose memory is closed, and a uid of one's own or user and pid namespaces) nothing is judged,
 * unless the caller asked for it.
 */
#ifndef AY_SANDBOX_SANDBOX_H
#define AY_SANDBOX_SANDBOX_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum ay_sandbox_mode {
	AY_SANDBOX_FULL,   /* below the minimum nothing runs */
	AY_SANDBOX_UNSAFE, /* with what is granted, however little */
	AY_SANDBOX_OFF,    /* with nothing: for a debugger */
};

/*      layer     name                  what it stops; how to get it where it is missing */
#define AY_LAYERS(L)                                                                                             \
	L(NNP, "no_new_privs", "set-uid programs give nothing", "Linux 3.5 or later")                            \
	L(SECCOMP, "seccomp",                                                                                    \
	  "network, tracing, new processes, timers that signal and unknown calls are refused",                   \
	  "a kernel with CONFIG_SECCOMP_FILTER; in a container: --security-opt seccomp=unconfined if its own "   \
	  "profile forbids filters")                                                                             \
	L(CLOSED, "closed judge", "no process of the same user reads the judge's memory or environment",         \
	  "Linux (PR_SET_DUMPABLE)")                                                                             \
	L(UID, "own uid", "files and processes of yours are another user's; each executor has a uid of its own", \
	  "run assay as root; without it user namespaces do the same")                                           \
	L(USER, "user namespace", "an ordinary user's jails; not used as root, who has spare uids",              \
	  "sysctl kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 "  \
	  "(Ubuntu), user.max_user_namespaces > 0; docker: --security-opt seccomp=unconfined")                   \
	L(PID, "pid namespace", "other processes cannot be named; all that a kernel started ends with it",       \
	  "as user namespace; in a container as root: --cap-add SYS_ADMIN")                                      \
	L(MOUNT, "empty root", "no file of this machine but system libraries (in the forge: compiler, headers)", \
	  "as user namespace; containers: --cap-add SYS_ADMIN --security-opt apparmor=unconfined; Linux 5.12")   \
	L(PROC, "own /proc", "only the jail's own processes are seen there (without it: no /proc at all)",       \
	  "docker: --security-opt systempaths=unconfined; podman: --security-opt unmask=ALL")                    \
	L(IPC, "ipc namespace", "no shared memory or queue of others", "as pid namespace")                       \
	L(UTS, "uts namespace", "the host's name is hidden", "as pid namespace")                                 \
	L(NET, "closed network", "no socket can be made (by seccomp: a network namespace would add 0.4 ms)",     \
	  "as seccomp")                                                                                          \
	L(CAPS, "dropped rights", "no capability can be had; as root no supplementary groups either",            \
	  "as user namespace")                                                                                   \
	L(LANDLOCK, "Landlock", "a second wall around files, TCP ports and signals",                             \
	  "Linux 5.13 or later, started with landlock in its lsm= list")                                         \
	L(LIMITS, "limits", "cores, files, threads, file sizes and address space are bounded", "Linux")          \
	L(MEMORY, "memory cgroup", "a hard bound on memory (without it: the judge looks every few ms)",          \
	  "root with a writable memory controller (cgroup v1), or a writable cgroup v2 whose "                   \
	  "cgroup.subtree_control names memory")                                                                 \
	L(FREEZER, "cgroup freezer",                                                                             \
	  "a frozen kernel stays frozen (without it: SIGSTOP, with its sources denied)",                         \
	  "root with a writable cgroup v2, or: systemd-run --user --scope -p Delegate=yes assay ...")

enum ay_layer_index {
#define L(name, text, stops, get) AY_LAYER_I_##name,
	AY_LAYERS(L)
#undef L
		AY_LAYER_COUNT
};

/* A set of layers is an unsigned with these bits. */
enum ay_layer {
#define L(name, text, stops, get) AY_LAYER_##name = 1u << AY_LAYER_I_##name,
	AY_LAYERS(L)
#undef L
};

struct ay_layer_info {
	const char *name, *stops, *get;
};

extern const struct ay_layer_info ay_layer_infos[AY_LAYER_COUNT];

struct ay_sandbox;

/*
 * Finds out what this machine grants, closes the judge's memory (except in OFF mode), removes what a killed judge
 * may have left in the cgroup file system. -1 below the minimum in FULL mode, with a message that says what is
 * missing. Takes about 2 ms; one is enough for a process and its threads.
 */
int ay_sandbox_new(struct ay_sandbox **out, enum ay_sandbox_mode mode, struct ay_err *err);
void ay_sandbox_free(struct ay_sandbox *s);

enum ay_sandbox_mode ay_sandbox_mode(const struct ay_sandbox *s);
/* The layers that every jail of this sandbox has. */
unsigned ay_sandbox_layers(const struct ay_sandbox *s);
/* Why a layer is missing: an errno, or 0 if it was not tried. */
int ay_sandbox_why(const struct ay_sandbox *s, enum ay_layer_index i);
/* Is the minimum there? A verdict on a kernel that ran without it, or in UNSAFE and OFF modes, is never PASS. */
bool ay_sandbox_is_safe(const struct ay_sandbox *s);
/* Those that it lacks; what another does as well, or adds nothing to safety, is not among them. */
unsigned ay_sandbox_missing(const struct ay_sandbox *s);
/* "full", "partial: no memory cgroup, no Landlock", "unsafe: ...", "none": for records. In the arena. */
const char *ay_sandbox_text(const struct ay_sandbox *s, struct ay_arena *a);

#endif
