/* SPDX-License-Identifier: Apache-2.0
 *
 * perf_lock - reserves CPUs or a GPU for a measurement: no other assay process measures on them at
 * the same time.
 */
#ifndef AY_DEVICE_PERF_LOCK_H
#define AY_DEVICE_PERF_LOCK_H

#include "base/err.h"

#include <sched.h>
#include <stdint.h>

/*
 * A machine-wide lock on each CPU of a set. Each CPU has a file in /run/lock or /tmp that every
 * user may lock. CPUs are locked in ascending order, so two measurements never deadlock. The lock
 * ends with the process and with those of its children that were forked while it was held and have
 * not called exec. A process that locks a CPU twice waits for ever.
 *
 * Lock files are only opened for reading, which suffices for flock and needs no privilege. A name
 * that is not a regular file with a single link (a planted link, a FIFO) is refused, because assay
 * must not lock a foreign file.
 */
enum { AY_GPU_UUID_BYTES = 16, AY_GPU_MEMORY_SHARES = 8 };
struct ay_perf_lock {
	int n, fd[CPU_SETSIZE];
};
/* Locks the CPUs of a set and waits if necessary. `said` (may be NULL) is called once if it has to
 * wait. On failure no lock is held. */
int ay_perf_lock_cpus(struct ay_perf_lock *l, const cpu_set_t *cpus, void (*said)(void *user), void *user,
		      struct ay_err *err);
/* Locks the CPUs of a set like ay_perf_lock_cpus, with files in folder `dir`. */
int ay_perf_lock_cpus_in(struct ay_perf_lock *l, const char *dir, const cpu_set_t *cpus, void (*said)(void *user),
			 void *user, struct ay_err *err);
/* Locks one GPU exclusively and waits if necessary. The GPU is named by the UUID of its driver,
 * because an index (cuda:0) differs between processes that see different subsets of the GPUs. A
 * caller that also needs CPUs locks those first, in a separate struct ay_perf_lock. */
int ay_perf_lock_gpu(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], void (*said)(void *user),
		     void *user, struct ay_err *err);
int ay_perf_lock_gpu_in(struct ay_perf_lock *l, const char *dir, const uint8_t uuid[AY_GPU_UUID_BYTES],
			void (*said)(void *user), void *user, struct ay_err *err);
/* Locks one GPU together with other holders of a shared lock, but not during an exclusive lock. */
int ay_perf_lock_gpu_shared(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], struct ay_err *err);
int ay_perf_lock_gpu_shared_in(struct ay_perf_lock *l, const char *dir, const uint8_t uuid[AY_GPU_UUID_BYTES],
			       struct ay_err *err);
/* Reserves `shares` of the AY_GPU_MEMORY_SHARES shares of a GPU's memory. Waits until enough
 * shares are free. Requests are served in the order of their arrival. */
int ay_perf_lock_gpu_memory(struct ay_perf_lock *l, const uint8_t uuid[AY_GPU_UUID_BYTES], int shares,
			    struct ay_err *err);
void ay_perf_unlock(struct ay_perf_lock *l);

#endif
