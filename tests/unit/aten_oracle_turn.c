/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_oracle_turn - tests of an oracle on a GPU on which kernels are timed, also by the process
 * that needs the oracle.
 */
#include "exec/launch.h"
#include "helpers.h"
#include "judge/perf.h"
#include "judge/case_run.h"
#include "test.h"
#include "timing_fixture.h"
#include "aten_oracle_fixture.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HELD_NS = 1500000000 };

/* Another process times kernels on the device from now on. It sets *over before it ends. */
static pid_t take_the_clock(struct aten_oracle_fixture *g, volatile int *over)
{
	const struct timespec hold = { HELD_NS / 1000000000, HELD_NS % 1000000000 };
	struct ay_perf_lock lock;
	int ready[2];
	pid_t pid;
	char c;

	*over = 0;
	CHECK(!pipe(ready));
	pid = fork();
	if (!pid) {
		if (ay_perf_lock_gpu(&lock, g->d->info.uuid, NULL, NULL, &g->err) || write(ready[1], "x", 1) != 1)
			_exit(1);
		nanosleep(&hold, NULL);
		*over = 1;
		ay_perf_unlock(&lock);
		_exit(0);
	}
	CHECK(read(ready[0], &c, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

TEST_SLOW(aten_oracle_touches_the_gpu_in_turn)
{
	volatile int *over = mmap(NULL, sizeof *over, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ay_perf_lock lock;
	struct ay_judge j = { 0 };
	struct aten_oracle_fixture g;
	pid_t pid;

	aten_oracle_fixture_init(&g, true);
	j.policy.device = g.d;
	j.policy.beside_clock = true;
	aten_oracle_fixture_begin(&g, aten_oracle_fixture_marked, g.d);
	g.w.judge = &j;
	pid = take_the_clock(&g, over);
	CHECK(aten_oracle_fixture_ask(&g, WITNESS_LARGE) && *over && g.w.gpu.exec);
	waitpid(pid, NULL, 0);
	pid = take_the_clock(&g, over);
	CHECK(aten_oracle_fixture_ask(&g, WITNESS_LARGE) && *over && g.w.on_gpu && !j.entered);
	waitpid(pid, NULL, 0);
	/* a process that holds the GPU's lock is let in */
	CHECK(!ay_perf_lock_gpu(&lock, g.d->info.uuid, NULL, NULL, &g.err));
	CHECK(aten_oracle_fixture_ask(&g, WITNESS_SMALL)); /* needs no lock, or it would wait for ever */
	j.entered = true;
	CHECK(aten_oracle_fixture_ask(&g, WITNESS_LARGE) && g.w.on_gpu && j.entered);
	j.entered = false;
	ay_perf_unlock(&lock);
	pid = take_the_clock(&g, over);
	aten_oracle_fixture_end(&g);
	CHECK(*over);
	waitpid(pid, NULL, 0);
	aten_oracle_fixture_release(&g);
}

/* Timed calls are checked while their measurement holds the GPU's lock. An oracle that waited for
 * this lock would wait for ever. */
TEST_SLOW(aten_oracle_is_in_while_the_clock_runs)
{
	static const char kernel[] =
		"#include <assay/kernel.h>\n"
		"int my_shift(const ay_tensor *x, ay_tensor *out, const ay_ctx *ctx)\n{\n"
		"	const float *p = x->data; float *q = out->data;\n"
		"	for (int64_t i = 0; i < ay_numel(x); i++) q[i] = p[i];\n	return 0;\n}\n",
			  ref[] = "def reference(x):\n    return x + 0\n";
	struct ay_policy policy = {
		.threads = 1, .oracle_threads = 1, .call_timeout_s = 20, .beside_clock = true
	};
	struct ay_perf k = { .policy = { .mode = AY_TIMED_AUTO, .budget_s = 0.6, .baseline = "none" },
			     .has_ceilings = true,
			     .ceilings = timing_fixture_kind };
	struct ay_forge f = { 0 };
	struct ay_built b = { .fd = -1 };
	struct ay_suite_case sc = { 0 };
	struct ay_report rep;
	struct ay_judge j;
	struct ay_proto *p;
	struct ay_call *c;
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	if (ay_forge_init(&f, ay_sprintf(&g.a, "%s/assay", help_cache()), &g.err) || !f.cc)
		test_skip("no compiler: %s", g.err.msg);
	f.sandbox = policy.sandbox = g.sandbox;
	policy.python = &g.python;
	policy.device = g.d;
	policy.ref_fd = ay_launch_memfd("ref", ref, sizeof ref - 1, 0);
	policy.ref_file = "ref.py";
	k.forge = &f;
	sc.op = aten_oracle_fixture_bind(&g, "my::shift((T([1024, 1024], f32),), {})", &c);
	sc.schema = c->s;
	sc.line = c->line;
	CHECK(!ay_proto_make(&g.a, c->s, &p, &g.err));
	CHECKF(!ay_forge_build(&f, &g.a, kernel, sizeof kernel - 1, AY_LANG_C, 1,
			       (const struct ay_proto *const *)&p, 60, &b, &g.err) &&
		       b.ok,
	       "%s%s", g.err.msg, b.log);
	CHECKF(!ay_judge_init(&j, &g.r, &policy, b.fd, NULL, &g.a, &rep, &g.err), "%s", g.err.msg);
	j.aten_oracle.place = "cpu";
	for (int i = 0; i < 2; i++) {
		CHECKF(!ay_judge_case(&j, &sc, &g.a, &rep, &g.err) && rep.verdict == AY_VERDICT_PASS, "%s%s",
		       g.err.msg, rep.detail ? rep.detail : "");
		CHECK_STR(rep.oracle_device, i ? "cuda" : "cpu");
	}
	j.aten_oracle.on_gpu = false;
	CHECKF(!ay_perf_case(&k, &j, &sc, &g.a, &rep, &g.err), "%s", g.err.msg);
	CHECKF(rep.timing && rep.timing->ns > 0 && j.aten_oracle.on_gpu && !j.entered, "%s",
	       rep.timing && rep.timing->why ? rep.timing->why : "");
	ay_perf_release(&k);
	ay_judge_release(&j);
	close(b.fd);
	close(policy.ref_fd);
	ay_forge_release(&f);
	aten_oracle_fixture_release(&g);
}
