/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor - the findings of `assay doctor`, one a line.
 */
#ifndef AY_CMD_DOCTOR_H
#define AY_CMD_DOCTOR_H

#include "cmd.h"
#include "device/device.h"
#include "forge/forge.h"

#include <jansson.h>

/* MISSING makes the exit status 2. What assay can work without is a NOTE. */
enum doctor_state { FINE, MISSING, NOTE };

struct finding {
	const char *name;
	enum doctor_state state;
	const char *what, *advice;  /* advice NULL: nothing to do */
	const char *path, *version; /* for programs that read the output; NULL: none */
	json_t *data;               /* figures, for such programs; NULL: none */
};

/* Examines the interpreter, its packages, assay's extension and, unless `quick`, whether a Python
 * kernel can be judged (takes seconds). Returns the number of findings, at most FIND_PYTHON_MAX. */
enum { FIND_PYTHON_MAX = 6 };
int find_python(struct app *app, const char *wish, bool quick, struct finding *list);
/* Examines the GPU, its clocks, compiler and libraries. Unless `quick`, also measures its best
 * speed and checks that a CUDA kernel can be judged (takes seconds). Returns the number of
 * findings. */
enum { FIND_GPU_MAX = 9 };
int find_gpu(struct app *app, struct ay_forge *f, const char *wish, bool quick, struct finding *list);
/* Measures the GPU's ceilings thoroughly, prints them and stores them. */
int calibrate_gpu(struct ay_dev *d, bool json, struct ay_err *err);

#endif
