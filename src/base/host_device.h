/* SPDX-License-Identifier: Apache-2.0
 *
 * either - for texts that C and CUDA read alike: only what C11 and CUDA C++ have in common, and nothing of a header
 * where NVRTC, which has none, reads them. Such a text is carried inside assay too (device/embed.S).
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
#define AY_HD_NOINLINE static __device__ __noinline__ /* compiling it once is enough */
#define AY_NO_UNROLL   _Pragma("unroll 1")
#else
#define AY_HOST_DEVICE static inline
#define AY_HD_NOINLINE static inline
#define AY_NO_UNROLL
#endif

#endif
