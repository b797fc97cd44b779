/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes Python's arguments of the judge's memory: tensors by DLPack, without copying; numbers;
 * lists.
 */
#include "py_executor.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* --- DLPack ------------------------------------------------------------------------------------------------ */

struct dl_managed {
	struct dl_tensor t;
	void *context;
	void (*deleter)(struct dl_managed *);
};

static void forget(struct dl_managed *m)
{
	free(m);
}

/* Makes a tensor over the judge's memory. Its shape is in the set's memory; torch copies it. */
PyObject *make_tensor(const ay_tensor *t)
{
	struct dl_managed *m = calloc(1, sizeof *m);
	const bool f8 = t->dtype.code == AY_CODE_F8E4M3FN || t->dtype.code == AY_CODE_F8E5M2;
	PyObject *capsule, *x;

	if (!m)
		return PyErr_NoMemory();
	m->t.data = t->data;
	m->t.device = t->device;
	m->t.ndim = t->ndim;
	m->t.dtype = t->dtype;
	if (f8) /* DLPack has these types only since torch 2.9 */
		m->t.dtype.code = AY_CODE_UINT;
	m->t.shape = t->shape;
	m->t.strides = t->strides;
	m->deleter = forget;
	capsule = PyCapsule_New(m, "dltensor", NULL);
	if (!capsule) {
		free(m);
		return NULL;
	}
	x = PyObject_CallFunctionObjArgs(kernel.from_dlpack, capsule, NULL);
	if (!x)
		free(m);
	Py_DECREF(capsule);
	if (x && (f8 || t->flags)) {
		PyObject *y = PyObject_CallMethod(kernel.boot, "dress", "Oii", x, (int)ay_dt(t), (int)t->flags);

		Py_DECREF(x);
		return y;
	}
	return x;
}

/* --- arguments --------------------------------------------------------------------------------------------- */

static PyObject *none(void)
{
	Py_INCREF(Py_None);
	return Py_None;
}

static PyObject *make_number(const ay_scalar *s)
{
	switch (s->kind) {
	case AY_SCALAR_BOOL: return PyBool_FromLong(s->v.b);
	case AY_SCALAR_INT: return PyLong_FromLongLong(s->v.i);
	case AY_SCALAR_FLOAT: return PyFloat_FromDouble(s->v.f);
	default: return PyComplex_FromDoubles(s->v.c[0], s->v.c[1]);
	}
}

static PyObject *element(int kind, const void *p, int64_t i)
{
	switch (kind) {
	case AY_PARAM_I64_P: return PyLong_FromLongLong(((const int64_t *)p)[i]);
	case AY_PARAM_F64_P: return PyFloat_FromDouble(((const double *)p)[i]);
	case AY_PARAM_BOOL_P: return PyBool_FromLong(((const bool *)p)[i]);
	case AY_PARAM_SCALARS:
	case AY_PARAM_SCALAR_P: return make_number((const ay_scalar *)p + i);
	case AY_PARAM_STRS: return PyUnicode_FromString(((const char *const *)p)[i]);
	default: {
		const ay_tensor *t = ((const ay_tensor *const *)p)[i];

		return t ? make_tensor(t) : none();
	}
	}
}

static PyObject *make_list(int kind, const void *p, int64_t n)
{
	PyObject *list = p ? PyList_New(n) : none();

	for (int64_t i = 0; p && list && i < n; i++) {
		PyObject *x = element(kind, p, i);

		if (!x || PyList_SetItem(list, i, x)) {
			Py_DECREF(list);
			return NULL;
		}
	}
	return list;
}

/* Makes a single parameter. Pointer parameters are v itself; others are what v points at. */
static PyObject *make_plain(int kind, const void *v)
{
	int32_t code;

	if (!v) /* a device argument that was not given means the only one there is */
		return page->cuda && kind == AY_PARAM_DEVICE_P ? PyLong_FromLong(0) : none();
	switch (kind) {
	case AY_PARAM_TENSOR:
	case AY_PARAM_TENSOR_W: return make_tensor(v);
	case AY_PARAM_I64: return PyLong_FromLongLong(*(const int64_t *)v);
	case AY_PARAM_F64: return PyFloat_FromDouble(*(const double *)v);
	case AY_PARAM_BOOL: return PyBool_FromLong(*(const bool *)v);
	case AY_PARAM_SCALAR: return make_number(v);
	case AY_PARAM_STR: return PyUnicode_FromString(v);
	case AY_PARAM_I32: code = *(const int32_t *)v; return code == -1 ? none() : PyLong_FromLong(code);
	case AY_PARAM_DEVICE:
	case AY_PARAM_DEVICE_P: return PyLong_FromLong(0);
	case AY_PARAM_RNG: return none(); /* the default generator is seeded instead */
	default: return element(kind, v, 0);
	}
}

/* Makes a plain number of a tensor that stands for one (x + 1), as torch would pass it. */
static PyObject *make_wrapped(const ay_tensor *t)
{
	switch (ay_dt(t)) {
	case AY_B8: return PyBool_FromLong(*(const uint8_t *)t->data);
	case AY_I64: return PyLong_FromLongLong(*(const int64_t *)t->data);
	case AY_F64: return PyFloat_FromDouble(*(const double *)t->data);
	case AY_C128: return PyComplex_FromDoubles(((const double *)t->data)[0], ((const double *)t->data)[1]);
	default: return make_tensor(t);
	}
}

/* Returns the operand of a TENSOR parameter, or -1; advances *at to the next parameter. */
static int next_operand(const uint8_t **at)
{
	struct ay_wire_param p;
	int32_t which = -1;

	memcpy(&p, *at, sizeof p);
	if (p.tag == AY_WIRE_TENSOR)
		memcpy(&which, *at + sizeof p, sizeof which);
	*at += sizeof p + (p.bytes + 7u) / 8 * 8;
	return which;
}

static bool is_wrapped(int operand)
{
	struct ay_wire_operand o;

	if (operand < 0)
		return false;
	memcpy(&o, held.c.operand + (size_t)operand * sizeof o, sizeof o);
	return o.wrapped;
}

static PyObject *make_arg(const struct function *f, int i, void *const *v, bool wrapped)
{
	const int kind = f->param[i].kind;
	PyObject *x, *how, *y;

	if (wrapped)
		return make_wrapped(v[i]);
	if (i + 1 < f->nparam && f->param[i + 1].kind == AY_PARAM_COUNT)
		x = make_list(kind, v[i], *(const int64_t *)v[i + 1]);
	else
		x = make_plain(kind, v[i]);
	how = PyList_GetItem(f->finish, f->param[i].arg);
	if (!x || x == Py_None || how == Py_None)
		return x;
	y = PyObject_CallFunctionObjArgs(how, x, NULL);
	Py_DECREF(x);
	return y;
}

/* Makes all arguments of a set, in the schema's order. */
static int make_args(const struct function *f, uint32_t set, PyObject **value)
{
	void *const *v = (void *const *)(held.mem + set * held.c.set_bytes);
	const uint8_t *at = held.c.param;

	for (int i = 0; i < f->nparam; i++) {
		const int operand = next_operand(&at), arg = f->param[i].arg;

		if (arg < 0 || f->param[i].kind == AY_PARAM_COUNT)
			continue;
		value[arg] = make_arg(f, i, v, is_wrapped(operand));
		if (!value[arg])
			return -1;
	}
	return 0;
}

/* Makes positional and keyword arguments for the function. form: (number of positional ones,
 * indices of keywords). */
static int make_call(const struct function *f, uint32_t set, PyObject *form)
{
	PyObject *value[ARGS] = { 0 }, *kw = PyTuple_GetItem(form, 1);
	const Py_ssize_t npos = PyLong_AsSsize_t(PyTuple_GetItem(form, 0));
	int rc = make_args(f, set, value);

	batch.args[set] = PyTuple_New(npos);
	batch.kwargs[set] = PyTuple_Size(kw) ? PyDict_New() : NULL;
	for (Py_ssize_t i = 0; !rc && i < npos; i++) {
		PyTuple_SetItem(batch.args[set], i, value[i]);
		value[i] = NULL;
	}
	for (Py_ssize_t i = 0; !rc && i < PyTuple_Size(kw); i++) {
		const Py_ssize_t k = PyLong_AsSsize_t(PyTuple_GetItem(kw, i));

		rc = PyDict_SetItem(batch.kwargs[set], PyList_GetItem(f->names, k), value[k]);
	}
	for (int i = 0; i < ARGS; i++)
		Py_XDECREF(value[i]);
	return rc;
}

static void clear_batch(void)
{
	for (uint32_t i = 0; i < batch.nset; i++) {
		Py_XDECREF(batch.args[i]);
		Py_XDECREF(batch.kwargs[i]);
		Py_XDECREF(batch.result[i]);
	}
	free(batch.args);
	free(batch.kwargs);
	free(batch.result);
	batch.nset = 0;
	batch.args = batch.kwargs = batch.result = NULL;
}

static int set_threads(int32_t n)
{
	PyObject *r;

	if (n == batch.threads)
		return 0;
	r = PyObject_CallMethod(kernel.boot, "threads", "i", (int)n);
	Py_XDECREF(r);
	batch.threads = n;
	return r ? 0 : -1;
}

/* Results of timed calls are kept, so every call needs new memory. Getting it from the system and
 * returning it would be counted as the calls' time. An ordinary program, which drops a result
 * before the next call, does not pay that. So malloc never returns memory to the system here. */
static int prepare_memory(void)
{
	PyObject *r = PyObject_CallMethod(kernel.boot, "settle", NULL);

	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	Py_XDECREF(r);
	return r ? 0 : -1;
}

int ready(void)
{
	const struct function *f = &kernel.function[held.c.h.entry];
	const uint32_t n = held.c.h.nset;
	PyObject *form;
	int rc = -1;

	clear_batch();
	if (held.c.h.nparam != (uint32_t)f->nparam || held.c.h.told_slot == AY_WIRE_NOT_TOLD)
		return -1;
	batch.args = calloc(n, sizeof *batch.args);
	batch.kwargs = calloc(n, sizeof *batch.kwargs);
	batch.result = calloc(n, sizeof *batch.result);
	if (!batch.args || !batch.kwargs || !batch.result)
		return -1;
	batch.nset = n;
	form = PyObject_CallMethod(kernel.boot, "form", "iK", (int)held.c.h.entry,
				   (unsigned long long)held.c.h.plain);
	if (form)
		rc = set_threads((int32_t)held.c.h.threads);
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = make_call(f, i, form);
	Py_XDECREF(form);
	if (!rc && held.timed)
		rc = prepare_memory();
	if (!rc && held.timed && page->cuda && !gpu_sync())
		memory_clean(held.c.h.poison[0]);
	if (rc)
		/* visible to no process: the judge reports a message that cannot be followed */
		PyErr_Print();
	return rc;
}
