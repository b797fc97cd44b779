/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle - computes the right answer row by row, and checks whether a kernel's outputs are within
 * the error bound.
 *
 * Theory of operation. A call's operands have data: inputs hold what the judge made, outputs what
 * the kernel wrote. The reference runs on ranges of rows that are small enough to stay in cache, in
 * as many threads as the caller allows. Each range is compared and then discarded, so memory does
 * not grow with the case. An element passes if
 *
 *      |got - want| <= k_out * ulp(want) + k_acc * u_acc * mag
 *
 * with k_out and mag from the operator. NaN matches only NaN. Infinity matches infinity of its own
 * sign; an infinite result also matches a finite wanted value that rounding may have made infinite.
 * The constants and their evidence: docs/error-bound.md.
 */
#ifndef AY_ORACLE_ORACLE_H
#define AY_ORACLE_ORACLE_H

#include "op/registry.h"

/* The result of comparing one output. */
struct ay_diff {
	int64_t n;             /* elements compared */
	int64_t bad;           /* elements outside the bound */
	int64_t first_skipped; /* flat index of the first skipped element, -1 if none */
	int64_t skipped;       /* elements left out because of the mask */
	int64_t first;         /* flat index of the first bad element, -1 if none */
	/* at the first bad element: of its real or its imaginary part */
	long double want, got, bound;
	bool imag;
	int64_t fits_tf32; /* number of bad elements that fit the bound for TF32 inputs */
	/* What the case can prove: the number of wanted values that are 0 or NaN, and the range of
	 * the others. */
	int64_t zeros;
	long double least, most;
};

/* Returns true for an element that is to be left out of the comparison, because the caller knows
 * that it was never written. */
typedef bool (*ay_mask_fn)(void *user, int out, int64_t index);

/* One element and its wanted value. A complex element is passed twice: its real part, then its
 * imaginary part. */
struct ay_element {
	int out;
	int64_t index; /* flat, row-major */
	bool imag, right;
	long double want, got, bound; /* bound: INFINITY if nothing is promised */
};

/* Called once for each compared element, from any of the threads. */
typedef void (*ay_each_fn)(void *user, const struct ay_element *e);

struct ay_compare {
	const struct ay_entry_op *op;
	const struct ay_call *call; /* outputs are read at call->out[k]->view */
	int threads;
	int acc_bits, in_bits; /* for mutants of the reference; normally 0 */
	ay_mask_fn mask;
	void *mask_user;
	ay_each_fn each; /* NULL: only the diffs are wanted */
	void *each_user;
	int64_t row_lo, row_hi; /* compare only rows [row_lo, row_hi); row_hi 0 = all */
};

/* Fills one diff per output. For operators without a reference, n is 0. */
void ay_oracle_compare(const struct ay_compare *q, struct ay_diff *diff);
/* Writes the reference's answer, rounded to each output's dtype, into dst[k] (views with data). */
void ay_oracle_produce(const struct ay_compare *q, const struct ay_view *const *dst);

/* Returns the number of rows of an answer; 0 without a reference. */
int64_t ay_oracle_rows(const struct ay_entry_op *op, const struct ay_call *c);

/* The parameters of the bound that ay_oracle_compare applies to one element; also for tests and
 * `assay show`. */
struct ay_bound {
	enum ay_dt dt; /* of a component */
	double k_out, k_acc;
	bool exact, rounded;
};
/* Returns the bound for elements of dtype dt of a call's results. */
struct ay_bound ay_oracle_bound(const struct ay_op *op, const struct ay_call *c, enum ay_dt dt);
/* Returns true if `got` is right. Stores the bound that applies to this element in *bound. */
bool ay_within(const struct ay_bound *b, long double want, long double got, double mag, long double *bound);
/* Compares two results that are not tensors. Returns true if kind and value are equal. NaN equals
 * NaN, and zeros must have the same sign. */
bool ay_same_scalar(const struct ay_value *want, const struct ay_value *got);

#endif
