/* SPDX-License-Identifier: Apache-2.0
 *
 * bulk_work - judges one job of `assay check -`, in a worker.
 */
#include "bulk_internal.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FAILURES_SHOWN = 3, BUILD_S = 120 };

struct failures {
	struct record_facts facts;
	struct device_options *device;
	json_t *list;
};

static int on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		     const struct ay_report *rep)
{
	struct failures *f = user;

	if (device_judged(f->device))
		return -1;
	if (rep->verdict != AY_VERDICT_PASS && rep->verdict != AY_VERDICT_SKIPPED && !t->derived &&
	    json_array_size(f->list) < FAILURES_SHOWN)
		json_array_append_new(f->list, record_case(&f->facts, sc, rep));
	return 0;
}

static void on_built(void *user, const struct ay_task_result *r)
{
	struct failures *f = user;

	snprintf(f->facts.kernel_sha256, sizeof f->facts.kernel_sha256, "%s", r->built.sha256);
	f->facts.operator_name = r->op->name;
}

json_t *bulk_error_record(const char *msg)
{
	json_t *rec = json_object();

	json_object_set_new(rec, "type", json_string("error"));
	json_object_set_new(rec, "error", ay_json_text(msg, strlen(msg), 2000));
	return rec;
}

/* Chooses what is drawn beside the operator's cases: what the job asks for, else the options. */
static int choose_drawing(const struct bulk *b, const struct ay_job *job, struct ay_task *t, struct ay_err *err)
{
	const bool full = job->tier != AY_QUICK;
	struct drawn_options o = b->o->drawn;

	if (job->drawn >= 0)
		o = (struct drawn_options){ .n = job->drawn };
	return drawn_policy(&o, full ? AY_DRAWN_FULL : AY_DRAWN_QUICK, full,
			    b->o->policy.has_seed ? (int64_t)b->o->policy.seed : -1, &t->drawing, err);
}

static int fill_task(struct bulk *b, struct ay_arena *a, const struct ay_job *job, struct ay_task *t,
		     struct ay_err *err)
{
	const struct ay_schema *s;
	bool exact;
	char *text;

	*t = (struct ay_task){ .file = job->path                 ? job->path
				       : job->lang == AY_LANG_PY ? "kernel.py"
								 : "kernel",
			       .lang = job->lang,
			       .source = job->source,
			       .len = job->source_len,
			       .line = job->line,
			       .nline = job->ncase,
			       .tier = job->tier,
			       .policy = b->policy,
			       .build_timeout_s = BUILD_S,
			       .total_timeout_s = job->timeout_s > 0 ? job->timeout_s : b->o->timeout_s };
	if (job->timeout_s > 0 && job->timeout_s < BUILD_S)
		t->build_timeout_s = job->timeout_s;
	if (job->path) {
		if (ay_file_read(a, job->path, SOURCE_MAX, &text, &t->len, err))
			return -1;
		t->source = text;
	}
	if (!job->op && b->o->own->file)
		t->op = b->o->own->ref.op;
	if (job->op && !(t->op = ay_registry_find(b->app->registry, job->op, &s, &exact, err)))
		return -1;
	if (choose_drawing(b, job, t, err))
		return -1;
	if (t->op && t->op == b->o->own->ref.op && !job->ncase) {
		t->line = b->o->own->ref.line;
		t->nline = b->o->own->ref.nline;
	}
	return device_choose(&b->device, t, a, err);
}

/* Judges a job. Returns its record, or NULL if the device is lost; `lost` says why. */
static json_t *judge(struct bulk *b, struct ay_arena *a, const struct ay_job *job, struct ay_err *lost)
{
	struct failures f = { .list = json_array(), .device = &b->device };
	struct ay_task_watch w = { .user = &f, .built = on_built, .judged = on_judged };
	struct ay_task_result r = { .built.fd = -1 };
	struct ay_err err = { 0 };
	struct ay_task t;
	json_t *rec;

	f.facts.version = b->app->version;
	f.facts.sandbox = b->sandbox;
	f.facts.file = job->path;
	f.facts.ref = b->o->own->file;
	if (!fill_task(b, a, job, &t, &err))
		f.facts.device = device_text(&b->device, t.policy.device, a);
	if (err.code || ay_task_run(b->app->registry, &b->forge, &t, &w, a, &r, &err)) {
		json_decref(f.list);
		rec = device_is_lost(&b->device, &err) ? NULL : bulk_error_record(err.msg);
		*lost = err;
	} else {
		rec = record_kernel(&f.facts, &r, "kernel");
		json_object_set_new(rec, "failures", f.list);
	}
	if (r.built.fd >= 0)
		close(r.built.fd);
	return rec;
}

void bulk_work(void *user, const char *text, size_t len, struct ay_worker_out *out)
{
	struct bulk *b = user;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_job job = { 0 };
	json_t *rec;
	char *dump;

	device_take(&b->device, out->group, b->app->fault);
	if (ay_worker_sandbox(&b->policy, b->o->policy.sandbox, &b->forge, &err) ||
	    ay_job_parse(&a, text, len, &job, &err))
		rec = bulk_error_record(err.msg);
	else
		rec = judge(b, &a, &job, &err);
	json_decref(job.id);
	if (rec) {
		dump = json_dumps(rec, JSON_COMPACT);
		if (!dump)
			AY_BUG("a record could not be written");
		ay_worker_send(out, dump, strlen(dump));
		ay_xfree(dump);
	} else {
		ay_worker_fail_group(out, err.msg);
	}
	json_decref(rec);
	ay_arena_release(&a);
}
