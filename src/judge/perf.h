/* SPDX-License-Identifier: Apache-2.0
 *
 * perf - the timing part of a verdict: how fast a kernel is, compared with which baseline.
 *
 * Chooses the baseline of a case, checks that the baseline is right itself, computes the floor,
 * and sets the verdict of a kernel that misbehaves only while it is timed. timing/ab.h does the
 * measurement.
 */
#ifndef AY_JUDGE_PERF_H
#define AY_JUDGE_PERF_H

#include "judge/judge.h"
#include "timing/ceiling.h"
#include "timing/exec_cache.h"
#include "timing/ab.h"

struct ay_perf_policy {
	enum ay_timed mode;
	/* called if another measurement holds the CPUs or the GPU; may be NULL */
	void (*waiting)(void);
	double budget_s;  /* seconds per case; 0: the default of the mode */
	bool gate_always; /* use the gate for built-in functions too */
	/* idle executors on a GPU, kept between kernels; NULL: kept as long as struct ay_perf */
	struct ay_exec_cache *kept;
	/* "auto", "reference", "none", "ref" (the user's own), a library's name, or the path of a
	 * kernel; NULL: auto */
	const char *baseline;
};

/* Initialize with {0}; used for all cases of a kernel. */
struct ay_perf {
	struct ay_perf_policy policy;
	struct ay_forge *forge;
	struct ay_arena arena; /* holds what is kept between cases */
	bool has_ceilings;
	struct ay_ceilings ceilings;
	/* file that remembers batch sizes (timing/plan_cache.h); NULL: none */
	const char *plan_file;
	struct ay_exec_cache kept; /* executors on a GPU, kept between cases */
	/* the current baseline, if it is a kernel */
	struct ay_judge base;
	/* overload that the baseline was found for; NULL: none */
	const struct ay_schema *base_schema;
	int base_fd;
	/* objects for ATen through its C ABI (timing/libtorch.h); -1: not used */
	int timed_fd, least_fd;
	const char *base_about;           /* Python: see struct ay_kernel */
	const char *const *base_folders;  /* for a library: see struct ay_baseline */
	const char *name, *version, *why; /* why: the reason why there is no baseline */
	/* the last overload outside the catalogue whose results always have the same shapes */
	const struct ay_schema *shaped;
};

/* Checks that --baseline accepts this word or file. */
int ay_perf_check_baseline(const char *baseline, struct ay_err *err);
/* Chooses what a case is compared with. Sets k->name and k->version, and k->why if a better
 * baseline is not available. This is the first step of ay_perf_case. */
int ay_perf_choose(struct ay_perf *k, const struct ay_judge *j, const struct ay_suite_case *sc,
		   enum ay_baseline_kind *against, struct ay_err *err);
/* Returns the seconds that timing a case may take under this policy. */
double ay_perf_budget(const struct ay_perf_policy *p);
/* Times a case that passed. Sets rep->timing, and a worse verdict if timing reveals one. */
int ay_perf_case(struct ay_perf *k, struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a,
		 struct ay_report *rep, struct ay_err *err);
void ay_perf_release(struct ay_perf *k);

#endif
