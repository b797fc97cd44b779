/* SPDX-License-Identifier: Apache-2.0
 *
 * freeze - tests of a kernel with counting threads that is frozen and thawed: by its cgroup if
 * there is one, and by SIGSTOP.
 */
#include "jail_fixture.h"
#include "test.h"
#include "base/process.h"
#include "sandbox/freeze.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNTERS = 2, ROUNDS = 5 };

static const char counting[] = "#include <assay/kernel.h>\n#include <pthread.h>\n#include <time.h>\n"
			       "static void *count(void *p) { volatile int *n = p; for (;;) ++*n; return p; }\n"
			       "int t_probe(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx)\n"
			       "{\n"
			       "	int *o = out->data; pthread_t t;\n"
			       "	if (pthread_create(&t, 0, count, o)) return 1;\n"
			       "	count(o + 1);\n"
			       "	return 0;\n"
			       "}\n";

/* A call that does not return needs a thread to wait for it. */
static void *call(void *p)
{
	jail_fixture_run(p, 120);
	return NULL;
}

static bool counts(const struct jail_fixture *r, int ms)
{
	int before[COUNTERS];
	bool all = true;

	for (int i = 0; i < COUNTERS; i++)
		before[i] = jail_fixture_out(r)[i];
	usleep((useconds_t)ms * 1000);
	for (int i = 0; i < COUNTERS; i++)
		all = all && jail_fixture_out(r)[i] != before[i];
	return all;
}

/* Returns true if the counting goes on within some time; other tests need the cores too. */
static bool goes_on(const struct jail_fixture *r)
{
	for (int i = 0; i < 200; i++)
		if (counts(r, i < 10 ? 1 : 20))
			return true;
	return false;
}

static bool stands(const struct jail_fixture *r, int ms)
{
	int before[COUNTERS];
	bool all = true;

	for (int i = 0; i < COUNTERS; i++)
		before[i] = jail_fixture_out(r)[i];
	usleep((useconds_t)ms * 1000);
	for (int i = 0; i < COUNTERS; i++)
		all = all && jail_fixture_out(r)[i] == before[i];
	return all;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void bench(pid_t pid, int group)
{
	enum { N = 200 };
	int64_t freeze[N], thaw[N];
	struct ay_err err = { 0 };
	enum ay_freeze how;

	for (int i = 0; i < N; i++) {
		CHECKF(!ay_freeze(pid, group, 2, &how, &freeze[i], &err) && how == AY_FREEZE_OK, "%s", err.msg);
		CHECKF(!ay_thaw(pid, group, &thaw[i], &err), "%s", err.msg);
		usleep(500);
	}
	qsort(freeze, N, sizeof *freeze, by_number);
	qsort(thaw, N, sizeof *thaw, by_number);
	printf("    %s: freeze confirmed p50 %.0f us, p95 %.0f us; thaw ordered p50 %.0f us, p95 %.0f us\n",
	       group >= 0 ? "cgroup v2" : "SIGSTOP", (double)freeze[N / 2] / 1e3,
	       (double)freeze[N * 95 / 100] / 1e3, (double)thaw[N / 2] / 1e3, (double)thaw[N * 95 / 100] / 1e3);
}

static void freeze_with(pid_t pid, int group, struct jail_fixture *r)
{
	struct ay_err err = { 0 };
	enum ay_freeze how;
	int64_t took;

	for (int i = 0; i < ROUNDS; i++) {
		CHECKF(!ay_freeze(pid, group, 2, &how, &took, &err) && how == AY_FREEZE_OK, "%s %d", err.msg, how);
		CHECK(stands(r, 5) && took > 0);
		CHECKF(!ay_thaw(pid, group, &took, &err), "%s", err.msg);
		CHECK(goes_on(r));
	}
	if (getenv("ASSAY_BENCH"))
		bench(pid, group);
}

static void freeze_and_thaw(void)
{
	struct ay_err err = { 0 };
	struct jail_fixture r;
	enum ay_freeze how;
	pthread_t t;
	int64_t took;
	pid_t pid;
	int group;

	jail_fixture_init(&r, AY_SANDBOX_FULL, counting);
	r.freezable = true;
	pthread_create(&t, NULL, call, &r);
	for (int i = 0; i < 5000 && !(jail_fixture_out(&r)[0] && jail_fixture_out(&r)[1]); i++)
		usleep(1000);
	CHECK(goes_on(&r));
	pid = ay_exec_pid(r.x);
	CHECK(pid > 0);
	freeze_with(pid, -1, &r);
	if (ay_exec_group(r.x) >= 0)
		freeze_with(pid, ay_exec_group(r.x), &r);
	/* A frozen process can be killed, and a process that is gone is reported as gone. */
	/* the caller closes r.x when it ends */
	group = ay_exec_group(r.x) < 0 ? -1 : dup(ay_exec_group(r.x));
	CHECK(!ay_freeze(pid, group, 2, &how, &took, &err) && how == AY_FREEZE_OK);
	kill(pid, SIGKILL);
	CHECK(!ay_thaw(pid, group, &took, &err)); /* the jail's init is in the group and reports */
	pthread_join(t, NULL);
	CHECK(!r.x);
	CHECK(!ay_freeze(pid, -1, 2, &how, &took, &err) && how == AY_FREEZE_GONE);
	if (group >= 0)
		close(group);
	jail_fixture_release(&r);
}

TEST(freeze_stands_still_and_goes_on)
{
	jail_fixture_both(freeze_and_thaw);
}

/* All ways to be continued while stopped are refused, so that a SIGSTOP holds. */
TEST(freeze_no_source_of_sigcont)
{
	struct ay_outcome o;
	struct jail_fixture r;

	jail_fixture_init(
		&r, AY_SANDBOX_FULL,
		"#define _GNU_SOURCE\n#include <assay/kernel.h>\n#include <errno.h>\n#include <fcntl.h>\n"
		"#include <signal.h>\n#include <sys/prctl.h>\n#include <time.h>\n"
		"int t_probe(const ay_tensor *a, ay_tensor *out, const ay_ctx *ctx)\n"
		"{\n"
		"	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT }; timer_t t;\n"
		"	if (!timer_create(CLOCK_MONOTONIC, &e, &t) || errno != EPERM) return 1;\n"
		"	if (!fcntl(3, F_SETSIG, SIGCONT) || errno != EPERM) return 2;\n"
		"	if (!prctl(PR_SET_PDEATHSIG, SIGCONT) || errno != EPERM) return 3;\n"
		"	return 0;\n"
		"}\n");
	o = jail_fixture_run(&r, 5);
	CHECKF(o.what == AY_EXEC_RAN, "%d %s", o.rc, o.text);
	jail_fixture_release(&r);
}
