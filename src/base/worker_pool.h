/* SPDX-License-Identifier: Apache-2.0
 *
 * crew - worker processes of our own. Each is forked from this one, takes one job at a time, answers with any
 * number of messages and says when it is through. A worker that dies, whatever the reason, costs the job it had:
 * the caller is told, and a new one is forked in its place.
 *
 * Workers may be in groups, one for each thing that they work with and that can fail: a device. All take from the same
 * jobs: whoever is idle gets the next. A worker that finds the thing gone says so, and its group is at an end: its
 * workers end, no new ones are forked, and the jobs that they had are the caller's again, to be given to other groups.
 *
 * Jobs and messages are bytes with a length before them. Workers end with their parent.
 */
#ifndef AY_BASE_WORKER_POOL_H
#define AY_BASE_WORKER_POOL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct ay_worker_pool;

/* What a worker uses to answer. */
struct ay_worker_out {
	int fd;
	int group; /* of the worker */
	bool lost;
};
void ay_worker_send(struct ay_worker_out *out, const void *data, size_t len);
/* What the group works with is gone. The last word about this job: it is not through, whoever called returns. */
void ay_worker_fail_group(struct ay_worker_out *out, const char *why);

/* Runs in the worker, once per job. */
typedef void (*ay_worker_fn)(void *user, const char *job, size_t len, struct ay_worker_out *out);

struct ay_worker_pool_events {
	void *user;
	/* A worker said something about the job. Non-zero ends the waiting (and is passed on). */
	int (*message)(void *user, void *job, const char *data, size_t len);
	/* The job is through; died says how its worker ended ("signal 9"), NULL if it is well. */
	int (*done)(void *user, void *job, const char *died);
	/* A group was lost, its workers do not count any more; all that they said has come. And then each job that one of
	 * them had: what was said about it may be all there is to say. Never called, and may be NULL, where no worker loses
	 * its group. */
	int (*lost)(void *user, int group, const char *why);
	int (*back)(void *user, void *job, int group);
};

int ay_worker_pool_start(struct ay_worker_pool **out, int n, ay_worker_fn fn, void *user, struct ay_err *err);
/* `each` workers in every group; first come the first ones of all groups. */
int ay_worker_pool_start_groups(struct ay_worker_pool **out, int groups, int each, ay_worker_fn fn, void *user,
				struct ay_err *err);
int ay_worker_pool_size(
	const struct ay_worker_pool *c); /* of the groups that are left; 0: nobody takes jobs any more */
/* Seconds that all workers have been there for, together: what is left of a work takes as many, divided by those who
 * are left. */
double ay_worker_pool_work_s(const struct ay_worker_pool *c);
bool ay_worker_pool_idle(const struct ay_worker_pool *c); /* is there a worker without a job? */
int ay_worker_pool_busy(const struct ay_worker_pool *c);  /* how many have one */
/* Hands a job to an idle worker, of which there must be one; `job` is the caller's name for it. */
int ay_worker_pool_submit(struct ay_worker_pool *c, void *job, const void *data, size_t len, struct ay_err *err);
/* The same for those alone who are the from-th to the last before the to-th of their group, counted from 0: where some
 * have what it takes a while to get. */
bool ay_worker_pool_idle_among(const struct ay_worker_pool *c, int from, int to);
int ay_worker_pool_submit_among(struct ay_worker_pool *c, int from, int to, void *job, const void *data,
				size_t len, struct ay_err *err);
/* Waits until something happens, at most timeout_ms (-1: for ever), or until extra_fd (-1: none) is readable.
 * Gives 1 if extra_fd is readable, 0 otherwise, or what an event returned if that is not zero, -1 and err if we
 * failed. */
int ay_worker_pool_wait(struct ay_worker_pool *c, int extra_fd, int timeout_ms,
			const struct ay_worker_pool_events *e, struct ay_err *err);
/* A group of which a worker has said nothing for so long is lost: who waits for a driver that hangs cannot say so. */
int ay_worker_pool_watch(struct ay_worker_pool *c, double silent_s, const struct ay_worker_pool_events *e);
void ay_worker_pool_stop(struct ay_worker_pool *c);

#endif
