/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign - the operators of the user's torch that are not in the catalogue.
 */
#ifndef AY_JUDGE_TORCH_SCHEMAS_H
#define AY_JUDGE_TORCH_SCHEMAS_H

#include "exec/python.h"
#include "op/suite.h"

/*
 * Adds them to the registry, once. The schemas are asked of torch the first time (seconds) and then kept in the cache
 * folder (NULL: the usual one; "": nowhere) under torch's version.
 */
int ay_torch_schemas_load(struct ay_registry *r, struct ay_python *p, const char *cache, struct ay_err *err);

/* An operator of the user's own: a file in Python with SCHEMA, CASES and reference() (torch/assay/ref.py). */
struct ay_ref_op {
	const char *file;
	int fd; /* sealed memfd of the source; the caller closes it. -1 = none */
	char sha256[65];
	const char *doc;  /* DOC, or the docstring of reference() or of the file; NULL = there is none */
	const char *code; /* the source of reference(); NULL = not to be had */
	const struct ay_entry_op *op;
	int nline;
	const char **line;
};

/* Reads the file, by running it, and adds its operator to the registry. In the arena. */
int ay_torch_schemas_ref(struct ay_registry *r, struct ay_python *p, const char *file, struct ay_arena *a,
			 struct ay_ref_op *ref, struct ay_err *err);
/* Its cases as a suite, for which the operator's name may be left out of a line. */
int ay_foreign_ref_cases(const struct ay_registry *r, const struct ay_ref_op *ref, struct ay_arena *a,
			 struct ay_suite *s, struct ay_err *err);

#endif
