/* SPDX-License-Identifier: Apache-2.0
 *
 * drawn_internal - what the files of drawn.h share. drawn.c plans and draws the cases,
 * drawn_values.c has the functions of the templates, and drawn_layout.c draws strides, offsets
 * and fills.
 */
#ifndef AY_OP_DRAWN_INTERNAL_H
#define AY_OP_DRAWN_INTERNAL_H

#include "op/drawn.h"
#include "op/grid.h"

enum { AY_DRAWN_RANK_MAX = 6, AY_DRAWN_WINDOW = 16 /* consecutive last sizes */ };

enum ay_drawn_layout {
	AY_LAYOUT_DENSE,
	AY_LAYOUT_PERMUTED,
	AY_LAYOUT_EXPANDED,
	AY_LAYOUT_GAPS,
	AY_LAYOUT_CHANNELS_LAST,
	AY_LAYOUT_COUNT,
};

/* What one case is for. */
struct ay_aim {
	int rank;
	enum ay_drawn_layout layout;
	bool large; /* more elements than any listed case has */
	/* The last sizes of a round's cases are consecutive numbers from `first` on; this case has number
	 * `at` of them. large: the last size has the same residue modulo AY_DRAWN_WINDOW. */
	int64_t first, at;
	/* large: more elements than `above`, and at most `most` */
	int64_t above, most;
};

/* A stream of random numbers that follow from a key. */
struct ay_dice {
	struct ay_key key;
	uint64_t n;
};
/* Returns a uniform number in [0, n); n > 0. */
int64_t ay_dice_below(struct ay_dice *d, int64_t n);
/* Returns true once in n times. */
static inline bool ay_dice_once_in(struct ay_dice *d, int n)
{
	return !ay_dice_below(d, n);
}

/* One attempt at a case. */
struct ay_drawn_case {
	struct ay_dice *dice;
	const struct ay_aim *aim;
	int lasts; /* how many last sizes were drawn by shape() and last() */
};

/* For struct ay_scope.find, with a struct ay_drawn_case as user. */
int ay_drawn_find(void *user, struct ay_arena *a, const char *name, int nargs, const struct ay_value *args,
		  struct ay_value *out, struct ay_err *err);

/* Draws strides of one kind, and an offset, for a tensor; of a written one no elements share storage. */
void ay_drawn_lay_out_one(struct ay_dice *d, enum ay_drawn_layout layout, bool written, struct ay_tdesc *t);
/* Draws layouts for the tensors of a bound case, whose line is changed. Tensors that have strides,
 * an offset or data= in the line stay as they are. */
void ay_drawn_lay_out(struct ay_dice *dice, const struct ay_aim *aim, const struct ay_call *c);
/* Gives some of the tensors that are filled by default a fill that changes within the tensor. */
void ay_drawn_mix_fills(struct ay_arena *a, struct ay_dice *dice, const struct ay_call *c);

#endif
