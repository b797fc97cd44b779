/* SPDX-License-Identifier: Apache-2.0
 *
 * judge - what one kernel is worth on one case.
 *
 * A wrong, slow or hostile kernel is never an error of the harness: a function here returns -1 only when the judge
 * could not do its own work, and then there is no verdict.
 *
 * Theory of operation. A case is bound and laid out twice over: two sets of tensors with the same content, at
 * different places, whose outputs hold two different poisons. The executor is told to run both. Then the outputs
 * are copied out of its reach and judged there: bytes around and between the elements must still hold the poison
 * (OVERRUN), elements that hold their poison in both sets were never written (UNWRITTEN), the rest is compared
 * with the oracle (MISMATCH; UNSTABLE if only one of the sets is wrong). A random operator gets a third set with
 * another ay_rng. Half of the small cases are preceded by a call on other content (judge.c, run_decoy).
 */
#ifndef AY_JUDGE_JUDGE_H
#define AY_JUDGE_JUDGE_H

#include "exec/exec.h"
#include "exec/python.h"
#include "forge/forge.h"
#include "judge/verdict.h"
#include "judge/aten_oracle.h"
#include "op/suite.h"
#include "timing/timing.h"

struct ay_policy {
	int threads;           /* a kernel may use */
	int oracle_threads;    /* we may use */
	double call_timeout_s; /* of a small call: ay_judge_call_timeout */
	bool allow_tf32;
	bool has_seed; /* cases without a seed of their own get one that follows from this, not from chance */
	uint64_t seed;
	/* Borrowed; NULL: a full one per executor. Without the minimum of one nothing passes: ay_judge_no_pass_reason. */
	struct ay_sandbox *sandbox;
	int crowd;                /* judges at work beside each other on this machine; 0 = this one */
	int device_crowd;         /* those of them that share the device */
	struct ay_python *python; /* for kernels in Python; borrowed, opened when the first one comes */
	enum ay_torch_use torch_use;
	bool torch_own;             /* the functions are torch's: nobody's kernel */
	struct ay_dev *device;      /* that the kernel runs on; borrowed; NULL = the processor */
	bool beside_clock;          /* it is a GPU on which others may be timed meanwhile: calls wait for them */
	const cpu_set_t *cpus;      /* that timed kernels may have; NULL: those of this process */
	const char *const *folders; /* that native kernels see: struct ay_exec_spec */
	/* Where the executor of a package that we trust waits for its next operator: a GPU's context costs half a second.
	 * Borrowed, and stopped by whoever owns it; NULL: every kernel gets an executor of its own. */
	struct ay_exec **spare, **spare_base; /* spare_base: the same for the baseline's */
	struct ay_exec **spare_witness;       /* and for the witness's two: struct ay_aten_oracle */
	struct ay_idle_memory *memory;        /* and what these had as memory */
	struct ay_printed *printed; /* what the kernel prints, case by case; borrowed. NULL: nobody reads it */
	const char *dump;           /* a folder that gets the tensors of each case that is judged; NULL: none */
	int ref_fd;                 /* a user's own reference: see aten_oracle.h; 0 = none */
	const char *ref_file;
};

/* Memory of a judge for the next one, no more than the machine can do without (ay_pool_is_small). */
struct ay_idle_memory {
	struct ay_pool pool, witness;
	uint8_t *copy;
	size_t copy_bytes;
};

/* Where the seconds of a case went. Waiting for others' times is a part of the rest. */
enum ay_spent {
	AY_SPENT_ORACLE,  /* the witness for its answer */
	AY_SPENT_FILL,    /* memory and content */
	AY_SPENT_RUN,     /* the kernel, and taking its results */
	AY_SPENT_COMPARE, /* at them */
	AY_SPENT_TIME,    /* the kernel under the clock */
	AY_SPENT_WAIT,
	AY_SPENT_COUNT
};

const char *ay_spent_name(enum ay_spent what);

/* What is said about one case. Strings live in the arena given to the judge. */
struct ay_report {
	enum ay_verdict verdict;
	unsigned all;       /* bit v: verdict v applies too */
	const char *line;   /* the case, with its seed: what reproduces it */
	const char *detail; /* one line for people; NULL for a plain PASS */
	const char *hint;   /* what to look at; NULL = none */
	const char *out;    /* which output the numbers below speak of; NULL = none */
	int64_t bad, total; /* elements outside the bound, elements judged */
	const char *at;     /* "[3, 17]": the first bad one */
	long double want, got;
	double bound;
	const char *oracle;        /* who knew the answer: "aten"; NULL = our own reference */
	const char *oracle_device; /* that computed it: "cpu", "cuda"; NULL with our own, which is C */
	const char *derived;       /* the symbol that was called in place of the overload's own; NULL = its own */
	double wall_s;             /* of judging the case, everything included */
	double call_s;             /* what one call of it took, with its hand-over; 0 = not known */
	double spent[AY_SPENT_COUNT];
	const struct ay_expected *given; /* of an operator outside the catalogue: the answer; NULL = none */
	const struct ay_timing *timing;  /* how fast it is; NULL = not timed */
	const char *printed;             /* by the kernel, safe to print; NULL = nothing, or nobody reads it */
	uint64_t printed_dropped;        /* bytes that followed */
	const char *dump; /* the file that says what lies in policy.dump; NULL = none was asked for */
};

/* A kernel that was built and loaded. */
struct ay_kernel {
	int so_fd;         /* borrowed */
	const char *about; /* Python: what its executor is told of it; NULL = native. Borrowed */
	struct ay_exec_entries entries;
};

/* Which function of the kernel serves an overload; found once. */
struct ay_route {
	const struct ay_schema *schema;
	const struct ay_proto *proto; /* of the function; NULL = none serves it */
	bool derived;                 /* the function is that of the functional form, */
	const char *functional;       /* which has this symbol */
	bool safe;                    /* false: only by way of scratch and a copy, which proves nothing new */
	struct ay_route *next;
};

struct ay_judge {
	const struct ay_registry *registry;
	struct ay_policy policy;
	struct ay_kernel kernel;
	struct ay_arena keep; /* entry names, routes */
	struct ay_route *routes;
	struct ay_exec *exec;          /* NULL: not running */
	struct ay_aten_oracle witness; /* for operators that are not in the catalogue */
	struct ay_pool pool;           /* reused while the next case fits */
	bool has_pool;
	bool entered;               /* see ay_judge_enter of case_run.h */
	struct ay_dev_mapping lent; /* the pool's twin on a GPU, for the executor that runs; {0}: none */
	uint8_t *copy;              /* outputs out of the executor's reach; grows */
	size_t copy_bytes;
	int timeouts;  /* in a row */
	int hangs;     /* time-outs in all */
	int deaths;    /* on a GPU, in all */
	double waited; /* s, for those who were timed */
	int late;      /* looks at what a GPU did after a call was over */
};

/* Starts the executor and loads the kernel. *loaded says how that went; a kernel that does not load gets LOAD (or
 * what its constructors did: CRASH, TIMEOUT, CHEAT, OOM) in *rep and must not be judged further. */
int ay_judge_init(struct ay_judge *j, const struct ay_registry *r, const struct ay_policy *p, int so_fd,
		  const char *about, struct ay_arena *a, struct ay_report *rep, struct ay_err *err);
/* Torch's own functions. Those of a package (FlagGems) have no source here either, but are somebody's. */
bool ay_judge_is_built_in(const struct ay_judge *j);
void ay_judge_release(struct ay_judge *j);

/* Why nothing passes under this policy (no sandbox): PASS becomes SKIPPED with this detail. NULL: it may. */
const char *ay_judge_no_pass_reason(const struct ay_policy *p);
/* How long a call on so many bytes of operands may take: a second more for every 256 MiB, which is slow for moving
 * them once, and quick enough to tell who hangs. */
double ay_judge_call_timeout(const struct ay_policy *p, uint64_t bytes);
/* Has the kernel a function for this overload, its own or (derived) its functional form's? */
bool ay_judge_has(struct ay_judge *j, const struct ay_schema *s, bool *derived);
/* The function that serves it; NULL if none does. */
const struct ay_proto *ay_judge_entry(struct ay_judge *j, const struct ay_schema *s, bool *derived);
/* Ends the executor; the next case starts another. */
void ay_judge_stop_exec(struct ay_judge *j);
/* Judges one case. The line's seed is used; without one the case gets a random seed, and the report's line has it.
 */
int ay_judge_case(struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a, struct ay_report *rep,
		  struct ay_err *err);

#endif
