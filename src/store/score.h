/* SPDX-License-Identifier: Apache-2.0
 *
 * score - what the times of a run are worth, from its records.
 *
 * The speed-up of an operator is the geometric mean over its scored cases; that of a run the geometric mean over
 * operators (the two levels of KernelGenBench). perf@p (fast_p) is the share of all operators of the suite that
 * are correct and whose speed-up is above p (BackendBench). The same again with overloads in place of operators.
 *
 * Where we leave the two systems, on purpose:
 *  - only cases are samples. KernelGenBench puts running averages among them and counts those again.
 *  - of several attempts the worst counts, not the best round.
 *  - an operator that failed, is missing or was not timed has no speed-up. BackendBench lets failures in at 1.0x
 *    and leaves absent operators out of the denominator; here they stay in it, and none of them is above any p.
 *  - the mean over operators says how many of the suite's operators it is made of: who solves only the easy ones
 *    shows it. An operator enters only if all of it passes.
 *  - a speed-up over `reference` is none. Cases whose baseline is mostly the cost of a call are left out and
 *    counted.
 *  - a case that could not be decided (UNCLEAR) counts as its lower bound, so noise earns nothing; with no lower
 *    bound it takes its operator's speed-up away, and so does one that was too slow to be timed: what is slow
 *    in large cases is not as fast as it is in small ones.
 *  - perf@p is also given for the lower bounds alone: what holds for certain.
 */
#ifndef AY_STORE_SCORE_H
#define AY_STORE_SCORE_H

#include "base/json.h"
#include "base/str.h"
#include "timing/timing.h"

#include <stdbool.h>
#include <stdint.h>

enum { AY_PERF_N = 6 };
extern const double ay_perf_p[AY_PERF_N]; /* 0, 0.5, 0.8, 1, 1.5, 2 */

/* The time of one case, as far as it matters here. {0}: not timed. */
struct ay_case_time {
	bool timed;    /* ns is there */
	bool too_slow; /* for its budget or time-out: it was left out, and may be anything */
	bool scored;
	bool overhead_bound;
	enum ay_pace pace;
	int threads, baseline; /* baseline: the user's number of its name, -1 = none */
	double ns, ns_lo, ns_hi, floor_ns, base_ns;
	double speedup, lo, hi; /* as measured; 0 = none */
};

/* rec: a case record. "openblas 0.3.21" is added to name; nothing if there is no ratio to a baseline. */
void ay_case_time_read(const json_t *rec, struct ay_case_time *t, struct ay_str *name);
/* What the case counts for: the speed-up, or its lower bound; 0 = nothing good. */
double ay_case_worth(const struct ay_case_time *t);
/* Of two attempts at one case, does b count and not a? */
bool ay_case_time_worse(const struct ay_case_time *a, const struct ay_case_time *b);

/* Does the case count for less than it was measured, since it is UNCLEAR? */
bool ay_case_counts_less(const struct ay_case_time *t);

/* What cases add up to. {0} first, then add, then end. */
struct ay_speed {
	int timed;              /* cases with a time */
	int scored;             /* those that make the speed-up */
	int overhead;           /* left out: overhead-bound */
	int unknown;            /* scored, but with nothing that could be counted; or too slow to time */
	int lowered;            /* scored by the lower bound, since they are UNCLEAR */
	int other;              /* left out: no library to compare with, or no ratio */
	int baseline;           /* as in the cases; -1 = none or several */
	int baselines;          /* 0, 1, or 2 for several */
	double ns, of_floor;    /* geometric means over timed cases, and those with a floor; 0 = none */
	double speedup, lo, hi; /* over scored cases; hi 0 = no upper end; 0 = no speed-up */
	double any_speedup, any_lo, any_hi; /* over every case with a ratio: to look at, never a score */
	double sum[8];                      /* private: of logarithms */
	int floors, ratios;
	bool no_hi, any_no_lo, any_no_hi;
};

void ay_speed_add(struct ay_speed *s, const struct ay_case_time *t);
void ay_speed_end(struct ay_speed *s);

/* What people are shown: the speed-up as it was measured, and whether any of it counts. */
struct ay_speed_shown {
	double speedup, lo, hi; /* 0 = not there */
	bool scored;
	double counts_as; /* in the score, where that is less, since cases are UNCLEAR; 0 = what is shown */
};
struct ay_speed_shown ay_speed_shown(const struct ay_speed *s);
/* "1.52x [1.48, 1.55]", "2x [0.167, 6.4] counts as 0.167x", "0.98x [?, 1.2] (not scored)"; nothing if there is none. */
void ay_speed_print(struct ay_str *b, const struct ay_speed_shown *x);
/* "812 ns", "1.52 us", "20.1 ms", "3 s"; nothing for 0. */
void ay_time_print(struct ay_str *b, double ns);

/* All operators of the suite, or all overloads. {0} first. */
struct ay_speed_score {
	int of;       /* the denominator */
	int correct;  /* passed */
	int scored;   /* passed and have a speed-up: what the mean is made of */
	int overhead; /* passed, timed, but every comparable case is overhead-bound */
	int64_t overhead_cases;
	int64_t lowered_cases; /* of those that the mean is made of: they count as their lower bound */
	int64_t unknown_cases; /* too slow to time, or without a lower bound: they take a speed-up away */
	double speedup, lo, hi;
	int fast[AY_PERF_N];   /* speed-up above p */
	int surely[AY_PERF_N]; /* lower bound above p */
	double sum[3];
	bool no_hi;
};

/* Is a speed-up above p? 0, which stands for none, is above no p. */
bool ay_is_above(double x, double p);
void ay_speed_score_add(struct ay_speed_score *s, const struct ay_speed *x, bool correct);
void ay_speed_score_end(struct ay_speed_score *s);
/* What of the score is not as it was measured, for people: "; 2 cases are UNCLEAR and count as their lower bound"; nothing
 * if there is nothing to say. */
void ay_speed_score_print_notes(struct ay_str *b, const struct ay_speed_score *s);

#endif
