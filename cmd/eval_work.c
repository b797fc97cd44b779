/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_work - eval in a worker: judges one kernel file, or one operator of the reference. Sends a
 * record for every case and one for the kernel.
 */
#include "eval.h"
#include "base/file.h"
#include "base/process.h"
#include "judge/reference.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A worker's view of its job. */
struct eval_worker {
	struct eval *e;
	struct ay_worker_out *out;
	const struct eval_job *job;
	int part, parts;     /* which part of its cases, and of how many; -1: all */
	bool timed_last;     /* timed cases belong to no part */
	const json_t *known; /* object: case id -> verdict */
};

static void send_record(struct ay_worker_out *out, json_t *rec)
{
	char *text = json_dumps(rec, JSON_COMPACT);

	if (!text)
		AY_BUG("a record could not be written");
	ay_worker_send(out, text, strlen(text));
	ay_xfree(text);
	json_decref(rec);
}

static void send_words(struct eval_worker *b, const char *type, const char *msg)
{
	json_t *rec = json_object();

	json_object_set_new(rec, "type", json_string(type));
	json_object_set_new(rec, "id", ay_json_name(b->job->file ? b->job->file : b->job->op->name));
	json_object_set_new(rec, "error", ay_json_text(msg, strlen(msg), 2000));
	send_record(b->out, rec);
}

static void send_error(struct eval_worker *b, const char *msg)
{
	send_words(b, AY_RECORD_ERROR, msg);
}

/* Reports a failure of assay. If the device is lost, reports that instead. */
static void send_failure(struct eval_worker *b, struct ay_err *err)
{
	if (device_is_lost(&b->e->o.device, err))
		ay_worker_fail_group(b->out, err->msg);
	else
		send_error(b, err->msg);
}

bool eval_known(const json_t *known, const struct ay_suite_case *sc, struct ay_report *rep)
{
	char id[20];
	const char *v;

	snprintf(id, sizeof id, "%d", sc->id);
	v = json_string_value(json_object_get(known, id));
	if (!v)
		return false;
	*rep = (struct ay_report){ .verdict = ay_verdict_find(v) };
	return true;
}

/* Other workers judge the cases of other parts; here they count as passed. */
static bool on_known(void *user, const struct ay_suite_case *sc, struct ay_report *rep)
{
	const struct eval_worker *b = user;

	if (b->part >= 0 && (sc->id % b->parts != b->part || (b->timed_last && sc->timed))) {
		*rep = (struct ay_report){ .verdict = AY_VERDICT_PASS };
		return true;
	}
	return eval_known(b->known, sc, rep);
}

/* Adds the suite's line without the seed, by which a resumed run finds the record. */
static void set_case(json_t *rec, const struct ay_suite_case *sc)
{
	struct ay_str b = { 0 };

	ay_case_print(&b, sc->line);
	json_object_set_new(rec, "case", json_string(ay_str_text(&b)));
	ay_str_release(&b);
}

static int on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		     const struct ay_report *rep)
{
	struct eval_worker *b = user;
	json_t *rec;

	(void)t;
	if (!rep->line) /* known before, so it is recorded already */
		return 0;
	if (device_judged(&b->e->o.device))
		return -1;
	rec = record_case(&b->e->facts, sc, rep);
	set_case(rec, sc);
	send_record(b->out, rec);
	return 0;
}

/* The number of cases is known now; the remaining time is estimated from it. */
static void on_planned(void *user, int cases)
{
	const struct eval_worker *b = user;

	if (b->part < 0 && !b->parts)
		send_record(b->out, json_pack("{s:s, s:i}", "type", EVAL_PLAN, "cases", cases));
}

static void on_built(void *user, const struct ay_task_result *r)
{
	struct eval_worker *b = user;

	snprintf(b->e->facts.kernel_sha256, sizeof b->e->facts.kernel_sha256, "%s", r->built.sha256);
	b->e->facts.operator_name = r->op->name;
}

static int set_source(const struct eval_job *j, struct ay_task *t, struct ay_err *err)
{
	const bool is_file = j->lang < AY_LANG_ATEN;

	t->source = is_file ? j->source : j->file;
	t->len = is_file ? j->len : strlen(j->file);
	return t->source ? 0 : ay_fail(err, AY_ERR_IO, "%s", j->unread);
}

/* A kernel that does not build or load fails the overload that its file is named after, and no
 * other. */
static json_t *name_overload(const struct eval_job *j, json_t *rec)
{
	struct ay_str name = { 0 };

	if (j->schema) {
		ay_schema_name(&name, j->schema);
		json_object_set_new(rec, ay_field_name(AY_FIELD_OVERLOAD), json_string(ay_str_text(&name)));
		ay_str_release(&name);
	}
	return rec;
}

/* Judges a kernel file, or a package's function for one operator. A package without a function has
 * no kernel there, rather than a bad one. */
static void judge_file(struct eval_worker *b)
{
	struct eval *e = b->e;
	struct ay_task_watch w = {
		.user = b, .built = on_built, .planned = on_planned, .judged = on_judged, .known = on_known
	};
	struct ay_task t = { .file = b->job->file,
			     .lang = b->job->lang,
			     .op = b->job->op,
			     .suite = &e->suite,
			     .policy = e->policy,
			     .timing = e->timing,
			     .build_timeout_s = 120,
			     .total_timeout_s = e->o.timeout };
	struct ay_task_result r = { .built.fd = -1 };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };

	if (b->job->lang == AY_LANG_ATEN) {
		t.policy.spare = &e->spare;
		t.policy.spare_base = &e->spare_base;
		t.policy.spare_aten_oracle = e->spare_aten_oracle;
		t.policy.memory = &e->memory;
		t.timing.kept = &e->kept;
	}

	e->facts.file = b->job->file;
	e->facts.device = NULL;
	if (!device_choose(&e->o.device, &t, &a, &err))
		e->facts.device = device_text(&e->o.device, t.policy.device, &a);
	t.policy.beside_clock = e->policy.cpus && t.policy.device && t.policy.device->info.kind == AY_DEV_CUDA;
	if (err.code || set_source(b->job, &t, &err) ||
	    ay_task_run(e->app->registry, &e->forge, &t, &w, &a, &r, &err))
		r.no_case ? send_words(b, AY_RECORD_UNUSED, err.msg) : send_failure(b, &err);
	else if (b->part < 0 && (!r.empty || t.lang < AY_LANG_ATEN))
		send_record(b->out, name_overload(b->job, record_kernel(&e->facts, &r, AY_RECORD_KERNEL)));
	if (r.built.fd >= 0)
		close(r.built.fd);
	ay_arena_release(&a);
}

/* Judges one operator of the reference. The records have no kernel. */
static void judge_reference(struct eval_worker *b)
{
	struct eval *e = b->e;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_task_result r = { .op = b->job->op, .verdict = AY_VERDICT_NONE };
	int64_t begin = ay_now_ns();

	snprintf(e->facts.kernel_sha256, sizeof e->facts.kernel_sha256, "%s", b->job->sha256);
	snprintf(r.built.sha256, sizeof r.built.sha256, "%s", b->job->sha256);
	e->facts.operator_name = b->job->op->name;
	e->facts.device = device_text(&e->o.device, NULL, e->app->arena);
	r.tally = ay_xrealloc(NULL, sizeof *r.tally * (size_t)(b->job->op->nschema + 1));
	for (int i = 0; i < e->suite.n && !err.code; i++) {
		const struct ay_suite_case *sc = &e->suite.c[i];
		struct ay_report rep;
		struct ay_tally *t;

		if (sc->op != b->job->op)
			continue;
		ay_arena_clear(&a);
		if (!on_known(b, sc, &rep) && ay_reference_case(&e->policy, sc, e->policy.seed, &a, &rep, &err))
			break;
		t = ay_tally_of(&r, sc->schema, false);
		ay_tally_add(&r, t, rep.verdict);
		if (on_judged(b, sc, t, &rep))
			ay_fail(&err, AY_ERR_SYS, "%s was not kept", e->facts.operator_name);
	}
	for (int i = 0; i < r.ntally; i++)
		r.verdict = ay_verdict_merge(r.verdict, r.tally[i].verdict);
	r.wall_s = (double)(ay_now_ns() - begin) / 1e9;
	if (err.code)
		send_failure(b, &err);
	else
		send_record(b->out, record_kernel(&e->facts, &r, AY_RECORD_KERNEL));
	ay_xfree(r.tally);
	ay_arena_release(&a);
}

/* Leaves the last CPUs to kernels that are timed, and to the process that waits for them. */
static void stand_aside(struct eval *e)
{
	cpu_set_t mine = e->all_cpus;
	int leave = e->policy.threads + 1;

	for (int i = CPU_SETSIZE - 1; i >= 0 && leave && CPU_COUNT(&mine) > 1; i--) {
		if (!CPU_ISSET((size_t)i, &mine))
			continue;
		CPU_CLR((size_t)i, &mine);
		leave--;
	}
	sched_setaffinity(0, sizeof mine, &mine);
}

void eval_work(void *user, const char *text, size_t len, struct ay_worker_out *out)
{
	struct eval *e = user;
	json_t *j = json_loadb(text, len, 0, NULL);
	struct eval_worker b = { .e = e, .out = out, .known = json_object_get(j, "known") };
	struct ay_err err = { 0 };

	if (e->policy.cpus)
		stand_aside(e);
	device_take(&e->o.device, out->group, e->app->fault);
	b.job = &e->job[json_integer_value(json_object_get(j, "job"))];
	b.part = (int)json_integer_value(json_object_get(j, "part"));
	b.parts = (int)json_integer_value(json_object_get(j, "parts"));
	b.timed_last = json_is_true(json_object_get(j, "timed"));
	if (b.job->file && ay_worker_sandbox(&e->policy, e->sandbox, &e->forge, &err))
		send_error(&b, err.msg);
	else if (b.job->file)
		judge_file(&b);
	else
		judge_reference(&b);
	json_decref(j);
}
