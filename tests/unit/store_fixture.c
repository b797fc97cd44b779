/* SPDX-License-Identifier: Apache-2.0 */
#include "store_fixture.h"
#include "helpers.h"
#include "test.h"
#include "store/scan.h"

#include <string.h>

json_t *store_fixture_case_record(const char *kernel, const char *line, const char *verdict)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f}", "type", "case", "overload", "aten::relu", "line",
			 line, "verdict", verdict, "kernel_sha256", kernel, "file", "aten_relu.c", "wall_s", 0.1);
}

json_t *store_fixture_job_record(int i)
{
	char job[40], line[80];
	json_t *j;

	snprintf(job, sizeof job, "job-%d", i);
	snprintf(line, sizeof line, "aten::relu((T([%d], f32),), {}) seed=%d", i, i);
	j = store_fixture_case_record(STORE_RIG_KERNEL, line, "PASS");
	json_object_set_new(j, "job", json_string(job));
	return j;
}

bool store_fixture_has_job(struct ay_run *r, int i, int *attempts)
{
	char job[40];
	json_t *j;

	snprintf(job, sizeof job, "job-%d", i);
	j = ay_run_find(r, ay_id_job(job), attempts);
	json_decref(j);
	return j;
}

int store_fixture_add(struct ay_run *r, json_t *rec, struct ay_err *err)
{
	int rc = ay_run_add(r, rec, err);

	json_decref(rec);
	return rc;
}

struct ay_run *store_fixture_create(const char *dir)
{
	json_t *h = json_pack("{s:s, s:s, s:s, s:{s:i}}", "command", "eval", "suite", "smoke", "backend",
			      "directory", "policy", "threads", 2);
	struct ay_err err = { 0 };
	struct ay_run *r;

	CHECKF(!ay_run_create(dir, h, &r, &err), "%s", err.msg);
	json_decref(h);
	return r;
}

struct ay_run *store_fixture_resume(const char *dir, struct ay_run_found *found)
{
	struct ay_err err = { 0 };
	struct ay_run *r;

	CHECKF(!ay_run_resume(dir, NULL, &r, found, &err), "%s", err.msg);
	return r;
}

int64_t store_fixture_count_whole(const char *dir)
{
	char path[4300];
	struct ay_arena a = { 0 };
	int64_t lines = 0;
	char *data;
	size_t n;

	snprintf(path, sizeof path, "%s/results.jsonl", dir);
	data = help_slurp(&a, path, &n);
	CHECK(!n || data[n - 1] == '\n');
	for (char *p = data, *end; (end = memchr(p, '\n', (size_t)(data + n - p))); p = end + 1, lines++) {
		json_t *rec;
		enum ay_fault f = ay_record_open(p, (size_t)(end - p), &rec);

		CHECKF(f == AY_FAULT_NONE, "line %lld: %s", (long long)lines + 1, ay_fault_text(f));
		json_decref(rec);
	}
	ay_arena_release(&a);
	return lines;
}
