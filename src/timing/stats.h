/* SPDX-License-Identifier: Apache-2.0
 *
 * stats - what block ratios prove. Pure arithmetic: no clock, no process.
 *
 * A sample is d = ln(tB/tA) of one half of a block (A B or B A): two batches on one content, one behind the other. The
 * halves are not averaged: on a shared machine one batch in ten is hit by a neighbour, and would spoil the other half
 * too (intervals of whole blocks were a fifth wider). The speed-up is exp of their median; its interval is that of the
 * sign test (order statistics), so it supposes nothing about the noise but that blocks are exchangeable. Looks are
 * taken after 20, 52, 100 and 200 blocks only, each at level 1 - 0.01/4: looking whenever one likes calls 8 to
 * 17 % of equal kernels different. Neighbouring samples that resemble each other (lag-1 correlation above 0.2) are
 * averaged in pairs first, again and again until they do not.
 */
#ifndef AY_TIMING_STATS_H
#define AY_TIMING_STATS_H

#include <stdbool.h>
#include <stddef.h>

enum { AY_PROBES = 4, AY_BLOCKS_MAX = 200, AY_SAMPLES_MAX = 2 * AY_BLOCKS_MAX };
extern const int ay_looks[AY_PROBES]; /* 20, 52, 100, 200 */

/* What is said of a ratio. */
#define AY_PACES(P)                                            \
	P(NONE, "not timed")                                   \
	P(UNCLEAR, "the interval allows more than one answer") \
	P(SLOWER, "the upper bound is below 0.99")             \
	P(SAME, "the interval lies inside 0.97 to 1.03")       \
	P(FASTER, "the lower bound is above 1.01 and above the slack")

enum ay_pace {
#define P(name, text) AY_PACE_##name,
	AY_PACES(P)
#undef P
		AY_PACE_COUNT
};

const char *ay_pace_name(enum ay_pace p);
const char *ay_pace_text(enum ay_pace p);
/* AY_PACE_NONE if there is none of that name. */
enum ay_pace ay_pace_find(const char *name);

struct ay_ratio {
	enum ay_pace pace;
	int n;      /* samples the interval was made of, after pooling */
	int pooled; /* how many samples went into one of them: 1, 2, 4... */
	double ratio, lo, hi;
	double correlation; /* lag 1, before pooling */
};

/* The largest k with P(fewer than k of n fair coins show heads) * 2 <= alpha; 0 = no interval at this level. The
 * interval of n samples goes from the k-th to the k-th last. n up to 16,000. */
int ay_sign_rank(int n, double alpha);
/* Median and order-statistic interval of n samples, which are not changed. lo = -inf, hi = inf where n is too
 * small for alpha. n > 0. */
void ay_interval(const double *d, int n, double alpha, double *mid, double *lo, double *hi);
/* Lag-1 correlation; 0 for fewer than 4 samples or none that differ. */
double ay_lag1(const double *d, int n);
/* Is this a number of blocks at which one may look? */
bool ay_is_look(int n);
/* How many times its budget a pair may take that has so many blocks, r at its last look: more while there is no interval,
 * since a ratio alone says nothing. */
int ay_patience(int blocks, const struct ay_ratio *r);
/*
 * Judges n samples, at most AY_SAMPLES_MAX, as one look does. totals: sum of tB over sum of tA. slack: what the
 * gate cannot see, as a fraction of a batch. The first that fits is said. FASTER: lo > max(1.01, 1 + slack) and
 * totals > 1. SLOWER: hi < 0.99. SAME: all of [lo, hi] in [0.97, 1.03]. Too few samples after pooling, and
 * samples that are not finite (a time that was not above zero), are UNCLEAR with lo = 0 and hi = inf: not
 * numbers for JSON.
 */
void ay_ratio_judge(const double *d, int n, double totals, double slack, struct ay_ratio *r);
/* Writes why r is UNCLEAR, for people, into the n bytes at why. totals and slack: as r was judged by. */
void ay_ratio_why_unclear(const struct ay_ratio *r, double totals, double slack, char *why, size_t n);
/* Half the width of the interval of the ratio, relative to it. */
double ay_half_width(const struct ay_ratio *r);

/* Order statistics for times: q in [0, 1], linear between neighbours; the samples are not changed. n > 0. */
double ay_quantile(const double *x, int n, double q);

#endif
