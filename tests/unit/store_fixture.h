/* SPDX-License-Identifier: Apache-2.0
 *
 * store_fixture - runs and their records, for tests of the store.
 */
#ifndef AY_TEST_STORE_RIG_H
#define AY_TEST_STORE_RIG_H

#include "store/run.h"

#define STORE_RIG_KERNEL "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

json_t *store_fixture_case_record(const char *kernel, const char *line, const char *verdict);
/* Returns the record of a case with the job key job-<i>. */
json_t *store_fixture_job_record(int i);
bool store_fixture_has_job(struct ay_run *r, int i, int *attempts);
/* Adds a record and frees it. */
int store_fixture_add(struct ay_run *r, json_t *rec, struct ay_err *err);
struct ay_run *store_fixture_create(const char *dir);
struct ay_run *store_fixture_resume(const char *dir, struct ay_run_found *found);
/* Checks that every line of results.jsonl is a whole, valid record; returns their number. */
int64_t store_fixture_count_whole(const char *dir);

#endif
