/* SPDX-License-Identifier: Apache-2.0
 *
 * library - where CUDA's libraries are, at run time: where the loader looks, in CUDA's folder ($CUDA_HOME, $CUDA_PATH,
 * /usr/local/cuda, /opt/cuda), and beside torch, whose wheels put them among the packages of an interpreter.
 */
#ifndef AY_DEVICE_SHARED_LIBRARY_H
#define AY_DEVICE_SHARED_LIBRARY_H

#include "base/arena.h"

/*
 * What to give dlopen for "libcublas", of the version `newest` and then, going down, of older ones, to `oldest`, until
 * one opens: "libcublas.so.13", then paths of files that are there. python: the interpreter beside which torch is;
 * NULL: none. NULL-ended, in the arena.
 */
const char *const *ay_cuda_places(struct ay_arena *a, const char *stem, int newest, int oldest,
				  const char *python);

/* The first of those that opens, beside torch as $ASSAY_PYTHON, else python3, else venv/ beside the running program, has
 * it; then one of any version. NULL if there is none. *path (may be NULL) is where it was found, in the arena. Never closed: such libraries keep threads. */
void *ay_cuda_library(struct ay_arena *a, const char *stem, int newest, int oldest, const char **path);

#endif
