/* SPDX-License-Identifier: Apache-2.0
 *
 * call_monitor - finds out which functions of torch a kernel calls, with torch's own recorder.
 *
 * The modes of assay.boot see calls that reach the dispatcher by the usual ways of Python code. A
 * kernel can avoid them: they can be switched off, and they end with their thread and inside custom
 * operators. The recorder (the profiler's) is in the dispatcher itself. Before a kernel is loaded,
 * its functions are removed from torch's modules and stored here, where Python names cannot reach
 * them. Its records are read here and not in Python. Native code in the kernel's process can still
 * falsify all of it: this makes cheating deliberate, not impossible.
 */
#ifndef AY_TORCH_WATCH_H
#define AY_TORCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Stores the recorder's functions. recorder: the tuple that boot.recorder() returned, or None if
 * this torch has none. */
int watch_open(PyObject *recorder);
/* Starts recording the calls of this thread. */
void watch_begin(void);
/*
 * Stops recording. Returns true, with the reason in `why`, if a call was not allowed. `base`: the
 * operator of namespace aten that the kernel replaces (NULL: none) and must not call. `allowed`: a
 * set of the other allowed names, or None: all are allowed.
 */
bool watch_end(const char *base, PyObject *allowed, char *why, size_t n);

#endif
