/* SPDX-License-Identifier: Apache-2.0
 *
 * score - tests of times in records: written, read as untrusted input, and added up to scores with
 * complete denominators.
 */
#include "test.h"
#include "helpers.h"
#include "report_fixture.h"
#include "../../cmd/case_record.h"
#include "base/arena.h"
#include "base/file.h"
#include "store/export.h"
#include "store/timing_json.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

/* --- the object "timing" ---------------------------------------------------------------------- */

static struct ay_timing some_timing(void)
{
	static const double sample[] = { 0.1234567, -0.00000049, 0.25 };

	return (struct ay_timing){
		.pace = AY_PACE_FASTER,
		.why = "a \x1b[31mred\xff reason",
		.baseline = "openblas",
		.version = "0.3.21 SkylakeX",
		.scored = true,
		.audited = true,
		.level = AY_LEVEL_L3,
		.threads = 2,
		.blocks = 52,
		.ns = 1000,
		.ns_lo = 990,
		.ns_hi = 1010,
		.base_ns = 2000,
		.speedup = 2,
		.lo = 1.9,
		.hi = 2.1,
		.totals = 1.99,
		.latency_ns = -3, /* a hand-over that took longer for a single call */
		.floor_ns = 250,
		.wall_s = 0.5,
		.nsample = 3,
		.sample = sample,
	};
}

TEST(score_timing_goes_into_a_record_and_back)
{
	struct ay_timing t = some_timing(), got;
	json_t *j = record_timing(&t), *samples = json_object_get(j, "samples");

	CHECK(!ay_timing_json_wrong(j));
	CHECK_STR(json_string_value(json_object_get(j, "pace")), "FASTER");
	CHECK_STR(json_string_value(json_object_get(j, "level")), "L3");
	CHECK_STR(json_string_value(json_object_get(j, "why")), "a \\x1b[31mred\\xff reason");
	CHECK(json_real_value(json_object_get(j, "of_floor")) == 0.25);
	CHECK(json_array_size(samples) == 3 && json_real_value(json_array_get(samples, 0)) == 0.123457 &&
	      json_real_value(json_array_get(samples, 1)) == 0);
	ay_timing_json_read(j, &got);
	CHECK(got.nsample == 3);
	CHECK_STR(got.version, t.version);
	t.why = got.why;
	t.baseline = got.baseline;
	t.version = got.version;
	t.sample = got.sample;
	for (const struct ay_timing_field *f = ay_timing_fields; f->name; f++) {
		const size_t n = f->kind == AY_TIMING_BOOL                                ? 1
				 : f->kind <= AY_TIMING_LEVEL || f->kind == AY_TIMING_INT ? 4
											  : 8;

		CHECKF(!memcmp((char *)&t + f->at, (char *)&got + f->at, n), "%s", f->name);
	}
	json_decref(j);
}

TEST(score_numbers_that_json_has_not_are_left_out)
{
	struct ay_timing t = some_timing();
	const double odd[] = { NAN, 0.5, INFINITY };
	json_t *j;

	t.hi = INFINITY;
	t.lo = 0;
	t.peak = NAN;
	t.ns = 0;
	t.sample = odd;
	t.baseline = NULL;
	j = record_timing(&t);
	CHECK(!ay_timing_json_wrong(j) && !json_object_get(j, "hi") && !json_object_get(j, "peak"));
	CHECK(!json_object_get(j, "baseline") && !json_object_get(j, "of_floor"));
	CHECK(json_array_size(json_object_get(j, "samples")) == 1);
	json_decref(j);
	t = (struct ay_timing){ 0 };
	j = record_timing(&t);
	CHECK(!ay_timing_json_wrong(j));
	CHECK_STR(json_string_value(json_object_get(j, "pace")), "NONE");
	json_decref(j);
}

/* Opens a line whose author can make seals. */
static enum ay_fault open_forged(const char *timing)
{
	json_t *t = json_loads(timing, JSON_DECODE_ANY, NULL), *rec;
	struct ay_str b = { 0 };
	char hex[AY_SHA256_HEX];
	enum ay_fault fault;

	CHECKF(t != NULL, "%s", timing);
	ay_sha256("l", 1, hex);
	rec = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "type", "case", "overload", "aten::relu", "line",
			"l", "line_sha256", hex, "verdict", "PASS", "kernel_sha256", "", "timing", t);
	json_dump_callback(rec, ay_dump_to, &b, JSON_COMPACT | JSON_SORT_KEYS);
	ay_sha256(b.s, b.len, hex);
	json_object_set_new(rec, "sha256", json_string(hex));
	ay_str_clear(&b);
	json_dump_callback(rec, ay_dump_to, &b, JSON_COMPACT);
	json_decref(rec);
	fault = ay_record_open(b.s, b.len, &rec);
	json_decref(rec);
	ay_str_release(&b);
	return fault;
}

TEST(score_hostile_timing_is_refused)
{
	static const struct {
		const char *text, *wrong;
	} rows[] = {
		{ "{\"pace\":\"FASTER\"}", NULL },
		{ "{\"pace\":\"NONE\",\"why\":\"no library\",\"new\":{\"x\":[]}}", NULL },
		{ "{\"pace\":\"SAME\",\"ns\":5,\"latency_ns\":-1.5,\"samples\":[]}", NULL },
		{ "{}", "pace" },
		{ "[]", "pace" },
		{ "null", "pace" },
		{ "\"FASTER\"", "pace" },
		{ "{\"pace\":\"FASTEST\"}", "pace" },
		{ "{\"pace\":4}", "pace" },
		{ "{\"pace\":\"SAME\",\"level\":\"L9\"}", "level" },
		{ "{\"pace\":\"SAME\",\"level\":2}", "level" },
		{ "{\"pace\":\"SAME\",\"baseline\":[\"openblas\"]}", "baseline" },
		{ "{\"pace\":\"SAME\",\"scored\":1}", "scored" },
		{ "{\"pace\":\"SAME\",\"scored\":\"false\"}", "scored" },
		{ "{\"pace\":\"SAME\",\"threads\":-1}", "threads" },
		{ "{\"pace\":\"SAME\",\"blocks\":99999999999}", "blocks" },
		{ "{\"pace\":\"SAME\",\"blocks\":1.5}", "blocks" },
		{ "{\"pace\":\"SAME\",\"speedup\":\"inf\"}", "speedup" },
		{ "{\"pace\":\"SAME\",\"ns\":null}", "ns" },
		{ "{\"pace\":\"SAME\",\"ns\":{}}", "ns" },
		{ "{\"pace\":\"SAME\",\"of_floor\":\"1\"}", "of_floor" },
		{ "{\"pace\":\"SAME\",\"samples\":{}}", "samples" },
		{ "{\"pace\":\"SAME\",\"samples\":[1,\"2\"]}", "samples" },
	};
	struct ay_str many = { 0 };
	json_t *j;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *got;

		j = json_loads(rows[i].text, JSON_DECODE_ANY, NULL);
		got = ay_timing_json_wrong(j);
		CHECKF(rows[i].wrong ? got && !strcmp(got, rows[i].wrong) : !got, "%s: %s", rows[i].text,
		       got ? got : "good");
		CHECKF(open_forged(rows[i].text) == (rows[i].wrong ? AY_FAULT_SHAPE : AY_FAULT_NONE), "%s",
		       rows[i].text);
		json_decref(j);
	}
	ay_str_add(&many, "{\"pace\":\"SAME\",\"samples\":[0");
	for (int i = 0; i < 10000; i++)
		ay_str_add(&many, ",0");
	ay_str_add(&many, "]}");
	CHECK(open_forged(many.s) == AY_FAULT_SHAPE);
	ay_str_release(&many);
}

/* --- records ---------------------------------------------------------------------------------- */

static void add_suite(struct ay_run *r, const char *operators)
{
	report_fixture_add_json(
		r, json_pack("{s:s, s:o}", "type", "suite", "operators", json_loads(operators, 0, NULL)));
}

/* timing NULL: not timed. */
static void add(struct ay_run *r, const char *overload, int n, const char *verdict, const struct ay_timing *timing)
{
	json_t *j = json_pack("{s:s, s:s, s:o, s:s, s:s, s:s}", "type", "case", "overload", overload, "line",
			      json_sprintf("%s((T([%d], f32),), {}) seed=1", overload, n), "verdict", verdict,
			      "kernel_sha256", REPORT_RIG_A, "file", "k.c");

	if (timing)
		json_object_set_new(j, "timing", record_timing(timing));
	report_fixture_add_json(r, j);
}

/* Returns an honest record: 5 % to each side, for a kernel of 1,000 ns. */
static struct ay_timing times(double speedup)
{
	return (struct ay_timing){ .pace = speedup > 1.06  ? AY_PACE_FASTER
					   : speedup < 0.9 ? AY_PACE_SLOWER
							   : AY_PACE_SAME,
				   .baseline = "openblas",
				   .version = "0.3",
				   .scored = true,
				   .threads = 1,
				   .ns = 1000,
				   .ns_lo = 990,
				   .ns_hi = 1010,
				   .speedup = speedup,
				   .lo = speedup * 0.95,
				   .hi = speedup * 1.05,
				   .floor_ns = 500 };
}

static void add_fast(struct ay_run *r, const char *overload, int n, double speedup)
{
	const struct ay_timing t = times(speedup);

	add(r, overload, n, "PASS", &t);
}

static void read_run(const char *name, struct ay_run *r, struct ay_summary *s)
{
	struct ay_err err = { 0 };

	*s = (struct ay_summary){ 0 };
	CHECK(!ay_run_close(r, &err));
	CHECKF(!ay_summary_read(help_path(name), s, &err), "%s", err.msg);
}

static const struct ay_sum_operator *find_op(const struct ay_summary *s, const char *name)
{
	static const struct ay_sum_operator none;

	for (int i = 0; i < s->noperator; i++)
		if (!strcmp(s->op[i].name, name))
			return &s->op[i];
	test_fail(__FILE__, __LINE__, "no operator %s", name);
	return &none;
}

static int above(const struct ay_speed_score *s, double p, bool surely)
{
	for (int i = 0; i < AY_PERF_N; i++)
		if (ay_perf_p[i] == p)
			return surely ? s->surely[i] : s->fast[i];
	return -1;
}

/* --- scores ----------------------------------------------------------------------------------- */

#define FIVE                                                                                         \
	"{\"a::relu\":[\"a::relu\"],\"a::add\":[\"a::add.x\",\"a::add.y\"],\"a::exp\":[\"a::exp\"]," \
	"\"a::abs\":[\"a::abs\"],\"a::neg\":[\"a::neg\"]}"

TEST(score_two_levels_and_every_operator_in_the_denominator)
{
	struct ay_run *r = report_fixture_create("r");
	const struct ay_timing fast = times(100);
	struct ay_summary s;

	add_suite(r, FIVE);
	add_fast(r, "a::relu", 1, 2);
	add_fast(r, "a::relu", 2, 8);    /* 4x */
	add_fast(r, "a::add.x", 1, 0.5); /* the operator: (0.5 0.5 0.5 4)^(1/4) = 0.5 * 8^(1/4) */
	add_fast(r, "a::add.x", 2, 0.5);
	add_fast(r, "a::add.x", 3, 0.5);
	add_fast(r, "a::add.y", 1, 4);
	add(r, "a::exp", 1, "PASS", NULL);  /* right, not timed */
	add(r, "a::abs", 1, "PASS", &fast); /* a case of it is wrong */
	add(r, "a::abs", 2, "MISMATCH", &fast);
	/* neg is missing; mul is not in the suite */
	add_fast(r, "a::mul", 1, 1000);
	read_run("r", r, &s);
	CHECK(near(find_op(&s, "a::relu")->speed.speedup, 4) && near(find_op(&s, "a::relu")->speed.lo, 3.8));
	CHECK(near(find_op(&s, "a::add")->speed.speedup, 0.5 * pow(8, 0.25)));
	CHECK(s.speed_operators.of == 5 && s.speed_operators.correct == 3 && s.speed_operators.scored == 2);
	CHECKF(near(s.speed_operators.speedup, sqrt(4 * 0.5 * pow(8, 0.25))), "%g", s.speed_operators.speedup);
	CHECK(above(&s.speed_operators, 0, false) == 2 && above(&s.speed_operators, 1, false) == 1);
	CHECK(above(&s.speed_operators, 2, false) == 1 && above(&s.speed_operators, 0.5, false) == 2);
	for (int i = 0; i < AY_PERF_N; i++) { /* and for --p */
		const struct ay_perf_at o = ay_perf_at_operators(&s, ay_perf_p[i]),
					v = ay_perf_at_overloads(&s, ay_perf_p[i]);

		CHECK(o.of == 5 && o.fast == s.speed_operators.fast[i] && o.surely == s.speed_operators.surely[i]);
		CHECK(v.of == 6 && v.fast == s.speed_overloads.fast[i] && v.surely == s.speed_overloads.surely[i]);
	}
	CHECK(ay_perf_at_operators(&s, 3.9).fast == 1 && !ay_perf_at_operators(&s, 3.9).surely);
	CHECK(ay_perf_at_overloads(&s, 3.9).fast == 2 && !ay_perf_at_overloads(&s, 4).fast);
	/* per overload: add.x and add.y are separate problems */
	CHECK(s.speed_overloads.of == 6 && s.speed_overloads.scored == 3);
	CHECK(near(s.speed_overloads.speedup, cbrt(4 * 0.5 * 4)) && above(&s.speed_overloads, 1, false) == 2);
	CHECK(near(find_op(&s, "a::relu")->speed.ns, 1000) && near(find_op(&s, "a::relu")->speed.of_floor, 0.5));
	CHECK_STR(ay_sum_baseline(&s, &find_op(&s, "a::relu")->speed), "openblas 0.3");
	ay_summary_release(&s);
}

/* BackendBench's H8 and H9: a backend that raises where it is slow, or leaves operators out, gains
 * nothing. */
TEST(score_raising_where_it_is_slow_earns_nothing)
{
	static const char *const how[] = { "CRASH", "UNSUPPORTED", "TIMEOUT", "LOAD" };
	struct ay_run *honest = report_fixture_create("honest"), *dodger = report_fixture_create("dodger");
	struct ay_summary s;
	double due;

	add_suite(honest, FIVE);
	add_suite(dodger, FIVE);
	add_fast(honest, "a::relu", 1, 4);
	add_fast(honest, "a::relu", 2, 0.25); /* 1x in all */
	add_fast(honest, "a::exp", 1, 2);
	read_run("honest", honest, &s);
	due = s.speed_operators.speedup;
	CHECK(s.speed_operators.of == 5 && s.speed_operators.correct == 2 && near(due, sqrt(2)));
	CHECK(above(&s.speed_operators, 1, false) == 1);
	ay_summary_release(&s);
	add_fast(dodger, "a::relu", 1, 4);
	for (int i = 0; i < 4; i++)
		add(dodger, "a::relu", 2 + i, how[i], NULL);
	add_fast(dodger, "a::exp", 1, 2);
	read_run("dodger", dodger, &s);
	/* relu counts for nothing: not for its fast case, not as 1x, and not as if it were
	 * absent */
	CHECK(find_op(&s, "a::relu")->verdict == AY_VERDICT_CRASH);
	CHECK(s.speed_operators.of == 5 && s.speed_operators.correct == 1 && s.speed_operators.scored == 1);
	CHECK(above(&s.speed_operators, 0, false) == 1 && above(&s.speed_operators, 1, false) == 1);
	CHECK(s.operators.of == 5 && s.operators.passed == 1);
	ay_summary_release(&s);
}

TEST(score_borders_are_strict_and_the_lower_bound_has_its_own)
{
	static const double speedups[] = { 1, 1.02, 1.5, 2, 2.2 };
	struct ay_run *r = report_fixture_create("r");
	struct ay_summary s;

	for (int i = 0; i < 5; i++) {
		char name[20];

		snprintf(name, sizeof name, "a::o%d", i);
		add_fast(r, name, 1, speedups[i]);
		add_fast(r, name, 2, speedups[i]);
		add_fast(r, name, 3, speedups[i]);
	}
	read_run("r", r, &s);
	CHECK(s.speed_operators.of == 5 && above(&s.speed_operators, 1, false) == 4); /* 1.0 is not above 1 */
	CHECK(above(&s.speed_operators, 1, true) == 3);                               /* 1.02 * 0.95 < 1 */
	CHECK(above(&s.speed_operators, 1.5, false) == 2 && above(&s.speed_operators, 2, false) == 1);
	CHECK(above(&s.speed_operators, 2, true) == 1 && above(&s.speed_operators, 0.8, true) == 5);
	ay_summary_release(&s);
}

/* One operator each: what must not be scored is not, whatever else the record says. */
TEST(score_takes_only_what_may_be_scored)
{
	struct ay_timing t[11];
	const char *verdict[11];
	struct ay_run *r = report_fixture_create("r");
	struct ay_summary s;

	for (int i = 0; i < 11; i++) {
		t[i] = times(50);
		verdict[i] = "PASS";
	}
	t[0].scored = false;
	t[1].baseline = "reference"; /* and claims to be scored */
	t[2].overhead_bound = true;  /* also without a baseline */
	t[3].baseline = NULL;
	t[4].pace = AY_PACE_NONE;
	verdict[5] = "IMPLAUSIBLE";
	verdict[6] = "WEAK_CASE";
	t[7].pace = AY_PACE_UNCLEAR; /* without lower bound: unknown */
	t[7].lo = 0;
	t[8].speedup = -50;
	t[9].speedup = 1e300; /* a value that no clock gives */
	t[10].ns = 0;
	for (int i = 0; i < 11; i++) {
		char name[20];

		snprintf(name, sizeof name, "a::o%d", i);
		add(r, name, 1, verdict[i], &t[i]);
	}
	add_fast(r, "a::good", 1, 3);
	read_run("r", r, &s);
	for (int i = 0; i < s.noperator; i++)
		CHECKF((s.op[i].speed.speedup > 0) == !strcmp(s.op[i].name, "a::good"), "%s: %g", s.op[i].name,
		       s.op[i].speed.speedup);
	CHECK(s.speed_operators.of == 12 && s.speed_operators.scored == 1 && s.speed_operators.correct == 10);
	CHECK(near(s.speed_operators.speedup, 3) && above(&s.speed_operators, 0, false) == 1);
	CHECK(s.speed_operators.overhead == 1 && s.speed_operators.overhead_cases == 1);
	/* over the reference: shown with its name, but never scored */
	CHECK(near(find_op(&s, "a::o1")->speed.any_speedup, 50) &&
	      !ay_speed_shown(&find_op(&s, "a::o1")->speed).scored);
	ay_summary_release(&s);
}

TEST(score_unclear_counts_as_its_lower_bound_and_overhead_is_left_out)
{
	struct ay_timing unclear = times(4), tiny = times(0.01), none = times(4);
	struct ay_run *r = report_fixture_create("r");
	struct ay_summary s;

	unclear.pace = AY_PACE_UNCLEAR;
	unclear.lo = 0.25;
	tiny.scored = false;
	tiny.overhead_bound = true;
	none.pace = AY_PACE_UNCLEAR;
	none.lo = 0;
	none.hi = INFINITY;
	add(r, "a::x", 1, "PASS", &unclear);
	add_fast(r, "a::x", 2, 1);
	add(r, "a::x", 3, "PASS", &tiny);
	add_fast(r, "a::y", 1, 9); /* and a case with an unknown time */
	add(r, "a::y", 2, "PASS", &none);
	read_run("r", r, &s);
	CHECK(near(find_op(&s, "a::x")->speed.speedup, 0.5) && find_op(&s, "a::x")->speed.overhead == 1);
	CHECK(find_op(&s, "a::x")->speed.scored == 2 && find_op(&s, "a::x")->speed.timed == 3);
	CHECK(find_op(&s, "a::y")->speed.speedup == 0 && find_op(&s, "a::y")->speed.unknown == 1);
	CHECK(s.speed_operators.scored == 1 && s.speed_operators.overhead == 0);
	ay_summary_release(&s);
}

TEST(score_of_several_attempts_the_worst_counts)
{
	const struct ay_timing fast = times(9), slow = times(0.5);
	struct ay_timing tiny = times(30), skipped = times(100);
	struct ay_run *r = report_fixture_create("r");
	struct ay_summary s;

	tiny.overhead_bound = true;
	add(r, "a::x", 1, "PASS", &fast);
	add(r, "a::x", 1, "PASS", &slow);
	add(r, "a::x", 1, "PASS", &fast);
	add(r, "a::x", 1, "PASS", &tiny); /* left out, so it hides nothing */
	add(r, "a::x", 1, "PASS", NULL);
	add(r, "a::y", 1, "SKIPPED", &skipped); /* never judged, so its time counts for nothing */
	add(r, "a::y", 1, "PASS", NULL);
	add(r, "a::z", 1, "PASS", &fast);
	add(r, "a::z", 1, "CRASH", NULL);
	read_run("r", r, &s);
	CHECK(near(find_op(&s, "a::x")->speed.speedup, 0.5) && find_op(&s, "a::x")->speed.timed == 1);
	CHECK(find_op(&s, "a::y")->speed.timed == 0 && find_op(&s, "a::y")->passed);
	CHECK(find_op(&s, "a::z")->speed.timed == 0 && find_op(&s, "a::z")->verdict == AY_VERDICT_CRASH);
	CHECK(s.speed_operators.of == 3 && s.speed_operators.scored == 1);
	ay_summary_release(&s);
}

TEST(score_several_baselines_are_named_so)
{
	struct ay_timing other = times(2);
	struct ay_run *r = report_fixture_create("r");
	struct ay_summary s;

	other.version = "0.4";
	add_fast(r, "a::x", 1, 2);
	add_fast(r, "a::y", 1, 2);
	add(r, "a::x", 2, "PASS", &other);
	read_run("r", r, &s);
	CHECK_STR(ay_sum_baseline(&s, &find_op(&s, "a::x")->speed), "several");
	CHECK_STR(ay_sum_baseline(&s, &find_op(&s, "a::y")->speed), "openblas 0.3");
	ay_summary_release(&s);
}

/* --- for people ------------------------------------------------------------------------------- */

TEST(score_times_and_speedups_are_printed_short)
{
	static const struct {
		double ns;
		const char *want;
	} rows[] = { { 0, "" },          { 0.5, "0.5 ns" },    { 999, "999 ns" },
		     { 999.6, "1 us" },  { 15200, "15.2 us" }, { 2.5e6, "2.5 ms" },
		     { 7e12, "7e+03 s" } };
	const struct ay_speed_shown all = { 1.5234, 1.4999, 1.55, true }, half = { 0.98, 0, 0, false },
				    none = { 0 };
	struct ay_str b = { 0 };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		ay_str_clear(&b);
		ay_time_print(&b, rows[i].ns);
		CHECK_STR(ay_str_text(&b), rows[i].want);
	}
	ay_str_clear(&b);
	ay_speed_print(&b, &all);
	ay_speed_print(&b, &half);
	ay_speed_print(&b, &none);
	CHECK_STR(b.s, "1.52x [1.5, 1.55]0.98x [?, ?] (not scored)");
	ay_str_release(&b);
}

/* What a row shows and what it counts for differ: then both are said, and the totals say how
 * often. */
TEST(score_says_what_an_unclear_case_counts_as)
{
	struct ay_timing unclear = times(2), plain = times(3);
	struct ay_run *r = report_fixture_create("r");
	struct ay_speed_shown shown;
	struct ay_str b = { 0 };
	struct ay_summary s;

	unclear.pace = AY_PACE_UNCLEAR;
	unclear.lo = 0.167;
	unclear.hi = 6.4;
	add(r, "a::unclear", 1, "PASS", &unclear);
	add(r, "a::plain", 1, "PASS", &plain);
	read_run("r", r, &s);
	shown = ay_speed_shown(&find_op(&s, "a::unclear")->speed);
	ay_speed_print(&b, &shown);
	CHECK_STR(ay_str_text(&b), "2x [0.167, 6.4] counts as 0.167x");
	shown = ay_speed_shown(&find_op(&s, "a::plain")->speed);
	CHECK(!shown.counts_as);
	ay_str_clear(&b);
	ay_speed_score_print_notes(&b, &s.speed_operators);
	CHECK_STR(ay_str_text(&b), "; 1 cases are UNCLEAR and count as their lower bound");
	ay_str_release(&b);
	ay_summary_release(&s);
}

/* A kernel that is right but too slow for its large case gets no speed-up from its small ones. */
TEST(score_too_slow_takes_the_speed_up_away)
{
	struct ay_timing fast = times(3),
			 slow = { .pace = AY_PACE_NONE, .too_slow = true, .why = "too slow to time" };
	struct ay_run *r = report_fixture_create("r");
	struct ay_str b = { 0 };
	struct ay_summary s;

	add(r, "a::both", 1, "PASS", &fast);
	add(r, "a::both", 2, "SKIPPED", &slow);
	add(r, "a::judged", 1, "PASS", &fast);
	add(r, "a::judged", 2, "PASS", &slow);
	add_fast(r, "a::good", 1, 3);
	read_run("r", r, &s);
	CHECK(s.speed_operators.correct == 3 && s.speed_operators.scored == 1);
	CHECK(!find_op(&s, "a::both")->speed.speedup && !find_op(&s, "a::judged")->speed.speedup);
	CHECK(s.speed_operators.unknown_cases == 2);
	ay_speed_score_print_notes(&b, &s.speed_operators);
	CHECK(strstr(ay_str_text(&b), "2 cases were too slow to time") != NULL);
	ay_str_release(&b);
	ay_summary_release(&s);
}

TEST(score_exports_carry_times_and_scores)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run *r = report_fixture_create("r");
	struct ay_timing evil = times(2);
	struct ay_summary s;
	const char *csv, *md;
	json_t *j, *speed;

	add_suite(r, FIVE);
	add_fast(r, "a::relu", 1, 2);
	add_fast(r, "a::relu", 2, 8);
	evil.baseline = "=<b>|\x1b]0;x\x07";
	add(r, "a::exp", 1, "PASS", &evil);
	read_run("r", r, &s);
	CHECKF(!ay_export(help_path("r"), &s, &err), "%s", err.msg);
	csv = help_slurp(&a, help_path("r/operator_summary.csv"), NULL);
	CHECKF(strstr(csv, "," REPORT_RIG_A ",1000,0.5,4,3.8,4.2,openblas 0.3,yes,2,2,0\r\n") != NULL, "%s", csv);
	CHECK(strstr(csv, "," REPORT_RIG_A ",1000,0.5,2,1.9,2.1,\"'=<b>|\\") && strstr(csv, ",,,,,,,,,0,0,0\r\n"));
	j = json_loads(help_slurp(&a, help_path("r/results.json"), NULL), 0, NULL);
	speed = json_object_get(json_object_get(json_object_get(j, "scores"), "speed"), "operators");
	CHECK(json_integer_value(json_object_get(speed, "of")) == 5 &&
	      json_integer_value(json_object_get(speed, "scored")) == 2 &&
	      near(json_real_value(json_object_get(speed, "speedup")), sqrt(8)));
	speed = json_array_get(json_object_get(speed, "perf_at"), 3);
	CHECK(json_real_value(json_object_get(speed, "p")) == 1 &&
	      json_real_value(json_object_get(speed, "rate")) == 0.4);
	speed = json_object_get(json_object_get(json_object_get(j, "operators"), "a::relu"), "speed");
	CHECK(near(json_real_value(json_object_get(speed, "speedup")), 4));
	CHECK(!json_object_get(json_object_get(json_object_get(j, "operators"), "a::neg"), "speed"));
	json_decref(j);
	md = help_slurp(&a, help_path("r/OVERALL_SUMMARY.md"), NULL);
	CHECK(strstr(
		md, "- **speed-up per operator: 2.83x [2.69, 2.97]**, the geometric mean over 2 of 5: 2 passed;"));
	CHECK(strstr(md, "| perf@1 | 2 of 5 (40.0 %) | 2 of 5 (40.0 %) | 2 of 6 (33.3 %) | 2 of 6 (33.3 %) |\n"));
	CHECK(strstr(md, "| `a::relu` | 1 us | 50 % | 4x [3.8, 4.2] | openblas 0.3 | 2 | 2 | 0 |\n"));
	CHECK(strstr(md, "=&lt;b&gt;\\|") && !strpbrk(md, "\x1b\x07") && !strpbrk(csv, "\x1b\x07"));
	ay_summary_release(&s);
	ay_arena_release(&a);
}
