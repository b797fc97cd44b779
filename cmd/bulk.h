/* SPDX-License-Identifier: Apache-2.0
 *
 * bulk - `assay check -`: jobs as JSON Lines in, one record out per job as it finishes.
 */
#ifndef AY_CMD_BULK_H
#define AY_CMD_BULK_H

#include "cmd.h"
#include "device_opts.h"
#include "own.h"
#include "judge/judge.h"

struct bulk_options {
	int jobs;          /* at once, on each device */
	bool sources_only; /* refuse jobs that name a path */
	bool fresh;        /* judge anew what the store knows */
	const char *out, *resume, *cache;
	struct device_options device;
	double timeout_s; /* of one kernel */
	struct ay_policy policy;
	const struct own_options *own; /* its operator and cases are those of jobs that name none */
};

int bulk_run(struct app *app, const struct bulk_options *o, struct ay_err *err);

#endif
