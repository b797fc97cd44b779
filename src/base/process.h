/* SPDX-License-Identifier: Apache-2.0
 *
 * process - children of ours: started, fed, timed, killed with all they started.
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
	const char *dir;        /* NULL: here */
	double timeout_s;
	size_t output_max; /* of stdout and stderr together; the rest is read and dropped */
};

struct ay_run_result {
	int status; /* exit status, or -signal */
	bool timed_out;
	double wall_s;
	struct ay_str output; /* stdout and stderr as they came; the caller releases it */
};

/* Runs a program to its end, or kills its process group at the deadline. -1 only if it could not be started. */
int ay_process_run(const struct ay_run_spec *spec, struct ay_run_result *res, struct ay_err *err);

/* The second half of that, for a child started otherwise: `out` is our end of its output, which is closed here.
 * The child must lead a process group, which is killed at the deadline and when the child has ended. */
void ay_process_follow(pid_t pid, int out, double timeout_s, size_t output_max, struct ay_run_result *res);

/* Monotonic time in nanoseconds. */
int64_t ay_now_ns(void);
int ay_cpu_count(void);

#endif
