/* SPDX-License-Identifier: Apache-2.0
 *
 * The Python executor: follows a judge as the native one does (src/exec/runtime), in a fork of the
 * zygote.
 *
 * Theory of operation. assay.boot imports torch and calls serve(), which waits for the judge's
 * requests. At each request the zygote forks a copy, which enters its jail (sandbox/zygote.h) and
 * runs follow_judge(). Tensors are made of the judge's memory by DLPack, without copying. All
 * arguments of a batch are made before its first call, and between two calls there is nothing but
 * the call. What a function returns is kept alive and described to the judge (struct ay_wire_told),
 * which itself reads it out of this process. The descriptions are made together after the last
 * call, through torch's DLPack functions for C if it has them (80 ns a tensor; 10 us in Python).
 * Results of timed calls are dropped at the judge's order, which does not come while the clock
 * runs.
 *
 * Only the limited API is used, so that one object serves every Python from 3.9 on.
 */
#include "py_executor.h"

#include "sandbox/zygote.h"
#include "call_monitor.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kernel kernel;
struct batch batch;

/* --- calling ----------------------------------------------------------------------------------------------- */

/* Fills malloc's cache of this thread. If the cache has space, glibc may move chunks from its bins
 * into it and return them from there without poison. */
static void fill_malloc_cache(void)
{
	enum {
		EACH = 7,
		LEAST = 24,
		MOST = 1032,
		STEP = 16
	}; /* EACH: chunks of each size that the cache holds; then their sizes */
	void *volatile chunk[EACH];

	for (size_t size = LEAST; size <= MOST; size += STEP) {
		for (int i = 0; i < EACH; i++)
			chunk[i] = malloc(size);
		for (int i = 0; i < EACH; i++)
			free(chunk[i]);
	}
}

/* Makes memory that the kernel gets from malloc (on a GPU: from the heap) look as the judge's
 * outputs do before a call, so that what is never written shows. */
static void poison_heap(const struct function *f, uint32_t set)
{
	void *const *v = (void *const *)(held.mem + set * held.c.set_bytes);

	if (page->cuda) /* malloc has no part in its tensors */
		memory_poison(held.c.h.poison[set % sizeof held.c.h.poison]);
	for (int i = 0; i < f->nparam && !page->cuda; i++) {
		const ay_tensor *t = v[i];

		if (f->param[i].ret < 0 || f->param[i].kind != AY_PARAM_TENSOR_W || !t || !ay_numel(t))
			continue;
		fill_malloc_cache();
		mallopt(M_PERTURB, ~*(const uint8_t *)t->data & 0xff);
		return;
	}
}

/* Seeds torch's generators with the state of a set. In a timed call this is part of the time, and as
 * much of it in the empty call. */
static int seed(const struct function *f, uint32_t set)
{
	void *const *v = (void *const *)(held.mem + set * held.c.set_bytes);

	for (int i = 0; i < f->nparam; i++) {
		PyObject *r;

		if (f->param[i].kind != AY_PARAM_RNG)
			continue;
		r = PyObject_CallMethod(
			kernel.boot, held.timed ? "seed_timed" : "seed", "K",
			(unsigned long long)(((const ay_rng *)v[i])->seed ^ ((const ay_rng *)v[i])->offset));
		Py_XDECREF(r);
		return r ? 0 : -1;
	}
	return 0;
}

static bool draws(const struct function *f)
{
	for (int i = 0; i < f->nparam; i++)
		if (f->param[i].kind == AY_PARAM_RNG)
			return true;
	return false;
}

static int call_one(const struct function *f, uint32_t i)
{
	PyObject *before = batch.result[i];

	now_set = i;
	batch.result[i] = PyObject_Call(f->call, batch.args[i], batch.kwargs[i]);
	Py_XDECREF(before);
	return batch.result[i] ? 0 : -1;
}

/* Derives a form that the kernel does not define: its functional form was called, and the result is
 * copied to where it belongs. The copy is not the kernel's work, so its torch calls are not
 * checked. */
static int deliver(const struct function *f, uint32_t i)
{
	PyObject *value = batch.result[i];

	if (f->deliver == Py_None)
		return 0;
	batch.result[i] = PyObject_CallFunctionObjArgs(f->deliver, value, batch.args[i],
						       batch.kwargs[i] ? batch.kwargs[i] : Py_None, NULL);
	Py_DECREF(value);
	return batch.result[i] ? 0 : -1;
}

/* Ends both monitors of calls (this one and boot's) and returns whether one found a forbidden call.
 * Keeps the kernel's exception. */
static bool forbidden(const struct function *f, char *why, size_t n)
{
	const char *base = PyBytes_Check(f->replaces) ? PyBytes_AsString(f->replaces) : NULL, *s;
	const bool seen = watch_end(base, f->allowed, why, n);
	PyObject *type, *value, *trace, *said;
	bool told_so;

	PyErr_Fetch(&type, &value, &trace);
	said = PyObject_CallMethod(kernel.boot, "unwatch", NULL);
	s = said && PyBytes_Check(said) ? PyBytes_AsString(said) : NULL;
	told_so = s && !seen;
	if (told_so)
		snprintf(why, n, "%s", s);
	PyErr_Clear();
	Py_XDECREF(said);
	PyErr_Restore(type, value, trace);
	return seen || told_so;
}

/* Calls the kernel with its torch calls recorded and its memory poisoned. */
static int call_watched(const struct function *f, uint32_t i, struct ay_wire_status *s)
{
	PyObject *r;
	char why[300];
	int rc;

	if (f->replaces != Py_False)
		watch_begin();
	r = PyObject_CallMethod(kernel.boot, "watch", "i", (int)held.c.h.entry);
	rc = r ? 0 : -1;
	Py_XDECREF(r);
	poison_heap(f, i);
	if (!rc)
		rc = call_one(f, i);
	mallopt(M_PERTURB, 0);
	memory_poison(-1);
	if (forbidden(f, why, sizeof why)) { /* checked however the call ended */
		PyErr_Clear();
		tell(why);
		s->what = AY_WIRE_FORBIDDEN;
		s->set = i;
		return -1;
	}
	if (rc) {
		on_exception(s, i);
	} else if (deliver(f, i)) {
		on_unfit(s, i);
		rc = -1;
	}
	return rc;
}

static void call_all(uint32_t from, uint32_t n, bool last, struct ay_wire_status *s)
{
	const struct function *f = &kernel.function[held.c.h.entry];
	const bool random = draws(f);

	memset(told(), 0, sizeof *told());
	for (uint32_t i = from; i < from + n; i++) {
		if (random)
			seed(f, i);
		if (!held.timed) {
			if (call_watched(f, i, s))
				return;
		} else if (call_one(f, i)) {
			on_exception(s, i);
			return;
		} else if (deliver(f, i)) {
			on_unfit(s, i);
			return;
		}
	}
	for (uint32_t i = from; i < from + n && f->told && last; i++) {
		if (!tell_set(f, i))
			continue;
		on_unfit(s, i);
		return;
	}
}

/* Waits for launched work before the answer. A failed device is reported as such, whatever torch
 * made of the failure. */
static void call(uint32_t from, uint32_t n, bool last, struct ay_wire_status *s)
{
	int e;

	if (page->cuda && !held.timed) /* the device has been idle since the previous answer */
		memory_settle();
	call_all(from, n, last, s);
	e = page->cuda && (last || s->what != AY_WIRE_RAN) ? gpu_sync() : 0;
	if (e)
		*s = (struct ay_wire_status){ .what = AY_WIRE_FAULTED, .set = s->set, .rc = e, .slot = -1 };
}

/* Drops the results and their descriptions: their memory may soon be used by others. */
static void drop_results(void)
{
	for (uint32_t i = 0; i < batch.nset; i++)
		Py_CLEAR(batch.result[i]);
	for (uint32_t i = 0; held.mem && i < held.c.h.nset * held.c.h.nresult; i++)
		((struct ay_wire_result *)(told() + 1))[i].ndim = -1;
	if (page->cuda && !gpu_sync())
		memory_clean(held.c.h.poison[0]);
}

/* --- loading ----------------------------------------------------------------------------------------------- */

static void load_raised(void)
{
	char text[1000];

	explain(text, sizeof text);
	load_failed(text);
}

static int take_function(struct function *f, PyObject *e)
{
	PyObject *params = PyObject_GetAttrString(e, "params"), *simple = PyObject_GetAttrString(e, "simple");
	PyObject *is_told = PyObject_GetAttrString(e, "told");

	f->call = PyObject_GetAttrString(e, "call");
	f->finish = PyObject_GetAttrString(e, "finish");
	f->names = PyObject_GetAttrString(e, "argnames");
	f->replaces = PyObject_GetAttrString(e, "replaces");
	f->allowed = PyObject_GetAttrString(e, "allowed");
	f->deliver = PyObject_GetAttrString(e, "deliver");
	if (!params || !f->call || !f->finish || !f->names || !simple || !is_told || !f->replaces || !f->allowed ||
	    !f->deliver)
		return -1;
	f->simple = (int)PyLong_AsLong(simple);
	f->told = is_told == Py_True;
	Py_DECREF(simple);
	Py_DECREF(is_told);
	f->narg = (int)PyList_Size(f->names);
	f->nparam = (int)PyList_Size(params);
	if (f->narg > ARGS || f->nparam > AY_WIRE_PARAMS)
		return -1;
	for (int i = 0; i < f->nparam; i++) {
		PyObject *p = PyList_GetItem(params, i);

		f->param[i].kind = (int)PyLong_AsLong(PyList_GetItem(p, 0));
		f->param[i].arg = (int)PyLong_AsLong(PyList_GetItem(p, 1));
		f->param[i].ret = (int)PyLong_AsLong(PyList_GetItem(p, 2));
	}
	Py_DECREF(params);
	return PyErr_Occurred() ? -1 : 0;
}

/* boot.load returns a list of objects with symbol, call, params...; boot.interpreted says whether
 * Triton's interpreter runs them. */
static void take_entries(void)
{
	static const char *name[AY_WIRE_ENTRIES];
	PyObject *interpreted = PyObject_GetAttrString(kernel.boot, "interpreted");
	Py_ssize_t n = PyList_Size(kernel.entries);

	/* of an earlier load: only torch's own functions, which stay loaded */
	free(kernel.function);
	kernel.function = calloc((size_t)n + 1, sizeof *kernel.function);
	kernel.n = 0;
	for (Py_ssize_t i = 0; i < n && i < AY_WIRE_ENTRIES && kernel.function; i++) {
		PyObject *e = PyList_GetItem(kernel.entries, i), *symbol = PyObject_GetAttrString(e, "symbol");

		if (!symbol || take_function(&kernel.function[i], e)) {
			load_raised();
			return;
		}
		name[i] = PyBytes_AsString(symbol); /* lives as long as e does */
		kernel.n++;
	}
	loaded((uint32_t)kernel.n, name, interpreted == Py_True ? AY_WIRE_INTERPRETED : 0);
	Py_XDECREF(interpreted);
}

static void load(const struct wire_message *m)
{
	const int fd = m->nfd ? m->fd[0] : -1;
	PyObject *about = PyUnicode_DecodeUTF8((const char *)m->payload,
					       (Py_ssize_t)strnlen((const char *)m->payload, m->head.bytes), NULL);

	kernel.entries = about ? PyObject_CallMethod(kernel.boot, "load", "iO", fd, about) : NULL;
	Py_XDECREF(about);
	if (kernel.entries && PyList_Check(kernel.entries))
		take_entries();
	else
		load_raised();
}

/* --- the zygote -------------------------------------------------------------------------------------------- */

static void inside(void)
{
	PyObject *r;

	PyOS_AfterFork_Child();
	r = PyObject_CallMethod(kernel.boot, "inside", "iNi", (int)page->cuda, memory_functions(),
				(int)page->printed);
	if (!r)
		_exit(1);
	Py_DECREF(r);
}

static const struct language python = {
	.name = "assay-python",
	.load = load,
	.ready = ready,
	.call = call,
	.forget = drop_results,
	.heap = memory_open,
};

/* serve(boot, tensor, from_dlpack, exchange, is_neg, is_conj, sock, recorder): answers the judge
 * until it ends. Does not return in the forked copies. */
static PyObject *serve(PyObject *self, PyObject *args)
{
	PyObject *is_neg, *is_conj, *exchange, *recorder;
	int sock, rc;

	(void)self;
	if (!PyArg_ParseTuple(args, "OOOOOOiO", &kernel.boot, &kernel.tensor, &kernel.from_dlpack, &exchange,
			      &is_neg, &is_conj, &sock, &recorder) ||
	    watch_open(recorder))
		return NULL;
	look_init(kernel.tensor, is_neg, is_conj, exchange);
	do
		rc = ay_zygote_serve(sock);
	while (!rc);
	if (rc > 0)
		_exit(follow_judge(&python, inside));
	_exit(0);
}

static PyMethodDef methods[] = { { "serve", serve, METH_VARARGS, NULL },
				 { "memory", memory_used, METH_NOARGS, NULL },
				 { NULL, NULL, 0, NULL } };
static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, "_assay", NULL, -1, methods, NULL, NULL, NULL, NULL
};

PyMODINIT_FUNC PyInit__assay(void)
{
	return PyModule_Create(&definition);
}
