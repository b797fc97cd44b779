/* SPDX-License-Identifier: Apache-2.0
 *
 * call_monitor - finds out which functions of torch a kernel calls.
 *
 * torch's dispatcher reports every operator that begins or ends (op_observer.h), in every thread of
 * the process, however it was reached. An operator counts if the kernel called it: if no other
 * operator is running in this thread, if those that run are composed of others, or if Python code
 * was entered since the innermost one began (an implementation that the kernel has registered, a
 * tensor class of its own). Otherwise torch itself called it.
 *
 * Some functions of torch call an operator without the dispatcher's knowledge, from Python
 * (redispatch) or C (the symbols of libtorch). The former are wrapped here, and looking up the latter
 * through ctypes is noted.
 *
 * All of this runs in the kernel's process: native code there can falsify it. It makes cheating
 * deliberate, not impossible.
 */
#ifndef AY_TORCH_CALL_MONITOR_H
#define AY_TORCH_CALL_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

/* watch(mark, composite, known, is_changed, handle type, schema of a handle, name of a schema, kernel
 * type, handle of a kernel): stores what assay.torch_calls has found in torch, and tries the
 * observer out. Returns False if this torch has none. */
PyObject *watch_open(PyObject *self, PyObject *args);
/* Starts watching all threads. `base`: the operator of namespace aten that the kernel replaces
 * (NULL: none) and must not call. `allowed`: a set of the other allowed names, or None: all are
 * allowed. */
void watch_begin(const char *base, PyObject *allowed);
/* Stops. Returns true, with the reason in `why`, if a call was not allowed. */
bool watch_end(char *why, size_t n);

/* wrap(function, name): returns an object that calls the function, which runs the operator `name`
 * without the dispatcher's knowledge, and counts as a call of it. */
PyObject *watch_wrap(PyObject *self, PyObject *args);
/* An audit hook (sys.addaudithook): notes which symbols ctypes looks up. */
PyObject *watch_audit(PyObject *self, PyObject *args);

#endif
