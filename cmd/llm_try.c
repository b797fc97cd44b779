/* SPDX-License-Identifier: Apache-2.0
 *
 * llm_try - one attempt: its answer, the kernel in it if any, the verdict and the record. Later
 * rounds and a resumed run know only the attempt's record.
 */
#include "llm_internal.h"
#include "output.h"
#include "base/file.h"
#include "base/process.h"
#include "store/timing_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_CUT = 4 << 20, TIMED_KEPT = 8, ERROR_CUT = 2000 };

static const char *const ends[] = { [AY_CHAT_STOP] = "stop",
				    [AY_CHAT_LENGTH] = "length",
				    [AY_CHAT_REFUSED] = "refused",
				    [AY_CHAT_FAILED] = "failed" };

/* --- life ------------------------------------------------------------------------------------- */

static const char *copy(struct ay_arena *a, const char *s)
{
	return s ? ay_strdup(a, s) : NULL;
}

static struct llm_try *new_try(const struct ay_chat_answer *answer)
{
	struct llm_try *t = ay_xrealloc(NULL, sizeof *t);

	*t = (struct llm_try){ .answer = *answer, .timed = json_array() };
	t->answer.id = copy(&t->arena, answer->id);
	t->answer.text = ay_strdup(&t->arena, answer->text ? answer->text : "");
	t->answer.thinking = copy(&t->arena, answer->thinking);
	t->answer.error = copy(&t->arena, answer->error);
	return t;
}

static void free_try(struct llm_try *t)
{
	if (!t)
		return;
	json_decref(t->kernel);
	json_decref(t->worst);
	json_decref(t->timed);
	ay_arena_release(&t->arena);
	ay_xfree(t);
}

void llm_release_tries(struct llm *m)
{
	for (int i = 0; i < m->track.nproblem * m->track.lanes; i++)
		free_try(m->track.lane[i].user);
}

/* --- the record ------------------------------------------------------------------------------- */

static json_t *answer_record(const struct llm *m, const struct ay_lane *l, const char *id,
			     const struct ay_chat_answer *x)
{
	const struct llm_problem *p = &m->problem[l->problem];
	/* taken from the id, because the lane may be in a later round now */
	const char *round = strrchr(id, 'r');
	json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:I, s:I, s:i, s:f}", "type", AY_RECORD_ATTEMPT,
			      "problem", p->name, "operator", p->op->name, "attempt", id, "round",
			      round ? (int)strtol(round + 1, NULL, 10) : l->round, "worker", l->worker, "end",
			      ends[x->end], "tokens_in", (json_int_t)x->tokens_in, "tokens_out",
			      (json_int_t)x->tokens_out, "tries", x->tries, "generate_s", x->wall_s);

	json_object_set_new(j, "usd", x->usd >= 0 ? json_real(x->usd) : json_null());
	if (x->end == AY_CHAT_FAILED && x->error)
		json_object_set_new(j, "failure", ay_json_text(x->error, strlen(x->error), ERROR_CUT));
	return j;
}

static void copy_field(json_t *to, const json_t *from, const char *key)
{
	json_t *v = json_object_get(from, key);

	if (v)
		json_object_set(to, key, v);
}

/* Makes what the next round shows: the worst case, or the whole kernel's failure, or its times. It
 * has no seeds, because the case is the suite's line. */
static json_t *past_json(const struct llm_try *t)
{
	static const char *const of_case[] = { "case", "verdict", "detail", "hint", "out",
					       "at",   "want",    "got",    "bound" };
	json_t *j = json_object();

	for (size_t i = 0; t->worst && i < sizeof of_case / sizeof *of_case; i++)
		copy_field(j, t->worst, of_case[i]);
	if (!t->worst)
		copy_field(j, t->kernel, "detail");
	copy_field(j, t->kernel, "without_function");
	if (json_array_size(t->timed))
		json_object_set(j, "timed", t->timed);
	return j;
}

static void add_verdict(json_t *j, const struct llm_try *t)
{
	const double judged_s = t->given ? (double)(ay_now_ns() - t->given) / 1e9 : 0;

	if (t->error)
		json_object_set_new(j, "error", ay_json_text(t->error, strlen(t->error), ERROR_CUT));
	if (!t->kernel)
		return;
	copy_field(j, t->kernel, "verdict");
	copy_field(j, t->kernel, "solved");
	copy_field(j, t->kernel, "build_s");
	json_object_set_new(j, "judge_s", json_real(judged_s + t->wall_s));
	json_object_set_new(j, "passed", json_integer(t->passed));
	json_object_set_new(j, "cases", json_integer(t->cases));
	if (t->speed.any_lo > 0)
		json_object_set_new(j, "speedup_lo", json_real(t->speed.any_lo));
	if (t->speed.ns > 0)
		json_object_set_new(j, "ns", json_real(t->speed.ns));
	json_object_set_new(j, "past", past_json(t));
}

static int add_record(struct llm *m, json_t *rec)
{
	int rc;

	json_object_set_new(rec, "suite", ay_json_name(m->e->o.suite));
	json_object_set_new(rec, "backend", json_string(m->e->o.backend));
	rc = ay_run_add(m->e->run, rec, m->err);
	if (!rc && m->e->o.json)
		rc = output_line(rec, m->err);
	return rc;
}

/* Returns true if the field has that text. Records read from a file may lack any field. */
static bool is_text(const json_t *rec, const char *key, const char *text)
{
	const char *s = json_string_value(json_object_get(rec, key));

	return s && !strcmp(s, text);
}

/* --- problems that are over ------------------------------------------------------------------- */

static int add_chosen(struct llm *m, int problem)
{
	const struct ay_problem *p = &m->track.problem[problem];
	const struct llm_problem *q = &m->problem[problem];
	const json_t *was = json_object_get(m->chosen, p->name), *of = json_object_get(q->judged, p->sha256);
	json_t *rec;
	int rc;

	m->solved += p->solved;
	if (!p->chosen)
		return 0;
	if (was && !strcmp(ay_record_str(was, AY_FIELD_KERNEL_SHA256), p->sha256) &&
	    is_text(was, "attempt", p->chosen))
		return 0; /* a resumed run has this record already */
	rec = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:i, s:f}", "type", AY_RECORD_CHOSEN, "problem",
			p->name, "operator", q->op->name, "attempt", p->chosen, "kernel_sha256", p->sha256,
			"solved", p->solved, "round", p->round, "worker", p->worker, "wall_s",
			q->begin ? (double)(ay_now_ns() - q->begin) / 1e9 : 0.0);
	copy_field(rec, of, "verdict");
	copy_field(rec, of, "file");
	rc = add_record(m, rec);
	json_decref(rec);
	return rc;
}

/* Ends the lanes that another lane has made unnecessary. Drops their requests, and counts answers
 * that have come. */
static int clear_away(struct llm *m, int problem)
{
	struct ay_lane *l;
	struct ay_chat_answer kept;
	int rc = 0;

	while (!rc && (l = ay_track_stopped(&m->track, problem))) {
		struct llm_try *t = l->user;

		l->user = NULL;
		if (l->was == AY_LANE_ASKED)
			ay_chat_drop(m->chat, l->id);
		else if (t)
			rc = llm_unused(m, l, l->id, &t->answer);
		else if (m->old && ay_transcript_answer(m->old, l->id, &kept))
			rc = llm_unused(m, l, l->id, &kept);
		free_try(t);
	}
	return rc;
}

/* Ends an attempt: stores its record and informs the track. Frees rec. */
static int finish(struct llm *m, struct ay_lane *l, json_t *rec, bool recalled)
{
	struct llm_problem *p = &m->problem[l->problem];
	const char *sha = ay_record_str(rec, AY_FIELD_KERNEL_SHA256);
	const bool over = ay_problem_over(&m->track, l->problem);
	const struct ay_attempt_worth w = {
		.solved = json_is_true(json_object_get(rec, "solved")),
		.passed = (int)json_integer_value(json_object_get(rec, "passed")),
		.of = (int)json_integer_value(json_object_get(rec, "cases")),
		.speedup_lo = json_number_value(json_object_get(rec, "speedup_lo")),
		.ns = json_number_value(json_object_get(rec, "ns")),
	};
	char lane[24];
	int rc = recalled ? 0 : add_record(m, rec);

	free_try(l->user);
	l->user = NULL;
	m->attempts++;
	m->usd += json_number_value(json_object_get(rec, "usd"));
	snprintf(lane, sizeof lane, "%d", (int)(l - m->track.lane));
	if (!is_text(rec, "end", ends[AY_CHAT_FAILED])) {
		m->unpriced |= json_is_null(json_object_get(rec, "usd"));
		json_object_set(m->last, lane, rec);
	}
	if (ay_record_verdict(rec) != AY_VERDICT_NONE && sha && *sha) {
		if (!p->judged)
			p->judged = json_object();
		if (!json_object_get(p->judged, sha))
			json_object_set(p->judged, sha, rec);
		ay_track_judged(&m->track, l, &w, sha);
	} else {
		ay_track_answered(&m->track, l, false);
	}
	json_decref(rec);
	if (!rc)
		rc = clear_away(m, l->problem);
	if (!rc && !over && ay_problem_over(&m->track, l->problem))
		rc = add_chosen(m, l->problem);
	return rc;
}

/* --- answers ---------------------------------------------------------------------------------- */

int llm_unused(struct llm *m, struct ay_lane *l, const char *id, const struct ay_chat_answer *answer)
{
	json_t *rec;
	int rc;

	if (json_object_get(m->recalled, id))
		return 0;
	rec = answer_record(m, l, id, answer);
	json_object_set_new(rec, "unused", json_true());
	m->attempts++;
	m->unpriced |= answer->usd < 0;
	m->usd += answer->usd > 0 ? answer->usd : 0;
	rc = add_record(m, rec);
	json_decref(rec);
	return rc;
}

static int keep_source(struct llm *m, const struct ay_lane *l, struct llm_try *t)
{
	const char *end = ay_prompt_lang_end(m->lang);

	ay_sha256(t->reply.source, t->reply.len, t->sha256);
	return ay_run_keep_kernel(m->e->run, t->sha256, end + 1, t->reply.source, t->reply.len, m->err) ||
			       llm_keep(m, &t->arena, "round", l, end, t->reply.source, t->reply.len, &t->file,
					m->err)
		       ? -1
		       : 0;
}

static json_t *try_record(const struct llm *m, const struct ay_lane *l, const struct llm_try *t)
{
	json_t *rec = answer_record(m, l, l->id, &t->answer);

	if (t->answer.end != AY_CHAT_FAILED)
		json_object_set_new(rec, "reply", json_string(ay_reply_name(t->reply.kind)));
	if (t->answer.end != AY_CHAT_FAILED && !t->reply.source)
		json_object_set_new(rec, "wrong_with_reply", json_string(ay_reply_text(t->reply.kind)));
	json_object_set_new(rec, "solved", json_false());
	json_object_set_new(rec, "kernel_sha256", json_string(t->sha256));
	if (t->file)
		json_object_set_new(rec, "file", json_string(t->file));
	return rec;
}

/* Makes the attempt's record from that of an attempt with equal source. */
static json_t *same_again(const struct llm *m, const struct ay_lane *l, const struct llm_try *t,
			  const json_t *before)
{
	static const char *const keys[] = { "verdict", "solved", "passed", "cases", "speedup_lo", "ns", "past" };
	json_t *rec = try_record(m, l, t);

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		copy_field(rec, before, keys[i]);
	json_object_set(rec, "same_as", json_object_get(before, "attempt"));
	return rec;
}

int llm_answered(struct llm *m, struct ay_lane *l, const struct ay_chat_answer *answer)
{
	struct llm_problem *p = &m->problem[l->problem];
	struct llm_try *t = new_try(answer);
	const struct ay_prompt_spec s = {
		.registry = m->e->app->registry, .op = p->op, .only = p->only, .lang = m->lang
	};

	l->user = t;
	m->answers += t->answer.end != AY_CHAT_FAILED;
	if (t->answer.end == AY_CHAT_FAILED && !m->failure && t->answer.error)
		m->failure = ay_strdup(m->e->app->arena, t->answer.error);
	t->reply.kind = AY_REPLY_EMPTY;
	if (t->answer.end != AY_CHAT_FAILED)
		ay_reply_parse(&t->arena, &t->answer, m->forge_lang, ay_prompt_names(&t->arena, &s), &t->reply);
	if (!t->reply.source)
		return finish(m, l, try_record(m, l, t), false);
	if (keep_source(m, l, t))
		return -1;
	ay_track_answered(&m->track, l, true);
	return 0;
}

enum llm_twin llm_twin(struct llm *m, const struct ay_lane *l)
{
	const struct llm_try *t = l->user;

	for (int i = 0; i < m->track.lanes; i++) {
		const struct ay_lane *k = ay_track_lane(&m->track, l->problem, i);

		if (k != l && k->state == AY_LANE_JUDGING &&
		    !strcmp(((struct llm_try *)k->user)->sha256, t->sha256))
			return LLM_TWIN_JUDGING;
	}
	return json_object_get(m->problem[l->problem].judged, t->sha256) ? LLM_TWIN_JUDGED : LLM_TWIN_NONE;
}

int llm_same(struct llm *m, struct ay_lane *l)
{
	const struct llm_try *t = l->user;

	return finish(m, l, same_again(m, l, t, json_object_get(m->problem[l->problem].judged, t->sha256)), false);
}

/* --- judging ---------------------------------------------------------------------------------- */

static void note_case(struct llm_try *t, json_t *rec)
{
	const enum ay_verdict v = ay_record_verdict(rec);
	const json_t *timing = json_object_get(rec, ay_field_name(AY_FIELD_TIMING));
	struct ay_case_time took;
	struct ay_str name = { 0 };

	t->cases++;
	t->passed += v == AY_VERDICT_PASS;
	if (v != AY_VERDICT_PASS && (!t->worst || v < ay_record_verdict(t->worst))) {
		json_decref(t->worst);
		t->worst = json_incref(rec);
	}
	if (v != AY_VERDICT_PASS || !timing)
		return;
	ay_case_time_read(rec, &took, &name);
	ay_speed_add(&t->speed, &took);
	ay_str_release(&name);
	if (json_array_size(t->timed) < TIMED_KEPT) {
		json_t *short_one = json_copy((json_t *)timing);

		json_object_del(short_one, "samples");
		json_array_append_new(t->timed, json_pack("{s:O, s:o}", "case",
							  json_object_get(rec, ay_field_name(AY_FIELD_CASE)),
							  "timing", short_one));
	}
}

void llm_note(struct llm_try *t, json_t *rec)
{
	const char *type = ay_record_str(rec, AY_FIELD_TYPE), *error = ay_record_str(rec, AY_FIELD_ERROR);

	if (!strcmp(type, AY_RECORD_CASE)) {
		note_case(t, rec);
	} else if (!strcmp(type, AY_RECORD_KERNEL)) {
		json_decref(t->kernel);
		t->kernel = json_incref(rec);
	} else if (error) {
		t->error = ay_strdup(&t->arena, error);
	}
}

int llm_judged(struct llm *m, struct ay_lane *l)
{
	struct llm_try *t = l->user;
	json_t *rec;

	ay_speed_end(&t->speed);
	rec = try_record(m, l, t);
	add_verdict(rec, t);
	return finish(m, l, rec, false);
}

/* --- a resumed run ---------------------------------------------------------------------------- */

/* Returns true if a record need not be made again. Verdicts of another build and failures of assay
 * are not kept, but the model is not asked again. */
static bool still_holds(const struct llm *m, const json_t *rec)
{
	const char *build = ay_record_str(rec, AY_FIELD_BUILD_SHA256);

	return build && !strcmp(build, ay_run_build_sha256(m->e->run)) && !ay_record_str(rec, AY_FIELD_ERROR);
}

int llm_recall(struct llm *m)
{
	struct ay_gen g = { 0 };
	const char *id;
	json_t *rec;
	int rc = ay_gen_read(m->dir, &g, m->err);

	m->recalled = json_object();
	m->chosen = json_object();
	json_object_foreach(g.tries, id, rec) if (still_holds(m, rec))
		json_object_set(m->recalled, ay_record_str(rec, AY_FIELD_ATTEMPT), rec);
	for (int i = 0; i < m->nproblem; i++)
		json_object_set(m->chosen, m->problem[i].name,
				(json_t *)ay_gen_chosen(&g, ay_run_id(m->e->run), m->problem[i].name));
	json_object_foreach(m->recalled, id, rec)
	{
		struct ay_lane *l = ay_track_waiting(&m->track, ay_record_str(rec, AY_FIELD_PROBLEM),
						     (int)json_integer_value(json_object_get(rec, "round")),
						     (int)json_integer_value(json_object_get(rec, "worker")));

		if (rc)
			break;
		if (l && !json_is_true(json_object_get(rec, "unused")))
			rc = finish(m, l, json_incref(rec), true);
	}
	ay_gen_release(&g);
	return rc;
}

/* --- what the next round is told -------------------------------------------------------------- */

static const char *text_in(struct ay_arena *a, const json_t *j, const char *key)
{
	return copy(a, json_string_value(json_object_get(j, key)));
}

static void take_timed(struct ay_arena *a, const json_t *list, struct ay_prompt_past *past)
{
	const size_t n = json_array_size(list);
	struct ay_prompt_timed *timed = AY_NEW_N(a, struct ay_prompt_timed, n + 1);

	for (size_t i = 0; i < n; i++) {
		const json_t *one = json_array_get(list, i), *timing = json_object_get(one, "timing");
		struct ay_timing *t = AY_NEW(a, struct ay_timing);

		if (ay_timing_json_wrong(timing))
			continue;
		ay_timing_json_read(timing, t);
		t->baseline = copy(a, t->baseline);
		t->version = copy(a, t->version);
		t->why = copy(a, t->why);
		timed[past->ntimed++] = (struct ay_prompt_timed){ text_in(a, one, "case"), t };
	}
	past->timed = timed;
}

/* Returns the detail for a kernel that is right but lacks overloads. */
static const char *name_missing(struct ay_arena *a, const json_t *names)
{
	struct ay_str b = { 0 };
	const char *text;
	const json_t *one;
	size_t i;

	json_array_foreach(names, i, one) if (json_is_string(one))
		ay_str_addf(&b, "%s%s", i ? ", " : "", json_string_value(one));
	text = ay_sprintf(a, "the file defines no function for %s", ay_str_text(&b));
	ay_str_release(&b);
	return text;
}

static void take_source(struct llm *m, struct ay_arena *a, const char *sha, struct ay_prompt_past *past)
{
	const char *path = ay_sprintf(a, "%s/kernels/%s%s", m->dir, sha, ay_prompt_lang_end(m->lang));
	struct ay_err gone = { 0 };
	char *text;
	size_t len;

	if (!ay_file_read(a, path, SOURCE_CUT, &text, &len, &gone))
		past->source = text;
}

bool llm_past(struct llm *m, const struct ay_lane *l, struct ay_arena *a, struct ay_prompt_past *past)
{
	char lane[24];
	const json_t *rec, *j;
	const char *sha;

	snprintf(lane, sizeof lane, "%d", (int)(l - m->track.lane));
	rec = json_object_get(m->last, lane);
	if (!m->e->llm.reflection || !rec)
		return false;
	*past = (struct ay_prompt_past){ .verdict = ay_record_verdict(rec) };
	sha = ay_record_str(rec, AY_FIELD_KERNEL_SHA256);
	past->reply = text_in(a, rec, "wrong_with_reply");
	if (past->reply || past->verdict == AY_VERDICT_NONE || !sha)
		return past->reply != NULL; /* a failure of assay says nothing to the model */
	take_source(m, a, sha, past);
	j = json_object_get(rec, "past");
	past->passed = (int)json_integer_value(json_object_get(rec, "passed"));
	past->judged = (int)json_integer_value(json_object_get(rec, "cases"));
	past->line = text_in(a, j, "case");
	past->detail = text_in(a, j, "detail");
	past->hint = text_in(a, j, "hint");
	past->out = text_in(a, j, "out");
	past->at = text_in(a, j, "at");
	past->want = ay_json_number(json_object_get(j, "want"));
	past->got = ay_json_number(json_object_get(j, "got"));
	past->bound = (double)ay_json_number(json_object_get(j, "bound"));
	if (past->verdict == AY_VERDICT_BUILD) {
		past->compiler = past->detail;
		past->detail = NULL;
	}
	if (past->verdict == AY_VERDICT_PASS && json_is_false(json_object_get(rec, "solved"))) {
		const char *worst = json_string_value(json_object_get(j, "verdict"));

		past->verdict = worst ? ay_verdict_find(worst) : AY_VERDICT_UNSUPPORTED;
		if (json_array_size(json_object_get(j, "without_function")) && !worst)
			past->detail = name_missing(a, json_object_get(j, "without_function"));
	}
	take_timed(a, json_object_get(j, "timed"), past);
	return true;
}
