/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/repeats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	RUN_BITS = 80,    /* bits of chance that a run must have */
	RUN_AIM = 128,    /* bits of chance that a run is to have on average */
	KEPT_RUNS = 4096, /* runs of one result that are kept, about, of each kind */
	ENOUGH = 4,       /* equal runs that prove a copy */
	TABLE_MOST = 1 << 18,
	COUNTERS = 1024,
	COUNTED_MOST = 64,       /* results whose counts are kept */
	COUNT_BITS = 64,         /* bits of chance that equal counts must have */
	ELEMENTS_MOST = 1 << 24, /* larger results are not compared */
};

/* A kept run: where it was seen last. */
struct kept_run {
	uint64_t hash; /* 0: none */
	uint32_t result, at;
};

struct ay_repeats {
	int results; /* as the caller expects */
	uint32_t seen;
	uint64_t every; /* one run of this many is kept; a power of two */
	struct kept_run *run;
	uint64_t nrun; /* a power of two; 0: not allocated yet */
	uint32_t (*count)[COUNTERS];
	int ncount;
};

/* One result. */
struct draws {
	int64_t n, len; /* len: draws of a run */
	uint64_t *hash; /* of each element's bits */
	double *bits;   /* chance in the elements before this one */
	bool alike;     /* every element has the same law */
	double loose;   /* bits of chance that a run must have if its order does not count */
};

struct ay_repeats *ay_repeats_new(int results)
{
	struct ay_repeats *r = ay_xrealloc(NULL, sizeof *r);

	*r = (struct ay_repeats){ .results = results };
	return r;
}

void ay_repeats_free(struct ay_repeats *r)
{
	if (!r)
		return;
	ay_xfree(r->run);
	ay_xfree(r->count);
	ay_xfree(r);
}

/* The finisher of splitmix64. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void load_hashes(const struct ay_view *v, uint64_t *hash, int64_t n)
{
	const int64_t item = ay_dt_info(v->dt)->bytes;

	for (int64_t i = 0; i < n; i++) {
		uint64_t x = 0;

		memcpy(&x, (const uint8_t *)v->data + ay_view_at(v, i) * item, (size_t)(item < 8 ? item : 8));
		hash[i] = mix(x + 0x9e3779b97f4a7c15u);
	}
}

/* Turns log2 of probabilities into sums of the bits before each element. */
static void add_up(struct draws *d, double *log2_p)
{
	double sum = 0;

	d->alike = true;
	for (int64_t i = 0; i < d->n; i++) {
		const double bits = -log2_p[i];

		d->alike &= log2_p[i] == log2_p[0];
		d->bits[i] = sum;
		sum += bits;
	}
	d->bits[d->n] = sum;
}

/* Returns false if the result holds too little chance for any test. */
static bool load(struct ay_arena *a, const struct ay_op *op, const struct ay_call *c, struct draws *d)
{
	const struct ay_view *v = &c->out[0]->view;
	const int64_t n = ay_numel_of(v);
	double *log2_p, each;

	if (!op->log2_top || n < 2 || n > ELEMENTS_MOST)
		return false;
	*d = (struct draws){ .n = n };
	log2_p = AY_NEW_N(a, double, n);
	d->bits = AY_NEW_N(a, double, d->n + 1);
	op->log2_top(c, log2_p);
	add_up(d, log2_p);
	if (d->bits[d->n] < 2 * RUN_AIM)
		return false;
	each = d->bits[d->n] / (double)d->n;
	d->len = (int64_t)ceil(RUN_AIM / each);
	d->loose = RUN_BITS + lgamma((double)d->len + 1) / log(2);
	d->hash = AY_NEW_N(a, uint64_t, d->n);
	load_hashes(v, d->hash, d->n);
	return true;
}

/* --- runs -------------------------------------------------------------------------------------------------- */

static void make_table(struct ay_repeats *r, int64_t n)
{
	uint64_t need;

	if (r->nrun)
		return;
	r->every = 1;
	while (r->every * KEPT_RUNS < (uint64_t)n)
		r->every *= 2;
	need = 8 * ((uint64_t)n / r->every + 1) * (uint64_t)r->results;
	r->nrun = 1024;
	while (r->nrun < need && r->nrun < TABLE_MOST)
		r->nrun *= 2;
	r->run = ay_xrealloc(NULL, sizeof *r->run * r->nrun);
	memset(r->run, 0, sizeof *r->run * r->nrun);
}

struct found {
	int within, between;
	int64_t at, was;
};

/* Compares a run with the kept one that has its place in the table, and replaces that. Runs that
 * overlap are no two runs. */
static void note_run(struct ay_repeats *r, const struct draws *d, uint64_t hash, int64_t at, struct found *f)
{
	struct kept_run *k = &r->run[(hash >> 20) & (r->nrun - 1)];

	if (hash & (r->every - 1))
		return;
	if (k->hash == hash && k->result != r->seen)
		f->between++;
	else if (k->hash == hash && at - k->at >= d->len)
		f->within++;
	else if (k->hash == hash)
		return;
	if (k->hash == hash && !f->was) {
		f->at = at;
		f->was = k->at + 1;
	}
	*k = (struct kept_run){ hash | !hash, r->seen, (uint32_t)at };
}

/* Goes over all runs of a result. Their hashes follow from one to the next: in order as a polynomial
 * in an odd number, in any order as a sum. */
static void note_runs(struct ay_repeats *r, const struct draws *d, struct found *f)
{
	const uint64_t x = 0x5851f42d4c957f2du;
	uint64_t ordered = 0, sum = 0, first = 1;

	for (int64_t i = 1; i < d->len; i++)
		first *= x;
	for (int64_t i = 0; i < d->n; i++) {
		const int64_t at = i + 1 - d->len;

		ordered = ordered * x + d->hash[i];
		sum += d->hash[i];
		if (at < 0)
			continue;
		if (d->bits[i + 1] - d->bits[at] >= RUN_BITS)
			note_run(r, d, mix(ordered), at, f);
		if (d->bits[i + 1] - d->bits[at] >= d->loose)
			note_run(r, d, mix(~sum), at, f);
		ordered -= d->hash[at] * first;
		sum -= d->hash[at];
	}
}

/* --- counts ------------------------------------------------------------------------------------------------ */

/* Returns log2 of how improbable equal counts are: of the likeliest combination of counts, by
 * Stirling's formula. */
static double chance_in(const uint32_t *count, double n)
{
	double bits = -log2(2 * acos(-1.0) * n) / 2;

	for (int k = 0; k < COUNTERS; k++)
		bits += count[k] ? log2(2 * acos(-1.0) * count[k]) / 2 : 0;
	return bits;
}

/* Returns log2 of the number of ways to choose k of n. */
static double log2_ways(int n, int k)
{
	return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2);
}

/* Returns how many earlier results have the same counts, if that is no chance; else 0. */
static int note_counts(struct ay_repeats *r, const struct draws *d)
{
	uint32_t *mine;
	int equal = 0;

	if (!d->alike || r->ncount == COUNTED_MOST)
		return 0;
	if (!r->count)
		r->count = ay_xrealloc(NULL, sizeof *r->count * COUNTED_MOST);
	mine = r->count[r->ncount];
	memset(mine, 0, sizeof *r->count);
	for (int64_t i = 0; i < d->n; i++)
		mine[d->hash[i] % COUNTERS]++;
	for (int k = 0; k < r->ncount; k++)
		equal += !memcmp(mine, r->count[k], sizeof *r->count);
	r->ncount++;
	if (equal && equal * chance_in(mine, (double)d->n) - log2_ways(r->ncount, equal) < COUNT_BITS)
		return 0;
	return equal;
}

/* --- all of it --------------------------------------------------------------------------------------------- */

static enum ay_repeated compare(struct ay_repeats *r, const struct draws *d, char text[200])
{
	struct found f = { 0 };
	int equal;

	make_table(r, d->n);
	r->seen++;
	note_runs(r, d, &f);
	equal = note_counts(r, d);
	if (f.between >= ENOUGH)
		snprintf(text, 200,
			 "draws from [%lld] on are those that another call, with another generator state, had "
			 "from [%lld] on",
			 (long long)f.at, (long long)f.was - 1);
	else if (f.within >= ENOUGH)
		snprintf(text, 200, "the draws from [%lld] on are those from [%lld] on again", (long long)f.at,
			 (long long)f.was - 1);
	else if (equal)
		snprintf(text, 200,
			 "its draws are those of %d other calls, with other generator states, in another order",
			 equal);
	return f.between >= ENOUGH  ? AY_REPEATED_BETWEEN
	       : f.within >= ENOUGH ? AY_REPEATED_WITHIN
	       : equal              ? AY_REPEATED_BETWEEN
				    : AY_REPEATED_NOT;
}

enum ay_repeated ay_repeats_look(struct ay_repeats *r, const struct ay_op *op, const struct ay_call *c,
				 char text[200])
{
	struct ay_arena a = { 0 };
	struct draws d;
	enum ay_repeated found = AY_REPEATED_NOT;

	if (load(&a, op, c, &d))
		found = compare(r, &d, text);
	ay_arena_release(&a);
	return found;
}
