/* SPDX-License-Identifier: Apache-2.0
 *
 * process - runs child processes: starts them, collects their output, enforces a time limit, and
 * kills everything that they started.
 */
#ifndef AY_BASE_PROCESS_H
#define AY_BASE_PROCESS_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ay_run_spec {
	const char *const *argv;
	const char *const *env; /* NULL: only PATH, TMPDIR and LC_ALL=C */
	const char *dir;        /* working directory; NULL: that of the caller */
	double timeout_s;
	size_t output_max; /* maximum of stdout and stderr together; the rest is read and dropped */
};

struct ay_run_result {
	int status; /* exit status, or -signal */
	bool timed_out;
	double wall_s;
	/* stdout and stderr in the order of arrival; the caller releases it */
	struct ay_str output;
};

/* Runs a program to its end, or kills its process group at the deadline. Returns -1 only if the
 * program could not be started. */
int ay_process_run(const struct ay_run_spec *spec, struct ay_run_result *res, struct ay_err *err);

/* Collects the output and the status of a child that the caller has started. `out` is the read end
 * of the child's output; this function closes it. The child must lead a process group. The group is
 * killed at the deadline and after the child has ended. */
void ay_process_follow(pid_t pid, int out, double timeout_s, size_t output_max, struct ay_run_result *res);

/* Returns monotonic time in nanoseconds. */
int64_t ay_now_ns(void);
/* Returns the time in nanoseconds that the process's first thread was ready to run and waited for a CPU.
 * Returns 0 if the system does not say it. */
int64_t ay_run_delay_ns(pid_t pid);
/* Returns the longest such time of any thread in the last `span` ns, as far as known: of the first
 * thread, what exceeds `before`; of the others all that they ever waited, but at most the span.
 * *ready: the number of threads that run or are ready to run. */
int64_t ay_longest_run_delay_ns(pid_t pid, int64_t before, int64_t span, int *ready);
/* Returns the number of CPUs that this process may run on; at least 1. */
int ay_cpu_count(void);

#endif
