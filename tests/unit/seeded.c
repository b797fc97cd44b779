/* SPDX-License-Identifier: Apache-2.0
 *
 * seeded - tests of what a seed determines: the content of judged and timed calls, and the judge's
 * random choices.
 */
#include "judge/perf.h"
#include "helpers.h"
#include "test.h"
#include "timing_fixture.h"

#include <stdio.h>
#include <string.h>

#define RELU                                                                               \
	"static int relu(const ay_tensor *a, ay_tensor *b, double add)\n"                  \
	"{\n"                                                                              \
	"	const float *x = a->data; float *y = b->data;\n"                                 \
	"	for (int64_t i = 0; i < ay_numel(a); i++) y[i] = (x[i] > 0 ? x[i] : 0) + add;\n" \
	"	return 0;\n"                                                                     \
	"}\n"

/* Wrong for large inputs, which no judged set has, but one in sixteen timed sets. */
static const char careless[] = RELU
	"int aten_relu@ { float most = 0; const float *x = self->data;\n"
	"	for (int64_t i = 0; i < ay_numel(self); i++) most = x[i] > most ? x[i] : most;\n"
	"	return relu(self, out, most > 40); }\n";

struct fixture {
	struct timing_fixture r;
	struct ay_judge j;
	struct ay_report rep;
};

static void setup(struct fixture *b, const char *text, const char *source, const uint64_t *seed)
{
	struct ay_policy policy = { 1, 1, .call_timeout_s = 5 };
	int fd;

	*b = (struct fixture){ 0 };
	timing_fixture_init(&b->r, text);
	fd = timing_fixture_build(&b->r, source);
	policy.sandbox = b->r.sandbox;
	policy.has_seed = seed != NULL;
	policy.seed = seed ? *seed : 0;
	CHECKF(!ay_judge_init(&b->j, help_registry(), &policy, fd, NULL, &b->r.a, &b->rep, &b->r.err) &&
		       b->rep.verdict == AY_VERDICT_NONE,
	       "%s", b->r.err.msg);
}

static void teardown(struct fixture *b)
{
	ay_judge_release(&b->j);
	timing_fixture_release(&b->r);
}

static enum ay_verdict judge(struct fixture *b, const char *text)
{
	struct ay_suite_case sc = b->r.sc;
	struct ay_case *line;

	CHECKF(!ay_case_parse(&b->r.a, text, strlen(text), &line, &b->r.err), "%s", b->r.err.msg);
	sc.line = line;
	CHECKF(!ay_judge_case(&b->j, &sc, &b->r.a, &b->rep, &b->r.err), "%s", b->r.err.msg);
	return b->rep.verdict;
}

#define LINE "aten::relu((T([1000], f32),), {}) seed=5"

/* A line with timed= is judged on exactly the content of that timed call. */
TEST(seeded_lines_repeat_what_a_timed_call_had)
{
	struct fixture b;
	struct ay_input_template m;
	int stress = 0, usual = 0;

	setup(&b, LINE, careless, NULL);
	ay_input_template_init(&m, b.r.call);
	for (int set = 0; set < 64; set++) {
		const bool is_stress = ay_input_template_is_stress(&m, ay_input_template_key(&m, 77), set);
		enum ay_verdict v;

		if (*(is_stress ? &stress : &usual) >= 3)
			continue;
		*(is_stress ? &stress : &usual) += 1;
		v = judge(&b, ay_sprintf(&b.r.a, LINE " timed=77:%d", set));
		CHECKF(v == (is_stress ? AY_VERDICT_MISMATCH : AY_VERDICT_PASS), "set %d: %s", set,
		       ay_verdict_name(v));
		CHECK_STR(b.rep.line, ay_sprintf(&b.r.a, LINE " timed=77:%d", set));
	}
	CHECKF(stress && usual, "%d stress sets, %d others", stress, usual);
	CHECK(judge(&b, LINE) == AY_VERDICT_PASS);
	ay_input_template_release(&m);
	teardown(&b);
}

/* What is found while it is timed can be found again: the report's line is wrong when it is
 * judged. */
TEST(seeded_a_verdict_while_timed_names_its_content)
{
	struct fixture b;
	struct ay_perf k;

	setup(&b, "aten::relu((T([1000], f32),), {})", careless, NULL);
	k = (struct ay_perf){ .policy = { .mode = AY_TIMED_AUTO, .budget_s = 20, .baseline = "none" },
			      .forge = &b.r.f,
			      .has_ceilings = true,
			      .ceilings = timing_fixture_kind };
	CHECK(!ay_judge_case(&b.j, &b.r.sc, &b.r.a, &b.rep, &b.r.err) && b.rep.verdict == AY_VERDICT_PASS);
	CHECKF(!ay_perf_case(&k, &b.j, &b.r.sc, &b.r.a, &b.rep, &b.r.err), "%s", b.r.err.msg);
	CHECKF(b.rep.verdict == AY_VERDICT_MISMATCH && strstr(b.rep.line, " timed="), "%s: %s",
	       ay_verdict_name(b.rep.verdict), b.rep.line);
	CHECKF(judge(&b, b.rep.line) == AY_VERDICT_MISMATCH, "%s is right again", b.rep.line);
	ay_perf_release(&k);
	teardown(&b);
}

/* The verdict of this kernel depends on poison and on an earlier call. With a fixed seed it is
 * equal in every run. */
TEST(seeded_runs_agree_on_a_kernel_that_depends_on_chance)
{
	static const char fickle[] = RELU
		"int aten_relu@ { static int n; unsigned char p = *(unsigned char *)out->data;\n"
		"	return relu(self, out, n++ ? p % 3 == 0 : p % 5 == 0); }\n";
	int seen[AY_VERDICT_COUNT + 1] = { 0 }, kinds = 0;

	for (uint64_t seed = 0; seed < 12; seed++) {
		enum ay_verdict first = AY_VERDICT_NONE;

		for (int run = 0; run < 4; run++) {
			struct fixture b;
			enum ay_verdict v;

			setup(&b, "aten::relu((T([10], f32),), {})", fickle, &seed);
			v = judge(&b, "aten::relu((T([10], f32),), {})");
			first = run ? first : v;
			CHECKF(v == first, "seed %d, run %d: %s, not %s", (int)seed, run, ay_verdict_name(v),
			       ay_verdict_name(first));
			teardown(&b);
		}
		seen[first]++;
	}
	for (int v = 0; v <= AY_VERDICT_COUNT; v++)
		kinds += seen[v] > 0;
	CHECKF(kinds > 1, "all seeds are alike: there was nothing to agree on");
}

/* Content by content and set by set, random operators get other states. */
TEST(seeded_states_of_random_generators_differ_in_every_call)
{
	enum { CONTENTS = 8, SETS = 64, ALL = CONTENTS * SETS };
	struct timing_fixture r;
	struct ay_input_template m;
	ay_rng rng[ALL];
	int equal = 0;

	timing_fixture_init(&r, "aten::exponential_((T([8], f32),), {}) seed=5");
	ay_input_template_init(&m, r.call);
	CHECK(ay_input_template_has_rng(&m));
	for (int i = 0; i < ALL; i++)
		rng[i] = ay_input_rng(ay_input_template_key(&m, (uint64_t)(i / SETS)), i % SETS);
	for (int i = 0; i < ALL; i++)
		for (int k = 0; k < i; k++)
			equal += rng[i].seed == rng[k].seed;
	CHECKF(!equal, "%d pairs are equal", equal);
	ay_input_template_release(&m);
	timing_fixture_release(&r);
}

/* A kernel that knows the seed knows the content of checked, uncounted calls, and no other. */
TEST(seeded_content_of_a_number_is_the_same_and_others_differ)
{
	struct timing_fixture r, again;
	struct ay_input_template m, n;
	struct ay_key one, two;

	timing_fixture_init(&r, LINE);
	timing_fixture_init(&again, LINE);
	ay_input_template_init(&m, r.call);
	ay_input_template_init(&n, again.call);
	one = ay_input_template_key(&m, 0);
	two = ay_input_template_key(&m, 1);
	CHECK(memcmp(&one, &two, sizeof one) != 0);
	two = ay_input_template_key(&n, 0);
	CHECK(!memcmp(&one, &two, sizeof one));
	CHECK(ay_input_rng(one, 3).seed == ay_input_rng(two, 3).seed);
	ay_input_template_release(&m);
	ay_input_template_release(&n);
	timing_fixture_release(&again);
	timing_fixture_release(&r);
}
