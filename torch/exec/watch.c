/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include "watch.h"

#include <stdio.h>
#include <string.h>

static struct {
	PyObject *enable, *config, *disable; /* enable(config), disable() -> a list of events per thread */
	PyObject *kind, *name, *scope;       /* of an event */
	PyObject *composite; /* names of operators that are made of others, whatever the overload */
	PyObject *mark;      /* called first: a recording that does not begin with it is another one */
	bool on;
} recorder;

int watch_open(PyObject *r)
{
	if (r == Py_None)
		return 0;
	return PyArg_ParseTuple(r, "OOOOOOOO", &recorder.enable, &recorder.config, &recorder.disable,
				&recorder.kind, &recorder.name, &recorder.scope, &recorder.composite,
				&recorder.mark)
		       ? 0
		       : -1;
}

void watch_begin(void)
{
	PyObject *r;

	if (!recorder.enable)
		return;
	r = PyObject_CallFunctionObjArgs(recorder.enable, recorder.config, NULL);
	recorder.on = r;
	Py_XDECREF(r);
	r = r ? PyObject_CallFunctionObjArgs(recorder.mark, NULL) : NULL;
	Py_XDECREF(r);
	PyErr_Clear();
}

/* --- what was seen ----------------------------------------------------------------------------------------- */

static const char mark_name[] = "aten::is_same_size";

struct look {
	const char *base;
	PyObject *allowed;
	char *why;
	size_t n;
	int depth, closed; /* closed: the depth of an operator whose inside is its own affair; -1: there is none */
	bool marked, found;
};

/* An operator's own name between the underscores of its forms: _softmax, relu_. */
static bool same_operator(const char *name, const char *base)
{
	size_t n, k;

	name += strspn(name, "_");
	base += strspn(base, "_");
	for (n = strlen(name); n && name[n - 1] == '_'; n--)
		;
	for (k = strlen(base); k && base[k - 1] == '_'; k--)
		;
	return n == k && !memcmp(name, base, n);
}

static bool contains(PyObject *set, const char *name)
{
	PyObject *s = PyUnicode_FromString(name);
	const bool yes = s && PySet_Contains(set, s) == 1;

	Py_XDECREF(s);
	return yes;
}

/* One that the kernel called itself, or through what is made of others. */
static void seen(struct look *l, const char *name)
{
	const bool composite = contains(recorder.composite, name);

	if (!composite)
		l->closed = l->depth;
	if (l->found)
		return;
	if (l->base && same_operator(name, l->base)) {
		snprintf(l->why, l->n, "called %s of torch, which is what it is to replace", name);
		l->found = true;
	} else if (l->allowed != Py_None && !composite && !contains(l->allowed, name)) {
		snprintf(l->why, l->n, "called %s of torch, beyond what --allow-torch allows", name);
		l->found = true;
	}
}

static void see(struct look *l, PyObject *event)
{
	PyObject *kind = PyObject_CallFunctionObjArgs(recorder.kind, event, NULL);
	PyObject *name = PyObject_CallFunctionObjArgs(recorder.name, event, NULL);
	PyObject *scope = PyObject_CallFunctionObjArgs(recorder.scope, event, NULL);
	PyObject *bytes = name ? PyUnicode_AsUTF8String(name) : NULL;
	const char *s = bytes ? PyBytes_AsString(bytes) : "";
	/* by the dispatcher, not by a kernel's own annotation */
	const bool call = scope && PyLong_AsLong(scope) == 0 && !strncmp(s, "aten::", 6);

	if (kind && !PyUnicode_CompareWithASCIIString(kind, "push")) {
		if (call && !l->marked && !strcmp(s, mark_name))
			l->marked = true;
		else if (call && l->closed < 0)
			seen(l, s + 6);
		l->depth++;
	} else if (kind && !PyUnicode_CompareWithASCIIString(kind, "pop")) {
		l->depth--;
		if (l->depth == l->closed)
			l->closed = -1;
	}
	PyErr_Clear();
	Py_XDECREF(kind);
	Py_XDECREF(name);
	Py_XDECREF(scope);
	Py_XDECREF(bytes);
}

bool watch_end(const char *base, PyObject *allowed, char *why, size_t n)
{
	struct look l = { .base = base, .allowed = allowed, .why = why, .n = n, .closed = -1 };
	PyObject *type, *value, *trace, *lists;

	if (!recorder.on)
		return false;
	recorder.on = false;
	PyErr_Fetch(&type, &value, &trace); /* the kernel's own */
	lists = PyObject_CallFunctionObjArgs(recorder.disable, NULL);
	for (Py_ssize_t i = 0; lists && i < PyList_Size(lists); i++) {
		PyObject *list = PyList_GetItem(lists, i);

		for (Py_ssize_t k = 0; k < PyList_Size(list); k++)
			see(&l, PyList_GetItem(list, k));
	}
	Py_XDECREF(lists);
	PyErr_Clear();
	if (!l.found && !l.marked) {
		snprintf(why, n, "switched off the recording of what it calls of torch");
		l.found = true;
	}
	PyErr_Restore(type, value, trace);
	return l.found;
}
