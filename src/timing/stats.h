/* SPDX-License-Identifier: Apache-2.0
 *
 * stats - what the time ratios of blocks prove.
 *
 * Pure arithmetic: no clock, no process. A sample is d = ln(tB/tA) of one half of a block (A B or
 * B A): two consecutive batches on one content. The halves are not averaged. On a shared machine
 * another process disturbs one batch in ten, and averaging would spoil the other half too
 * (intervals of whole blocks were a fifth wider).
 *
 * The speed-up is exp of the median sample. Its interval is that of the sign test (order
 * statistics), which assumes only that blocks are exchangeable. The result is evaluated (an interim analysis)
 * only after 20, 52, 100 and 200 blocks, each time at level 1 - 0.01/4. Evaluating at any time
 * would call 8 to 17 % of equal kernels different.
 *
 * If neighbouring samples are similar (lag-1 correlation above 0.2), pairs of them are averaged,
 * repeatedly, until they are not.
 */
#ifndef AY_TIMING_STATS_H
#define AY_TIMING_STATS_H

#include <stdbool.h>
#include <stddef.h>

enum { AY_INTERIMS = 4, AY_BLOCKS_MAX = 200, AY_SAMPLES_MAX = 2 * AY_BLOCKS_MAX };
extern const int ay_interim_blocks[AY_INTERIMS]; /* 20, 52, 100, 200 */

/* What is concluded from a ratio. */
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
/* Returns AY_PACE_NONE if no pace has that name. */
enum ay_pace ay_pace_find(const char *name);

struct ay_ratio {
	enum ay_pace pace;
	int n;      /* samples that the interval was made of, after averaging */
	int pooled; /* original samples per averaged sample: 1, 2, 4... */
	double ratio, lo, hi;
	double correlation; /* lag 1, before averaging */
};

/* Returns the largest k with P(fewer than k of n fair coins show heads) * 2 <= alpha; 0: no
 * interval exists at this level. The interval of n samples goes from the k-th to the k-th last. n
 * is at most 16,000. */
int ay_sign_rank(int n, double alpha);
/* Computes median and order-statistic interval of n samples, which are not changed. lo = -inf and
 * hi = inf if n is too small for alpha. n > 0. */
void ay_interval(const double *d, int n, double alpha, double *mid, double *lo, double *hi);
/* Returns the lag-1 correlation; 0 for fewer than 4 samples or if all samples are equal. */
double ay_lag1(const double *d, int n);
/* Returns true if the result may be evaluated after n blocks. */
bool ay_is_look(int n);
/* Returns how many times its budget a measurement with this many blocks may take. r: ratio at
 * its last interim analysis. The factor is larger while there is no interval, since a ratio alone proves
 * nothing. */
int ay_patience(int blocks, const struct ay_ratio *r);
/*
 * Judges n samples, at most AY_SAMPLES_MAX, at one interim analysis. totals: sum of tB over sum of tA. slack:
 * what the gate cannot see, as a fraction of a batch. The first pace that applies is returned:
 * - FASTER: lo > max(1.01, 1 + slack) and totals > 1.
 * - SLOWER: hi < 0.99.
 * - SAME: all of [lo, hi] in [0.97, 1.03].
 *
 * The pace is UNCLEAR with lo = 0 and hi = inf, which JSON cannot represent, if too few samples
 * remain after averaging or a sample is not finite (a time was not above zero).
 */
void ay_ratio_judge(const double *d, int n, double totals, double slack, struct ay_ratio *r);
/* Writes the reason why r is UNCLEAR, for people, into the n bytes at why. totals and slack: the
 * values that r was judged with. */
void ay_ratio_why_unclear(const struct ay_ratio *r, double totals, double slack, char *why, size_t n);
/* Returns half the width of the interval, relative to the ratio. */
double ay_half_width(const struct ay_ratio *r);

/* Returns quantile q in [0, 1] of n times, interpolated linearly. The samples are not changed. n >
 * 0. */
double ay_quantile(const double *x, int n, double q);

#endif
