/* SPDX-License-Identifier: Apache-2.0
 *
 * py_executor - what the files of the Python executor (module.c) share. A process has one kernel
 * and one batch, as in src/exec/runtime.
 */
#ifndef AY_TORCH_PYTHON_H
#define AY_TORCH_PYTHON_H

#include "tensor_desc.h"
#include "exec/runtime/runtime.h"
#include "op/proto.h"

enum { ARGS = 64 };

enum { ONE_TENSOR = -1 };

/* A function of the kernel. */
struct function {
	PyObject *call;   /* borrowed from `kernel` */
	PyObject *finish; /* a list: per argument a converter from a plain object, or None */
	PyObject *names;  /* a list: names of the arguments */
	/* the arguments of watch_begin: bytes or None, a set or None; `replaces` is False if calls
	 * are not recorded */
	PyObject *replaces, *allowed;
	/* deliver(value, args, kwargs) copies what `call` returned to where the call's results
	 * belong, and returns those results. None: `call` returns the results itself. */
	PyObject *deliver;
	int narg, nparam;
	int simple; /* what it returns, as in boot.Entry.simple */
	bool told;  /* false: the judge does not need a description of what it returns */
	struct {
		int kind, arg, ret;
	} param[AY_WIRE_PARAMS];
};

struct kernel {
	PyObject *boot;   /* the module assay.boot */
	PyObject *tensor; /* the type torch.Tensor */
	PyObject *from_dlpack;
	PyObject *entries; /* what boot.load returned: keeps everything of `function` alive */
	int n;
	struct function *function;
};

/* The current batch: per set its arguments, and what was returned. */
struct batch {
	uint32_t nset;
	PyObject **args, **kwargs, **result;
	int32_t threads;
};

extern struct kernel kernel;
extern struct batch batch;

/* --- arguments.c ------------------------------------------------------------------------------------------- */

/* Returns a torch tensor over memory of the judge's. */
PyObject *make_tensor(const ay_tensor *t);
/* Makes all arguments of the held sets, before the first call. Returns non-zero if they cannot be
 * made. */
int ready(void);

/* --- py_memory.c ---------------------------------------------------------------------------------------------- */

/* Returns addresses of C functions for torch: alloc, free, record a stream, begin, end and release
 * a pool. */
PyObject *memory_functions(void);
/* memory(): returns (bytes of the heap that torch uses now, the maximum so far). */
PyObject *memory_used(PyObject *self, PyObject *args);
/* Sets the range that blocks come from, from now on. Returns an errno. */
int memory_open(uint64_t at, uint64_t bytes);
/* Sets the byte that blocks hold when they are handed out, from now on; -1: their content is
 * unchanged. */
void memory_poison(int byte);
/* The device is idle: freed blocks become free for all streams. */
void memory_settle(void);
/* As memory_settle; also fills free memory with this byte. */
void memory_clean(uint8_t byte);
/* Sets where and slot of a result (struct ay_wire_result) from its address, r->data. */
void memory_place(struct ay_wire_result *r);

/* --- results.c --------------------------------------------------------------------------------------------- */

/* Returns the struct in which this process describes its results to the judge. */
struct ay_wire_told *told(void);
/* Writes a text for the judge about the outcome of the batch. */
void tell(const char *text);
/* Writes the current exception as text, and clears it. */
void explain(char *text, size_t n);
/* Reports the current exception as the outcome of a set. */
void on_exception(struct ay_wire_status *s, uint32_t set);
/* Reports with the current exception's text that what a set returned is no result. */
void on_unfit(struct ay_wire_status *s, uint32_t set);
/* Describes what a set returned to the judge. Returns -1, with an exception, if that is no
 * result. */
int tell_set(const struct function *f, uint32_t set);
#endif
