/* SPDX-License-Identifier: Apache-2.0
 *
 * thread_ranges - divides a range of work among threads that are started for it and end with it.
 */
#ifndef AY_BASE_THREAD_RANGES_H
#define AY_BASE_THREAD_RANGES_H

#include <stdint.h>

/* Does the work of [lo, hi). */
typedef void (*ay_range_fn)(void *user, int64_t lo, int64_t hi);

/* Calls fn for consecutive parts of [lo, hi), each of at least `least`, in up to `threads` threads.
 * If a thread cannot be started, the caller's thread does its part. Returns when all is done. */
void ay_thread_ranges(ay_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t least, int threads);

#endif
