/* SPDX-License-Identifier: Apache-2.0
 *
 * clock - the second half of a verdict: how fast, against what.
 *
 * Which baseline a case is held against, whether that is right itself, the floor, and what a kernel that misbehaves
 * only while it is timed gets for it. How time is taken is timing/ab.h's business.
 */
#ifndef AY_JUDGE_PERF_H
#define AY_JUDGE_PERF_H

#include "judge/judge.h"
#include "timing/ceiling.h"
#include "timing/exec_cache.h"
#include "timing/ab.h"

struct ay_perf_policy {
	enum ay_timed mode;
	void (*waiting)(void); /* another measurement has the CPUs; NULL: nobody wants to know */
	double budget_s;       /* per case; 0: what the mode says */
	bool gate_always;      /* also for what is built in */
	struct ay_exec_cache *
		kept; /* executors on a GPU that are there already, and will be; NULL: as long as the clock lives */
	const char *
		baseline; /* "auto", "reference", "none", "ref" (the user's own), a library's name, or the path of a
			   * kernel; NULL = auto */
};

/* {0} first; one for all cases of a kernel. */
struct ay_perf {
	struct ay_perf_policy policy;
	struct ay_forge *forge;
	struct ay_arena arena; /* of what is kept from case to case */
	bool has_ceilings;
	struct ay_ceilings ceilings;
	const char *plan_file;     /* where batch sizes are remembered (timing/plan_cache.h); NULL: nowhere */
	struct ay_exec_cache kept; /* executors on a GPU, from case to case */
	/* the baseline in hand, if it is a kernel */
	struct ay_judge base;
	const struct ay_schema *base_schema; /* that it was found for; NULL = none */
	int base_fd;
	int timed_fd, least_fd;           /* ATen by its C ABI (timing/libtorch.h); -1: it is not */
	const char *base_about;           /* Python: see ay_kernel */
	const char *const *base_folders;  /* of a library's: struct ay_baseline */
	const char *name, *version, *why; /* why: there is none */
	const struct ay_schema
		*shaped; /* the last one outside the catalogue whose results always have one shape */
};

/* Is this a word or a file that --baseline takes? */
int ay_perf_check_baseline(const char *baseline, struct ay_err *err);
/* What a case is held against: k->name and k->version, and k->why where that should have been more. The first step of
 * ay_perf_case. */
int ay_perf_choose(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		   enum ay_baseline_kind *against, struct ay_err *err);
/* Seconds that timing a case may take under this policy. */
double ay_perf_budget(const struct ay_perf_policy *p);
/* Times a case that passed; rep->timing, and another verdict if timing brings one to light. */
int ay_perf_case(struct ay_perf *k, struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a,
		 struct ay_report *rep, struct ay_err *err);
void ay_perf_release(struct ay_perf *k);

#endif
