/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/job.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A line of `assay check -`: parsed or refused with a message, never anything else. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_job job = { 0 };
	char key[65];

	if (ay_job_parse(&a, (const char *)data, size, &job, &err)) {
		if (!err.code || !err.msg[0])
			abort();
	} else {
		if (!job.source == !job.path)
			abort();
		ay_job_key(&job, job.source ? job.source : "", job.source ? job.source_len : 0, "", key);
		if (strlen(key) != 64)
			abort();
	}
	json_decref(job.id);
	ay_arena_release(&a);
	return 0;
}
