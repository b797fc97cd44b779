/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "base/arena.h"
#include "timing/cpuset.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static cpu_set_t set_of(int a, int b)
{
	cpu_set_t s;

	CPU_ZERO(&s);
	CPU_SET((size_t)a, &s);
	CPU_SET((size_t)b, &s);
	return s;
}

TEST(cpuset_kernel_gets_the_last_cpus)
{
	cpu_set_t kernel, judge, both, mine;
	bool spare;

	CHECK(!sched_getaffinity(0, sizeof mine, &mine));
	for (int n = 0; n <= CPU_COUNT(&mine) + 1; n++) {
		int due = n < 1 ? 1 : n > CPU_COUNT(&mine) ? CPU_COUNT(&mine) : n;

		ay_cpuset_choose(n, &kernel, &judge, &spare);
		CHECK(CPU_COUNT(&kernel) == due);
		CHECK(spare == (due < CPU_COUNT(&mine)));
		CPU_AND(&both, &kernel, &judge);
		CHECK(spare ? !CPU_COUNT(&both) : CPU_EQUAL(&kernel, &judge));
		CPU_OR(&both, &kernel, &judge);
		CHECK(CPU_EQUAL(&both, &mine));
		/* none of the judge's CPUs comes after a kernel's */
		for (int i = 0, seen = 0; i < CPU_SETSIZE && spare; i++) {
			seen |= CPU_ISSET((size_t)i, &kernel);
			CHECK(!seen || !CPU_ISSET((size_t)i, &judge));
		}
	}
}

/* CPUs 0 and 1 share a core, 2 and 3 the next. */
static bool are_pairs(int a, int b)
{
	return a / 2 == b / 2;
}

static bool are_all_one(int a, int b)
{
	(void)a;
	(void)b;
	return true;
}

/* Returns which of the judge's CPUs a and b remains if the kernel has the other two. */
static int kept_of(int a, int b, cpu_set_t kernel, bool (*same_core)(int a, int b))
{
	cpu_set_t s = set_of(a, b);

	ay_cpuset_keep_one(&s, &kernel, same_core);
	CHECK(CPU_COUNT(&s) == 1);
	return CPU_ISSET((size_t)a, &s) ? a : b;
}

TEST(cpuset_judge_is_not_beside_the_kernel)
{
	cpu_set_t none;

	CHECK(kept_of(0, 2, set_of(3, 3), are_pairs) == 0); /* 2 is the kernel's sibling */
	CHECK(kept_of(0, 2, set_of(1, 1), are_pairs) == 2);
	CHECK(kept_of(0, 1, set_of(2, 3), are_pairs) == 1);   /* both are apart: the last */
	CHECK(kept_of(0, 2, set_of(1, 3), are_pairs) == 2);   /* neither is: the last */
	CHECK(kept_of(0, 2, set_of(1, 3), are_all_one) == 2); /* and nowhere else on this machine */
	CPU_ZERO(&none);
	ay_cpuset_keep_one(&none, &none, are_pairs);
	CHECK(!CPU_COUNT(&none));
}

TEST(cpuset_lists_are_read_as_the_system_writes_them)
{
	static const struct {
		const char *list;
		int cpu;
		bool in;
	} t[] = { { "7,15\n", 15, true },  { "7,15\n", 1, false }, { "0-3,8\n", 2, true }, { "0-3,8", 8, true },
		  { "0-3,8\n", 4, false }, { "", 0, false },       { "\n", 0, false },     { "x", 0, false },
		  { "3-\n", 3, false },    { "1,,2", 2, false },   { "1 2", 2, false } };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		CHECKF(ay_cpuset_listed(t[i].list, t[i].cpu) == t[i].in, "'%s' has %d", t[i].list, t[i].cpu);
	CHECK(ay_cpuset_same_core(0, 0) && ay_cpuset_same_core(99999, 99999) && !ay_cpuset_same_core(99999, 0));
}

TEST(cpuset_sees_work_on_its_cpus)
{
	cpu_set_t kernel, judge;
	struct ay_cpu_use before, after, none;
	struct timespec t;
	bool spare;

	ay_cpuset_choose(1, &kernel, &judge, &spare);
	CHECK(!sched_setaffinity(0, sizeof kernel, &kernel));
	ay_cpu_use_read(&kernel, &before);
	if (!before.busy_ns)
		test_skip("/proc/stat tells nothing");
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (!t.tv_sec && t.tv_nsec < 100000000);
	ay_cpu_use_read(&kernel, &after);
	CHECKF(after.busy_ns - before.busy_ns >= 50000000, "100 ms of work, %.0f ms seen",
	       (double)(after.busy_ns - before.busy_ns) / 1e6);
	CHECK(after.stolen_ns >= before.stolen_ns && after.stolen_ns <= after.busy_ns);
	CPU_ZERO(&kernel);
	ay_cpu_use_read(&kernel, &none);
	CHECK(!none.busy_ns && !none.stolen_ns);
}
