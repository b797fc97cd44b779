/* SPDX-License-Identifier: Apache-2.0
 *
 * run_query - answers what a run holds. The index gives the place of a record. The record is then
 * read from the file with all checks, so an altered record counts as absent.
 */
#include "store/store_internal.h"

#include <unistd.h>

const char *ay_run_dir(const struct ay_run *r)
{
	return r->folder.path;
}

const char *ay_run_id(const struct ay_run *r)
{
	return r->id;
}

const char *ay_run_build_sha256(const struct ay_run *r)
{
	return r->build;
}

int64_t ay_run_records(struct ay_run *r)
{
	int64_t n;

	pthread_mutex_lock(&r->mutex);
	n = r->records;
	pthread_mutex_unlock(&r->mutex);
	return n;
}

static bool entry_of(struct ay_run *r, struct ay_record_id id, struct ay_index_entry *e)
{
	const struct ay_index_entry *found;

	pthread_mutex_lock(&r->mutex);
	found = ay_index_find(&r->index, id);
	if (found)
		*e = *found;
	pthread_mutex_unlock(&r->mutex);
	return found;
}

bool ay_run_has(struct ay_run *r, struct ay_record_id id)
{
	struct ay_index_entry e;

	return entry_of(r, id, &e);
}

json_t *ay_run_find(struct ay_run *r, struct ay_record_id id, int *attempts)
{
	struct ay_index_entry e = { 0 };
	json_t *rec = NULL;

	if (entry_of(r, id, &e)) {
		char *line = ay_xrealloc(NULL, e.len);

		if (pread(r->fd, line, e.len, (off_t)e.offset) == (ssize_t)e.len)
			ay_record_open(line, e.len, &rec);
		ay_xfree(line);
	}
	if (attempts)
		*attempts = rec ? e.attempts : 0;
	return rec;
}

void ay_run_found_print(struct ay_str *b, const struct ay_run_found *f)
{
	int64_t bad = 0;

	for (int i = 0; i < AY_FAULT_COUNT; i++)
		bad += f->fault[i];
	ay_str_addf(b, "%lld records", (long long)f->records);
	if (!bad)
		return;
	ay_str_addf(b, "; %lld lines not taken, the first is line %lld", (long long)bad, (long long)f->first_bad);
	for (int i = 0; i < AY_FAULT_COUNT; i++)
		if (f->fault[i])
			ay_str_addf(b, "; %lld: %s", (long long)f->fault[i], ay_fault_text((enum ay_fault)i));
}
