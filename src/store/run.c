/* SPDX-License-Identifier: Apache-2.0
 *
 * run - opening, writing and resuming a run.
 *
 * Theory of operation.
 *
 * A record is sealed, printed and passed to the operating system by one write() to a file opened
 * with O_APPEND. From then on a kill -9 cannot lose it, because the bytes are in the page cache. If
 * a write is cut short (full disk, limit), ftruncate cuts the file back to the end of the last
 * whole record. So the file never holds part of a line for longer than that call. If the process is
 * killed in between, or the ftruncate fails, the next resume cuts the torn line off.
 *
 * A power loss can lose more. results.jsonl is forced to the disk by fdatasync at most once a
 * second and at the close, because a sync costs 1 to 20 ms and a bulk run writes hundreds of
 * records a second. run.json is synced when it is written, because a run cannot be resumed without
 * it. progress.json and kernels/ are not synced. progress.json is outdated a moment later. A file
 * of kernels/ has its hash as its name and is written again if its size is wrong.
 *
 * The index maps what a record is about to its place in the file. Records are read back from there
 * with their seals checked again. So memory does not grow with the size of records.
 */
#include "store/store_internal.h"
#include "base/file.h"
#include "base/process.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SYNC_EVERY_NS = 1000000000, TEXT_SHOWN = 4096, NAME_MAX_PART = 60 };

/* --- opening ---------------------------------------------------------------------------------- */

static int refuse_second(struct ay_run *r, struct ay_err *err)
{
	char pid[24] = { 0 };
	ssize_t n = pread(r->lock_fd, pid, sizeof pid - 1, 0);

	pid[n > 0 ? strspn(pid, "0123456789") : 0] = 0;
	return ay_fail(
		err, AY_ERR_IO,
		"'%s' is being written by another assay (process %s): wait for it, or choose another folder",
		r->folder.path, *pid ? pid : "unknown");
}

static int lock(struct ay_run *r, double wait_s, struct ay_err *err)
{
	int64_t until = ay_now_ns() + (int64_t)(wait_s * 1e9);
	char pid[24];
	int n;

	r->lock_fd = openat(r->folder.fd, AY_LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			    0644);
	if (r->lock_fd < 0)
		return ay_folder_fail(&r->folder, "write", AY_LOCK_NAME, err);
	while (flock(r->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno == EWOULDBLOCK && ay_now_ns() >= until)
			return refuse_second(r, err);
		if (errno != EWOULDBLOCK && errno != EINTR)
			return ay_folder_fail(&r->folder, "lock", AY_LOCK_NAME, err);
		usleep(10000);
	}
	n = snprintf(pid, sizeof pid, "%d\n", (int)getpid());
	if (ftruncate(r->lock_fd, 0) || pwrite(r->lock_fd, pid, (size_t)n, 0) != n)
		errno = 0; /* the number is only for a message; the lock is what counts */
	return 0;
}

struct ay_run *ay_run_open(const char *dir, double wait_s, struct ay_err *err)
{
	struct ay_run *r = ay_xrealloc(NULL, sizeof *r);

	*r = (struct ay_run){ .lock_fd = -1, .fd = -1, .folder.fd = -1, .synced_ns = ay_now_ns() };
	pthread_mutex_init(&r->mutex, NULL);
	r->folder.path = ay_strdup(&r->arena, dir);
	r->folder.fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->folder.fd < 0)
		ay_fail_errno(err, AY_ERR_IO, "cannot open the run folder '%s'", dir);
	else if (!lock(r, wait_s, err) && !ay_build_sha256(r->build, err))
		return r;
	ay_run_close(r, err);
	return NULL;
}

static int open_results(struct ay_run *r, int flags, struct ay_err *err)
{
	struct stat st;

	r->fd = openat(r->folder.fd, AY_RESULTS_NAME,
		       O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0644);
	if (r->fd < 0)
		return ay_folder_fail(&r->folder, "open", AY_RESULTS_NAME, err);
	if (fstat(r->fd, &st) || !S_ISREG(st.st_mode))
		return ay_fail(err, AY_ERR_IO, "'%s/%s' is not a regular file", r->folder.path, AY_RESULTS_NAME);
	return 0;
}

int ay_run_close(struct ay_run *r, struct ay_err *err)
{
	int rc = 0;

	if (!r)
		return 0;
	if (r->dirty && fdatasync(r->fd))
		rc = ay_folder_fail(&r->folder, "write through", AY_RESULTS_NAME, err);
	for (int i = 0; i < 3; i++) {
		int fd = i == 0 ? r->fd : i == 1 ? r->lock_fd : r->folder.fd;

		if (fd >= 0)
			close(fd);
	}
	json_decref(r->head);
	ay_index_release(&r->index);
	pthread_mutex_destroy(&r->mutex);
	ay_arena_release(&r->arena);
	ay_xfree(r);
	return rc;
}

/* --- run.json --------------------------------------------------------------------------------- */

int ay_run_write_head(struct ay_run *r, struct ay_err *err)
{
	struct ay_str b = { 0 };
	int rc;

	if (json_dump_callback(r->head, ay_dump_to, &b, JSON_INDENT(2)))
		AY_BUG("run.json could not be printed");
	ay_str_addc(&b, '\n');
	rc = ay_folder_write(&r->folder, AY_HEAD_NAME, b.s, b.len, true, err);
	if (!rc && fsync(r->folder.fd))
		rc = ay_folder_fail(&r->folder, "write through", AY_HEAD_NAME, err);
	ay_str_release(&b);
	return rc;
}

int ay_run_read_head(const struct ay_folder *d, json_t **head, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	char *text;
	size_t n;
	int rc = ay_folder_read(d, AY_HEAD_NAME, &a, AY_HEAD_MAX, &text, &n, err);
	const char *id;

	*head = rc || !text ? NULL : json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	id = ay_record_str(*head, AY_FIELD_RUN);
	if (!rc && text && (!id || strlen(id) != 32)) {
		json_decref(*head);
		*head = NULL;
		rc = ay_fail(err, AY_ERR_IO,
			     "'%s/%s' is damaged: it is not what assay wrote; the records in %s are still good "
			     "for the exports",
			     d->path, AY_HEAD_NAME, AY_RESULTS_NAME);
	}
	ay_arena_release(&a);
	return rc;
}

json_t *ay_run_head(const char *dir, struct ay_err *err)
{
	struct ay_folder d = { open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), dir };
	json_t *head = NULL;
	int rc = 0;

	if (d.fd >= 0) {
		rc = ay_run_read_head(&d, &head, err);
		close(d.fd);
	}
	if (!head && !rc)
		ay_fail(err, AY_ERR_USAGE, "there is no '%s/%s': name the folder of a run", dir, AY_HEAD_NAME);
	return head;
}

void ay_utc(char *dst, size_t n, const char *fmt)
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(dst, n, fmt, &tm);
}

/* Makes the content of run.json. Fields that only the store knows override the caller's. */
static void make_head(struct ay_run *r, const json_t *header)
{
	char now[32];

	ay_utc(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ");
	snprintf(r->id, sizeof r->id, "%016llx%016llx", (unsigned long long)ay_secret_u64(),
		 (unsigned long long)ay_secret_u64());
	r->head = header ? json_deep_copy(header) : json_object();
	json_object_set_new(r->head, "format", json_integer(AY_FORMAT));
	json_object_set_new(r->head, ay_field_name(AY_FIELD_RUN), json_string(r->id));
	json_object_set_new(r->head, ay_field_name(AY_FIELD_BUILD_SHA256), json_string(r->build));
	json_object_set_new(r->head, "start", json_string(now));
	json_object_set_new(r->head, "machine", ay_machine_json());
}

/* --- create ----------------------------------------------------------------------------------- */

/* Appends a part of a folder's name: the field's last path component, harmless characters only. */
static void add_part(struct ay_str *b, const json_t *header, enum ay_field f)
{
	const char *s = ay_record_str(header, f);
	size_t begin = b->len;

	for (s = s ? ay_file_basename(s) : ""; *s && b->len - begin < NAME_MAX_PART; s++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", *s) &&
		    (b->len > begin || (*s != '.' && *s != '-')))
			ay_str_addc(b, *s);
	if (b->len > begin)
		ay_str_addc(b, '-');
}

/* Makes the folder runs/<command>-<suite>-<backend>-<UTC>, with -2, -3 ... appended if it
 * exists. */
static int make_unique(struct ay_str *name, const json_t *header, struct ay_err *err)
{
	char now[32];
	size_t len;

	if (ay_file_mkdirs("runs", err))
		return -1;
	ay_str_add(name, "runs/");
	add_part(name, header, AY_FIELD_COMMAND);
	add_part(name, header, AY_FIELD_SUITE);
	add_part(name, header, AY_FIELD_BACKEND);
	ay_utc(now, sizeof now, "%Y%m%dT%H%M%SZ");
	ay_str_add(name, now);
	len = name->len;
	for (int i = 2; mkdir(name->s, 0755); i++) {
		if (errno != EEXIST || i > 1000)
			return ay_fail_errno(err, AY_ERR_IO, "cannot make the run folder '%s'", name->s);
		name->len = len;
		ay_str_addf(name, "-%d", i);
	}
	return 0;
}

static bool holds_run(const struct ay_folder *d)
{
	return !faccessat(d->fd, AY_HEAD_NAME, F_OK, AT_SYMLINK_NOFOLLOW) ||
	       !faccessat(d->fd, AY_RESULTS_NAME, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int refuse_run(const char *dir, struct ay_err *err)
{
	return ay_fail(err, AY_ERR_USAGE,
		       "'%s' holds a run already: go on with it by --resume-from '%s', or choose another folder",
		       dir, dir);
}

int ay_run_folder(const char *dir, const json_t *header, struct ay_arena *a, const char **made, struct ay_err *err)
{
	struct ay_str name = { 0 };
	struct ay_folder d = { .fd = -1 };
	int rc = dir ? ay_file_mkdirs(dir, err) : make_unique(&name, header, err);

	*made = ay_strdup(a, dir ? dir : ay_str_text(&name));
	ay_str_release(&name);
	if (rc)
		return -1;
	d.fd = open(*made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d.fd < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot open the run folder '%s'", *made);
	rc = holds_run(&d) ? refuse_run(*made, err) : 0;
	close(d.fd);
	return rc;
}

int ay_run_create(const char *dir, const json_t *header, struct ay_run **run, struct ay_err *err)
{
	struct ay_str name = { 0 };
	struct ay_run *r = NULL;
	int rc = dir ? ay_file_mkdirs(dir, err) : make_unique(&name, header, err);

	*run = NULL;
	if (!rc)
		r = ay_run_open(dir ? dir : name.s, 0, err);
	ay_str_release(&name);
	if (!r)
		return -1;
	if (holds_run(&r->folder)) {
		refuse_run(r->folder.path, err);
	} else {
		make_head(r, header);
		if (!ay_run_write_head(r, err) && !open_results(r, O_EXCL, err)) {
			*run = r;
			return 0;
		}
	}
	ay_run_close(r, err);
	return -1;
}

/* --- resume ----------------------------------------------------------------------------------- */

struct resume {
	struct ay_run *r;
	struct ay_run_found *found;
};

static bool is_ours(const struct ay_run *r, const char *id)
{
	json_t *runs = json_object_get(r->head, "runs"), *one; /* of a merge */
	size_t i;

	if (!id)
		return false;
	json_array_foreach(runs, i,
			   one) if (json_is_string(one) && !strcmp(json_string_value(one), id)) return true;
	return !strcmp(r->id, id);
}

static int take_line(void *user, const struct ay_scan_line *l, struct ay_err *err)
{
	struct resume *s = user;
	enum ay_fault fault = l->fault;
	const char *build = ay_record_str(l->rec, AY_FIELD_BUILD_SHA256);

	if (fault == AY_FAULT_NONE && !is_ours(s->r, ay_record_str(l->rec, AY_FIELD_RUN)))
		fault = AY_FAULT_RUN;
	if (fault == AY_FAULT_NONE && (!build || strcmp(build, s->r->build)))
		fault = AY_FAULT_BUILD;
	if (fault == AY_FAULT_NONE) {
		s->found->records++;
		ay_run_index(s->r, l->rec, l->offset, l->len);
		return 0;
	}
	s->found->fault[fault]++;
	if (!s->found->first_bad) {
		s->found->first_bad = l->number;
		s->found->first_fault = fault;
	}
	return fault == AY_FAULT_TORN ? ay_run_reject(s->r, s->r->folder.path, l, err) : 0;
}

/* Reads the existing records and cuts a torn last line off. */
static int take_results(struct ay_run *r, struct ay_run_found *found, struct ay_err *err)
{
	struct resume user = { r, found };
	struct ay_scan s = { .line = take_line, .user = &user };

	if (ay_scan_fd(&s, r->fd, AY_RESULTS_NAME, err))
		return -1;
	found->lines = s.lines;
	r->seq = s.lines;
	r->end = s.end;
	if (s.offset > s.end && ftruncate(r->fd, (off_t)s.end))
		return ay_folder_fail(&r->folder, "cut the torn last line of", AY_RESULTS_NAME, err);
	return 0;
}

/* Fails if the new header has other rules of judging: their records must not be mixed. */
static int check_same(const struct ay_run *r, const json_t *header, struct ay_err *err)
{
	static const enum ay_field same[] = { AY_FIELD_SUITE_SHA256, AY_FIELD_BACKEND, AY_FIELD_POLICY,
					      AY_FIELD_SANDBOX };

	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		const char *name = ay_field_name(same[i]);
		const json_t *then = json_object_get(r->head, name), *now = json_object_get(header, name);

		if (then && now && !json_equal(then, now))
			return ay_fail(
				err, AY_ERR_USAGE,
				"'%s' cannot be resumed like this: its %s was another (see %s); give the same "
				"options, or start a new run",
				r->folder.path, name, AY_HEAD_NAME);
	}
	return 0;
}

static int note_resumed(struct ay_run *r, const json_t *header, struct ay_err *err)
{
	json_t *list = json_object_get(r->head, "resumed"), *one = json_object();
	json_t *argv = json_object_get(header, "argv");
	char now[32];

	if (!json_is_array(list)) {
		list = json_array();
		json_object_set_new(r->head, "resumed", list);
	}
	ay_utc(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ");
	json_object_set_new(one, "start", json_string(now));
	json_object_set_new(one, ay_field_name(AY_FIELD_BUILD_SHA256), json_string(r->build));
	if (argv)
		json_object_set(one, "argv", argv);
	json_array_append_new(list, one);
	return ay_run_write_head(r, err);
}

static int resume(struct ay_run *r, const json_t *header, struct ay_run_found *found, struct ay_err *err)
{
	if (ay_run_read_head(&r->folder, &r->head, err))
		return -1;
	if (!r->head)
		return ay_fail(err, AY_ERR_USAGE, "there is no run in '%s' (no %s): start it anew with --out",
			       r->folder.path, AY_HEAD_NAME);
	snprintf(r->id, sizeof r->id, "%s", ay_record_str(r->head, AY_FIELD_RUN));
	if (check_same(r, header, err) || open_results(r, 0, err) || take_results(r, found, err))
		return -1;
	return note_resumed(r, header, err);
}

int ay_run_resume(const char *dir, const json_t *header, struct ay_run **run, struct ay_run_found *found,
		  struct ay_err *err)
{
	struct ay_run *r = ay_run_open(dir, 1, err);

	*run = NULL;
	*found = (struct ay_run_found){ 0 };
	if (!r)
		return -1;
	if (resume(r, header, found, err)) {
		ay_run_close(r, err);
		return -1;
	}
	*run = r;
	return 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Cuts the file back to the last whole record. Fails if its size shows that another program has
 * written to it. */
static int cut(struct ay_run *r, uint64_t size)
{
	struct stat st;

	if (fstat(r->fd, &st) || (uint64_t)st.st_size != size)
		return -1;
	return ftruncate(r->fd, (off_t)r->end);
}

/* Returns the number of bytes written; if fewer than n, errno says why. Continues after a short
 * write, to write the whole line or to get the reason. */
static size_t write_line(int fd, const char *s, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t w = write(fd, s + done, n - done);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			break;
		done += (size_t)w;
	}
	return done;
}

int ay_run_append(struct ay_run *r, const char *s, size_t n, struct ay_err *err)
{
	struct stat st;
	size_t done;

	if (r->torn && (fstat(r->fd, &st) || cut(r, (uint64_t)st.st_size)))
		return ay_folder_fail(&r->folder, "cut the torn last line of", AY_RESULTS_NAME, err);
	r->torn = false;
	done = write_line(r->fd, s, n);
	if (done == n) {
		r->end += n;
		r->dirty = true;
		return 0;
	}
	ay_folder_fail(&r->folder, "append to", AY_RESULTS_NAME, err);
	if (done)
		r->torn = cut(r, r->end + done) != 0;
	return -1;
}

void ay_run_index(struct ay_run *r, const json_t *rec, uint64_t offset, size_t len)
{
	const char *job = ay_record_str(rec, AY_FIELD_JOB);
	enum ay_verdict v = ay_record_verdict(rec);
	struct ay_record_id id;

	r->records++;
	if (ay_record_id(rec, &id))
		ay_index_note(ay_index_get(&r->index, id), v, offset, len);
	if (job)
		ay_index_note(ay_index_get(&r->index, ay_id_job(job)), v, offset, len);
}

static int add_locked(struct ay_run *r, json_t *rec, bool *sync, struct ay_err *err)
{
	struct ay_str b = { 0 };
	int rc;

	json_object_set_new(rec, ay_field_name(AY_FIELD_RUN), json_string(r->id));
	json_object_set_new(rec, ay_field_name(AY_FIELD_SEQ), json_integer(r->seq + 1));
	rc = ay_record_seal(rec, r->build, &b, err);
	if (!rc)
		rc = ay_run_append(r, b.s, b.len, err);
	if (!rc) {
		r->seq++;
		ay_run_index(r, rec, r->end - b.len, b.len - 1);
		*sync = ay_now_ns() - r->synced_ns >= SYNC_EVERY_NS;
		if (*sync) {
			r->synced_ns = ay_now_ns();
			r->dirty = false;
		}
	}
	ay_str_release(&b);
	return rc;
}

int ay_run_add(struct ay_run *r, json_t *rec, struct ay_err *err)
{
	bool sync = false;
	int rc;

	pthread_mutex_lock(&r->mutex);
	rc = add_locked(r, rec, &sync, err);
	pthread_mutex_unlock(&r->mutex);
	/* outside the mutex, so that other threads need not wait for the disk */
	if (sync && fdatasync(r->fd))
		rc = ay_folder_fail(&r->folder, "write through", AY_RESULTS_NAME, err);
	return rc;
}

int ay_run_reject(struct ay_run *r, const char *source, const struct ay_scan_line *l, struct ay_err *err)
{
	json_t *j = json_object();
	struct ay_str b = { 0 };
	int fd, rc = 0;

	json_object_set_new(j, "type", json_string("rejected"));
	json_object_set_new(j, "source", ay_json_text(source, strlen(source), TEXT_SHOWN));
	json_object_set_new(j, "line", json_integer(l->number));
	json_object_set_new(j, "offset", json_integer((json_int_t)l->offset));
	json_object_set_new(j, "reason", json_string(ay_fault_text(l->fault)));
	json_object_set_new(j, "text", ay_json_text(l->text, l->len, TEXT_SHOWN));
	json_dump_callback(j, ay_dump_to, &b, JSON_COMPACT);
	ay_str_addc(&b, '\n');
	json_decref(j);
	fd = openat(r->folder.fd, AY_REJECTED_NAME,
		    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, b.s, b.len) != (ssize_t)b.len)
		rc = ay_folder_fail(&r->folder, "append to", AY_REJECTED_NAME, err);
	if (fd >= 0)
		close(fd);
	ay_str_release(&b);
	return rc;
}
