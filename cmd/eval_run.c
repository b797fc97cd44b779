/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_run - the loop of eval. Kernels go to idle workers of any device, those with most work
 * first. Records come back and are stored. A kernel whose device was lost returns to the head of
 * the queue and keeps its known results. If an operator of a package has more work than one
 * worker's share, several workers judge it (struct eval_turn).
 */
#include "eval.h"
#include "output.h"
#include "base/file.h"
#include "base/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- records ---------------------------------------------------------------------------------- */

enum { LONG_S = 30 /* after that time at one kernel its name is shown */, ERRORS_SAID = 3 };

/* Returns the turn that has been with a worker for the longest time. */
static const struct eval_turn *find_longest(const struct eval *e)
{
	const struct eval_turn *found = NULL;

	for (int i = 0; i < e->nturn; i++)
		if (e->turn[i].state == EVAL_GIVEN && (!found || e->turn[i].given < found->given))
			found = &e->turn[i];
	return found;
}

static void show_progress(struct eval *e)
{
	const int64_t now = ay_now_ns();
	const double eta = device_eta(e->pool, e->done - e->recalled, e->total - e->done - e->never);
	const struct eval_turn *longest;

	if (e->o.json || now - e->last < (e->tty ? 200000000 : 10000000000))
		return;
	e->last = now;
	longest = find_longest(e);
	fprintf(stderr, "%s  %d of %d cases, %d not passed", e->tty ? "\r" : "", e->done, e->total, e->failures);
	if (eta >= 0)
		fprintf(stderr, ", about %.0f s left", eta);
	if (longest && now - longest->given > LONG_S * 1000000000ll)
		fprintf(stderr, " (%s since %lld s)", longest->job->op->name,
			(long long)((now - longest->given) / 1000000000));
	fprintf(stderr, "%s", e->tty ? " \033[K" : "\n");
}

int eval_keep_progress(struct eval *e, bool last)
{
	json_t *p;
	int rc;

	if (!last && !ay_run_progress_due(e->run))
		return 0;
	p = json_pack("{s:i,s:i,s:i,s:b}", "done", e->done, "total", e->total, "failures", e->failures, "finished",
		      last);
	rc = ay_run_progress(e->run, p, e->err);
	json_decref(p);
	return rc;
}

/* A job's kernel is loaded: replaces the number of cases expected from the file's name by the real
 * number. */
static void take_plan(struct eval *e, struct eval_job *j, int cases)
{
	e->total += cases - j->cases;
	j->cases = cases;
}

/* Prints the first few failures of assay, because the table has no row for them. */
static void say_error(struct eval *e, const json_t *rec)
{
	const char *id = json_string_value(json_object_get(rec, "id")), *text = ay_record_str(rec, AY_FIELD_ERROR);

	if (strcmp(ay_record_str(rec, AY_FIELD_TYPE), AY_RECORD_ERROR) || !text || e->errors_said > ERRORS_SAID)
		return;
	if (e->errors_said++ == ERRORS_SAID)
		fprintf(stderr, "%sassay: more failures are in the records: assay report %s --failures\n",
			e->tty ? "\r\033[K" : "", ay_shown(e->app->arena, ay_run_dir(e->run)));
	else
		fprintf(stderr, "%sassay: %s: %s\n", e->tty ? "\r\033[K" : "",
			id ? ay_shown(e->app->arena, id) : "a kernel", ay_shown(e->app->arena, text));
}

static int on_message(void *user, void *job, const char *data, size_t len)
{
	struct eval *e = user;
	struct eval_job *j = ((struct eval_turn *)job)->job;
	json_t *rec = json_loadb(data, len, 0, NULL);
	const char *type = ay_record_str(rec, AY_FIELD_TYPE);
	int rc;

	if (!rec || !type)
		return ay_fail(e->err, AY_ERR_SYS, "a worker sent what is no record");
	if (!strcmp(type, EVAL_PLAN)) {
		take_plan(e, j, (int)json_integer_value(json_object_get(rec, "cases")));
		json_decref(rec);
		return 0;
	}
	if (!strcmp(type, AY_RECORD_CASE)) {
		e->done++;
		j->seen++;
		e->failures += !eval_is_good(ay_record_verdict(rec));
	} else { /* the record of the kernel, or an error: the last one */
		j->finished = true;
		e->unused += !strcmp(type, AY_RECORD_UNUSED);
	}
	say_error(e, rec);
	json_object_set_new(rec, "suite", ay_json_name(e->o.suite));
	json_object_set_new(rec, "backend", ay_json_name(e->o.backend));
	rc = ay_run_add(e->run, rec, e->err) || eval_keep_progress(e, false) ? -1 : 0;
	if (e->o.json && !rc)
		rc = output_line(rec, e->err);
	json_decref(rec);
	show_progress(e);
	return rc;
}

/* Ends a turn. At the end of a job, its missing cases will not come, for whatever reason. */
static void end_turn(struct eval *e, struct eval_turn *t)
{
	struct eval_job *j = t->job;

	t->state = EVAL_DONE;
	j->parts_done += t->part >= 0;
	if (t->part < 0)
		e->never += j->cases > j->seen ? j->cases - j->seen : 0;
}

/* Stores a record, prints it if requested, and frees it. */
static int add_record(struct eval *e, json_t *rec)
{
	int rc = ay_run_add(e->run, rec, e->err);

	say_error(e, rec);
	if (e->o.json && !rc)
		rc = output_line(rec, e->err);
	json_decref(rec);
	return rc;
}

static const char *job_id(const struct eval_job *j)
{
	return j->file ? j->file : j->op->name;
}

static int on_done(void *user, void *job, const char *died)
{
	struct eval *e = user;
	struct eval_turn *t = job;
	const struct eval_job *j = t->job;
	json_t *rec;

	end_turn(e, t);
	if (!died)
		return 0;
	t->job->broken = true;
	rec = json_object();
	json_object_set_new(rec, "type", json_string(AY_RECORD_ERROR));
	json_object_set_new(rec, "id", ay_json_name(job_id(j)));
	json_object_set_new(rec, "error",
			    json_sprintf("the worker that judged it ended with %s: a failure of ours", died));
	return add_record(e, rec);
}

static int on_lost(void *user, int group, const char *why)
{
	struct eval *e = user;

	return add_record(e, device_lost(&e->o.device, group, why, ay_worker_pool_size(e->pool)));
}

static int on_back(void *user, void *job, int group)
{
	struct eval *e = user;
	struct eval_turn *t = job;
	struct eval_job *j = t->job;
	json_t *rec;

	if (j->finished) {
		end_turn(e, t);
		return 0;
	}
	rec = device_blame(&e->o.device, &j->losses, group, job_id(j), ay_worker_pool_size(e->pool));
	if (rec) {
		end_turn(e, t);
		j->broken = true;
		return add_record(e, rec);
	}
	t->state = EVAL_WAITING;
	if (t->place < e->first)
		e->first = t->place;
	return 0;
}

/* Returns the known verdicts of this kernel's cases, { id: verdict }. They come from the run that
 * is resumed, from before its device was lost, or from the workers that judged its parts. */
static json_t *known_cases(struct eval *e, struct eval_turn *t)
{
	struct eval_job *j = t->job;
	const bool sum = j->parts && t->part < 0, count = e->o.resume && !j->recalled;
	json_t *known = json_object();
	struct ay_str line = { 0 };

	j->recalled = true;
	for (int i = 0; (e->o.resume || j->losses.n || sum) && i < e->suite.n; i++) {
		const struct ay_suite_case *sc = &e->suite.c[i];
		json_t *rec;
		char id[20];

		if (strcmp(sc->op->path, j->op->path))
			continue;
		ay_str_clear(&line);
		ay_case_print(&line, sc->line);
		rec = ay_run_find(e->run, ay_id_case(j->sha256, ay_str_text(&line)), NULL);
		if (!rec)
			continue;
		snprintf(id, sizeof id, "%d", sc->id);
		json_object_set_new(known, id, json_string(ay_record_str(rec, AY_FIELD_VERDICT)));
		json_decref(rec);
		if (count) {
			j->seen++;
			e->done++;
			e->recalled++;
		}
	}
	ay_str_release(&line);
	return known;
}

static bool is_finished(struct eval *e, const struct eval_job *j)
{
	return e->o.resume && ay_run_has(e->run, ay_id_kernel(j->sha256, j->op->name));
}

/* Stores the kernel's source in the run. */
static int keep_kernel(struct eval *e, const struct eval_job *j)
{
	const char *dot = j->source ? strrchr(j->file, '.') : NULL;

	return dot ? ay_run_keep_kernel(e->run, j->sha256, dot + 1, j->source, j->len, e->err) : 0;
}

/* Gives a turn to one of the workers `from` to `to` of a device. */
static int give(struct eval *e, struct eval_turn *t, int from, int to)
{
	json_t *msg = json_object();
	char *text;
	int rc;

	json_object_set_new(msg, "job", json_integer(t->job - e->job));
	json_object_set_new(msg, "part", json_integer(t->part));
	json_object_set_new(msg, "parts", json_integer(t->job->parts));
	json_object_set_new(msg, "timed", json_boolean(t->job->timed));
	json_object_set_new(msg, "known", known_cases(e, t));
	text = json_dumps(msg, JSON_COMPACT);
	t->state = EVAL_GIVEN;
	t->given = ay_now_ns();
	rc = ay_worker_pool_submit_among(e->pool, from, to, t, text, strlen(text), e->err);
	ay_xfree(text);
	json_decref(msg);
	return rc;
}

static double work_of(const struct eval_turn *t)
{
	return t->part >= 0 ? t->job->work / t->job->parts : t->job->parts ? 0 : t->job->work;
}

/* Sorts by work, largest first, because a long turn at the end would make all wait. Equals keep the
 * order of the list. */
static int by_work(const void *a, const void *b)
{
	const struct eval_turn *x = *(struct eval_turn *const *)a, *y = *(struct eval_turn *const *)b;
	const double p = work_of(x), q = work_of(y);

	return p != q ? (p < q ? 1 : -1) : x < y ? -1 : x > y;
}

/* Leaves the timed cases of a job to its last turn. */
static void leave_timed(const struct eval *e, struct eval_job *j)
{
	bool other = false;

	for (int i = 0; i < e->suite.n; i++) {
		const struct ay_suite_case *sc = &e->suite.c[i];

		if (strcmp(sc->op->path, j->op->path) != 0)
			continue;
		j->timed |= sc->timed;
		other |= !sc->timed;
	}
	if (j->timed && other && !j->parts)
		j->parts = 1;
}

/* Splits large jobs into parts. Only operators of a package are split, because each worker with a
 * part of a kernel file would have to build and load the file. */
static void split_jobs(struct eval *e, int workers)
{
	const double much = 0x1p31; /* in bytes; less work is not worth a second worker */
	double all = 0, share;

	for (int i = 0; i < e->njob; i++)
		all += e->job[i].work;
	share = all / (8 * workers);
	share = share > much ? share : much;
	for (int i = 0; i < e->njob; i++) {
		struct eval_job *j = &e->job[i];
		const double most = j->cases / 4, parts = j->work / share < most ? j->work / share : most;

		j->parts = workers > 1 && j->lang >= AY_LANG_ATEN && parts >= 2 ? (int)parts : 0;
		if (e->clocks)
			leave_timed(e, j);
		e->nturn += j->parts + 1;
	}
}

static void make_queue(struct eval *e)
{
	const int workers = ay_worker_pool_size(e->pool);
	struct eval_turn *t;

	split_jobs(e, workers);
	e->turn = t = AY_NEW_N(e->app->arena, struct eval_turn, e->nturn + 1);
	e->queue = AY_NEW_N(e->app->arena, struct eval_turn *, e->nturn + 1);
	for (int i = 0; i < e->njob; i++) {
		struct eval_job *j = &e->job[i];

		for (int part = 0; part < j->parts; part++)
			*t++ = (struct eval_turn){ .job = j, .part = part };
		*t++ = (struct eval_turn){ .job = j, .part = -1 };
	}
	for (int i = 0; i < e->nturn; i++)
		e->queue[i] = &e->turn[i];
	if (workers > 1)
		qsort(e->queue, (size_t)e->nturn, sizeof *e->queue, by_work);
	for (int i = 0; i < e->nturn; i++)
		e->queue[i]->place = i;
	e->first = 0;
}

/* Returns true if the turn needs no work, and notes that. */
static bool is_past(struct eval *e, struct eval_turn *t)
{
	struct eval_job *j = t->job;

	if (is_finished(e, j)) {
		t->state = EVAL_DONE;
		if (t->part < 0) {
			e->done += j->cases;
			e->recalled += j->cases;
		}
	} else if (j->broken && j->parts) {
		end_turn(e, t);
	}
	return t->state == EVAL_DONE;
}

static bool is_for_clock(const struct eval_turn *t)
{
	return t->part < 0 && t->job->timed;
}

/* Returns the first waiting turn without known result, of the timed turns or of the others. Returns
 * NULL if there is none, or if all must wait for parts. */
static struct eval_turn *next_turn(struct eval *e, bool clock)
{
	while (e->first < e->nturn && e->queue[e->first]->state != EVAL_WAITING)
		e->first++;
	for (int i = e->first; i < e->nturn; i++) {
		struct eval_turn *t = e->queue[i];
		const bool early = t->part < 0 && t->job->parts_done < t->job->parts;

		if (t->state == EVAL_WAITING && is_for_clock(t) == clock && !(early && !is_finished(e, t->job)) &&
		    !is_past(e, t))
			return t;
	}
	return NULL;
}

static int count_ticking(const struct eval *e)
{
	int n = 0;

	for (int i = 0; i < e->nturn; i++)
		n += e->turn[i].state == EVAL_GIVEN && is_for_clock(&e->turn[i]);
	return n;
}

/* Gives one turn to a worker. Timed turns come last, when all other work is done and the machine is
 * quiet. Returns 1 if no worker can take a turn now. */
static int give_one(struct eval *e, struct eval_turn *clock, struct eval_turn *other)
{
	const int all = ay_worker_pool_size(e->pool);

	if (other && ay_worker_pool_idle(e->pool))
		return keep_kernel(e, other->job) ? -1 : give(e, other, 0, all);
	if (!clock || other || !ay_worker_pool_idle_among(e->pool, 0, e->clocks) ||
	    ay_worker_pool_busy(e->pool) > count_ticking(e))
		return 1;
	return keep_kernel(e, clock->job) ? -1 : give(e, clock, 0, e->clocks);
}

int eval_run_jobs(struct eval *e)
{
	struct ay_worker_pool_events ev = { e, on_message, on_done, on_lost, on_back };

	make_queue(e);
	for (;;) {
		struct eval_turn *clock = next_turn(e, true), *other = next_turn(e, false);
		int rc;

		if (!clock && !other && !ay_worker_pool_busy(e->pool))
			return 0;
		if (!ay_worker_pool_size(e->pool))
			return device_none_left(&e->o.device, e->err);
		rc = give_one(e, clock, other);
		if (rc > 0)
			rc = ay_worker_pool_wait(e->pool, -1, 200, &ev, e->err) ||
			     device_watch(&e->o.device, e->pool, e->o.timeout, e->o.clock.budget, &ev);
		if (rc)
			return -1;
		show_progress(e);
	}
}
