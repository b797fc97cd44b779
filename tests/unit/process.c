/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"
#include "test.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void spin_for(double s)
{
	const int64_t end = ay_now_ns() + (int64_t)(s * 1e9);

	while (ay_now_ns() < end)
		;
}

/* Pins this process to one of its CPUs. */
static void pin(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	CHECK(!sched_getaffinity(0, sizeof all, &all));
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK(!sched_setaffinity(0, sizeof one, &one));
}

/* Two busy processes on one CPU wait for each other, whatever else the machine does. */
TEST(process_run_delay_grows_while_a_process_waits_for_its_cpu)
{
	int64_t before, after;
	pid_t pid;
	int ready;

	if (access("/proc/self/schedstat", R_OK))
		test_skip("the system does not say how long a thread waited for a CPU");
	pin();
	pid = fork();
	if (!pid) {
		for (;;)
			spin_for(1);
	}
	spin_for(0.1);
	before = ay_run_delay_ns(pid);
	spin_for(0.5);
	after = ay_run_delay_ns(pid);
	CHECKF(after - before > 10000000, "%lld ns", (long long)(after - before));
	CHECK(ay_longest_run_delay_ns(pid, before, 1ll << 60, &ready) >= after - before);
	CHECK(ay_longest_run_delay_ns(pid, before, 1000, &ready) == 1000);
	CHECKF(ready == 1, "%d threads are ready", ready);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(ay_run_delay_ns(pid) == 0); /* it does not exist any more */
}
