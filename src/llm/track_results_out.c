/* SPDX-License-Identifier: Apache-2.0
 *
 * track_results_out - prints the results of a generation run for programs and for people.
 * pass_at_k_results.json uses KernelGenBench's field names where they exist.
 */
#include "llm/track_results.h"
#include "store/export.h"
#include "store/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SUMMARY_MAX = 64 << 20, ROUNDS_SHOWN = 12 };

/* The sources: title, name in the catalogue, prefix of the operators' names. */
static const struct {
	const char *title, *name, *start;
} sources[] = { { "ATen", "aten", "aten::" },
		{ "vLLM", "vllm", "vllm" },
		{ "cuBLAS", "cublas", "cublas" },
		{ "other", "", "" } };
enum { SOURCES = sizeof sources / sizeof *sources };

static const char *const about[] = {
#define K(name, text, what) what,
	AY_TRACK_KINDS(K)
#undef K
};

/* The results for one source. */
struct result_part {
	int n, solved;
	int absent; /* operators of the dataset that are not in the catalogue yet */
	struct ay_speed_score speed;
};

static int source_of(const char *op)
{
	int k = 0;

	while (!ay_starts(op, sources[k].start))
		k++;
	return k;
}

static void split(const struct ay_gen *g, const struct ay_summary *s, struct result_part part[SOURCES])
{
	for (int k = 0; k < SOURCES; k++) {
		part[k] = (struct result_part){ .absent = ay_gen_absent(g, sources[k].name) };
		for (int i = 0; i < g->n; i++)
			if (source_of(g->problem[i].name) == k) {
				part[k].n++;
				part[k].solved += g->problem[i].solved;
			}
		for (int i = 0; i < s->noperator; i++)
			if (s->op[i].in_suite && source_of(s->op[i].name) == k)
				ay_speed_score_add(&part[k].speed, &s->op[i].speed, s->op[i].passed);
		part[k].speed.of += g->per_overload ? 0 : part[k].absent;
		ay_speed_score_end(&part[k].speed);
	}
}

static double share(int64_t n, int64_t of)
{
	return of ? (double)n / (double)of : 0;
}

/* The absent operators count only if problems are operators: their number of overloads is
 * unknown. */
static int denominator(const struct ay_gen *g, const struct result_part *p)
{
	return p->n + (g->per_overload ? 0 : p->absent);
}

/* Returns JSON null if the price of any attempt is unknown. */
static json_t *dollars(const struct ay_gen *g, double usd)
{
	return g->unpriced ? json_null() : json_real(usd);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *speed_json(const struct ay_speed_score *x)
{
	json_t *j = json_pack("{s:i, s:i, s:i}", "operators", x->of, "correct", x->correct, "scored", x->scored);
	const struct {
		const char *name;
		double value;
	} ends[] = { { "speedup", x->speedup }, { "lo", x->lo }, { "hi", x->hi } };

	for (int i = 0; i < 3; i++)
		json_object_set_new(j, ends[i].name, ends[i].value > 0 ? json_real(ends[i].value) : json_null());
	return j;
}

/* Counts the answers of a round with a kernel, and lists the others. */
static json_t *round_replies(const struct ay_gen *g, int round)
{
	json_t *failed = json_array(), *rec;
	int n = 0, with = 0;
	size_t k;

	for (int i = 0; i < g->n; i++)
		json_array_foreach(g->problem[i].tries, k, rec)
		{
			const char *sha = ay_record_str(rec, AY_FIELD_KERNEL_SHA256);

			if (json_integer_value(json_object_get(rec, "round")) != round)
				continue;
			n++;
			if (sha && *sha)
				with++;
			else
				json_array_append_new(failed, json_string(g->problem[i].name));
		}
	return json_pack("{s:i, s:{s:i, s:i, s:i, s:f}, s:o}", "round", round, "statistics", "total_apis", n,
			 "successful", with, "failed", n - with, "success_rate", share(with, n),
			 "failed_operators", failed);
}

static void add_rounds(json_t *j, const struct ay_gen *g)
{
	json_t *rounds = json_array(), *replies = json_array(), *within = json_object(), *passk = json_object();
	int before = 0;

	for (int r = 1; r <= g->rounds; r++) {
		json_t *names = json_array();
		char key[16];
		int now = 0;

		for (int i = 0; i < g->n; i++)
			if (g->problem[i].first_round == r) {
				json_array_append_new(names, json_string(g->problem[i].name));
				now++;
			}
		json_array_append_new(rounds, json_pack("{s:i, s:i, s:i, s:o, s:i, s:f}", "round", r,
							"remaining_before", g->of - before, "newly_passed", now,
							"newly_passed_operators", names, "total_passed",
							before + now, "pass_rate", share(before + now, g->of)));
		before += now;
		json_array_append_new(replies, round_replies(g, r));
		snprintf(key, sizeof key, "%d", r);
		json_object_set_new(within, key, json_real(ay_gen_solved_within(g, r)));
		if (ay_gen_pass_at_k(g, r) >= 0)
			json_object_set_new(passk, key, json_real(ay_gen_pass_at_k(g, r)));
	}
	json_object_set_new(j, "rounds_summary", rounds);
	json_object_set_new(j, "generation_summaries", replies);
	json_object_set_new(j, "solved_within", within);
	if (json_object_size(passk))
		json_object_set(j, "pass_at_k", passk);
	else
		json_object_set_new(j, "pass_at_k", json_null());
	json_decref(passk);
}

/* Returns { round: file }, or { round: [files] } if several workers wrote one. */
static json_t *codes_of(const struct ay_gen_problem *p)
{
	json_t *codes = json_object(), *rec;
	size_t i;

	json_array_foreach(p->tries, i, rec)
	{
		const char *file = ay_record_str(rec, AY_FIELD_FILE);
		json_t *list;
		char key[24];

		if (!file)
			continue;
		snprintf(key, sizeof key, "%lld", (long long)json_integer_value(json_object_get(rec, "round")));
		list = json_object_get(codes, key);
		if (!list) {
			list = json_array();
			json_object_set_new(codes, key, list);
		}
		json_array_append_new(list, json_string(file));
	}
	return codes;
}

static json_t *details_of(const struct ay_gen *g, const struct ay_gen_problem *p)
{
	const char *name = strstr(p->name, "::");
	json_t *j = json_pack(
		"{s:b, s:s%, s:s, s:s, s:o, s:o, s:i, s:i, s:i, s:i}", "passed", p->solved, "namespace", p->name,
		name ? (size_t)(name - p->name) : strlen(p->name), "kernel_name", name ? name + 2 : p->name,
		"source", sources[source_of(p->name)].title, "generated_codes_by_round", codes_of(p),
		"first_pass_round", p->first_round ? json_integer(p->first_round) : json_null(), "total_attempts",
		p->attempts, "samples", p->samples, "correct", p->correct, "judged", p->judged);

	json_object_set_new(j, "tokens_in", json_integer(p->tokens_in));
	json_object_set_new(j, "tokens_out", json_integer(p->tokens_out));
	json_object_set_new(j, "usd", dollars(g, p->usd));
	json_object_set_new(j, "generate_s", json_real(p->generate_s));
	json_object_set_new(j, "judge_s", json_real(p->judge_s));
	json_object_set_new(j, "wall_s", p->chosen ? json_real(p->wall_s) : json_null());
	if (p->chosen) {
		json_object_set(j, "attempt", json_object_get(p->chosen, "attempt"));
		json_object_set(j, "verdict", json_object_get(p->chosen, "verdict"));
		json_object_set(j, "kernel_sha256", json_object_get(p->chosen, "kernel_sha256"));
		json_object_set(j, "file", json_object_get(p->chosen, "file"));
	}
	if (p->held)
		json_object_set_new(j, "held_out",
				    json_pack("{s:O, s:O, s:O}", "verdict", json_object_get(p->held, "verdict"),
					      "cases", json_object_get(p->held, "cases"), "not_passed",
					      json_object_get(p->held, "not_passed")));
	return j;
}

static void add_counts(json_t *j, const struct ay_gen *g)
{
	static const char *const by[] = { "end", "reply", "verdict" };
	json_t *counts = json_pack("{s:I, s:I, s:I, s:I, s:I}", "attempts", (json_int_t)g->attempts, "judged",
				   (json_int_t)g->judged, "failed_requests", (json_int_t)g->failed, "errors",
				   (json_int_t)g->errors, "unused", (json_int_t)g->unused);
	json_t *rec;
	const char *id;

	for (int i = 0; i < 3; i++) {
		json_t *set = json_object();

		json_object_foreach(g->tries, id, rec)
		{
			const char *v = json_string_value(json_object_get(rec, by[i]));

			if (v)
				json_object_set_new(set, v,
						    json_integer(json_integer_value(json_object_get(set, v)) + 1));
		}
		json_object_set_new(counts, by[i], set);
	}
	json_object_set_new(j, "attempts", counts);
	json_object_set_new(j, "tokens",
			    json_pack("{s:I, s:I, s:o}", "in", (json_int_t)g->tokens_in, "out",
				      (json_int_t)g->tokens_out, "per_success",
				      g->solved ? json_real((double)(g->tokens_in + g->tokens_out) / g->solved)
						: json_null()));
	json_object_set_new(j, "usd", dollars(g, g->usd));
	json_object_set_new(j, "usd_per_success", g->solved ? dollars(g, g->usd / g->solved) : json_null());
	json_object_set_new(j, "generate_s", json_real(g->generate_s));
	json_object_set_new(j, "judge_s", json_real(g->judge_s));
	json_object_set_new(j, "lost_requests", json_integer((json_int_t)json_array_size(g->lost)));
	json_object_set(j, "lost", g->lost);
}

json_t *ay_gen_json(const struct ay_gen *g, const struct ay_summary *s)
{
	json_t *j = json_pack("{s:i, s:i, s:f, s:s, s:s, s:s, s:i, s:i}", "total_operators", g->of, "total_passed",
			      g->solved, "final_pass_rate", share(g->solved, g->of), "problems",
			      g->per_overload ? "overloads" : "operators", "track", ay_track_kind_name(g->kind),
			      "estimator", about[g->kind], "rounds", g->rounds, "workers", g->workers);
	json_t *passed = json_array(), *details = json_object(), *parts = json_object();
	struct result_part part[SOURCES];

	add_rounds(j, g);
	for (int i = 0; i < g->n; i++) {
		if (g->problem[i].solved)
			json_array_append_new(passed, json_string(g->problem[i].name));
		json_object_set_new(details, g->problem[i].name, details_of(g, &g->problem[i]));
	}
	json_object_set_new(j, "passed_operators", passed);
	add_counts(j, g);
	split(g, s, part);
	for (int k = 0; k < SOURCES; k++) {
		const int of = denominator(g, &part[k]);

		if (part[k].n)
			json_object_set_new(parts, sources[k].title,
					    json_pack("{s:i, s:i, s:f, s:i, s:o}", "total", of, "passed",
						      part[k].solved, "pass_rate", share(part[k].solved, of),
						      "not_in_catalogue", part[k].absent, "speed",
						      speed_json(&part[k].speed)));
	}
	json_object_set_new(j, "not_in_catalogue", json_integer(ay_gen_absent(g, NULL)));
	json_object_set_new(j, "by_source", parts);
	json_object_set_new(j, "speed", speed_json(&s->speed_operators));
	json_object_set_new(j, "operator_details", details);
	if (g->held)
		json_object_set_new(j, "held_out",
				    json_pack("{s:i, s:i}", "kernels", g->held, "passed", g->held_passed));
	return j;
}

/* --- text and Markdown ------------------------------------------------------------------------ */

static void add_held(struct ay_str *b, const struct ay_gen *g)
{
	ay_str_addf(b, "held out: %d of %d solved kernels are right on drawn cases that no prompt has shown too",
		    g->held_passed, g->held);
}

static void add_cost(struct ay_str *b, const struct ay_gen *g)
{
	ay_str_addf(b, "%lld attempts, %lld of them judged; %lld tokens in, %lld out", (long long)g->attempts,
		    (long long)g->judged, (long long)g->tokens_in, (long long)g->tokens_out);
	if (g->unpriced)
		ay_str_add(b, " (no price is known for the model)");
	else
		ay_str_addf(b, ", $%.4f", g->usd);
	if (g->solved) {
		ay_str_addf(b, "; per success %.0f tokens", (double)(g->tokens_in + g->tokens_out) / g->solved);
		if (!g->unpriced)
			ay_str_addf(b, ", $%.4f", g->usd / g->solved);
	}
	if (g->failed)
		ay_str_addf(b, "; %lld requests failed for good%s%.200s", (long long)g->failed,
			    g->failure ? ", the first: " : "", g->failure ? g->failure : "");
	if (json_array_size(g->lost))
		ay_str_addf(b, "; %zu requests were lost in flight when the run was killed, and asked again",
			    json_array_size(g->lost));
}

static void add_within(struct ay_str *b, const struct ay_gen *g)
{
	ay_str_addf(b, "solved within k of %d %s (%s): ", g->of, g->per_overload ? "overloads" : "operators",
		    about[g->kind]);
	for (int k = 1; k <= g->rounds; k++) /* only rounds in which something changed */
		if (k == 1 || k == g->rounds || ay_gen_solved_within(g, k) > ay_gen_solved_within(g, k - 1))
			ay_str_addf(b, "%s%d: %d (%.1f %%)", k > 1 ? ", " : "", k,
				    (int)(ay_gen_solved_within(g, k) * g->of + 0.5),
				    100 * ay_gen_solved_within(g, k));
}

/* Prints nothing if there is no such estimate. */
static void add_passk(struct ay_str *b, const struct ay_gen *g)
{
	if (ay_gen_pass_at_k(g, 1) < 0)
		return;
	ay_str_addf(b, "pass@k, unbiased, from %d sample%s a problem: ", g->least_samples,
		    g->least_samples > 1 ? "s" : "");
	for (int k = 1; k <= g->least_samples; k++)
		if (k <= ROUNDS_SHOWN || k == g->least_samples)
			ay_str_addf(b, "%s%d: %.1f %%", k > 1 ? ", " : "", k, 100 * ay_gen_pass_at_k(g, k));
}

static void add_part(struct ay_str *b, const struct ay_gen *g, const struct result_part *p, const char *name)
{
	const struct ay_speed_shown x = { p->speed.speedup, p->speed.lo, p->speed.hi, true, 0 };
	const int of = denominator(g, p);

	ay_str_addf(b, "%s: %d of %d (%.1f %%)", name, p->solved, of, 100 * share(p->solved, of));
	if (p->absent)
		ay_str_addf(b, "; %d operators are not in the catalogue yet%s", p->absent,
			    g->per_overload ? ", and not counted" : ", and count as not solved");
	if (p->speed.scored) {
		ay_str_add(b, ", speed-up ");
		ay_speed_print(b, &x);
		ay_str_addf(b, " over %d operators", p->speed.scored);
	}
}

void ay_gen_print(struct ay_str *b, const struct ay_gen *g, const struct ay_summary *s)
{
	struct result_part part[SOURCES];
	size_t begin;

	add_within(b, g);
	ay_str_addc(b, '\n');
	begin = b->len;
	add_passk(b, g);
	if (b->len > begin)
		ay_str_addc(b, '\n');
	split(g, s, part);
	for (int k = 0; k < SOURCES; k++)
		if (part[k].n) {
			add_part(b, g, &part[k], sources[k].title);
			ay_str_addc(b, '\n');
		}
	if (g->held) {
		add_held(b, g);
		ay_str_addc(b, '\n');
	}
	add_cost(b, g);
	ay_str_addc(b, '\n');
}

static void add_problem_row(struct ay_str *b, const struct ay_gen *g, const struct ay_gen_problem *p)
{
	const char *verdict = p->chosen ? json_string_value(json_object_get(p->chosen, "verdict")) : NULL;
	const char *attempt = p->chosen ? json_string_value(json_object_get(p->chosen, "attempt")) : NULL;

	ay_str_add(b, "| ");
	ay_md_text(b, p->name, 200);
	ay_str_addf(b, " | %s | ", p->solved ? "yes" : "no");
	if (p->first_round)
		ay_str_addf(b, "%d", p->first_round);
	ay_str_add(b, " | ");
	ay_md_text(b, verdict ? verdict : "no kernel", 40);
	ay_str_addf(b, " | %d | %lld | %lld |", p->attempts, (long long)p->tokens_in, (long long)p->tokens_out);
	if (g->unpriced)
		ay_str_add(b, " |");
	else
		ay_str_addf(b, " %.4f |", p->usd);
	ay_str_addf(b, " %.1f | %.1f | ", p->generate_s, p->judge_s);
	ay_md_text(b, attempt ? attempt : "", 240);
	ay_str_add(b, " |\n");
}

void ay_gen_markdown(struct ay_str *b, const struct ay_gen *g, const struct ay_summary *s)
{
	struct result_part part[SOURCES];
	size_t begin;

	ay_str_add(b, "\n## Generation\n\n- ");
	add_within(b, g);
	ay_str_add(b, "\n");
	begin = b->len;
	add_passk(b, g);
	if (b->len > begin)
		ay_str_add(b, "\n");
	if (g->held) {
		ay_str_add(b, "- ");
		add_held(b, g);
		ay_str_add(b, "\n");
	}
	ay_str_add(b, "- ");
	add_cost(b, g);
	ay_str_add(b, "\n");
	split(g, s, part);
	for (int k = 0; k < SOURCES; k++)
		if (part[k].n) {
			ay_str_add(b, "- ");
			add_part(b, g, &part[k], sources[k].title);
			ay_str_add(b, "\n");
		}
	ay_str_add(b,
		   "\nThe chosen attempt of each problem is its result above; the others are in results.jsonl.\n\n"
		   "| problem | solved | in round | verdict | attempts | tokens in | out | $ | generating, s | "
		   "judging, s | chosen |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
	for (int i = 0; i < g->n; i++)
		add_problem_row(b, g, &g->problem[i]);
}

int ay_gen_export(const char *dir, const struct ay_gen *g, const struct ay_summary *s, struct ay_err *err)
{
	struct ay_folder d = { open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), dir };
	json_t *j = ay_gen_json(g, s);
	struct ay_str b = { 0 };
	struct ay_arena a = { 0 };
	char *text = NULL;
	size_t n;
	int rc = -1;

	if (d.fd < 0) {
		ay_fail_errno(err, AY_ERR_IO, "cannot open the run folder '%s'", dir);
	} else if (!ay_folder_read(&d, "OVERALL_SUMMARY.md", &a, SUMMARY_MAX, &text, &n, err)) {
		const char *failures = text ? strstr(text, "\n## Failures\n") : NULL;
		const size_t first = failures ? (size_t)(failures - text) : text ? n : 0;

		ay_str_addn(&b, text ? text : "", first);
		ay_gen_markdown(&b, g, s);
		ay_str_addn(&b, text ? text + first : "", text ? n - first : 0);
		rc = ay_folder_write(&d, "OVERALL_SUMMARY.md", ay_str_text(&b), b.len, false, err);
		ay_str_clear(&b);
		if (!rc && json_dump_callback(j, ay_dump_to, &b, JSON_INDENT(2)))
			AY_BUG("pass_at_k_results.json could not be printed");
		ay_str_addc(&b, '\n');
		if (!rc)
			rc = ay_folder_write(&d, "pass_at_k_results.json", ay_str_text(&b), b.len, true, err);
	}
	if (d.fd >= 0)
		close(d.fd);
	ay_str_release(&b);
	ay_arena_release(&a);
	json_decref(j);
	return rc;
}
