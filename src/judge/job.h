/* SPDX-License-Identifier: Apache-2.0
 *
 * job - one line of `assay check -`: a JSON object that requests a verdict.
 *
 * 	{"id": "a7", "op": "aten::relu", "lang": "c", "source": "#include <assay/kernel.h>...",
 * 	 "cases": ["..."], "timeout": 60}
 *
 * The input is not trusted: every field is checked, and an error names the field.
 */
#ifndef AY_JUDGE_JOB_H
#define AY_JUDGE_JOB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "forge/forge.h"
#include "op/drawn.h"

enum { AY_JOB_MAX = 8 << 20, AY_JOB_CASES = 10000 };

struct ay_job {
	json_t *id;     /* as given; NULL: not given. A new reference */
	const char *op; /* NULL: found by the name of the path, or by the source */
	enum ay_lang lang;
	const char *source; /* exactly one of source and path is set */
	size_t source_len;
	const char *path;
	int ncase;
	const char **line; /* its own case lines */
	enum ay_tier tier; /* cases to judge if it has no lines: "quick" or "full" */
	int drawn;         /* cases to draw for each overload; -1: the default of the command */
	double timeout_s;  /* seconds; 0: the default of the command */
};

/* Parses a job. Strings live in the arena. On error job->id still has the id if it could be read,
 * or NULL. The caller always releases job->id. */
int ay_job_parse(struct ay_arena *a, const char *text, size_t len, struct ay_job *job, struct ay_err *err);
/* Computes the SHA-256 of everything but the id. Jobs with equal keys need the same work. */
void ay_job_key(const struct ay_job *job, const char *source, size_t len, const char *salt, char hex[65]);

#endif
