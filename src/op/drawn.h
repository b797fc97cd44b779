/* SPDX-License-Identifier: Apache-2.0
 *
 * drawn - cases that an author of kernels cannot know beforehand, drawn from what an operator's file says may vary
 * (struct ay_vary). A kernel cannot be written for them, as it can for the listed cases.
 *
 * Theory of operation. The cases of one overload are planned together, so that a few of them cover
 * what matters: every rank from 0 to 6, every kind of layout (permuted, expanded, with gaps, offset,
 * channels last) for three and more dimensions, every residue of the last dimension modulo any number
 * up to 16, and one size beyond the listed ones. An aim says which of these a case is for. Everything
 * else is drawn: the other sizes, the values of the slots, which tensor gets the layout, offsets, and
 * fills that change inside one tensor.
 *
 * For each case a few candidates are drawn, and the one is taken that has most properties which the
 * cases before it lack (call_class.h).
 *
 * A drawn case is a complete line, so it reproduces like any other. A combination that the operator
 * does not accept is drawn again.
 *
 * Functions for the templates, beside those of grid.h. `s` is a list of sizes:
 *   shape(), shape(lo, hi)  sizes, as many as the aim asks for, but lo to hi (0 to 6). The first call
 *                           gets the aim's last size and number of elements
 *   size(), size(lo, hi)    one size, small ones more often (1 to 80)
 *   last()                  the aim's last size, for the last dimension of a tensor whose shape is not
 *                           made by shape()
 *   fits(s)                 a shape that broadcasts to s
 *   within(s)               sizes of at least 1 and at most those of s
 *   dense(s), strides(s)    strides for the sizes s: row-major; of a drawn layout
 *   dim(s)                  a dimension of s, also counted from the end, seldom one of size 1; 0 or -1 for
 *                           an empty s
 *   axes(s)                 several dimensions of s, none twice, at least one
 *   with(s, d, n)           s with the size n in dimension d
 *   less(s, d)              s without dimension d
 *   head(s, n), tail(s, n)  the first n sizes, and those after them
 *   swap(s, d, e)           s with two dimensions swapped
 *   order(s)                a permutation of its dimensions
 *   int(lo, hi)             an integer
 *   one(a, b, ...)          one of the arguments
 */
#ifndef AY_OP_DRAWN_H
#define AY_OP_DRAWN_H

#include "op/suite.h"

/* Cases for each overload: as many as there are aims, and what --full asks for. */
enum { AY_DRAWN_QUICK = 18, AY_DRAWN_FULL = 72, AY_DRAWN_MAX = 10000 };

struct ay_drawing {
	uint64_t seed;   /* all cases follow from it, and from the other fields */
	int n;           /* cases for each overload; 0: none */
	bool full;       /* sizes beyond those of all tiers, not only of the quick one */
	uint32_t dtypes; /* only cases about these (1 << dt), as ay_case_dtype says; 0: all */
};

/* Appends drawn cases of one operator and marks them as drawn. An overload without lines of its own
 * gets those of its functional form. Fails if nothing that the operator's file says can be bound. */
int ay_suite_add_drawn(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r,
		       const struct ay_entry_op *e, const struct ay_drawing *d, struct ay_err *err);

#endif
