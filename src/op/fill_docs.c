/* SPDX-License-Identifier: Apache-2.0 */
#include "op/fill.h"

const struct ay_fill_doc ay_fill_docs[] = {
	{ "normal(mean=0, sd=1)", "bell-shaped, tails to 4.9 sd" },
	{ "uniform(a=0, b=1)", "evenly spread over [a, b)" },
	{ "int(a, b)", "integers a..b, both included" },
	{ "index(n)", "integers 0..n-1: indices into a dimension of size n" },
	{ "exact(a=-2, b=2)", "small integers, whose sums are representable: results must be bit-equal" },
	{ "bool(p=0.5)", "1 with probability p, else 0" },
	{ "heavy(scale=1)", "heavy tails: magnitudes up to 2048 * scale, each doubling half as likely" },
	{ "special(mean=0)",
	  "normal, but one element in eight is NaN, an infinity, a zero, a subnormal or the largest value" },
	{ "nonfinite(mean=0)",
	  "special without the largest values, whose sums overflow in one order and not in another" },
	{ "const(v)", "v everywhere" },
	{ "zeros", "0 everywhere" },
	{ "ones", "1 everywhere" },
	{ "mixed", "runs of 32 elements: of normal size, small, large, small integers, or zeros of both signs" },
	{ "edge(bits=all)",
	  "integers to the edge of the dtype: the largest and smallest, neighbours of powers of two (2^53 + 1), "
	  "and any others; floats get those that they hold exactly. With bits only of that size" },
	{ "ties(dtype)",
	  "numbers half-way between two neighbours of a narrower dtype, and their own neighbours: ties(bf16)" },
	{ "perm(n=number of elements)", "distinct integers of 0..n-1 in random order" },
	{ "sorted(a=0, b=1)", "increasing from a to b" },
	{ "out", "poison: the operator only writes here" },
	{ 0 },
};
