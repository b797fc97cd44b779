/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that templates of drawn cases may use; drawn.h lists them.
 */
#include "op/drawn_internal.h"
#include "op/parse.h"

#include <string.h>

enum { ELEMENTS_MAX = 4096 /* of a shape that is not large */, SIZE_MAX_DRAWN = 80 };

int64_t ay_dice_below(struct ay_dice *d, int64_t n)
{
	const uint64_t ctr[4] = { d->n++, 0, 0, 5 };
	uint64_t out[4];

	ay_philox(d->key, ctr, out);
	return (int64_t)((unsigned __int128)out[0] * (uint64_t)n >> 64);
}

static int64_t between(struct ay_dice *d, int64_t lo, int64_t hi)
{
	return hi <= lo ? lo : lo + ay_dice_below(d, hi - lo + 1);
}

/* Draws a size, small ones more often: uniform up to a limit that is itself drawn. */
static int64_t size_between(struct ay_dice *d, int64_t lo, int64_t hi)
{
	int64_t most = lo;

	for (int64_t step = 4; most < hi && !ay_dice_once_in(d, 3); step *= 2)
		most += step;
	return between(d, lo, most < hi ? most : hi);
}

static void set_int(struct ay_value *out, int64_t i)
{
	*out = (struct ay_value){ .kind = AY_V_INT, .i = i };
}

static struct ay_value new_list(struct ay_arena *a, int n)
{
	struct ay_value v = { .kind = AY_V_LIST };

	v.list.n = n;
	v.list.v = AY_NEW_N(a, struct ay_value, n + 1);
	return v;
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* Returns the aim's last size. Every further tensor of a case has another one of the round's sizes, so that
 * each tensor has all of them within a round. */
static int64_t next_last(struct ay_drawn_case *c)
{
	return c->aim->first + (c->aim->at + 5 * c->lasts++) % AY_DRAWN_WINDOW;
}

/* Returns the smallest size of at least n that differs from the aim's last size by a multiple of
 * AY_DRAWN_WINDOW. */
static int64_t with_residue(const struct ay_aim *aim, int64_t n)
{
	const int64_t last = aim->first + aim->at % AY_DRAWN_WINDOW;

	return n <= last ? last : last + (n - last + AY_DRAWN_WINDOW - 1) / AY_DRAWN_WINDOW * AY_DRAWN_WINDOW;
}

/* Draws sizes with more elements than the aim's limit; the last size keeps its residue. */
static void enlarge(struct ay_drawn_case *c, int n, int64_t *size)
{
	int64_t others = 1;

	for (int k = 0; k < n - 1; k++) {
		size[k] = between(c->dice, 1, n > 3 ? 3 : 9);
		others *= size[k];
	}
	size[n - 1] = with_residue(c->aim, c->aim->above / others + 1);
	if (others * size[n - 1] <= c->aim->most)
		return;
	for (int k = 0; k < n - 1; k++)
		size[k] = 1;
	size[n - 1] = with_residue(c->aim, c->aim->above + 1);
}

static void draw_sizes(struct ay_drawn_case *c, bool first, int n, int64_t *size)
{
	int64_t left = ELEMENTS_MAX;

	if (!n)
		return;
	if (first && c->aim->large) {
		enlarge(c, n, size);
		c->lasts++;
		return;
	}
	size[n - 1] = next_last(c);
	left /= size[n - 1];
	for (int k = n - 2; k >= 0; k--) {
		size[k] = size_between(c->dice, 1, left < 12 ? (left < 1 ? 1 : left) : 12);
		left /= size[k];
	}
}

static int shape(struct ay_drawn_case *c, struct ay_arena *a, int64_t lo, int64_t hi, struct ay_value *out)
{
	const bool first = !c->lasts;
	int64_t size[AY_MAX_DIM], n = c->aim->rank;

	if (hi > AY_DRAWN_RANK_MAX)
		hi = AY_DRAWN_RANK_MAX;
	if (n < lo || n > hi)
		n = between(c->dice, lo, hi);
	if (first && c->aim->large && !n && hi > 0)
		n = 1;
	draw_sizes(c, first, (int)n, size);
	*out = new_list(a, (int)n);
	for (int k = 0; k < n; k++)
		set_int(&out->list.v[k], size[k]);
	return 0;
}

/* Returns a last size, for a tensor that is not made by shape(). */
static int64_t last_size(struct ay_drawn_case *c)
{
	if (c->lasts || !c->aim->large)
		return next_last(c);
	c->lasts++;
	return with_residue(c->aim, c->aim->above / between(c->dice, 1, 8) + 1);
}

static int fits(struct ay_drawn_case *c, struct ay_arena *a, const struct ay_value *s, struct ay_value *out)
{
	const int drop = ay_dice_once_in(c->dice, 3) ? (int)between(c->dice, 0, s->list.n) : 0;

	*out = new_list(a, s->list.n - drop);
	for (int k = 0; k < out->list.n; k++)
		set_int(&out->list.v[k], ay_dice_once_in(c->dice, 4) ? 1 : s->list.v[k + drop].i);
	return 0;
}

static int within(struct ay_drawn_case *c, struct ay_arena *a, const struct ay_value *s, struct ay_value *out)
{
	*out = new_list(a, s->list.n);
	for (int k = 0; k < s->list.n; k++)
		set_int(&out->list.v[k],
			ay_dice_once_in(c->dice, 2) ? s->list.v[k].i : between(c->dice, 1, s->list.v[k].i));
	return 0;
}

/* Stores the strides of a tensor of sizes s: row-major, or, if the layout is drawn, any. */
static int strides(struct ay_drawn_case *c, struct ay_arena *a, const struct ay_value *s, bool any,
		   struct ay_value *out, struct ay_err *err)
{
	struct ay_tdesc t = { 0 };

	if (ay_tdesc_ints(s, "shape", t.shape, NULL, &t.ndim, err))
		return -1;
	ay_strides_dense(t.ndim, t.shape, t.stride);
	if (any)
		ay_drawn_lay_out_one(c->dice, (enum ay_drawn_layout)ay_dice_below(c->dice, AY_LAYOUT_COUNT), false,
				     &t);
	*out = new_list(a, t.ndim);
	for (int k = 0; k < t.ndim; k++)
		set_int(&out->list.v[k], t.stride[k]);
	return 0;
}

static int dim(struct ay_drawn_case *c, const struct ay_value *s, struct ay_value *out)
{
	enum { DRAWS = 3 }; /* along a dimension of size 1 most kernels are right */
	const int n = s->list.n ? s->list.n : 1;
	int64_t d = ay_dice_below(c->dice, n);

	for (int i = 1; i < DRAWS && s->list.n && s->list.v[d].i == 1; i++)
		d = ay_dice_below(c->dice, n);
	set_int(out, ay_dice_once_in(c->dice, 2) ? d : d - n);
	return 0;
}

/* Stores a random order of 0 to n - 1. */
static void shuffle(struct ay_dice *d, int n, int *at)
{
	for (int i = 0; i < n; i++) {
		const int j = (int)ay_dice_below(d, i + 1);

		at[i] = at[j];
		at[j] = i;
	}
}

static int axes(struct ay_drawn_case *c, struct ay_arena *a, const struct ay_value *s, bool all,
		struct ay_value *out)
{
	const int n = s->list.n < AY_MAX_DIM ? s->list.n : AY_MAX_DIM;
	int at[AY_MAX_DIM];

	shuffle(c->dice, n, at);
	*out = new_list(a, all || !n ? n : (int)between(c->dice, 1, n));
	for (int k = 0; k < out->list.n; k++)
		set_int(&out->list.v[k], at[k] - (!all && ay_dice_once_in(c->dice, 3) ? n : 0));
	return 0;
}

/* Returns a copy of the sizes [lo, hi). */
static struct ay_value copy(struct ay_arena *a, const struct ay_value *s, int64_t lo, int64_t hi)
{
	struct ay_value v;

	hi = hi > s->list.n ? s->list.n : hi;
	lo = lo < 0 ? 0 : lo;
	v = new_list(a, hi > lo ? (int)(hi - lo) : 0);
	if (v.list.n)
		memcpy(v.list.v, s->list.v + lo, sizeof *v.list.v * (size_t)v.list.n);
	return v;
}

/* --- the table -------------------------------------------------------------------------------- */

enum fn {
	SHAPE,
	SIZE,
	LAST,
	FITS,
	WITHIN,
	DENSE,
	STRIDES,
	DIM,
	AXES,
	WITH,
	LESS,
	HEAD,
	TAIL,
	SWAP,
	ORDER,
	INT,
	ONE
};

/* `args`: one letter each, s a list and i an int; the letters behind a `?` may be absent. */
static const struct {
	const char *name, *args;
} fns[] = {
	[SHAPE] = { "shape", "?ii" },   [SIZE] = { "size", "?ii" },   [LAST] = { "last", "" },
	[FITS] = { "fits", "s" },       [WITHIN] = { "within", "s" }, [DENSE] = { "dense", "s" },
	[STRIDES] = { "strides", "s" }, [DIM] = { "dim", "s" },       [AXES] = { "axes", "s" },
	[WITH] = { "with", "sii" },     [LESS] = { "less", "si" },    [HEAD] = { "head", "si" },
	[TAIL] = { "tail", "si" },      [SWAP] = { "swap", "sii" },   [ORDER] = { "order", "s" },
	[INT] = { "int", "ii" },        [ONE] = { "one", NULL },
};

static bool takes(const char *args, int n, const struct ay_value *v)
{
	int i = 0;

	if (!args)
		return n > 0;
	if (*args == '?' && !n)
		return true;
	for (args += *args == '?'; *args; args++, i++)
		if (i >= n || v[i].kind != (*args == 's' ? AY_V_LIST : AY_V_INT))
			return false;
	return i == n;
}

/* Wraps a dimension that counts from the end. Returns -1 if it is out of range. */
static int64_t wrap(const struct ay_value *s, int64_t d)
{
	d = d < 0 ? d + s->list.n : d;
	return d < 0 || d >= s->list.n ? -1 : d;
}

/* with(), less() and swap(), whose dimensions must exist. */
static int edit(enum fn f, struct ay_arena *a, const struct ay_value *v, struct ay_value *out, struct ay_err *err)
{
	const int64_t d = wrap(v, v[1].i), e = f == SWAP ? wrap(v, v[2].i) : 0;

	if (d < 0 || e < 0)
		return ay_fail(err, AY_ERR_BIND, "%s(): there is no such dimension", fns[f].name);
	*out = copy(a, v, 0, v->list.n);
	if (f == WITH) {
		out->list.v[d] = v[2];
	} else if (f == SWAP) {
		out->list.v[d] = v->list.v[e];
		out->list.v[e] = v->list.v[d];
	} else {
		memmove(out->list.v + d, out->list.v + d + 1, sizeof *v * (size_t)(v->list.n - d - 1));
		out->list.n--;
	}
	return 0;
}

int ay_drawn_find(void *user, struct ay_arena *a, const char *name, int n, const struct ay_value *v,
		  struct ay_value *out, struct ay_err *err)
{
	struct ay_drawn_case *c = user;
	size_t f = 0;

	while (f < sizeof fns / sizeof *fns && strcmp(fns[f].name, name) != 0)
		f++;
	if (f == sizeof fns / sizeof *fns || n < 0)
		return 1;
	if (!takes(fns[f].args, n, v))
		return ay_fail(err, AY_ERR_BIND, "%s() does not take these arguments", name);
	switch ((enum fn)f) {
	case SHAPE: return shape(c, a, n ? v[0].i : 0, n ? v[1].i : AY_DRAWN_RANK_MAX, out);
	case SIZE: set_int(out, size_between(c->dice, n ? v[0].i : 1, n ? v[1].i : SIZE_MAX_DRAWN)); return 0;
	case LAST: set_int(out, last_size(c)); return 0;
	case FITS: return fits(c, a, v, out);
	case WITHIN: return within(c, a, v, out);
	case DENSE:
	case STRIDES: return strides(c, a, v, f == STRIDES, out, err);
	case DIM: return dim(c, v, out);
	case AXES: return axes(c, a, v, false, out);
	case ORDER: return axes(c, a, v, true, out);
	case HEAD: *out = copy(a, v, 0, v[1].i); return 0;
	case TAIL: *out = copy(a, v, v[1].i, v->list.n); return 0;
	case INT: set_int(out, between(c->dice, v[0].i, v[1].i)); return 0;
	case ONE: *out = v[ay_dice_below(c->dice, n)]; return 0;
	default: return edit((enum fn)f, a, v, out, err);
	}
}
