/* SPDX-License-Identifier: Apache-2.0
 *
 * The Python executor: follows a judge as the native one does (src/exec/inside), in a copy of a warm interpreter.
 *
 * Theory of operation. assay.boot imports torch and calls serve(), which waits for the judge's questions; each is
 * answered by a copy of this process that enters its jail (sandbox/far.h) and runs follow_judge(). Tensors are made of
 * the judge's memory by DLPack, without copying; all arguments of a batch are made before its first call, and between
 * two calls there is nothing but the call. What a function returns is kept alive, and described to the judge (struct
 * ay_wire_told), who reads it out of this process himself: in one go behind the last call, through torch's DLPack
 * functions for C where it has them (80 ns a tensor, 10 us in Python). What timed calls return is dropped when the judge
 * says so, which is not while his clock runs.
 *
 * Only the limited API, so that one object serves every Python from 3.9 on.
 */
#include "look.h"

#include "exec/inside/inside.h"
#include "op/proto.h"
#include "sandbox/far.h"
#include "watch.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGS = 64 };

enum { ONE_TENSOR = -1 };

/* A function of the kernel's. */
struct function {
	PyObject *call;   /* borrowed from `kernel` */
	PyObject *finish; /* a list: per argument what makes the object of its type from a plain one, or None */
	PyObject *names;  /* a list: of the arguments */
	/* bytes or None, a set or None: watch_end's; replaces is False where nothing is watched */
	PyObject *replaces, *allowed;
	int narg, nparam;
	int simple; /* what it returns: as boot.Entry.simple */
	bool told;  /* false: nobody asks what it returns */
	struct {
		int kind, arg, ret;
	} param[AY_WIRE_PARAMS];
};

static struct {
	PyObject *boot;   /* the module assay.boot */
	PyObject *tensor; /* the type torch.Tensor */
	PyObject *from_dlpack;
	PyObject *entries; /* what boot.load returned: keeps everything of `function` alive */
	int n;
	struct function *function;
} kernel;

/* The batch in hand: per set its arguments, and what came back. */
static struct {
	uint32_t nset;
	PyObject **args, **kwargs, **result;
	int32_t threads;
} batch;

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

/* A tensor over the judge's memory; its shape lies in the set's memory, which torch copies. */
static PyObject *make_tensor(const ay_tensor *t)
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
	if (f8) /* known to DLPack since torch 2.9 only */
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

/* A parameter by itself. Pointers are v; all else is what v points at. */
static PyObject *make_plain(int kind, const void *v)
{
	int32_t code;

	if (!v)
		return none();
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

/* Plain numbers that stand for tensors (x + 1) go as numbers, as they do in torch. */
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

/* Which operand a TENSOR parameter is, or -1; moves on to the next parameter. */
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

/* All arguments of a set, in the schema's order. */
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

/* Positional and keyword arguments as the function takes them: form is (how many, indices of keywords). */
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

/* What is returned in timed calls is kept, so every call gets new memory. That it came from the system and went back
 * to it would be in their time, and is in nobody's who drops a result before the next. */
static int prepare_memory(void)
{
	PyObject *r = PyObject_CallMethod(kernel.boot, "settle", NULL);

	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	Py_XDECREF(r);
	return r ? 0 : -1;
}

static int ready(void)
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
	if (rc)
		PyErr_Print(); /* to nobody: a message that we cannot follow is the judge's to explain */
	return rc;
}

/* --- results ----------------------------------------------------------------------------------------------- */

static struct ay_wire_told *told(void)
{
	return (struct ay_wire_told *)pool.base[held.c.h.told_slot];
}

static void tell(const char *text)
{
	snprintf(told()->text, sizeof told()->text, "%s", text);
}

/* The exception in hand in one text; it is cleared. */
static void explain(char *text, size_t n)
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

static void on_exception(struct ay_wire_status *s, uint32_t set)
{
	const bool refused = PyErr_ExceptionMatches(PyExc_NotImplementedError);

	s->what = refused                                     ? AY_WIRE_REFUSED
		  : PyErr_ExceptionMatches(PyExc_MemoryError) ? AY_WIRE_STARVED
							      : AY_WIRE_RAISED;
	s->rc = AY_UNSUPPORTED;
	s->set = set;
	explain(told()->text, sizeof told()->text);
	if (s->what == AY_WIRE_RAISED && strstr(told()->text, "DefaultCPUAllocator: can't allocate memory"))
		s->what = AY_WIRE_STARVED; /* torch's own way to say so */
}

/* boot.describe: (address, dtype code, flags, shape, strides), or an exception with words for the author. */
static int describe(PyObject *x, struct ay_wire_result *r)
{
	PyObject *d, *shape, *stride;
	unsigned long long data;
	int code, flags;

	if (look_at(x, r))
		return 0;
	*r = (struct ay_wire_result){ .ndim = -1 };
	d = PyObject_CallMethod(kernel.boot, "describe", "O", x);
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

/* Is it the argument that it is to be? */
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

/* Numbers go where a native kernel would have written them; tensors are told of. */
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
	while (!rc && at < n && k < held.c.h.nresult)
		rc = describe(PyList_GetItem(list, at++), &r[k++]);
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

/* Most functions return one tensor, or an argument. */
static int tell_set(const struct function *f, uint32_t set)
{
	if (f->simple == ONE_TENSOR && held.c.h.nresult == 1)
		return describe(batch.result[set], (struct ay_wire_result *)(told() + 1) + set);
	if (f->simple >= 0 && !held.c.h.nresult && is_argument(f, set))
		return 0;
	return tell_several(f, set);
}

/* --- calling ----------------------------------------------------------------------------------------------- */

/* Memory that the kernel gets from malloc looks as the judge's outputs do before a call: what is never written
 * shows. */
static void poison_heap(const struct function *f, uint32_t set)
{
	void *const *v = (void *const *)(held.mem + set * held.c.set_bytes);

	for (int i = 0; i < f->nparam; i++) {
		const ay_tensor *t = v[i];

		if (f->param[i].ret < 0 || f->param[i].kind != AY_PARAM_TENSOR_W || !t || !ay_numel(t))
			continue;
		mallopt(M_PERTURB, ~*(const uint8_t *)t->data & 0xff);
		return;
	}
}

static int seed(const struct function *f, uint32_t set)
{
	void *const *v = (void *const *)(held.mem + set * held.c.set_bytes);

	for (int i = 0; i < f->nparam; i++) {
		PyObject *r;

		if (f->param[i].kind != AY_PARAM_RNG)
			continue;
		r = PyObject_CallMethod(
			kernel.boot, "seed", "K",
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

/* What the watchers have to say: both are asked, and asking takes them down. The kernel's exception stays. */
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

/* With a look at what it calls of torch, and at what it leaves unwritten. */
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
	if (forbidden(f, why, sizeof why)) { /* however it ended */
		PyErr_Clear();
		tell(why);
		s->what = AY_WIRE_FORBIDDEN;
		s->set = i;
		return -1;
	}
	if (rc)
		on_exception(s, i);
	return rc;
}

static void call(uint32_t from, uint32_t n, struct ay_wire_status *s)
{
	const struct function *f = &kernel.function[held.c.h.entry];
	const bool random = draws(f);

	memset(told(), 0, sizeof *told());
	for (uint32_t i = from; i < from + n; i++) {
		if (!held.timed) {
			if (random) /* not in somebody's time: there its chance just goes on */
				seed(f, i);
			if (call_watched(f, i, s))
				return;
		} else if (call_one(f, i)) {
			on_exception(s, i);
			return;
		}
	}
	for (uint32_t i = from; i < from + n && f->told; i++) {
		if (!tell_set(f, i))
			continue;
		s->what = AY_WIRE_UNFIT;
		s->set = i;
		explain(told()->text, sizeof told()->text);
		return;
	}
}

static void drop_results(void)
{
	for (uint32_t i = 0; i < batch.nset; i++)
		Py_CLEAR(batch.result[i]);
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
	if (!params || !f->call || !f->finish || !f->names || !simple || !is_told || !f->replaces || !f->allowed)
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

/* boot.load gives a list of objects with symbol, call, params...; boot.interpreted says whether Triton's interpreter
 * runs them. */
static void take_entries(void)
{
	static const char *name[AY_WIRE_ENTRIES];
	PyObject *interpreted = PyObject_GetAttrString(kernel.boot, "interpreted");
	Py_ssize_t n = PyList_Size(kernel.entries);

	kernel.function = calloc((size_t)n + 1, sizeof *kernel.function);
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

static void load(const struct message *m)
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

/* --- the template ------------------------------------------------------------------------------------------ */

static void inside(void)
{
	PyObject *r;

	PyOS_AfterFork_Child();
	r = PyObject_CallMethod(kernel.boot, "inside", NULL);
	if (!r)
		_exit(1);
	Py_DECREF(r);
}

static const struct language python = {
	.name = "assay-python", .load = load, .ready = ready, .call = call, .forget = drop_results
};

/* serve(boot, tensor, from_dlpack, exchange, is_neg, is_conj, sock, recorder): answers the judge until it goes. In the
 * copies it does not return. */
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
		rc = ay_far_serve(sock);
	while (!rc);
	if (rc > 0)
		_exit(follow_judge(&python, inside));
	_exit(0);
}

static PyMethodDef methods[] = { { "serve", serve, METH_VARARGS, NULL }, { NULL, NULL, 0, NULL } };
static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, "_assay", NULL, -1, methods, NULL, NULL, NULL, NULL
};

PyMODINIT_FUNC PyInit__assay(void)
{
	return PyModule_Create(&definition);
}
