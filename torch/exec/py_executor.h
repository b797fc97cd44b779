/* SPDX-License-Identifier: Apache-2.0
 *
 * python - the parts of the Python executor (module.c): what its files share. There is one kernel and one batch in a
 * process, as in src/exec/runtime.
 */
#ifndef AY_TORCH_PYTHON_H
#define AY_TORCH_PYTHON_H

#include "tensor_desc.h"
#include "exec/runtime/runtime.h"
#include "op/proto.h"

enum { ARGS = 64 };

enum { ONE_TENSOR = -1 };

/* A function of the kernel's. */
struct function {
	PyObject *call;   /* borrowed from `kernel` */
	PyObject *finish; /* a list: per argument what makes the object of its type from a plain one, or None */
	PyObject *names;  /* a list: of the arguments */
	/* bytes or None, a set or None: watch_end's; replaces is False where nothing is watched */
	PyObject *replaces, *allowed;
	/* deliver(value, args, kwargs): copies what `call` returned to where the call's results belong, and gives those;
	 * None: `call` returns them itself */
	PyObject *deliver;
	int narg, nparam;
	int simple; /* what it returns: as boot.Entry.simple */
	bool told;  /* false: nobody asks what it returns */
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

/* The batch in hand: per set its arguments, and what came back. */
struct batch {
	uint32_t nset;
	PyObject **args, **kwargs, **result;
	int32_t threads;
};

extern struct kernel kernel;
extern struct batch batch;

/* --- arguments.c ------------------------------------------------------------------------------------------- */

/* A tensor of torch's over memory of the judge's. */
PyObject *make_tensor(const ay_tensor *t);
/* All arguments of what is held, made before its first call. Non-zero: they cannot be. */
int ready(void);

/* --- py_memory.c ---------------------------------------------------------------------------------------------- */

/* Addresses for torch: alloc, free, record a stream, begin, end and release a pool. */
PyObject *memory_functions(void);
/* memory(): (bytes that torch has of the heap now, at most). */
PyObject *memory_used(PyObject *self, PyObject *args);
/* The stretch that blocks come from, from here on; an errno. */
int memory_open(uint64_t at, uint64_t bytes);
/* What blocks hold when they are handed out, from here on; -1: what is there. */
void memory_poison(int byte);
/* The device has nothing left to do. */
void memory_settle(void);
/* That too, and what is free holds this byte from here on. */
void memory_clean(uint8_t byte);
/* Where a result's memory is, in the words of the wire: r->data is its address. */
void memory_place(struct ay_wire_result *r);

/* --- results.c --------------------------------------------------------------------------------------------- */

/* Where the judge reads what we tell. */
struct ay_wire_told *told(void);
/* Words for the judge about what became of the batch. */
void tell(const char *text);
/* The exception in hand in one text; it is cleared. */
void explain(char *text, size_t n);
/* It, as what became of a set. */
void on_exception(struct ay_wire_status *s, uint32_t set);
/* It, as words for the author: what a set returned is no result. */
void on_unfit(struct ay_wire_status *s, uint32_t set);
/* What a set returned. -1, and an exception with words for the author: it is no result. */
int tell_set(const struct function *f, uint32_t set);

#endif
