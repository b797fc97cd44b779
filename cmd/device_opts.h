/* SPDX-License-Identifier: Apache-2.0
 *
 * device - what the commands that judge have in common about --device and --device-count.
 *
 * Theory of operation. A run has one device or several: GPUs, or parts of the processor. Each is a group of workers
 * (base/worker_pool.h), and all take from one queue. A worker opens its own device when a kernel first needs it; after a failure
 * of ours it looks whether the device is still there. If not, the group is at an end: that is said at once, is in a record
 * of the run, and the kernels that were judged there go back into the queue, with what is known of them. A kernel that was
 * under way on two lost devices, one after the other, may be the reason: it is given up, by name.
 */
#ifndef AY_CMD_DEVICE_OPTS_H
#define AY_CMD_DEVICE_OPTS_H

#include "cmd.h"
#include "base/worker_pool.h"
#include "judge/task.h"

#include <jansson.h>

struct device_options {
	const char *wish;  /* --device; NULL: auto */
	const char *count; /* --device-count; NULL: not given */
	/* by device_plan */
	int n; /* devices; 0: nothing was planned, one as the wish says */
	int number[AY_DEV_MAX];
	bool cuda; /* they are GPUs, else parts of the processor */
	/* in a worker */
	int mine;
	struct ay_dev *open; /* the GPU, once a kernel has needed it; of this process */
	bool refused;        /* it could not be opened */
	const struct device_fault *fault;
	int cases; /* judged */
};

#define DEVICE_OPTS(o)                                                                                            \
	{ "device", OPT_TEXT, &(o)->wish, "D",                                                                    \
	  "auto, cpu, cuda, cuda:N or cuda:N,M: what CUDA kernels run on (auto: the first GPU)" },                \
	{                                                                                                         \
		"device-count", OPT_TEXT, &(o)->count, "N",                                                       \
			"several kernels: cuda:0 to cuda:N-1, or all (with --device cuda: all; else 1); without " \
			"a "                                                                                      \
			"GPU N workers"                                                                           \
	}

/*
 * Which devices there are; before workers are forked. -1: bad words, or fewer GPUs than were asked for. And how many
 * workers each gets where nobody said: a GPU serves one process at a time, and fifteen beside each other took ten times
 * as long for every one of them.
 */
int device_plan(struct device_options *o, struct ay_err *err);
int device_jobs(const struct device_options *o, int cores);
/* --jobs of every device: are that not too many? */
int device_check_jobs(const struct device_options *o, int64_t jobs, struct ay_err *err);

/* In a worker: the device of its group. */
void device_take(struct device_options *o, int group, const struct device_fault *fault);
/*
 * Completes a task by what its kernel runs on: a GPU for CUDA kernels (and for objects, if one was asked for), which is
 * opened now and not timed yet; else the processor. Where there is none for it the task says why (no_device). -1 if
 * that was asked for by name, or cannot be.
 */
int device_choose(struct device_options *o, struct ay_task *t, struct ay_arena *a, struct ay_err *err);
/* A case was judged: non-zero if the device is made to fail here, by a test. */
int device_judged(struct device_options *o);
/* Something of ours failed. Is it that the device is gone? Then err says so. */
bool device_is_lost(struct device_options *o, struct ay_err *err);
/* "cuda:0 NVIDIA H200, sm_90, CUDA 13.0" for records, "cpu:1" of several; NULL: the processor. d: the task's. */
const char *device_text(const struct device_options *o, const struct ay_dev *d, struct ay_arena *a);
void device_close(struct device_options *o);

/* --- what the process that keeps the run does about a lost one --- */

/* Devices that were lost while one kernel was judged on them. */
struct device_losses {
	int n, last;
};
/* Said on stderr; and the record of it. left: workers. */
json_t *device_lost(const struct device_options *o, int group, const char *why, int left);
/* One more for the kernel: NULL if it is to be tried elsewhere (or would be, if there were one left), else the record that
 * names it (type error). Said on stderr. */
json_t *device_blame(const struct device_options *o, struct device_losses *l, int group, const char *id, int left);
/* GPUs whose driver hangs are lost too: nothing was heard from a worker for longer than a kernel of timeout_s seconds, and a
 * case of it that is timed for budget_s, can explain. */
int device_watch(const struct device_options *o, struct ay_worker_pool *c, double timeout_s, double budget_s,
		 const struct ay_worker_pool_events *e);
/* Always -1: all of them are gone. */
int device_none_left(const struct device_options *o, struct ay_err *err);
/* Seconds that the rest will take, by what the part that is done took of the workers' time; below 0: nobody knows. */
double device_eta(const struct ay_worker_pool *c, int done, int left);

#endif
