/* SPDX-License-Identifier: Apache-2.0
 *
 * quiet - what a measurement needs of the machine: a set of CPUs, or a GPU, that no other assay measures on at the same
 * time, and a note of who else was there.
 */
#ifndef AY_TIMING_QUIET_H
#define AY_TIMING_QUIET_H

#include "base/err.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* Which CPUs a kernel with `threads` threads gets: the last ones of those that we may use, so that the first are
 * left for the judge. *spare: one is left; without one the judge shares the kernel's. */
void ay_cpuset_choose(int threads, cpu_set_t *kernel, cpu_set_t *judge, bool *spare);

/* Do two CPUs share a core, as far as the system tells? And is one in a list as the system writes them: "0-3,8"? */
bool ay_cpuset_same_core(int a, int b);
bool ay_cpuset_listed(const char *list, int cpu);
/* Leaves one CPU of a set: the last on a core where the kernel has none, or the last. */
void ay_cpuset_keep_one(cpu_set_t *set, const cpu_set_t *kernel, bool (*same_core)(int a, int b));

/*
 * A machine-wide lock on each CPU of a set: a file per CPU in /run/lock or /tmp that anybody may lock, taken in
 * ascending order, so two measurements never wait for each other in a circle. Gone with the process, and with the
 * children that were forked while it was held and have not called exec. Whoever takes a CPU twice waits for
 * ever.
 *
 * The files are only ever opened for reading, which is enough for flock and needs no privilege. A name that is not
 * a plain file with one name (a planted link, a FIFO) is refused: what it stands for is not ours to lock.
 */
enum { AY_GPU_UUID_BYTES = 16, AY_GPU_MEMORY_SHARES = 8 };
struct ay_perf_lock {
	int n, fd[CPU_SETSIZE];
};
/* Waits; said (may be NULL) is called once if it has to. On failure nothing is held. */
int ay_perf_lock_cpus(struct ay_perf_lock *l, const cpu_set_t *cpus, void (*said)(void *user), void *user,
		      struct ay_err *err);
/* The same with files in a folder of one's choice. */
int ay_perf_lock_cpus_in(struct ay_perf_lock *l, const char *dir, const cpu_set_t *cpus, void (*said)(void *user),
			 void *user, struct ay_err *err);
/*
 * The same for one GPU, by the UUID that its driver gives it: a number (cuda:0) is another one for every process that
 * sees a part of the GPUs only. Who needs CPUs too takes those first, with a lock of their own.
 */
int ay_perf_lock_gpu(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], void (*said)(void *user),
		     void *user, struct ay_err *err);
int ay_perf_lock_gpu_in(struct ay_perf_lock *l, const char *dir, const uint8_t uuid[AY_GPU_UUID_BYTES],
			void (*said)(void *user), void *user, struct ay_err *err);
/* With others who do so: not while somebody measures. */
int ay_perf_lock_gpu_shared(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], struct ay_err *err);
int ay_perf_lock_gpu_shared_in(struct ay_perf_lock *l, const char *dir, const uint8_t uuid[AY_GPU_UUID_BYTES],
			       struct ay_err *err);
/* The right to so many shares of its memory, of which there are AY_GPU_MEMORY_SHARES: waits until others have left as many, in
 * the order in which they were asked for. */
int ay_perf_lock_gpu_memory(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], int shares,
			    struct ay_err *err);
void ay_perf_unlock(struct ay_perf_lock *l);

/* CPU nanoseconds that a set of CPUs spent on anything so far (user, system, interrupts, stolen by the host), and
 * how many of them were stolen; 0 where the system does not tell. Coarse: 10 ms. */
struct ay_cpu_use {
	uint64_t busy_ns, stolen_ns;
};
void ay_cpu_use_read(const cpu_set_t *cpus, struct ay_cpu_use *u);

#endif
