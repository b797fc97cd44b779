/* SPDX-License-Identifier: Apache-2.0
 *
 * device_opts - the options --device and --device-count, and what to do about a lost device.
 *
 * Theory of operation. A run has one or more devices: GPUs, or parts of the processor. Each device
 * has a group of workers (base/worker_pool.h), and all groups share one queue. A worker opens its
 * device when a kernel first needs it. After a failure of assay it checks whether the device still
 * works. If it does not, the group ends. The command reports that at once, writes a record, and
 * puts the group's unfinished kernels back into the queue with their known results. A kernel that
 * was being judged on two devices when they were lost may be the reason. The command gives up this
 * kernel and names it.
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
	/* set by device_plan */
	int n; /* number of devices; 0: no plan was made, one device as `wish` says */
	int number[AY_DEV_MAX];
	bool cuda; /* the devices are GPUs, else parts of the processor */
	/* fields of a worker */
	int mine;
	struct ay_dev *open; /* this process's GPU, once a kernel has needed it */
	bool refused;        /* the GPU could not be opened */
	const struct device_fault *fault;
	int cases; /* number of judged cases */
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
 * device_plan finds the devices; call it before workers are forked. It returns -1 if the options
 * are wrong or there are fewer GPUs than requested. device_jobs returns the default number of
 * workers per device. It is small for a GPU, because a GPU serves one process at a time: with
 * fifteen processes each took ten times as long.
 */
int device_plan(struct device_options *o, struct ay_err *err);
int device_jobs(const struct device_options *o, int cores);
/* Fails if `jobs` workers for each device are too many. */
int device_check_jobs(const struct device_options *o, int64_t jobs, struct ay_err *err);

/* In a worker: selects the device of its group. */
void device_take(struct device_options *o, int group, const struct device_fault *fault);
/*
 * Sets the device of a task by its kernel's language. CUDA kernels (and objects, if a GPU was
 * requested) get a GPU, which is opened now; its time does not count. Other kernels get the
 * processor. If there is no device, t->no_device says why. Returns -1 if the requested device does
 * not exist or cannot run the kernel.
 */
int device_choose(struct device_options *o, struct ay_task *t, struct ay_arena *a, struct ay_err *err);
/* Counts a judged case. Returns non-zero if a test makes the device fail now. */
int device_judged(struct device_options *o);
/* After a failure of assay: returns true if the device is lost; then err says so. */
bool device_is_lost(struct device_options *o, struct ay_err *err);
/* Returns "cuda:0 NVIDIA H200, sm_90, CUDA 13.0" for records, "cpu:1" if there are several parts of
 * the processor, or NULL for the whole processor. d: the task's device. */
const char *device_text(const struct device_options *o, const struct ay_dev *d, struct ay_arena *a);
void device_close(struct device_options *o);

/* --- lost devices, in the process that keeps the run --- */

/* How many devices were lost while one kernel was judged on them, and the last of them. */
struct device_losses {
	int n, last;
};
/* Prints that a device was taken out, and returns the record that says so. left: workers that
 * remain. */
json_t *device_lost(const struct device_options *o, int group, const char *why, int left);
/* Counts a lost device for a kernel. Returns NULL if the kernel may be tried on another device, or
 * if no device is left. Else prints that the kernel is given up, and returns its record (type
 * error). */
json_t *device_blame(const struct device_options *o, struct device_losses *l, int group, const char *id, int left);
/* Treats a GPU as lost if a worker has sent nothing for too long. The limit allows for a kernel of
 * timeout_s seconds with a case that is timed for budget_s. */
int device_watch(const struct device_options *o, struct ay_worker_pool *c, double timeout_s, double budget_s,
		 const struct ay_worker_pool_events *e);
/* Sets the error that all devices are lost. Always returns -1. */
int device_none_left(const struct device_options *o, struct ay_err *err);
/* Estimates the seconds for the remaining work from the workers' time for the finished part.
 * Returns a number below 0 if there is no estimate. */
double device_eta(const struct ay_worker_pool *c, int done, int left);

#endif
