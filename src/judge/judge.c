/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/judge.h"
#include "base/process.h"
#include "op/fill.h"
#include "oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	SETS = 2,
	SETS_RANDOM = 3,
	SHARE_INPUTS = 1 << 20, /* larger inputs are not copied for every set */
	TIMEOUTS_MAX = 2,	/* after as many in a row the rest is skipped */
	WEAK_MIN = 32,		/* fewer elements than this are an edge, not a weak case */
};

/* All there is to know while one case is judged. */
struct trial {
	struct ay_judge *j;
	struct ay_arena *a;
	struct ay_report *rep;
	const struct ay_entry_op *op;
	struct ay_call *call;
	int nset;
	struct ay_need *need; /* per slot */
	int nneed;
	int *slot; /* per set and operand */
	uint64_t *offset;
	uint64_t copy_bytes; /* of all written slots */
	uint8_t **copy;	     /* per set and operand: the slot's content after the run */
	uint8_t poison[SETS_RANDOM];
	ay_rng rng[SETS_RANDOM];
};

/* --- the executor and its entries --------------------------------------------------------------------------------- */

static bool has_entry(const struct ay_judge *j, const char *symbol)
{
	for (int i = 0; i < j->kernel.entries.n; i++)
		if (!strcmp(j->kernel.entries.name[i], symbol))
			return true;
	return false;
}

bool ay_judge_has(struct ay_judge *j, const struct ay_schema *s, bool *derived)
{
	const struct ay_entry_op *owner;
	const struct ay_schema *f;

	*derived = false;
	if (has_entry(j, ay_proto_symbol(&j->keep, s)))
		return true;
	f = ay_registry_functional(j->registry, s, &owner);
	if (!f || !has_entry(j, ay_proto_symbol(&j->keep, f)))
		return false;
	/* what is not safe in place is run into scratch and copied: that is the functional form again */
	*derived = true;
	return ay_schema_out(s) || owner->op[0]->flags & AY_ALIAS_SAFE;
}

static void say(struct trial *t, enum ay_verdict v, const char *detail)
{
	struct ay_report *r = t->rep;

	r->all |= 1u << v;
	if (r->verdict == AY_VERDICT_NONE || v < r->verdict) {
		r->verdict = v;
		r->detail = detail;
	}
}

static const struct {
	enum ay_verdict verdict;
	const char *what;
} happened[] = {
	[AY_X_RAN] = { AY_VERDICT_PASS, "" },
	[AY_X_REFUSED] = { AY_VERDICT_UNSUPPORTED, "returned" },
	[AY_X_CRASHED] = { AY_VERDICT_CRASH, "crashed" },
	[AY_X_HUNG] = { AY_VERDICT_TIMEOUT, "did not return" },
	[AY_X_LIED] = { AY_VERDICT_CHEAT, "sent what no kernel should" },
	[AY_X_OOM] = { AY_VERDICT_OOM, "ran out of memory" },
};

/* The operand whose memory a slot is, for words. */
static const char *slot_name(const struct trial *t, int slot)
{
	for (int i = 0; i < t->nset * t->call->noperand; i++)
		if (t->slot[i] == slot)
			return t->call->operand[i % t->call->noperand]->name;
	return "?";
}

static const char *describe_crash(struct trial *t, const struct ay_outcome *o, enum ay_verdict *v)
{
	if (o->fault == AY_FAULT_INPUT) {
		*v = AY_VERDICT_INPUT_WRITTEN;
		return ay_sprintf(t->a, "wrote to its input '%s'", slot_name(t, o->slot));
	}
	if (o->fault == AY_FAULT_GUARD) {
		*v = AY_VERDICT_OVERRUN;
		return ay_sprintf(t->a, "touched memory %s '%s'", o->fault_at < 0 ? "before the start of" : "behind the end of",
				  slot_name(t, o->slot));
	}
	if (o->signal)
		return ay_sprintf(t->a, "died of signal %d (%s)", o->signal, strsignal(o->signal));
	return ay_sprintf(t->a, "ended its process with exit status %d", o->exit_code);
}

static void say_outcome(struct trial *t, const struct ay_outcome *o)
{
	enum ay_verdict v = happened[o->what].verdict;
	const char *detail = happened[o->what].what;

	if (o->what == AY_X_CRASHED)
		detail = describe_crash(t, o, &v);
	else if (o->what == AY_X_HUNG)
		detail = ay_sprintf(t->a, "did not return within %g s", t->j->policy.call_timeout_s);
	else if (o->what == AY_X_REFUSED && o->rc == AY_UNSUPPORTED)
		detail = "returned AY_UNSUPPORTED";
	else if (o->what == AY_X_REFUSED)
		detail = ay_sprintf(t->a, "returned %d, which is neither AY_OK nor AY_UNSUPPORTED", o->rc);
	else if (o->text[0])
		detail = ay_strdup(t->a, o->text);
	say(t, v, detail);
}

static int start_exec(struct ay_judge *j, struct ay_arena *names, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_exec_spec spec = { .so_fd = j->kernel.so_fd,
				     .load_timeout_s = j->policy.call_timeout_s,
				     .spin = ay_cpu_count() > j->policy.threads };
	struct ay_exec_entries e;

	if (ay_exec_start(&spec, names, &j->exec, &e, o, err))
		return -1;
	if (o->what == AY_X_RAN && names == &j->keep)
		j->kernel.entries = e;
	return 0;
}

int ay_judge_init(struct ay_judge *j, const struct ay_registry *r, const struct ay_policy *p, int so_fd,
		  struct ay_arena *a, struct ay_report *rep, struct ay_err *err)
{
	struct ay_outcome o = { 0 };

	*j = (struct ay_judge){ .registry = r, .policy = *p };
	*rep = (struct ay_report){ .verdict = AY_VERDICT_NONE };
	j->kernel.so_fd = so_fd;
	if (start_exec(j, &j->keep, &o, err))
		return -1;
	if (o.what == AY_X_RAN)
		return 0;
	rep->verdict = o.what == AY_X_HUNG ? AY_VERDICT_TIMEOUT : o.what == AY_X_CRASHED ? AY_VERDICT_CRASH : AY_VERDICT_LOAD;
	if (o.what == AY_X_CRASHED)
		rep->detail = ay_sprintf(a, "died while it was loaded (signal %d, exit status %d)", o.signal, o.exit_code);
	else
		rep->detail = ay_strdup(a, o.text[0] ? o.text : "could not be loaded");
	rep->all = 1u << rep->verdict;
	return 0;
}

void ay_judge_release(struct ay_judge *j)
{
	if (j->exec)
		ay_exec_stop(j->exec);
	if (j->has_pool)
		ay_pool_release(&j->pool);
	ay_xfree(j->copy);
	ay_arena_release(&j->keep);
	*j = (struct ay_judge){ 0 };
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static uint64_t storage_bytes(const struct ay_operand *o)
{
	return (uint64_t)ay_view_extent(&o->view) * (uint64_t)ay_dt_info(o->view.dt)->bytes;
}

/* One slot per operand and set; large inputs have one for all sets. */
static void plan(struct trial *t)
{
	int n = t->call->noperand;

	t->need = AY_NEW_N(t->a, struct ay_need, t->nset * n + 1);
	t->slot = AY_NEW_N(t->a, int, t->nset * n + 1);
	t->offset = AY_NEW_N(t->a, uint64_t, t->nset * n + 1);
	t->copy = AY_NEW_N(t->a, uint8_t *, t->nset * n + 1);
	for (int s = 0; s < t->nset; s++) {
		for (int i = 0; i < n; i++) {
			const struct ay_operand *o = t->call->operand[i];
			uint64_t bytes = storage_bytes(o);

			if (s && o->role == AY_IN && bytes > SHARE_INPUTS) {
				t->slot[s * n + i] = t->slot[i];
				continue;
			}
			t->slot[s * n + i] = t->nneed;
			t->need[t->nneed++] = (struct ay_need){ bytes, o->role != AY_IN };
		}
	}
}

static int get_pool(struct trial *t, struct ay_err *err)
{
	struct ay_judge *j = t->j;

	if (j->has_pool && ay_pool_fits(&j->pool, t->nneed, t->need))
		return 0;
	if (j->has_pool)
		ay_pool_release(&j->pool);
	j->has_pool = false;
	if (ay_pool_init(&j->pool, t->nneed, t->need, err))
		return -1;
	j->has_pool = true;
	return 0;
}

/* Bytes the judge needs beside the pool: copies of what was written, and of what was there before. */
static uint64_t own_bytes(const struct trial *t)
{
	uint64_t sum = 0;

	for (int i = 0; i < t->nneed; i++)
		if (t->need[i].written)
			sum += (t->need[i].bytes + AY_PAGE) / AY_PAGE * AY_PAGE;
	return sum;
}

static uint8_t *slot_mem(const struct trial *t, int at)
{
	return t->j->pool.slot[t->slot[at]].mem;
}

/* Sets differ in placement: the first against the end or the start, the next the other way round, then anywhere. */
static void place_all(struct trial *t)
{
	int n = t->call->noperand;
	uint64_t flip = ay_secret_u64();

	for (int at = 0; at < t->nset * n; at++) {
		const struct ay_slot *s = &t->j->pool.slot[t->slot[at]];
		int turn = (int)(at / n + (flip >> at % n % 64 & 1)) % 2;
		enum ay_place p = at / n >= SETS ? AY_PLACE_COLOUR : turn ? AY_PLACE_START : AY_PLACE_END;

		if (at >= n && t->slot[at] == t->slot[at % n])
			t->offset[at] = t->offset[at % n];
		else
			t->offset[at] = ay_place(s->bytes, storage_bytes(t->call->operand[at % n]), p);
	}
}

static void *data_at(const struct ay_operand *o, uint8_t *storage)
{
	return storage + o->view.offset * ay_dt_info(o->view.dt)->bytes;
}

/* Content of inputs, once; further sets are copies. What is written gets poison, then its old content. */
static void fill_all(struct trial *t)
{
	int n = t->call->noperand;

	for (int i = 0; i < n; i++) {
		struct ay_operand *o = t->call->operand[i];
		uint64_t bytes = storage_bytes(o);
		uint8_t *first = slot_mem(t, i) + t->offset[i];

		if (o->role == AY_INOUT) {
			uint8_t *old = ay_alloc(t->a, bytes + 1);

			ay_fill_storage(t->call, o, old);
			o->old.data = data_at(o, old);
			first = old;
		} else if (o->role == AY_IN) {
			ay_fill_storage(t->call, o, first);
			o->view.data = data_at(o, first);
		}
		for (int s = 0; s < t->nset; s++) {
			uint8_t *mem = slot_mem(t, s * n + i), *at = mem + t->offset[s * n + i];

			if (o->role != AY_IN)
				memset(mem, t->poison[s], t->j->pool.slot[t->slot[s * n + i]].bytes);
			if (at != first && (o->role == AY_INOUT || o->role == AY_IN))
				memcpy(at, first, bytes);
		}
	}
}

/* Takes every written slot out of the executor's reach. */
static void copy_out(struct trial *t)
{
	int n = t->call->noperand;
	uint64_t need = own_bytes(t);
	uint8_t *to;

	if (need > t->j->copy_bytes) {
		t->j->copy = ay_xrealloc(t->j->copy, need);
		t->j->copy_bytes = need;
	}
	to = t->j->copy;
	for (int at = 0; at < t->nset * n; at++) {
		uint64_t bytes = t->j->pool.slot[t->slot[at]].bytes;

		if (t->call->operand[at % n]->role == AY_IN)
			continue;
		memcpy(to, slot_mem(t, at), bytes);
		t->copy[at] = to;
		to += bytes;
	}
}

/* Lets the call's outputs point at what set s wrote. */
static void show_set(struct trial *t, int s)
{
	int n = t->call->noperand;

	for (int i = 0; i < n; i++) {
		struct ay_operand *o = t->call->operand[i];

		if (o->role != AY_IN)
			o->view.data = data_at(o, t->copy[s * n + i] + t->offset[s * n + i]);
	}
}

/* --- what was written where --------------------------------------------------------------------------------------- */

static bool all_bytes(const uint8_t *p, uint64_t n, uint8_t value)
{
	return !n || (p[0] == value && !memcmp(p, p + 1, n - 1));
}

/* Do all bytes of the slot outside the elements still hold the poison? Elements are painted over in a scratch copy
 * unless they lie dense, where only what is before and behind has to be looked at. */
static bool surroundings_intact(struct trial *t, int at, bool *behind)
{
	const struct ay_operand *o = t->call->operand[at % t->call->noperand];
	uint64_t size = t->j->pool.slot[t->slot[at]].bytes, bytes = storage_bytes(o), off = t->offset[at];
	uint8_t poison = t->poison[at / t->call->noperand], *mem = t->copy[at], *scratch;
	int item = ay_dt_info(o->view.dt)->bytes;
	int64_t n = ay_numel_of(&o->view);

	*behind = !all_bytes(mem + off + bytes, size - off - bytes, poison);
	if (*behind || !all_bytes(mem, off, poison))
		return false;
	if (o->role == AY_INOUT ? ay_view_is_dense(&o->view) && !o->view.offset : ay_view_is_dense(&o->view))
		return all_bytes(mem + off, (uint64_t)(o->view.offset * item), poison) || o->role == AY_INOUT;
	scratch = ay_xrealloc(NULL, bytes ? bytes : 1);
	memcpy(scratch, mem + off, bytes);
	for (int64_t i = 0; i < n; i++) {
		uint8_t *e = scratch + (o->view.offset + ay_view_at(&o->view, i)) * item;
		const uint8_t *old = (const uint8_t *)o->old.data + ay_view_at(&o->view, i) * item;

		if (o->role == AY_INOUT)
			memcpy(e, old, (size_t)item);
		else
			memset(e, poison, (size_t)item);
	}
	bool ok = o->role == AY_INOUT ? !memcmp(scratch, (uint8_t *)o->old.data - o->view.offset * item, bytes)
				      : all_bytes(scratch, bytes, poison);
	ay_xfree(scratch);
	return ok;
}

static void check_surroundings(struct trial *t)
{
	int n = t->call->noperand;

	for (int at = 0; at < t->nset * n; at++) {
		const struct ay_operand *o = t->call->operand[at % n];
		bool behind;

		if (o->role == AY_IN || surroundings_intact(t, at, &behind))
			continue;
		say(t, AY_VERDICT_OVERRUN,
		    ay_sprintf(t->a, "wrote %s '%s'", behind ? "behind the end of" : "outside the elements of", o->name));
		return;
	}
}

/* Element i of output k as set s left it. */
static const uint8_t *elem_of(const struct trial *t, int k, int s, int64_t i)
{
	const struct ay_operand *o = t->call->out[k];
	int at = s * t->call->noperand + o->ordinal;

	return (uint8_t *)data_at(o, t->copy[at] + t->offset[at]) + ay_view_at(&o->view, i) * ay_dt_info(o->view.dt)->bytes;
}

/* Holds its poison in both sets: nobody wrote it. */
static bool is_unwritten(void *user, int k, int64_t i)
{
	struct trial *t = user;
	uint64_t item = (uint64_t)ay_dt_info(t->call->out[k]->view.dt)->bytes;

	return t->call->out[k]->role != AY_INOUT && all_bytes(elem_of(t, k, 0, i), item, t->poison[0]) &&
	       all_bytes(elem_of(t, k, 1, i), item, t->poison[1]);
}

struct spread {
	int64_t unwritten, first_unwritten, differs;
	int out;
};

/* Bits of two sets, element by element; dense ones first by one memcmp. */
static void compare_sets(struct trial *t, int s0, int s1, struct spread *p)
{
	*p = (struct spread){ .first_unwritten = -1 };
	for (int k = 0; k < t->call->nout; k++) {
		const struct ay_view *v = &t->call->out[k]->view;
		uint64_t item = (uint64_t)ay_dt_info(v->dt)->bytes;
		int64_t n = ay_numel_of(v);

		if (n && ay_view_is_dense(v) && !memcmp(elem_of(t, k, s0, 0), elem_of(t, k, s1, 0), (size_t)n * item))
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

/* --- words -------------------------------------------------------------------------------------------------------- */

static const char *index_text(struct trial *t, const struct ay_view *v, int64_t flat)
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

static const char *hint_for(const struct ay_diff *d, enum ay_dt dt)
{
	if (d->fits_tf32 == d->bad && dt != AY_DT_F64 && dt != AY_DT_C128)
		return "the errors fit inputs rounded to TF32 (11 bits)";
	if (d->fits_tf32 + d->fits_half == d->bad)
		return "the errors fit an accumulator in half precision: accumulate in f32";
	if (d->bad * 2 < d->n && d->first * 2 > d->n)
		return "only elements in the second half are wrong: look at the tail of the loop";
	return NULL;
}

static void say_mismatch(struct trial *t, int k, const struct ay_diff *d)
{
	struct ay_report *r = t->rep;
	const struct ay_operand *o = t->call->out[k];

	if (r->out) /* the first output that is wrong speaks for all */
		return;
	r->out = o->name;
	r->bad = d->bad;
	r->total = d->n;
	r->at = index_text(t, &o->view, d->first);
	r->want = (double)d->want;
	r->got = (double)d->got;
	r->bound = (double)d->bound;
	r->hint = hint_for(d, o->view.dt);
}

/* --- judging what it did ------------------------------------------------------------------------------------------ */

static bool bools_are_bools(struct trial *t, int s)
{
	for (int k = 0; k < t->call->nout; k++) {
		const struct ay_view *v = &t->call->out[k]->view;

		for (int64_t i = 0; v->dt == AY_DT_B8 && i < ay_numel_of(v); i++) {
			if (*elem_of(t, k, s, i) <= 1 || is_unwritten(t, k, i))
				continue;
			say(t, AY_VERDICT_MISMATCH, ay_sprintf(t->a, "%s%s holds the byte 0x%02x, which is no bool",
							       t->call->out[k]->name, index_text(t, v, i), *elem_of(t, k, s, i)));
			return false;
		}
	}
	return true;
}

/* Compares one set with the oracle; the number of outputs that are wrong. */
static int compare_values(struct trial *t, int s, bool report, bool *weak)
{
	const struct ay_call *c = t->call;
	struct ay_diff *d = AY_NEW_N(t->a, struct ay_diff, c->nout);
	struct ay_compare q = { .op = t->op, .call = c, .threads = t->j->policy.oracle_threads, .mask = is_unwritten,
				.mask_user = t };
	int wrong = 0;

	show_set(t, s);
	ay_oracle_compare(&q, d);
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

/* The operator's own check; true if it is content. */
static bool run_check(struct trial *t, int s, bool report)
{
	const struct ay_op *op = t->op->op[ay_call_num_type(t->call)];
	const struct ay_view **got = AY_NEW_N(t->a, const struct ay_view *, t->call->nout + 1);
	struct ay_finding f = { .index = -1 };

	if (!op->check)
		return true;
	show_set(t, s);
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

static const char *mismatch_text(struct trial *t)
{
	const struct ay_report *r = t->rep;
	struct ay_str b = { 0 };
	char *s;

	if (r->bad)
		ay_str_addf(&b, "%lld of %lld elements of '%s' are outside the bound", (long long)r->bad, (long long)r->total, r->out);
	else
		ay_str_addf(&b, "'%s' is not a right answer", r->out ? r->out : "out");
	s = ay_strdup(t->a, ay_str_text(&b));
	ay_str_release(&b);
	return s;
}

static bool set_is_right(struct trial *t, int s, bool report, bool *weak)
{
	bool right = !compare_values(t, s, report, weak);

	return run_check(t, s, report) && right;
}

static void judge_values(struct trial *t, bool differ)
{
	bool weak, weak1, first = set_is_right(t, 0, true, &weak), second = first;

	if (!bools_are_bools(t, 0))
		return;
	if (differ)
		second = set_is_right(t, 1, first, &weak1);
	if (!first && !second)
		say(t, AY_VERDICT_MISMATCH, mismatch_text(t));
	else if (first != second)
		say(t, AY_VERDICT_UNSTABLE, "one of two calls on the same inputs was right, the other was not");
	else if (weak && !(t->op->op[0]->flags & (AY_RANDOM | AY_META)))
		say(t, AY_VERDICT_WEAK_CASE, "nearly all wanted values are equal: a constant would do");
}

/* Same ay_rng, same bits; another ay_rng, other bits. */
static void judge_random(struct trial *t, const struct spread *same)
{
	const struct ay_op *op = t->op->op[0];
	struct spread other;

	if (same->differs)
		say(t, AY_VERDICT_UNSTABLE, "two calls with the same ay_rng gave different results");
	compare_sets(t, 0, 2, &other);
	/* 2^-40: far less likely than any accident of the machine */
	if (!other.differs && op->log2_same && op->log2_same(t->call) < -40)
		say(t, AY_VERDICT_CHEAT, "two calls with different ay_rng gave the same result");
}

static void judge_run(struct trial *t)
{
	struct spread p;

	copy_out(t);
	show_set(t, 0);
	check_surroundings(t);
	compare_sets(t, 0, 1, &p);
	if (p.unwritten)
		say(t, AY_VERDICT_UNWRITTEN,
		    ay_sprintf(t->a, "%lld elements of '%s' were never written, the first at %s", (long long)p.unwritten,
			       t->call->out[p.out]->name,
			       index_text(t, &t->call->out[p.out]->view, p.first_unwritten)));
	if (t->op->op[0]->flags & AY_RANDOM)
		judge_random(t, &p);
	judge_values(t, p.differs > 0);
}

/* --- one case ----------------------------------------------------------------------------------------------------- */

/* The function to call: the overload's own, else its functional form on the same operands. */
static int choose_entry(struct trial *t, struct ay_batch *b, struct ay_err *err)
{
	const struct ay_schema *s = t->call->s;
	const struct ay_entry_op *owner;
	struct ay_proto *proto;

	b->call = t->call;
	if (!has_entry(t->j, ay_proto_symbol(t->a, s))) {
		s = ay_registry_functional(t->j->registry, s, &owner);
		if (!s || !has_entry(t->j, ay_proto_symbol(t->a, s))) {
			say(t, AY_VERDICT_LOAD, ay_sprintf(t->a, "the kernel does not define %s", ay_proto_symbol(t->a, t->call->s)));
			return 1;
		}
		t->rep->derived = ay_proto_symbol(t->a, s);
	}
	if (ay_proto_make(t->a, s, &proto, err))
		return -1;
	b->proto = proto;
	return 0;
}

static bool too_large(struct trial *t)
{
	uint64_t need = own_bytes(t), have = ay_memory_available();

	for (int i = 0; i < t->nneed; i++)
		need += t->need[i].bytes;
	if (need < have - have / 8)
		return false;
	say(t, AY_VERDICT_SKIPPED, ay_sprintf(t->a, "needs %llu bytes of memory, %llu are free", (unsigned long long)need,
					      (unsigned long long)have));
	return true;
}

static int run(struct trial *t, struct ay_batch *b, struct ay_err *err)
{
	struct ay_judge *j = t->j;
	struct ay_outcome o = { 0 };

	if (!j->exec) {
		if (start_exec(j, t->a, &o, err))
			return -1;
		if (o.what != AY_X_RAN)
			return ay_fail(err, AY_ERR_EXEC, "the kernel loaded once but not again: %s", o.text);
	}
	if (ay_exec_call(j->exec, b, &o, err))
		return -1;
	if (o.what != AY_X_RAN && o.what != AY_X_REFUSED) {
		ay_exec_stop(j->exec);
		j->exec = NULL;
	}
	j->timeouts = o.what == AY_X_HUNG ? j->timeouts + 1 : 0;
	if (o.what == AY_X_RAN)
		judge_run(t);
	else
		say_outcome(t, &o);
	return 0;
}

static void draw_chance(struct trial *t)
{
	/* as every float dtype sees them: 0xff is NaN, 0x70..0x7b are finite and large; neither is a bool */
	t->poison[0] = 0xff;
	t->poison[1] = (uint8_t)(0x70 + ay_secret_below(12));
	t->poison[2] = 0xff;
	t->rng[0] = t->rng[1] = (ay_rng){ ay_secret_u64(), ay_secret_u64() >> 32 };
	t->rng[2] = (ay_rng){ ay_secret_u64(), t->rng[0].offset };
}

static const char *line_text(struct ay_arena *a, const struct ay_case *line)
{
	struct ay_str b = { 0 };
	char *s;

	ay_case_print(&b, line);
	s = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return s;
}

static int prepare(struct trial *t, const struct ay_suite_case *sc, struct ay_err *err)
{
	struct ay_case *line = AY_NEW(t->a, struct ay_case);

	*line = *sc->line;
	line->cnt = -1;
	if (!line->has_seed) {
		line->has_seed = true;
		line->seed = ay_secret_u64() >> 32; /* short enough to paste; the executor never sees it */
	}
	line->ns = sc->schema->ns;
	t->rep->line = line_text(t->a, line);
	if (ay_call_bind(t->a, sc->op->op[0], sc->schema, line, &t->call, err))
		return -1;
	t->nset = sc->op->op[0]->flags & AY_RANDOM ? SETS_RANDOM : SETS;
	plan(t);
	return 0;
}

int ay_judge_case(struct ay_judge *j, const struct ay_suite_case *sc, struct ay_arena *a, struct ay_report *rep,
		  struct ay_err *err)
{
	int64_t begin = ay_now_ns();
	struct trial t = { .j = j, .a = a, .rep = rep, .op = sc->op };
	struct ay_batch b = { .threads = j->policy.threads, .timeout_s = j->policy.call_timeout_s };
	int chosen;

	*rep = (struct ay_report){ .verdict = AY_VERDICT_NONE };
	if (prepare(&t, sc, err))
		return -1;
	chosen = choose_entry(&t, &b, err);
	if (chosen < 0)
		return -1;
	if (!chosen && j->timeouts >= TIMEOUTS_MAX)
		say(&t, AY_VERDICT_SKIPPED, ay_sprintf(a, "after %d time-outs in a row", j->timeouts));
	else if (!chosen && !too_large(&t)) {
		if (get_pool(&t, err))
			return -1;
		draw_chance(&t);
		place_all(&t);
		fill_all(&t);
		b.pool = &j->pool;
		b.nset = t.nset;
		b.slot = t.slot;
		b.offset = t.offset;
		b.rng = t.rng;
		if (run(&t, &b, err))
			return -1;
	}
	if (rep->verdict == AY_VERDICT_NONE)
		say(&t, AY_VERDICT_PASS, NULL);
	rep->wall_s = (double)(ay_now_ns() - begin) / 1e9;
	return 0;
}
