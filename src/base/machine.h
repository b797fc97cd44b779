/* SPDX-License-Identifier: Apache-2.0
 *
 * machine - which processor this is, and the folder for data that is cached between runs.
 */
#ifndef AY_BASE_MACHINE_H
#define AY_BASE_MACHINE_H

#include "base/arena.h"

/* Returns the model name and a digest of the processor's features: "AMD EPYC 9654 #1f2e3d4c". The
 * digest is there because two virtual machines with one model name may have different features. */
char *ay_machine_cpu(struct ay_arena *a);
/* Returns $XDG_CACHE_HOME/assay or ~/.cache/assay. The folder may not exist yet. Returns NULL if
 * neither variable holds an absolute path. */
char *ay_machine_cache(struct ay_arena *a);

#endif
