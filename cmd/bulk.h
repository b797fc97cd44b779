/* SPDX-License-Identifier: Apache-2.0
 *
 * bulk - `assay check -`: reads jobs as JSON Lines and prints one record for each job when it is
 * finished.
 */
#ifndef AY_CMD_BULK_H
#define AY_CMD_BULK_H

#include "cmd.h"
#include "device_opts.h"
#include "drawn_opts.h"
#include "own.h"
#include "judge/judge.h"

struct bulk_options {
	int jobs;          /* jobs at one time on each device */
	bool sources_only; /* refuse jobs that name a path */
	bool fresh;        /* judge again what the resumed run knows */
	const char *out, *resume, *cache;
	struct device_options device;
	double timeout_s; /* time limit for one kernel */
	struct ay_policy policy;
	struct drawn_options drawn;
	const struct own_options *own; /* operator and cases for jobs that name none */
};

int bulk_run(struct app *app, const struct bulk_options *o, struct ay_err *err);

#endif
