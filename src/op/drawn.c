/* SPDX-License-Identifier: Apache-2.0
 *
 * Planning and drawing cases; drawn.h says what for.
 */
#include "op/drawn_internal.h"
#include "op/call_class.h"
#include "op/suite_internal.h"

#include <string.h>

enum {
	CANDIDATES = 16,           /* for one case; the one that adds most is taken */
	RARE_GAIN = 8,             /* what a property counts beside a residue */
	ATTEMPTS = 60,             /* at one case, before the aim is dropped, and again before it fails */
	LARGEST_QUICK = 1 << 17,   /* elements of a large case among the quick ones */
	LARGEST_FULL = 1 << 25,    /* and with --full */
	WORK_QUICK = 4 << 20,      /* FLOPs or elements of a case among the quick ones */
	OUT_ELEMENTS_FACTOR = 256, /* how many times the elements of its inputs a result may have */
};
#define WORK_FULL 2e9

enum { WINDOWS = 5 /* of last sizes, one behind the other */ };

/* The cases of one overload are for these, in this order and again from the first: three and more
 * dimensions with every layout, ranks above 4, and the small ranks. The last two have no last size of
 * the window. */
static const struct {
	int rank;
	enum ay_drawn_layout layout;
} aims[AY_DRAWN_QUICK] = {
	{ 3, AY_LAYOUT_PERMUTED }, { 5, AY_LAYOUT_DENSE },    { 4, AY_LAYOUT_CHANNELS_LAST },
	{ 3, AY_LAYOUT_EXPANDED }, { 2, AY_LAYOUT_PERMUTED }, { 6, AY_LAYOUT_DENSE },
	{ 4, AY_LAYOUT_PERMUTED }, { 3, AY_LAYOUT_GAPS },     { 1, AY_LAYOUT_GAPS },
	{ 5, AY_LAYOUT_PERMUTED }, { 2, AY_LAYOUT_EXPANDED }, { 3, AY_LAYOUT_PERMUTED },
	{ 4, AY_LAYOUT_EXPANDED }, { 6, AY_LAYOUT_PERMUTED }, { 1, AY_LAYOUT_DENSE },
	{ 2, AY_LAYOUT_GAPS },     { 3, AY_LAYOUT_DENSE },    { 0, AY_LAYOUT_DENSE },
};
enum { LARGE = AY_DRAWN_WINDOW /* the aim with more elements than listed */ };

/* What drawing the cases of one operator needs. */
struct drawer {
	struct ay_suite *suite;
	struct ay_arena *a;
	const struct ay_registry *r;
	const struct ay_entry_op *e, *from; /* from: the operator whose rows are used */
	const struct ay_drawing *how;
	int64_t listed; /* elements of the largest listed tensor */
	struct ay_dice dice;
	struct ay_properties met; /* of the cases drawn so far */
	int at;                   /* the number of the case */
	struct ay_err *err;
};

/* Returns what case `at` is for. Of each round the last sizes are AY_DRAWN_WINDOW consecutive numbers, so that every
 * residue modulo every number up to AY_DRAWN_WINDOW occurs; later rounds have later windows. The first window and
 * the order of the sizes follow from the seed. */
static struct ay_aim aim_of(const struct drawer *d)
{
	const int64_t round = d->at / AY_DRAWN_QUICK, k = d->at % AY_DRAWN_QUICK;
	struct ay_dice order = { .key = d->dice.key, .n = (uint64_t)1 << 32 };
	const int64_t first = 1 + ay_dice_below(&order, AY_DRAWN_WINDOW);
	/* an odd multiplier permutes the window */
	const int64_t step = 1 + 2 * ay_dice_below(&order, AY_DRAWN_WINDOW / 2),
		      from = ay_dice_below(&order, AY_DRAWN_WINDOW);
	struct ay_aim aim = { .rank = aims[k].rank,
			      .layout = aims[k].layout,
			      .large = k == LARGE && !(d->how->full && round),
			      .first = first + round % WINDOWS * AY_DRAWN_WINDOW,
			      .at = k * step + from };

	if (d->how->full) { /* beyond all that is listed */
		aim.above = d->listed < LARGEST_FULL ? d->listed : LARGEST_FULL - 1;
		aim.most = LARGEST_FULL;
	} else { /* twice the largest of the quick ones */
		aim.above = 2 * d->listed < LARGEST_QUICK ? 2 * d->listed : LARGEST_QUICK - 1;
		aim.most = 3 * d->listed < LARGEST_QUICK ? 3 * d->listed : LARGEST_QUICK;
	}
	return aim;
}

/* For ay_grid_pick. */
static int pick(void *user, int n)
{
	struct ay_drawn_case *c = user;

	return (int)ay_dice_below(c->dice, n);
}

/* A row of the operator's file, parsed. */
struct vary_row {
	const char *slots;
	struct ay_template *line;
	struct ay_grid *grid;
};

static int draw_line(struct drawer *d, const struct vary_row *row, const struct ay_aim *aim, struct ay_case **line,
		     struct ay_err *err)
{
	struct ay_drawn_case c = { .dice = &d->dice, .aim = aim };
	struct ay_scope s = { .find = ay_drawn_find, .user = &c };

	if (ay_grid_pick(d->a, row->grid, pick, &s, err) || ay_template_expand(d->a, row->line, &s, line, err))
		return -1;
	if (!(*line)->base) {
		const struct ay_schema *first = d->from->schema[0];

		(*line)->ns = first->ns;
		(*line)->base = first->base;
		(*line)->overload = first->overload;
	}
	return 0;
}

/* Returns true if the call is small enough to be judged many times, and gives something. */
static bool is_affordable(const struct drawer *d, const struct ay_call *c)
{
	const double most = d->how->full ? WORK_FULL : WORK_QUICK;
	struct ay_cost cost = { 0 };
	double in = 1, out = 0;

	for (int i = 0; i < c->noperand; i++)
		*(c->operand[i]->role == AY_IN ? &in : &out) += (double)ay_numel_of(&c->operand[i]->view);
	if (c->op->cost)
		c->op->cost(c, &cost);
	return cost.flops <= most && in + out <= most && out <= in * OUT_ELEMENTS_FACTOR + LARGEST_QUICK;
}

static bool bind(struct drawer *d, const struct ay_entry_op *e, const struct ay_schema *s,
		 const struct ay_case *line, struct ay_call **c, struct ay_err *err)
{
	return !ay_call_bind(d->a, e->op[0], s, line, c, err);
}

/* Draws one attempt at a case, from a row of its functional form if it is a twin. Returns NULL, with the
 * reason in *err, if the operator does not accept what was drawn. *bound is the case's call. */
static struct ay_case *attempt(struct drawer *d, const struct vary_row *row, const struct ay_aim *aim,
			       const struct ay_schema *functional, const struct ay_twin *twin,
			       struct ay_call **bound, struct ay_err *err)
{
	const struct ay_schema *s;
	struct ay_case *line;

	if (draw_line(d, row, aim, &line, err) || !ay_registry_find_case(d->r, line, &s, err) || s != functional)
		return NULL;
	if (d->how->dtypes && ay_case_dtype(line) != AY_DT_NONE && !(d->how->dtypes >> ay_case_dtype(line) & 1))
		return NULL;
	if (!bind(d, d->from, s, line, bound, err) || !is_affordable(d, *bound))
		return NULL;
	ay_drawn_lay_out(&d->dice, aim, *bound);
	ay_drawn_mix_fills(d->a, &d->dice, *bound);
	if (!bind(d, d->from, s, line, bound, err))
		return NULL;
	if (!twin)
		return line;
	line = ay_twin_line(d->a, twin, line, *bound);
	return line && bind(d, d->e, twin->form, line, bound, err) ? line : NULL;
}

/* Returns how much a call adds to what the cases before it have: properties that they lack, of which a
 * residue counts least because a call has many. */
static int gain_of(const struct drawer *d, const struct ay_call *c)
{
	struct ay_properties p = { 0 };
	int gain = 0;

	ay_properties_add(&p, c, d->listed);
	ay_properties_sort(&p);
	for (int i = 0; i < p.n; i++)
		if (!ay_properties_have(&d->met, p.v[i]))
			gain += ay_property_class(p.v[i]) == AY_CALL_CLASS_RESIDUE ? 1 : RARE_GAIN;
	ay_properties_release(&p);
	return gain;
}

/* Draws candidates for one case and returns the one that adds most; NULL if no attempt was accepted, with
 * the reason in *err. */
static struct ay_case *best_of(struct drawer *d, const struct vary_row *row, struct ay_aim aim,
			       const struct ay_schema *functional, const struct ay_twin *twin, struct ay_err *err)
{
	struct ay_case *best = NULL;
	struct ay_call *call = NULL;
	int most = -1;

	for (int i = 0, n = 0; n < CANDIDATES && (i < ATTEMPTS || (!n && i < 2 * ATTEMPTS)); i++) {
		struct ay_case *line;
		struct ay_call *c;

		if (i == ATTEMPTS)
			aim.large = false, aim.layout = AY_LAYOUT_DENSE;
		ay_err_clear(err);
		line = attempt(d, row, &aim, functional, twin, &c, err);
		if (!line)
			continue;
		n++;
		if (gain_of(d, c) > most) {
			most = gain_of(d, c);
			best = line;
			call = c;
		}
	}
	if (call) {
		ay_properties_add(&d->met, call, d->listed);
		ay_properties_sort(&d->met);
	}
	return best;
}

static bool is_row_of(struct drawer *d, const struct ay_vary *row, const struct ay_schema *s)
{
	const char *open = strchr(row->line, '(');
	struct ay_str name = { 0 };
	bool same;

	ay_schema_name(&name, s);
	same = open == row->line ? s == d->from->schema[0]
				 : strlen(ay_str_text(&name)) == (size_t)(open - row->line) &&
					   !strncmp(row->line, ay_str_text(&name), (size_t)(open - row->line));
	ay_str_release(&name);
	return same;
}

/* Returns true if the file says what may vary in calls of the schema. */
static bool has_rows(struct drawer *d, const struct ay_schema *s)
{
	for (int i = 0; i < AY_MAX_VARY && d->from->op[0]->vary[i].line; i++)
		if (is_row_of(d, &d->from->op[0]->vary[i], s))
			return true;
	return false;
}

/* Parses the rows of a schema. Returns their number, or -1. */
static int parse_rows(struct drawer *d, const struct ay_schema *s, struct vary_row rows[AY_MAX_VARY])
{
	int n = 0;

	for (int i = 0; i < AY_MAX_VARY && d->from->op[0]->vary[i].line; i++) {
		const struct ay_vary *v = &d->from->op[0]->vary[i];

		if (!is_row_of(d, v, s))
			continue;
		rows[n].slots = v->slots ? v->slots : "";
		if (ay_template_parse(d->a, v->line, &rows[n].line, d->err) ||
		    ay_grid_parse(d->a, v->slots, &rows[n].grid, d->err)) {
			ay_err_prefix(d->err, "%s, .vary row %d", d->from->path, i + 1);
			return -1;
		}
		n++;
	}
	return n;
}

/* Draws the cases of one overload. */
static int draw_overload(struct drawer *d, const struct ay_schema *s, const struct ay_schema *functional,
			 bool twin)
{
	struct vary_row rows[AY_MAX_VARY];
	const int n = parse_rows(d, functional, rows);
	struct ay_twin form = { .form = s };

	for (d->at = 0; n > 0 && d->at < d->how->n; d->at++) {
		const struct vary_row *row = &rows[d->at % n];
		struct ay_err err = { 0 };
		struct ay_case *line = best_of(d, row, aim_of(d), functional, twin ? &form : NULL, &err);

		if (!line && (twin || d->how->dtypes)) /* not every call has a form in place, or that dtype */
			continue;
		if (!line)
			return ay_fail(d->err, AY_ERR_BIND, "%s: nothing drawn from '%s' is a call: %s",
				       d->from->name, row->slots, err.msg);
		form.made++;
		ay_suite_push(d->suite, &(struct ay_suite_case){ .op = d->e,
								 .schema = s,
								 .line = line,
								 .tier = AY_QUICK,
								 .derived = twin && d->from == d->e,
								 .drawn = true });
	}
	return n < 0 ? -1 : 0;
}

/* Stores the elements of the largest tensor of the operator's listed cases, up to a tier; results count. */
static int find_largest(struct drawer *d, enum ay_tier most)
{
	struct ay_suite listed = { 0 };
	struct ay_arena one = { 0 };
	int rc = ay_suite_add_op(&listed, d->a, d->r, d->e, most, d->err);

	for (int i = 0; i < listed.n && !rc; i++) {
		struct ay_call *c;

		ay_arena_clear(&one);
		rc = ay_call_bind(&one, d->e->op[0], listed.c[i].schema, listed.c[i].line, &c, d->err);
		for (int k = 0; !rc && k < c->noperand; k++) {
			const int64_t n = ay_numel_of(&c->operand[k]->view);

			d->listed = n > d->listed ? n : d->listed;
		}
	}
	ay_arena_release(&one);
	ay_suite_release(&listed);
	return rc;
}

int ay_suite_add_drawn(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r,
		       const struct ay_entry_op *e, const struct ay_drawing *how, struct ay_err *err)
{
	struct drawer d = { .suite = s, .a = a, .r = r, .e = e, .how = how, .err = err };
	struct ay_str label = { 0 };
	int rc = how->n ? find_largest(&d, how->full ? AY_PERF : AY_QUICK) : 0;

	for (int k = 0; k < e->nschema && how->n && !rc; k++) {
		const struct ay_schema *functional;

		if (how->wants && !how->wants(how->user, e->schema[k]))
			continue;
		ay_str_clear(&label);
		ay_str_add(&label, "assay drawn ");
		ay_schema_name(&label, e->schema[k]);
		d.dice = (struct ay_dice){ .key = ay_key_from_seed(ay_str_text(&label), how->seed) };
		d.from = e;
		if (has_rows(&d, e->schema[k])) {
			rc = draw_overload(&d, e->schema[k], e->schema[k], false);
			continue;
		}
		functional = ay_registry_functional(r, e->schema[k], &d.from);
		if (functional)
			rc = draw_overload(&d, e->schema[k], functional, true);
	}
	ay_properties_release(&d.met);
	ay_str_release(&label);
	return rc;
}
