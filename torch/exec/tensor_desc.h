/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_desc - finds where a torch tensor lies without calling Python, through the C functions
 * that torch.Tensor offers (DLPack 1.3, torch 2.11). It takes 0.1 us a tensor; the tensor's
 * attributes take 10.
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

/* Stores torch.Tensor, its methods is_neg and is_conj, and its capsule. All are borrowed for ever.
 * With capsule None, look_at returns false for all tensors. */
void look_init(PyObject *tensor, PyObject *is_neg, PyObject *is_conj, PyObject *capsule);
/* Describes tensor x. Returns false if x is not known to be a plain tensor on a device of this type
 * (AY_CPU, AY_CUDA). */
bool look_at(PyObject *x, int type, struct ay_wire_result *r);

#endif
