/* SPDX-License-Identifier: Apache-2.0
 *
 * timing - what was found about the speed of one kernel on one case. docs/timing.md explains every number.
 */
#ifndef AY_TIMING_TIMING_H
#define AY_TIMING_TIMING_H

#include "timing/ceiling.h"
#include "timing/stats.h"

/* Strings live in the arena given to whoever timed. Times are nanoseconds per call. */
struct ay_timing {
	enum ay_pace pace;    /* NONE: there is no ratio, `why` says why; ns may still be there */
	const char *why;      /* NULL = nothing to say */
	const char *baseline; /* "openblas", "reference", a file; NULL: none */
	const char *version;  /* of it: "0.3.21 SkylakeX", a hash; NULL */
	bool scored;          /* may enter a score: against a library, and not overhead-bound */
	bool too_slow;       /* for its budget or time-out: left out of timing, and its operator has no speed-up */
	bool overhead_bound; /* the baseline takes less than 5 empty calls of its kind */
	bool disturbed;      /* the baseline was slower beside the kernel than alone: its time alone counts */
	bool audited;        /* the kernel was slower when its sets came one by one: that time counts */
	bool waited;         /* for another measurement on the same CPUs */
	bool cold;           /* a batch is beyond twice the last cache */
	enum ay_level level; /* where a batch lives */
	int threads, blocks, discarded, audits;
	int sets, passes;        /* per batch, give or take 20 %, and how often it goes over them */
	double ns, ns_lo, ns_hi; /* the kernel: median over blocks, and its 99 % interval */
	double base_ns;
	double speedup, lo, hi, totals; /* base/kernel; totals: ratio of the sums */
	double latency_ns;              /* of a call alone, from `go` to `done`, hand-over subtracted */
	double cpu_ns;                  /* CPU time per call, all threads */
	double null_ns;                 /* what a call costs that does nothing, of the kernel's kind, */
	double base_null_ns;            /* and of the baseline's; of aten: torch's least function */
	double gate_ns, slack;          /* c0, and (p95 - p50 of c0)/T */
	double floor_ns;                /* no correct kernel can be below it */
	double pool_bytes;              /* of a batch */
	bool gated;        /* nothing of the executors was believed; else both are built in, on a GPU */
	double lag_ns;     /* T of a trusted baseline's batch beyond what its device's events said; 0: not known */
	double claimed_ns; /* what these said of a call, inside the kernel's executor; 0: nothing */
	double graph_ns;   /* the same of calls that were captured into a graph; 0: they were not */
	bool contradicted; /* and that is another time than ours, or the graph's is longer */
	int sm_mhz;        /* clock of the GPU, the lowest that was seen; 0: not known */
	const char *throttled; /* why it was lower than it could be; NULL: it was not */
	double bytes, flops;   /* compulsory per call; 0 = none counted */
	double peak;           /* fraction of the FLOP ceiling; 0 = no FLOPs counted */
	double wall_s;         /* what all of it took */
	double check_s;        /* and of that comparing outputs of timed calls, */
	double open_s;         /* seats: processes, memory, what they call, */
	double blocks_s;       /* blocks (with check_s), */
	double replay_s;       /* and graphs. The rest: empty batches, trials */
	int nsample;
	const double *sample; /* ln(tB/tA) of both halves of each block that counts */
};

#endif
