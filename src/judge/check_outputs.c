/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/case_run.h"
#include "op/fill.h"
#include "oracle/oracle.h"
#include "timing/matmul_gpu.h"

#include <math.h>
#include <string.h>

enum { WEAK_MIN = 32 /* results with fewer elements are edge cases, not weak ones */ };

/* --- what was written where ------------------------------------------------------------------------------ */

static bool all_bytes(const uint8_t *p, uint64_t n, uint8_t value)
{
	return !n || (p[0] == value && !memcmp(p, p + 1, n - 1));
}

/* Returns true if everything between the elements is unchanged: poison, or the old content of an
 * updated argument. It restores the elements in a scratch copy, which must then equal the content
 * before the call. */
static bool gaps_intact(const struct ay_operand *o, const uint8_t *storage, uint8_t poison)
{
	size_t item = (size_t)ay_dt_info(o->view.dt)->bytes, bytes = ay_operand_bytes(o);
	const uint8_t *old = o->role == AY_INOUT ? (uint8_t *)o->old.data - (size_t)o->view.offset * item : NULL;
	uint8_t *scratch;
	bool ok;

	if (ay_view_is_dense(&o->view) && !o->view.offset)
		return true;
	scratch = ay_xrealloc(NULL, bytes);
	memcpy(scratch, storage, bytes);
	for (int64_t i = 0, n = ay_numel_of(&o->view); i < n; i++) {
		size_t at = (size_t)(o->view.offset + ay_view_at(&o->view, i)) * item;

		if (old)
			memcpy(scratch + at, old + at, item);
		else
			memset(scratch + at, poison, item);
	}
	ok = old ? !memcmp(scratch, old, bytes) : all_bytes(scratch, bytes, poison);
	ay_xfree(scratch);
	return ok;
}

/* Returns where the kernel wrote outside the elements; NULL: nowhere. A returned tensor is not
 * checked, because the judge's own code copied its elements. */
static const char *disturbed(struct case_run *t, int at)
{
	const struct ay_operand *o = t->call->operand[at % t->call->noperand];
	const struct ay_slot *s = &t->j->pool.slot[t->slot[at]];
	uint64_t size = s->bytes, bytes = ay_operand_bytes(o), off = t->offset[at];
	uint8_t poison = t->poison[at / t->call->noperand], *mem = t->copy[at];

	if (s->returned)
		return NULL;
	if (!all_bytes(mem + off + bytes, size - off - bytes, poison))
		return "behind the end of";
	if (!all_bytes(mem, off, poison))
		return "before the start of";
	return gaps_intact(o, mem + off, poison) ? NULL : "between the elements of";
}

static void check_surroundings(struct case_run *t)
{
	int n = t->call->noperand;

	for (int at = 0; at < t->nset * n; at++) {
		const struct ay_operand *o = t->call->operand[at % n];
		const char *where = o->role == AY_IN ? NULL : disturbed(t, at);

		if (!where)
			continue;
		ay_case_run_say(t, AY_VERDICT_OVERRUN, ay_sprintf(t->a, "wrote %s '%s'", where, o->name));
		return;
	}
}

/* Returns the address of element i of output k in set s after the call. */
static const uint8_t *elem_of(const struct case_run *t, int k, int s, int64_t i)
{
	const struct ay_operand *o = t->call->out[k];
	int at = s * t->call->noperand + o->ordinal;

	return (uint8_t *)ay_layout_data(o, t->copy[at] + t->offset[at]) +
	       ay_view_at(&o->view, i) * ay_dt_info(o->view.dt)->bytes;
}

/* Returns true if the element holds its poison in both sets, so it was never written. */
static bool is_unwritten(void *user, int k, int64_t i)
{
	struct case_run *t = user;
	uint64_t item = (uint64_t)ay_dt_info(t->call->out[k]->view.dt)->bytes;

	return t->call->out[k]->role != AY_INOUT && all_bytes(elem_of(t, k, 0, i), item, t->poison[0]) &&
	       all_bytes(elem_of(t, k, 1, i), item, t->poison[1]);
}

struct spread {
	int64_t unwritten, first_unwritten, differs;
	int out;
};

/* Returns true if the elements fill all the memory from the first to the last, in any order. */
static bool has_no_gaps(const struct ay_view *v)
{
	return ay_view_extent(v) - v->offset == ay_numel_of(v) && !ay_view_overlaps(v);
}

/* Compares the bits of two sets, element by element. Tensors without gaps are first compared as a
 * whole. */
static void compare_sets(struct case_run *t, int s0, int s1, struct spread *p)
{
	*p = (struct spread){ .first_unwritten = -1 };
	for (int k = 0; k < t->call->nout; k++) {
		const struct ay_view *v = &t->call->out[k]->view;
		uint64_t item = (uint64_t)ay_dt_info(v->dt)->bytes;
		int64_t n = ay_numel_of(v);

		if (n && has_no_gaps(v) && !memcmp(elem_of(t, k, s0, 0), elem_of(t, k, s1, 0), (size_t)n * item))
			continue;
		for (int64_t i = 0; i < n; i++) {
			if (!memcmp(elem_of(t, k, s0, i), elem_of(t, k, s1, i), item))
				continue;
			if (!is_unwritten(t, k, i)) {
				p->differs++;
				continue;
			}
			if (!p->unwritten++) {
				p->first_unwritten = i;
				p->out = k;
			}
		}
	}
}

/* --- words ----------------------------------------------------------------------------------------------- */

static const char *index_text(struct case_run *t, const struct ay_view *v, int64_t flat)
{
	struct ay_str b = { 0 };
	int64_t idx[AY_MAX_DIM];
	char *s;

	for (int d = v->ndim - 1; d >= 0; d--) {
		idx[d] = flat % v->shape[d];
		flat /= v->shape[d];
	}
	ay_str_addc(&b, '[');
	for (int d = 0; d < v->ndim; d++)
		ay_str_addf(&b, "%s%lld", d ? ", " : "", (long long)idx[d]);
	ay_str_addc(&b, ']');
	s = ay_strdup(t->a, ay_str_text(&b));
	ay_str_release(&b);
	return s;
}

static void say_mismatch(struct case_run *t, int k, const struct ay_diff *d)
{
	struct ay_report *r = t->rep;
	const struct ay_operand *o = t->call->out[k];

	if (r->out) /* the report describes the first wrong output */
		return;
	r->out = o->name;
	r->bad = d->bad;
	r->total = d->n;
	r->at = index_text(t, &o->view, d->first);
	r->want = d->want;
	r->got = d->got;
	r->bound = (double)d->bound;
	r->hint = ay_case_run_hint(t, k, d);
}

/* --- judging what it did --------------------------------------------------------------------------------- */

/* Returns true for operators such as empty_strided: any content is right. */
static bool promises_no_content(const struct case_run *t)
{
	return t->op->op[0]->flags & AY_META;
}

static bool all_bools(const uint8_t *p, int64_t n)
{
	uint64_t eight, all = 0;
	int64_t i = 0;

	for (; i + 8 <= n; i += 8) {
		memcpy(&eight, p + i, sizeof eight);
		all |= eight;
	}
	for (; i < n; i++)
		all |= p[i];
	return !(all & ~0x0101010101010101u);
}

static bool bools_are_bools(struct case_run *t, int s)
{
	for (int k = 0; k < t->call->nout; k++) {
		const struct ay_view *v = &t->call->out[k]->view;
		const int64_t n = ay_numel_of(v);

		if (v->dt != AY_DT_B8 || !n || (has_no_gaps(v) && all_bools(elem_of(t, k, s, 0), n)))
			continue;
		for (int64_t i = 0; !promises_no_content(t) && i < n; i++) {
			if (*elem_of(t, k, s, i) <= 1 || is_unwritten(t, k, i))
				continue;
			ay_case_run_say(t, AY_VERDICT_MISMATCH,
					ay_sprintf(t->a, "%s%s holds the byte 0x%02x, which is no bool",
						   t->call->out[k]->name, index_text(t, v, i),
						   *elem_of(t, k, s, i)));
			return false;
		}
	}
	return true;
}

/* Computes the statistics that show how much the case can prove, from right values. */
static void tell_range(const struct ay_view *v, struct ay_diff *d)
{
	const int64_t item = ay_dt_info(v->dt)->bytes;
	double x[256];

	*d = (struct ay_diff){
		.n = ay_numel_of(v), .first = -1, .first_skipped = -1, .least = INFINITY, .most = -INFINITY
	};
	for (int64_t i = 0; i < d->n; i += 256) {
		const int64_t n = d->n - i < 256 ? d->n - i : 256;

		ay_row_load_d(v->dt, (const uint8_t *)v->data + i * item, 1, n, x);
		for (int64_t k = 0; k < n; k++) {
			d->zeros += x[k] == 0 || isnan(x[k]);
			d->least = x[k] < d->least ? x[k] : d->least;
			d->most = x[k] > d->most ? x[k] : d->most;
		}
	}
}

enum word { NO_WORD, RIGHT, DOUBT };

/* For large matrix products: asks the GPU to check the whole shown set. */
static enum word ask_gpu(struct case_run *t, struct ay_diff *d)
{
	struct ay_dev *dev = ay_case_run_device(t);
	struct ay_err ignored = { 0 };
	struct ay_perf_lock lock;
	bool right = false;
	int rc;

	if (dev->info.kind != AY_DEV_CUDA || !ay_product_is_large(t->op, t->call) ||
	    ay_judge_enter(t->j, &lock, &ignored))
		return NO_WORD;
	rc = ay_product_is_right(dev, t->op, t->call, &right, &ignored);
	ay_judge_leave(t->j, &lock);
	if (!rc && right)
		tell_range(&t->call->out[0]->view, &d[0]);
	return rc ? NO_WORD : right ? RIGHT : DOUBT;
}

/* Looks for wrong rows at random places. A wrong result is seldom wrong in one place only, and the
 * CPU can take minutes for a whole large product. */
static bool find_wrong_rows(struct ay_compare q, struct ay_diff *d)
{
	enum { LOOKS = 4, OF = 64 };
	const int64_t rows = ay_oracle_rows(q.op, q.call), n = rows / OF + 1;

	for (int i = 0; i < LOOKS && rows > OF; i++) {
		q.row_lo = (int64_t)ay_secret_below((uint64_t)(rows - n + 1));
		q.row_hi = q.row_lo + n;
		ay_oracle_compare(&q, d);
		for (int k = 0; k < q.call->nout; k++)
			if (d[k].bad)
				return true;
	}
	return false;
}

/* For an answer whose values are not on the host: returns true if the ATen oracle on the GPU finds
 * the set right. */
static bool hold(struct case_run *t, struct ay_diff *d)
{
	struct ay_crosschecked *held = AY_NEW_N(t->a, struct ay_crosschecked, t->call->nout + 1);
	struct ay_err ignored = { 0 };

	/* elements that were not written are not compared */
	if (t->rep->all >> AY_VERDICT_UNWRITTEN & 1 ||
	    ay_aten_oracle_holds(&t->j->aten_oracle, t->op, t->call, t->a, held, &ignored))
		return false;
	for (int k = 0; k < t->call->nout; k++)
		d[k] = (struct ay_diff){ .n = ay_numel_of(&t->call->out[k]->view),
					 .first = -1,
					 .first_skipped = -1,
					 .zeros = held[k].zeros,
					 .least = held[k].least,
					 .most = held[k].most };
	return true;
}

/* Gets the values of a shape_only answer. Returns false if they are not available: then the
 * verdict says so. */
static bool get_values(struct case_run *t, struct ay_diff *d)
{
	struct ay_err err = { 0 };
	const char *why = NULL;
	int rc = ay_aten_oracle_again(&t->j->aten_oracle, t->op, t->call, t->a, &why, &err);

	if (rc > 0 && ay_case_run_free_memory(t, false)) /* the results were copied already */
		rc = ay_aten_oracle_again(&t->j->aten_oracle, t->op, t->call, t->a, &why, &err);
	memset(d, 0, sizeof *d * (size_t)t->call->nout);
	if (rc)
		ay_case_run_say(t, AY_VERDICT_SKIPPED, rc < 0 ? ay_strdup(t->a, err.msg) : why);
	return !rc;
}

/* Compares one set with the oracle and returns one diff per output. Unwritten elements are
 * skipped. */
static struct ay_diff *compare_set(struct case_run *t, int s)
{
	struct ay_diff *d = AY_NEW_N(t->a, struct ay_diff, t->call->nout + 1);
	const struct ay_compare q = { .op = t->op,
				      .call = t->call,
				      .threads = t->j->policy.oracle_threads,
				      .mask = is_unwritten,
				      .mask_user = t };
	enum word gpu;

	ay_layout_show(t, s);
	if (t->call->given && t->call->given->shape_only && (hold(t, d) || !get_values(t, d)))
		return d;
	gpu = ask_gpu(t, d);
	if (gpu == NO_WORD || (gpu == DOUBT && !find_wrong_rows(q, d)))
		ay_oracle_compare(&q, d);
	return d;
}

/* Compares one set with the oracle. Returns the number of wrong outputs. */
static int compare_values(struct case_run *t, int s, bool report, bool *weak)
{
	const struct ay_call *c = t->call;
	const struct ay_diff *d = compare_set(t, s);
	int wrong = 0;

	*weak = false;
	for (int k = 0; k < c->nout; k++) {
		bool tf32 = t->j->policy.allow_tf32 && d[k].bad && d[k].fits_tf32 == d[k].bad;

		*weak |= d[k].n >= WEAK_MIN && (d[k].zeros * 20 >= d[k].n * 19 || d[k].least == d[k].most);
		if (t->rep->total < d[k].n && !t->rep->out)
			t->rep->total = d[k].n;
		if (!d[k].bad || tf32)
			continue;
		wrong++;
		if (report)
			say_mismatch(t, k, &d[k]);
	}
	return wrong;
}

/* Runs the operator's own check. Returns true if it finds nothing wrong. */
static bool run_check(struct case_run *t, int s, bool report)
{
	const struct ay_op *op = t->op->op[ay_call_num_type(t->call)];
	const struct ay_view **got = AY_NEW_N(t->a, const struct ay_view *, t->call->nout + 1);
	struct ay_finding f = { .index = -1, .draws = s ? NULL : &t->draws };

	/* poison would only confuse the check */
	if (!op->check || t->rep->all >> AY_VERDICT_UNWRITTEN & 1)
		return true;
	ay_layout_show(t, s);
	for (int k = 0; k < t->call->nout; k++)
		got[k] = &t->call->out[k]->view;
	op->check(t->call, got, &f);
	if (!f.text[0])
		return true;
	if (report && !t->rep->out) {
		t->rep->out = t->call->out[f.out]->name;
		t->rep->bad = f.bad;
		t->rep->at = f.index >= 0 ? index_text(t, got[f.out], f.index) : NULL;
		t->rep->want = f.want;
		t->rep->got = f.got;
		t->rep->bound = f.bound;
		t->rep->hint = ay_strdup(t->a, f.text);
	}
	return false;
}

static const char *mismatch_text(struct case_run *t)
{
	const struct ay_report *r = t->rep;
	struct ay_str b = { 0 };
	char *s;

	if (r->bad)
		ay_str_addf(&b, "%lld of %lld elements of '%s' are outside the bound", (long long)r->bad,
			    (long long)r->total, r->out);
	else
		ay_str_addf(&b, "'%s' is not a right answer", r->out ? r->out : "out");
	s = ay_strdup(t->a, ay_str_text(&b));
	ay_str_release(&b);
	return s;
}

static bool set_is_right(struct case_run *t, int s, bool report, bool *weak)
{
	bool right = !compare_values(t, s, report, weak);

	return run_check(t, s, report) && right;
}

static void judge_values(struct case_run *t, bool differ)
{
	bool weak, weak1, first = set_is_right(t, 0, true, &weak), second = first;

	if (!bools_are_bools(t, 0))
		return;
	if (differ)
		second = set_is_right(t, 1, first, &weak1);
	if (!first && !second)
		ay_case_run_say(t, AY_VERDICT_MISMATCH, mismatch_text(t));
	else if (first != second)
		ay_case_run_say(t, AY_VERDICT_UNSTABLE,
				"one of two calls on the same inputs was right, the other was not");
	else if (weak && !(t->op->op[0]->flags & (AY_RANDOM | AY_CONSTANT)))
		ay_case_run_say(t, AY_VERDICT_WEAK_CASE,
				"nearly all wanted values are equal: a constant would do");
}

/* Judges a random operator: the same ay_rng must give the same bits, another ay_rng other bits. */
static void judge_random(struct case_run *t, const struct spread *same)
{
	const struct ay_op *op = t->op->op[0];
	struct spread other;

	if (same->differs)
		ay_case_run_say(t, AY_VERDICT_UNSTABLE, "two calls with the same ay_rng gave different results");
	compare_sets(t, 0, 2, &other);
	/* 2^-40: far less likely than any fault of the machine */
	if (!other.differs && ay_draws_log2_same(op, t->call) < -40)
		ay_case_run_say(t, AY_VERDICT_CHEAT, "two calls with different ay_rng gave the same result");
}

/* Finds elements that were never written. Elements that the operator does not promise (padding
 * rows) do not matter, so the oracle counts the others. It counts them in each set, since one
 * poison may by chance be the right answer. If the operator has its own check, all elements must
 * be written. */
static void judge_unwritten(struct case_run *t, const struct spread *p)
{
	bool all = t->op->op[0]->check || !t->op->op[0]->reference;
	int64_t n = all ? p->unwritten : 0, first = p->first_unwritten;
	int out = p->out;

	for (int s = 0; s < SETS && !all; s++) {
		const struct ay_diff *d = compare_set(t, s);

		for (int k = 0; k < t->call->nout; k++) {
			if (d[k].skipped <= n)
				continue;
			n = d[k].skipped;
			first = d[k].first_skipped;
			out = k;
		}
	}
	if (n)
		ay_case_run_say(t, AY_VERDICT_UNWRITTEN,
				ay_sprintf(t->a, "%lld elements of '%s' were never written, the first at %s",
					   (long long)n, t->call->out[out]->name,
					   index_text(t, &t->call->out[out]->view, first)));
}

/* --- results that are not tensors ------------------------------------------------------------------------ */

static struct ay_value value_of(const ay_scalar *s)
{
	struct ay_value v = { .kind = AY_V_NONE };

	switch (s->kind) {
	case AY_SCALAR_BOOL:
		v.kind = AY_V_BOOL;
		v.b = s->v.b;
		break;
	case AY_SCALAR_INT:
		v.kind = AY_V_INT;
		v.i = s->v.i;
		break;
	case AY_SCALAR_FLOAT:
		v.kind = AY_V_FLOAT;
		v.f = s->v.f;
		break;
	case AY_SCALAR_COMPLEX: v.kind = AY_V_COMPLEX; memcpy(v.c, s->v.c, sizeof v.c);
	}
	return v;
}

/* Returns the name of scalar result k, for messages. */
static const char *scalar_name(const struct case_run *t, int k)
{
	const struct ay_schema *s = t->call->s;

	for (int r = 0; r < s->nret; r++)
		if (!ay_stype_is_tensor(&s->ret[r].type) && !k--)
			return s->ret[r].name ? s->ret[r].name : "out";
	return "out";
}

static double real_part(const struct ay_value *v)
{
	switch (v->kind) {
	case AY_V_BOOL: return v->b;
	case AY_V_INT: return (double)v->i;
	case AY_V_FLOAT: return v->f;
	default: return v->c[0];
	}
}

static void say_wrong_scalar(struct case_run *t, int k, const struct ay_value *want, const struct ay_value *got)
{
	const char *name = scalar_name(t, k);
	struct ay_str w = { 0 }, g = { 0 };

	ay_value_print(&w, want);
	ay_value_print(&g, got);
	if (got->kind == AY_V_NONE)
		ay_case_run_say(t, AY_VERDICT_UNWRITTEN,
				ay_sprintf(t->a, "'%s' was never written, or not as a scalar", name));
	else if (got->kind != want->kind)
		ay_case_run_say(t, AY_VERDICT_BAD_RESULT,
				ay_sprintf(t->a, "'%s' is %s where %s is due", name, ay_kind_name(got->kind),
					   ay_kind_name(want->kind)));
	else {
		ay_case_run_say(t, AY_VERDICT_MISMATCH,
				ay_sprintf(t->a, "'%s' is %s, not %s", name, ay_str_text(&g), ay_str_text(&w)));
		t->rep->out = name;
		t->rep->at = ""; /* a number has no index */
		t->rep->bad = 1;
		t->rep->want = real_part(want);
		t->rep->got = real_part(got);
	}
	ay_str_release(&w);
	ay_str_release(&g);
}

/* Judges each scalar result by kind and value, in both sets. */
static void judge_scalars(struct case_run *t)
{
	const struct ay_op *op = t->op->op[0];

	if (t->call->nscalar_out && !op->scalar)
		AY_BUG("%s returns numbers, but nothing says which", t->op->name);
	for (int k = 0; k < t->call->nscalar_out; k++) {
		struct ay_value want = { .kind = AY_V_NONE }, got[SETS];
		bool right[SETS];

		op->scalar(t->call, k, &want);
		for (int s = 0; s < SETS; s++) {
			got[s] = value_of(&ay_exec_scalars(t->j->exec, s)[k]);
			right[s] = ay_same_scalar(&want, &got[s]);
		}
		if (right[0] != right[1])
			ay_case_run_say(t, AY_VERDICT_UNSTABLE,
					"one of two calls on the same inputs was right, the other was not");
		for (int s = 0; s < SETS && !right[0] && !right[1]; s++)
			say_wrong_scalar(t, k, &want, &got[s]);
		t->rep->total++;
	}
}

void ay_check_outputs(struct case_run *t)
{
	struct spread p;

	ay_layout_show(t, 0);
	check_surroundings(t);
	compare_sets(t, 0, 1, &p);
	if (p.unwritten && !promises_no_content(t))
		judge_unwritten(t, &p);
	if (t->op->op[0]->flags & AY_RANDOM) {
		judge_random(t, &p);
		ay_check_draws_begin(t);
	}
	judge_values(t, p.differs > 0);
	judge_scalars(t);
	if (t->op->op[0]->flags & AY_RANDOM && t->rep->verdict == AY_VERDICT_NONE)
		ay_check_draws(t);
	ay_check_draws_end(t);
}
