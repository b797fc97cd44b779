/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_memory - the memory that ATen's answers in double need, on the host and on a GPU, and
 * whether it is available.
 */
#ifndef AY_JUDGE_ATEN_MEMORY_H
#define AY_JUDGE_ATEN_MEMORY_H

#include "device/device.h"
#include "judge/aten_request.h"
#include "device/perf_lock.h"

/* Returns true if host memory suffices for an answer by the CPU. Stores the bytes needed and
 * available. */
bool ay_aten_memory_here(const struct ay_call *c, uint64_t *need, uint64_t *have);
/* Returns true if host memory suffices for an answer that is copied back from a GPU. */
bool ay_aten_memory_back(const struct ay_call *c);
/* Returns true if GPU memory suffices for an answer there. `crowded`: other processes use GPU
 * memory but free it again, so only the size of the GPU counts. */
bool ay_aten_memory_on_gpu(struct ay_dev *d, const struct ay_call *c, bool crowded);
/* Waits until enough memory is free on a GPU that other processes use too. A request that needs
 * much memory locks shares of it. The caller releases *lock, which may hold nothing, after the
 * answer. Returns false if the memory is not available. */
bool ay_aten_memory_take(struct ay_dev *d, const struct ay_call *c, enum ay_aten_request q,
			 struct ay_perf_lock *lock);

#endif
