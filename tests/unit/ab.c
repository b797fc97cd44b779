/* SPDX-License-Identifier: Apache-2.0
 *
 * ab - tests of A/B measurements: what is counted, and which defects of kernels that misbehave only
 * when timed are found. No test depends on actual speeds.
 */
#include "timing/ab.h"
#include "test.h"
#include "timing_fixture.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const char line[] = "aten::relu((T([1000], f32),), {})";

#define RELU                                                                       \
	"static int relu(const ay_tensor *a, ay_tensor *b)\n"                      \
	"{\n"                                                                      \
	"	const float *x = a->data; float *y = b->data;\n"                         \
	"	for (int64_t i = 0; i < ay_numel(a); i++) y[i] = x[i] > 0 ? x[i] : 0;\n" \
	"	return 0;\n"                                                             \
	"}\n"
static const char good[] = RELU "int aten_relu@ { return relu(self, out); }\n";

/* A machine of which nothing is measured. */
static const struct ay_ceilings machine = {
	.cache = { 32 << 10, 1 << 20, 4 << 20 },
	.nthread = 1,
	.row = { { .threads = 1, .n = 1, .point = { { 1e3, 1e11 } }, .f32 = 1e11, .f64 = 1e11 } }
};

struct timed {
	struct timing_fixture r;
	struct ay_ab_spec s;
	struct ay_timing t;
	struct ay_ab_report rep;
};

static void setup(struct timed *k, const char *text, const char *source, enum ay_baseline_kind against,
		  const char *base)
{
	*k = (struct timed){ 0 };
	timing_fixture_init(&k->r, text);
	k->s = (struct ay_ab_spec){ .op = k->r.sc.op,
				    .call = k->r.call,
				    .kernel = { k->r.proto, timing_fixture_build(&k->r, source) },
				    .against = against,
				    .base = { k->r.proto, base ? timing_fixture_build(&k->r, base) : -1 },
				    .threads = 1,
				    .budget_s = 0.1,
				    .call_timeout_s = 5,
				    .sandbox = k->r.sandbox,
				    .ceilings = &machine };
}

static void measure(struct timed *k)
{
	cpu_set_t before, after;

	sched_getaffinity(0, sizeof before, &before);
	CHECKF(!ay_ab_time(&k->s, &k->r.a, &k->t, &k->rep, &k->r.err), "%s", k->r.err.msg);
	sched_getaffinity(0, sizeof after, &after);
	CHECK(CPU_EQUAL(&before, &after));
	CHECK(k->t.wall_s > 0 && k->t.threads == k->s.threads);
	CHECK(k->t.check_s < k->t.wall_s && (k->rep.fault || k->t.check_s > 0));
}

/* --- honest ones ------------------------------------------------------------------------------ */

/* Checks that all present numbers are consistent. */
static void check_numbers(const struct timed *k)
{
	const struct ay_timing *t = &k->t;

	CHECKF(k->rep.fault == AY_AB_NONE, "%d: %s%s", k->rep.fault, k->rep.text, k->rep.outcome.text);
	CHECKF(!t->blocks == !(t->ns > 0), "%d blocks, %g ns", t->blocks, t->ns);
	CHECKF(t->blocks || t->why, "no blocks, and no reason");
	CHECKF(t->ns_lo <= t->ns && t->ns <= t->ns_hi, "%g in [%g, %g]", t->ns, t->ns_lo, t->ns_hi);
	CHECK(t->blocks <= AY_BLOCKS_MAX && t->gate_ns > 0 && t->null_ns >= 0);
	CHECKF(!t->blocks || (t->sets > 0 && t->pool_bytes > 0), "%d sets, %g bytes", t->sets, t->pool_bytes);
	CHECKF(t->pace == AY_PACE_NONE || (t->nsample == 2 * t->blocks && t->base_ns > 0),
	       "%d samples of %d blocks", t->nsample, t->blocks);
	CHECK(t->pace != AY_PACE_NONE || !t->nsample);
	CHECK(!t->baseline && !t->floor_ns && !t->scored); /* the caller's */
}

TEST(ab_against_nothing)
{
	struct timed k;

	setup(&k, line, good, AY_BASELINE_NONE, NULL);
	measure(&k);
	check_numbers(&k);
	CHECK(k.t.pace == AY_PACE_NONE && !k.t.base_ns && !k.t.speedup);
	timing_fixture_release(&k.r);
}

TEST(ab_against_a_kernel)
{
	struct timed k;

	setup(&k, line, good, AY_BASELINE_KERNEL, good);
	measure(&k);
	check_numbers(&k);
	CHECKF(k.t.pace != AY_PACE_NONE || k.t.why, "neither pace nor reason");
	timing_fixture_release(&k.r);
}

TEST(ab_against_the_reference)
{
	struct timed k;

	setup(&k, line, good, AY_BASELINE_REFERENCE, NULL);
	measure(&k);
	check_numbers(&k);
	CHECKF(k.t.pace != AY_PACE_NONE || k.t.why, "neither pace nor reason");
	timing_fixture_release(&k.r);
}

/* The reference's batches then have as many sets as the kernel's, whose number varies. */
TEST(ab_slower_than_the_reference)
{
	static const char slow[] = RELU
		"int aten_relu@ { for (volatile int i = 0; i < 20000; i++) ; return relu(self, out); }\n";
	struct timed k;

	setup(&k, "aten::relu((T([10], f32),), {})", slow, AY_BASELINE_REFERENCE, NULL);
	k.s.budget_s = 1;
	measure(&k);
	check_numbers(&k);
	timing_fixture_release(&k.r);
	if (k.t.sets < 5)
		test_skip("too slow here for batches that vary: %d sets", k.t.sets);
}

TEST(ab_in_place_and_several_outputs)
{
	static const char add[] = "int aten_add__Tensor(ay_tensor *self, const ay_tensor *other, ay_scalar alpha, "
				  "const ay_ctx *ctx)\n"
				  "{\n"
				  "	float *x = self->data; const float *y = other->data;\n"
				  "	for (int64_t i = 0; i < ay_numel(self); i++) x[i] += y[i];\n"
				  "	return 0;\n"
				  "}\n";
	struct timed k;

	setup(&k, "aten::add_.Tensor((T([500], f32), T([500], f32)), {})", add, AY_BASELINE_REFERENCE, NULL);
	measure(&k);
	check_numbers(&k);
	timing_fixture_release(&k.r);
}

/* Too little budget for anything: reported, and harmless. */
TEST(ab_with_hardly_any_budget)
{
	static const enum ay_baseline_kind all[] = { AY_BASELINE_NONE, AY_BASELINE_REFERENCE, AY_BASELINE_KERNEL };

	for (int i = 0; i < 3; i++) {
		struct timed k;

		setup(&k, line, good, all[i], all[i] == AY_BASELINE_KERNEL ? good : NULL);
		k.s.budget_s = i == 1 ? 1e-9 : 0.05;
		measure(&k);
		check_numbers(&k);
		CHECKF(k.t.why || k.t.blocks >= 20, "%d blocks and no reason", k.t.blocks);
		CHECKF(k.t.pace == AY_PACE_NONE || k.t.pace == AY_PACE_UNCLEAR || k.t.blocks >= 20,
		       "%s of %d blocks", ay_pace_name(k.t.pace), k.t.blocks);
		timing_fixture_release(&k.r);
	}
}

/* Each call is well within its time limit; many calls in one batch would exceed it. */
TEST(ab_slow_calls_are_not_hung_batches)
{
	static const char naps[] = "#include <unistd.h>\n" RELU
				   "int aten_relu@ { usleep(60000); return relu(self, out); }\n";
	struct timed k;

	setup(&k, "aten::relu((T([10], f32),), {})", naps, AY_BASELINE_NONE, NULL);
	k.s.call_timeout_s = 0.5;
	measure(&k);
	check_numbers(&k);
	timing_fixture_release(&k.r);
}

/* --- the others ------------------------------------------------------------------------------- */

static const struct {
	const char *what, *source;
	enum ay_ab_fault fault;
	enum ay_exec_status happened;
} rogues[] = {
	{ "wrong from the third call on",
	  RELU "int aten_relu@ { static int n; relu(self, out); if (++n > 2) ((float *)out->data)[7] += 1; return "
	       "0; }\n",
	  AY_AB_WRONG, AY_EXEC_RAN },
	{ "wrong everywhere, late",
	  "#include <string.h>\n" RELU "int aten_relu@ { static int n; relu(self, out); if (++n > 15) "
	  "memset(out->data, 0, 4000); return 0; }\n",
	  AY_AB_WRONG, AY_EXEC_RAN },
	{ "keeps its first answer",
	  "#include <string.h>\n" RELU "int aten_relu@ { static float y[1000]; static int n; if (!n++) { "
	  "relu(self, out); memcpy(y, out->data, 4000); }\n"
	  "	memcpy(out->data, y, 4000); return 0; }\n",
	  AY_AB_WRONG, AY_EXEC_RAN },
	{ "writes nothing after a while",
	  RELU "int aten_relu@ { static int n; return ++n > 15 ? 0 : relu(self, out); }\n", AY_AB_UNFINISHED,
	  AY_EXEC_RAN },
	{ "crashes at the 15th call",
	  RELU "int aten_relu@ { static int n; if (++n == 15) *(volatile int *)8 = 1; return relu(self, out); }\n",
	  AY_AB_ENDED, AY_EXEC_CRASHED },
	{ "refuses after a while",
	  RELU "int aten_relu@ { static int n; relu(self, out); return ++n > 15 ? 9 : 0; }\n", AY_AB_ENDED,
	  AY_EXEC_REFUSED },
	{ "hangs after a while",
	  "#include <unistd.h>\n" RELU
	  "int aten_relu@ { static int n; if (++n > 15) for (;;) pause(); return relu(self, out); }\n",
	  AY_AB_ENDED, AY_EXEC_HUNG },
	{ "cannot be loaded",
	  "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(0); }\n" RELU
	  "int aten_relu@ { return relu(self, out); }\n",
	  AY_AB_ENDED, AY_EXEC_CRASHED },
};

TEST(ab_finds_what_goes_wrong_only_when_it_is_timed)
{
	for (size_t i = 0; i < sizeof rogues / sizeof *rogues; i++) {
		struct timed k;

		setup(&k, line, rogues[i].source, i % 2 ? AY_BASELINE_NONE : AY_BASELINE_KERNEL,
		      i % 2 ? NULL : good);
		k.s.budget_s = 10; /* it ends when a defect is found */
		k.s.call_timeout_s = rogues[i].happened == AY_EXEC_HUNG ? 0.5 : 5;
		measure(&k);
		CHECKF(k.rep.fault == rogues[i].fault, "%s: %d %s", rogues[i].what, k.rep.fault, k.rep.text);
		if (rogues[i].fault == AY_AB_ENDED)
			CHECKF(k.rep.outcome.what == rogues[i].happened && k.rep.outcome.text[0], "%s: %d %s",
			       rogues[i].what, k.rep.outcome.what, k.rep.outcome.text);
		else
			CHECKF(k.rep.text[0], "%s: nothing is said", rogues[i].what);
		CHECKF(k.rep.named == (i < sizeof rogues / sizeof *rogues - 1), "%s: which content was it?",
		       rogues[i].what);
		CHECKF(!k.t.ns && k.t.pace == AY_PACE_NONE, "%s: it has a time", rogues[i].what);
		timing_fixture_release(&k.r);
	}
}

static bool answer_slowly(void *unused, struct ay_call *c, struct ay_arena *a)
{
	const struct timespec nap = { 0, 20000000 };

	(void)unused, (void)c, (void)a;
	nanosleep(&nap, NULL);
	return true;
}

/* Four batches of one call, and comparing is dear: one in twelve is compared by chance, the first
 * and the last for certain. */
TEST(ab_compares_the_last_batch_for_certain)
{
	for (int i = 0; i < 8; i++) {
		struct timed k;

		setup(&k, line,
		      "#include <unistd.h>\n" RELU "int aten_relu@ { static int n; usleep(1000); relu(self, out); "
		      "if (++n > 1) ((float *)out->data)[7] += 1; return 0; }\n",
		      AY_BASELINE_NONE, NULL);
		k.s.budget_s = 0.001;
		k.s.answer = answer_slowly;
		measure(&k);
		CHECKF(k.rep.fault == AY_AB_WRONG, "%d: %d %s", i, k.rep.fault, k.rep.text);
		timing_fixture_release(&k.r);
	}
}

TEST(ab_baseline_that_refuses_is_a_reason)
{
	static const struct {
		const char *source, *why;
	} t[] = {
		{ "int aten_relu@ { return AY_UNSUPPORTED; }\n",
		  "no ratio: the baseline does not take this case" },
		{ "int aten_relu@ { *(volatile int *)8 = 1; return 0; }\n", "no ratio: the baseline failed" },
	};

	for (int i = 0; i < 2; i++) {
		struct timed k;

		setup(&k, line, good, AY_BASELINE_KERNEL, t[i].source);
		measure(&k);
		CHECK(k.rep.fault == AY_AB_NONE && k.t.pace == AY_PACE_NONE);
		CHECK_STR(k.t.why ? k.t.why : "", t[i].why);
		timing_fixture_release(&k.r);
	}
}

/* A baseline that is right in its case_run but not later is a failure of assay, because the kernel
 * is not to blame. */
TEST(ab_baseline_that_fails_later_is_a_failure_of_ours)
{
	struct timed k;

	setup(&k, line, good, AY_BASELINE_KERNEL,
	      RELU "int aten_relu@ { static int n; if (++n == 300) *(volatile int *)8 = 1; return relu(self, "
		   "out); }\n");
	k.s.budget_s = 20; /* it takes a tenth of a second, unless the machine is busy */
	CHECK(ay_ab_time(&k.s, &k.r.a, &k.t, &k.rep, &k.r.err) == -1);
	CHECKF(strstr(k.r.err.msg, "the baseline failed: signal 11"), "%s", k.r.err.msg);
	timing_fixture_release(&k.r);
}
