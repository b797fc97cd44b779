/* SPDX-License-Identifier: Apache-2.0
 *
 * ab - an A/B measurement: times a kernel against its baseline on one case.
 *
 * Theory of operation. A block is four batches in the order A B B A, and in every other block B A
 * A B. The first two batches of a block share one content and the last two share another. No
 * content is used in a second block, except by torch's own functions, which are trusted.
 *
 * A batch calls m sets. m is drawn anew within 20 % for every block. The time per call is (T -
 * gate_ns)/m: all the time that the judge's clock measured, less the time of an empty batch under
 * the same gate. If the baseline is in Python and the kernel is not, an empty call costs more in
 * the baseline's executor. The difference of the two empty calls is subtracted from every call of
 * the baseline.
 *
 * Between blocks, unannounced, some batches are audits: the executor gets their sets one by one.
 * The baseline is also timed beside a second copy of itself, before the kernel's process exists
 * and after it has ended. stats.h decides what the samples prove. The outputs of every batch are
 * checked (verify.h).
 */
#ifndef AY_TIMING_AB_H
#define AY_TIMING_AB_H

#include "op/registry.h"
#include "timing/gated_exec.h"
#include "timing/timing.h"

/* What the kernel is compared with. */
enum ay_baseline_kind { AY_BASELINE_NONE, AY_BASELINE_REFERENCE, AY_BASELINE_KERNEL };

struct ay_ab_spec {
	const struct ay_entry_op *op;
	struct ay_call *call; /* bound; its operands have no data, or data that is not used again */
	struct ay_impl kernel;
	enum ay_baseline_kind against;
	struct ay_impl base; /* for AY_BASELINE_KERNEL */
	int threads;
	double budget_s, call_timeout_s;
	/* continue until the interval is narrow, not only until the answer is clear */
	bool thorough;
	struct ay_sandbox *sandbox;
	struct ay_dev *device;     /* NULL: the CPU */
	const cpu_set_t *all_cpus; /* CPUs to choose from; NULL: those of this process */
	/* other processes use the device and its memory during the measurement */
	bool crowded;
	/* kernel and baseline are built in and run on a device: a set may be used again */
	bool trusted;
	/* The kernel is torch's own function. It keeps no draws, but streams of its generators for
	 * the CPU (MCG31 of MKL, in some versions) may overlap by chance */
	bool torch_own;
	bool ungated; /* and they run without a gate: see struct ay_gated_exec */
	/* idle executors on a device, kept between measurements; NULL: start new ones */
	struct ay_exec_cache *kept;
	const struct ay_ceilings *ceilings;
	/* The `answer` callback of struct ay_verify, for operators without a reference in assay;
	 * NULL: the operator has a reference. */
	bool (*answer)(void *answerer, struct ay_call *c, struct ay_arena *a);
	void *answerer;
	/* called if another measurement holds the CPUs or the GPU; may be NULL */
	void (*waiting)(void);
	/* File that remembers batch sizes, and the name of this measurement in it (plan_cache.h);
	 * NULL: batch sizes are not remembered. */
	const char *plan_file, *plan_name;
};

/* What the kernel did wrong while it was timed. */
enum ay_ab_fault {
	AY_AB_NONE,
	AY_AB_ENDED,      /* it did not run to its end: see outcome */
	AY_AB_WRONG,      /* right when it was judged, wrong when it was timed */
	AY_AB_UNFINISHED, /* it reported `done` before its output was written */
	AY_AB_REPEATED,   /* calls of a random operator shared draws */
	AY_AB_INPUT,      /* it wrote to an input */
	AY_AB_LEFT,       /* it left work on its GPU, which would slow down other processes */
};

struct ay_ab_report {
	enum ay_ab_fault fault;
	struct ay_outcome outcome;
	char text[200];
	/* The set where the fault was found, as timed= of a case line names it; valid if
	 * `named`. */
	bool named;
	uint64_t content;
	int set;
};

/* Times the kernel and fills in the measured fields of *t. The caller fills in baseline, version,
 * floor and score. Returns 0 if the kernel misbehaved: then r->fault says how. Returns -1 if the
 * judge failed. */
int ay_ab_time(const struct ay_ab_spec *s, struct ay_arena *a, struct ay_timing *t, struct ay_ab_report *r,
	       struct ay_err *err);

#endif
