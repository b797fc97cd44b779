/* SPDX-License-Identifier: Apache-2.0
 *
 * device - what the commands that judge have in common about --device.
 */
#ifndef AY_CMD_DEVICE_H
#define AY_CMD_DEVICE_H

#include "cmd.h"
#include "judge/task.h"

struct device_options {
	const char *wish;    /* NULL: auto */
	struct ay_dev *open; /* the GPU, once a kernel has needed it; of this process */
};

#define DEVICE_OPTS(o)                                                                              \
	{                                                                                           \
		"device", OPT_TEXT, &(o)->wish, "D",                                                \
			"auto, cpu, cuda or cuda:N: what CUDA kernels run on (auto: the first GPU)" \
	}

/*
 * Completes a task by what its kernel runs on: a GPU for CUDA kernels (and for objects, if one was asked for), which is
 * opened now and not timed yet; else the processor. Where there is none for it the task says why (no_device). -1 if
 * that was asked for by name, or cannot be.
 */
int device_choose(struct device_options *o, struct ay_task *t, struct ay_arena *a, struct ay_err *err);
/* How many kernels at once are worth it where nobody said: a GPU serves one process at a time, and fifteen beside each
 * other took ten times as long for every one of them. */
int device_jobs(const struct device_options *o, int cores);
/* "cuda:0 NVIDIA H200, sm_90, CUDA 13.0" for records; NULL: the processor. */
const char *device_text(const struct ay_dev *d, struct ay_arena *a);
void device_close(struct device_options *o);

#endif
