/* SPDX-License-Identifier: Apache-2.0
 *
 * docstring - what torch says of its own operators, asked of an interpreter that has it (torch/assay/docs.py). One call for
 * as many as one likes: importing torch takes seconds. The caller keeps the answers for as long as the run.
 */
#ifndef AY_LLM_DOCSTRING_H
#define AY_LLM_DOCSTRING_H

#include "base/arena.h"
#include "base/err.h"

/* names: "aten::relu"...; text[i] is its docstring, cut to length, or NULL where torch has none. python: its path, from
 * ay_python_find. In the arena. */
int ay_docstrings(struct ay_arena *a, const char *python, int n, const char *const *names, const char **text,
		  struct ay_err *err);

#endif
