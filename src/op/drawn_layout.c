/* SPDX-License-Identifier: Apache-2.0
 *
 * Layouts and fills of drawn cases.
 */
#include "op/drawn_internal.h"

#include <string.h>

/* Stores the strides of a tensor whose dimensions lie in memory in the given order, outermost first.
 * `gap`: how many times as far apart neighbours are. */
static void stride_by(struct ay_tdesc *t, const int *order, int64_t gap)
{
	int64_t step = gap;

	for (int k = t->ndim - 1; k >= 0; k--) {
		t->stride[order[k]] = step;
		step *= t->shape[order[k]] ? t->shape[order[k]] : 1;
	}
	t->has_stride = t->ndim > 0;
}

static void in_order(int n, int *order)
{
	for (int k = 0; k < n; k++)
		order[k] = k;
}

/* Draws an order that differs from the usual one, and moves the last dimension in most cases. */
static void permute(struct ay_dice *d, struct ay_tdesc *t)
{
	int order[AY_MAX_DIM];

	in_order(t->ndim, order);
	for (int i = t->ndim - 1; i > 0; i--) {
		/* never in its own place, so that the order changes */
		const int j = (int)ay_dice_below(d, i), x = order[i];

		order[i] = order[j];
		order[j] = x;
	}
	stride_by(t, order, 1);
}

/* How often an element of an expanded tensor may be repeated: rounding errors of equal terms are equal, so in
 * a long sum of them they add up instead of cancelling, whatever the order (docs/error-bound.md). */
enum { REPEATS_MOST = 32, DISTINCT_LEAST = 8 /* elements of it, so that a constant is no right answer */ };

/* Gives one or more dimensions stride 0. Returns false if too few elements would remain. */
static bool expand(struct ay_dice *d, struct ay_tdesc *t)
{
	const int at = (int)ay_dice_below(d, t->ndim);
	int64_t stride[AY_MAX_DIM], step = 1, repeats = 1;

	for (int k = t->ndim - 1; k >= 0; k--) {
		const bool fixed = (k == at || ay_dice_once_in(d, 6)) && repeats * t->shape[k] <= REPEATS_MOST;

		repeats *= fixed ? t->shape[k] : 1;
		stride[k] = fixed ? 0 : step;
		step *= fixed || !t->shape[k] ? 1 : t->shape[k];
	}
	if (step < DISTINCT_LEAST)
		return false;
	memcpy(t->stride, stride, sizeof *stride * (size_t)t->ndim);
	t->has_stride = true;
	return true;
}

/* Leaves room between the elements of the last dimension, or between lines. */
static void leave_gaps(struct ay_dice *d, struct ay_tdesc *t)
{
	int order[AY_MAX_DIM];

	in_order(t->ndim, order);
	stride_by(t, order, ay_dice_once_in(d, 2) ? 2 + ay_dice_below(d, 2) : 1);
	if (t->ndim > 1 && t->stride[t->ndim - 1] == 1) {
		const int64_t pitch = 1 + ay_dice_below(d, 7);

		for (int k = t->ndim - 2; k >= 0; k--) {
			int64_t below = t->shape[k + 1] ? t->shape[k + 1] : 1;

			t->stride[k] = t->stride[k + 1] * below + (k == t->ndim - 2 ? pitch : 0);
		}
	}
}

static void channels_last(struct ay_tdesc *t)
{
	int order[AY_MAX_DIM];

	in_order(t->ndim, order);
	for (int k = 1; k + 1 < t->ndim; k++)
		order[k] = k + 1;
	order[t->ndim - 1] = 1;
	stride_by(t, order, 1);
}

static bool holds(const struct ay_tdesc *t)
{
	return !t->has_stride && !t->offset && !t->data;
}

void ay_drawn_lay_out_one(struct ay_dice *d, enum ay_drawn_layout layout, bool written, struct ay_tdesc *t)
{
	if (ay_dice_once_in(d, 3))
		t->offset = 1 + ay_dice_below(d, 7);
	if (!t->ndim)
		return;
	if (layout == AY_LAYOUT_PERMUTED && t->ndim > 1)
		permute(d, t);
	else if (layout == AY_LAYOUT_CHANNELS_LAST && t->ndim > 2)
		channels_last(t);
	else if (layout != AY_LAYOUT_DENSE && (layout != AY_LAYOUT_EXPANDED || written || !expand(d, t)))
		leave_gaps(d, t);
}

/* A tensor that others index, or that is sorted, cannot share storage between elements; nor may one with
 * a fill that the operator makes, which may go by places. */
static bool may_expand(const struct ay_call *c, const struct ay_operand *o)
{
	for (const struct ay_maker *m = c->op->makers; m && m->name; m++)
		if (!strcmp(m->name, o->fill.name))
			return false;
	return o->role == AY_IN && !o->data && strcmp(o->fill.name, "perm") && strcmp(o->fill.name, "sorted");
}

void ay_drawn_lay_out(struct ay_dice *dice, const struct ay_aim *aim, const struct ay_call *c)
{
	int n = 0, at;

	if (c->op->flags & AY_DENSE_ONLY)
		return;
	for (int i = 0; i < c->noperand; i++)
		n += c->operand[i]->desc != NULL;
	if (!n)
		return;
	/* one tensor gets the layout of the aim, the others any */
	at = (int)ay_dice_below(dice, n);
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];
		struct ay_tdesc *t = (struct ay_tdesc *)(uintptr_t)
					     o->desc; /* of a line that this file's caller made */
		enum ay_drawn_layout layout = aim->layout;

		if (!t)
			continue;
		if (at--)
			layout = ay_dice_once_in(dice, 2)
					 ? AY_LAYOUT_DENSE
					 : (enum ay_drawn_layout)ay_dice_below(dice, AY_LAYOUT_COUNT);
		if (holds(t))
			ay_drawn_lay_out_one(dice, layout, !may_expand(c, o), t);
	}
}

void ay_drawn_mix_fills(struct ay_arena *a, struct ay_dice *dice, const struct ay_call *c)
{
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];
		struct ay_tdesc *t = (struct ay_tdesc *)(uintptr_t)o->desc;

		/* a default fill has no arguments: the operator's own have */
		if (!t || t->fill.name || t->data || strcmp(o->fill.name, "normal") || o->fill.n ||
		    !ay_dice_once_in(dice, 4))
			continue;
		t->fill.name = ay_strdup(a, "mixed");
	}
}
