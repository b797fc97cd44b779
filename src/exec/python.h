/* SPDX-License-Identifier: Apache-2.0
 *
 * python - the interpreter that Python kernels run in.
 *
 * Theory of operation. Importing torch takes seconds, so it is done once: the zygote, an ordinary
 * child of the judge, imports torch, opens nothing and runs nothing else. Each executor is a fork
 * of the zygote (sandbox/zygote.h) that enters its jail before it sees a kernel. What a kernel does
 * to its interpreter ends with its process. The executor's C (torch/exec, a limited-API extension)
 * and its Python (torch/assay) are carried inside assay.
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
	const char *wish; /* --python; NULL: search for one */
	/* a GPU for kernels; borrowed, set before ay_python_open. NULL: no GPU, and Triton
	 * interprets its kernels */
	const struct ay_dev *device;
	/* the process that started the zygote; a forked child of the judge starts its own. 0: not
	 * started */
	pid_t owner;
	struct ay_arena arena;
	pid_t pid; /* the zygote */
	struct ay_zygote far;
	const char *path;            /* of the interpreter */
	const char *version, *torch; /* "3.11.2", "2.13.0+cpu" */
	const char *triton;          /* NULL: not installed */
	const char *library;         /* libtorch_cpu.so, if its C ABI can be used; else NULL */
	/* NULL-ended: folders of this machine that an executor must see */
	const char *const *folders;
};

/*
 * The chosen interpreter is the first of: `wish` (--python); $ASSAY_PYTHON; $VIRTUAL_ENV; venv/
 * beside the running program (`make torch` makes build/venv); the folders of $PATH. An interpreter
 * named by one of the first two is used as it is; it is an error if it has no torch. Of the others
 * the first that has torch is used. The word "none" in one of the first two turns Python off.
 */
struct ay_python_choice {
	const char *path;
	const char *why; /* "named with --python"; also set if the search fails */
	bool named;      /* the user named it, with one of the first two */
	/* the places that a failed search looked at; NULL if an interpreter was named or found */
	const char *seen;
};
/* Chooses an interpreter. Fails if there is none; the message says where it searched and how to get
 * one. Checks each candidate without importing torch, 50 ms each. */
int ay_python_choose(struct ay_arena *a, const char *wish, struct ay_python_choice *c, struct ay_err *err);
/* As ay_python_choose, but gives only the path. */
int ay_python_find(struct ay_arena *a, const char *wish, const char **path, struct ay_err *err);
/* Returns the interpreter that the user named, which may not exist. NULL: none was named, or Python
 * is turned off. */
const char *ay_python_named(const char *wish);
/* Returns a shell command that installs an interpreter with torch where ay_python_choose finds
 * it. */
const char *ay_python_get(struct ay_arena *a);
/* Returns a shell command that repairs the torch of the interpreter `path` if it cannot be
 * imported. */
const char *ay_python_mend(struct ay_arena *a, const char *path);
/* Returns the part of the judge's environment that an interpreter gets; NULL-ended. */
const char *const *ay_python_environment(struct ay_arena *a);
/* Returns the environment of the zygote, which may have a GPU; NULL-ended. */
const char *const *ay_python_template_environment(struct ay_python *p);
/* Reads the version of "torch" or another package of that interpreter, without importing it.
 * *version is NULL if the package is not installed. */
int ay_python_version(struct ay_arena *a, const char *path, const char *package, const char **version,
		      struct ay_err *err);
/* Starts the zygote and waits until it has imported torch, which takes seconds. Does nothing if
 * this process has started it and it still runs. The zygote ends with the thread that called
 * this. */
int ay_python_open(struct ay_python *p, struct ay_err *err);
/* Returns true if the user chose an interpreter: named one with --python or $ASSAY_PYTHON, or put one
 * beside the program, as `make torch` does. */
bool ay_python_is_chosen(const struct ay_python *p);
void ay_python_close(struct ay_python *p);

/* What a kernel may call of torch. The function that it replaces is always forbidden. */
enum ay_torch_use { AY_TORCH_ALL, AY_TORCH_HELPERS, AY_TORCH_NONE };
/* Fails if `word` is none of "none", "helpers", "all". */
int ay_torch_use_find(const char *word, enum ay_torch_use *use, struct ay_err *err);
const char *ay_torch_use_name(enum ay_torch_use use);

/* Kernels that do nothing, to measure the cost of a call: in plain Python, or with one call of a
 * torch function that does almost nothing. */
enum ay_python_empty { AY_PY_FULL, AY_PY_EMPTY, AY_PY_EMPTY_TORCH };

/* What a Python executor learns of its kernel when it loads it: a JSON text, which
 * torch/assay/boot.py reads. */
struct ay_python_kernel {
	const char *file; /* for tracebacks */
	/* Where the functions come from if there is no source: "aten", "flag_gems", or "oracle"
	 * (torch/assay/oracle.py), which may have a source besides. NULL: from the source. */
	const char *backend;
	/* "oracle": torch's name of the device that it computes on ("cuda"), for an executor that
	 * has that device. NULL: the processor. */
	const char *place;
	enum ay_python_empty empty; /* not AY_PY_FULL: no source, and the functions do nothing */
	enum ay_torch_use use;
	/* The function's name in the source, whatever the prototypes say. NULL: the prototypes'
	 * names. */
	const char *function;
	int n; /* functions that it may define */
	const struct ay_proto *const *proto;
	/* Per function: the functional form (add.Tensor) of an out= or in-place form (add.out). If
	 * the kernel does not define the latter, the executor derives it from the functional form
	 * (AY_PY_DERIVED). An entry or the whole list may be NULL: nothing is derived. */
	const struct ay_proto *const *functional;
};
/* The name of a derived entry ends with this: "aten_add_out__derived". */
#define AY_PY_DERIVED "__derived"
/* Returns the JSON text about a kernel, in the arena. */
const char *ay_python_about(struct ay_arena *a, const struct ay_python_kernel *k);

/*
 * A module of torch/assay can run as a program: `PATH -c ay_python_boot assay.NAME ARGS...`. The
 * pack, a sealed memfd that the caller closes, must be descriptor AY_PYTHON_PACK. The module's
 * main(args) is called.
 */
enum { AY_PYTHON_PACK = 4 };
/* Runs such a program to its end with one argument (NULL: none). Returns its output, in the arena,
 * and the length in *len. Returns NULL if it failed; err has the last line of its error output. */
const char *ay_python_output(struct ay_arena *a, const char *path, const char *module, const char *arg,
			     size_t *len, struct ay_err *err);
extern const char ay_python_boot[];
/* Returns a new memfd with the pack of torch/assay's sources, or -1. */
int ay_python_pack(struct ay_err *err);
/* Runs such a program to its end: args[0] is "assay.NAME", the list ends with NULL. Its output goes
 * to descriptor `out`. Fails if the program fails or takes longer than timeout_s; the message is
 * the last line of its error output. */
int ay_python_program(const char *path, const char *const *args, int out, double timeout_s, struct ay_err *err);
/*
 * Starts such a program as a child that ends with the judge, in "/" and with the environment of
 * ay_python_environment. args: "assay.NAME", its arguments, NULL. fd[i] becomes descriptor i (-1:
 * /dev/null); the pack is added. Returns the pid, or -1.
 */
pid_t ay_python_start(const char *path, const char *const *args, const int *fd, int n, struct ay_err *err);
/* Returns the last line of what a child wrote to the file `fd`, safe to print. In the arena. */
const char *ay_python_last_words(struct ay_arena *a, int fd);
/* Returns the source of a module of the pack ("assay.boot"), *len bytes; NULL if there is no such
 * module. */
const char *ay_python_source(const char *module, size_t *len);

#endif
