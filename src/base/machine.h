/* SPDX-License-Identifier: Apache-2.0
 *
 * machine - which processor this is, and where we keep what was learnt about it.
 */
#ifndef AY_BASE_MACHINE_H
#define AY_BASE_MACHINE_H

#include "base/arena.h"

/* Model name and a digest of its features, "AMD EPYC 9654 #1f2e3d4c": two virtual machines of one model name may
 * differ in what they can do. */
char *ay_machine_cpu(struct ay_arena *a);
/* $XDG_CACHE_HOME/assay or ~/.cache/assay, which may not exist yet; NULL if the environment names neither. */
char *ay_machine_cache(struct ay_arena *a);

#endif
