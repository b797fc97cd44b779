/* SPDX-License-Identifier: Apache-2.0
 *
 * exec_cache - frozen executors that are kept for the next measurement.
 *
 * A process with a context on a GPU takes half a second to start, and one with torch takes several
 * seconds. A case needs some six executors. On the CPU no executor is kept: a new process is a new
 * random draw of the properties that make one process faster than another.
 */
#ifndef AY_TIMING_EXEC_CACHE_H
#define AY_TIMING_EXEC_CACHE_H

#include "exec/exec.h"

enum { AY_EXEC_CACHE = 8, AY_EXEC_CACHE_NAME = 65, AY_EXEC_CACHE_GATES = 32 };

/* What identifies an executor, as hashes. `who`: everything about it. `kind`: everything except
 * its functions, if these are torch's own, so that other functions can be loaded instead; "" for
 * any other executor. */
struct ay_exec_cache_name {
	char who[AY_EXEC_CACHE_NAME], kind[AY_EXEC_CACHE_NAME];
};

/* The measured cost of a batch besides the kernel (struct gate of ab_internal.h) for one kind of
 * executor. */
struct ay_exec_cache_gate {
	struct ay_exec_cache_name name;
	bool ungated;
	uint64_t empty_bytes;
	int64_t when;
	double empty_ns, spread, gate_ns, map_most;
	double null_ns; /* 0: not measured */
};

struct ay_exec_cache {
	int n;
	struct ay_exec_cache_one {
		struct ay_exec_cache_name name;
		struct ay_exec *exec;
	} one[AY_EXEC_CACHE];
	int ngate;
	struct ay_exec_cache_gate gate[AY_EXEC_CACHE_GATES];
};

void ay_exec_cache_name(const struct ay_exec_spec *spec, struct ay_exec_cache_name *name);
/* Removes an executor from the cache and returns it; the caller owns it. NULL: none fits. *other:
 * it has other torch functions, and the caller must load the right ones. */
struct ay_exec *ay_exec_cache_take(struct ay_exec_cache *k, const struct ay_exec_cache_name *name, bool *other);
/* Returns how many executors ay_exec_cache_take could return for this name. */
int ay_exec_cache_count(const struct ay_exec_cache *k, const struct ay_exec_cache_name *name);
/* Puts the idle executor x into the cache, which owns it from then on. If the cache is full, the
 * oldest one is ended. If k is NULL, x is ended. */
void ay_exec_cache_give(struct ay_exec_cache *k, const struct ay_exec_cache_name *name, struct ay_exec *x);
/* Returns a cost that was measured in the last minute with about as much memory; NULL: none. */
const struct ay_exec_cache_gate *ay_exec_cache_find_gate(const struct ay_exec_cache *k,
							 const struct ay_exec_cache_gate *like);
void ay_exec_cache_note_gate(struct ay_exec_cache *k, const struct ay_exec_cache_gate *g);
/* Ends all cached executors. */
void ay_exec_cache_release(struct ay_exec_cache *k);

#endif
