/* SPDX-License-Identifier: Apache-2.0
 *
 * case_record - makes the JSON records of cases and kernels, for check, bulk and eval alike.
 */
#ifndef AY_CMD_CASE_RECORD_H
#define AY_CMD_CASE_RECORD_H

#include "base/json.h"
#include "judge/task.h"
#include "timing/timing.h"

/* Facts that all records of one kernel share. */
struct record_facts {
	const char *file, *operator_name, *version;
	const char *sandbox; /* from ay_sandbox_text; NULL: unknown */
	const char *device;  /* from device_text; NULL: the processor */
	const char *ref;     /* --ref; NULL = none */
	char kernel_sha256[65];
};

/* In a forked worker: makes the worker's own sandbox, in the parent's mode, for p and f. Does
 * nothing if it exists already. */
int ay_worker_sandbox(struct ay_policy *p, const struct ay_sandbox *parent, struct ay_forge *f,
		      struct ay_err *err);

json_t *record_case(const struct record_facts *f, const struct ay_suite_case *sc, const struct ay_report *rep);
/* Makes the field "timing" of a case record (docs/timing.md). */
json_t *record_timing(const struct ay_timing *t);
/* type: "kernel", or "summary" if the record ends a command's output. */
json_t *record_kernel(const struct record_facts *f, const struct ay_task_result *r, const char *type);

#endif
