/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_cache - how large the batches of a case were, so that they are as large the next time.
 *
 * How many sets a batch has follows from how long a call takes, which is measured and never comes out the same twice: near
 * a boundary one run would take twice as many sets as the next. So the first decision is kept, in one text file for a
 * machine: a line "NAME CALLS BASE" for each, NAME a SHA-256 of all that decides (machine, kernel, case, baseline, budget,
 * threads). Lines are appended in single writes, the last of a name counts, and what is not such a line is skipped: a torn
 * or foreign file costs a memory, never a run.
 */
#ifndef AY_TIMING_PLAN_CACHE_H
#define AY_TIMING_PLAN_CACHE_H

#include "base/hash.h"

#include <stdbool.h>

struct ay_batch_plan {
	int calls; /* in a batch of the kernel */
	int base;  /* sets in one of the baseline */
};

enum { AY_PLAN_FILE_MAX = 256 << 10 /* bytes; beyond, the older half is dropped */ };

/* False: there is none of that name, or no file. */
bool ay_plan_cache_find(const char *file, const char *name, struct ay_batch_plan *p);
/* A file that cannot be written is no failure: then nothing is remembered. */
void ay_plan_cache_note(const char *file, const char *name, const struct ay_batch_plan *p);

#endif
