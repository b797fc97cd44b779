/* SPDX-License-Identifier: Apache-2.0
 *
 * exec_prepare - tests of batches that are prepared and run in parts, of the empty call, and of an
 * executor's CPUs.
 */
#include "exec/transact.h"
#include "exec/wire.h"
#include "test.h"
#include "timing_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETS = 7 };

/* An executor and sets for it; out[0] of a set is the output of its last call. */
struct held {
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_input_sets s;
	struct ay_exec *x;
	struct ay_exec_entries e;
	struct ay_batch b;
	struct ay_outcome o;
};

/* A kernel that numbers its calls from 1, in the first element of its output. */
static const char counter[] = "static float n;\n"
			      "int aten_relu@ { ((float *)out->data)[0] = ++n; return 0; }\n";

static void start(struct held *h, int fd, const cpu_set_t *cpus)
{
	struct ay_exec_spec spec = { .so_fd = fd, .load_timeout_s = 5, .cpus = cpus };

	if (!h->r.sandbox && ay_sandbox_new(&h->r.sandbox, AY_SANDBOX_FULL, &h->r.err))
		test_skip("%s", h->r.err.msg);
	spec.sandbox = h->r.sandbox;
	CHECKF(!ay_exec_start(&spec, &h->r.a, &h->x, &h->e, &h->o, &h->r.err) && h->x, "%s%s", h->r.err.msg,
	       h->o.text);
	if (!h->x)
		test_skip("no executor");
}

static void setup(struct held *h, const char *source, const cpu_set_t *cpus)
{
	*h = (struct held){ 0 };
	timing_fixture_init(&h->r, "aten::relu((T([64], f32),), {})");
	ay_input_template_init(&h->m, h->r.call);
	CHECKF(!ay_input_sets_init(&h->s, &h->m, SETS, false, &h->r.err), "%s", h->r.err.msg);
	start(h, source ? timing_fixture_build(&h->r, source) : -1, cpus);
	h->b = (struct ay_batch){ .proto = h->r.proto,
				  .call = h->r.call,
				  .pool = &h->s.pool,
				  .nset = SETS,
				  .slot = h->s.slot,
				  .offset = h->s.offset,
				  .threads = 1,
				  .timeout_s = 5 };
}

static void teardown(struct held *h)
{
	ay_exec_stop(h->x);
	ay_input_sets_release(&h->s);
	ay_input_template_release(&h->m);
	timing_fixture_release(&h->r);
}

static void hold(struct held *h)
{
	CHECKF(!ay_exec_hold(h->x, &h->b, &h->o, &h->r.err) && h->o.what == AY_EXEC_RAN, "%s%s", h->r.err.msg,
	       h->o.text);
}

static void run_again(struct held *h, int from, int n, int again)
{
	CHECKF(!ay_exec_post(h->x, from, n, again, NULL, &h->o, &h->r.err), "%s", h->r.err.msg);
	if (h->o.what == AY_EXEC_RAN)
		ay_exec_await(h->x, 5, &h->o);
}

static void run(struct held *h, int from, int n)
{
	run_again(h, from, n, 0);
}

static int out(const struct held *h, int set)
{
	return (int)*(const float *)ay_input_sets_at(&h->s, set, 1);
}

static void clear(struct held *h)
{
	for (int i = 0; i < SETS; i++)
		memset(ay_input_sets_at(&h->s, i, 1), 0, 256);
}

TEST(exec_hold_runs_parts_in_order_and_again)
{
	static const int want[][SETS] = { { 0, 0, 1, 2, 3, 0, 0 },    { 4, 0, 0, 0, 0, 0, 0 },
					  { 5, 6, 7, 8, 9, 10, 11 },  { 0, 0, 0, 0, 0, 0, 12 },
					  { 0, 0, 13, 14, 15, 0, 0 }, { 0, 20, 21, 0, 0, 0, 0 } };
	static const int part[][3] = { { 2, 3 }, { 0, 1 }, { 0, SETS }, { SETS - 1, 1 }, { 2, 3 }, { 1, 2, 2 } };
	struct held h;

	setup(&h, counter, NULL);
	clear(&h);
	hold(&h);
	for (int i = 0; i < SETS; i++)
		CHECKF(out(&h, i) == 0, "set %d was called by hold", i);
	for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
		clear(&h);
		run_again(&h, part[k][0], part[k][1], part[k][2]);
		CHECKF(h.o.what == AY_EXEC_RAN, "%s", h.o.text);
		for (int i = 0; i < SETS; i++)
			CHECKF(out(&h, i) == want[k][i], "part %zu: set %d has call %d, not %d", k, i, out(&h, i),
			       want[k][i]);
	}
	/* another batch replaces it */
	h.b.nset = 2;
	hold(&h);
	clear(&h);
	run(&h, 1, 1);
	CHECKF(h.o.what == AY_EXEC_RAN && out(&h, 1) == 22 && !out(&h, 0), "%s", h.o.text);
	teardown(&h);
}

TEST(exec_hold_tells_what_a_part_did)
{
	struct held h;

	setup(&h, "int aten_relu@ { static int n; return n++ == 4 ? 42 : 0; }\n", NULL);
	hold(&h);
	run(&h, 1, 5);
	CHECKF(h.o.what == AY_EXEC_REFUSED && h.o.rc == 42 && h.o.set == 5, "what %d rc %d set %d", h.o.what,
	       h.o.rc, h.o.set);
	run(&h, 0, SETS); /* it is still there */
	CHECKF(h.o.what == AY_EXEC_RAN, "%s", h.o.text);
	teardown(&h);

	setup(&h, "int aten_relu@ { static int n; if (n++ == 4) *(volatile int *)8 = 1; return 0; }\n", NULL);
	hold(&h);
	run(&h, 0, SETS);
	CHECKF(h.o.what == AY_EXEC_CRASHED && h.o.signal == 11 && h.o.set == 4, "what %d signal %d set %d",
	       h.o.what, h.o.signal, h.o.set);
	teardown(&h);
}

/* Sends a RUN message that no judge would send. */
static struct ay_outcome raw_run(struct held *h, const void *payload, size_t bytes)
{
	struct ay_outcome o = { .slot = -1 };

	memcpy(h->x->msg + sizeof(struct ay_wire_head), payload, bytes);
	ay_exec_next_number(h->x, SETS, 2);
	CHECKF(!ay_exec_transact(h->x, AY_WIRE_RUN, bytes, NULL, 0, 5, &o, &h->r.err), "%s", h->r.err.msg);
	return o;
}

TEST(exec_hold_refuses_parts_that_cannot_be)
{
	static const struct ay_wire_run bad[] = {
		{ 0, SETS + 1 },   { SETS, 1 },       { SETS - 1, 2 }, { 1, UINT32_MAX },
		{ UINT32_MAX, 1 }, { UINT32_MAX, 2 }, { 3, 0 },
	};

	for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) { /* the last: nothing is held */
		const struct ay_wire_run good = { 0, SETS };
		struct ay_outcome o;
		struct held h;

		setup(&h, counter, NULL);
		clear(&h);
		if (i < sizeof bad / sizeof *bad)
			hold(&h);
		o = raw_run(&h, i < sizeof bad / sizeof *bad ? &bad[i] : &good, sizeof good);
		CHECKF(o.what == AY_EXEC_LIED, "range %zu: %d %s", i, o.what, o.text);
		for (int k = 0; k < SETS; k++)
			CHECKF(!out(&h, k), "range %zu: set %d was called", i, k);
		teardown(&h);
	}
}

/* A call or a new pool in between ends the prepared batch. */
TEST(exec_hold_ends_with_the_next_call)
{
	const struct ay_wire_run all = { 0, SETS };
	struct held h;
	struct ay_outcome o;

	setup(&h, counter, NULL);
	hold(&h);
	h.b.nset = 1;
	CHECK(!ay_exec_call(h.x, &h.b, &h.o, &h.r.err) && h.o.what == AY_EXEC_RAN);
	CHECK(h.x->held == 0);
	o = raw_run(&h, &all, sizeof all);
	CHECKF(o.what == AY_EXEC_LIED, "%d %s", o.what, o.text);
	teardown(&h);
}

/* A native kernel returns nothing that could be kept. The order to drop results is followed anyway,
 * and the prepared batch stays. */
TEST(exec_hold_goes_on_after_it_was_told_to_forget)
{
	struct held h;

	setup(&h, counter, NULL);
	clear(&h);
	hold(&h);
	run(&h, 0, 2);
	CHECK(!ay_exec_post_forget(h.x, &h.o, &h.r.err) && h.o.what == AY_EXEC_RAN);
	ay_exec_await(h.x, 5, &h.o);
	CHECKF(h.o.what == AY_EXEC_RAN, "%s", h.o.text);
	run(&h, 2, 1);
	CHECKF(h.o.what == AY_EXEC_RAN && out(&h, 2), "%s", h.o.text);
	teardown(&h);
}

TEST(exec_that_was_loaded_with_nothing_does_nothing)
{
	struct held h;

	setup(&h, NULL, NULL);
	CHECK(h.e.n == 1);
	CHECK_STR(h.e.n ? h.e.name[0] : "", AY_WIRE_NOTHING);
	for (int i = 0; i < SETS; i++)
		memset(ay_input_sets_at(&h.s, i, 1), 0x5b, 256);
	hold(&h);
	run(&h, 0, SETS);
	run(&h, 3, 2);
	CHECKF(h.o.what == AY_EXEC_RAN, "%s", h.o.text);
	for (int i = 0; i < SETS; i++)
		for (int k = 0; k < 256; k++)
			CHECK(ay_input_sets_at(&h.s, i, 1)[k] == 0x5b);
	teardown(&h);
}

/* --- CPUs ------------------------------------------------------------------------------------- */

/* Element i: whether it may run on CPU i. First for the calling thread, 32 elements later for a
 * thread of its own; both asked for more. */
static const char reporter[] =
	"#define _GNU_SOURCE\n#include <pthread.h>\n#include <sched.h>\n"
	"static void *report(void *p)\n"
	"{\n"
	"	cpu_set_t s; float *o = p;\n"
	"	CPU_ZERO(&s);\n"
	"	for (int i = 0; i < 32; i++) CPU_SET(i, &s);\n"
	"	sched_setaffinity(0, sizeof s, &s);\n"
	"	CPU_ZERO(&s);\n"
	"	sched_getaffinity(0, sizeof s, &s);\n"
	"	for (int i = 0; i < 32; i++) o[i] = CPU_ISSET(i, &s) != 0;\n"
	"	return NULL;\n"
	"}\n"
	"int aten_relu@\n"
	"{\n"
	"	float *o = out->data; pthread_t t;\n"
	"	report(o);\n"
	"	return pthread_create(&t, NULL, report, o + 32) || pthread_join(t, NULL);\n"
	"}\n";

TEST(exec_sees_exactly_the_cpus_it_was_given)
{
	cpu_set_t mine, after;
	struct held h;

	CHECK(!sched_getaffinity(0, sizeof mine, &mine));
	for (int cpu = -1; cpu < 32; cpu++) { /* -1: all of this process's CPUs */
		cpu_set_t set = mine;
		const float *o;

		if (cpu >= 0) {
			if (!CPU_ISSET((size_t)cpu, &mine))
				continue;
			CPU_ZERO(&set);
			CPU_SET((size_t)cpu, &set);
		}
		setup(&h, reporter, cpu < 0 ? NULL : &set);
		hold(&h);
		run(&h, 0, 1);
		CHECKF(h.o.what == AY_EXEC_RAN, "%d %s", h.o.rc, h.o.text);
		o = (const float *)ay_input_sets_at(&h.s, 0, 1);
		for (int i = 0; i < 32; i++)
			CHECKF(o[i] == (float)(CPU_ISSET((size_t)i, &set) != 0) && o[32 + i] == o[i],
			       "given %d: CPU %d is %g and %g", cpu, i, o[i], o[32 + i]);
		teardown(&h);
	}
	/* this process's CPUs are unchanged */
	CHECK(!sched_getaffinity(0, sizeof after, &after) && CPU_EQUAL(&mine, &after));
}
