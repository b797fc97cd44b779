/* SPDX-License-Identifier: Apache-2.0
 *
 * timeable - decides whether a case may be timed: its dtype has passed so far, and a call is short
 * enough.
 *
 * This is pure bookkeeping over the results of the judge, so its tests need neither clock nor
 * process. The time of a call that was not judged yet is estimated from judged calls of the same
 * overload and dtype. The estimate uses the least time per unit of work (FLOPs, or bytes if none
 * are counted) among calls that took clearly longer than the shortest one. So an estimate is never
 * too high. If the small calls prove nothing, there is no estimate.
 */
#ifndef AY_JUDGE_TIMEABLE_H
#define AY_JUDGE_TIMEABLE_H

#include "judge/judge.h"

/* A call that was judged and passed. */
struct ay_timed_call {
	const struct ay_schema *schema;
	enum ay_dt dt; /* that the case is about: see ay_case_dtype */
	double work;   /* FLOPs, or bytes */
	double s;      /* seconds of one call */
};

/* A dtype of an overload in which a case did not pass. */
struct ay_failed_dtype {
	const struct ay_schema *schema;
	enum ay_dt dt;
	enum ay_verdict verdict;
};

/* Initialize with {0}; used for all cases of a kernel. */
struct ay_timeable {
	int n, cap, nfailed, failed_cap;
	struct ay_timed_call *call;
	struct ay_failed_dtype *failed;
	bool cheats; /* the kernel cheats, so none of its times means anything */
	/* the overload of the last call that did not return in time; NULL: none */
	const struct ay_schema *late;
	double late_work;
};

/* Returns the FLOPs of a call by the usual algorithm, or bytes if none are counted; 0: the case
 * cannot be bound. */
double ay_case_work(const struct ay_suite_case *sc);
/* Records the verdict on a case. call_s: seconds of one call; 0: not known. */
void ay_timeable_note(struct ay_timeable *t, const struct ay_suite_case *sc, enum ay_verdict v, double call_s);
/* Records a case whose call did not return in time. */
void ay_timeable_note_late(struct ay_timeable *t, const struct ay_suite_case *sc);
/* Returns true if a call of the same overload with at most as much work did not return in time. */
bool ay_timeable_was_late(const struct ay_timeable *t, const struct ay_suite_case *sc);
/* Returns the least number of seconds that a call with this work would take; 0: not known. */
double ay_timeable_estimate(const struct ay_timeable *t, const struct ay_schema *s, enum ay_dt dt, double work);
/* Returns why no case of this dtype is timed, in the arena; NULL: it may be timed. */
const char *ay_timeable_failure(const struct ay_timeable *t, const struct ay_suite_case *sc, struct ay_arena *a);
/* Returns the dtypes in which a case did not pass, in the arena: "c64, c128"; NULL: none. */
const char *ay_timeable_failed(const struct ay_timeable *t, struct ay_arena *a);
/* Returns why a call of call_s seconds is not timed, in the arena; NULL: it may be timed. The call
 * must fit into the budget of its case or into one second. It must also fit into half of the
 * time-out of a call, so that it does not time out when the machine is a little busier than it was
 * for judging. */
const char *ay_timeable_too_slow(double call_s, bool estimated, double budget_s, double call_timeout_s,
				 struct ay_arena *a);
void ay_timeable_release(struct ay_timeable *t);

#endif
