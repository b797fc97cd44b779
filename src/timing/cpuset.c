/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/cpuset.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the CPUs that this process may use; if the system does not report them, all that fit in
 * a set. */
static void allowed(cpu_set_t *set)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (!sched_getaffinity(0, sizeof *set, set) && CPU_COUNT(set))
		return;
	CPU_ZERO(set);
	for (long i = 0; i < (online < 1 ? 1 : online) && i < CPU_SETSIZE; i++)
		CPU_SET((size_t)i, set);
}

void ay_cpuset_choose(int threads, cpu_set_t *kernel, cpu_set_t *judge, bool *spare)
{
	int left = threads < 1 ? 1 : threads;

	allowed(judge);
	CPU_ZERO(kernel);
	for (int i = CPU_SETSIZE - 1; i >= 0 && left; i--) {
		if (!CPU_ISSET((size_t)i, judge))
			continue;
		CPU_SET((size_t)i, kernel);
		left--;
	}
	CPU_XOR(judge, judge, kernel);
	*spare = CPU_COUNT(judge) > 0;
	if (!*spare)
		*judge = *kernel;
}

bool ay_cpuset_listed(const char *list, int cpu)
{
	while (*list) {
		char *end;
		const long from = strtol(list, &end, 10), to = *end == '-' ? strtol(end + 1, &end, 10) : from;

		if (end == list || (*end && *end != ',' && *end != '\n'))
			return false;
		if (cpu >= from && cpu <= to)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

bool ay_cpuset_same_core(int a, int b)
{
	char path[100], list[256];
	FILE *f;
	bool same;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", a);
	f = fopen(path, "re");
	if (!f)
		return a == b;
	same = fgets(list, sizeof list, f) && ay_cpuset_listed(list, b);
	fclose(f);
	return same || a == b;
}

static bool is_apart(int cpu, const cpu_set_t *from, bool (*same_core)(int a, int b))
{
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, from) && same_core(cpu, i))
			return false;
	return true;
}

void ay_cpuset_keep_one(cpu_set_t *set, const cpu_set_t *kernel, bool (*same_core)(int a, int b))
{
	int last = -1, apart = -1;

	for (int i = CPU_SETSIZE - 1; i >= 0 && apart < 0; i--) {
		if (!CPU_ISSET((size_t)i, set))
			continue;
		last = last < 0 ? i : last;
		apart = is_apart(i, kernel, same_core) ? i : -1;
	}
	if (last < 0) /* an empty set stays empty */
		return;
	CPU_ZERO(set);
	CPU_SET((size_t)(apart < 0 ? last : apart), set);
}

void ay_cpu_use_read(const cpu_set_t *cpus, struct ay_cpu_use *u)
{
	FILE *f = fopen("/proc/stat", "re");
	long tick = sysconf(_SC_CLK_TCK);
	uint64_t ns = 1000000000u / (uint64_t)(tick < 1 ? 100 : tick);
	char line[512];

	*u = (struct ay_cpu_use){ 0 };
	while (f && fgets(line, sizeof line, f) && ay_starts(line, "cpu")) {
		/* guest time, which follows these fields, is part of user time */
		unsigned long long user, nice, sys, idle, wait, irq, soft, steal;
		unsigned cpu;

		if (line[3] == ' ' || /* the sum of all CPUs */
		    sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &user, &nice, &sys, &idle,
			   &wait, &irq, &soft, &steal) != 9)
			continue;
		if (cpu >= CPU_SETSIZE || !CPU_ISSET((size_t)cpu, cpus))
			continue;
		u->busy_ns += (user + nice + sys + irq + soft + steal) * ns;
		u->stolen_ns += steal * ns;
	}
	if (f)
		fclose(f);
}
