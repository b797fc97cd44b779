/* SPDX-License-Identifier: Apache-2.0
 *
 * freeze - stops a jailed process and makes sure that it has stopped.
 *
 * Uses the freezer of the process's own cgroup v2 if it has one, else SIGSTOP. Nothing in the jail
 * can undo the SIGSTOP: the filter (filter.c) refuses every call by which a process could get a
 * SIGCONT sent to itself. The freezer of cgroup v1 is never used: a process that it has frozen
 * cannot be killed.
 *
 * The order to stop does not take effect at once. A long system call continues (218 ms were seen),
 * and threads on other cores continue for some microseconds. So the judge reads the state of every
 * task, until a whole pass over all tasks, new ones included, finds none that runs.
 */
#ifndef AY_SANDBOX_FREEZE_H
#define AY_SANDBOX_FREEZE_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

enum ay_freeze {
	AY_FREEZE_OK,   /* every task has stopped */
	AY_FREEZE_GONE, /* the process has ended */
	AY_FREEZE_LATE, /* some task did not stop in time; the order stays in force */
};

/* Stops a process. pid: from ay_exec_pid; group: its cgroup v2 (ay_exec_group), or -1. *took_ns:
 * the time from the order until all tasks were seen stopped. Returns -1 only for assay's own
 * failures. */
int ay_freeze(pid_t pid, int group, double timeout_s, enum ay_freeze *how, int64_t *took_ns, struct ay_err *err);
/* Lets it continue; *took_ns is the time of the order. If the process has ended, that is no
 * failure. */
int ay_thaw(pid_t pid, int group, int64_t *took_ns, struct ay_err *err);

#endif
