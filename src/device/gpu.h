/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu - the CUDA device behind device.h, and what NVML knows of it.
 */
#ifndef AY_DEVICE_GPU_H
#define AY_DEVICE_GPU_H

#include "device/device.h"
#include "device/judge_kernels.h"

int ay_gpu_open(struct ay_dev **out, int number, struct ay_err *err);
/* How many GPUs the driver shows this process; -1 and err. Starts the driver. */
int ay_gpu_count(struct ay_err *err);
/* For the judge's own kernels: the driver, with the device's context made this thread's. NULL if d is no GPU. */
const struct ay_cuda *ay_gpu_driver(struct ay_dev *d);

/* What judge_kernels.c keeps of it. */
struct ay_judge_kernels_kept *ay_gpu_own(struct ay_dev *d);

/* What NVML says; -1 where it says nothing. */
struct ay_nvml {
	char driver[80];
	int sm_mhz, memory_mhz, sm_max_mhz, memory_max_mhz; /* now, and at most */
	int celsius;
	int watts, watts_most;
	int minor;         /* the N of /dev/nvidiaN */
	int64_t throttled; /* bits of nvmlClocksEventReasons, all of them */
};

/* All of it, by a link of its own: tens of milliseconds. 0, or -1 with the reason in why. */
int ay_nvml_read(const char *bus, struct ay_nvml *v, char *why, size_t n);

/* What can change between two batches, read through a link that stays open. Each field is -1, and `throttled` 0, where
 * NVML does not say. */
struct ay_gpu_state {
	int sm_mhz, memory_mhz, celsius;
	/* Why clocks are lower than they could be; without AY_THROTTLE_NOT. NVML's reasons stay for a second or so after what
	 * caused them: at full clocks nothing is lost. */
	uint64_t throttled;
};

/* Nothing to do, and clocks that were set: no reasons to call a time a bad one. */
enum { AY_THROTTLE_NOT = 1 | 2, AY_THROTTLE_WORDS = 240 };

struct ay_nvml_link;
struct ay_nvml_link *ay_nvml_open(const char *bus, char *why, size_t n); /* NULL with the reason in why */
void ay_nvml_close(struct ay_nvml_link *m);
void ay_nvml_state(const struct ay_nvml_link *m, struct ay_gpu_state *s);
/* Of a GPU that is open. The first call opens the link (20 ms), others take 1 to 25 us, measured on an H200. -1: there is
 * no NVML, and never will be. */
int ay_gpu_state(struct ay_dev *d, struct ay_gpu_state *s);
/* "power limit, heat, by the driver"; "" if there is no reason. buf: AY_THROTTLE_WORDS bytes, which is what comes back. */
const char *ay_gpu_throttle_words(uint64_t bits, char *buf);

/* Does CUDA's multi-process service run here? Then kernels of several processes run at the same time, and a time that is
 * taken of one is the other's doing too. */
bool ay_gpu_mps_runs(void);
/* The same with another /proc. */
bool ay_gpu_mps_runs_in(const char *proc);

#endif
