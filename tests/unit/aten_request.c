/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_request - tests of answers that stay in the executor's memory. The judge first asks for the
 * results' descriptions, and later reads the results to compare them.
 */
#include "forge/forge.h"
#include "exec/launch.h"
#include "helpers.h"
#include "judge/judge.h"
#include "test.h"
#include "aten_oracle_fixture.h"

#include <string.h>
#include <unistd.h>

/* x + 1, with an error at one place. */
static const char kernel[] = "#include <assay/kernel.h>\n"
			     "int my_shift(const ay_tensor *x, ay_tensor *out, const ay_ctx *ctx)\n{\n"
			     "\tconst float *from = x->data;\n\tfloat *to = out->data, old = to[7];\n"
			     "\tconst long n = ay_numel(x);\n"
			     "\tfor (long i = 0; i < n; i++)\n\t\tto[i] = from[i] + 1;\n"
			     "\t%s\n\treturn ctx && old == old ? 0 : 0;\n}\n";

static const char reference[] = "def reference(x):\n    return x + 1\n";

static const struct {
	const char *what, *error;
	enum ay_verdict due;
} kernels[] = {
	{ "right", "", AY_VERDICT_PASS },
	{ "a little off, as a sum in another order", "to[0] = (from[0] + 0.5f) + 0.5f;", AY_VERDICT_PASS },
	{ "wrong at the end", "to[n - 1] += 0.01f;", AY_VERDICT_MISMATCH },
	{ "NaN", "to[5] = to[5] / 0 * 0;", AY_VERDICT_MISMATCH },
	{ "unwritten", "to[7] = old;", AY_VERDICT_UNWRITTEN },
};

struct fixture {
	struct aten_oracle_fixture g;
	struct ay_forge f;
	struct ay_policy policy;
	struct ay_suite_case sc;
	struct ay_proto *p;
};

static void setup(struct fixture *b)
{
	struct ay_call *c;

	*b = (struct fixture){ .policy = { .threads = 1, .oracle_threads = 1, .call_timeout_s = 20 } };
	aten_oracle_fixture_init(&b->g, true);
	if (ay_forge_init(&b->f, ay_sprintf(&b->g.a, "%s/assay", help_cache()), &b->g.err) || !b->f.cc)
		test_skip("no compiler: %s", b->g.err.msg);
	b->f.sandbox = b->policy.sandbox = b->g.sandbox;
	b->policy.python = &b->g.python;
	b->policy.device = b->g.d;
	b->policy.ref_fd = ay_launch_memfd("ref", reference, sizeof reference - 1, 0);
	b->policy.ref_file = "ref.py";
	b->sc.op = aten_oracle_fixture_bind(&b->g, "my::shift((T([1024, 1025], f32),), {})", &c);
	b->sc.schema = c->s;
	b->sc.line = c->line;
	CHECK(!ay_proto_make(&b->g.a, c->s, &b->p, &b->g.err));
}

static void teardown(struct fixture *b)
{
	close(b->policy.ref_fd);
	ay_forge_release(&b->f);
	aten_oracle_fixture_release(&b->g);
}

static int build(struct fixture *b, const char *error)
{
	const char *text = ay_sprintf(&b->g.a, kernel, error);
	struct ay_built built;

	CHECKF(!ay_forge_build(&b->f, &b->g.a, text, strlen(text), AY_LANG_C, 1,
			       (const struct ay_proto *const *)&b->p, 60, &built, &b->g.err) &&
		       built.ok,
	       "%s%s\n%s", b->g.err.msg, built.log, text);
	return built.fd;
}

TEST_SLOW(aten_request_results_are_held_against_an_answer_that_stays_there)
{
	struct fixture b;

	setup(&b);
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		struct ay_report rep;
		struct ay_judge j;
		const int fd = build(&b, kernels[i].error);

		CHECKF(!ay_judge_init(&j, &b.g.r, &b.policy, fd, NULL, &b.g.a, &rep, &b.g.err), "%s", b.g.err.msg);
		j.aten_oracle.place = "cpu";
		/* of the second request the values stay in the executor */
		for (int k = 0; k < 2; k++) {
			CHECKF(!ay_judge_case(&j, &b.sc, &b.g.a, &rep, &b.g.err), "%s", b.g.err.msg);
			CHECKF(rep.verdict == kernels[i].due, "%s: %s instead of %s: %s", kernels[i].what,
			       ay_verdict_name(rep.verdict), ay_verdict_name(kernels[i].due),
			       rep.detail ? rep.detail : "");
			CHECKF(rep.given && (k ? rep.given->shape_only : !rep.given->shape_only), "%s: case %d",
			       kernels[i].what, k);
			CHECK_STR(rep.oracle_device, k ? "cuda" : "cpu");
		}
		CHECKF(j.aten_oracle.asked[AY_ATEN_REQUEST_SHAPES] == 1 &&
			       j.aten_oracle.asked[AY_ATEN_REQUEST_RIGHT] == 1 &&
			       j.aten_oracle.asked[AY_ATEN_REQUEST_ANSWER] ==
				       1 + (kernels[i].due != AY_VERDICT_PASS),
		       "%s: asked %d, %d, %d times", kernels[i].what, j.aten_oracle.asked[0],
		       j.aten_oracle.asked[1], j.aten_oracle.asked[2]);
		if (kernels[i].due == AY_VERDICT_PASS)
			CHECKF(j.aten_oracle.laid.n, "%s: its inputs were laid out once more", kernels[i].what);
		if (kernels[i].due == AY_VERDICT_MISMATCH && rep.verdict == AY_VERDICT_MISMATCH)
			CHECKF(rep.bad == 1 && rep.total == 1024 * 1025 && rep.at, "%s: %lld of %lld",
			       kernels[i].what, (long long)rep.bad, (long long)rep.total);
		ay_judge_release(&j);
		close(fd);
	}
	teardown(&b);
}
