/* SPDX-License-Identifier: Apache-2.0
 *
 * weak - tests of cases that can prove little: by chance, or by their nature.
 */
#include "helpers.h"
#include "judge/judge.h"
#include "test.h"
#include "timing_fixture.h"

static const char kernel[] = "int aten_relu@\n{\n"
			     "	const float *x = self->data;\n	float *y = out->data;\n"
			     "	for (int i = 0; i < 3; i++) for (int k = 0; k < 40; k++) {\n"
			     "		float v = x[i * self->strides[0] + k * self->strides[1]];\n"
			     "		y[i * out->strides[0] + k * out->strides[1]] = v > 0 ? v : 0;\n"
			     "	}\n	return 0;\n}\n";

/* Returns how often of that many times the case is weak. */
static int count_weak(const char *line, int times)
{
	struct ay_policy policy = { .threads = 1, .oracle_threads = 1, .call_timeout_s = 20 };
	struct timing_fixture r;
	struct ay_report rep;
	struct ay_judge j;
	int weak = 0, fd;

	timing_fixture_init(&r, line);
	fd = timing_fixture_build(&r, kernel);
	policy.sandbox = r.sandbox;
	CHECKF(!ay_judge_init(&j, help_registry(), &policy, fd, NULL, &r.a, &rep, &r.err), "%s", r.err.msg);
	for (int i = 0; i < times; i++) {
		CHECKF(!ay_judge_case(&j, &r.sc, &r.a, &rep, &r.err), "%s", r.err.msg);
		CHECKF(rep.verdict == AY_VERDICT_PASS || rep.verdict == AY_VERDICT_WEAK_CASE, "%s: %s",
		       ay_verdict_name(rep.verdict), rep.detail ? rep.detail : "");
		weak += rep.verdict == AY_VERDICT_WEAK_CASE;
	}
	ay_judge_release(&j);
	timing_fixture_release(&r);
	return weak;
}

/* Three numbers are all negative once in 8 times, and once in 64 after a second draw. A result of
 * 15 of 200 is 3 million times less likely than fewer. */
TEST(weak_cases_by_chance_are_drawn_again)
{
	const int weak = count_weak("aten::relu((T([3, 40], f32, stride=(1, 0)),), {})", 200);

	CHECKF(weak < 15, "%d of 200", weak);
}

TEST(weak_cases_that_are_so_stay_so)
{
	CHECK(count_weak("aten::relu((T([3, 40], f32, fill=uniform(-2, -1)),), {})", 3) == 3);
	CHECK(count_weak("aten::relu((T([3, 40], f32, fill=uniform(-2, -1)),), {}) seed=5", 3) == 3);
}
