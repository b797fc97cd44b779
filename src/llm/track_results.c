/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/track_results.h"
#include "store/scan.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000 };

static const char *const kinds[] = {
#define K(name, text, about) text,
	AY_TRACK_KINDS(K)
#undef K
};

const char *ay_track_kind_name(enum ay_track_kind k)
{
	return kinds[k];
}

/* --- reading ---------------------------------------------------------------------------------- */

static const json_t *field(const json_t *rec, const char *name)
{
	return json_object_get(rec, name);
}

static double number(const json_t *rec, const char *name)
{
	const double x = json_number_value(field(rec, name));

	return x > 0 && x < 1e12 ? x : 0; /* records are untrusted, and sums must stay finite */
}

static int64_t count(const json_t *rec, const char *name)
{
	const int64_t x = json_integer_value(field(rec, name));

	return x > 0 && x < (int64_t)1 << 40 ? x : 0;
}

static const char *text_of(const json_t *rec, const char *name)
{
	const char *s = json_string_value(field(rec, name));

	return s ? s : "";
}

/* Merges the "track" records of several runs of one track: their problems are united. */
static void join_tracks(json_t *all, const json_t *more)
{
	const int64_t rounds = count(more, "rounds");

	json_array_extend(json_object_get(all, "problems"), json_object_get(more, "problems"));
	if (rounds > count(all, "rounds"))
		json_object_set_new(all, "rounds", json_integer(rounds));
	if (json_is_object(field(more, "absent")))
		json_object_set(all, "absent", json_object_get(more, "absent"));
}

static void take_track(struct ay_gen *g, json_t *rec)
{
	if (g->track && json_equal(field(g->track, "kind"), field(rec, "kind")) &&
	    json_is_array(field(g->track, "problems")) && json_is_array(field(rec, "problems"))) {
		join_tracks(g->track, rec);
		return;
	}
	json_decref(g->track);
	g->track = json_deep_copy(rec);
}

/* Takes in a line. Of several records of a run with one name the last counts, because another build
 * may have judged the attempt again. */
static int take_line(void *user, const struct ay_scan_line *l, struct ay_err *err)
{
	struct ay_gen *g = user;
	const char *type = ay_record_str(l->rec, AY_FIELD_TYPE), *run = ay_record_str(l->rec, AY_FIELD_RUN);
	struct ay_str key = { 0 };

	(void)err;
	if (l->fault != AY_FAULT_NONE)
		return 0;
	if (!strcmp(type, AY_RECORD_ATTEMPT)) {
		ay_str_addf(&key, "%s %s", run ? run : "", ay_record_str(l->rec, AY_FIELD_ATTEMPT));
		json_object_set(g->tries, ay_str_text(&key), l->rec);
	} else if (!strcmp(type, AY_RECORD_CHOSEN)) {
		ay_str_addf(&key, "%s %s", run ? run : "", ay_record_str(l->rec, AY_FIELD_PROBLEM));
		json_object_set(g->chosen, ay_str_text(&key), l->rec);
	} else if (!strcmp(type, AY_RECORD_HELD) && ay_record_str(l->rec, AY_FIELD_PROBLEM)) {
		ay_str_addf(&key, "%s %s", run ? run : "", ay_record_str(l->rec, AY_FIELD_PROBLEM));
		json_object_set(g->held_out, ay_str_text(&key), l->rec);
	} else if (!strcmp(type, AY_RECORD_LOST)) {
		json_array_append(g->lost, json_object_get(l->rec, ay_field_name(AY_FIELD_ATTEMPT)));
	} else if (!strcmp(type, AY_RECORD_TRACK)) {
		take_track(g, l->rec);
	}
	ay_str_release(&key);
	return 0;
}

const json_t *ay_gen_chosen(const struct ay_gen *g, const char *run, const char *problem)
{
	struct ay_str key = { 0 };
	const json_t *rec;

	ay_str_addf(&key, "%s %s", run ? run : "", problem);
	rec = field(g->chosen, ay_str_text(&key));
	ay_str_release(&key);
	return rec;
}

/* Counts the record of a problem's chosen kernel on held-out cases. */
static void add_held(struct ay_gen *g, struct ay_gen_problem *p)
{
	const char *sha = ay_record_str(p->chosen, AY_FIELD_KERNEL_SHA256), *judged;
	struct ay_str key = { 0 };

	ay_str_addf(&key, "%s %s", p->run ? p->run : "", p->name);
	p->held = field(g->held_out, ay_str_text(&key));
	judged = p->held ? ay_record_str(p->held, AY_FIELD_KERNEL_SHA256) : NULL;
	if (!p->solved || !sha || !judged || strcmp(sha, judged))
		p->held = NULL;
	g->held += p->held != NULL;
	g->held_passed += p->held && ay_record_verdict(p->held) == AY_VERDICT_PASS;
	ay_str_release(&key);
}

/* Returns true if the record must be ignored because its run is not the problem's first one.
 * Samples of several runs are simply more samples. For other tracks a second run would be a second
 * chance. */
static bool is_other_run(const struct ay_gen *g, struct ay_gen_problem *p, const json_t *rec)
{
	const char *run = ay_record_str(rec, AY_FIELD_RUN);

	if (!p->run)
		p->run = run ? run : "";
	return g->kind != AY_TRACK_SAMPLES && strcmp(p->run, run ? run : "");
}

static void add_try(struct ay_gen *g, struct ay_gen_problem *p, json_t *rec)
{
	const bool judged = ay_record_verdict(rec) != AY_VERDICT_NONE;
	const bool failed = !strcmp(text_of(rec, "end"), "failed"), solved = json_is_true(field(rec, "solved"));
	/* the outcome of this sample is unknown */
	const bool error = ay_record_str(rec, AY_FIELD_ERROR);
	const int round = (int)count(rec, "round");
	const double usd = json_is_number(field(rec, "usd")) ? number(rec, "usd") : 0;

	json_array_append(p->tries, rec);
	p->attempts++;
	p->samples += !failed && !error;
	p->correct += solved;
	p->judged += judged;
	if (solved && (!p->first_round || round < p->first_round))
		p->first_round = round;
	p->solved |= solved;
	p->tokens_in += count(rec, "tokens_in");
	p->tokens_out += count(rec, "tokens_out");
	p->usd += usd;
	p->generate_s += number(rec, "generate_s");
	p->judge_s += number(rec, "judge_s");
	g->failed += failed;
	if (failed && !g->failure)
		g->failure = json_string_value(field(rec, "failure"));
	g->errors += error;
	g->unused += json_is_true(field(rec, "unused"));
	g->unpriced += !failed && !json_is_number(field(rec, "usd"));
}

static void add_up(struct ay_gen *g)
{
	for (int i = 0; i < g->n; i++) {
		const struct ay_gen_problem *p = &g->problem[i];

		g->solved += p->solved;
		g->attempts += p->attempts;
		g->judged += p->judged;
		g->tokens_in += p->tokens_in;
		g->tokens_out += p->tokens_out;
		g->usd += p->usd;
		g->generate_s += p->generate_s;
		g->judge_s += p->judge_s;
		if (!i || p->samples < g->least_samples)
			g->least_samples = p->samples;
	}
}

static int take_problems(struct ay_gen *g, const char *dir, struct ay_err *err)
{
	const json_t *list = field(g->track, "problems"), *one;
	json_t *places = json_object(), *rec;
	const char *key, *name;
	size_t i;

	g->rounds = (int)count(g->track, "rounds");
	g->workers = (int)count(g->track, "workers");
	g->per_overload = json_is_true(field(g->track, "per_overload"));
	g->best = json_is_true(field(g->track, "best"));
	while (g->kind < AY_TRACK_KIND_COUNT && strcmp(kinds[g->kind], text_of(g->track, "kind")))
		g->kind++;
	if (g->kind == AY_TRACK_KIND_COUNT || !json_array_size(list) || g->rounds < 1 || g->rounds > ROUNDS_MAX) {
		json_decref(places);
		return ay_fail(err, AY_ERR_IO, "'%s' holds no generation run", dir);
	}
	g->problem = AY_NEW_N(&g->arena, struct ay_gen_problem, json_array_size(list) + 1);
	json_array_foreach(list, i, one)
	{
		name = json_string_value(one);
		if (!name || field(places, name))
			continue;
		g->problem[g->n] = (struct ay_gen_problem){ .name = ay_strdup(&g->arena, name),
							    .tries = json_array() };
		json_object_set_new(places, name, json_integer(g->n++));
	}
	json_object_foreach(g->tries, key, rec)
	{
		const json_t *at = field(places, ay_record_str(rec, AY_FIELD_PROBLEM));

		if (at && !is_other_run(g, &g->problem[json_integer_value(at)], rec))
			add_try(g, &g->problem[json_integer_value(at)], rec);
	}
	for (int k = 0; k < g->n; k++) {
		g->problem[k].chosen = ay_gen_chosen(g, g->problem[k].run, g->problem[k].name);
		g->problem[k].wall_s = number(g->problem[k].chosen, "wall_s");
		add_held(g, &g->problem[k]);
	}
	json_decref(places);
	g->of = g->n + (g->per_overload ? 0 : ay_gen_absent(g, NULL));
	add_up(g);
	return 0;
}

int ay_gen_absent(const struct ay_gen *g, const char *source)
{
	const json_t *n;
	const char *name;
	int sum = 0;

	json_object_foreach((json_t *)field(g->track, "absent"), name, n) if (!source || !strcmp(source, name))
		sum += json_integer_value(n) > 0 && json_integer_value(n) < 1000 ? (int)json_integer_value(n) : 0;
	return sum;
}

int ay_gen_read(const char *dir, struct ay_gen *g, struct ay_err *err)
{
	struct ay_scan scan = { .line = take_line, .user = g };
	char path[4200];
	int fd, rc;

	snprintf(path, sizeof path, "%s/results.jsonl", dir);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return ay_fail_errno(err, AY_ERR_IO, "cannot read '%s'", path);
	g->tries = json_object();
	g->chosen = json_object();
	g->held_out = json_object();
	g->lost = json_array();
	rc = ay_scan_fd(&scan, fd, path, err);
	close(fd);
	return rc ? rc : take_problems(g, dir, err);
}

void ay_gen_release(struct ay_gen *g)
{
	for (int i = 0; i < g->n; i++)
		json_decref(g->problem[i].tries);
	json_decref(g->track);
	json_decref(g->tries);
	json_decref(g->chosen);
	json_decref(g->held_out);
	json_decref(g->lost);
	ay_arena_release(&g->arena);
	*g = (struct ay_gen){ 0 };
}

/* --- scores ----------------------------------------------------------------------------------- */

static int solved_within(const struct ay_gen *g, int k)
{
	int n = 0;

	for (int i = 0; i < g->n; i++)
		n += g->problem[i].first_round && g->problem[i].first_round <= k;
	return n;
}

double ay_gen_solved_within(const struct ay_gen *g, int k)
{
	return k < 1 || !g->n ? -1 : (double)solved_within(g, k) / g->of;
}

double ay_gen_pass_at_k(const struct ay_gen *g, int k)
{
	const bool drawn = g->kind == AY_TRACK_SAMPLES || (g->kind == AY_TRACK_SEQUENCE && g->rounds == 1);
	double sum = 0;

	if (!drawn || k < 1 || k > g->least_samples || !g->n)
		return -1;
	for (int i = 0; i < g->n; i++)
		sum += ay_pass_at_k(g->problem[i].samples, g->problem[i].correct, k);
	return sum / g->of;
}
