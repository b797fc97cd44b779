/* SPDX-License-Identifier: Apache-2.0
 *
 * bulk - `assay check -`.
 *
 * Theory of operation. This process reads lines, answers those that the store knows, and gives the
 * others to workers. A worker builds and judges one kernel and returns one record. Records are
 * stored, then printed, in the order in which they finish. A line that is no job, and a job whose
 * worker dies, get an error record; reading continues. Two equal jobs in flight are judged once. A
 * job whose device is lost is judged again on another device, from its start.
 */
#include "bulk_internal.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"
#include "output.h"
#include "interrupt.h"
#include "torch_opts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- answering -------------------------------------------------------------------------------- */

/* Prints one answer: the record, with this job's id first. */
static void answer(struct bulk *b, const json_t *id, json_t *rec, bool from_store)
{
	json_t *out = json_object();

	json_object_set(out, "id", id ? (json_t *)id : json_null());
	json_object_update_missing(out, rec);
	if (from_store) {
		json_object_set_new(out, "from_store", json_true());
		b->from_store++;
	}
	b->passed += ay_record_verdict(rec) == AY_VERDICT_PASS;
	output_line(out, b->err); /* a failure ends the loop */
	json_decref(out);
}

static void drop(struct bulk *b, struct bulk_pending *p)
{
	for (struct bulk_pending **at = &b->list; *at; at = &(*at)->next) {
		if (*at == p) {
			*at = p->next;
			break;
		}
	}
	json_decref(p->id);
	ay_xfree(p->text);
	ay_xfree(p);
}

static void complain(struct bulk *b, const json_t *id, const char *msg)
{
	json_t *rec = bulk_error_record(msg);

	json_object_set_new(rec, "input_line", json_integer(b->line));
	answer(b, id, rec, false);
	json_decref(rec);
	b->errors++;
}

/* Returns true if the worker read another content than the job's key was made of: the file that the
 * job names has changed in between. */
static bool is_of_other_source(const struct bulk_pending *p, const json_t *rec)
{
	const char *sha256 = ay_record_str(rec, AY_FIELD_KERNEL_SHA256);

	return sha256 && strcmp(sha256, p->sha256) != 0;
}

/* Stores a worker's record and prints the answer. */
static int on_message(void *user, void *job, const char *data, size_t len)
{
	struct bulk *b = user;
	struct bulk_pending *p = job;
	json_t *rec = json_loadb(data, len, 0, NULL);
	int rc = 0;

	if (!rec)
		return ay_fail(b->err, AY_ERR_SYS, "a worker sent what is no record");
	if (is_of_other_source(p, rec)) {
		json_decref(rec);
		rec = bulk_error_record("the file changed before it was judged: send the job again");
	}
	if (!strcmp(ay_record_str(rec, AY_FIELD_TYPE), AY_RECORD_ERROR)) {
		b->errors++;
	} else {
		json_object_set_new(rec, "job", json_string(p->key));
		rc = ay_run_add(b->run, rec, b->err);
	}
	if (!rc)
		answer(b, p->id, rec, false);
	p->answered = true;
	json_decref(rec);
	return rc || b->err->code ? -1 : 0;
}

static int on_done(void *user, void *job, const char *died)
{
	struct bulk *b = user;
	struct bulk_pending *p = job;

	if (died) {
		char msg[120];

		snprintf(msg, sizeof msg, "the worker that judged it ended with %s: a failure of ours", died);
		complain(b, p->id, msg);
	}
	drop(b, p);
	return b->err->code ? -1 : 0;
}

static int on_lost(void *user, int group, const char *why)
{
	struct bulk *b = user;
	json_t *rec = device_lost(&b->device, group, why, ay_worker_pool_size(b->pool));
	const int rc = ay_run_add(b->run, rec, b->err);

	json_decref(rec);
	return rc;
}

/* A device was lost: puts the job back among the waiting ones. Its place in the list is that of its
 * line. */
static int on_back(void *user, void *job, int group)
{
	struct bulk *b = user;
	struct bulk_pending *p = job;
	char *id = p->id ? json_dumps(p->id, JSON_ENCODE_ANY) : NULL;
	json_t *rec = p->answered ? NULL
				  : device_blame(&b->device, &p->losses, group, id ? id : p->key,
						 ay_worker_pool_size(b->pool));

	ay_xfree(id);
	if (rec) {
		json_object_del(rec, "id");
		answer(b, p->id, rec, false);
		json_decref(rec);
		b->errors++;
	}
	if (rec || p->answered) {
		drop(b, p);
		return 0;
	}
	p->given = false;
	b->waiting++;
	return 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool in_flight(const struct bulk *b, const char *key)
{
	for (const struct bulk_pending *p = b->list; p; p = p->next)
		if (p->given && !strcmp(p->key, key))
			return true;
	return false;
}

/* Answers a job from the store. Returns false if the store has no record of it. */
static bool answer_known(struct bulk *b, const struct bulk_pending *p)
{
	json_t *rec = b->o->fresh ? NULL : ay_run_find(b->run, ay_id_job(p->key), NULL);

	if (!rec)
		return false;
	answer(b, p->id, rec, true);
	json_decref(rec);
	return true;
}

/* Describes the interpreter and its settings, on which the verdict of a Python kernel depends
 * too. */
static const char *interpreter(struct bulk *b)
{
	json_t *j;
	char *text;

	if (b->interpreter)
		return b->interpreter;
	j = json_object();
	torch_record(&b->o->policy, b->app->arena, j);
	text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS);
	b->interpreter = text ? ay_strdup(b->app->arena, text) : "";
	ay_xfree(text);
	json_decref(j);
	return b->interpreter;
}

/* Reads the kernel, stores its source in the run, and computes the job's key. Returns -1 and sets
 * err for a fault of the job, or b->err for a failure of assay. */
static int identify(struct bulk *b, const struct ay_job *job, char key[65], char sha[65], struct ay_err *err)
{
	static const char *const ends[] = { [AY_LANG_C] = "c",
					    [AY_LANG_CXX] = "cc",
					    [AY_LANG_SO] = "so",
					    [AY_LANG_CU] = "cu",
					    [AY_LANG_PY] = "py" };
	char none[300];
	struct ay_arena a = { 0 };
	char *text = (char *)job->source;
	const char *salt;
	size_t len = job->source_len;
	int rc = 0;

	if (job->path && b->o->sources_only)
		rc = ay_fail(err, AY_ERR_USAGE, "paths are not taken here (--sources-only): send the source");
	else if (job->path)
		rc = ay_file_read(&a, job->path, SOURCE_MAX, &text, &len, err);
	salt = ay_sprintf(&a, "%s %s %lld%d %d %d %g %g%s%s%s", ay_run_build_sha256(b->run), b->sandbox,
			  (long long)b->o->drawn.n, b->o->drawn.none, b->o->policy.allow_tf32,
			  b->o->policy.threads, b->o->policy.call_timeout_s, b->o->timeout_s,
			  job->lang == AY_LANG_PY ? interpreter(b) : "",
			  job->lang == AY_LANG_CU && ay_dev_has_cuda(none, sizeof none) ? " gpu" : "",
			  b->o->own->ref.sha256);
	if (!rc) {
		ay_job_key(job, text, len, salt, key);
		ay_sha256(text, len, sha);
		rc = ay_run_keep_kernel(b->run, sha, ends[job->lang], text, len, b->err);
	}
	ay_arena_release(&a);
	return rc;
}

static void take_line(struct bulk *b, const char *text, size_t len)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_job job = { 0 };
	struct bulk_pending *p;
	char key[65] = "", sha[65] = "";

	b->jobs++;
	if (ay_job_parse(&a, text, len, &job, &err) || identify(b, &job, key, sha, &err)) {
		if (err.code)
			complain(b, job.id, err.msg);
		json_decref(job.id);
		ay_arena_release(&a);
		return;
	}
	if (job.timeout_s > b->longest_s)
		b->longest_s = job.timeout_s;
	p = ay_xrealloc(NULL, sizeof *p);
	*p = (struct bulk_pending){ .id = job.id, .len = len, .next = b->list };
	memcpy(p->key, key, sizeof key);
	memcpy(p->sha256, sha, sizeof sha);
	p->text = ay_xrealloc(NULL, len + 1);
	memcpy(p->text, text, len);
	ay_arena_release(&a);
	b->list = p;
	if (answer_known(b, p))
		drop(b, p);
	else
		b->waiting++;
}

/* Takes whole lines from the buffer while workers need jobs. A line that exceeds the limit is
 * skipped. */
static void take_lines(struct bulk *b)
{
	int room = b->o->jobs * b->device.n * 2 + 2;

	while (b->waiting < room) {
		const char *from = ay_str_text(&b->in) + b->at, *end = memchr(from, '\n', b->in.len - b->at);
		size_t len = end ? (size_t)(end - from) : b->in.len - b->at;

		if (!end && !(b->eof && len) && len <= AY_JOB_MAX)
			break;
		b->line++;
		if (b->skipping)
			b->skipping = !end;
		else if (!end && len > AY_JOB_MAX) {
			complain(b, NULL, "the line is longer than 8 MiB");
			b->skipping = true;
		} else if (len && strspn(from, " \t\r") < len)
			take_line(b, from, len);
		b->at += len + (end != NULL);
	}
	if (b->at > b->in.len / 2 && b->at) {
		memmove(b->in.s, b->in.s + b->at, b->in.len - b->at + 1);
		b->in.len -= b->at;
		b->at = 0;
	}
}

static int read_some(struct bulk *b)
{
	char buf[65536];
	ssize_t n = read(0, buf, sizeof buf);

	if (n > 0)
		ay_str_addn(&b->in, buf, (size_t)n);
	else if (n == 0)
		b->eof = true;
	else if (errno != EINTR && errno != EAGAIN)
		return ay_fail_errno(b->err, AY_ERR_IO, "cannot read the jobs");
	return 0;
}

/* --- the loop --------------------------------------------------------------------------------- */

/* Returns the oldest waiting job without an equal one in flight. */
static struct bulk_pending *next_job(struct bulk *b)
{
	struct bulk_pending *oldest = NULL;

	for (struct bulk_pending *p = b->list; p; p = p->next)
		if (!p->given && (b->o->fresh || !in_flight(b, p->key)))
			oldest = p;
	return oldest;
}

static int feed(struct bulk *b)
{
	struct bulk_pending *p;

	while (ay_worker_pool_idle(b->pool) && (p = next_job(b))) {
		b->waiting--;
		if (answer_known(b, p)) { /* an equal job has just finished */
			drop(b, p);
			continue;
		}
		p->given = true;
		if (ay_worker_pool_submit(b->pool, p, p->text, p->len, b->err))
			return -1;
	}
	return 0;
}

static int loop(struct bulk *b)
{
	struct ay_worker_pool_events ev = { b, on_message, on_done, on_lost, on_back };

	while (!b->eof || b->list || b->at < b->in.len) {
		bool hungry;
		int rc;

		take_lines(b);
		if (b->err->code || feed(b))
			return -1;
		if (!ay_worker_pool_size(b->pool))
			return device_none_left(&b->device, b->err);
		hungry = !b->eof && b->waiting < b->o->jobs * b->device.n;
		if (!ay_worker_pool_busy(b->pool) && !hungry)
			continue;
		rc = ay_worker_pool_wait(b->pool, hungry ? 0 : -1, b->device.cuda ? 1000 : -1, &ev, b->err);
		if (rc < 0 || (rc == 1 && read_some(b)) || device_watch(&b->device, b->pool, b->longest_s, 0, &ev))
			return -1;
	}
	return b->err->code ? -1 : 0;
}

static int open_run(struct bulk *b)
{
	struct ay_run_found found;
	json_t *h = json_pack("{s:s,s:s,s:s,s:s}", "command", "check", "suite", "jobs", "backend", "bulk", "assay",
			      b->app->version);
	int rc = b->o->resume ? ay_run_resume(b->o->resume, NULL, &b->run, &found, b->err)
			      : ay_run_create(b->o->out, h, &b->run, b->err);

	json_decref(h);
	return rc;
}

/* Prints the summary line and returns the exit status. Errors also set the status, for callers that
 * do not read the records. */
static int sum_up(struct bulk *b, int64_t begin)
{
	json_t *s = json_pack("{s:s,s:I,s:I,s:I,s:I,s:f,s:o}", "type", "summary", "jobs", b->jobs, "passed",
			      b->passed, "errors", b->errors, "from_store", b->from_store, "wall_s",
			      (double)(ay_now_ns() - begin) / 1e9, "run", ay_json_name(ay_run_dir(b->run)));
	const int rc = output_line(s, b->err);

	json_decref(s);
	/* all jobs are answered, so this is no failure: see output.h */
	if (rc && output_is_unread())
		ay_err_clear(b->err);
	if (!rc && b->errors)
		ay_fail(b->err, AY_ERR_USAGE, "%lld of the jobs could not be judged: their error records say why",
			(long long)b->errors);
	return rc || b->errors ? EXIT_FAILED : EXIT_PASSED;
}

int bulk_run(struct app *app, const struct bulk_options *o, struct ay_err *err)
{
	struct bulk b = {
		.app = app, .o = o, .err = err, .policy = o->policy, .device = o->device, .longest_s = o->timeout_s
	};
	int64_t begin = ay_now_ns();
	struct ay_err end = { 0 };
	int status = EXIT_FAILED;

	b.policy.sandbox = NULL;
	b.sandbox = ay_sandbox_text(o->policy.sandbox, app->arena);
	if (!ay_forge_init(&b.forge, o->cache, err) &&
	    !ay_worker_pool_start_groups(&b.pool, o->device.n, o->jobs, bulk_work, &b, err) && !open_run(&b)) {
		interrupt_say_resume("check -", ay_run_dir(b.run));
		if (!loop(&b)) {
			status = sum_up(&b, begin);
		} else {
			ay_err_prefix(err, "what is known is answered from %s, with --resume-from",
				      ay_run_dir(b.run));
		}
		if (ay_run_close(b.run, &end) && !err->code)
			*err = end;
		interrupt_say(2, NULL);
	}
	while (b.list)
		drop(&b, b.list);
	ay_worker_pool_stop(b.pool);
	ay_str_release(&b.in);
	ay_forge_release(&b.forge);
	return status;
}
