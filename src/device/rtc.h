/* SPDX-License-Identifier: Apache-2.0
 *
 * rtc - the judge's own CUDA kernels: source carried inside assay, compiled by NVRTC for the GPU that is there when they
 * are first used, and kept in $XDG_CACHE_HOME/assay/cuda under a hash of source, options, NVRTC's version and the GPU's
 * generation.
 *
 * NVRTC is found by dlopen, in the loader's places, in CUDA's folder and beside torch. What is in the cache is the
 * judge's own: files that others could have written are not taken.
 */
#ifndef AY_DEVICE_RTC_H
#define AY_DEVICE_RTC_H

#include "device/device.h"

/* The functions `name` of `source` (extern "C"; C++17 without headers; a multiplication and an addition are fused where
 * it says fma), compiled and loaded in the device's context; they live as long as it does. -1 with
 * what is missing and what to do about it. */
int ay_rtc_load(struct ay_dev *d, const char *source, int n, const char *const *name, void **function,
		struct ay_err *err);

#endif
