/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_cache - remembers how large the batches of a case were, so that the next run uses the same
 * size.
 *
 * The number of sets in a batch follows from the time of a call, and measuring that time gives a
 * different result each time. Near a boundary one run would use twice as many sets as the next. So
 * the first decision is kept, in one text file per machine. Each decision is a line "NAME CALLS
 * BASE". NAME is a SHA-256 of everything that decides (machine, kernel, case, baseline, budget,
 * threads).
 *
 * Lines are appended in single writes, and the last line of a name counts. Other lines are
 * skipped, so a torn or foreign file loses remembered sizes but never fails a run.
 */
#ifndef AY_TIMING_PLAN_CACHE_H
#define AY_TIMING_PLAN_CACHE_H

#include "base/hash.h"

#include <stdbool.h>

struct ay_batch_plan {
	int calls; /* calls in a batch of the kernel */
	int base;  /* sets in a batch of the baseline */
};

enum { AY_PLAN_FILE_MAX = 256 << 10 /* bytes; a larger file loses its older half */ };

/* Returns false if there is no file or no line with that name. */
bool ay_plan_cache_find(const char *file, const char *name, struct ay_batch_plan *p);
/* Appends a decision. If the file cannot be written, nothing is remembered; that is no failure. */
void ay_plan_cache_note(const char *file, const char *name, const struct ay_batch_plan *p);

#endif
