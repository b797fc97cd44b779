/* SPDX-License-Identifier: Apache-2.0
 *
 * worker_pool - forked worker processes. A worker takes one job at a time, answers with any number
 * of messages, and reports when the job is done. If a worker dies, only its current job is
 * affected: the pool reports this to the caller and forks a new worker.
 *
 * Workers can be in groups. A group is for a resource that its workers use and that can fail, such
 * as a device. All groups take jobs from the same caller: an idle worker of any group gets the next
 * job. When a worker reports that the resource has failed, its group ends. The group's workers are
 * killed, no new ones are forked, and their unfinished jobs go back to the caller, which can submit
 * them to other groups.
 *
 * Jobs and messages are bytes, preceded by their length. Workers end when their parent ends.
 */
#ifndef AY_BASE_WORKER_POOL_H
#define AY_BASE_WORKER_POOL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct ay_worker_pool;

/* The handle through which a worker answers. */
struct ay_worker_out {
	int fd;
	int group; /* of the worker */
	bool lost;
};
/* Sends one message about the current job to the caller. Exits if the caller is gone. */
void ay_worker_send(struct ay_worker_out *out, const void *data, size_t len);
/* Reports that the group's resource has failed, with the reason. It must be the last message about
 * this job: the job does not count as done, and the worker function must return. */
void ay_worker_fail_group(struct ay_worker_out *out, const char *why);

/* The function that a worker calls once per job, in the worker's process. */
typedef void (*ay_worker_fn)(void *user, const char *job, size_t len, struct ay_worker_out *out);

struct ay_worker_pool_events {
	void *user;
	/* Called when a worker has sent a message about the job. Non-zero ends ay_worker_pool_wait,
	 * which returns that value. */
	int (*message)(void *user, void *job, const char *data, size_t len);
	/* Called when a job is done. `died` is NULL, or says how the job's worker ended
	 * ("signal 9"). */
	int (*done)(void *user, void *job, const char *died);
	/* `lost` is called when a group has ended, after all messages of its workers have
	 * been delivered. The group's workers are no longer counted. `back` is then called
	 * for each job that one of them had: the messages about that job may be incomplete.
	 * Both may be NULL if no worker calls ay_worker_fail_group and the caller does not
	 * call ay_worker_pool_watch. */
	int (*lost)(void *user, int group, const char *why);
	int (*back)(void *user, void *job, int group);
};

/* Starts n workers in one group. They are forked copies of this process and call `fn` for each job.
 * Returns -1 on failure; *out must then be stopped too. */
int ay_worker_pool_start(struct ay_worker_pool **out, int n, ay_worker_fn fn, void *user, struct ay_err *err);
/* Starts `each` workers in every group. Worker 0 of every group comes first, then worker 1 of every
 * group, and so on. */
int ay_worker_pool_start_groups(struct ay_worker_pool **out, int groups, int each, ay_worker_fn fn, void *user,
				struct ay_err *err);
/* Returns the number of workers in the groups that have not ended; 0: no worker takes jobs
 * any more. */
int ay_worker_pool_size(const struct ay_worker_pool *c);
/* Returns the sum of the seconds for which each worker has existed. An amount of work in these
 * worker seconds, divided by ay_worker_pool_size, is the time that it takes. */
double ay_worker_pool_work_s(const struct ay_worker_pool *c);
bool ay_worker_pool_idle(const struct ay_worker_pool *c); /* true if a worker has no job */
int ay_worker_pool_busy(const struct ay_worker_pool *c);  /* how many workers have a job */
/* Gives a job to an idle worker; there must be one. `job` is the caller's own handle for
 * the job. */
int ay_worker_pool_submit(struct ay_worker_pool *c, void *job, const void *data, size_t len, struct ay_err *err);
/* Like ay_worker_pool_idle and ay_worker_pool_submit, but restricted to workers number `from` up
 * to, but without, `to` of each group, counted from 0. Use this when only those workers hold
 * something that takes long to get. */
bool ay_worker_pool_idle_among(const struct ay_worker_pool *c, int from, int to);
int ay_worker_pool_submit_among(struct ay_worker_pool *c, int from, int to, void *job, const void *data,
				size_t len, struct ay_err *err);
/* Waits until something happens, until timeout_ms have passed (-1: no limit), or until extra_fd
 * (-1: none) is readable. Returns 1 if extra_fd is readable, 0 otherwise. If an event returns
 * non-zero, returns that value. Returns -1 with err on failure. */
int ay_worker_pool_wait(struct ay_worker_pool *c, int extra_fd, int timeout_ms,
			const struct ay_worker_pool_events *e, struct ay_err *err);
/* Ends the group of a worker that has a job and has sent nothing for silent_s seconds. A worker
 * that waits for a hanging driver cannot report that itself. */
int ay_worker_pool_watch(struct ay_worker_pool *c, double silent_s, const struct ay_worker_pool_events *e);
/* Ends all workers and frees the pool; unfinished jobs are killed. NULL is allowed. */
void ay_worker_pool_stop(struct ay_worker_pool *c);

#endif
