/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor_desc.h"

/* The C functions that torch's tensor type offers. */
struct exchange {
	uint32_t major, minor;
	const void *before;
	void (*allocate)(void), (*from_object)(void), (*to_object)(void);
	int (*look)(void *object, struct dl_tensor *t);
	void (*stream)(void);
};

static struct {
	PyObject *tensor, *is_neg, *is_conj;
	const struct exchange *exchange; /* NULL: this torch has none */
} plain;

void look_init(PyObject *tensor, PyObject *is_neg, PyObject *is_conj, PyObject *capsule)
{
	const struct exchange *x = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");

	PyErr_Clear();
	plain.tensor = tensor;
	plain.is_neg = is_neg;
	plain.is_conj = is_conj;
	plain.exchange = x && x->major == 1 && x->minor >= 3 ? x : NULL;
}

static bool may_be(PyObject *method, PyObject *x)
{
	PyObject *r = PyObject_CallFunctionObjArgs(method, x, NULL);

	Py_XDECREF(r);
	return r != Py_False;
}

bool look_at(PyObject *x, int type, struct ay_wire_result *r)
{
	struct dl_tensor t;

	if (!plain.exchange || (PyObject *)Py_TYPE(x) != plain.tensor)
		return false;
	if (plain.exchange->look(x, &t) || t.device.type != type || t.ndim > AY_WIRE_DIMS ||
	    may_be(plain.is_neg, x) || (t.dtype.code == AY_CODE_COMPLEX && may_be(plain.is_conj, x))) {
		PyErr_Clear();
		return false;
	}
	r->data = (uint64_t)(uintptr_t)t.data + t.byte_offset;
	r->dtype = t.dtype;
	r->ndim = t.ndim;
	r->flags = 0;
	for (int32_t i = 0; i < t.ndim; i++) {
		r->shape[i] = t.shape[i];
		r->stride[i] = t.strides[i];
	}
	return true;
}
