/* SPDX-License-Identifier: Apache-2.0
 *
 * llm_run - the loop of the command llm.
 *
 * Theory of operation. There are three kinds of processes. The API process (llm/chat.h) has the key
 * and sends the requests. The workers of a pool judge kernels. This process owns the run folder and
 * decides by llm/track.h which attempt is next. The API process is forked first and the key removed
 * from this process, so no worker can have it. Workers are forked next. The run is opened last, so
 * no worker can hold its lock. Only the folder is made before the API process, which writes its own
 * file there (exchanges.jsonl). So an answer is on disk before this process receives it.
 *
 * A resumed run restores its attempts from results.jsonl. Answers without a verdict are read from
 * exchanges.jsonl and judged. Only requests without an answer are sent; those that had been sent
 * before count as lost.
 */
#include "llm_internal.h"
#include "base/file.h"
#include "base/process.h"
#include "interrupt.h"
#include "store/export.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TROUBLE_SHOWN = 60, SILENT_S = 20 };

/* --- progress --------------------------------------------------------------------------------- */

static void show_progress(struct llm *m)
{
	struct eval *e = m->e;
	const int64_t now = ay_now_ns();
	const double s = (double)(now - e->begin) / 1e9;
	const int over = m->track.over, n = m->track.nproblem;

	if (e->o.json || now - e->last < (e->tty ? 200000000 : 10000000000))
		return;
	e->last = now;
	fprintf(stderr, "%s  %d of %d over, %d solved; %d attempts; %d asked, %d judged now", e->tty ? "\r" : "",
		over, n, m->solved, m->attempts, ay_chat_pending(m->chat), ay_worker_pool_busy(m->pool));
	if (!m->unpriced)
		fprintf(stderr, "; $%.3f", m->usd);
	if (ay_chat_held_s(m->chat) > 1)
		fprintf(stderr, "; the server asks to wait %.0f s", ay_chat_held_s(m->chat));
	if (*ay_chat_trouble(m->chat))
		fprintf(stderr, "; %.*s", TROUBLE_SHOWN, ay_chat_trouble(m->chat));
	else if (!m->answers && s > SILENT_S && ay_chat_pending(m->chat))
		fprintf(stderr, "; no answer since %.0f s", s);
	else if (over && ay_chat_held_s(m->chat) <= 1)
		fprintf(stderr, "; about %.0f s left", s / over * (n - over));
	fprintf(stderr, "%s", e->tty ? " \033[K" : "\n");
}

static int keep_progress(struct llm *m, bool last)
{
	json_t *p;
	int rc;

	if (!last && !ay_run_progress_due(m->e->run))
		return 0;
	p = json_pack("{s:i,s:i,s:i,s:i,s:i,s:b}", "done", m->track.over, "total", m->track.nproblem, "solved",
		      m->solved, "attempts", m->attempts, "in_flight", ay_chat_pending(m->chat), "finished", last);
	rc = ay_run_progress(m->e->run, p, m->err);
	json_decref(p);
	return rc;
}

/* --- asking ----------------------------------------------------------------------------------- */

static int keep_prompt(struct llm *m, const struct ay_lane *l, struct ay_arena *a, const char *system,
		       const char *user)
{
	const char *path, *text = ay_sprintf(a, "# system\n\n%s\n\n# user\n\n%s\n", system, user);

	return llm_keep(m, a, "prompt", l, ".txt", text, strlen(text), &path, m->err);
}

/* Sends the lane's request, unless a resumed run has its answer already. */
static int ask(struct llm *m, struct ay_lane *l)
{
	struct llm_problem *p = &m->problem[l->problem];
	struct ay_chat_answer answer;
	struct ay_arena a = { 0 };
	const char *system, *user;
	int rc;

	if (!p->begin)
		p->begin = ay_now_ns();
	if (m->old && ay_transcript_answer(m->old, l->id, &answer))
		return llm_answered(m, l, &answer);
	rc = llm_prompt(m, l, &a, &system, &user, m->err);
	if (!rc)
		rc = keep_prompt(m, l, &a, system, user);
	if (!rc) {
		const struct ay_chat_message message[] = { { "system", system }, { "user", user } };

		rc = ay_chat_ask(m->chat, l->id, 2, message, m->err);
	}
	ay_arena_release(&a);
	return rc;
}

static int take_answers(struct llm *m)
{
	struct ay_chat_answer answer;
	struct ay_arena a = { 0 };
	int rc, got;

	do {
		struct ay_lane *l;

		ay_arena_clear(&a);
		got = ay_chat_next(m->chat, &a, &answer, m->err);
		l = got > 0 ? ay_track_find(&m->track, answer.id) : NULL;
		rc = got < 0 ? -1 : 0;
		if (l && l->state == AY_LANE_ASKED && !strcmp(l->id, answer.id))
			rc = llm_answered(m, l, &answer);
		else if (l) /* it was dropped before its answer came */
			rc = llm_unused(m, l, answer.id, &answer);
	} while (!rc && got > 0);
	ay_arena_release(&a);
	return rc;
}

/* --- judging ---------------------------------------------------------------------------------- */

static int on_message(void *user, void *job, const char *data, size_t len)
{
	struct llm *m = user;
	struct ay_lane *l = job;
	json_t *rec = json_loadb(data, len, 0, NULL);
	int rc;

	if (!rec || !ay_record_str(rec, AY_FIELD_TYPE))
		return ay_fail(m->err, AY_ERR_SYS, "a worker sent what is no record");
	json_object_set_new(rec, "suite", ay_json_name(m->e->o.suite));
	json_object_set_new(rec, "backend", json_string(m->e->o.backend));
	rc = ay_run_add(m->e->run, rec, m->err);
	if (!rc)
		llm_note(l->user, rec);
	json_decref(rec);
	show_progress(m);
	return rc;
}

/* Records that assay failed to judge the lane's attempt. Frees rec. */
static int add_failure(struct llm *m, const struct ay_lane *l, json_t *rec)
{
	int rc;

	llm_note(l->user, rec);
	rc = ay_run_add(m->e->run, rec, m->err);
	json_decref(rec);
	return rc;
}

static int add_death(struct llm *m, const struct ay_lane *l, const char *died)
{
	json_t *rec = json_pack("{s:s, s:s}", "type", AY_RECORD_ERROR, "id", l->id);

	json_object_set_new(rec, "error",
			    json_sprintf("the worker that judged it ended with %s: a failure of ours", died));
	return add_failure(m, l, rec);
}

static int on_done(void *user, void *job, const char *died)
{
	struct llm *m = user;
	struct ay_lane *l = job;

	if (died && add_death(m, l, died))
		return -1;
	return llm_judged(m, l);
}

static int on_lost(void *user, int group, const char *why)
{
	struct llm *m = user;
	json_t *rec = device_lost(&m->e->o.device, group, why, ay_worker_pool_size(m->pool));
	const int rc = ay_run_add(m->e->run, rec, m->err);

	json_decref(rec);
	return rc;
}

static int on_back(void *user, void *job, int group)
{
	struct llm *m = user;
	struct ay_lane *l = job;
	struct llm_try *t = l->user;
	json_t *rec;

	if (t->kernel || t->error) /* the worker had sent its last record */
		return llm_judged(m, l);
	rec = device_blame(&m->e->o.device, &t->losses, group, l->id, ay_worker_pool_size(m->pool));
	if (rec)
		return add_failure(m, l, rec) || llm_judged(m, l) ? -1 : 0;
	t->wall_s += (double)(ay_now_ns() - t->given) / 1e9;
	ay_track_later(&m->track, l);
	return 0;
}

/* Returns the known verdicts of the kernel's cases, { id: verdict }, for the worker. They come
 * from the run that is resumed, or from before the device was lost. Notes those that are not
 * noted yet. */
static json_t *recall_cases(struct llm *m, const struct llm_problem *p, struct llm_try *t)
{
	json_t *known = json_object();
	struct ay_str line = { 0 };

	for (int i = 0; (m->old || t->losses.n) && i < p->suite.n; i++) {
		const struct ay_suite_case *sc = &p->suite.c[i];
		json_t *rec;
		char id[20];

		ay_str_clear(&line);
		ay_case_print(&line, sc->line);
		rec = ay_run_find(m->e->run, ay_id_case(t->sha256, ay_str_text(&line)), NULL);
		if (!rec)
			continue;
		snprintf(id, sizeof id, "%d", sc->id);
		json_object_set_new(known, id, json_string(ay_record_str(rec, AY_FIELD_VERDICT)));
		if (!t->losses.n) {
			t->wall_s += json_number_value(json_object_get(rec, "wall_s"));
			llm_note(t, rec);
		}
		json_decref(rec);
	}
	ay_str_release(&line);
	return known;
}

/* Returns true if the kernel was judged completely and only its attempt's record is missing. */
static bool recall_kernel(struct llm *m, const struct llm_problem *p, struct llm_try *t)
{
	json_t *rec = m->old ? ay_run_find(m->e->run, ay_id_kernel(t->sha256, p->op->name), NULL) : NULL;
	const char *of = rec ? ay_record_str(rec, AY_FIELD_PROBLEM) : NULL;
	const bool found = of && !strcmp(of, p->name);

	if (found)
		llm_note(t, rec);
	json_decref(rec);
	return found;
}

static int give(struct llm *m, struct ay_lane *l)
{
	struct llm_problem *p = &m->problem[l->problem];
	struct llm_try *t = l->user;
	json_t *known = recall_cases(m, p, t), *head;
	struct ay_str job = { 0 };
	int rc;

	if (recall_kernel(m, p, t)) {
		json_decref(known);
		return llm_judged(m, l);
	}
	t->given = ay_now_ns();
	head = json_pack("{s:i, s:s, s:s, s:o}", "problem", l->problem, "attempt", l->id, "file", t->file, "known",
			 known);
	if (!head || json_dump_callback(head, ay_dump_to, &job, JSON_COMPACT))
		AY_BUG("a job could not be written");
	ay_str_addc(&job, '\n');
	ay_str_addn(&job, t->reply.source, t->reply.len);
	rc = ay_worker_pool_submit(m->pool, l, job.s, job.len, m->err);
	json_decref(head);
	ay_str_release(&job);
	return rc;
}

/* Gives kernels to idle workers. A lane waits if another lane with the same source is being
 * judged. */
static int feed(struct llm *m)
{
	struct ay_lane *l, *later = NULL;
	int rc = 0;

	while (!rc && ay_worker_pool_idle(m->pool) && (l = ay_track_judge(&m->track))) {
		const enum llm_twin twin = llm_twin(m, l);

		if (twin == LLM_TWIN_JUDGING) {
			l->next = later;
			later = l;
		} else {
			rc = twin == LLM_TWIN_JUDGED ? llm_same(m, l) : give(m, l);
		}
	}
	while ((l = later)) {
		later = l->next;
		ay_track_later(&m->track, l);
	}
	return rc;
}

/* Sends one request, gives kernels to all idle workers, then waits for events. */
static int step(struct llm *m)
{
	struct ay_worker_pool_events ev = { m, on_message, on_done, on_lost, on_back };
	struct ay_lane *l = ay_track_ask(&m->track);
	int rc = l ? ask(m, l) : 0;

	if (!rc)
		rc = feed(m);
	if (rc || m->track.over == m->track.nproblem)
		return rc;
	if (!ay_worker_pool_size(m->pool))
		return device_none_left(&m->e->o.device, m->err);
	rc = ay_worker_pool_wait(m->pool, ay_chat_fd(m->chat), l ? 0 : 200, &ev, m->err);
	if (rc > 0)
		rc = take_answers(m);
	if (!rc)
		rc = device_watch(&m->e->o.device, m->pool, m->e->o.timeout, m->e->o.clock.budget, &ev);
	show_progress(m);
	return rc || keep_progress(m, false) ? -1 : 0;
}

/* --- the run ---------------------------------------------------------------------------------- */

static json_t *header(const struct llm *m, const char *hash)
{
	json_t *h = eval_header(m->e), *set = llm_settings_json(m);

	json_object_set_new(set, "prompts_sha256", json_string(hash));
	json_object_set_new(h, "llm", set);
	if (m->forge_lang >= AY_LANG_PY)
		torch_record(&m->e->policy, m->e->app->arena, json_object_get(h, "policy"));
	return h;
}

static int add_track(struct llm *m)
{
	json_t *names = json_array(), *rec;
	int rc;

	for (int i = 0; i < m->nproblem; i++)
		json_array_append_new(names, json_string(m->problem[i].name));
	rec = json_pack("{s:s, s:s, s:i, s:i, s:b, s:b, s:s, s:s, s:s, s:o}", "type", AY_RECORD_TRACK, "kind",
			ay_track_kind_name(m->kind), "rounds", m->track.rules.rounds, "workers",
			m->track.rules.workers, "best", m->track.rules.best, "per_overload",
			m->e->llm.per_overload, "server", m->e->llm.server, "model", m->e->llm.model, "lang",
			m->e->llm.lang, "problems", names);
	json_object_set_new(rec, "absent", llm_absent(m));
	rc = ay_run_add(m->e->run, rec, m->err);
	json_decref(rec);
	return rc;
}

/* Adds a record for each lost request, and notes in the transcript that it is settled. */
static int add_lost(struct llm *m)
{
	const char *const *ids;
	const int n = ay_transcript_lost(m->old, &ids), fd = n ? ay_transcript_open(m->dir, m->err) : -1;
	int rc = n && fd < 0 ? -1 : 0;

	for (int i = 0; i < n && !rc; i++) {
		json_t *rec = json_pack("{s:s, s:s}", "type", AY_RECORD_LOST, "attempt", ids[i]);
		json_t *line = ay_transcript_entry("dropped", ids[i]);

		json_object_set_new(line, "why", json_string("lost: it was in flight when the run was killed"));
		rc = ay_run_add(m->e->run, rec, m->err) || ay_transcript_add(fd, line, m->err);
		json_decref(rec);
		json_decref(line);
	}
	if (fd >= 0)
		close(fd);
	if (n && !rc && !m->e->o.json)
		fprintf(stderr,
			"%d requests were in flight when the run was killed: they are lost, and asked again\n", n);
	return rc;
}

static int resume(struct llm *m, const json_t *h)
{
	struct ay_run_found found = { 0 };
	struct ay_str b = { 0 };

	if (ay_run_resume(m->dir, h, &m->e->run, &found, m->err) || ay_transcript_read(&m->old, m->dir, m->err))
		return -1;
	if (!m->e->o.json) {
		ay_run_found_print(&b, &found);
		fprintf(stderr, "resuming %s: %s; %d answers\n", ay_shown(m->e->app->arena, m->dir),
			ay_str_text(&b), ay_transcript_answered(m->old));
		ay_str_release(&b);
	}
	/* "suite" and "track" are the first two records; the run may have been killed before
	 * them */
	if ((found.records < 1 && eval_add_suite(m->e)) || (found.records < 2 && add_track(m)))
		return -1;
	return llm_recall(m) || add_lost(m) ? -1 : 0;
}

/* Opens the folder, the API process, the workers and the run, in this order (see above). */
static int open_all(struct llm *m)
{
	const struct llm_options *o = &m->e->llm;
	struct ay_chat_spec spec = { .server = m->server,
				     .model = o->model,
				     .temperature = o->temperature,
				     .max_tokens = o->max_tokens,
				     .in_flight = (int)o->in_flight,
				     .timeout_s = o->request_timeout,
				     .replay = o->replay };
	char hash[65];
	json_t *h, *name;
	int rc;

	if (ay_prompt_hash(o->prompts, hash, m->err))
		return -1;
	if (m->prompts_then && strcmp(m->prompts_then, hash))
		fprintf(stderr, "assay: the templates of prompts are not those that the run began with\n");
	h = header(m, hash);
	name = json_copy(h);
	/* so that the folder's name has the model */
	json_object_set_new(name, "backend", json_string(o->model));
	m->dir = m->e->o.resume;
	rc = m->dir ? 0 : ay_run_folder(m->e->o.out, name, m->e->app->arena, &m->dir, m->err);
	json_decref(name);
	if (!rc && !m->e->o.resume &&
	    ay_file_exists(ay_sprintf(m->e->app->arena, "%s/" AY_TRANSCRIPT_FILE, m->dir)))
		rc = ay_fail(m->err, AY_ERR_USAGE,
			     "'%s' holds %s of a run that never began: remove it, or choose another folder",
			     m->dir, AY_TRANSCRIPT_FILE);
	m->made = !rc && !m->e->o.resume;
	spec.dir = m->dir;
	if (!rc)
		rc = ay_chat_open(&m->chat, &spec, m->err) ||
		     ay_worker_pool_start_groups(&m->pool, m->e->o.device.n, (int)m->e->o.jobs, llm_work, m,
						 m->err);
	if (!rc)
		rc = m->e->o.resume ? resume(m, h)
				    : ay_run_create(m->dir, h, &m->e->run, m->err) || eval_add_suite(m->e) ||
					      add_track(m);
	json_decref(h);
	return rc ? -1 : 0;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Writes the solved kernels to solved/, which `assay eval --kernels` can judge again. */
static int keep_solved(struct llm *m)
{
	const char *end = ay_prompt_lang_end(m->lang);
	int rc = 0;

	for (int i = 0; i < m->nproblem && !rc; i++) {
		const struct ay_problem *p = &m->track.problem[i];
		struct ay_arena a = { 0 };
		char *text;
		size_t len;

		if (p->solved) {
			rc = ay_file_mkdirs(ay_sprintf(&a, "%s/solved", m->dir), m->err) ||
			     ay_file_read(&a, ay_sprintf(&a, "%s/kernels/%s%s", m->dir, p->sha256, end),
					  SOURCE_MAX, &text, &len, m->err) ||
			     ay_file_write(ay_sprintf(&a, "%s/solved/%s%s", m->dir, m->problem[i].file, end), text,
					   len, m->err);
		}
		ay_arena_release(&a);
	}
	return rc ? -1 : 0;
}

static void print_end(struct llm *m, const struct ay_gen *g, const struct ay_summary *s)
{
	const double wall = (double)(ay_now_ns() - m->e->begin) / 1e9;
	const char *dir = ay_shown(m->e->app->arena, m->dir);
	struct ay_str b = { 0 };

	if (m->e->o.json) {
		json_t *j = json_pack("{s:s, s:o, s:i, s:i, s:i, s:I, s:I, s:I, s:o, s:i, s:f}", "type", "summary",
				      "run", ay_json_name(m->dir), "problems", g->of, "not_in_catalogue",
				      ay_gen_absent(g, NULL), "solved", g->solved, "attempts",
				      (json_int_t)g->attempts, "tokens_in", (json_int_t)g->tokens_in, "tokens_out",
				      (json_int_t)g->tokens_out, "usd",
				      g->unpriced ? json_null() : json_real(g->usd), "lost",
				      (int)json_array_size(g->lost), "wall_s", wall);

		ay_json_line(stdout, j);
		json_decref(j);
		return;
	}
	eval_print_table(s);
	ay_gen_print(&b, g, s);
	if (g->errors)
		ay_str_addf(&b,
			    "%lld failures of ours, which are no verdicts: assay llm --resume-from %s judges "
			    "those again\n",
			    (long long)g->errors, dir);
	printf("%s%.2f s; everything is in %s, the scores in %s/pass_at_k_results.json, the kernels that pass in "
	       "%s/solved\n",
	       ay_str_text(&b), wall, dir, dir, dir);
	ay_str_release(&b);
}

/* Returns the exit status. A complete run succeeds unless the user has set a threshold. */
static int status_of(const struct llm *m, const struct ay_gen *g, const struct ay_summary *s)
{
	const bool few = m->e->o.min_pass >= 0 && 100.0 * g->solved < m->e->o.min_pass * g->of;

	return few || (m->e->o.require_all && s->operators.missing) ? EXIT_NOT_PASSED : EXIT_PASSED;
}

static int sum_up(struct llm *m)
{
	int status = EXIT_FAILED;
	struct ay_summary s = { 0 };
	struct ay_gen g = { 0 };
	int rc = keep_solved(m) || ay_summary_read(m->dir, &s, m->err) || ay_export(m->dir, &s, m->err) ||
		 ay_gen_read(m->dir, &g, m->err) || ay_gen_export(m->dir, &g, &s, m->err);

	if (!rc) {
		print_end(m, &g, &s);
		status = status_of(m, &g, &s);
	}
	ay_gen_release(&g);
	ay_summary_release(&s);
	return status;
}

/* Fails if no request was ever answered: there is nothing to sum up then. */
static int check_answers(struct llm *m)
{
	if (!m->failure || m->answers || (m->old && ay_transcript_answered(m->old)))
		return 0;
	return ay_fail(m->err, AY_ERR_SYS, "no request was answered: %s", m->failure);
}

static int generate(struct llm *m)
{
	struct ay_err end = { 0 };
	int status = EXIT_FAILED, rc = open_all(m);

	if (!rc) {
		interrupt_say_resume("llm", m->dir);
		while (!rc && m->track.over < m->track.nproblem)
			rc = step(m);
		if (m->e->tty)
			fprintf(stderr, "\r\033[K");
		if (!rc)
			rc = check_answers(m) || llm_score_held(m) ? -1 : 0;
		if (!rc && !keep_progress(m, true))
			status = sum_up(m);
		else if (m->answers || m->e->o.resume)
			ay_err_prefix(m->err, "go on with: assay llm --resume-from %s", m->dir);
	}
	if (m->e->run && ay_run_close(m->e->run, &end) && !m->err->code)
		*m->err = end;
	interrupt_say(2, NULL);
	ay_chat_close(m->chat);
	ay_worker_pool_stop(m->pool);
	if (status == EXIT_FAILED)
		llm_discard(m);
	return status;
}

int llm_run(struct eval *e, struct ay_err *err)
{
	struct llm m = { .e = e, .err = err, .last = json_object() };
	int status = EXIT_FAILED;

	if (!llm_settings(&m, err) && !llm_make_problems(&m, err)) {
		const struct ay_track_rules rules = { .rounds = (int)e->llm.rounds,
						      .workers = (int)e->llm.agent_workers,
						      .samples = m.kind == AY_TRACK_SAMPLES,
						      .best = e->llm.best };
		const char **names = AY_NEW_N(e->app->arena, const char *, m.nproblem + 1);

		for (int i = 0; i < m.nproblem; i++)
			names[i] = m.problem[i].name;
		ay_track_init(&m.track, &rules, m.nproblem, names);
		if (e->o.list)
			llm_print_list(&m), status = EXIT_PASSED;
		else if (e->llm.print_prompt)
			status = llm_print_prompts(&m);
		else if (!eval_guard(e, err))
			status = generate(&m);
		llm_release_tries(&m);
		ay_track_release(&m.track);
	}
	if (m.old)
		ay_transcript_free(m.old);
	json_decref(m.last);
	json_decref(m.recalled);
	json_decref(m.chosen);
	llm_release_problems(&m);
	return status;
}
