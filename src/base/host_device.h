/* SPDX-License-Identifier: Apache-2.0
 *
 * host_device - macros for headers that both C and CUDA compile. Such a header uses only what C11
 * and CUDA C++ have in common. Where NVRTC compiles it, it must not include system headers, because
 * NVRTC has none. The text of such a header is also embedded in the assay binary (device/embed.S).
 */
#ifndef AY_BASE_HOST_DEVICE_H
#define AY_BASE_HOST_DEVICE_H

#ifdef __CUDACC_RTC__
#define uint64_t unsigned long long
#define int64_t  long long
#define uint32_t unsigned int
#define uint16_t unsigned short
#define uint8_t  unsigned char
#else
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#endif

#ifdef __CUDACC__
#define AY_HOST_DEVICE static __device__ __forceinline__
/* keeps the function out of line, so that nvcc compiles it once */
#define AY_HD_NOINLINE static __device__ __noinline__
#define AY_NO_UNROLL   _Pragma("unroll 1")
#else
#define AY_HOST_DEVICE static inline
#define AY_HD_NOINLINE static inline
#define AY_NO_UNROLL
#endif

#endif
