/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include "call_monitor.h"
#include "op_observer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEVELS = 128, /* operators within each other that Python code was entered between */
	EXPORTS = 3,
	NAME = 64,
	LOOKED_UP = 64,
};

static const char mark_name[] = "is_same_size";

/* Operators' names without "aten::", sorted. */
struct names {
	size_t n;
	char **name;
};

static struct {
	/* calls an operator: a watch that does not see that was switched off */
	PyObject *mark;
	/* is_changed(name): has an implementation of it been registered since the start? */
	PyObject *is_changed;
	/* composed of others, whatever the overload; and all operators that torch came with */
	struct names composite, known;
} torch;

/* What one thread is running. */
struct thread {
	struct thread *next;
	uint32_t watch; /* number of the watch that the rest belongs to */
	int depth;
	/* operators whose inner calls do not count, unless other Python code made them */
	int nlevel;
	struct call_level {
		int depth;
		void *frame;
		char name[NAME];
	} level[LEVELS];
	/* calls that may be the begin of an export: see export_call */
	int nexport, export_depth;
	const char *export[EXPORTS];
	bool ended; /* the last of these did nothing */
};

static struct {
	bool on;
	uint32_t number;
	const char *base; /* or NULL */
	bool limited;     /* `allowed` counts */
	struct names allowed;
	PyObject *allowed_from;
	uint32_t marks;
	int found; /* 1: `why` is being written, 2: it is there */
	char why[300];
	struct thread *threads;
	/* symbols of torch's that were looked up */
	uint32_t nlooked;
	char looked[LOOKED_UP][2 * NAME];
} watch;

static __thread struct thread *own;

/* --- names ------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_release(struct names *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->name[i]);
	free(s->name);
	*s = (struct names){ 0 };
}

/* Copies a set of strings, so that it can be read without the interpreter's lock. */
static void names_init(struct names *s, PyObject *set)
{
	PyObject *list = PySequence_List(set);
	const Py_ssize_t n = list ? PyList_Size(list) : 0;

	*s = (struct names){ .name = calloc((size_t)n + 1, sizeof *s->name) };
	for (Py_ssize_t i = 0; s->name && i < n; i++) {
		PyObject *bytes = PyUnicode_AsUTF8String(PyList_GetItem(list, i));

		s->name[s->n] = bytes ? strdup(PyBytes_AsString(bytes)) : NULL;
		s->n += s->name[s->n] != NULL;
		Py_XDECREF(bytes);
	}
	PyErr_Clear();
	Py_XDECREF(list);
	if (s->n)
		qsort(s->name, s->n, sizeof *s->name, compare);
}

static bool has(const struct names *s, const char *name)
{
	return s->n && bsearch(&name, s->name, s->n, sizeof *s->name, compare);
}

/* Compares n bytes of a name with an operator's, without the underscores of their forms: _softmax,
 * relu_. */
static bool same_operator(const char *name, size_t n, const char *base)
{
	size_t k;

	for (; n && *name == '_'; n--)
		name++;
	base += strspn(base, "_");
	for (; n && name[n - 1] == '_'; n--)
		;
	for (k = strlen(base); k && base[k - 1] == '_'; k--)
		;
	return n == k && !memcmp(name, base, n);
}

/* --- one operator ------------------------------------------------------------------------------------------ */

/* Keeps the first reason. */
static void find(const char *fmt, const char *name)
{
	int none = 0;

	if (!__atomic_compare_exchange_n(&watch.found, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	snprintf(watch.why, sizeof watch.why, fmt, name);
	__atomic_store_n(&watch.found, 2, __ATOMIC_RELEASE);
}

static struct thread *this_thread(void)
{
	const uint32_t number = __atomic_load_n(&watch.number, __ATOMIC_ACQUIRE);

	if (!own) {
		own = calloc(1, sizeof *own);
		if (!own)
			return NULL;
		own->next = __atomic_load_n(&watch.threads, __ATOMIC_ACQUIRE);
		while (!__atomic_compare_exchange_n(&watch.threads, &own->next, own, false, __ATOMIC_ACQ_REL,
						    __ATOMIC_ACQUIRE))
			;
	}
	if (own->watch != number) {
		own->watch = number;
		own->depth = own->nlevel = own->nexport = 0;
	}
	return own;
}

/* Returns the frame of Python code that this thread runs; NULL: it is no thread of Python's. Only
 * to be compared: the frame lives while an operator runs that it called. */
static void *python_frame(void)
{
	PyGILState_STATE s;
	void *frame;

	if (!PyGILState_GetThisThreadState())
		return NULL;
	s = PyGILState_Ensure();
	frame = PyEval_GetFrame();
	PyGILState_Release(s);
	return frame;
}

/* Returns true if the kernel has registered an implementation of this operator. */
static bool is_changed(const char *name)
{
	PyObject *type, *value, *trace, *r;
	PyGILState_STATE s;
	bool yes;

	if (!PyGILState_GetThisThreadState())
		return false;
	s = PyGILState_Ensure();
	PyErr_Fetch(&type, &value, &trace);
	r = PyObject_CallFunction(torch.is_changed, "s", name);
	yes = r == Py_True;
	Py_XDECREF(r);
	PyErr_Clear();
	PyErr_Restore(type, value, trace);
	PyGILState_Release(s);
	return yes;
}

static void push(struct thread *t, int depth, void *frame, const char *name)
{
	struct call_level *l = &t->level[t->nlevel];

	if (t->nlevel == LEVELS) {
		find("called operators of torch within each other, too deeply to be checked: %s", name);
		return;
	}
	l->depth = depth;
	l->frame = frame;
	snprintf(l->name, sizeof l->name, "%s", name);
	t->nlevel++;
}

/* Checks an operator that the kernel called itself, or through a composite operator. An operator of
 * the kernel's own is composite. */
static void check(struct thread *t, int depth, void *frame, const char *name)
{
	const bool composite = has(&torch.composite, name) || !has(&torch.known, name);

	if (!composite)
		push(t, depth, frame, name);
	if (watch.base && same_operator(name, strlen(name), watch.base))
		find("called %s of torch, which is what it is to replace", name);
	else if (watch.limited && !composite && !has(&watch.allowed, name))
		find("called %s of torch, beyond what --allow-torch allows", name);
}

/* --- exports ----------------------------------------------------------------------------------------------- */

static const char *const exports[EXPORTS] = { "to", "resolve_conj", "resolve_neg" };

/* The calls were none of an export: they count. */
static void flush_exports(struct thread *t, void *frame)
{
	const int n = t->nexport;

	t->nexport = 0;
	for (int i = 0; i < n; i++)
		check(t, t->export_depth, frame, t->export[i]);
}

/* Returns true if the call `name` is one with which Tensor.numpy() (to, resolve_conj, resolve_neg)
 * or tolist() (the latter two) gets a tensor whose memory can be read directly. All of these calls
 * must do nothing and follow each other. Then each returns its argument, and a kernel that makes
 * them itself gains nothing. Until the last one has ended they are kept in t->export. */
static bool export_call(struct thread *t, void *frame, const char *name)
{
	int i = 0;

	while (i < EXPORTS && strcmp(exports[i], name))
		i++;
	if (t->nexport && (!t->ended || t->depth != t->export_depth || i == EXPORTS ||
			   t->export[t->nexport - 1] != exports[i - (i > 0)] || !i))
		flush_exports(t, frame);
	if (i == EXPORTS || (!t->nexport && i == EXPORTS - 1))
		return false;
	t->export_depth = t->depth;
	t->export[t->nexport++] = exports[i];
	t->ended = false;
	return true;
}

/* --- what the dispatcher reports --------------------------------------------------------------------------- */

static void see(struct thread *t, const char *name, void *frame)
{
	const struct call_level *top = t->nlevel ? &t->level[t->nlevel - 1] : NULL;

	if (!strcmp(name, mark_name) && !t->depth)
		__atomic_fetch_add(&watch.marks, 1, __ATOMIC_ACQ_REL);
	else if (!top && !t->depth && !frame && observer_is_helper())
		push(t, t->depth, frame, name); /* an operator's own thread */
	else if (!top || top->frame != frame) {
		if (!export_call(t, frame, name))
			check(t, t->depth, frame, name);
	} else if (watch.base && same_operator(name, strlen(name), watch.base) && is_changed(top->name))
		find("called %s of torch, which is what it is to replace, through another operator", name);
}

static void enter(const char *name)
{
	struct thread *t = __atomic_load_n(&watch.on, __ATOMIC_ACQUIRE) ? this_thread() : NULL;
	const bool aten = !strncmp(name, "aten::", 6);
	void *frame;

	if (!t)
		return;
	frame = aten || t->nexport ? python_frame() : NULL;
	if (t->nexport && (!aten || !t->ended))
		flush_exports(t, frame);
	if (aten)
		see(t, name + 6, frame);
	t->depth++;
}

static void leave(void)
{
	struct thread *t = __atomic_load_n(&watch.on, __ATOMIC_ACQUIRE) ? this_thread() : NULL;

	if (!t || !t->depth) /* it began before the watch */
		return;
	t->depth--;
	if (t->nlevel && t->level[t->nlevel - 1].depth == t->depth)
		t->nlevel--;
	if (t->nexport && t->depth == t->export_depth) {
		t->ended = true;
		if (t->export[t->nexport - 1] == exports[EXPORTS - 1])
			t->nexport = 0; /* a whole export */
	}
}

/* --- what the dispatcher does not see ---------------------------------------------------------------------- */

/* A function that runs an operator without the dispatcher's knowledge. */
struct wrapped {
	PyObject *function;
	char name[NAME]; /* with its namespace */
};

static PyObject *call_wrapped(PyObject *self, PyObject *args, PyObject *kwargs)
{
	const struct wrapped *w = PyCapsule_GetPointer(self, NULL);
	PyObject *r;

	if (!w)
		return NULL;
	enter(w->name);
	r = PyObject_Call(w->function, args, kwargs);
	leave();
	return r;
}

PyObject *watch_wrap(PyObject *self, PyObject *args)
{
	static PyMethodDef call = { "wrapped", (PyCFunction)(void (*)(void))call_wrapped,
				    METH_VARARGS | METH_KEYWORDS, NULL };
	struct wrapped *w = calloc(1, sizeof *w);
	PyObject *capsule, *r;
	const char *name;

	(void)self;
	if (!w || !PyArg_ParseTuple(args, "Os", &w->function, &name)) {
		free(w);
		return w ? NULL : PyErr_NoMemory();
	}
	Py_INCREF(w->function);
	snprintf(w->name, sizeof w->name, "%s", name);
	capsule = PyCapsule_New(w, NULL, NULL); /* lives as long as the process */
	r = capsule ? PyCFunction_New(&call, capsule) : NULL;
	Py_XDECREF(capsule);
	return r;
}

/* Methods of torch's that are replaced in their classes. The originals get the object first. */
static struct {
	PyObject *redispatch, *call_kernel;
	PyObject *schema, *name, *handle; /* of a handle, of a schema, of a kernel */
} methods;

static PyObject *call_method(PyObject *original, PyObject *handle, PyObject *self, PyObject *args,
			     PyObject *kwargs)
{
	PyObject *schema = handle ? PyObject_CallFunctionObjArgs(methods.schema, handle, NULL) : NULL;
	PyObject *name = schema ? PyObject_CallFunctionObjArgs(methods.name, schema, NULL) : NULL;
	PyObject *bytes = name ? PyUnicode_AsUTF8String(name) : NULL, *all = NULL, *r = NULL;
	const Py_ssize_t n = PyTuple_Size(args);

	if (bytes)
		all = PyTuple_New(n + 1);
	if (all) {
		Py_INCREF(self);
		PyTuple_SetItem(all, 0, self);
		for (Py_ssize_t i = 0; i < n; i++) {
			PyObject *x = PyTuple_GetItem(args, i);

			Py_INCREF(x);
			PyTuple_SetItem(all, i + 1, x);
		}
		enter(PyBytes_AsString(bytes));
		r = PyObject_Call(original, all, kwargs);
		leave();
	}
	Py_XDECREF(schema);
	Py_XDECREF(name);
	Py_XDECREF(bytes);
	Py_XDECREF(all);
	return r;
}

static PyObject *redispatch_boxed(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return call_method(methods.redispatch, self, self, args, kwargs);
}

static PyObject *call_boxed(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *handle = PyObject_CallFunctionObjArgs(methods.handle, self, NULL), *r;

	r = call_method(methods.call_kernel, handle, self, args, kwargs);
	Py_XDECREF(handle);
	return r;
}

/* Replaces a method of a class, and returns the original. */
static PyObject *replace(PyObject *type, PyMethodDef *m)
{
	PyObject *old = type == Py_None ? NULL : PyObject_GetAttrString(type, m->ml_name);
	PyObject *new = old ? PyDescr_NewMethod((PyTypeObject *)type, m) : NULL;

	if (!new || PyObject_SetAttrString(type, m->ml_name, new))
		Py_CLEAR(old);
	Py_XDECREF(new);
	PyErr_Clear();
	return old;
}

static void replace_methods(PyObject *handle, PyObject *kernel)
{
	static PyMethodDef ours[] = {
		{ "redispatch_boxed", (PyCFunction)(void (*)(void))redispatch_boxed, METH_VARARGS | METH_KEYWORDS,
		  NULL },
		{ "call_boxed", (PyCFunction)(void (*)(void))call_boxed, METH_VARARGS | METH_KEYWORDS, NULL },
	};

	methods.redispatch = replace(handle, &ours[0]);
	methods.call_kernel = replace(kernel, &ours[1]);
}

/* --- symbols ----------------------------------------------------------------------------------------------- */

PyObject *watch_audit(PyObject *self, PyObject *args)
{
	PyObject *event = PyTuple_GetItem(args, 0), *more = PyTuple_GetItem(args, 1), *name, *bytes;
	const char *s;

	(void)self;
	if (event && more && PyUnicode_Check(event) && PyTuple_Check(more) && PyTuple_Size(more) == 2 &&
	    (!PyUnicode_CompareWithASCIIString(event, "ctypes.dlsym") ||
	     !PyUnicode_CompareWithASCIIString(event, "ctypes.dlsym/handle"))) {
		name = PyTuple_GetItem(more, 1);
		bytes = PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL;
		s = bytes ? PyBytes_AsString(bytes) : "";
		if ((!strncmp(s, "aoti_torch_", 11) || !strncmp(s, "_ZN2at", 6)) && watch.nlooked < LOOKED_UP)
			snprintf(watch.looked[watch.nlooked++], sizeof *watch.looked, "%s", s);
		Py_XDECREF(bytes);
	}
	PyErr_Clear();
	Py_RETURN_NONE;
}

/* Returns true if the symbol is the operator's: aoti_torch_cpu_relu, aoti_torch_cpu_add_Tensor, or one
 * that has its name as a part, _ZN2at6native4reluE... */
static bool symbol_is(const char *s, const char *base)
{
	if (!strncmp(s, "aoti_torch_", 11)) {
		size_t n;

		s += 11;
		s += !strncmp(s, "cpu_", 4) ? 4 : !strncmp(s, "cuda_", 5) ? 5 : 0;
		s += strspn(s, "_");
		base += strspn(base, "_");
		n = strlen(base);
		return !strncmp(s, base, n) && (!s[n] || s[n] == '_');
	}
	for (s += 3; *s >= '0' && *s <= '9';) {
		char *part;
		const size_t k = strtoul(s, &part, 10);

		if (k > strlen(part))
			return false;
		if (same_operator(part, k, base))
			return true;
		s = part + k;
	}
	return false;
}

static void check_symbols(void)
{
	for (uint32_t i = 0; watch.base && i < watch.nlooked; i++)
		if (symbol_is(watch.looked[i], watch.base))
			find("looked up %s in torch's library, which is what it is to replace", watch.looked[i]);
}

/* --- the watch --------------------------------------------------------------------------------------------- */

static void call_mark(void)
{
	PyObject *r = PyObject_CallFunctionObjArgs(torch.mark, NULL);

	Py_XDECREF(r);
	PyErr_Clear();
}

static bool can_observe(void)
{
	static const struct op_observer observer = { enter, leave };
	bool seen;

	if (!observer_open(&observer))
		return false;
	watch_begin(NULL, Py_None);
	seen = watch.marks == 1;
	watch.on = false;
	observer_remove();
	return seen;
}

PyObject *watch_open(PyObject *self, PyObject *args)
{
	PyObject *composite, *known, *handle, *kernel;

	(void)self;
	if (!PyArg_ParseTuple(args, "OOOOOOOOO", &torch.mark, &composite, &known, &torch.is_changed, &handle,
			      &methods.schema, &methods.name, &kernel, &methods.handle))
		return NULL;
	Py_INCREF(args); /* and so all of these */
	names_init(&torch.composite, composite);
	names_init(&torch.known, known);
	if (!can_observe()) {
		torch.mark = NULL;
		Py_RETURN_FALSE;
	}
	replace_methods(handle, kernel);
	Py_RETURN_TRUE;
}

void watch_begin(const char *base, PyObject *allowed)
{
	if (!torch.mark)
		return;
	watch.base = base;
	watch.limited = allowed != Py_None;
	if (watch.limited && allowed != watch.allowed_from) {
		names_release(&watch.allowed);
		names_init(&watch.allowed, allowed);
		watch.allowed_from = allowed;
	}
	watch.marks = 0;
	watch.found = 0;
	__atomic_add_fetch(&watch.number, 1, __ATOMIC_ACQ_REL);
	__atomic_store_n(&watch.on, true, __ATOMIC_RELEASE);
	observer_add();
	call_mark();
}

bool watch_end(char *why, size_t n)
{
	PyObject *type, *value, *trace;

	if (!watch.on)
		return false;
	PyErr_Fetch(&type, &value, &trace); /* keeps the kernel's exception */
	call_mark();
	PyErr_Restore(type, value, trace);
	for (struct thread *t = watch.threads; t; t = t->next)
		if (t->watch == watch.number)
			flush_exports(t, NULL);
	check_symbols();
	__atomic_store_n(&watch.on, false, __ATOMIC_RELEASE);
	observer_remove();
	if (watch.marks < 2)
		find("switched off the recording of what it calls of torch%s", "");
	if (watch.found)
		snprintf(why, n, "%s", watch.why);
	return watch.found;
}
