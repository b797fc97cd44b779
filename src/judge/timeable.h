/* SPDX-License-Identifier: Apache-2.0
 *
 * timeable - may a case be timed: did its dtype pass so far, and is a call of it short enough?
 *
 * Pure bookkeeping over what the judge found, so that its tests need neither clock nor process. How long a call of a case
 * takes that was not judged yet is estimated from the calls of the same overload and dtype that were: the least time per
 * unit of work (flops, or bytes where none are counted), among calls that took clearly longer than the shortest one. So an
 * estimate is never pessimistic, and where nothing can be told from the small calls there is none.
 */
#ifndef AY_JUDGE_TIMEABLE_H
#define AY_JUDGE_TIMEABLE_H

#include "judge/judge.h"

/* A call that was judged and passed. */
struct ay_timed_call {
	const struct ay_schema *schema;
	enum ay_dt dt; /* that the case is about: ay_case_dtype */
	double work;   /* flops, or bytes */
	double s;      /* what one call took */
};

/* A dtype of an overload in which a case did not pass. */
struct ay_failed_dtype {
	const struct ay_schema *schema;
	enum ay_dt dt;
	enum ay_verdict verdict;
};

/* {0} first; one for all cases of a kernel. */
struct ay_timeable {
	int n, cap, nfailed, failed_cap;
	struct ay_timed_call *call;
	struct ay_failed_dtype *failed;
	bool cheats;                  /* then none of its times means anything */
	const struct ay_schema *late; /* the overload of the last call that was not back in time; NULL: none */
	double late_work;
};

/* Flops of a call by the usual algorithm, or bytes where none are counted; 0: the case cannot be bound. */
double ay_case_work(const struct ay_suite_case *sc);
/* Notes the verdict on a case; call_s: what one call of it took, 0 = not known. */
void ay_timeable_note(struct ay_timeable *t, const struct ay_suite_case *sc, enum ay_verdict v, double call_s);
/* Notes a case whose call did not return in time. */
void ay_timeable_note_late(struct ay_timeable *t, const struct ay_suite_case *sc);
/* Did a call of the same overload that had no more to do not return in time? */
bool ay_timeable_was_late(const struct ay_timeable *t, const struct ay_suite_case *sc);
/* What a call of so much work would take, in seconds, at least; 0: nothing is known that would tell. */
double ay_timeable_estimate(const struct ay_timeable *t, const struct ay_schema *s, enum ay_dt dt, double work);
/* Why no case of this dtype is timed, in the arena; NULL: it may be. */
const char *ay_timeable_failure(const struct ay_timeable *t, const struct ay_suite_case *sc, struct ay_arena *a);
/* "c64, c128": the dtypes in which a case did not pass, in the arena; NULL: there is none. */
const char *ay_timeable_failed(const struct ay_timeable *t, struct ay_arena *a);
/*
 * Why a call of so many seconds is not timed, in the arena; NULL: it may be. It must fit into the budget of its case or into a second, and
 * into half of the time that one call may take: a call that was in time when it was judged must not be late when it is
 * timed, on a machine that is a little busier.
 */
const char *ay_timeable_too_slow(double call_s, bool estimated, double budget_s, double call_timeout_s,
				 struct ay_arena *a);
void ay_timeable_release(struct ay_timeable *t);

#endif
