/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox - what separates an untrusted process from this machine.
 *
 * A jail consists of layers. Each layer is used if the machine grants it. ay_sandbox_new finds out
 * once what is granted, by building a trial jail with the same code that builds the others. From
 * then on, a granted layer that fails is an error of assay's, never a weaker jail. The minimum is:
 * no_new_privs, the system-call filter, a judge whose memory is closed, and either an own uid or
 * user and pid namespaces. Below the minimum nothing is judged, unless the caller asks for it.
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
	AY_SANDBOX_OFF,    /* with no layers: for a debugger */
};

/*      layer     name                  what it stops; how to get it if it is missing */
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
 * Finds out what this machine grants, closes the judge's memory (except in OFF mode), and removes
 * what a killed judge may have left in the cgroup file system. Fails below the minimum in FULL
 * mode, with a message that says what is missing. Takes about 2 ms; one sandbox is enough for a
 * process and its threads.
 */
int ay_sandbox_new(struct ay_sandbox **out, enum ay_sandbox_mode mode, struct ay_err *err);
void ay_sandbox_free(struct ay_sandbox *s);

enum ay_sandbox_mode ay_sandbox_mode(const struct ay_sandbox *s);
/* Returns the layers that every jail of this sandbox has. */
unsigned ay_sandbox_layers(const struct ay_sandbox *s);
/* Returns why a layer is missing: an errno, or 0 if the layer was not tried. */
int ay_sandbox_why(const struct ay_sandbox *s, enum ay_layer_index i);
/* Returns true if the minimum is met. A verdict is never PASS if the kernel ran without it, or in
 * UNSAFE or OFF mode. */
bool ay_sandbox_is_safe(const struct ay_sandbox *s);
/* Returns the missing layers, without those that another layer replaces or that would add nothing
 * to safety. */
unsigned ay_sandbox_missing(const struct ay_sandbox *s);
/* Returns "full", "partial: no memory cgroup, no Landlock", "unsafe: ..." or "none", for records.
 * In the arena. */
const char *ay_sandbox_text(const struct ay_sandbox *s, struct ay_arena *a);

#endif
