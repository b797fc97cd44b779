/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu - the CUDA device behind device.h, and what NVML knows of it.
 */
#ifndef AY_DEVICE_GPU_H
#define AY_DEVICE_GPU_H

#include "device/device.h"

int ay_gpu_open(struct ay_dev **out, int number, struct ay_err *err);
/* How many GPUs the driver shows this process; -1 and err. Starts the driver. */
int ay_gpu_count(struct ay_err *err);
/* For the judge's own kernels: the driver, with the device's context made this thread's. NULL if d is no GPU. */
const struct ay_cuda *ay_gpu_driver(struct ay_dev *d);

/* What make.c keeps of a GPU; {0} until a kernel of it is used. */
enum ay_own { AY_OWN_MAKE, AY_OWN_COUNT };
struct ay_gpu_own {
	void *function[AY_OWN_COUNT];
	uint64_t list; /* memory of the device */
	size_t list_bytes;
};
struct ay_gpu_own *ay_gpu_own(struct ay_dev *d);

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
