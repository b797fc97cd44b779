/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu - the CUDA device that implements device.h, and the state that NVML reports about it.
 */
#ifndef AY_DEVICE_GPU_H
#define AY_DEVICE_GPU_H

#include "device/device.h"
#include "device/judge_kernels.h"

int ay_gpu_open(struct ay_dev **out, int number, struct ay_err *err);
/* Returns how many GPUs the driver shows this process, or -1. Starts the driver. */
int ay_gpu_count(struct ay_err *err);
/* Returns the driver for the judge's own kernels, and makes the device's context current in this
 * thread. NULL: d is no GPU. */
const struct ay_cuda *ay_gpu_driver(struct ay_dev *d);

/* Returns the state that judge_kernels.c has for this device. */
struct ay_judge_kernels_kept *ay_gpu_own(struct ay_dev *d);

/* What NVML reports; -1 where it reports nothing. */
struct ay_nvml {
	char driver[80];
	/* the present clocks, and the largest */
	int sm_mhz, memory_mhz, sm_max_mhz, memory_max_mhz;
	int celsius;
	int watts, watts_most;
	int minor;         /* the N of /dev/nvidiaN */
	int64_t throttled; /* all bits of nvmlClocksEventReasons */
};

/* Reads all of it through a new connection to NVML, which takes tens of milliseconds. Returns -1
 * with the reason in `why` if that fails. */
int ay_nvml_read(const char *bus, struct ay_nvml *v, char *why, size_t n);

/* The state that can change between two batches, read through a connection that stays open. If NVML
 * does not report a field, it is -1, and `throttled` is 0. */
struct ay_gpu_state {
	int sm_mhz, memory_mhz, celsius;
	/* Why the clocks are lower than they could be, without AY_THROTTLE_NOT. NVML reports a
	 * reason for about a second after its cause has ended: if the clock is at its maximum, the
	 * reason can be ignored. */
	uint64_t throttled;
};

/* AY_THROTTLE_NOT: the GPU is idle, or its clocks were set: these two do not make a measured time
 * invalid. */
enum { AY_THROTTLE_NOT = 1 | 2, AY_THROTTLE_WORDS = 240 };

struct ay_nvml_link;
/* Opens a connection to NVML. Returns NULL with the reason in `why` if that fails. */
struct ay_nvml_link *ay_nvml_open(const char *bus, char *why, size_t n);
void ay_nvml_close(struct ay_nvml_link *m);
void ay_nvml_state(const struct ay_nvml_link *m, struct ay_gpu_state *s);
/* Reads the state of an open GPU. The first call opens the connection (20 ms); later ones take 1 to
 * 25 us, measured on an H200. Returns -1 if there is no NVML; later calls fail too. */
int ay_gpu_state(struct ay_dev *d, struct ay_gpu_state *s);
/* Writes the reasons as text ("power limit, heat, by the driver"; "" for none) to buf, of
 * AY_THROTTLE_WORDS bytes. Returns buf. */
const char *ay_gpu_throttle_words(uint64_t bits, char *buf);

/* Returns true if CUDA's multi-process service runs. Then kernels of several processes run at the
 * same time, and the time measured for one kernel depends on the others. */
bool ay_gpu_mps_runs(void);
/* As ay_gpu_mps_runs, with another folder in place of /proc. */
bool ay_gpu_mps_runs_in(const char *proc);

#endif
