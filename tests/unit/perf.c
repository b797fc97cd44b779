/* SPDX-License-Identifier: Apache-2.0
 *
 * perf - tests of the timing of cases that passed: their baselines, and the results.
 */
#include "judge/perf.h"
#include "helpers.h"
#include "test.h"
#include "timing/baseline.h"
#include "timing_fixture.h"

#include <string.h>
#include <unistd.h>

#define RELU                                                                          \
	"int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)\n"   \
	"{\n"                                                                         \
	"	const float *x = self->data; float *y = out->data;\n"                       \
	"	for (int64_t i = 0; i < ay_numel(self); i++) y[i] = x[i] > 0 ? x[i] : 0;\n" \
	"	return 0;\n"                                                                \
	"}\n"

static const char line[] = "aten::relu((T([1000], f32),), {}) seed=5";

struct fixture {
	struct timing_fixture r;
	struct ay_judge j;
	struct ay_perf k;
	struct ay_report rep;
};

static void setup(struct fixture *b, const char *text, const char *source, const char *baseline)
{
	struct ay_policy policy = { 1, 1, .call_timeout_s = 5 };
	int fd;

	*b = (struct fixture){ 0 };
	timing_fixture_init(&b->r, text);
	fd = timing_fixture_build(&b->r, source);
	policy.sandbox = b->r.sandbox;
	b->k = (struct ay_perf){ .policy = { .mode = AY_TIMED_AUTO, .budget_s = 0.6, .baseline = baseline },
				 .forge = &b->r.f,
				 .has_ceilings = true,
				 .ceilings = timing_fixture_kind };
	CHECKF(!ay_judge_init(&b->j, help_registry(), &policy, fd, NULL, &b->r.a, &b->rep, &b->r.err) &&
		       b->rep.verdict == AY_VERDICT_NONE,
	       "%s", b->r.err.msg);
}

static void teardown(struct fixture *b)
{
	ay_perf_release(&b->k);
	ay_judge_release(&b->j);
	timing_fixture_release(&b->r);
}

/* Judges, then times. */
static const struct ay_timing *measure(struct fixture *b)
{
	static const struct ay_timing none;

	CHECKF(!ay_judge_case(&b->j, &b->r.sc, &b->r.a, &b->rep, &b->r.err) && b->rep.verdict == AY_VERDICT_PASS,
	       "%s %s: %s", ay_verdict_name(b->rep.verdict), b->r.err.msg, b->rep.detail ? b->rep.detail : "");
	CHECKF(!ay_perf_case(&b->k, &b->j, &b->r.sc, &b->r.a, &b->rep, &b->r.err), "%s", b->r.err.msg);
	CHECK(b->rep.timing);
	return b->rep.timing ? b->rep.timing : &none;
}

static const char *file(const char *name, const char *source)
{
	static char path[200];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", test_dir(), name);
	f = fopen(path, "w");
	CHECK(f && fprintf(f, "#include <assay/kernel.h>\n%s", source) > 0 && !fclose(f));
	return path;
}

/* --- words ------------------------------------------------------------------------------------ */

TEST(perf_baselines_are_words_or_files)
{
	static const char *const good[] = { NULL,
					    "auto",
					    "reference",
					    "none",
					    "ref",
					    "openblas",
					    "cublas",
					    "aten",
					    "kernels/c/aten_relu.c",
					    "kernels/python/relu.py" };
	static const struct {
		const char *word, *says;
	} bad[] = {
		{ "openbla", "--baseline is auto, reference, ref, aten, openblas, cublas, none or a kernel's "
			     "file; there is no "
			     "file 'openbla'" },
		{ "/no/such/file.c", "there is no file '/no/such/file.c'" },
		{ "", "there is no file ''" },
		{ "kernels/c", "'kernels/c'" },
		{ "README.md", "README.md" },
	};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct ay_err err = { 0 };

		CHECKF(!ay_perf_check_baseline(good[i], &err), "%s: %s", good[i], err.msg);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ay_err err = { 0 };

		CHECKF(ay_perf_check_baseline(bad[i].word, &err) == -1, "'%s' is taken", bad[i].word);
		CHECKF(strstr(err.msg, bad[i].says), "'%s': %s", bad[i].word, err.msg);
	}
}

/* --- what a case is held against -------------------------------------------------------------- */

TEST_SLOW(perf_against_words)
{
	static const struct {
		const char *word, *baseline, *why;
	} t[] = {
		{ "none", NULL, NULL },
		{ "reference", "reference", NULL },
		{ NULL, "reference", NULL }, /* auto: openblas has no relu */
		{ "openblas", NULL, "openblas has no function for this operator" },
		{ "cublas", NULL, "the baseline is for GPUs, and the kernel runs on the processor" },
		{ "kernels/cuda/aten_relu.cu", NULL,
		  "the baseline is for GPUs, and the kernel runs on the processor" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct fixture b;
		const struct ay_timing *m;

		setup(&b, line, RELU, t[i].word);
		if (t[i].baseline)
			b.k.policy.budget_s = 3; /* needs a ratio on a busy machine too */
		m = measure(&b);
		CHECKF(b.rep.verdict == AY_VERDICT_PASS, "%s", ay_verdict_name(b.rep.verdict));
		CHECK_STR(m->baseline ? m->baseline : "-", t[i].baseline ? t[i].baseline : "-");
		CHECKF(!t[i].why || (m->why && !strcmp(m->why, t[i].why)), "%s: %s", t[i].word,
		       m->why ? m->why : "-");
		CHECKF(!m->scored && !m->version, "a time over no library is scored");
		CHECK(m->floor_ns >= m->null_ns && m->bytes > 0);
		teardown(&b);
	}
}

/* auto means the library if this machine has it, else the reference. */
TEST_SLOW(perf_auto_takes_the_library_that_is_there)
{
	static const char gemm[] =
		"int cublas_cublasSgemm_v2(const char *transa, const char *transb, int64_t m, int64_t n, int64_t "
		"k, double alpha,\n"
		"	const ay_tensor *A, int64_t lda, const ay_tensor *B, int64_t ldb, double beta, ay_tensor "
		"*C, int64_t ldc,\n"
		"	const ay_ctx *ctx)\n"
		"{\n"
		"	const float *a = A->data, *b = B->data; float *c = C->data;\n"
		"	for (int64_t j = 0; j < n; j++)\n"
		"		for (int64_t i = 0; i < m; i++) {\n"
		"			float s = 0;\n"
		"			for (int64_t l = 0; l < k; l++) s += a[l * lda + i] * b[j * ldb + l];\n"
		"			c[j * ldc + i] = s;\n"
		"		}\n"
		"	return 0;\n"
		"}\n";
	struct ay_baseline has = { 0 };
	const struct ay_timing *m;
	struct fixture b;

	setup(&b,
	      "cublas::cublasSgemm_v2(('N', 'N', 32, 32, 32, 1.0, T([32, 32], f32), 32, T([32, 32], f32), 32, "
	      "0.0, "
	      "T([32, 32], f32), 32), {}) seed=5",
	      gemm, NULL);
	CHECK(!ay_baseline_ask("openblas", NULL, &b.r.a, &has, &b.r.err));
	b.k.policy.budget_s = 3;
	m = measure(&b);
	CHECK_STR(m->baseline ? m->baseline : "-", has.version ? "openblas" : "reference");
	CHECK_STR(m->version ? m->version : "-", has.version ? has.version : "-");
	CHECKF(has.version || !m->scored, "scored over the reference");
	teardown(&b);
}

TEST_SLOW(perf_against_a_file)
{
	struct fixture b;
	const struct ay_timing *m;

	setup(&b, line, RELU, file("mine.c", RELU));
	b.k.policy.budget_s = 3;
	for (int i = 0; i < 2; i++) { /* the second time it is cached */
		m = measure(&b);
		CHECK_STR(m->baseline ? m->baseline : "-", "mine.c");
		CHECKF(m->pace != AY_PACE_NONE || m->why, "neither pace nor reason");
		CHECK(!m->scored);
	}
	teardown(&b);
}

/* An unusable baseline is reported as a reason; the kernel still passes. */
TEST_SLOW(perf_file_that_is_no_good_is_a_reason)
{
	static const struct {
		const char *what, *source, *why;
	} t[] = {
		{ "wrong",
		  "int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)\n"
		  "{ for (int64_t i = 0; i < ay_numel(self); i++) ((float *)out->data)[i] = 0; return 0; }\n",
		  "the baseline gets MISMATCH on this case" },
		{ "refuses",
		  "int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx) { return 1; }\n",
		  "the baseline gets UNSUPPORTED on this case" },
		{ "crashes",
		  "int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx) { return *(volatile "
		  "int *)8; }\n",
		  "the baseline gets CRASH on this case" },
		{ "not C", "int aten_relu(", "the baseline does not compile" },
		{ "another function", "int aten_relu_(ay_tensor *self, const ay_ctx *ctx) { return 0; }\n",
		  "the baseline has no function for this overload" },
		{ "nothing", "int x;\n", "the baseline has no function for this overload" },
		{ "constructor",
		  "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(1); }\n" RELU,
		  "the baseline cannot be loaded" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct fixture b;

		setup(&b, line, RELU, file("other.c", t[i].source));
		/* the result is cached for the next case */
		for (int turn = 0; turn < (i ? 1 : 2); turn++) {
			const struct ay_timing *m = measure(&b);

			CHECKF(b.rep.verdict == AY_VERDICT_PASS, "%s: %s", t[i].what,
			       ay_verdict_name(b.rep.verdict));
			CHECKF(!m->baseline && m->pace == AY_PACE_NONE, "%s is a baseline", t[i].what);
			CHECKF(m->why && !strcmp(m->why, t[i].why), "%s: %s", t[i].what, m->why ? m->why : "-");
			CHECKF(m->ns > 0, "%s: the kernel has no time of its own", t[i].what);
		}
		teardown(&b);
	}
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* If the machine moves one byte a second, any time below hours is implausible. */
TEST(perf_below_the_floor_is_implausible)
{
	struct fixture b;

	setup(&b, line, RELU, "none");
	b.k.ceilings.row[0].point[0].per_s = 1;
	measure(&b);
	CHECKF(b.rep.verdict == AY_VERDICT_IMPLAUSIBLE, "%s", ay_verdict_name(b.rep.verdict));
	CHECKF(b.rep.detail && strstr(b.rep.detail, "no correct kernel can take less than"), "%s",
	       b.rep.detail ? b.rep.detail : "-");
	teardown(&b);
}

TEST(perf_what_goes_wrong_only_in_timing_is_a_verdict)
{
	static const struct {
		const char *what, *after; /* the first twelve calls of a process */
		enum ay_verdict verdict;
	} t[] = {
		{ "wrong", "((float *)out->data)[5] += 1", AY_VERDICT_MISMATCH },
		{ "nothing is written", "return 0", AY_VERDICT_CHEAT },
		{ "crash", "*(volatile int *)8 = 1", AY_VERDICT_CRASH },
		{ "refusal", "return 7", AY_VERDICT_UNSUPPORTED },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const bool first = t[i].verdict == AY_VERDICT_CHEAT; /* instead of its work */
		struct fixture b;
		char source[900];

		snprintf(source, sizeof source,
			 "int aten_relu@\n"
			 "{\n"
			 "	static int n; const float *x = self->data; float *y = out->data;\n"
			 "	if (%d && ++n > 12) { %s; }\n"
			 "	for (int64_t i = 0; i < ay_numel(self); i++) y[i] = x[i] > 0 ? x[i] : 0;\n"
			 "	if (!%d && ++n > 12) { %s; }\n"
			 "	return 0;\n"
			 "}\n",
			 first, first ? t[i].after : "", first, first ? "" : t[i].after);
		setup(&b, line, source, "none");
		b.k.policy.budget_s = 10; /* it ends when the defect is found */
		measure(&b);
		CHECKF(b.rep.verdict == t[i].verdict, "%s: %s (%s)", t[i].what, ay_verdict_name(b.rep.verdict),
		       b.rep.detail ? b.rep.detail : "");
		CHECK(b.rep.detail && b.rep.timing && !b.rep.timing->ns);
		teardown(&b);
	}
}
