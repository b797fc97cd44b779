/* SPDX-License-Identifier: Apache-2.0
 *
 * cpuset - which CPUs a kernel and the judge run on, and how much CPU time other programs took there.
 */
#ifndef AY_TIMING_CPUSET_H
#define AY_TIMING_CPUSET_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* Chooses the CPUs for a kernel with `threads` threads: the last ones that this process may use.
 * *judge gets the others. *spare: at least one other CPU exists; if not, the judge shares the
 * kernel's CPUs. */
void ay_cpuset_choose(int threads, cpu_set_t *kernel, cpu_set_t *judge, bool *spare);

/* Returns true if two CPUs share a core, according to the system. ay_cpuset_listed returns true if
 * a CPU is in a list in the system's format: "0-3,8". */
bool ay_cpuset_same_core(int a, int b);
bool ay_cpuset_listed(const char *list, int cpu);
/* Reduces a set to one CPU: the last one on a core that the kernel does not use, or the last
 * one. */
void ay_cpuset_keep_one(cpu_set_t *set, const cpu_set_t *kernel, bool (*same_core)(int a, int b));

/* CPU nanoseconds that a set of CPUs has spent on anything so far (user, system, interrupts,
 * stolen by the host), and how many of them were stolen. 0 if the system does not report them. The
 * resolution is 10 ms. */
struct ay_cpu_use {
	uint64_t busy_ns, stolen_ns;
};
void ay_cpu_use_read(const cpu_set_t *cpus, struct ay_cpu_use *u);

#endif
