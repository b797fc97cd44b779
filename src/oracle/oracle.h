/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle - the right answer, row by row, and whether somebody else's is within the bound of it.
 *
 * Theory of operation. A call's operands have data: inputs what the judge made, outputs what a kernel left. The
 * reference is run on ranges of rows small enough to stay in cache, by as many threads as given; each range is
 * compared and forgotten, so memory does not grow with the case. An element passes if
 *
 *	|got - want| <= k_out * ulp(want) + k_acc * u_acc * mag
 *
 * with k_out and mag from the operator. NaN matches NaN only, infinity only its own sign (or a finite value of
 *which rounding may have made it), no element is free. The constants and their evidence: docs/error-bound.md.
 */
#ifndef AY_ORACLE_ORACLE_H
#define AY_ORACLE_ORACLE_H

#include "op/registry.h"

/* What comparing one output found. */
struct ay_diff {
	int64_t n;                    /* elements compared */
	int64_t bad;                  /* outside the bound */
	int64_t first_skipped;        /* of the next: flat index, -1 */
	int64_t skipped;              /* left out by the mask */
	int64_t first;                /* flat index of the first bad one, -1 */
	long double want, got, bound; /* at the first bad one: of the real or the imaginary part */
	bool imag;
	int64_t fits_tf32; /* how many of the bad ones fit the bound of TF32 inputs */
	/* what the case can prove: how many wanted values are 0 or NaN, and the range of the others */
	int64_t zeros;
	long double least, most;
};

/* Elements that the caller knows were never written: true = leave out of the comparison. */
typedef bool (*ay_mask_fn)(void *user, int out, int64_t index);

/* One element beside what is wanted of it; of a complex one its real part, then its imaginary part. */
struct ay_element {
	int out;
	int64_t index; /* flat, row-major */
	bool imag, right;
	long double want, got, bound; /* bound: INFINITY where nothing is promised */
};

/* Called once for each element that is compared, by any of the threads. */
typedef void (*ay_each_fn)(void *user, const struct ay_element *e);

struct ay_compare {
	const struct ay_entry_op *op;
	const struct ay_call *call; /* outputs are read at call->out[k]->view */
	int threads;
	int acc_bits, in_bits; /* mutants of the reference; 0 */
	ay_mask_fn mask;
	void *mask_user;
	ay_each_fn each; /* NULL: the diffs are all that is wanted */
	void *each_user;
	int64_t row_lo, row_hi; /* compare these rows only; row_hi 0 = all */
};

/* One diff per output. For operators without a reference n is 0. */
void ay_oracle_compare(const struct ay_compare *q, struct ay_diff *diff);
/* The reference's answer, rounded to each output's dtype, into dst[k] (views with data). */
void ay_oracle_produce(const struct ay_compare *q, const struct ay_view *const *dst);

/* How many rows an answer has; 0 without a reference. */
int64_t ay_oracle_rows(const struct ay_entry_op *op, const struct ay_call *c);

/* One element against the bound; what ay_oracle_compare applies, for tests and for show. */
struct ay_bound {
	enum ay_dt dt; /* of a component */
	double k_out, k_acc;
	bool exact, rounded;
};
/* For the elements, of dtype dt, of a call's results. */
struct ay_bound ay_oracle_bound(const struct ay_op *op, const struct ay_call *c, enum ay_dt dt);
bool ay_within(const struct ay_bound *b, long double want, long double got, double mag, long double *bound);
/* A result that is not a tensor: the same kind and the same value; NaN is NaN, and zeros have their sign. */
bool ay_same_scalar(const struct ay_value *want, const struct ay_value *got);

#endif
