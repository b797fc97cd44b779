/* SPDX-License-Identifier: Apache-2.0
 *
 * llm_work - judges one kernel from a model, in a worker. The job is a line of JSON (problem,
 * attempt, file, known) and after it the source as it came.
 */
#include "llm_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A worker's view of its job. */
struct llm_worker {
	struct llm *m;
	struct ay_worker_out *out;
	struct llm_problem *problem;
	const char *attempt;
	const json_t *known; /* object: case id -> verdict */
};

static void send_record(struct llm_worker *b, json_t *rec)
{
	char *text;

	json_object_set_new(rec, ay_field_name(AY_FIELD_ATTEMPT), json_string(b->attempt));
	json_object_set_new(rec, ay_field_name(AY_FIELD_PROBLEM), json_string(b->problem->name));
	text = json_dumps(rec, JSON_COMPACT);
	if (!text)
		AY_BUG("a record could not be written");
	ay_worker_send(b->out, text, strlen(text));
	ay_xfree(text);
	json_decref(rec);
}

static void send_error(struct llm_worker *b, const char *msg)
{
	json_t *rec = json_object();

	json_object_set_new(rec, "type", json_string(AY_RECORD_ERROR));
	json_object_set_new(rec, "id", json_string(b->attempt));
	json_object_set_new(rec, "error", ay_json_text(msg, strlen(msg), 2000));
	send_record(b, rec);
}

static bool on_known(void *user, const struct ay_suite_case *sc, struct ay_report *rep)
{
	return eval_known(((struct llm_worker *)user)->known, sc, rep);
}

static int on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		     const struct ay_report *rep)
{
	struct llm_worker *b = user;
	struct ay_str line = { 0 };
	json_t *rec;

	(void)t;
	if (!rep->line) /* known before, so it is recorded already */
		return 0;
	if (device_judged(&b->m->e->o.device))
		return -1;
	rec = record_case(&b->m->e->facts, sc, rep);
	ay_case_print(&line, sc->line);
	json_object_set_new(rec, ay_field_name(AY_FIELD_CASE), json_string(ay_str_text(&line)));
	ay_str_release(&line);
	send_record(b, rec);
	return 0;
}

static void on_built(void *user, const struct ay_task_result *r)
{
	struct record_facts *f = &((struct llm_worker *)user)->m->e->facts;

	snprintf(f->kernel_sha256, sizeof f->kernel_sha256, "%s", r->built.sha256);
	f->operator_name = r->op->name;
}

/* Adds whether the kernel is solved, that is, every overload with cases passes. Names the overloads
 * without a function. */
static void add_solved(const struct llm_worker *b, const struct ay_task_result *r, json_t *rec)
{
	const struct ay_suite *s = &b->problem->suite;
	json_t *missing = json_array(), *seen = json_object();
	bool solved = r->verdict == AY_VERDICT_PASS;

	for (int i = 0; i < s->n; i++) {
		struct ay_str name = { 0 };
		const struct ay_tally *t = NULL;

		for (int k = 0; k < r->ntally && !t; k++)
			if (r->tally[k].schema == s->c[i].schema)
				t = &r->tally[k];
		solved &= t && t->verdict == AY_VERDICT_PASS;
		ay_schema_name(&name, s->c[i].schema);
		if (!t && !json_object_get(seen, ay_str_text(&name)))
			json_array_append_new(missing, json_string(ay_str_text(&name)));
		json_object_set_new(seen, ay_str_text(&name), json_true());
		ay_str_release(&name);
	}
	json_object_set_new(rec, "solved", json_boolean(solved));
	if (r->ntally && json_array_size(missing))
		json_object_set(rec, "without_function", missing);
	json_decref(missing);
	json_decref(seen);
}

/* Returns the detail for a file that has none of the problem's overloads. */
static const char *name_asked(const struct llm_worker *b, struct ay_arena *a)
{
	const struct ay_suite *s = &b->problem->suite;
	struct ay_str text = { 0 };
	const char *kept;

	ay_str_add(&text, "the file has functions, but none for ");
	for (int i = 0; i < s->n; i++) {
		int k = 0;

		while (k < i && s->c[k].schema != s->c[i].schema)
			k++;
		if (k < i)
			continue;
		ay_str_add(&text, i ? ", " : "");
		ay_schema_name(&text, s->c[i].schema);
	}
	kept = ay_strdup(a, ay_str_text(&text));
	ay_str_release(&text);
	return kept;
}

/* Returns true if the file has functions but none for the problem. That is a bad answer, not a
 * failure of assay. */
static bool is_beside(const struct ay_task_result *r, const struct ay_err *err)
{
	return err->code == AY_ERR_USAGE && r->built.ok && !r->ntally;
}

static void judge(struct llm_worker *b, const char *file, const char *source, size_t len)
{
	struct llm *m = b->m;
	struct eval *e = m->e;
	struct ay_task_watch w = { .user = b, .built = on_built, .judged = on_judged, .known = on_known };
	struct ay_task t = { .file = file,
			     .lang = m->forge_lang,
			     .source = source,
			     .len = len,
			     .op = b->problem->op,
			     .suite = &b->problem->suite,
			     .policy = e->policy,
			     .timing = e->timing,
			     .build_timeout_s = 120,
			     .total_timeout_s = e->o.timeout };
	struct ay_task_result r = { .built.fd = -1 };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	int rc;

	if (t.build_timeout_s > e->o.timeout)
		t.build_timeout_s = e->o.timeout;
	e->facts.file = file;
	e->facts.device = NULL;
	rc = device_choose(&e->o.device, &t, &a, &err);
	if (!rc) {
		e->facts.device = device_text(&e->o.device, t.policy.device, &a);
		rc = ay_task_run(e->app->registry, &e->forge, &t, &w, &a, &r, &err);
	}
	if (rc && is_beside(&r, &err)) {
		r.verdict = AY_VERDICT_LOAD;
		r.detail = name_asked(b, &a);
		rc = 0;
	}
	if (rc && device_is_lost(&e->o.device, &err)) {
		ay_worker_fail_group(b->out, err.msg);
	} else if (rc) {
		send_error(b, err.msg);
	} else {
		json_t *rec = record_kernel(&e->facts, &r, AY_RECORD_KERNEL);

		add_solved(b, &r, rec);
		send_record(b, rec);
	}
	if (r.built.fd >= 0)
		close(r.built.fd);
	ay_arena_release(&a);
}

/* Judges a solved kernel on held-out cases. */
static void judge_held(struct llm_worker *b, const char *file, const char *source, size_t len)
{
	struct ay_err err = { 0 };
	json_t *rec = llm_judge_held(b->m, b->problem, file, source, len, &err);

	if (rec)
		send_record(b, rec);
	else if (device_is_lost(&b->m->e->o.device, &err))
		ay_worker_fail_group(b->out, err.msg);
	else
		send_error(b, err.msg);
}

void llm_work(void *user, const char *text, size_t len, struct ay_worker_out *out)
{
	struct llm *m = user;
	const char *end = memchr(text, '\n', len);
	json_t *j = end ? json_loadb(text, (size_t)(end - text), 0, NULL) : NULL;
	struct llm_worker b = { .m = m, .out = out, .known = json_object_get(j, "known") };
	struct ay_err err = { 0 };

	if (!j)
		AY_BUG("a job without a head");
	device_take(&m->e->o.device, out->group, m->e->app->fault);
	b.problem = &m->problem[json_integer_value(json_object_get(j, "problem"))];
	b.attempt = json_string_value(json_object_get(j, "attempt"));
	if (ay_worker_sandbox(&m->e->policy, m->e->sandbox, &m->e->forge, &err))
		send_error(&b, err.msg);
	else
		(json_is_true(json_object_get(j, "held_out")) ? judge_held : judge)(
			&b, json_string_value(json_object_get(j, "file")), end + 1,
			len - (size_t)(end + 1 - text));
	json_decref(j);
}
