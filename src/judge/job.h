/* SPDX-License-Identifier: Apache-2.0
 *
 * job - one line of `assay check -`: a JSON object that asks for a verdict.
 *
 *	{"id": "a7", "op": "aten::relu", "lang": "c", "source": "#include <assay/kernel.h>...", "cases": ["..."],
 *"timeout": 60}
 *
 * Lines come from strangers: every field is checked, and what is wrong is said with the field's name.
 */
#ifndef AY_JUDGE_JOB_H
#define AY_JUDGE_JOB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "forge/forge.h"
#include "op/op.h"

enum { AY_JOB_MAX = 8 << 20, AY_JOB_CASES = 10000 };

struct ay_job {
	json_t *id;     /* as given, null if it was not; a new reference */
	const char *op; /* NULL: by the name of the path, or by the source */
	enum ay_lang lang;
	const char *source; /* one of the two */
	size_t source_len;
	const char *path;
	int ncase;
	const char **line; /* its own case lines */
	enum ay_tier tier; /* where it gives none: "quick" or "full" */
	double timeout_s;  /* 0 = the command's */
};

/* Strings live in the arena. On error job->id is still what could be read of it (or NULL); free it either way. */
int ay_job_parse(struct ay_arena *a, const char *text, size_t len, struct ay_job *job, struct ay_err *err);
/* What two jobs have in common that need the same work: SHA-256 of everything but the id. */
void ay_job_key(const struct ay_job *job, const char *source, size_t len, const char *salt, char hex[65]);

#endif
