/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/verify.h"

#include "base/process.h"
#include "op/fill.h"
#include "oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	SAMPLED_SETS = 3,  /* sets per batch of which some rows are compared */
	SAMPLED = 2048,    /* elements of these rows; at least one row */
	TRIES = 8,         /* attempts to find a stress set */
	BROUGHT = 4 << 20, /* bytes to fetch for the compared rows; a single row may need more */
	RARELY = 12,       /* a very slow comparison is done for one batch in this many */
	RARELY_DRAWN = 8,  /* as RARELY, for random operators */
	SELDOM = 64,       /* as RARELY, for whole comparisons if rows are compared too */
	/* elements of a random operator's results whose distribution is tested */
	DRAWN = 1 << 20,
	RESULTS = 64,       /* sets that are compared so in one measurement, about */
	TOGETHER = 1 << 17, /* elements whose deviations are compared, */
	SEARCHED = 1 << 22, /* and among which equal draws are searched */
};
/* fraction of the batches' time for whole comparisons, and as much again for rows */
static const double share = 0.3;
static const double wall_share = 0.1; /* fraction of all time, for both together */

static void *data_at(const struct ay_operand *o, uint8_t *storage)
{
	return storage + o->view.offset * ay_dt_info(o->view.dt)->bytes;
}

/* Points the call's operands at a set. Makes the old content of updated arguments again, at least
 * the bytes that `need` names; NULL: all. */
static void show(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int set,
		 const struct ay_byte_range *need)
{
	uint64_t at = 0, room = 0;

	for (int i = 0; i < v->call->noperand; i++)
		if (v->call->operand[i]->role == AY_INOUT)
			room += (ay_operand_bytes(v->call->operand[i]) + 127) / 64 * 64;
	if (room > v->old_bytes) {
		v->old = ay_xrealloc(v->old, room);
		v->old_bytes = room;
	}
	for (int i = 0; i < v->call->noperand; i++) {
		struct ay_operand *o = v->call->operand[i];

		o->view.data = data_at(o, ay_input_sets_at(s, set, i));
		if (o->role != AY_INOUT)
			continue;
		if (need)
			ay_input_template_write_part(s->m, i, key, set, need[i], v->old + at);
		else
			ay_input_template_write(s->m, i, key, set, v->old + at);
		o->old.data = data_at(o, v->old + at);
		at += (ay_operand_bytes(o) + 127) / 64 * 64;
	}
}

static bool is_poison(const struct ay_operand *o, int64_t index, uint8_t poison)
{
	const int64_t item = ay_dt_info(o->view.dt)->bytes;
	const uint8_t *at = (uint8_t *)o->view.data + ay_view_at(&o->view, index) * item;

	for (int64_t i = 0; i < item; i++)
		if (at[i] != poison)
			return false;
	return o->role != AY_INOUT;
}

/* Compares rows [lo, hi) of the shown set; hi 0: all rows. */
static enum ay_verified compare(struct ay_verify *v, int64_t lo, int64_t hi, uint8_t poison, char text[200])
{
	struct ay_arena a = { 0 };
	struct ay_diff *d = AY_NEW_N(&a, struct ay_diff, v->call->nout + 1);
	struct ay_compare q = { .op = v->op, .call = v->call, .threads = v->threads, .row_lo = lo, .row_hi = hi };
	const struct ay_expected *given = v->call->given;
	const bool known = !v->answer || v->answer(v->answerer, v->call, &a);
	enum ay_verified found = AY_VERIFIED;
	struct ay_str said = { 0 };

	if (known)
		ay_oracle_compare(&q, d);
	for (int k = 0; k < v->call->nout && known && found == AY_VERIFIED; k++) {
		const struct ay_operand *o = v->call->out[k];

		if (!d[k].bad)
			continue;
		found = is_poison(o, d[k].first, poison) ? AY_UNFINISHED : AY_WRONG;
		ay_str_addf(&said, "%s[%lld]: ", o->name, (long long)d[k].first);
		ay_str_add_mismatch(&said, d[k].want, d[k].got, (double)d[k].bound);
		snprintf(text, 200, "%s", ay_str_text(&said));
	}
	ay_str_release(&said);
	v->call->given = given; /* the answer for this set is freed with the arena */
	ay_arena_release(&a);
	return found;
}

static void narrow(struct ay_view *v, const struct ay_verify_part *p)
{
	const int d = v->ndim - p->behind;

	if (d < 0 || v->shape[d] != p->of)
		return;
	v->data = (uint8_t *)v->data + p->lo * v->stride[d] * ay_dt_info(v->dt)->bytes;
	v->shape[d] = p->n;
}

/* Chooses a random part of about `most` elements along the longest dimension. */
static struct ay_verify_part choose_part(const struct ay_view *v, int64_t most)
{
	struct ay_verify_part p = { .of = 1 };
	int64_t each;

	for (int d = 0; d < v->ndim; d++)
		if (v->shape[d] > p.of)
			p = (struct ay_verify_part){ .behind = v->ndim - d, .of = v->shape[d] };
	each = ay_numel_of(v) / p.of;
	p.n = each < most ? most / each : 1;
	p.n = p.n < p.of ? p.n : p.of;
	p.lo = (int64_t)ay_secret_below((uint64_t)(p.of - p.n + 1));
	return p;
}

/* Narrows all operands to a part. Returns the operands as they were. */
static struct ay_operand *narrow_all(struct ay_verify *v, const struct ay_verify_part *p, struct ay_arena *a)
{
	struct ay_operand *whole = AY_NEW_N(a, struct ay_operand, v->call->noperand);

	for (int i = 0; i < v->call->noperand; i++) {
		whole[i] = *v->call->operand[i];
		narrow(&v->call->operand[i]->view, p);
		narrow(&v->call->operand[i]->old, p);
	}
	return whole;
}

static void widen_all(struct ay_verify *v, const struct ay_operand *whole)
{
	for (int i = 0; i < v->call->noperand; i++)
		*v->call->operand[i] = whole[i];
}

/* Runs the operator's own check. draws: NULL, or receives the deviations of a random operator's
 * draws. */
static enum ay_verified check_shown(struct ay_verify *v, const struct ay_op *op, uint8_t poison,
				    struct ay_draws *draws, char text[200])
{
	struct ay_arena a = { 0 };
	const struct ay_view **got = AY_NEW_N(&a, const struct ay_view *, v->call->nout + 1);
	struct ay_finding f = { .index = -1, .draws = draws };

	for (int k = 0; k < v->call->nout; k++)
		got[k] = &v->call->out[k]->view;
	op->check(v->call, got, &f);
	ay_arena_release(&a);
	if (!f.text[0])
		return AY_VERIFIED;
	snprintf(text, 200, "%.199s", f.text);
	return f.index >= 0 && is_poison(v->call->out[f.out], f.index, poison) ? AY_UNFINISHED : AY_WRONG;
}

/* Runs the operator's own check on a part of the result. A random operator draws every element
 * independently, so a part is a valid result too. Testing millions of draws takes seconds, which
 * come from the kernel's time. */
static enum ay_verified check_part(struct ay_verify *v, const struct ay_op *op, uint8_t poison, char text[200])
{
	const struct ay_verify_part p = choose_part(&v->call->out[0]->view, DRAWN);
	struct ay_arena a = { 0 };
	const struct ay_operand *whole = narrow_all(v, &p, &a);
	const enum ay_verified found = check_shown(v, op, poison, NULL, text);

	widen_all(v, whole);
	ay_arena_release(&a);
	return found;
}

static enum ay_verified run_check(struct ay_verify *v, uint8_t poison, char text[200])
{
	const struct ay_op *op = v->op->op[ay_call_num_type(v->call)];

	if (!op->check)
		return AY_VERIFIED;
	if (op->flags & AY_RANDOM && v->call->nout && ay_numel_of(&v->call->out[0]->view) > DRAWN)
		return check_part(v, op, poison, text);
	return check_shown(v, op, poison, NULL, text);
}

static bool fetch(const struct ay_verify *v, int set, const struct ay_byte_range *need)
{
	return !v->fetch || v->fetch(v->user, set, need);
}

enum ay_verified ay_verify_set(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int set,
			       uint8_t poison, char text[200])
{
	enum ay_verified found;

	v->set = set;
	/* no minute of the oracle's time for trusted code */
	if (v->right && (v->right(v->user, set) || v->trusted))
		return AY_VERIFIED;
	if (!fetch(v, set, NULL))
		return AY_UNFETCHED;
	show(v, s, key, set, NULL);
	found = compare(v, 0, 0, poison, text);
	return found == AY_VERIFIED ? run_check(v, poison, text) : found;
}

/* --- random operators ------------------------------------------------------------------------------------ */

/* Compares the shown set with earlier ones: searches its draws for theirs. */
static enum ay_verified search_draws(struct ay_verify *v, const struct ay_op *op, char text[200])
{
	const struct ay_verify_part p = choose_part(&v->call->out[0]->view, SEARCHED);
	struct ay_arena a = { 0 };
	const struct ay_operand *whole = narrow_all(v, &p, &a);
	enum ay_repeated found;

	found = ay_repeats_look(v->repeats, op, v->call, text);
	widen_all(v, whole);
	ay_arena_release(&a);
	return found == AY_REPEATED_NOT ? AY_VERIFIED : found == AY_REPEATED_WITHIN ? AY_WRONG : AY_REPEATED;
}

static void set_deviations(struct ay_draws *d, int64_t n)
{
	d->n = n;
	d->row = 0; /* set by the check */
	d->d = ay_xrealloc(d->d, sizeof *d->d * (size_t)(n + 1));
	d->v = ay_xrealloc(d->v, sizeof *d->v * (size_t)(n + 1));
}

static void release_deviations(struct ay_draws *d)
{
	ay_xfree(d->d);
	ay_xfree(d->v);
	*d = (struct ay_draws){ 0 };
}

/* Tests a part of the shown set, and whether it depends on the same part of the set that was compared
 * before. */
static enum ay_verified relate_draws(struct ay_verify *v, const struct ay_op *op, uint8_t poison, char text[200])
{
	struct ay_arena a = { 0 };
	const struct ay_operand *whole = narrow_all(v, &v->part, &a);
	struct ay_finding f = { .index = -1 };
	struct ay_draws now = { 0 };
	enum ay_verified found;

	set_deviations(&now, ay_numel_of(&v->call->out[0]->view));
	found = check_shown(v, op, poison, &now, text);
	if (found == AY_VERIFIED && now.row && v->was.row && !ay_draws_apart(&v->was, &now, &f)) {
		snprintf(text, 200, "%.199s", f.text);
		found = AY_REPEATED;
	}
	release_deviations(&v->was);
	v->was = now;
	widen_all(v, whole);
	ay_arena_release(&a);
	return found;
}

/* Chooses the first of `most` sets to compare: in half of the batches the same one as before, since
 * draws may be kept by address, else any. */
static int choose_first(struct ay_verify *v, int from, int n, int most)
{
	const int last = from + n - most;

	if (v->home >= from && v->home <= last && ay_secret_below(2))
		return v->home;
	return from + (int)ay_secret_below((uint64_t)(last - from) + 1);
}

/* Compares sets of a random operator that lie one behind the other. */
static enum ay_verified compare_draws(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key,
				      int from, int n, uint8_t poison, char text[200])
{
	const struct ay_op *op = v->op->op[ay_call_num_type(v->call)];
	const int most = n < AY_VERIFY_TOGETHER ? n : AY_VERIFY_TOGETHER, first = choose_first(v, from, n, most);
	enum ay_verified found = AY_VERIFIED;

	if (!(op->flags & AY_RANDOM) || !op->check || !v->call->nout || v->keeps_no_draws)
		return AY_VERIFIED;
	if (!v->repeats) {
		v->repeats = ay_repeats_new(RESULTS);
		v->part = choose_part(&v->call->out[0]->view, TOGETHER);
		v->home = first;
	}
	for (int i = first; i < first + most && found == AY_VERIFIED; i++) {
		v->set = i;
		if (!fetch(v, i, NULL))
			return AY_UNFETCHED;
		show(v, s, key, i, NULL);
		found = relate_draws(v, op, poison, text);
		if (found == AY_VERIFIED)
			found = search_draws(v, op, text);
	}
	return found;
}

/* --- rows ------------------------------------------------------------------------------------------------ */

static double bytes_of(const struct ay_verify *v, const struct ay_byte_range *need)
{
	double sum = 0;

	for (int i = 0; i < v->call->noperand; i++) {
		const uint64_t bytes = ay_operand_bytes(v->call->operand[i]),
			       hi = need[i].hi < bytes ? need[i].hi : bytes;

		sum += need[i].lo < hi ? (double)(hi - need[i].lo) : 0;
	}
	return sum;
}

static enum ay_verified verify_rows(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int set,
				    uint8_t poison, char text[200])
{
	const int64_t rows = ay_oracle_rows(v->op, v->call);
	enum ay_verified found = AY_UNFETCHED;
	struct ay_arena a = { 0 };
	struct ay_byte_range *need;
	int64_t len, n, lo;
	bool known;

	v->set = set;
	if (!rows || !v->call->nout)
		return AY_VERIFIED;
	len = ay_numel_of(&v->call->out[0]->view) / rows;
	n = SAMPLED / (len ? len : 1);
	n = n < 1 ? 1 : n < rows ? n : rows;
	lo = (int64_t)ay_secret_below((uint64_t)(rows - n + 1));
	need = AY_NEW_N(&a, struct ay_byte_range, v->call->noperand + 1);
	while ((known = ay_oracle_read_set(v->op, v->call, lo, lo + n, need)) && v->of_wall && n > 1 &&
	       bytes_of(v, need) > BROUGHT)
		n /= 2;
	if (!known)
		need = NULL;
	if (fetch(v, set, need)) {
		show(v, s, key, set, need);
		found = compare(v, lo, lo + n, poison, text);
	}
	ay_arena_release(&a);
	return found;
}

/* Returns a random set, preferably a stress set. Few sets are stress sets, and careless kernels
 * fail there. */
static int choose(const struct ay_input_sets *s, struct ay_key key, int from, int n)
{
	int set = from + (int)ay_secret_below((uint64_t)n);

	for (int i = 0; i < TRIES && !ay_input_template_is_stress(s->m, key, set); i++)
		set = from + (int)ay_secret_below((uint64_t)n);
	return set;
}

/* Returns the average time for whole comparisons after this batch. As much again is for rows, if
 * the results have rows. */
static double allowance(const struct ay_verify *v, bool has_rows, double batch_ns, int64_t now)
{
	const double gone = v->ended ? (double)(now - v->ended) : batch_ns;

	return v->of_wall ? gone * wall_share / (has_rows ? 2 : 1) : batch_ns * share;
}

/* Returns true if a comparison is due, by chance: as often as its time allows, but for one batch
 * in `rarely` at least. Without chance a kernel could predict its next check and be right only
 * then. */
static bool is_due(double cost_ns, double may_ns, int rarely)
{
	const double often = fmax(may_ns / (cost_ns + 1), 1.0 / rarely);

	return often >= 1 || (double)ay_secret_below(1 << 20) < often * (1 << 20);
}

/* Returns the expected time of the next comparison, from that of this one. A comparison that was
 * interrupted may have taken a hundred times as long. The cap keeps this from stopping comparisons
 * for long. */
static double expect(double before_ns, double now_ns)
{
	return before_ns > 0 ? fmin(now_ns, 2 * before_ns) : now_ns;
}

/* Compares rows of some sets. Stops after the first set that has used all the time for them. */
static enum ay_verified verify_some(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key,
				    int from, int n, uint8_t poison, double may_ns, char text[200])
{
	const int64_t begin = ay_now_ns();
	enum ay_verified found = AY_VERIFIED;

	for (int i = 0; i < SAMPLED_SETS && found == AY_VERIFIED; i++) {
		found = verify_rows(v, s, key, from + (int)ay_secret_below((uint64_t)n), poison, text);
		if (v->of_wall && (double)(ay_now_ns() - begin) > may_ns)
			break;
	}
	v->rows_ns = expect(v->rows_ns, (double)(ay_now_ns() - begin));
	return found;
}

/* Checks one whole set, preferably a stress set, and if the operator is random, what sets share. */
static enum ay_verified verify_one(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int from,
				   int n, uint8_t poison, char text[200])
{
	const enum ay_verified found = ay_verify_set(v, s, key, choose(s, key, from, n), poison, text);

	return found == AY_VERIFIED ? compare_draws(v, s, key, from, n, poison, text) : found;
}

/* Returns true if rows can be compared. Results with a single row are compared whole or not at
 * all. So are results that another process answers or checks, and those of random operators. */
static bool has_rows(const struct ay_verify *v)
{
	return !v->answer && !(v->op->op[0]->flags & AY_RANDOM) && !v->right && ay_oracle_rows(v->op, v->call) > 1;
}

enum ay_verified ay_verify_once(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int from,
				int n, uint8_t poison, char text[200])
{
	const int64_t begin = ay_now_ns();
	enum ay_verified found;

	if (has_rows(v))
		found = verify_rows(v, s, key, choose(s, key, from, n), poison, text);
	else
		found = verify_one(v, s, key, from, n, poison, text);
	v->ended = ay_now_ns();
	v->spent_ns += (double)(v->ended - begin);
	return found;
}

enum ay_verified ay_verify_batch(struct ay_verify *v, const struct ay_input_sets *s, struct ay_key key, int from,
				 int n, uint8_t poison, double batch_ns, char text[200])
{
	const bool rows = has_rows(v);
	const int rarely = rows ? SELDOM : v->op->op[0]->flags & AY_RANDOM ? RARELY_DRAWN : RARELY;
	const int64_t begin = ay_now_ns();
	const double may_ns = allowance(v, rows, batch_ns, begin);
	enum ay_verified found = AY_VERIFIED;

	if ((!v->trusted || !(rows || v->answer)) && is_due(v->whole_ns, may_ns, rarely)) {
		found = verify_one(v, s, key, from, n, poison, text);
		v->whole_ns = expect(v->whole_ns, (double)(ay_now_ns() - begin));
	}
	if (found == AY_VERIFIED && rows && is_due(v->rows_ns, may_ns, RARELY))
		found = verify_some(v, s, key, from, n, poison, may_ns, text);
	v->ended = ay_now_ns();
	v->spent_ns += (double)(v->ended - begin);
	return found;
}

void ay_verify_release(struct ay_verify *v)
{
	ay_repeats_free(v->repeats);
	v->repeats = NULL;
	release_deviations(&v->was);
	ay_xfree(v->old);
	v->old = NULL;
	v->old_bytes = 0;
}
