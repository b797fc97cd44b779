/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a pair, shared by its files: ab.c makes ready and closes, ab_plan.c says how much to do, ab_batch.c
 * and ab_block.c do it, replay.c asks once more for a figure that is only told, ab_result.c says what all of it was worth.
 */
#ifndef AY_TIMING_AB_INTERNAL_H
#define AY_TIMING_AB_INTERNAL_H

#include "device/gpu.h"
#include "timing/ab.h"
#include "timing/gated_exec.h"
#include "timing/verify.h"

enum {
	AUDIT_MAX = 24,    /* sets in an audit, */
	AUDIT_MAX_GPU = 8, /* and where each has memory of its own */
	AUDITS_KEPT = AY_BLOCKS_MAX * AUDIT_MAX,
	CONTENTS_KEPT = 128, /* more than an audit draws while one content of the kernel's is in use */
};
/* A batch is at least this long, where there are calls enough. */
#define LEAST_BATCH_NS 10e6

/* What differs where kernels run: on the processor, on a GPU, and of torch against itself on a GPU. */
struct scale {
	double trial_sets, trial_bytes; /* in the batches by which m is chosen; fewer sets if they are larger */
	double least_ns, longest_ns, short_ns; /* of batches */
	double pool_max;                       /* bytes of one seat */
	double write_per_ns;                   /* bytes; of content and its check, a careful guess for planning */
	double around_ns;                      /* what a batch costs beside T and its content */
	double late_max_ns; /* more than a batch is ever later than an empty one: then others had the CPU */
	int64_t gap_ns;     /* between empty batches, as there is between others */
	double brief_ns, brief_batch_ns; /* calls that are shorter, and the batches that they need not exceed */
	/* A call as cold or warm is decided by it, on any machine and of any kernel alike: what it costs by itself, bytes and
	 * flops a nanosecond; and an empty batch. */
	double usual_ns, usual_bytes, usual_flops, usual_c0;
};

/* Calls alone, each with an empty one beside it: T of that, and what the others took beyond it. */
struct audits {
	int n;
	double kernel[AUDITS_KEPT], base[AUDITS_KEPT];
	double none[2][AUDITS_KEPT]; /* of each gate */
};

/* What is between thaw and freeze but not the kernel's, of one kind of executor. */
struct gate {
	struct ay_gated_exec seat; /* of the empty call */
	double empty_c0, spread;   /* of an empty batch: the median, and from there to the 95th of 100 */
	/* Of a batch as long as those of kernels: what has run for 2 ms and more is 30 to 60 us slower to stop, once
	 * everything about stopping has left the caches. */
	double c0;
	double null_ns;  /* of each in a row of empty calls */
	double map_most; /* see struct ay_gated_exec: of 20 empty batches 19 take no longer */
};

struct pair {
	const struct ay_ab_spec *s;
	enum ay_baseline_kind against; /* NONE also where the baseline is too slow for the budget */
	struct ay_timing *t;
	struct ay_ab_report *r;
	struct ay_err *err;
	struct ay_input_template master;
	struct ay_verify verify;
	struct ay_gated_exec seat[2];
	struct ay_gated_exec *a, *b; /* of these: the kernel's, the baseline's */
	struct gate gate[2];         /* the second only where the baseline is of another kind than the kernel */
	struct gate *ga, *gb;        /* of the kernel, of the baseline */
	double lift;                 /* what each call of the baseline costs more by its kind alone */
	struct ay_input_sets mem_a, mem_b; /* of the seats, while they are not open */
	int renewals;                      /* of the processes */
	double open_s, opened_s;           /* what opening both took the last time, and when that was */
	struct ay_input_sets reference;    /* where the reference works */
	cpu_set_t cpus, judge_cpus, before;
	cpu_set_t check_cpus; /* where sets are compared: where this process was, or all but the kernel's */
	bool spare;
	int64_t begin, entered;  /* of what the budget is for, and of everything */
	double trial_a, trial_b; /* ns per call, roughly */
	int m, mb;               /* sets per batch: of the kernel, of the baseline; */
	int passes;              /* over all of them: what is trusted may see a set again, if it is not changed */
	bool drowned;            /* a batch of this block was hardly longer than an empty one */
	bool restless;           /* or began on a GPU where somebody else's work was running */
	int restless_blocks;
	bool died;               /* the kernel's process, in a replay */
	bool changed;            /* the kernel wrote to an input */
	bool broken;             /* our failure, while a set was fetched */
	int n;                   /* blocks that count */
	int blocks;              /* all of them */
	struct ay_key plain_key; /* of the content of those who may have it again */
	struct ay_key now;       /* of what the kernel was called on last */
	struct {
		struct ay_key key;
		uint64_t n;
	} drawn[CONTENTS_KEPT]; /* the last few contents, and their numbers */
	int ndrawn;
	double sum_a, sum_b;           /* of all batches, as they were */
	double claimed[AY_BLOCKS_MAX]; /* ns per call by the device's own events */
	double lag[AY_BLOCKS_MAX];     /* T of the baseline's batches beyond its events; 0: they say nothing */
	int mhz_first;                 /* clock of the GPU at the first block; 0: not known */
	uint64_t throttled;            /* reasons that were given for a lower one */
	double ta[AY_BLOCKS_MAX], tb[AY_BLOCKS_MAX], cpu[AY_BLOCKS_MAX];
	double calls[AY_BLOCKS_MAX];                                              /* in a batch of each block */
	double a_half[AY_SAMPLES_MAX], b_half[AY_SAMPLES_MAX], d[AY_SAMPLES_MAX]; /* two for each block */
	struct spell {
		double q50, q75;
	} alone[2]; /* baseline before and after */
	struct audits audit;
	struct ay_ratio ratio;
};

/* --- ab_batch.c --------------------------------------------------------------------------------------------- */

/* Content that nobody has seen. */
struct ay_key ay_ab_key(struct pair *p);
/* The n-th content of the blocks that are checked and not counted: what it holds follows from the seed alone, so that a
 * kernel that is wrong on it is wrong in every run with that seed. Nothing is measured on it, so knowing it is no gain. */
struct ay_key ay_ab_first_key(struct pair *p, int n);
/* Notes in the report which set was amiss. */
void ay_ab_name(struct pair *p, struct ay_key key, int set);
/* As no float dtype's likely answer looks: see judge.c. */
uint8_t ay_ab_poison(void);
/* Notes that the kernel did not run; 0 if it did. */
int ay_ab_is_over(struct pair *p, const struct ay_outcome *o);
/* The operator's own reference on n sets; ns per call. */
double ay_ab_reference(struct pair *p, struct ay_key key, int n);
/* ns per call of the baseline; lag: T beyond what its device's events say. A baseline that fails is our failure. */
int ay_ab_baseline(struct pair *p, struct ay_key key, int n, double *ns, double *lag);
/* For struct ay_verify: user is the pair. */
bool ay_ab_fetch(void *user, int set, const struct ay_byte_range *need);
/* The same, for products on a GPU. */
bool ay_ab_is_right(void *user, int set);
/* What the kernel's memory holds before a batch: of Python on a GPU what it allocates counts, which is always the same
 * there. */
uint8_t ay_ab_kernel_poison(const struct pair *p);
/* n sets through the kernel, and are they right? certain: they are compared whatever chance says. 1: something is amiss. */
int ay_ab_kernel(struct pair *p, struct ay_key key, int n, bool certain, struct ay_batch_time *beat);
/* The kernel's outputs of sets [from, from + n), which took ns. 1: they are not what they should be. */
int ay_ab_check(struct pair *p, struct ay_key key, int from, int n, uint8_t poison, double ns, bool certain);
/* What the kernel returned is of no more use. */
int ay_ab_forget(struct pair *p);
/* What one of ours returned. */
int ay_ab_forget_ours(struct pair *p, struct ay_gated_exec *seat);

/* --- ab_block.c --------------------------------------------------------------------------------------------- */

/* All blocks, with audits. 1: something is amiss. */
int ay_ab_blocks(struct pair *p);

/* --- replay.c -------------------------------------------------------------------------------------------- */

/* Behind the last block: the kernel's calls as a CUDA graph, for graph_ns. -1 for our failures only. */
int ay_ab_replay(struct pair *p);

/* --- ab.c ---------------------------------------------------------------------------------------------- */

/*
 * Ends both processes and begins again with new ones, which change places in memory. Which pages a process has, and what
 * else was drawn for it when it began, is worth some per cent as long as it lives (5 % of a sort), and so is where its
 * stack lies (30 % of a softmax): one process each would be one draw. Both get the same place for the stack, so that
 * equals stay equal; over the blocks it goes through a page. 1: something is amiss.
 */
int ay_ab_renew(struct pair *p);

/* --- batch_size.c ---------------------------------------------------------------------------------------- */

const struct scale *ay_ab_scale(const struct pair *p);
/* Should the inputs of a batch be beyond twice the last cache? By what no run changes: the bytes and flops of a call, the
 * caches, the memory in steps of two, the budget. */
bool ay_ab_wants_cold(const struct pair *p);
/*
 * m: batches long enough for the gate's spread to vanish, beyond the last cache if that is wanted and affordable, and short
 * enough for the budget; a power of two, and the number of the last time unless that is four times as many or few (plan_cache.h).
 * false: not even single calls of both fit.
 */
bool ay_ab_plan(struct pair *p);
/* On a device: empty batches come with as much memory as one of so many sets does. */
void ay_ab_lend(struct pair *p, int sets);
/* Sets that a seat needs for batches of m, give or take. */
int ay_ab_cap(int m);

/* --- ab_plan.c ---------------------------------------------------------------------------------------------- */

struct ay_gated_exec_spec ay_ab_seat(const struct pair *p, const struct ay_impl *who, int cap);
/* ay_gated_exec_open. On a device processes are kept for cases that follow: starting one is in nobody's budget. */
int ay_ab_open(struct pair *p, struct ay_gated_exec *seat, const struct ay_gated_exec_spec *spec,
	       struct ay_outcome *o);
/* Opens the seats of the empty call; c0, and what such a call costs by itself. */
int ay_ab_gate(struct pair *p);
/* c0 and its spread, once more. */
int ay_ab_gate_ns(struct pair *p);
/* Roughly how long kernel and baseline take. 1: something is amiss. */
int ay_ab_try(struct pair *p);

/* --- ab_result.c ------------------------------------------------------------------------------------------- */

/* What the gate cannot see, as a fraction of a batch; slack itself goes to the timing. */
double ay_ab_slack(const struct pair *p, int n);
/* Is there a lead that audits show nothing of? */
bool ay_ab_is_doubtful(const struct pair *p);
void ay_ab_tell(struct pair *p, struct ay_arena *a);

double ay_ab_elapsed_s(const struct pair *p);

static inline double ay_clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

#endif
