/* SPDX-License-Identifier: Apache-2.0
 *
 * shared_library - finds CUDA's libraries at run time: where the loader searches, in CUDA's folder
 * ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda, /opt/cuda), and beside torch, whose wheels put them
 * among an interpreter's packages.
 */
#ifndef AY_DEVICE_SHARED_LIBRARY_H
#define AY_DEVICE_SHARED_LIBRARY_H

#include "base/arena.h"

/*
 * Returns the names to try with dlopen for "libcublas", from version `newest` down to `oldest`,
 * until one opens: first "libcublas.so.13", then paths of existing files. python: the interpreter
 * that has torch; NULL: none. The list is NULL-ended and in the arena.
 */
const char *const *ay_cuda_places(struct ay_arena *a, const char *stem, int newest, int oldest,
				  const char *python);

/* Opens the first library of that list, then one without a version. The interpreter is
 * $ASSAY_PYTHON, else python3, else that of venv/ beside the running program. Returns NULL if there
 * is none. *path (may be NULL) becomes the file that was opened, in the arena. Never close it: such
 * libraries keep threads. */
void *ay_cuda_library(struct ay_arena *a, const char *stem, int newest, int oldest, const char **path);

#endif
