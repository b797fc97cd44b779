/* SPDX-License-Identifier: Apache-2.0
 *
 * gated_exec - tests of kernels under the gate: what the time T includes, and how misbehaving
 * kernels end.
 */
#include "timing/gated_exec.h"
#include "base/process.h"
#include "test.h"
#include "timing_fixture.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { CAP = 12, POISON = 0x73 };

struct fixture {
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_gated_exec s;
	struct ay_outcome o;
	struct ay_batch_time b;
};

static void setup(struct fixture *b, const char *line, const char *source, double timeout_s)
{
	*b = (struct fixture){ 0 };
	timing_fixture_init(&b->r, line);
	ay_input_template_init(&b->m, b->r.call);
	timing_fixture_open(&b->r, &b->m, source ? timing_fixture_build(&b->r, source) : -1, CAP, timeout_s, &b->s,
			    &b->o);
}

static void teardown(struct fixture *b)
{
	ay_gated_exec_close(&b->s);
	ay_input_template_release(&b->m);
	timing_fixture_release(&b->r);
}

/* Runs n sets with fresh content. Returns false if the executor is gone. */
static bool batch(struct fixture *b, int n)
{
	ay_input_sets_write(&b->s.sets, timing_fixture_key(), 0, n, POISON, NULL);
	CHECKF(!ay_gated_exec_batch(&b->s, n, &b->b, &b->o, &b->r.err), "%s", b->r.err.msg);
	return b->s.exec != NULL;
}

static const char relu_line[] = "aten::relu((T([64], f32),), {})";
static const char good[] = "int aten_relu@\n"
			   "{\n"
			   "	const float *x = self->data; float *y = out->data;\n"
			   "	for (int64_t i = 0; i < ay_numel(self); i++) y[i] = x[i] > 0 ? x[i] : 0;\n"
			   "	return 0;\n"
			   "}\n";

/* --- what T is -------------------------------------------------------------------------------- */

/* Begins, ends, and leaves a thread that keeps working and notes its last time, by the judge's
 * clock. */
static const char works_on[] =
	"#define _GNU_SOURCE\n#include <pthread.h>\n#include <time.h>\n"
	"static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);\n"
	"	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec; }\n"
	"static void *go_on(void *p) { volatile double *o = p; for (;;) o[2] = now(); return p; }\n"
	"int aten_relu@\n"
	"{\n"
	"	double *o = out->data; pthread_t t; static int started;\n"
	"	o[0] = now();\n"
	"	if (!started++ && pthread_create(&t, 0, go_on, o)) return 1;\n"
	"	o[1] = now();\n"
	"	return 0;\n"
	"}\n";

TEST(gated_exec_time_covers_what_goes_on_after_done)
{
	struct fixture b;
	int later = 0;

	setup(&b, "aten::relu((T([64], f64),), {})", works_on, 5);
	CHECKF(b.o.what == AY_EXEC_RAN, "%s", b.o.text);
	for (int i = 0; i < 40 && b.s.exec; i++) {
		const volatile double *o = (const volatile double *)ay_input_sets_at(&b.s.sets, 0, 1);
		const double before = (double)ay_now_ns();
		double last;

		if (!batch(&b, 1))
			break;
		last = o[2];
		if (last > (double)ay_now_ns()) /* poison: the thread did not run */
			continue;
		later += last > o[1];
		CHECKF(o[0] >= before, "called %g ns before it was thawed", before - o[0]);
		CHECKF(last - o[0] <= b.b.ns, "at work for %g ns, T is %g", last - o[0], b.b.ns);
		usleep(2000);
		CHECKF(o[2] == last, "batch %d: it works on, %g ns later", i, o[2] - last);
	}
	CHECKF(b.o.what == AY_EXEC_RAN, "%s", b.o.text);
	CHECKF(later > 0, "the thread was never at work after the call: nothing was tested");
	teardown(&b);
}

/* The order waits in the socket, but nothing runs before the executor is thawed. */
TEST(gated_exec_stands_still_between_batches)
{
	struct fixture b;
	const volatile double *o;
	double last;

	setup(&b, "aten::relu((T([64], f64),), {})", works_on, 5);
	o = (const volatile double *)ay_input_sets_at(&b.s.sets, 0, 1);
	if (batch(&b, 1)) {
		last = o[2];
		/* as when content is written */
		memset(ay_input_sets_at(&b.s.sets, 0, 1), POISON, 512);
		usleep(30000);
		CHECKF(((const uint8_t *)o)[16] == POISON, "it wrote %g after %g", o[2], last);
	}
	CHECKF(b.o.what == AY_EXEC_RAN, "%s", b.o.text);
	teardown(&b);
}

/* The kernel stores the state that it gets; a write to the state would end it. */
TEST(gated_exec_gives_each_call_the_state_of_its_content)
{
	static const char tell[] =
		"int aten_exponential_(ay_tensor *self, double lambd, const ay_rng *generator, const ay_ctx "
		"*ctx)\n"
		"{ uint64_t *o = self->data; o[0] = generator->seed; o[1] = generator->offset; return 0; }\n";
	struct fixture b;

	setup(&b, "aten::exponential_((T([8], f64),), {}) seed=5", tell, 5);
	CHECKF(b.o.what == AY_EXEC_RAN, "%s", b.o.text);
	for (uint64_t n = 0; n < 3 && b.s.exec; n++) {
		const struct ay_key key = ay_input_template_key(&b.m, n);

		ay_input_sets_write(&b.s.sets, key, 0, CAP, POISON, NULL);
		CHECKF(!ay_gated_exec_batch(&b.s, CAP, &b.b, &b.o, &b.r.err), "%s", b.r.err.msg);
		for (int i = 0; i < CAP; i++) {
			const uint64_t *o = (const uint64_t *)(const void *)ay_input_sets_at(&b.s.sets, i, 0);
			const ay_rng rng = ay_input_rng(key, i);

			CHECKF(o[0] == rng.seed && o[1] == rng.offset, "content %d, set %d", (int)n, i);
		}
	}
	CHECKF(b.o.what == AY_EXEC_RAN, "%s", b.o.text);
	teardown(&b);
}

TEST(gated_exec_batches_call_each_set_once)
{
	static const char count[] = "static float n;\n"
				    "int aten_relu@ { ((float *)out->data)[0] = ++n; return 0; }\n";
	struct fixture b;
	float next = 0;

	setup(&b, relu_line, count, 5);
	for (int n = 1; n <= CAP && batch(&b, n); n += 4) {
		CHECK(b.b.ns > 0 && b.b.cpu_ns >= 0);
		for (int i = 0; i < CAP; i++) {
			const float *o = (const float *)ay_input_sets_at(&b.s.sets, i, 1);

			if (i < n)
				CHECKF(o[0] == ++next, "set %d of %d: call %g, not %g", i, n, o[0], next);
			else
				CHECKF(o[0] < next - (float)n + 1 || !n, "set %d of %d was called", i, n);
		}
	}
	CHECKF(b.o.what == AY_EXEC_RAN, "%s", b.o.text);
	teardown(&b);
}

TEST(gated_exec_of_the_empty_call)
{
	struct fixture b;

	setup(&b, relu_line, NULL, 5);
	CHECK(b.s.sets.shared_storage);
	CHECK(batch(&b, 1) && batch(&b, CAP) && b.b.ns > 0);
	CHECKF(b.o.what == AY_EXEC_RAN, "%s", b.o.text);
	teardown(&b);
}

static bool runs_on(pid_t pid, const cpu_set_t *cpus)
{
	cpu_set_t its;

	return !sched_getaffinity(pid, sizeof its, &its) && CPU_EQUAL(&its, cpus);
}

/* Where its executors are kept, some can be there before it is opened, and where they will be
 * timed. */
TEST(gated_exec_takes_who_was_started_for_it)
{
	enum { EARLY = 2 };
	struct fixture b = { 0 };
	struct ay_exec_cache kept = { 0 };
	struct ay_gated_exec_spec spec;
	cpu_set_t kernel;
	pid_t last;

	timing_fixture_init(&b.r, relu_line);
	ay_input_template_init(&b.m, b.r.call);
	spec = timing_fixture_spec(&b.r, &b.m, timing_fixture_build(&b.r, good), CAP, 5, &kernel);
	spec.kept = &kept;
	CHECKF(!ay_gated_exec_prepare(&spec, EARLY, &b.r.err) && kept.n == EARLY, "%d: %s", kept.n, b.r.err.msg);
	for (int i = 0; i < kept.n; i++)
		CHECK(runs_on(ay_exec_pid(kept.one[i].exec), &kernel));
	last = ay_exec_pid(kept.one[kept.n - 1].exec);
	CHECK(!ay_gated_exec_prepare(&spec, EARLY, &b.r.err) && ay_exec_pid(kept.one[kept.n - 1].exec) == last);
	CHECKF(!ay_gated_exec_open(&b.s, &spec, &b.o, &b.r.err) && b.o.what == AY_EXEC_RAN, "%s%s", b.r.err.msg,
	       b.o.text);
	CHECK(kept.n == EARLY - 1 && batch(&b, CAP) && b.o.what == AY_EXEC_RAN);
	ay_gated_exec_close(&b.s);
	CHECK(kept.n == EARLY); /* it went back */
	ay_exec_cache_release(&kept);
	ay_input_template_release(&b.m);
	timing_fixture_release(&b.r);
}

/* --- ends ------------------------------------------------------------------------------------- */

static const struct {
	const char *what, *at_five; /* what the fifth call does */
	enum ay_exec_status happened;
	int signal, rc, exit_code, set;
} ends[] = {
	{ "crash", "*(volatile int *)8 = 1", AY_EXEC_CRASHED, SIGSEGV, 0, 0, 4 },
	{ "abort", "abort()", AY_EXEC_CRASHED, SIGABRT, 0, 0, 4 },
	{ "exit", "_exit(3)", AY_EXEC_CRASHED, 0, 0, 3, 0 },
	{ "hang", "for (;;) pause()", AY_EXEC_HUNG, 0, 0, 0, 0 },
	{ "refusal", "return 42", AY_EXEC_REFUSED, 0, 42, 0, 4 },
};

TEST(gated_exec_ends_inside_a_batch_are_outcomes)
{
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct fixture b;
		char source[300];
		bool there;

		snprintf(source, sizeof source,
			 "#include <stdlib.h>\n#include <unistd.h>\n"
			 "int aten_relu@ { static int n; if (++n == 5) { %s; } return 0; }\n",
			 ends[i].at_five);
		setup(&b, relu_line, source, ends[i].happened == AY_EXEC_HUNG ? 0.5 : 5);
		CHECKF(b.o.what == AY_EXEC_RAN && b.s.exec, "%s: %s", ends[i].what, b.o.text);
		there = batch(&b, 3);
		CHECKF(there && b.o.what == AY_EXEC_RAN, "%s: in the first batch: %s", ends[i].what, b.o.text);
		there = there && batch(&b, CAP);
		CHECKF(b.o.what == ends[i].happened && b.o.signal == ends[i].signal && b.o.rc == ends[i].rc &&
			       b.o.exit_code == ends[i].exit_code,
		       "%s: what %d signal %d rc %d exit %d: %s", ends[i].what, b.o.what, b.o.signal, b.o.rc,
		       b.o.exit_code, b.o.text);
		if (ends[i].set)
			CHECKF(b.o.set == 4 - 3, "%s: set %d", ends[i].what, b.o.set);
		/* an executor that refuses stays, and is frozen again */
		CHECKF(there == (ends[i].happened == AY_EXEC_REFUSED), "%s: the executor is%s there", ends[i].what,
		       there ? "" : " not");
		if (there)
			CHECKF(batch(&b, CAP) && b.o.what == AY_EXEC_RAN, "%s: %s", ends[i].what, b.o.text);
		teardown(&b);
	}
}

TEST(gated_exec_ends_while_it_is_opened_are_outcomes)
{
	struct fixture b;

	setup(&b, relu_line,
	      "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(0); }\n"
	      "int aten_relu@ { return 0; }\n",
	      5);
	CHECKF(b.o.what == AY_EXEC_CRASHED && !b.s.exec, "%d %s", b.o.what, b.o.text);
	teardown(&b);
	setup(&b, relu_line,
	      "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { for (;;) pause(); }\n"
	      "int aten_relu@ { return 0; }\n",
	      0.5);
	CHECKF(b.o.what == AY_EXEC_HUNG && !b.s.exec, "%d %s", b.o.what, b.o.text);
	teardown(&b);
}

/* A thread that ends its process some time after the call: detected in that batch or a later
 * one. */
TEST(gated_exec_that_dies_after_done_is_told)
{
	struct fixture b;
	int i = 0;

	setup(&b, relu_line,
	      "#define _GNU_SOURCE\n#include <pthread.h>\n#include <unistd.h>\n"
	      "static void *die(void *p) { for (volatile long i = 0; i < 3000000; i++) ; _exit(0); return p; }\n"
	      "int aten_relu@ { pthread_t t; static int n; return n++ ? 0 : pthread_create(&t, 0, die, 0); }\n",
	      5);
	while (i < 2000 && batch(&b, CAP))
		i++;
	CHECKF(b.o.what == AY_EXEC_CRASHED && !b.s.exec, "after %d batches: %d %s", i, b.o.what, b.o.text);
	teardown(&b);
}

/* --- audits ----------------------------------------------------------------------------------- */

static const struct {
	const char *what, *line, *source;
	int unfinished; /* -1: none, 1: from the second call on */
} audits[] = {
	{ "good", relu_line, good, -1 },
	{ "nothing is written", relu_line, "int aten_relu@ { return 0; }\n", 0 },
	{ "only the first set", relu_line,
	  "#include <string.h>\nint aten_relu@ { static int n; if (!n++) memset(out->data, 0, 256); return 0; }\n",
	  1 },
	{ "written some time later", relu_line,
	  "#define _GNU_SOURCE\n#include <pthread.h>\n#include <string.h>\n#include <unistd.h>\n"
	  "static void *later(void *p) { usleep(300000); memset(p, 0, 256); return p; }\n"
	  "int aten_relu@ { pthread_t t; return pthread_create(&t, 0, later, out->data); }\n",
	  0 },
	{ "in place there is no poison", "aten::relu_((T([64], f32),), {})",
	  "int aten_relu_(ay_tensor *self, const ay_ctx *ctx) { return 0; }\n", -1 },
	{ "an empty output", "aten::relu((T([0, 3], f32),), {})", "int aten_relu@ { return 0; }\n", -1 },
};

/* Runs the sets one by one until one does not run. *unfinished: the first set without an output, or
 * -1. */
static int call_one_by_one(struct fixture *b, double each[CAP], int *unfinished)
{
	const struct ay_key key = timing_fixture_key();

	*unfinished = -1;
	b->o.what = AY_EXEC_RAN;
	for (int i = 0; i < CAP && b->o.what == AY_EXEC_RAN; i++) {
		bool bad;

		if (ay_gated_exec_one(&b->s, i, key, POISON, &each[i], &bad, &b->o, &b->r.err))
			return -1;
		if (bad && *unfinished < 0)
			*unfinished = i;
	}
	return 0;
}

TEST(gated_exec_audits_find_outputs_that_are_not_there)
{
	for (size_t i = 0; i < sizeof audits / sizeof *audits; i++) {
		struct fixture b;
		double each[CAP] = { 0 };
		int bad = -2;

		setup(&b, audits[i].line, audits[i].source, 5);
		CHECKF(b.o.what == AY_EXEC_RAN, "%s: %s", audits[i].what, b.o.text);
		CHECKF(!call_one_by_one(&b, each, &bad), "%s", b.r.err.msg);
		CHECKF(b.o.what == AY_EXEC_RAN && bad == audits[i].unfinished,
		       "%s: set %d is unfinished, not %d; %s", audits[i].what, bad, audits[i].unfinished,
		       b.o.text);
		for (int k = 0; k < CAP; k++)
			CHECKF(each[k] > 0, "%s: call %d took %g ns", audits[i].what, k, each[k]);
		if (b.s.exec) /* frozen again, and ready for another batch */
			CHECKF(batch(&b, CAP) && b.o.what == AY_EXEC_RAN, "%s: %s", audits[i].what, b.o.text);
		teardown(&b);
	}
}

TEST(gated_exec_audits_end_as_batches_do)
{
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct fixture b;
		char source[300];
		double each[CAP];
		int bad = -2;

		snprintf(source, sizeof source,
			 "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
			 "int aten_relu@ { static int n; if (++n == 5) { %s; } memset(out->data, 0, 256); return "
			 "0; }\n",
			 ends[i].at_five);
		setup(&b, relu_line, source, ends[i].happened == AY_EXEC_HUNG ? 0.5 : 5);
		CHECKF(!call_one_by_one(&b, each, &bad), "%s", b.r.err.msg);
		CHECKF(b.o.what == ends[i].happened && bad == -1, "%s: what %d, set %d: %s", ends[i].what,
		       b.o.what, bad, b.o.text);
		CHECKF((b.s.exec != NULL) == (ends[i].happened == AY_EXEC_REFUSED), "%s", ends[i].what);
		teardown(&b);
	}
}
