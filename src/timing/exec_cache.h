/* SPDX-License-Identifier: Apache-2.0
 *
 * kept - executors that outlive their seats, frozen, for the next one who sits there.
 *
 * A process with a context on a GPU takes half a second to start, one with torch in it several, and a case opens some six
 * seats. On the processor nothing is kept: there a new process is a new draw of what makes one faster than another.
 */
#ifndef AY_TIMING_EXEC_CACHE_H
#define AY_TIMING_EXEC_CACHE_H

#include "exec/exec.h"

enum { AY_EXEC_CACHE = 8, AY_EXEC_CACHE_NAME = 65, AY_EXEC_CACHE_GATES = 32 };

/* All that makes two of them the same; and what does but for the functions that are loaded, if those are torch's own, so
 * that others can be loaded instead ("": not so). Hashes. */
struct ay_exec_cache_name {
	char who[AY_EXEC_CACHE_NAME], kind[AY_EXEC_CACHE_NAME];
};

/* What a batch costs besides the kernel (struct gate of ab_internal.h), of a kind of executors. */
struct ay_exec_cache_gate {
	struct ay_exec_cache_name name;
	bool plain;
	uint64_t lend_bytes;
	int64_t when;
	double empty_c0, spread, c0, map_most;
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
	char uncaptured[AY_EXEC_CACHE_NAME]; /* the last one whose calls were no graph: replay.c */
};

void ay_exec_cache_name(const struct ay_exec_spec *spec, struct ay_exec_cache_name *name);
/* One that was kept, which is the caller's from now on; NULL: there is none. *other: it has other functions of torch's,
 * and the right ones must be loaded. */
struct ay_exec *ay_exec_cache_take(struct ay_exec_cache *k, const struct ay_exec_cache_name *name, bool *other);
/* How many there are that ay_exec_cache_take would give. */
int ay_exec_cache_count(const struct ay_exec_cache *k, const struct ay_exec_cache_name *name);
/* Keeps x, which has nothing to do; the one that was kept longest goes if there is no room. k NULL: ends it. */
void ay_exec_cache_give(struct ay_exec_cache *k, const struct ay_exec_cache_name *name, struct ay_exec *x);
/* What was measured not long ago with about as much memory; NULL: nothing. */
const struct ay_exec_cache_gate *ay_exec_cache_find_gate(const struct ay_exec_cache *k,
							 const struct ay_exec_cache_gate *like);
void ay_exec_cache_note_gate(struct ay_exec_cache *k, const struct ay_exec_cache_gate *g);
/* Ends all of them. */
void ay_exec_cache_release(struct ay_exec_cache *k);

#endif
