/* SPDX-License-Identifier: Apache-2.0
 *
 * library - CUDA's libraries, opened at run time from wherever they are: where the loader looks, in CUDA's folder
 * ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda, /opt/cuda), and beside torch, whose wheels put them among the packages
 * of an interpreter ($ASSAY_PYTHON, else python3).
 */
#ifndef AY_DEVICE_LIBRARY_H
#define AY_DEVICE_LIBRARY_H

#include "base/arena.h"

/* "libcublasLt" of the version `newest` or, going down, an older one, to `oldest`; then of any version. NULL if there is
 * none. *path (may be NULL) is where it was found, in the arena. Never closed: such libraries keep threads. */
void *ay_cuda_library(struct ay_arena *a, const char *stem, int newest, int oldest, const char **path);

#endif
