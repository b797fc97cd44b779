/* SPDX-License-Identifier: Apache-2.0
 *
 * places - where a library of CUDA's may lie: where the loader looks, in CUDA's own folder, and beside torch, whose wheels
 * bring their own.
 */
#ifndef AY_DEVICE_PLACES_H
#define AY_DEVICE_PLACES_H

#include "base/arena.h"

/*
 * What to give dlopen for "libcublas", newest first, until one opens: "libcublas.so.13", then paths of files that are there.
 * python: the interpreter beside which torch is; NULL = none. NULL-ended, in the arena.
 */
const char *const *ay_cuda_places(struct ay_arena *a, const char *library, const char *python);

#endif
