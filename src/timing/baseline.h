/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline - the built-in baselines: kernels of assay that call a library.
 *
 * A baseline is one file in baselines/, written against kernel.h like any kernel. assay carries
 * its source. The forge builds it, and it runs in an executor of its own. A child process of the
 * judge asks the library for version and variant, with the code that the executor runs. The judge
 * itself never loads the library.
 *
 * The child finds the library as the dynamic linker of assay's process would. An LD_LIBRARY_PATH
 * set for assay does not reach the jail. A library for GPUs (cuBLAS) may lie outside the system's
 * folders. assay looks for it in the usual places (device/shared_library.h) and opens it by its
 * path. Its executor can see the folder that contains it.
 */
#ifndef AY_TIMING_BASELINE_H
#define AY_TIMING_BASELINE_H

#include "base/arena.h"
#include "base/err.h"
#include "op/registry.h"

#include <stdbool.h>
#include <stddef.h>

struct ay_baseline {
	const char *name;
	const char *version; /* "0.3.21 SkylakeX"; NULL: the library was not found */
	const char *source;  /* C source, NUL-terminated; NULL: none, and `why` gives the reason */
	size_t len;
	const char *why; /* NULL if there is a source */
	/* of the library, if assay had to look for it; NULL: the dynamic linker finds it */
	const char *path;
	/* further folders that its executor must see, NULL-terminated; NULL: none */
	const char *const *folders;
};

/* Ends with NULL. */
extern const char *const ay_baseline_names[];

/* Returns true if the library runs on a GPU. The name must be one of ay_baseline_names. */
bool ay_baseline_is_cuda(const char *name);

/*
 * Finds the source of a function for an overload, or for its functional form. Asks the library for
 * its version, which takes a few ms, or 70 ms when it is read from disk. Returns -1 if the name is
 * unknown or no child can be created. If the library or the function is missing, b->why says so.
 * Strings live in `a` or are static. python: an interpreter whose torch may have brought the
 * library; NULL: none.
 */
int ay_baseline_find(const char *name, const struct ay_registry *r, const struct ay_schema *s, const char *python,
		     struct ay_arena *a, struct ay_baseline *b, struct ay_err *err);

/* Asks whether the library is installed. Sets b->version, or b->why with what to install. source
 * and len are those of the whole file. */
int ay_baseline_ask(const char *name, const char *python, struct ay_arena *a, struct ay_baseline *b,
		    struct ay_err *err);

/* Describes a library in `text`. Returns 0 and "VERSION VARIANT", or -1 and a reason such as "is
 * not installed". The path of the library may follow on a second line. */
typedef int ay_describe(const char *library, char *text, size_t n);
/* Runs `describe` in a child process for at most timeout_s seconds. Sets either *version, with
 * both lines, or *why. */
int ay_baseline_describe(ay_describe *describe, const char *library, double timeout_s, struct ay_arena *a,
			 const char **version, const char **why, struct ay_err *err);

#endif
