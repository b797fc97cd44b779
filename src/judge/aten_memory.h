/* SPDX-License-Identifier: Apache-2.0
 *
 * room - memory for answers in double, here and on a GPU: how much a witness takes, and whether it is there.
 */
#ifndef AY_JUDGE_ATEN_MEMORY_H
#define AY_JUDGE_ATEN_MEMORY_H

#include "device/device.h"
#include "judge/aten_request.h"
#include "timing/quiet.h"

/* Is there room for the processor's answer? And how much that takes, of how much. */
bool ay_aten_memory_here(const struct ay_call *c, uint64_t *need, uint64_t *have);
/* For a GPU's answer, brought here. */
bool ay_aten_memory_back(const struct ay_call *c);
/* For making one there. crowded: if others give back what they have. */
bool ay_aten_memory_on_gpu(struct ay_dev *d, const struct ay_call *c, bool crowded);
/* On a GPU where others ask too: who needs much waits until others have made their answers; the lock, which may be none, is to
 * be left when this one is made. False: there is not so much. */
bool ay_aten_memory_take(struct ay_dev *d, const struct ay_call *c, enum ay_aten_request q,
			 struct ay_perf_lock *lock);

#endif
