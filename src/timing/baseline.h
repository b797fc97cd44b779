/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline - what a kernel's time is compared with: kernels of ours that call a library.
 *
 * A baseline is one file in baselines/, written against kernel.h like any kernel. Its source is carried inside
 * assay, built by the forge and run in an executor of its own. Version and variant of the library are asked for in
 * a child of the judge, by the same code that the executor runs; the judge itself never loads it. The child finds
 * the library as the dynamic linker of this process would: an LD_LIBRARY_PATH around assay does not reach the jail.
 * A library for GPUs (cuBLAS) may lie outside the system's folders: it is looked for in the usual places (device/shared_library.h),
 * opened by its path, and its executor sees the folder that it lies in.
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
	const char *version; /* "0.3.21 SkylakeX"; NULL where there is no library */
	const char *source;  /* C, a NUL behind it; NULL: there is none, `why` says why */
	size_t len;
	const char *why;            /* NULL if there is a source */
	const char *path;           /* of the library, where it was looked for; NULL: the loader finds it */
	const char *const *folders; /* that its executor must see besides the usual; NULL-ended; NULL = none */
};

/* Ends in NULL. */
extern const char *const ay_baseline_names[];

/* Is it a library that runs on a GPU? The name must be one of ay_baseline_names. */
bool ay_baseline_is_cuda(const char *name);

/*
 * The source that defines the function of an overload, or of its functional form. Asks the library, which takes a
 * few ms and 70 when it comes from the disk. -1 for a name that is in no list, or if no child can be made; a
 * missing library or function is b->why. Strings live in the arena or for ever. python: an interpreter beside whose torch
 * there may be one; NULL = none.
 */
int ay_baseline_find(const char *name, const struct ay_registry *r, const struct ay_schema *s, const char *python,
		     struct ay_arena *a, struct ay_baseline *b, struct ay_err *err);

/* Is the library there? b->version, or b->why with what to install; source and len are those of the whole file. */
int ay_baseline_ask(const char *name, const char *python, struct ay_arena *a, struct ay_baseline *b,
		    struct ay_err *err);

/* What a baseline's file says of its library, in text: 0 and "VERSION VARIANT", or -1 and "is not installed". Where it
 * lies may follow in a second line. */
typedef int ay_describe(const char *library, char *text, size_t n);
/* Runs that in a child of at most timeout_s. One of *version and *why is set; *version has both lines. */
int ay_baseline_describe(ay_describe *describe, const char *library, double timeout_s, struct ay_arena *a,
			 const char **version, const char **why, struct ay_err *err);

#endif
