/* SPDX-License-Identifier: Apache-2.0
 *
 * timing - the result of timing one kernel on one case.
 *
 * docs/timing.md explains every number.
 */
#ifndef AY_TIMING_TIMING_H
#define AY_TIMING_TIMING_H

#include "timing/ceiling.h"
#include "timing/stats.h"

/* Strings live in the arena of the caller that timed the kernel. Times are nanoseconds per call. */
struct ay_timing {
	/* NONE: there is no ratio and `why` gives the reason; ns may still be set */
	enum ay_pace pace;
	const char *why;      /* NULL: no remark */
	const char *baseline; /* "openblas", "reference", a file; NULL: no baseline */
	const char *version;  /* of the baseline: "0.3.21 SkylakeX", a hash; NULL: none */
	/* may enter a score: the baseline is a library and the case is not overhead-bound */
	bool scored;
	/* too slow for its budget or time-out: not timed, and its operator has no speed-up */
	bool too_slow;
	bool overhead_bound; /* the baseline takes less than 5 empty calls of its kind */
	/* the baseline was slower beside the kernel than without it: its time without the kernel
	 * counts */
	bool disturbed;
	/* the kernel was slower when its sets came one by one: that time counts */
	bool audited;
	bool waited;         /* this measurement waited for another one on the same CPUs */
	bool cold;           /* a batch exceeds twice the last cache */
	enum ay_level level; /* memory level that holds a batch */
	int threads, blocks, discarded, audits;
	int sets, passes;        /* per batch: sets, give or take 20 %, and passes over them */
	double ns, ns_lo, ns_hi; /* the kernel: median over blocks, and its 99 % interval */
	double base_ns;
	/* baseline time over kernel time, with its interval; totals: ratio of the sums */
	double speedup, lo, hi, totals;
	/* of a single call, from the start to `done`, less the cost of an empty call */
	double latency_ns;
	double cpu_ns;  /* CPU time per call, all threads */
	double null_ns; /* an empty call in an executor of the kernel's kind */
	/* an empty call in an executor of the baseline's kind; for aten: torch's cheapest
	 * function */
	double base_null_ns;
	/* gate_ns: fixed cost of a batch; slack: (95th percentile - median of gate_ns)/T */
	double gate_ns, slack;
	double floor_ns;   /* no correct kernel can take less */
	double pool_bytes; /* bytes of all sets of a batch */
	/* kernel and baseline ran under the gate, so no figure relies on an executor's word;
	 * false: both are built in, on a GPU */
	bool gated;
	/* T of a batch of a trusted baseline less the time between its device's events; 0: not
	 * known */
	double lag_ns;
	/* a call's time by device events inside the kernel's executor; 0: none */
	double claimed_ns;
	bool contradicted;     /* claimed_ns differs from ns */
	int sm_mhz;            /* lowest GPU clock seen; 0: not known */
	const char *throttled; /* why the clock was lower than it could be; NULL: it was not */
	double bytes, flops;   /* that a call must at least touch and compute; 0: none counted */
	double peak;           /* fraction of the FLOP ceiling; 0: no FLOPs counted */
	double wall_s;         /* seconds for everything */
	double check_s;        /* part of wall_s: comparing outputs of timed calls */
	/* part of wall_s: starting executors, their memory and their functions */
	double open_s;
	double blocks_s; /* part of wall_s: blocks, including check_s */
	int nsample;
	const double *sample; /* ln(tB/tA) of both halves of each block that counts */
};

#endif
