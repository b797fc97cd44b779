/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes what a function returned, or raised, to the judge, which reads results itself
 * (src/exec/read_results.c).
 */
#include "py_executor.h"

#include <string.h>

struct ay_wire_told *told(void)
{
	return (struct ay_wire_told *)pool.base[held.c.h.told_slot];
}

void tell(const char *text)
{
	snprintf(told()->text, sizeof told()->text, "%s", text);
}

/* Writes the current exception as text, and clears it. */
void explain(char *text, size_t n)
{
	PyObject *type, *value, *trace, *said;
	const char *s = NULL;

	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	said = PyObject_CallMethod(kernel.boot, "explain", "OOO", type ? type : Py_None, value ? value : Py_None,
				   trace ? trace : Py_None);
	if (said)
		s = PyBytes_AsString(said);
	PyErr_Clear();
	snprintf(text, n, "%s", s ? s : "an exception that cannot be shown");
	Py_XDECREF(said);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
}

void on_exception(struct ay_wire_status *s, uint32_t set)
{
	const bool refused = PyErr_ExceptionMatches(PyExc_NotImplementedError);

	s->what = refused                                     ? AY_WIRE_REFUSED
		  : PyErr_ExceptionMatches(PyExc_MemoryError) ? AY_WIRE_STARVED
							      : AY_WIRE_RAISED;
	s->rc = AY_UNSUPPORTED;
	s->set = set;
	explain(told()->text, sizeof told()->text);
	if (s->what == AY_WIRE_RAISED && (strstr(told()->text, "DefaultCPUAllocator: can't allocate memory") ||
					  strstr(told()->text, "CUDA out of memory")))
		s->what = AY_WIRE_STARVED; /* torch's own exceptions for lack of memory */
}

void on_unfit(struct ay_wire_status *s, uint32_t set)
{
	s->what = AY_WIRE_UNFIT;
	s->set = set;
	explain(told()->text, sizeof told()->text);
}

/* Returns true if results must lie on the GPU. An oracle's do not: it copies its answers to the
 * processor itself. */
static bool is_on_gpu(void)
{
	return page->cuda && !held.c.h.open;
}

/* Describes a result with boot.describe: (address, dtype code, flags, shape, strides). Fails with
 * an exception whose text is for the author. */
static int describe(PyObject *x, struct ay_wire_result *r)
{
	PyObject *d, *shape, *stride;
	unsigned long long data;
	int code, flags;

	if (look_at(x, is_on_gpu() ? AY_CUDA : AY_CPU, r))
		return 0;
	*r = (struct ay_wire_result){ .ndim = -1 };
	d = PyObject_CallMethod(kernel.boot, "describe", "Os", x, is_on_gpu() ? "cuda" : "cpu");
	if (!d)
		return -1;
	if (d == Py_None) {
		Py_DECREF(d);
		return 0;
	}
	if (PyArg_ParseTuple(d, "KiiOO", &data, &code, &flags, &shape, &stride) &&
	    PyTuple_Size(shape) <= AY_WIRE_DIMS) {
		r->data = data;
		r->dtype = (ay_dtype){ (uint8_t)code, (uint8_t)(code >> 8), 1 };
		r->flags = (uint32_t)flags;
		r->ndim = (int32_t)PyTuple_Size(shape);
		for (int32_t i = 0; i < r->ndim; i++) {
			r->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
			r->stride[i] = PyLong_AsLongLong(PyTuple_GetItem(stride, i));
		}
	}
	Py_DECREF(d);
	if (!PyErr_Occurred() && r->ndim < 0)
		PyErr_SetString(PyExc_ValueError, "returned a tensor of too many dimensions");
	return PyErr_Occurred() ? -1 : 0;
}

static int number_result(void *dst, int kind, PyObject *x)
{
	ay_scalar s = { 0 };

	if (PyBool_Check(x)) {
		s.kind = AY_SCALAR_BOOL;
		s.v.b = x == Py_True;
	} else if (PyLong_Check(x)) {
		s.kind = AY_SCALAR_INT;
		s.v.i = PyLong_AsLongLong(x);
	} else if (PyFloat_Check(x)) {
		s.kind = AY_SCALAR_FLOAT;
		s.v.f = PyFloat_AsDouble(x);
	} else if (PyComplex_Check(x)) {
		s.kind = AY_SCALAR_COMPLEX;
		s.v.c[0] = PyComplex_RealAsDouble(x);
		s.v.c[1] = PyComplex_ImagAsDouble(x);
	} else {
		PyErr_SetString(PyExc_TypeError, "returned something that is no number");
		return -1;
	}
	if (PyErr_Occurred())
		return -1;
	switch (kind) {
	case AY_PARAM_I64_OUT: memcpy(dst, &s.v.i, sizeof s.v.i); break;
	case AY_PARAM_F64_OUT: memcpy(dst, &s.v.f, sizeof s.v.f); break;
	case AY_PARAM_BOOL_OUT: memcpy(dst, &s.v.b, sizeof s.v.b); break;
	default: memcpy(dst, &s, sizeof s);
	}
	return 0;
}

/* Returns true if the result is the argument that it must be. */
static bool is_argument(const struct function *f, uint32_t set)
{
	PyObject *x;

	if (f->simple < PyTuple_Size(batch.args[set]))
		x = PyTuple_GetItem(batch.args[set], f->simple);
	else
		x = batch.kwargs[set] ? PyDict_GetItem(batch.kwargs[set], PyList_GetItem(f->names, f->simple))
				      : NULL;
	return x == batch.result[set];
}

static PyObject *results(uint32_t set)
{
	PyObject *kw = batch.kwargs[set] ? batch.kwargs[set] : PyDict_New(), *list;

	list = PyObject_CallMethod(kernel.boot, "results", "iOOO", (int)held.c.h.entry, batch.result[set],
				   batch.args[set], kw);
	if (!batch.kwargs[set])
		Py_XDECREF(kw);
	return list;
}

/* Returns where a native kernel would write result k of a set; NULL: it has no such place. */
static const ay_tensor *place_of(const struct function *f, uint32_t set, uint32_t k)
{
	void *const *v = (void *const *)(held.mem + set * held.c.set_bytes);

	for (int i = 0; i < f->nparam; i++) {
		const bool list = i + 1 < f->nparam && f->param[i + 1].kind == AY_PARAM_COUNT;
		const int64_t n = list ? *(const int64_t *)v[i + 1] : 1;

		if (f->param[i].ret < 0 ||
		    (f->param[i].kind != AY_PARAM_TENSOR_W && f->param[i].kind != AY_PARAM_TENSORS_W))
			continue;
		if (k < n)
			return list ? ((const ay_tensor *const *)v[i])[k] : v[i];
		k -= (uint32_t)n;
	}
	return NULL;
}

/* Returns true if the judge cannot read the result where it lies. */
static bool is_out_of_reach(const struct ay_wire_result *r)
{
	uint64_t n = (r->dtype.bits + 7u) / 8, span = n;

	for (int32_t d = 0; d < r->ndim; d++) {
		span += (uint64_t)(r->shape[d] - 1) * (uint64_t)r->stride[d] * ((r->dtype.bits + 7u) / 8);
		n *= (uint64_t)r->shape[d];
	}
	return n && (r->where == AY_WIRE_COPIED || (r->where == AY_WIRE_IN_HEAP && ay_wire_is_sparse(span, n)));
}

/* Copies a result if the judge cannot read it. On a GPU the judge reads only memory that it
 * allocated itself. */
static int hand_over(const struct function *f, uint32_t set, uint32_t k, PyObject *x, struct ay_wire_result *w)
{
	const ay_tensor *t;
	PyObject *to, *r = NULL;

	if (!is_on_gpu() || w->ndim < 0)
		return 0;
	memory_place(w);
	if (!is_out_of_reach(w) || !(t = place_of(f, set, k)))
		return 0;
	to = make_tensor(t);
	if (to)
		r = PyObject_CallMethod(kernel.boot, "hand_over", "OO", to, x);
	Py_XDECREF(to);
	Py_XDECREF(r);
	return r ? 0 : -1;
}

/* Stores numbers where a native kernel would have written them, and describes tensors. */
static int tell_several(const struct function *f, uint32_t set)
{
	struct ay_wire_result *r = (struct ay_wire_result *)(told() + 1) + (size_t)set * held.c.h.nresult;
	uint8_t *mem = held.mem + set * held.c.set_bytes;
	void *const *v = (void *const *)mem;
	PyObject *list = results(set);
	Py_ssize_t at = 0, n = list ? PyList_Size(list) : -1;
	uint32_t k = 0;
	int rc = list ? 0 : -1;

	for (int i = 0; !rc && i < f->nparam; i++)
		if (f->param[i].kind >= AY_PARAM_SCALAR_OUT && f->param[i].kind <= AY_PARAM_BOOL_OUT && at < n)
			rc = number_result(v[i], f->param[i].kind, PyList_GetItem(list, at++));
	for (; !rc && at < n && k < held.c.h.nresult; at++, k++)
		rc = describe(PyList_GetItem(list, at), &r[k]) ||
				     hand_over(f, set, k, PyList_GetItem(list, at), &r[k])
			     ? -1
			     : 0;
	if (!rc && held.c.h.open)
		told()->count = k;
	else if (!rc && (at < n || k < held.c.h.nresult)) {
		PyErr_Format(PyExc_ValueError, "returned %zd results, %d are due", n,
			     (int)(held.c.h.nresult + held.c.h.nscalar));
		rc = -1;
	}
	Py_XDECREF(list);
	memcpy(page->scalar + (size_t)set * held.c.h.nscalar, mem + held.c.scalar_at,
	       held.c.h.nscalar * sizeof(ay_scalar));
	return rc;
}

/* The usual cases are handled first: the function returns one tensor, or an argument. */
int tell_set(const struct function *f, uint32_t set)
{
	struct ay_wire_result *r = (struct ay_wire_result *)(told() + 1) + set;

	if (f->simple == ONE_TENSOR && held.c.h.nresult == 1)
		return describe(batch.result[set], r) || hand_over(f, set, 0, batch.result[set], r) ? -1 : 0;
	if (f->simple >= 0 && !held.c.h.nresult && is_argument(f, set))
		return 0;
	return tell_several(f, set);
}
