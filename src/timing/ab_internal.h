/* SPDX-License-Identifier: Apache-2.0
 *
 * ab_internal - what the files of an A/B measurement share.
 *
 * - ab.c sets up and closes everything.
 * - ab_plan.c measures gate_ns and roughly how long calls take. batch_size.c chooses the batch
 *   size.
 * - ab_batch.c runs batches, and ab_block.c runs blocks.
 * - ab_result.c computes the result.
 */
#ifndef AY_TIMING_AB_INTERNAL_H
#define AY_TIMING_AB_INTERNAL_H

#include "device/gpu.h"
#include "timing/ab.h"
#include "timing/gated_exec.h"
#include "timing/verify.h"

enum {
	AUDIT_MAX = 24,    /* sets in an audit */
	AUDIT_MAX_GPU = 8, /* the same where every set has device memory of its own */
	AUDITS_KEPT = AY_BLOCKS_MAX * AUDIT_MAX,
	/* more than an audit draws while one content of the kernel is in use */
	CONTENTS_KEPT = 128,
};
/* A batch takes at least this long if it has enough calls. */
#define LEAST_BATCH_NS 10e6

/* What depends on where kernels run: on the CPU, on a GPU, or torch against itself on a GPU. */
struct scale {
	/* limits of the batches by which m is chosen: sets, and bytes of all sets together */
	double trial_sets, trial_bytes;
	double least_ns, longest_ns, short_ns; /* durations of batches */
	double pool_max;                       /* bytes of all sets of one executor */
	/* bytes; speed of writing and checking content, a low estimate for planning */
	double write_per_ns;
	double around_ns; /* what a batch costs besides T and its content */
	/* a batch is never later than an empty one by more than this, unless other processes had
	 * the CPU */
	double late_max_ns;
	int64_t gap_ns; /* pause between empty batches, as long as that between other batches */
	/* calls shorter than brief_ns need batches of brief_batch_ns only */
	double brief_ns, brief_batch_ns;
	/* The cost of a typical call: fixed cost, bytes and FLOPs per nanosecond, and the cost of
	 * an empty batch. Cold or warm is decided by these figures, so the choice does not depend
	 * on the machine or on the kernel. */
	double usual_ns, usual_bytes, usual_flops, usual_gate_ns;
};

/* Calls of single sets, each with an empty call beside it. `none` has T of the empty call.
 * `kernel` and `base` have T of the others less T of the empty call. */
struct audits {
	int n;
	double kernel[AUDITS_KEPT], base[AUDITS_KEPT];
	double none[2][AUDITS_KEPT]; /* per gate */
};

/* The fixed cost of a batch (gate_ns) for one kind of executor. */
struct gate {
	struct ay_gated_exec gexec; /* executor of the empty call */
	/* of an empty batch: the median, and the 95th percentile less the median */
	double empty_ns, spread;
	/* gate_ns for a batch as long as those of kernels. A process that has run for 2 ms or more
	 * is 30 to 60 us slower to stop, because the code for stopping has left the caches. */
	double gate_ns;
	double null_ns; /* cost of each call in a batch of empty calls */
	/* see struct ay_gated_exec: 95th percentile of map_ns over the empty batches */
	double map_most;
};

struct ab {
	const struct ay_ab_spec *s;
	enum ay_baseline_kind against; /* also NONE if the baseline is too slow for the budget */
	struct ay_timing *t;
	struct ay_ab_report *r;
	struct ay_err *err;
	struct ay_input_template template;
	struct ay_verify verify;
	struct ay_gated_exec gexec[2];
	struct ay_gated_exec *a, *b; /* point into gexec[]: the kernel's executor, the baseline's */
	/* the second is used only if the baseline is of another kind (native or Python) than the
	 * kernel */
	struct gate gate[2];
	struct gate *ga, *gb; /* the kernel's gate, the baseline's gate; may be equal */
	/* python_extra_ns: how much more an empty call costs in a Python baseline than in the
	 * kernel's executor */
	double python_extra_ns;
	struct ay_input_sets mem_a, mem_b; /* sets of the two executors while these are not open */
	int renewals;                      /* how often the processes were replaced */
	/* what opening both took the last time, and the time when it was done */
	double open_s, opened_s;
	struct ay_input_sets reference; /* sets that the reference works on */
	cpu_set_t cpus, judge_cpus, before;
	/* CPUs for comparing sets: those of the caller, or all but the kernel's */
	cpu_set_t check_cpus;
	bool spare;
	/* ns; start of the time that counts for the budget, and start of everything */
	int64_t begin, entered;
	double trial_a, trial_b; /* ns per call, roughly */
	int m, mb;               /* sets per batch: of the kernel, of the baseline */
	/* passes over all sets; more than 1 only for trusted code that does not change its sets */
	int passes;
	/* below_noise: a batch of this block took hardly longer than an empty one */
	bool below_noise;
	/* device_busy: or began while another process's work ran on the GPU */
	bool device_busy;
	int device_busy_blocks;
	bool changed;              /* the kernel wrote to an input */
	bool broken;               /* the judge failed to fetch a set */
	int n;                     /* blocks that count */
	int blocks;                /* all blocks, discarded ones included */
	struct ay_key ungated_key; /* key of the content that trusted code may see again */
	struct ay_key now;         /* key of the content that the kernel was last called on */
	struct {
		struct ay_key key;
		uint64_t n;
	} drawn[CONTENTS_KEPT]; /* the last contents, and their numbers */
	int ndrawn;
	double sum_a, sum_b;           /* ns per call, summed over all batches before corrections */
	double claimed[AY_BLOCKS_MAX]; /* ns per call by the events of the kernel's device */
	/* T of the baseline's batches less the time between its events; 0: not reported */
	double lag[AY_BLOCKS_MAX];
	int mhz_first;      /* GPU clock at the first block; 0: not known */
	uint64_t throttled; /* bit mask of the reasons for a lower clock */
	double ta[AY_BLOCKS_MAX], tb[AY_BLOCKS_MAX], cpu[AY_BLOCKS_MAX];
	/* calls in a batch of each block */
	double calls[AY_BLOCKS_MAX];
	/* two samples per block */
	double a_half[AY_SAMPLES_MAX], b_half[AY_SAMPLES_MAX], d[AY_SAMPLES_MAX];
	struct spell {
		double q50, q75;
	} alone[2]; /* of the baseline beside its copy: before and after the blocks */
	struct audits audit;
	struct ay_ratio ratio;
};

/* --- ab_batch.c --------------------------------------------------------------------------------------------- */

/* Returns the key of content that no executor has seen. */
struct ay_key ay_ab_key(struct ab *p);
/* Returns the key of the n-th content of the blocks that are checked but not counted. This content
 * follows from the seed alone, so a kernel that is wrong on it is wrong in every run with that
 * seed. No time is taken from these blocks, so a kernel gains nothing by knowing the content. */
struct ay_key ay_ab_first_key(struct ab *p, int n);
/* Records in the report which content and set the fault was found in. */
void ay_ab_name(struct ab *p, struct ay_key key, int set);
/* Returns a random poison byte that no likely result of a float dtype contains: see judge.c. */
uint8_t ay_ab_poison(void);
/* Returns 0 if the kernel ran. Otherwise records the outcome in the report and returns 1. */
int ay_ab_is_over(struct ab *p, const struct ay_outcome *o);
/* Runs the operator's own reference on n sets. Returns ns per call. */
double ay_ab_reference(struct ab *p, struct ay_key key, int n);
/* Times a batch of n sets of the baseline. *ns: time per call. *lag: T less the time between the
 * events of its device; 0: not reported. Returns -1 if the baseline fails, because that is the
 * judge's failure. */
int ay_ab_baseline(struct ab *p, struct ay_key key, int n, double *ns, double *lag);
/* The `fetch` callback of struct ay_verify; `user` is the struct ab. */
bool ay_ab_fetch(void *user, int set, const struct ay_byte_range *need);
/* The `right` callback of struct ay_verify, for matrix products on a GPU; `user` is the struct
 * pair. */
bool ay_ab_is_right(void *user, int set);
/* Returns the poison for the kernel's output memory. It is random, except for Python on a GPU:
 * memory that such a kernel allocates is always filled with AY_GATED_EXEC_POISON. */
uint8_t ay_ab_kernel_poison(const struct ab *p);
/* Runs a batch of n sets through the kernel and checks its outputs. `certain`: some outputs are
 * always compared; otherwise chance decides. Returns 1 if the kernel is at fault: the report says
 * how. */
int ay_ab_kernel(struct ab *p, struct ay_key key, int n, bool certain, struct ay_batch_time *bt);
/* Checks the kernel's outputs of sets [from, from + n), whose batch took `ns`. Returns 1 if the
 * kernel is at fault: the report says how. */
int ay_ab_check(struct ab *p, struct ay_key key, int from, int n, uint8_t poison, double ns, bool certain);
/* Drops what the kernel returned. Returns 1 if its process ended. */
int ay_ab_forget(struct ab *p);
/* Drops what a trusted executor returned. Returns -1 if its process ended. */
int ay_ab_forget_ours(struct ab *p, struct ay_gated_exec *gexec);

/* --- ab_block.c --------------------------------------------------------------------------------------------- */

/* Runs all blocks and audits. Returns 1 if the kernel is at fault or there are no times. */
int ay_ab_blocks(struct ab *p);

/* --- ab.c ---------------------------------------------------------------------------------------------- */

/*
 * Ends both processes and starts new ones, which swap their memory. A process keeps the pages and
 * other random properties that it got at its start. These change its speed by some per cent as
 * long as it lives (5 % of a sort). The address of its stack matters more (30 % of a softmax).
 * With one process each, one draw would decide the result. Both processes get the same stack
 * address, so that equal kernels stay equal. Over the blocks this address moves through a page.
 * Returns 1 if the kernel does not start.
 */
int ay_ab_renew(struct ab *p);

/* --- batch_size.c ---------------------------------------------------------------------------------------- */

const struct scale *ay_ab_scale(const struct ab *p);
/* Returns true if the inputs of a batch should exceed twice the last cache. This depends only on
 * values that no run changes: bytes and FLOPs of a call, cache sizes, memory rounded down to a
 * power of two, and the budget. */
bool ay_ab_wants_cold(const struct ab *p);
/*
 * Chooses the batch size m and the passes. A batch is long enough for the gate's spread to be
 * negligible, short enough for the budget, and exceeds the last cache if that is wanted and
 * affordable. m is a power of two. It is the number used the last time unless that differs by more
 * than a factor of four (plan_cache.h). Returns false if not even single calls of kernel and
 * baseline fit.
 */
bool ay_ab_plan(struct ab *p);
/* On a device: makes empty batches carry as much memory as a batch of `sets` sets does. */
void ay_ab_lend(struct ab *p, int sets);
/* Returns how many sets an executor needs for batches of m sets, with 20 % for the random
 * variation. */
int ay_ab_cap(int m);

/* --- ab_plan.c ---------------------------------------------------------------------------------------------- */

struct ay_gated_exec_spec ay_ab_gexec(const struct ab *p, const struct ay_impl *who, int cap);
/* Calls ay_gated_exec_open. On a device the time that it takes is not part of the budget, because
 * processes are kept for the cases that follow. */
int ay_ab_open(struct ab *p, struct ay_gated_exec *gexec, const struct ay_gated_exec_spec *spec,
	       struct ay_outcome *o);
/* Opens the executors of the empty call and measures gate_ns and the cost of an empty call. */
int ay_ab_gate(struct ab *p);
/* Measures gate_ns and its spread again. */
int ay_ab_gate_ns(struct ab *p);
/* Measures roughly how long kernel and baseline take. Returns 1 if the kernel does not run. */
int ay_ab_try(struct ab *p);

/* --- ab_result.c ------------------------------------------------------------------------------------------- */

/* Returns what the gate cannot see, as a fraction of a batch: the larger of slack and gate_ns.
 * Stores slack in the timing. */
double ay_ab_slack(const struct ab *p, int n);
/* Returns true if the kernel leads by much but audits show little of that lead. */
bool ay_ab_is_doubtful(const struct ab *p);
void ay_ab_tell(struct ab *p, struct ay_arena *a);

double ay_ab_elapsed_s(const struct ab *p);

static inline double ay_clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

#endif
