/* SPDX-License-Identifier: Apache-2.0
 *
 * interpreter - what is known of an interpreter without importing torch: which one, why that one,
 * what it has.
 */
#ifndef AY_EXEC_INTERPRETER_H
#define AY_EXEC_INTERPRETER_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

struct ay_interpreter {
	const char *path;
	const char *why;     /* "named with --python" */
	bool named;          /* the user named it */
	const char *seen;    /* as in struct ay_python_choice */
	const char *version; /* "3.11.2" */
	/* versions; NULL: not installed */
	const char *torch, *triton, *numpy;
	const char *uncompiled; /* the folder of torch if it has no bytecode; else NULL */
};

/* Describes the interpreter that ay_python_open would start (ay_python_choose). Takes 150 ms. Fails
 * if there is none; `why`, `named` and `seen` are set in any case. */
int ay_interpreter_look(struct ay_arena *a, const char *wish, struct ay_interpreter *i, struct ay_err *err);
/* Returns true if assay was built with the Python executor's extension. Without Python's headers it
 * is not. */
bool ay_python_is_built(void);

#endif
