/* SPDX-License-Identifier: Apache-2.0
 *
 * llm_held - held-out cases: when a generation run is over, every solved kernel is judged on drawn cases
 * (op/drawn.h) that no prompt has shown and no attempt was judged by. A kernel that is right on these
 * too is not fitted to the cases that the model has seen.
 *
 * The run's score does not change. A record of type "held_out" has the outcome of each kernel.
 */
#include "llm_internal.h"
#include "base/file.h"
#include "base/process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FAILURES_KEPT = 3 };

int llm_draw_held(struct llm *m, struct ay_err *err)
{
	struct eval *e = m->e;
	const struct ay_registry *r = e->app->registry;

	if (!m->held.n)
		return 0;
	m->held.seed = ay_secret_below(1000000000);
	m->held.dtypes = e->dtypes;
	for (int i = 0; i < m->nproblem; i++) {
		struct llm_problem *p = &m->problem[i];
		struct ay_suite all = { 0 };

		for (int k = 0; k < r->n; k++)
			if (!strcmp(r->op[k].path, p->op->path) &&
			    ay_suite_add_drawn(&all, e->app->arena, r, &r->op[k], &m->held, err)) {
				ay_suite_release(&all);
				return -1;
			}
		for (int k = 0; k < all.n; k++)
			if (all.c[k].op == p->op && (!p->only || p->only == all.c[k].schema)) {
				all.c[k].id = p->held.n;
				ay_suite_push(&p->held, &all.c[k]);
			}
		ay_suite_release(&all);
	}
	return 0;
}

/* --- in a worker ------------------------------------------------------------------------------ */

/* The outcome of one kernel. */
struct held_outcome {
	struct llm *m;
	int cases, bad;
	json_t *failures; /* the first lines that did not pass */
};

static int on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		     const struct ay_report *rep)
{
	struct held_outcome *h = user;

	(void)sc, (void)t;
	h->cases++;
	if (rep->verdict >= AY_VERDICT_WEAK_CASE)
		return device_judged(&h->m->e->o.device);
	h->bad++;
	if (json_array_size(h->failures) < FAILURES_KEPT)
		json_array_append_new(h->failures,
				      json_pack("{s:s, s:s}", "verdict", ay_verdict_name(rep->verdict), "line",
						rep->line ? rep->line : ""));
	return device_judged(&h->m->e->o.device);
}

json_t *llm_judge_held(struct llm *m, const struct llm_problem *p, const char *file, const char *source,
		       size_t len, struct ay_err *err)
{
	struct eval *e = m->e;
	struct held_outcome h = { .m = m, .failures = json_array() };
	struct ay_task_watch w = { .user = &h, .judged = on_judged };
	struct ay_task t = { .file = file,
			     .lang = m->forge_lang,
			     .source = source,
			     .len = len,
			     .op = p->op,
			     .suite = &p->held,
			     .policy = e->policy,
			     .build_timeout_s = e->o.timeout < 120 ? e->o.timeout : 120,
			     .total_timeout_s = e->o.timeout };
	struct ay_task_result r = { .built.fd = -1 };
	struct ay_arena a = { 0 };
	json_t *rec = NULL;

	if (!device_choose(&e->o.device, &t, &a, err) &&
	    !ay_task_run(e->app->registry, &e->forge, &t, &w, &a, &r, err)) {
		rec = json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:O}", "type", AY_RECORD_HELD, "verdict",
				ay_verdict_name(r.verdict), "kernel_sha256", r.built.sha256, "cases", h.cases,
				"not_passed", h.bad, "seed", (json_int_t)m->held.seed, "failures", h.failures);
	}
	if (r.built.fd >= 0)
		close(r.built.fd);
	json_decref(h.failures);
	ay_arena_release(&a);
	return rec;
}

/* --- in the run's process --------------------------------------------------------------------- */

/* The problem whose kernel a worker judges, and how often its device was lost. */
struct order {
	int problem;
	bool given, done;
	struct device_losses losses;
};

struct round {
	struct llm *m;
	struct order *order;
	int n, done;
};

static int end_order(struct round *r, struct order *o)
{
	r->done += !o->done;
	o->done = true;
	return 0;
}

static int on_message(void *user, void *job, const char *data, size_t len)
{
	struct round *r = user;
	json_t *rec = json_loadb(data, len, 0, NULL);
	int rc;

	(void)job;
	if (!rec || !ay_record_str(rec, AY_FIELD_TYPE))
		return ay_fail(r->m->err, AY_ERR_SYS, "a worker sent what is no record");
	rc = ay_run_add(r->m->e->run, rec, r->m->err);
	json_decref(rec);
	return rc;
}

static int add_error(struct round *r, const struct order *o, const char *text)
{
	json_t *rec = json_pack("{s:s, s:s, s:s}", "type", AY_RECORD_ERROR, "id", r->m->problem[o->problem].name,
				"error", text);
	const int rc = ay_run_add(r->m->e->run, rec, r->m->err);

	json_decref(rec);
	return rc;
}

static int on_done(void *user, void *job, const char *died)
{
	struct round *r = user;

	if (died && add_error(r, job, "the worker that judged the held-out cases died: a failure of ours"))
		return -1;
	return end_order(r, job);
}

static int on_lost(void *user, int group, const char *why)
{
	struct round *r = user;
	json_t *rec = device_lost(&r->m->e->o.device, group, why, ay_worker_pool_size(r->m->pool));
	const int rc = ay_run_add(r->m->e->run, rec, r->m->err);

	json_decref(rec);
	return rc;
}

/* A lost device: the kernel is judged again, unless it is to blame. */
static int on_back(void *user, void *job, int group)
{
	struct round *r = user;
	struct order *o = job;
	json_t *rec = device_blame(&r->m->e->o.device, &o->losses, group, r->m->problem[o->problem].name,
				   ay_worker_pool_size(r->m->pool));
	int rc = 0;

	o->given = false;
	if (!rec)
		return 0;
	rc = ay_run_add(r->m->e->run, rec, r->m->err);
	json_decref(rec);
	return rc ? rc : end_order(r, o);
}

static int give(struct round *r, struct order *o)
{
	struct llm *m = r->m;
	const struct ay_problem *p = &m->track.problem[o->problem];
	const char *end = ay_prompt_lang_end(m->lang);
	struct ay_arena a = { 0 };
	struct ay_str job = { 0 };
	json_t *head;
	char *text;
	size_t len;
	int rc = ay_file_read(&a, ay_sprintf(&a, "%s/kernels/%s%s", m->dir, p->sha256, end), SOURCE_MAX, &text,
			      &len, m->err);

	if (!rc) {
		head = json_pack("{s:i, s:s, s:s, s:b}", "problem", o->problem, "attempt", p->chosen, "file",
				 ay_sprintf(&a, "%s%s", m->problem[o->problem].file, end), "held_out", true);
		if (!head || json_dump_callback(head, ay_dump_to, &job, JSON_COMPACT))
			AY_BUG("a job could not be written");
		json_decref(head);
		ay_str_addc(&job, '\n');
		ay_str_addn(&job, text, len);
		o->given = true;
		rc = ay_worker_pool_submit(m->pool, o, job.s, job.len, m->err);
	}
	ay_str_release(&job);
	ay_arena_release(&a);
	return rc;
}

int llm_score_held(struct llm *m)
{
	struct ay_worker_pool_events ev = { NULL, on_message, on_done, on_lost, on_back };
	struct round r = { .m = m, .order = AY_NEW_N(m->e->app->arena, struct order, m->nproblem + 1) };
	int rc = 0;

	for (int i = 0; i < m->nproblem; i++)
		if (m->track.problem[i].solved && m->problem[i].held.n)
			r.order[r.n++].problem = i;
	ev.user = &r;
	if (r.n && !m->e->o.json)
		fprintf(stderr, "judging %d solved kernels on held-out cases\n", r.n);
	while (!rc && r.done < r.n) {
		for (int i = 0; i < r.n && !rc && ay_worker_pool_idle(m->pool); i++)
			if (!r.order[i].given && !r.order[i].done)
				rc = give(&r, &r.order[i]);
		if (!rc && !ay_worker_pool_size(m->pool))
			return device_none_left(&m->e->o.device, m->err);
		if (!rc)
			rc = ay_worker_pool_wait(m->pool, -1, 200, &ev, m->err);
		if (!rc)
			rc = device_watch(&m->e->o.device, m->pool, m->e->o.timeout, m->e->o.clock.budget, &ev);
	}
	return rc < 0 ? -1 : 0;
}
