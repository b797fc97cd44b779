/* SPDX-License-Identifier: Apache-2.0
 *
 * interpreter - what can be said of an interpreter without importing torch: which one, why that one, what it has.
 */
#ifndef AY_EXEC_INTERPRETER_H
#define AY_EXEC_INTERPRETER_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

struct ay_interpreter {
	const char *path;
	const char *why;                    /* "named with --python" */
	bool named;                         /* by the user, one way or the other */
	const char *seen;                   /* as of struct ay_python_choice */
	const char *version;                /* "3.11.2" */
	const char *torch, *triton, *numpy; /* versions; NULL = not there */
	const char *uncompiled;             /* the folder of a torch without bytecode; NULL: it has some */
};

/* The one that ay_python_open would start (ay_python_choose), and what it has; 150 ms. -1: none will do; `why`, `named`
 * and `seen` are set all the same. */
int ay_interpreter_look(struct ay_arena *a, const char *wish, struct ay_interpreter *i, struct ay_err *err);
/* Was assay built with the executor's extension? Without Python's headers it is not. */
bool ay_python_is_built(void);

#endif
