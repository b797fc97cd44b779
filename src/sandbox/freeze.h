/* SPDX-License-Identifier: Apache-2.0
 *
 * freeze - stopping a jailed process and knowing that it stands still.
 *
 * By the freezer of its own cgroup v2 where it has one, else by SIGSTOP, which nothing in the jail can undo: the
 * filter (filter.c) refuses every call by which a process could have a SIGCONT sent to itself. Never by the
 * freezer of cgroup v1: what that has frozen cannot be killed.
 *
 * An order is not a stop: a long system call works on through it (218 ms seen), and so do threads on other cores
 * for some microseconds. So every task is read back, until a whole pass over all of them, new ones included, finds
 * none that runs.
 */
#ifndef AY_SANDBOX_FREEZE_H
#define AY_SANDBOX_FREEZE_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

enum ay_freeze {
	AY_FREEZE_OK,   /* every task stands still */
	AY_FREEZE_GONE, /* it has ended */
	AY_FREEZE_LATE, /* some task did not stop in time; the order stands */
};

/* pid: the process (ay_exec_pid); group: its cgroup v2 (ay_exec_group), or -1. *took_ns: from the order to the
 * proof. -1 only for our own failures. */
int ay_freeze(pid_t pid, int group, double timeout_s, enum ay_freeze *how, int64_t *took_ns, struct ay_err *err);
/* Orders it to go on; *took_ns is the time of the order. A process that has ended is no failure. */
int ay_thaw(pid_t pid, int group, int64_t *took_ns, struct ay_err *err);

#endif
