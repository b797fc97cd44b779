/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor - what a line of `assay doctor` is.
 */
#ifndef AY_CMD_DOCTOR_H
#define AY_CMD_DOCTOR_H

#include "cmd.h"
#include "forge/forge.h"

/* MISSING ends in status 2; what assay can do without is a NOTE. */
enum state { FINE, MISSING, NOTE };

struct finding {
	const char *name;
	enum state state;
	const char *what, *advice;  /* advice NULL: nothing to do */
	const char *path, *version; /* for programs that read it; NULL: there is none */
};

/* The interpreter, its packages, our extension, and whether a Python kernel can be judged (seconds: not if `quick`).
 * Gives how many findings, at most FIND_PYTHON_MAX. */
enum { FIND_PYTHON_MAX = 6 };
int find_python(struct app *app, const char *wish, bool quick, struct finding *list);
/* The GPU, its driver, compiler and libraries, and whether a CUDA kernel can be judged (seconds: not if `quick`). */
enum { FIND_GPU_MAX = 6 };
int find_gpu(struct app *app, struct ay_forge *f, bool quick, struct finding *list);

#endif
