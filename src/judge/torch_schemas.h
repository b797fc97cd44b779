/* SPDX-License-Identifier: Apache-2.0
 *
 * torch_schemas - operators outside the catalogue: those of the user's torch, and those that a
 * user defines.
 */
#ifndef AY_JUDGE_TORCH_SCHEMAS_H
#define AY_JUDGE_TORCH_SCHEMAS_H

#include "exec/python.h"
#include "op/suite.h"

/* Adds the operators of the user's torch that are not in the catalogue to the registry, once. The
 * first time torch is asked for the schemas, which takes seconds. They are then kept in the cache
 * folder under torch's version. cache: NULL: the usual folder; "": do not keep them. */
int ay_torch_schemas_load(struct ay_registry *r, struct ay_python *p, const char *cache, struct ay_err *err);

/* An operator that the user defines: a Python file with SCHEMA, CASES and reference()
 * (torch/assay/ref.py). */
struct ay_ref_op {
	const char *file;
	int fd; /* sealed memfd of the source; the caller closes it. -1: none */
	char sha256[65];
	const char *doc;  /* DOC, or the docstring of reference() or of the file; NULL: none */
	const char *code; /* source of reference(); NULL: not available */
	const struct ay_entry_op *op;
	int nline;
	const char **line;
};

/* Reads the file by running it and adds its operator to the registry. Allocates in `a`. */
int ay_torch_schemas_ref(struct ay_registry *r, struct ay_python *p, const char *file, struct ay_arena *a,
			 struct ay_ref_op *ref, struct ay_err *err);
/* Appends its cases to a suite. A line may omit the operator's name. */
int ay_ref_op_cases(const struct ay_registry *r, const struct ay_ref_op *ref, struct ay_arena *a,
		    struct ay_suite *s, struct ay_err *err);

#endif
