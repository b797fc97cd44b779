/* SPDX-License-Identifier: Apache-2.0
 *
 * python - the interpreter that Python kernels run in.
 *
 * Theory of operation. Importing torch takes seconds, so it is done once: a template, an ordinary child of the
 * judge, imports it, opens nothing and runs nothing else. Each executor is a copy of it (sandbox/zygote.h) that enters
 * its jail before it sees a kernel; what a kernel does to its interpreter ends with its process. The executor's C
 * (torch/exec, a limited-API extension) and its Python (torch/assay) are carried inside assay.
 */
#ifndef AY_EXEC_PYTHON_H
#define AY_EXEC_PYTHON_H

#include "base/arena.h"
#include "base/err.h"
#include "device/device.h"
#include "op/proto.h"
#include "sandbox/zygote.h"

#include <stdbool.h>

struct ay_python {
	const char *wish; /* --python; NULL = look for one */
	const struct ay_dev
		*device; /* a GPU for kernels; borrowed, set before it is opened. NULL: there is none, and Triton
				      * interprets */
	pid_t owner; /* the process that opened the template: children of ours open their own; 0 = nobody yet */
	struct ay_arena arena;
	pid_t pid;
	struct ay_zygote far;
	const char *path;            /* of the interpreter */
	const char *version, *torch; /* "3.11.2", "2.13.0+cpu" */
	const char *triton;          /* NULL = not there */
	const char *library;         /* libtorch_cpu.so, if its C ABI can be used; NULL = it cannot */
	const char *const *folders;  /* NULL-ended: what an executor must see of this machine */
};

/*
 * Which interpreter is used, the first of: `wish` (--python); $ASSAY_PYTHON; $VIRTUAL_ENV; venv/ beside the running
 * program (`make torch` makes build/venv); the folders of $PATH. The first two are taken as they are named, an error if
 * they have no torch; of the rest the first that has torch. The word "none" for one of the first two turns Python off.
 */
struct ay_python_choice {
	const char *path;
	const char *why; /* "named with --python"; set also where the search fails */
	bool named;      /* by the user, with one of the first two */
	const char
		*seen; /* what a search that failed has looked at; NULL where an interpreter was named or found */
};
/* -1: none will do; the message says what was looked at and how to get one. Looks without importing: 50 ms each. */
int ay_python_choose(struct ay_arena *a, const char *wish, struct ay_python_choice *c, struct ay_err *err);
/* Its path alone. */
int ay_python_find(struct ay_arena *a, const char *wish, const char **path, struct ay_err *err);
/* The interpreter that the user has named, which may not exist; NULL: none was named, or Python is turned off. */
const char *ay_python_named(const char *wish);
/* A command for the user's shell that gets an interpreter with torch which is then found. */
const char *ay_python_get(struct ay_arena *a);
/* Likewise where the torch of the interpreter `path` cannot be imported. */
const char *ay_python_mend(struct ay_arena *a, const char *path);
/* What of our environment an interpreter gets; NULL-ended. */
const char *const *ay_python_environment(struct ay_arena *a);
/* The same for a template, which may have a GPU. */
const char *const *ay_python_template_environment(struct ay_python *p);
/* What "torch", or another package of that interpreter, says that its version is; NULL = it is not there. Looks without
 * importing. */
int ay_python_version(struct ay_arena *a, const char *path, const char *package, const char **version,
		      struct ay_err *err);
/* Starts the template, unless this process has and it is alive, and waits until torch is imported: seconds. It ends with
 * the thread that called this. */
int ay_python_open(struct ay_python *p, struct ay_err *err);
/* Did the user choose an interpreter: name one with --python or $ASSAY_PYTHON, or put one beside the program, as `make
 * torch` does? */
bool ay_python_is_chosen(const struct ay_python *p);
void ay_python_close(struct ay_python *p);

/* What may a kernel call of torch, besides the function it replaces, which it may never? */
enum ay_torch_use { AY_TORCH_ALL, AY_TORCH_HELPERS, AY_TORCH_NONE };
/* -1 for a word that is none of "none", "helpers", "all". */
int ay_torch_use_find(const char *word, enum ay_torch_use *use, struct ay_err *err);
const char *ay_torch_use_name(enum ay_torch_use use);

/* Calls that do nothing, for whoever wants to know what a call costs: in plain Python, or with one call of torch's
 * that does as little as any. */
enum ay_python_empty { AY_PY_FULL, AY_PY_EMPTY, AY_PY_EMPTY_TORCH };

/* What a Python executor is told of its kernel when it is loaded: a JSON text (torch/assay/boot.py reads it). */
struct ay_python_kernel {
	const char *file; /* for tracebacks */
	/* No source: the functions of "aten" or "flag_gems", or those of "oracle" (torch/assay/oracle.py), which may have
	 * one; NULL = a source. */
	const char *backend;
	/* "oracle": what torch calls the device that it computes on ("cuda"), for an executor that has it; NULL = the
	 * processor */
	const char *place;
	enum ay_python_empty empty; /* no source: they do nothing */
	enum ay_torch_use use;
	const char *
		function; /* the name of the function in the source, whatever the prototypes' are; NULL = theirs */
	int n;            /* functions that it may define */
	const struct ay_proto *const *proto;
	/* Per function: the functional form (add.Tensor) of an out= or in-place form (add.out), from which the executor
	 * derives the form where the kernel does not define it (AY_PY_DERIVED). NULL: no such form, or no list. */
	const struct ay_proto *const *functional;
};
/* What the name of such an entry ends in: "aten_add_out__derived". */
#define AY_PY_DERIVED "__derived"
const char *ay_python_about(struct ay_arena *a, const struct ay_python_kernel *k);

/*
 * To run one of torch/assay's modules as a program: `PATH -c ay_python_boot assay.NAME ARGS...` with the pack, a sealed
 * memfd that the caller closes, as descriptor AY_PYTHON_PACK. The module's main(args) is called.
 */
enum { AY_PYTHON_PACK = 4 };
/* Runs it to its end, with one argument (NULL = none), and gives what it wrote; NULL if it failed, with its last words
 * in err. In the arena. */
const char *ay_python_output(struct ay_arena *a, const char *path, const char *module, const char *arg,
			     size_t *len, struct ay_err *err);
extern const char ay_python_boot[];
int ay_python_pack(struct ay_err *err);
/* That, to its end: args[0] is "assay.NAME", the list ends with NULL. What it prints goes to the descriptor `out`. -1 if
 * it fails or takes longer than timeout_s; the message is the last line of its error output. */
int ay_python_program(const char *path, const char *const *args, int out, double timeout_s, struct ay_err *err);
/*
 * Starts one so, as a child that ends with us, in "/" and with little of our environment. args: "assay.NAME", its
 * arguments, NULL. fd[i] becomes descriptor i, -1 = /dev/null; the pack is added. Gives the pid, or -1.
 */
pid_t ay_python_start(const char *path, const char *const *args, const int *fd, int n, struct ay_err *err);
/* The last line of what a child wrote to `fd`, safe to print. */
const char *ay_python_last_words(struct ay_arena *a, int fd);
/* The source of a module of the pack ("assay.boot"), len bytes; NULL if there is none. */
const char *ay_python_source(const char *module, size_t *len);

#endif
