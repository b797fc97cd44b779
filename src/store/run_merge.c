/* SPDX-License-Identifier: Apache-2.0
 *
 * run_merge - merges runs.
 *
 * Theory of operation. Runs merge by concatenation, because a record carries its run, its judge's
 * build and its seal. Good lines are copied unchanged; bad lines are noted in
 * results.rejected.jsonl. A line that occurs twice (a folder named twice, overlapping copies) is
 * one record. Different records about one thing are attempts. All of them are kept, and every
 * reader lets the worst verdict count. So judging a kernel again until it passes gains nothing.
 */
#include "store/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { NOTED_MAX = 1000 /* most rejected lines of one folder to write down; all are counted */ };

struct merge {
	struct ay_run *r;
	struct ay_run_found *found;
	struct ay_index seen; /* by seal */
	json_t *runs;         /* { id: true } */
	const char *source;
	int noted;
};

static int take_line(void *user, const struct ay_scan_line *l, struct ay_err *err)
{
	struct merge *m = user;
	struct ay_index_entry *e;
	struct ay_str b = { 0 };
	int rc;

	if (l->fault != AY_FAULT_NONE) {
		m->found->fault[l->fault]++;
		if (!m->found->first_bad) {
			m->found->first_bad = l->number;
			m->found->first_fault = l->fault;
		}
		return m->noted++ < NOTED_MAX ? ay_run_reject(m->r, m->source, l, err) : 0;
	}
	e = ay_index_get(&m->seen, ay_id_seal(l->rec));
	if (e->attempts++)
		return 0;
	ay_str_addn(&b, l->text, l->len);
	ay_str_addc(&b, '\n');
	rc = ay_run_append(m->r, b.s, b.len, err);
	if (!rc) {
		ay_run_index(m->r, l->rec, m->r->end - b.len, l->len);
		m->r->seq++;
		m->found->records++;
		if (ay_record_str(l->rec, AY_FIELD_RUN))
			json_object_set_new(m->runs, ay_record_str(l->rec, AY_FIELD_RUN), json_true());
	}
	ay_str_release(&b);
	return rc;
}

/* Copies the header fields of the first run.json, and removes each that differs in a later one. */
static void merge_head(json_t *into, json_t *head, bool first)
{
	static const enum ay_field same[] = { AY_FIELD_SUITE,  AY_FIELD_SUITE_SHA256, AY_FIELD_BACKEND,
					      AY_FIELD_POLICY, AY_FIELD_SANDBOX,      AY_FIELD_ASSAY };

	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		const char *name = ay_field_name(same[i]);
		json_t *v = json_object_get(head, name);

		if (first && v)
			json_object_set(into, name, v);
		else if (!first && !json_equal(v, json_object_get(into, name)))
			json_object_del(into, name);
	}
}

/* Copies the kernels, but only files whose name is the hash of their content and an ending. Other
 * files, such as an editor's copy SHA.c.bak, are not the run's. */
static int take_kernels(struct merge *m, const struct ay_folder *d, struct ay_err *err)
{
	int fd = openat(d->fd, AY_KERNELS_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	struct ay_folder kernels = { dup(fd), d->path };
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	for (struct dirent *e; !rc && dir && (e = readdir(dir));) {
		char sha[AY_SHA256_HEX] = { 0 }, hex[AY_SHA256_HEX], *data;
		struct ay_err ignored = { 0 };
		struct ay_arena a = { 0 };
		size_t n;

		if (strlen(e->d_name) < 66 || e->d_name[64] != '.' || !ay_kernel_end(e->d_name + 65))
			continue;
		memcpy(sha, e->d_name, 64);
		if (!ay_folder_read(&kernels, e->d_name, &a, AY_KERNEL_MAX, &data, &n, &ignored) && data) {
			ay_sha256(data, n, hex);
			if (!strcmp(hex, sha))
				rc = ay_run_keep_kernel(m->r, sha, e->d_name + 65, data, n, err);
		}
		ay_arena_release(&a);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	if (kernels.fd >= 0)
		close(kernels.fd);
	return rc;
}

static int take_folder(struct merge *m, const char *path, bool first, struct ay_err *err)
{
	struct ay_folder d = { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path };
	struct ay_scan s = { .line = take_line, .user = m };
	json_t *head = NULL;
	int fd = -1, rc = -1;

	m->source = path;
	m->noted = 0;
	if (d.fd < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot open the run folder '%s'", path);
	fd = openat(d.fd, AY_RESULTS_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		ay_folder_fail(&d, "read", AY_RESULTS_NAME, err);
	} else if (!ay_run_read_head(&d, &head, err)) {
		merge_head(m->r->head, head, first);
		rc = ay_scan_fd(&s, fd, path, err) || take_kernels(m, &d, err) ? -1 : 0;
		m->found->lines += s.lines;
	}
	json_decref(head);
	if (fd >= 0)
		close(fd);
	close(d.fd);
	return rc;
}

/* Lists the ids of the merged runs in run.json, so that the merged run can be resumed. */
static int write_runs(struct merge *m, struct ay_err *err)
{
	json_t *list = json_array(), *v;
	const char *id;

	json_object_foreach(m->runs, id, v) json_array_append_new(list, json_string(id));
	json_object_set_new(m->r->head, "runs", list);
	return ay_run_write_head(m->r, err);
}

int ay_run_merge(const char *out, int n, const char *const *dirs, struct ay_run **run, struct ay_run_found *found,
		 struct ay_err *err)
{
	struct merge m = { .found = found, .runs = json_object() };
	json_t *header = json_object();
	int rc;

	*found = (struct ay_run_found){ 0 };
	json_object_set_new(header, ay_field_name(AY_FIELD_COMMAND), json_string("merge"));
	rc = ay_run_create(out, header, &m.r, err);
	json_decref(header);
	for (int i = 0; i < n && !rc; i++)
		rc = take_folder(&m, dirs[i], i == 0, err);
	if (!rc)
		rc = write_runs(&m, err);
	ay_index_release(&m.seen);
	json_decref(m.runs);
	if (rc)
		ay_run_close(m.r, err);
	*run = rc ? NULL : m.r;
	return rc;
}
