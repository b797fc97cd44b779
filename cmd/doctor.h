/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor - what a line of `assay doctor` is.
 */
#ifndef AY_CMD_DOCTOR_H
#define AY_CMD_DOCTOR_H

#include "cmd.h"
#include "device/device.h"
#include "forge/forge.h"

#include <jansson.h>

/* MISSING ends in status 2; what assay can do without is a NOTE. */
enum doctor_state { FINE, MISSING, NOTE };

struct finding {
	const char *name;
	enum doctor_state state;
	const char *what, *advice;  /* advice NULL: nothing to do */
	const char *path, *version; /* for programs that read it; NULL: there is none */
	json_t *data;               /* figures, likewise */
};

/* The interpreter, its packages, our extension, and whether a Python kernel can be judged (seconds: not if `quick`).
 * Gives how many findings, at most FIND_PYTHON_MAX. */
enum { FIND_PYTHON_MAX = 6 };
int find_python(struct app *app, const char *wish, bool quick, struct finding *list);
/* The GPU, its clocks, compiler and libraries, how fast it is at best, and whether a CUDA kernel can be judged (seconds:
 * not if `quick`, nor is anything measured then). */
enum { FIND_GPU_MAX = 9 };
int find_gpu(struct app *app, struct ay_forge *f, const char *wish, bool quick, struct finding *list);
/* Measures with care, prints, keeps. */
int calibrate_gpu(struct ay_dev *d, bool json, struct ay_err *err);

#endif
