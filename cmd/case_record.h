/* SPDX-License-Identifier: Apache-2.0
 *
 * record - what is said about a case and about a kernel, as JSON: the same for check, bulk and eval.
 */
#ifndef AY_CMD_CASE_RECORD_H
#define AY_CMD_CASE_RECORD_H

#include "base/json.h"
#include "judge/task.h"
#include "timing/timing.h"

/* What all records of one kernel share. */
struct record_facts {
	const char *file, *operator_name, *version;
	const char *sandbox; /* ay_sandbox_text; NULL: not said */
	const char *device;  /* device_text; NULL: the processor */
	const char *ref;     /* --ref; NULL = none */
	char kernel_sha256[65];
};

/* In a forked worker: a sandbox of its own, in the mode of its parent's, for policy and forge; made once. */
int ay_worker_sandbox(struct ay_policy *p, const struct ay_sandbox *parent, struct ay_forge *f,
		      struct ay_err *err);

json_t *record_case(const struct record_facts *f, const struct ay_suite_case *sc, const struct ay_report *rep);
/* The field "timing" of a case record (docs/timing.md). */
json_t *record_timing(const struct ay_timing *t);
/* type: "kernel", or "summary" where it ends a command's output. */
json_t *record_kernel(const struct record_facts *f, const struct ay_task_result *r, const char *type);

#endif
