/* SPDX-License-Identifier: Apache-2.0
 *
 * torch_opts - the options of commands that run Python kernels.
 */
#ifndef AY_CMD_TORCH_OPTS_H
#define AY_CMD_TORCH_OPTS_H

#include "cmd.h"
#include "base/json.h"
#include "judge/judge.h"

struct torch_options {
	const char *python, *allow;
	struct ay_python interpreter;
};

#define TORCH_OPTS(o)                                                                                           \
	{ "python", OPT_TEXT, &(o)->python, "P",                                                                \
	  "the interpreter for Python kernels ($ASSAY_PYTHON, else the first that has torch of "                \
	  "$VIRTUAL_ENV, build/venv, $PATH); none: no Python" },                                                \
	{                                                                                                       \
		"allow-torch", OPT_TEXT, &(o)->allow, "L",                                                      \
			"what Python kernels may call of torch: none, helpers, all (all; of a model's helpers)" \
	}

/* Applies the options to a policy. The interpreter starts with the first kernel that needs it. */
int torch_policy(struct torch_options *o, struct ay_policy *p, struct ay_err *err);
/* Adds to a JSON object what the verdict of a Python kernel depends on besides the kernel: the
 * interpreter, versions, and what it may call of torch. These fields are null if there is no
 * interpreter. */
void torch_record(const struct ay_policy *p, struct ay_arena *a, json_t *into);

#endif
