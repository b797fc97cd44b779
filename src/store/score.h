/* SPDX-License-Identifier: Apache-2.0
 *
 * score - computes speed-ups and speed scores of a run from its records.
 *
 * The speed-up of an operator is the geometric mean over its scored cases. The speed-up of a run is
 * the geometric mean over its operators (the two levels of KernelGenBench). perf@p (fast_p) is the
 * share of all operators of the suite that are correct and have a speed-up above p (BackendBench).
 * All of it is computed a second time with overloads in place of operators.
 *
 * The rules differ from those two systems on purpose:
 *  - Only cases are samples. KernelGenBench puts running averages among the cases and counts those
 *    again.
 *  - Of several attempts the worst counts, not the best round.
 *  - An operator that failed, is missing or was not timed has no speed-up. BackendBench counts
 *    failures as 1.0x and leaves absent operators out of the denominator. Here such operators stay
 *    in the denominator, and none of them is above any p.
 *  - The mean over operators is given with the number of operators in it, so a solution of only the
 *    easy operators is visible. An operator enters the mean only if all of it passes.
 *  - A ratio to `reference` is no speed-up. Cases whose baseline is mostly the cost of a call are
 *    left out and counted.
 *  - An UNCLEAR case counts as its lower bound, so noise earns nothing. An UNCLEAR case without a
 *    lower bound removes its operator's speed-up. So does a case that was too slow to time: an
 *    operator that is slow in large cases must not get the speed-up of its small ones.
 *  - perf@p is also given for the lower bounds alone, which shows what is certain.
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

/* The time of one case, reduced to what the score needs. {0}: not timed. */
struct ay_case_time {
	bool timed;    /* `ns` is valid */
	bool too_slow; /* too slow for its budget or time-out; its real time is unknown */
	bool scored;
	bool overhead_bound;
	enum ay_pace pace;
	/* baseline: the caller's number for the baseline's name, -1 = none */
	int threads, baseline;
	double ns, ns_lo, ns_hi, floor_ns, base_ns;
	double speedup, lo, hi; /* as measured; 0 = no speed-up */
};

/* Reads the time of a case record. Appends the baseline's name ("openblas 0.3.21") to `name`, or
 * nothing if the case has no ratio to a baseline. */
void ay_case_time_read(const json_t *rec, struct ay_case_time *t, struct ay_str *name);
/* Returns what the case counts as in the score: the speed-up or its lower bound; 0 if neither can
 * be used. */
double ay_case_worth(const struct ay_case_time *t);
/* Returns true if, of two attempts at one case, b must count instead of a. */
bool ay_case_time_worse(const struct ay_case_time *a, const struct ay_case_time *b);

/* Returns true if the case counts for less than its measured speed-up because it is UNCLEAR. */
bool ay_case_counts_less(const struct ay_case_time *t);

/* Sum of several cases. Start with {0}, add the cases, then call ay_speed_end. */
struct ay_speed {
	int timed;    /* cases with a time */
	int scored;   /* cases that enter the speed-up */
	int overhead; /* cases left out because they are overhead-bound */
	/* cases that are scored but have no usable value, or that were too slow to time */
	int unknown;
	int lowered; /* cases scored by their lower bound because they are UNCLEAR */
	/* cases left out because they have no library to compare with, or no ratio */
	int other;
	int baseline;  /* the cases' baseline number; -1 = none or several */
	int baselines; /* number of baselines: 0, 1, or 2 for several */
	/* geometric means over timed cases and over those with a floor; 0 = none */
	double ns, of_floor;
	double speedup, lo, hi; /* over scored cases; hi 0 = no upper end; 0 = no speed-up */
	/* over every case with a ratio: for information, never a score */
	double any_speedup, any_lo, any_hi;
	double sum[8]; /* private: sums of logarithms */
	int floors, ratios;
	bool no_hi, any_no_lo, any_no_hi;
};

void ay_speed_add(struct ay_speed *s, const struct ay_case_time *t);
void ay_speed_end(struct ay_speed *s);

/* What reports show: the measured speed-up, and whether any of it is scored. */
struct ay_speed_shown {
	double speedup, lo, hi; /* 0 = absent */
	bool scored;
	/* value in the score, if it is lower because cases are UNCLEAR; 0 = the shown value */
	double counts_as;
};
struct ay_speed_shown ay_speed_shown(const struct ay_speed *s);
/* Appends "1.52x [1.48, 1.55]", "2x [0.167, 6.4] counts as 0.167x" or "0.98x [?, 1.2] (not
 * scored)". Appends nothing if there is no speed-up. */
void ay_speed_print(struct ay_str *b, const struct ay_speed_shown *x);
/* Appends "812 ns", "1.52 us", "20.1 ms" or "3 s"; nothing for 0. */
void ay_time_print(struct ay_str *b, double ns);

/* The score over all operators of the suite, or over all overloads. Start with {0}. */
struct ay_speed_score {
	int of;       /* the denominator */
	int correct;  /* passed */
	int scored;   /* passed and have a speed-up: the mean is over these */
	int overhead; /* passed and timed, but every comparable case is overhead-bound */
	int64_t overhead_cases;
	int64_t lowered_cases; /* cases in the mean that count as their lower bound */
	/* cases too slow to time, or without a lower bound: each removes a speed-up */
	int64_t unknown_cases;
	double speedup, lo, hi;
	int fast[AY_PERF_N];   /* speed-up above p */
	int surely[AY_PERF_N]; /* lower bound above p */
	double sum[3];
	bool no_hi;
};

/* Returns true if a speed-up is above p. 0, which stands for no speed-up, is above no p. */
bool ay_is_above(double x, double p);
void ay_speed_score_add(struct ay_speed_score *s, const struct ay_speed *x, bool correct);
void ay_speed_score_end(struct ay_speed_score *s);
/* Appends how the score differs from the measurements, such as "; 2 cases are UNCLEAR and count as
 * their lower bound". Appends nothing if it does not differ. */
void ay_speed_score_print_notes(struct ay_str *b, const struct ay_speed_score *s);

#endif
