/* SPDX-License-Identifier: Apache-2.0
 *
 * bulk_internal - what the files of `assay check -` share: bulk.c reads, distributes and answers jobs,
 * bulk_work.c judges one in a worker.
 */
#ifndef AY_CMD_BULK_INTERNAL_H
#define AY_CMD_BULK_INTERNAL_H

#include "bulk.h"
#include "base/worker_pool.h"
#include "case_record.h"
#include "judge/job.h"
#include "store/run.h"

enum { SOURCE_MAX = 4 << 20 };

/* A job that was read. It is in flight, or waits for a worker or for an equal job. */
struct bulk_pending {
	json_t *id;
	char key[65], sha256[65]; /* of the job, and of its source */
	char *text;               /* its line, to send to the worker */
	size_t len;
	bool given, answered;
	struct device_losses losses;
	struct bulk_pending *next;
};

struct bulk {
	struct app *app;
	const struct bulk_options *o;
	struct ay_err *err;
	struct ay_forge forge;
	struct ay_policy policy;      /* has this process's sandbox; each worker makes its own */
	struct device_options device; /* a worker opens it when needed */
	const char *sandbox;
	const char *interpreter; /* NULL: not determined yet */
	struct ay_run *run;
	struct ay_worker_pool *pool;
	struct bulk_pending *list;
	int waiting; /* number of pending jobs that no worker has */
	/* input */
	struct ay_str in;
	size_t at; /* offset of the first unread byte */
	bool eof, skipping;
	int64_t line;
	/* counts */
	int64_t jobs, errors, from_store, passed;
	double longest_s; /* longest time limit of any job */
};

/* Judges one job in a worker; user is the struct bulk. */
void bulk_work(void *user, const char *text, size_t len, struct ay_worker_out *out);
/* Returns a record of type "error". */
json_t *bulk_error_record(const char *msg);

#endif
