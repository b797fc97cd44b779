/* SPDX-License-Identifier: Apache-2.0
 *
 * docstring - gets torch's documentation of its operators from a Python interpreter
 * (torch/assay/docs.py). One call handles any number of operators, because importing torch takes
 * seconds. Callers keep the answers for the whole run.
 */
#ifndef AY_LLM_DOCSTRING_H
#define AY_LLM_DOCSTRING_H

#include "base/arena.h"
#include "base/err.h"

/* names: "aten::relu"... Stores each operator's docstring in text[i], cut to length, or NULL if
 * torch has none. python: the interpreter's path, from ay_python_find. Strings are in the arena. */
int ay_docstrings(struct ay_arena *a, const char *python, int n, const char *const *names, const char **text,
		  struct ay_err *err);

#endif
