/* SPDX-License-Identifier: Apache-2.0
 *
 * pair - a kernel and its baseline, timed against each other on one case.
 *
 * Theory of operation. A block is four batches, A B B A or, every other, B A A B; the first two share one content, the last
 * two another, and nothing is shown twice (but to torch's own functions, which are trusted). A batch calls m sets, drawn
 * anew within 20 % for every block, and its time per call is (T - c0)/m: everything that the judge's clock saw, less what a
 * batch costs that does nothing, under the same gate. Where the baseline is in Python and the kernel is not, what handing
 * over a call costs more there is not the baseline's: the difference of empty calls is subtracted from each of its calls.
 * Between blocks, unannounced, some batches are audits: sets come one by one. The baseline is also timed alone,
 * before the kernel's process exists and after it is gone. What the samples prove is stats.h's business; outputs of
 * every batch are checked (verify.h).
 */
#ifndef AY_TIMING_AB_H
#define AY_TIMING_AB_H

#include "op/registry.h"
#include "timing/gated_exec.h"
#include "timing/timing.h"

/* What the kernel is held against. */
enum ay_baseline_kind { AY_BASELINE_NONE, AY_BASELINE_REFERENCE, AY_BASELINE_KERNEL };

struct ay_ab_spec {
	const struct ay_entry_op *op;
	struct ay_call *call; /* bound; operands without data, or with data that will not be used again */
	struct ay_impl kernel;
	enum ay_baseline_kind against;
	struct ay_impl base; /* AY_BASELINE_KERNEL */
	int threads;
	double budget_s, call_timeout_s;
	bool thorough; /* go on until the interval is narrow, not only until there is an answer */
	struct ay_sandbox *sandbox;
	struct ay_dev *device;      /* NULL: the processor */
	const cpu_set_t *all_cpus;  /* to choose from; NULL: those of this process */
	bool crowded;               /* others use the device meanwhile, and its memory */
	bool trusted;               /* both are built in, and on a device: they may see a set again, */
	bool plain;                 /* and are not gated either */
	struct ay_exec_cache *kept; /* executors on a device that are there already, and will be; NULL: none */
	const struct ay_ceilings *ceilings;
	/* struct ay_verify's, for operators that have no reference here; NULL: the operator has one */
	bool (*answer)(void *answerer, struct ay_call *c, struct ay_arena *a);
	void *answerer;
	void (*waiting)(void); /* another measurement has the CPUs; NULL: nobody wants to know */
	/* Where batch sizes are remembered, and under which name (plan_cache.h); NULL: nowhere. */
	const char *plan_file, *plan_name;
};

/* What the kernel did wrong while it was timed. */
enum ay_ab_fault {
	AY_AB_NONE,
	AY_AB_ENDED,      /* it did not run: see outcome */
	AY_AB_WRONG,      /* right when it was judged, wrong when it was timed */
	AY_AB_UNFINISHED, /* it said `done` and had not written its output */
	AY_AB_INPUT,      /* it wrote to an input */
	AY_AB_LEFT,       /* it left work on its GPU, which others would pay for */
};

struct ay_ab_report {
	enum ay_ab_fault amiss;
	struct ay_outcome outcome;
	char text[200];
	/* The set that was amiss: what timed= of a case line says. */
	bool named;
	uint64_t content;
	int set;
};

/* Fills in what it measures of *t; baseline, version, floor and score are the caller's. -1: our failure. */
int ay_ab_time(const struct ay_ab_spec *s, struct ay_arena *a, struct ay_timing *t, struct ay_ab_report *r,
	       struct ay_err *err);

#endif
