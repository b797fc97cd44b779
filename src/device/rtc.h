/* SPDX-License-Identifier: Apache-2.0
 *
 * rtc - compiles the judge's own CUDA kernels. Their source is carried inside assay. NVRTC compiles
 * it at first use for the GPU that is there. The code is cached in $XDG_CACHE_HOME/assay/cuda under
 * a hash of the source, the options, NVRTC's version and the GPU's generation.
 *
 * NVRTC is found by dlopen: where the loader searches, in CUDA's folder, and beside torch. A cached
 * file is used only if no other user could have written it.
 */
#ifndef AY_DEVICE_RTC_H
#define AY_DEVICE_RTC_H

#include "device/device.h"

/* Compiles and loads the functions `name` of `source` in the device's context. The source is C++17
 * with extern "C" functions and without headers; multiplication and addition are fused only where
 * it says fma. The functions live as long as the context. Fails with what is missing and what to do
 * about it. */
int ay_rtc_load(struct ay_dev *d, const char *source, int n, const char *const *name, void **function,
		struct ay_err *err);

#endif
