/* SPDX-License-Identifier: Apache-2.0
 *
 * judge - judges one kernel on one case.
 *
 * A wrong, slow or hostile kernel is never an error of assay. A function here returns -1 only if
 * the judge could not do its own work; then there is no verdict.
 *
 * Theory of operation. A case is bound and laid out twice: two sets of tensors with the same
 * content, at different places, whose outputs hold two different poisons. The executor runs both.
 * Then the judge copies the outputs out of the executor's reach and checks them:
 * - Bytes around and between the elements must still hold the poison (OVERRUN).
 * - Elements that hold their poison in both sets were never written (UNWRITTEN).
 * - The rest is compared with the oracle (MISMATCH; UNSTABLE if only one of the sets is wrong).
 *
 * A random operator gets a third set with another ay_rng. Half of the small cases are preceded by
 * a call on other content (judge.c, run_decoy).
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
	int threads;           /* threads that a kernel may use */
	int oracle_threads;    /* threads that the judge may use */
	double call_timeout_s; /* of a small call: see ay_judge_call_timeout */
	bool allow_tf32;
	/* cases without a seed of their own get one that is derived from `seed`, not drawn */
	bool has_seed;
	uint64_t seed;
	/* Borrowed; NULL: each executor gets a full sandbox. Without a minimal sandbox no kernel
	 * passes: see ay_judge_no_pass_reason. */
	struct ay_sandbox *sandbox;
	/* number of judges that work at once on this machine; 0: only this one */
	int crowd;
	int device_crowd; /* number of judges among them that share the device */
	/* for kernels in Python; borrowed, opened when the first one needs it */
	struct ay_python *python;
	enum ay_torch_use torch_use;
	bool torch_own;        /* the functions are torch's own, so no foreign code runs */
	struct ay_dev *device; /* that the kernel runs on; borrowed; NULL: the CPU */
	/* kernels may be timed on this GPU meanwhile, so calls wait for measurements */
	bool beside_clock;
	const cpu_set_t *cpus;      /* CPUs for timed kernels; NULL: those of this process */
	const char *const *folders; /* that native kernels can see: struct ay_exec_spec */
	/* Idle executors of trusted packages, kept for the next operator, because a context on a
	 * GPU takes half a second. Borrowed; the owner ends them. NULL: every kernel gets an
	 * executor of its own. spare_base: for the baseline. */
	struct ay_exec **spare, **spare_base;
	/* idle executors of the ATen oracle: see struct ay_aten_oracle */
	struct ay_exec **spare_aten_oracle;
	struct ay_idle_memory *memory; /* memory that earlier judges left; borrowed */
	/* Bytes of host memory that were available before any kernel ran; 0: ay_judge_init asks.
	 * memory_now asks how many are available; NULL: the system. See host_memory.c. */
	uint64_t memory_free, (*memory_now)(void);
	/* collects what the kernel prints, case by case; borrowed. NULL: discarded */
	struct ay_printed *printed;
	const char *dump; /* folder for the tensors of each judged case; NULL: none */
	int ref_fd;       /* a user's own reference: see aten_oracle.h; 0: none */
	const char *ref_file;
};

/* Memory that one judge leaves for the next, only as much as the machine can spare
 * (ay_pool_is_small). */
struct ay_idle_memory {
	struct ay_pool pool, aten_oracle;
	uint8_t *copy;
	size_t copy_bytes;
};

/* What the time of a case was spent on, in seconds. WAIT, for measurements of other judges, is
 * included in the other parts. */
enum ay_spent {
	AY_SPENT_ORACLE,  /* getting the answer of the ATen oracle */
	AY_SPENT_FILL,    /* allocating memory and filling it */
	AY_SPENT_RUN,     /* running the kernel and fetching its results */
	AY_SPENT_COMPARE, /* comparing its results */
	AY_SPENT_TIME,    /* timing the kernel */
	AY_SPENT_WAIT,
	AY_SPENT_COUNT
};

const char *ay_spent_name(enum ay_spent what);

/* The result for one case. Strings live in the arena passed to the judge. */
struct ay_report {
	enum ay_verdict verdict;
	unsigned all;       /* bit v: verdict v applies too */
	const char *line;   /* the case with its seed, which reproduces it */
	const char *detail; /* one line for people; NULL for a plain PASS */
	const char *hint;   /* what to check first; NULL: none */
	const char *out;    /* the output that the numbers below are about; NULL: none */
	int64_t bad, total; /* elements outside the bound, elements judged */
	const char *at;     /* index of the first bad element: "[3, 17]" */
	long double want, got;
	double bound;
	/* source of the answer: "aten", "user"; NULL: assay's own reference */
	const char *oracle;
	/* device that computed the answer: "cpu", "cuda"; NULL: assay's own reference in C */
	const char *oracle_device;
	/* symbol of the functional form that was called instead of the overload's own function;
	 * NULL: its own */
	const char *derived;
	double wall_s; /* seconds for judging the case, everything included */
	double call_s; /* seconds of one call, with its hand-over; 0: not known */
	double spent[AY_SPENT_COUNT];
	/* for an operator outside the catalogue: the answer; NULL: none */
	const struct ay_expected *given;
	const struct ay_timing *timing; /* the timing result; NULL: not timed */
	/* what the kernel printed, safe to print; NULL: nothing, or not collected */
	const char *printed;
	uint64_t printed_dropped; /* bytes that were printed beyond that and dropped */
	/* the file that describes the tensors in policy.dump; NULL: not requested */
	const char *dump;
};

/* A kernel that was built and loaded. */
struct ay_kernel {
	int so_fd; /* borrowed */
	/* Python: description of the kernel for its executor; NULL: native. Borrowed */
	const char *about;
	struct ay_exec_entries entries;
};

/* The function of the kernel that serves an overload; found once. */
struct ay_route {
	const struct ay_schema *schema;
	const struct ay_proto *proto; /* of the function; NULL: no function serves the overload */
	bool derived;                 /* the function belongs to the functional form */
	const char *functional;       /* symbol of the functional form's function */
	/* false: would need a scratch tensor and a copy, which proves nothing new */
	bool safe;
	struct ay_route *next;
};

struct ay_judge {
	const struct ay_registry *registry;
	struct ay_policy policy;
	struct ay_kernel kernel;
	struct ay_arena keep; /* holds entry names and routes */
	struct ay_route *routes;
	struct ay_exec *exec;              /* NULL: not running */
	struct ay_aten_oracle aten_oracle; /* for operators outside the catalogue */
	struct ay_pool pool;               /* reused if the next case fits */
	bool has_pool;
	/* the judge holds the GPU's lock: see ay_judge_enter of case_run.h */
	bool entered;
	/* the pool's counterpart on a GPU, mapped into the running executor; {0}: none */
	struct ay_dev_mapping mapping;
	uint8_t *copy; /* copy of the outputs that the executor cannot reach; grows */
	size_t copy_bytes;
	int timeouts;  /* consecutive time-outs */
	int hangs;     /* all time-outs */
	int deaths;    /* how often the executor died on a GPU */
	double waited; /* seconds spent waiting for measurements of other judges */
	int late;      /* number of checks for writes after the end of a call on a GPU */
};

/* Starts the executor and loads the kernel. rep->verdict is AY_VERDICT_NONE if it was loaded.
 * Otherwise it is LOAD, or CRASH, TIMEOUT, CHEAT or OOM for what its constructors did, and the
 * kernel must not be judged further. */
int ay_judge_init(struct ay_judge *j, const struct ay_registry *r, const struct ay_policy *p, int so_fd,
		  const char *about, struct ay_arena *a, struct ay_report *rep, struct ay_err *err);
/* Returns true if the functions are torch's own. Functions of a package (FlagGems) have no source
 * here either, but are foreign code. */
bool ay_judge_is_built_in(const struct ay_judge *j);
void ay_judge_release(struct ay_judge *j);

/* Returns why no kernel passes under this policy (no sandbox): PASS becomes SKIPPED with this
 * detail. NULL: kernels may pass. */
const char *ay_judge_no_pass_reason(const struct ay_policy *p);
/* Returns how many seconds a call on `bytes` of operands may take: call_timeout_s, and one second
 * more for every 256 MiB. That suffices to move the operands once, even slowly, and still detects a
 * hanging kernel soon. */
double ay_judge_call_timeout(const struct ay_policy *p, uint64_t bytes);
/* Returns true if the kernel has a function for this overload: its own, or (*derived) that of its
 * functional form. */
bool ay_judge_has(struct ay_judge *j, const struct ay_schema *s, bool *derived);
/* Returns the function that serves the overload; NULL: none does. */
const struct ay_proto *ay_judge_entry(struct ay_judge *j, const struct ay_schema *s, bool *derived);
/* Ends the executor and frees its pool. The next case starts another executor. */
void ay_judge_stop_exec(struct ay_judge *j);
/* Judges one case with the seed of its line. If the line has no seed, the judge draws one and puts
 * it into the line of the report. */
int ay_judge_case(struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a, struct ay_report *rep,
		  struct ay_err *err);

#endif
