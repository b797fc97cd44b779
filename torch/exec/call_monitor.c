/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include "call_monitor.h"

#include <stdio.h>
#include <string.h>

static struct {
	/* enable(config), disable() -> a list of events per thread */
	PyObject *enable, *config, *disable;
	PyObject *kind, *name, *scope; /* getters of an event */
	/* names of operators that are composed of others, whatever the overload */
	PyObject *composite;
	/* called first: a recording that does not begin with it was replaced */
	PyObject *mark;
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

/* --- recorded events --------------------------------------------------------------------------------------- */

static const char mark_name[] = "aten::is_same_size";

struct look {
	const char *base;
	PyObject *allowed;
	char *why;
	size_t n;
	/* closed: depth of an operator whose inner calls are not checked; -1: none */
	int depth, closed;
	bool marked, found;
};

/* Compares operators' names without the underscores of their forms: _softmax, relu_. */
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

/* Checks an operator that the kernel called itself, or through a composite operator. */
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

/* The content of one event. */
struct event {
	PyObject *bytes; /* owns the name */
	const char *name;
	bool push, pop, call; /* call: made by the dispatcher, not an annotation by the kernel */
};

static bool equals(PyObject *text, const char *word)
{
	return text && !PyUnicode_CompareWithASCIIString(text, word);
}

static struct event event_at(PyObject *list, Py_ssize_t k)
{
	PyObject *item = PyList_GetItem(list, k);
	PyObject *kind = PyObject_CallFunctionObjArgs(recorder.kind, item, NULL);
	PyObject *name = PyObject_CallFunctionObjArgs(recorder.name, item, NULL);
	PyObject *scope = PyObject_CallFunctionObjArgs(recorder.scope, item, NULL);
	struct event e = { .bytes = name ? PyUnicode_AsUTF8String(name) : NULL, .name = "" };

	if (e.bytes)
		e.name = PyBytes_AsString(e.bytes);
	e.push = equals(kind, "push");
	e.pop = equals(kind, "pop");
	e.call = scope && PyLong_AsLong(scope) == 0 && !strncmp(e.name, "aten::", 6);
	PyErr_Clear();
	Py_XDECREF(kind);
	Py_XDECREF(name);
	Py_XDECREF(scope);
	return e;
}

/* Returns true if the operator `name` begins at event k and ends with the next event, so that it
 * did nothing. */
static bool is_idle_call(PyObject *list, Py_ssize_t k, const char *name)
{
	bool idle = false;

	if (k >= 0 && k + 1 < PyList_Size(list)) {
		struct event begin = event_at(list, k), end = event_at(list, k + 1);

		idle = begin.push && begin.call && !strcmp(begin.name + strlen("aten::"), name) && end.pop;
		Py_XDECREF(begin.bytes);
		Py_XDECREF(end.bytes);
	}
	return idle;
}

/* Returns true if the call `name` at event k is one with which Tensor.numpy() (to, resolve_conj,
 * resolve_neg) or tolist() (the latter two) gets a tensor whose memory can be read directly. All of
 * these calls must do nothing and follow each other. Then each returns its argument, and a kernel
 * that makes them itself gains nothing. */
static bool is_export(PyObject *list, Py_ssize_t k, const char *name)
{
	static const char *const calls[] = { "to", "resolve_conj", "resolve_neg" };
	enum { N = sizeof calls / sizeof *calls, EVENTS = 2 /* of each */ };
	Py_ssize_t i = 0;
	bool all = true;

	while (i < N && strcmp(calls[i], name))
		i++;
	for (Py_ssize_t j = i ? 1 : 0; all && i < N && j < N; j++)
		all = is_idle_call(list, k + EVENTS * (j - i), calls[j]);
	return all && i < N;
}

static void see(struct look *l, PyObject *list, Py_ssize_t k)
{
	const struct event e = event_at(list, k);

	if (e.push) {
		if (e.call && !l->marked && !strcmp(e.name, mark_name))
			l->marked = true;
		else if (e.call && l->closed < 0 && !is_export(list, k, e.name + strlen("aten::")))
			seen(l, e.name + strlen("aten::"));
		l->depth++;
	} else if (e.pop) {
		l->depth--;
		if (l->depth == l->closed)
			l->closed = -1;
	}
	Py_XDECREF(e.bytes);
}

bool watch_end(const char *base, PyObject *allowed, char *why, size_t n)
{
	struct look l = { .base = base, .allowed = allowed, .why = why, .n = n, .closed = -1 };
	PyObject *type, *value, *trace, *lists;

	if (!recorder.on)
		return false;
	recorder.on = false;
	PyErr_Fetch(&type, &value, &trace); /* keeps the kernel's exception */
	lists = PyObject_CallFunctionObjArgs(recorder.disable, NULL);
	for (Py_ssize_t i = 0; lists && i < PyList_Size(lists); i++) {
		PyObject *list = PyList_GetItem(lists, i);

		for (Py_ssize_t k = 0; k < PyList_Size(list); k++)
			see(&l, list, k);
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
