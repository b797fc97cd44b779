/* SPDX-License-Identifier: Apache-2.0
 *
 * look - where a tensor of torch lies, without asking Python: through the functions for C that torch.Tensor offers
 * (DLPack 1.3, torch 2.11). 0.1 us a tensor, where its attributes take 10.
 */
#ifndef AY_TORCH_LOOK_H
#define AY_TORCH_LOOK_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include "exec/wire.h"

/* As in dlpack.h. */
struct dl_tensor {
	void *data;
	ay_device device;
	int32_t ndim;
	ay_dtype dtype;
	int64_t *shape, *strides;
	uint64_t byte_offset;
};

/* The type and the methods is_neg and is_conj of torch.Tensor, and its capsule, or None: then nothing can be looked at.
 * Borrowed for ever. */
void look_init(PyObject *tensor, PyObject *is_neg, PyObject *is_conj, PyObject *capsule);
/* False: it is no plain tensor on a device of this type (AY_CPU, AY_CUDA), or cannot be told to be one. */
bool look_at(PyObject *x, int type, struct ay_wire_result *r);

#endif
