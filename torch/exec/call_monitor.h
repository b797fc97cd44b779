/* SPDX-License-Identifier: Apache-2.0
 *
 * watch - which functions of torch a kernel calls, as torch's own recorder saw them.
 *
 * The modes of assay.boot see what reaches the dispatcher by the ways that Python code takes, and a kernel can step
 * around them: they can be switched off, and they end with their thread and inside of operators of one's own. The
 * recorder (that of the profiler) sits in the dispatcher itself. Its functions are taken out of torch's modules before a
 * kernel is there and are kept here, out of the reach of names; what it saw is read here and not in Python. Native code
 * in the kernel's process can still lie to all of it: this makes cheating deliberate, not impossible.
 */
#ifndef AY_TORCH_WATCH_H
#define AY_TORCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>

/* recorder: what boot.recorder() returned, a tuple, or None where this torch has none. */
int watch_open(PyObject *recorder);
/* From here on what this thread calls is recorded. */
void watch_begin(void);
/*
 * What was called since, until the next watch_begin. True, and why, if that is not allowed: the operator `base` of
 * namespace aten is what the kernel is to replace (NULL: none is); `allowed` is a set of the other names, or None.
 */
bool watch_end(const char *base, PyObject *allowed, char *why, size_t n);

#endif
