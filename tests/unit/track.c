/* SPDX-License-Identifier: Apache-2.0
 *
 * track - tests of generation tracks: which attempt is next, which is chosen, and the totals.
 * Attempts that were not chosen must count neither for nor against an operator.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "llm/track_results.h"
#include "llm/track.h"
#include "store/export.h"
#include "store/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHA_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define SHA_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static const char *const two[] = { "aten::add", "aten::relu" };

static const struct ay_attempt_worth right = { .solved = true, .passed = 4, .of = 4 };
static const struct ay_attempt_worth wrong = { .passed = 1, .of = 4 };

/* --- the estimator ---------------------------------------------------------------------------- */

/* Counts every choice of k out of n, of which the first c are correct. */
static double by_counting(int n, int c, int k)
{
	int all = 0, good = 0;

	for (unsigned set = 0; set < 1u << n; set++) {
		if (__builtin_popcount(set) != k)
			continue;
		all++;
		good += (set & ((1u << c) - 1)) != 0;
	}
	return (double)good / all;
}

TEST(track_pass_at_k_is_the_share_of_all_choices)
{
	for (int n = 1; n <= 9; n++)
		for (int c = 0; c <= n; c++)
			for (int k = 1; k <= n; k++)
				CHECKF(fabs(ay_pass_at_k(n, c, k) - by_counting(n, c, k)) < 1e-12,
				       "n %d c %d k %d: %g", n, c, k, ay_pass_at_k(n, c, k));
	CHECK(ay_pass_at_k(5, 2, 6) == -1);
	CHECK(ay_pass_at_k(5, 6, 1) == -1);
	CHECK(ay_pass_at_k(5, 2, 0) == -1);
	CHECK(ay_pass_at_k(1000, 1, 1000) == 1);
	CHECK(fabs(ay_pass_at_k(1000, 1, 100) - 0.1) < 1e-12);
}

/* --- turns ------------------------------------------------------------------------------------ */

static struct ay_lane *ask(struct ay_track *t, const char *id)
{
	struct ay_lane *l = ay_track_ask(t);

	CHECKF(l && !strcmp(l->id, id), "%s asks, not %s", l ? l->id : "none", id);
	CHECK(!l || ay_track_find(t, id) == l);
	return l;
}

static void judge(struct ay_track *t, struct ay_lane *l, const struct ay_attempt_worth *w, const char *sha)
{
	ay_track_answered(t, l, true);
	CHECK(ay_track_judge(t) == l);
	ay_track_judged(t, l, w, sha);
}

TEST(track_rounds_go_to_what_is_not_solved)
{
	const struct ay_track_rules rules = { .rounds = 3, .workers = 1 };
	struct ay_track t;
	struct ay_lane *add, *relu;

	ay_track_init(&t, &rules, 2, two);
	add = ask(&t, "aten::add/r1/w0");
	relu = ask(&t, "aten::relu/r1/w0");
	CHECK(!ay_track_ask(&t));
	judge(&t, add, &right, SHA_A);
	CHECK(ay_problem_over(&t, 0) && t.problem[0].solved && t.over == 1);
	ay_track_answered(&t, relu, false); /* nothing usable in the answer counts as a round too */
	CHECK(ask(&t, "aten::relu/r2/w0") == relu);
	judge(&t, relu, &wrong, SHA_A);
	CHECK(ask(&t, "aten::relu/r3/w0") == relu);
	judge(&t, relu, &(struct ay_attempt_worth){ .passed = 0, .of = 4 }, SHA_B);
	CHECK(!ay_track_ask(&t) && t.over == 2 && !t.problem[1].solved);
	CHECK_STR(t.problem[0].chosen, "aten::add/r1/w0");
	/* of failures the one with the most passed cases */
	CHECK_STR(t.problem[1].chosen, "aten::relu/r2/w0");
	CHECK_STR(t.problem[1].sha256, SHA_A);
	ay_track_release(&t);
}

TEST(track_first_right_kernel_stops_the_other_workers)
{
	const struct ay_track_rules rules = { .rounds = 5, .workers = 4 };
	struct ay_track t;
	struct ay_lane *l[4], *s;

	ay_track_init(&t, &rules, 1, two);
	l[0] = ask(&t, "aten::add/r1/w0");
	l[1] = ask(&t, "aten::add/r1/w1");
	l[2] = ask(&t, "aten::add/r1/w2");
	l[3] = ask(&t, "aten::add/r1/w3");
	ay_track_answered(&t, l[1], true);
	CHECK(ay_track_judge(&t) == l[1]);
	ay_track_answered(&t, l[2], true);
	CHECK(ay_track_judge(&t) == l[2]);
	ay_track_answered(&t, l[3], true);
	ay_track_judged(&t, l[1], &right, SHA_B);
	CHECK(t.problem[0].solved && !ay_problem_over(&t, 0));
	s = ay_track_stopped(&t, 0);
	CHECK(s == l[0] && s->was == AY_LANE_ASKED);
	s = ay_track_stopped(&t, 0);
	CHECK(s == l[3] && s->was == AY_LANE_TO_JUDGE);
	CHECK(!ay_track_stopped(&t, 0));
	CHECK(!ay_track_judge(&t) && !ay_track_ask(&t)); /* a stopped lane has left its queue */
	/* it was being judged: its result changes nothing */
	ay_track_judged(&t, l[2], &right, SHA_C);
	CHECK(ay_problem_over(&t, 0) && t.over == 1);
	CHECK_STR(t.problem[0].sha256, SHA_B);
	CHECK(t.problem[0].worker == 1);
	ay_track_release(&t);
}

TEST(track_samples_are_all_drawn_and_the_first_drawn_is_shown)
{
	const struct ay_track_rules rules = { .rounds = 3, .workers = 1, .samples = true };
	struct ay_track t;
	struct ay_lane *l[3];

	ay_track_init(&t, &rules, 1, two);
	l[0] = ask(&t, "aten::add/r1/w0");
	l[1] = ask(&t, "aten::add/r2/w0");
	l[2] = ask(&t, "aten::add/r3/w0");
	judge(&t, l[2], &right, SHA_C);
	CHECK(!ay_track_stopped(&t, 0) && !ay_problem_over(&t, 0));
	judge(&t, l[1], &right, SHA_B);
	judge(&t, l[0], &wrong, SHA_A);
	CHECK(t.over == 1);
	CHECK_STR(t.problem[0].chosen, "aten::add/r2/w0");
	ay_track_release(&t);
}

TEST(track_best_goes_on_and_takes_the_fastest)
{
	const struct ay_track_rules rules = { .rounds = 4, .workers = 1, .best = true };
	const double lo[] = { 1.1, 1.7, 1.3 };
	struct ay_track t;
	struct ay_lane *l;

	ay_track_init(&t, &rules, 1, two);
	for (int i = 0; i < 3; i++) {
		struct ay_attempt_worth w = right;

		w.speedup_lo = lo[i];
		l = ay_track_ask(&t);
		judge(&t, l, &w, i == 1 ? SHA_B : SHA_A);
		CHECK(!ay_problem_over(&t, 0));
	}
	judge(&t, ay_track_ask(&t), &wrong, SHA_C);
	CHECK(t.over == 1 && t.problem[0].solved);
	CHECK_STR(t.problem[0].chosen, "aten::add/r2/w0");
	CHECK_STR(t.problem[0].sha256, SHA_B);
	ay_track_release(&t);
}

TEST(track_takes_up_what_a_killed_run_had)
{
	const struct ay_track_rules rules = { .rounds = 3, .workers = 2 };
	struct ay_track t;
	struct ay_lane *l;

	ay_track_init(&t, &rules, 2, two);
	CHECK(!ay_track_waiting(&t, "aten::add", 2, 0)); /* its first round comes first */
	l = ay_track_waiting(&t, "aten::add", 1, 0);
	CHECK(l);
	ay_track_judged(&t, l, &wrong, SHA_A);
	l = ay_track_waiting(&t, "aten::relu", 1, 1);
	ay_track_judged(&t, l, &right, SHA_B);
	while (ay_track_stopped(&t, 1))
		;
	CHECK(ay_problem_over(&t, 1));
	CHECK(ay_track_waiting(&t, "aten::add", 2, 0));
	ask(&t, "aten::add/r2/w0"); /* at its old place in the queue; no lane of relu asks */
	ask(&t, "aten::add/r1/w1");
	CHECK(!ay_track_ask(&t));
	ay_track_release(&t);
}

/* --- results ---------------------------------------------------------------------------------- */

static void add(struct ay_run *r, json_t *rec)
{
	struct ay_err err = { 0 };

	CHECKF(rec && !ay_run_add(r, rec, &err), "%s", err.msg);
	json_decref(rec);
}

/* Adds an attempt that was judged, with its kernel's records. */
static void add_attempt(struct ay_run *r, const char *op, int round, const char *sha, const char *verdict)
{
	const bool solved = !strcmp(verdict, "PASS");
	char id[80], line[80];

	snprintf(id, sizeof id, "%s/r%d/w0", op, round);
	snprintf(line, sizeof line, "%s((T([4], f32),), {}) seed=1", op);
	add(r, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "type", "case", "operator", op, "overload", op,
			 "line", line, "verdict", verdict, "kernel_sha256", sha, "attempt", id));
	add(r, json_pack("{s:s, s:s, s:s, s:s, s:s, s:{s:{s:s, s:i, s:{s:i}}}}", "type", "kernel", "operator", op,
			 "verdict", verdict, "kernel_sha256", sha, "attempt", id, "overloads", op, "verdict",
			 verdict, "cases", 1, "counts", verdict, 1));
	add(r, json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:s, s:b, s:i, s:i, s:f, s:f, s:f}", "type",
			 "attempt", "problem", op, "attempt", id, "round", round, "worker", 0, "end", "stop",
			 "reply", "fenced", "verdict", verdict, "kernel_sha256", sha, "solved", solved,
			 "tokens_in", 100, "tokens_out", 10, "usd", 0.5, "generate_s", 2.0, "judge_s", 1.0));
}

static void add_chosen(struct ay_run *r, const char *op, const char *sha, const char *verdict)
{
	add(r, json_pack("{s:s, s:s, s:s, s:s, s:s, s:f}", "type", "chosen", "problem", op, "operator", op,
			 "kernel_sha256", sha, "verdict", verdict, "wall_s", 7.0));
}

static struct ay_run *start_run_in(const char *dir, const char *kind, int rounds)
{
	json_t *header = json_pack("{s:s, s:s, s:s}", "command", "llm", "suite", "t", "backend", "llm");
	struct ay_err err = { 0 };
	struct ay_run *r;

	CHECKF(!ay_run_create(help_path(dir), header, &r, &err), "%s", err.msg);
	json_decref(header);
	add(r, json_pack("{s:s, s:{s:[s], s:[s], s:[s]}}", "type", "suite", "operators", "aten::add", "aten::add",
			 "aten::relu", "aten::relu", "aten::sum", "aten::sum"));
	add(r, json_pack("{s:s, s:s, s:i, s:i, s:[s, s, s]}", "type", "track", "kind", kind, "rounds", rounds,
			 "workers", 1, "problems", "aten::add", "aten::relu", "aten::sum"));
	return r;
}

static struct ay_run *start_run(const char *kind, int rounds)
{
	return start_run_in("run", kind, rounds);
}

/* add is right in round 3, relu never, sum never has a kernel. */
static void fill_run(struct ay_run *r, bool choose)
{
	add_attempt(r, "aten::add", 1, SHA_A, "MISMATCH");
	add_attempt(r, "aten::relu", 1, SHA_A, "CRASH");
	add_attempt(r, "aten::add", 2, SHA_B, "CRASH");
	add_attempt(r, "aten::add", 3, SHA_C, "PASS");
	add_attempt(r, "aten::relu", 2, SHA_B, "MISMATCH");
	add(r, json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:b, s:i, s:i, s:f}", "type", "attempt", "problem",
			 "aten::sum", "attempt", "aten::sum/r1/w0", "round", 1, "worker", 0, "end", "refused",
			 "reply", "refused", "solved", false, "tokens_in", 100, "tokens_out", 2, "usd", 0.25));
	add(r, json_pack("{s:s, s:s}", "type", "lost", "attempt", "aten::sum/r1/w0"));
	if (choose) {
		add_chosen(r, "aten::add", SHA_B, "CRASH"); /* of several the last counts */
		add_chosen(r, "aten::add", SHA_C, "PASS");
		add_chosen(r, "aten::relu", SHA_B, "MISMATCH");
	}
}

TEST(track_only_chosen_attempts_are_results)
{
	struct ay_run *r = start_run("repair", 3);
	struct ay_summary s = { 0 };
	struct ay_err err = { 0 };

	fill_run(r, true);
	CHECK(!ay_run_close(r, &err));
	CHECKF(!ay_summary_read(help_path("run"), &s, &err), "%s", err.msg);
	CHECK(s.operators.of == 3 && s.operators.passed == 1 && s.operators.missing == 1);
	CHECK(s.op[0].passed && s.op[0].kernels == 1 && s.op[0].cases == 1);
	CHECK(s.op[1].verdict == AY_VERDICT_MISMATCH && s.op[1].kernels == 1);
	CHECK(s.op[2].verdict == AY_VERDICT_NONE);
	CHECK(s.nrow == 2);
	ay_summary_release(&s);
}

TEST(track_attempts_without_a_choice_are_no_results)
{
	struct ay_run *r = start_run("repair", 3);
	struct ay_summary s = { 0 };
	struct ay_err err = { 0 };

	fill_run(r, false);
	CHECK(!ay_run_close(r, &err));
	CHECKF(!ay_summary_read(help_path("run"), &s, &err), "%s", err.msg);
	CHECK(s.operators.of == 3 && s.operators.passed == 0 && s.operators.missing == 3);
	ay_summary_release(&s);
}

TEST(track_results_are_what_the_records_say)
{
	struct ay_run *r = start_run("repair", 3);
	struct ay_summary s = { 0 };
	struct ay_gen g = { 0 };
	struct ay_err err = { 0 };
	const json_t *add_details;
	json_t *j;

	fill_run(r, true);
	CHECK(!ay_run_close(r, &err));
	CHECK(!ay_summary_read(help_path("run"), &s, &err) && !ay_gen_read(help_path("run"), &g, &err));
	CHECK(g.n == 3 && g.solved == 1 && g.attempts == 6 && g.judged == 5);
	CHECK(g.tokens_in == 600 && g.tokens_out == 52 && fabs(g.usd - 2.75) < 1e-12);
	CHECK(ay_gen_solved_within(&g, 2) == 0 && fabs(ay_gen_solved_within(&g, 3) - 1.0 / 3) < 1e-12);
	CHECK(ay_gen_pass_at_k(&g, 1) < 0); /* repair is no pass@k */
	j = ay_gen_json(&g, &s);
	CHECK(json_is_null(json_object_get(j, "pass_at_k")));
	CHECK(json_integer_value(json_object_get(j, "lost_requests")) == 1);
	CHECK(json_integer_value(json_object_get(j, "total_passed")) == 1);
	CHECK(fabs(json_number_value(json_object_get(j, "usd_per_success")) - 2.75) < 1e-12);
	add_details = json_object_get(json_object_get(j, "operator_details"), "aten::add");
	CHECK(json_integer_value(json_object_get(add_details, "first_pass_round")) == 3);
	CHECK(json_integer_value(json_object_get(add_details, "total_attempts")) == 3);
	CHECK(json_number_value(json_object_get(add_details, "wall_s")) == 7);
	CHECK_STR(json_string_value(json_object_get(add_details, "kernel_sha256")), SHA_C);
	json_decref(j);
	CHECKF(!ay_export(help_path("run"), &s, &err) && !ay_gen_export(help_path("run"), &g, &s, &err), "%s",
	       err.msg);
	CHECK(ay_file_exists(help_path("run/pass_at_k_results.json")));
	ay_gen_release(&g);
	ay_summary_release(&s);
}

/* Adds a case that was timed against a library. */
static void add_timed(struct ay_run *r, const char *op, const char *sha, double speedup)
{
	char line[80];

	snprintf(line, sizeof line, "%s((T([512], f32),), {}) seed=1", op);
	add(r, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s, s:s, s:b, s:f, s:f, s:f, s:f}}", "type",
			 "case", "operator", op, "overload", op, "line", line, "verdict", "PASS", "kernel_sha256",
			 sha, "attempt", "a", "timing", "pace", "FASTER", "baseline", "aten", "scored", true, "ns",
			 100.0, "speedup", speedup, "lo", speedup * 0.9, "hi", speedup * 1.1));
}

TEST(track_speed_is_of_chosen_kernels_and_by_source)
{
	struct ay_run *r = start_run("repair", 2);
	struct ay_summary s = { 0 };
	struct ay_gen g = { 0 };
	struct ay_err err = { 0 };
	const json_t *aten, *speed;
	json_t *j;

	add_attempt(r, "aten::add", 1, SHA_A, "PASS");
	add_timed(r, "aten::add", SHA_A, 8); /* right and fast, but not chosen */
	add_attempt(r, "aten::add", 2, SHA_B, "PASS");
	add_timed(r, "aten::add", SHA_B, 2);
	add_attempt(r, "aten::relu", 1, SHA_C, "PASS");
	add_timed(r, "aten::relu", SHA_C, 0.5);
	add_timed(r, "aten::relu", SHA_A, 9); /* an attempt that was not chosen */
	add_chosen(r, "aten::add", SHA_B, "PASS");
	add_chosen(r, "aten::relu", SHA_C, "PASS");
	CHECK(!ay_run_close(r, &err));
	CHECK(!ay_summary_read(help_path("run"), &s, &err) && !ay_gen_read(help_path("run"), &g, &err));
	j = ay_gen_json(&g, &s);
	aten = json_object_get(json_object_get(j, "by_source"), "ATen");
	speed = json_object_get(aten, "speed");
	CHECK(json_integer_value(json_object_get(aten, "total")) == 3);
	CHECK(json_integer_value(json_object_get(aten, "passed")) == 2);
	CHECK(json_integer_value(json_object_get(speed, "scored")) == 2);
	CHECK(fabs(json_number_value(json_object_get(speed, "speedup")) - 1) < 1e-9); /* of 2 and 0.5 */
	CHECK(fabs(json_number_value(json_object_get(speed, "lo")) - 0.9) < 1e-9);
	CHECK(fabs(json_number_value(json_object_get(speed, "hi")) - 1.1) < 1e-9);
	json_decref(j);
	ay_gen_release(&g);
	ay_summary_release(&s);
}

TEST(track_the_unbiased_estimate_needs_all_samples)
{
	struct ay_run *r = start_run("samples", 2);
	struct ay_gen g = { 0 };
	struct ay_err err = { 0 };

	add_attempt(r, "aten::add", 1, SHA_A, "PASS");
	add_attempt(r, "aten::add", 2, SHA_B, "MISMATCH");
	add_attempt(r, "aten::relu", 1, SHA_A, "MISMATCH");
	add_attempt(r, "aten::relu", 2, SHA_B, "MISMATCH");
	add_attempt(r, "aten::sum", 1, SHA_A, "PASS");
	add(r,
	    json_pack("{s:s, s:s, s:s, s:i, s:i, s:s}", "type", "attempt", "problem", "aten::sum", "attempt",
		      "aten::sum/r2/w0", "round", 2, "worker", 0, "end", "failed")); /* no sample of the model */
	add(r, json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s}", "type", "attempt", "problem", "aten::add",
			 "attempt", "aten::add/r3/w0", "round", 3, "worker", 0, "end", "stop", "error",
			 "ours")); /* nor is this */
	CHECK(!ay_run_close(r, &err) && !ay_gen_read(help_path("run"), &g, &err));
	CHECK(g.failed == 1 && g.errors == 1 && g.least_samples == 1);
	CHECK(fabs(ay_gen_pass_at_k(&g, 1) - (0.5 + 0 + 1) / 3) < 1e-12);
	CHECK(ay_gen_pass_at_k(&g, 2) < 0);
	ay_gen_release(&g);
}

TEST(track_a_sequence_that_stops_has_no_unbiased_estimate)
{
	struct ay_run *r = start_run("pass@k", 2);
	struct ay_gen g = { 0 };
	struct ay_err err = { 0 };

	add_attempt(r, "aten::add", 1, SHA_A, "PASS");
	CHECK(!ay_run_close(r, &err) && !ay_gen_read(help_path("run"), &g, &err));
	CHECK(ay_gen_pass_at_k(&g, 1) < 0);
	CHECK(fabs(ay_gen_solved_within(&g, 1) - 1.0 / 3) < 1e-12);
	ay_gen_release(&g);
}

TEST(track_a_folder_without_a_track_is_refused)
{
	json_t *header = json_object();
	struct ay_run *r;
	struct ay_gen g = { 0 };
	struct ay_err err = { 0 };

	CHECK(!ay_run_create(help_path("run"), header, &r, &err) && !ay_run_close(r, &err));
	CHECK(ay_gen_read(help_path("run"), &g, &err) && strstr(err.msg, "no generation run"));
	ay_gen_release(&g);
	json_decref(header);
}

/* Merges two runs at equal problems. */
static void merge_two(const char *kind, struct ay_gen *g)
{
	struct ay_run *a = start_run_in("a", kind, 1), *b = start_run_in("b", kind, 2), *all = NULL;
	char dirs[2][4200];
	const char *const list[] = { dirs[0], dirs[1] };
	struct ay_run_found found = { 0 };
	struct ay_err err = { 0 };

	snprintf(dirs[0], sizeof dirs[0], "%s", help_path("a"));
	snprintf(dirs[1], sizeof dirs[1], "%s", help_path("b"));
	add_attempt(a, "aten::add", 1, SHA_A, "MISMATCH");
	add_attempt(a, "aten::relu", 1, SHA_A, "PASS");
	add_attempt(b, "aten::add", 1, SHA_B, "PASS");
	add_attempt(b, "aten::sum", 1, SHA_B, "MISMATCH");
	add_attempt(b, "aten::sum", 2, SHA_C, "PASS");
	CHECK(!ay_run_close(a, &err) && !ay_run_close(b, &err));
	CHECKF(!ay_run_merge(help_path("all"), 2, list, &all, &found, &err) && !ay_run_close(all, &err), "%s",
	       err.msg);
	CHECKF(!ay_gen_read(help_path("all"), g, &err), "%s", err.msg);
}

TEST(track_shards_are_one_track_and_no_second_try)
{
	struct ay_gen g = { 0 };

	merge_two("repair", &g);
	CHECK(g.n == 3 && g.rounds == 2 && g.attempts == 4);
	/* add has failed in the first run; the second run must not be a second chance */
	CHECK(g.solved == 2 && !g.problem[0].solved);
	CHECK(ay_gen_solved_within(&g, 1) > 0.33 && ay_gen_solved_within(&g, 1) < 0.34);
	ay_gen_release(&g);
}

TEST(track_samples_of_two_runs_are_more_samples)
{
	struct ay_gen g = { 0 };

	merge_two("samples", &g);
	CHECK(g.n == 3 && g.attempts == 5);
	CHECK(g.problem[0].samples == 2 && g.problem[0].correct == 1);
	ay_gen_release(&g);
}
