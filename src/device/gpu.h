/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu - the CUDA device behind device.h, and what NVML knows of it.
 */
#ifndef AY_DEVICE_GPU_H
#define AY_DEVICE_GPU_H

#include "device/device.h"
#include "device/own.h"

int ay_gpu_open(struct ay_dev **out, int number, struct ay_err *err);
/* How many GPUs the driver shows this process; -1 and err. Starts the driver. */
int ay_gpu_count(struct ay_err *err);
/* For the judge's own kernels: the driver, with the device's context made this thread's. NULL if d is no GPU. */
const struct ay_cuda *ay_gpu_driver(struct ay_dev *d);

/* What own.c keeps of it. */
struct ay_own_kept *ay_gpu_own(struct ay_dev *d);

/* What NVML says; -1 where it says nothing. */
struct ay_nvml {
	char driver[80];
	int sm_mhz, memory_mhz, sm_max_mhz, memory_max_mhz; /* now, and at most */
	int celsius;
	int minor;         /* the N of /dev/nvidiaN */
	int64_t throttled; /* bits of nvmlClocksEventReasons */
};

/* 0, or -1 with the reason in why. */
int ay_nvml_read(const char *bus, struct ay_nvml *v, char *why, size_t n);

#endif
