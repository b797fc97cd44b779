/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/case_run.h"
#include "op/fill.h"

#include <string.h>

enum { SHARE_INPUTS = 1 << 20 /* inputs larger than this are not copied for every set */ };

/* Plans one slot per operand and set; large inputs have one slot for all sets. */
void ay_layout_plan(struct case_run *t)
{
	int n = t->call->noperand;

	t->need = AY_NEW_N(t->a, struct ay_need, t->nset * n + 2);
	t->slot = AY_NEW_N(t->a, int, t->nset *n + 1);
	t->offset = AY_NEW_N(t->a, uint64_t, t->nset * n + 1);
	t->copy = AY_NEW_N(t->a, uint8_t *, t->nset * n + 1);
	for (int s = 0; s < t->nset; s++) {
		for (int i = 0; i < n; i++) {
			const struct ay_operand *o = t->call->operand[i];
			uint64_t bytes = ay_operand_bytes(o);

			if (s && o->role == AY_IN && bytes > SHARE_INPUTS) {
				t->slot[s * n + i] = t->slot[i];
				continue;
			}
			t->slot[s * n + i] = t->nneed;
			/* Python gets a plain number as a number */
			t->need[t->nneed++] = (struct ay_need){ bytes, o->role != AY_IN,
								t->j->kernel.about && o->wrapped };
		}
	}
	t->told = -1;
	if (t->j->kernel.about) {
		t->told = t->nneed;
		t->need[t->nneed++] = (struct ay_need){ ay_exec_told_bytes(t->call, t->nset), true, true };
	}
}

/* Returns true if only the judge can access the pool: the tensors lie on a device, and the kernel
 * has no mapping of the pool, or is torch's own. */
static bool is_out_of_reach(const struct case_run *t)
{
	return ay_case_run_device(t)->info.kind != AY_DEV_CPU &&
	       (!t->j->kernel.about || ay_judge_is_built_in(t->j));
}

static int make_pool(struct case_run *t, struct ay_err *err)
{
	const uint64_t grain = ay_case_run_device(t)->info.grain;

	return is_out_of_reach(t) ? ay_pool_init_roomy(&t->j->pool, grain, t->nneed, t->need, err)
				  : ay_pool_init_grain(&t->j->pool, grain, t->nneed, t->need, err);
}

static int get_pool(struct case_run *t, struct ay_err *err)
{
	struct ay_judge *j = t->j;
	const bool usable = j->has_pool && j->pool.grain == ay_case_run_device(t)->info.grain &&
			    (!j->pool.roomy || is_out_of_reach(t));

	if (usable && ay_pool_fits(&j->pool, t->nneed, t->need))
		return 0;
	ay_judge_unmap_device(j);
	if (usable && ay_pool_recut(&j->pool, t->nneed, t->need))
		return 0;
	if (j->has_pool)
		ay_pool_release(&j->pool);
	j->has_pool = false;
	if (make_pool(t, err))
		return -1;
	j->has_pool = true;
	return 0;
}

uint64_t ay_layout_own_bytes(const struct case_run *t)
{
	uint64_t sum = 0;

	for (int i = 0; i < t->nneed; i++)
		if (t->need[i].written)
			sum += ay_slot_bytes(ay_case_run_device(t)->info.grain, t->need[i].bytes);
	return sum;
}

static uint8_t *slot_mem(const struct case_run *t, int at)
{
	return t->j->pool.slot[t->slot[at]].mem;
}

/* Places tensors differently in each set: in the first against the end or the start, in the next
 * against the other side, then anywhere. */
static void place_all(struct case_run *t)
{
	int n = t->call->noperand;
	uint64_t flip = ay_case_run_chance(t);

	for (int at = 0; at < t->nset * n; at++) {
		struct ay_slot *s = &t->j->pool.slot[t->slot[at]];
		int turn = (int)(at / n + (flip >> at % n % 64 & 1)) % 2;
		enum ay_place p = at / n >= SETS ? AY_PLACE_COLOUR : turn ? AY_PLACE_START : AY_PLACE_END;

		if (at >= n && t->slot[at] == t->slot[at % n])
			t->offset[at] = t->offset[at % n];
		else
			t->offset[at] = ay_place_aligned(s->bytes, ay_operand_bytes(t->call->operand[at % n]), p,
							 ay_case_run_device(t)->info.align);
		s->used_at = t->offset[at];
		s->used = ay_operand_bytes(t->call->operand[at % n]);
	}
}

void *ay_layout_data(const struct ay_operand *o, uint8_t *storage)
{
	return storage + o->view.offset * ay_dt_info(o->view.dt)->bytes;
}

static void fill(const struct case_run *t, int i, uint8_t *to)
{
	const struct ay_operand *o = t->call->operand[i];
	const uint8_t *laid = ay_aten_oracle_laid(&t->j->aten_oracle, o);

	if (t->timed)
		ay_input_template_write(t->timed, i, ay_input_template_key(t->timed, t->line->timed_content),
					t->line->timed_set, to);
	else if (laid)
		memcpy(to, laid, ay_operand_bytes(o));
	else
		ay_fill_storage_by(t->call, o, to, t->j->policy.oracle_threads);
}

/* Prepares a written slot. A device poisons its memory itself and copies the whole slot back.
 * For a returned tensor it copies only the elements, so the gaps between them get their poison
 * here. */
static void poison(struct case_run *t, int at)
{
	const struct ay_operand *o = t->call->operand[at % t->call->noperand];
	const bool here = ay_case_run_device(t)->info.kind == AY_DEV_CPU;
	struct ay_slot *s = &t->j->pool.slot[t->slot[at]];

	s->poison = t->poison[at / t->call->noperand];
	s->all_poison = !here && !s->host && o->role != AY_INOUT;
	s->returned = s->all_poison && t->j->kernel.about && o->role == AY_RESULT;
	if (!s->all_poison || (s->returned && (!ay_view_is_dense(&o->view) || o->view.offset)))
		memset(s->mem, s->poison, s->bytes);
}

/* Fills the inputs once and copies them for further sets. Written memory gets poison, then its old
 * content. */
static void fill_all(struct case_run *t)
{
	int n = t->call->noperand;

	for (int i = 0; i < n; i++) {
		struct ay_operand *o = t->call->operand[i];
		uint64_t bytes = ay_operand_bytes(o);
		uint8_t *first = slot_mem(t, i) + t->offset[i];

		if (o->role == AY_INOUT) {
			uint8_t *old = ay_alloc_raw(t->a, bytes + 1);

			fill(t, i, old);
			o->old.data = ay_layout_data(o, old);
			first = old;
		} else if (o->role == AY_IN) {
			fill(t, i, first);
			o->view.data = ay_layout_data(o, first);
		}
		for (int s = 0; s < t->nset; s++) {
			uint8_t *at = slot_mem(t, s * n + i) + t->offset[s * n + i];

			if (o->role != AY_IN)
				poison(t, s * n + i);
			if (at != first && (o->role == AY_INOUT || o->role == AY_IN))
				memcpy(at, first, bytes);
		}
	}
}

int ay_layout_fill(struct case_run *t, struct ay_err *err)
{
	if (get_pool(t, err))
		return -1;
	place_all(t);
	fill_all(t);
	return 0;
}

/* Replaces a range and not everything. So a kernel that recognises inputs by a few elements cannot
 * tell the decoy from the case. */
void ay_layout_decoy(struct case_run *t)
{
	const struct ay_key key = t->call->key;

	t->call->key.k[0] ^= ay_case_run_chance(t);
	for (int i = 0; i < t->call->noperand; i++) {
		const struct ay_operand *o = t->call->operand[i];
		const uint64_t item = (uint64_t)ay_dt_info(o->view.dt)->bytes, n = ay_operand_bytes(o) / item;
		uint64_t from, len;
		uint8_t *other;

		if ((o->role != AY_IN && o->role != AY_INOUT) || !n ||
		    !ay_dt_is_float(ay_dt_component(o->view.dt)))
			continue;
		from = ay_case_run_chance(t) % n;
		len = 1 + ay_case_run_chance(t) % (n - from);
		other = ay_xrealloc(NULL, n * item);
		ay_fill_storage(t->call, o, other);
		memcpy(slot_mem(t, i) + t->offset[i] + from * item, other + from * item, len * item);
		ay_xfree(other);
	}
	t->call->key = key;
}

void ay_layout_again(struct case_run *t)
{
	fill_all(t);
}

/* Copies the written slots of sets [from, from + nset). Copies of all sets have their places in one
 * block. */
static void copy_written(struct case_run *t, int from, int nset)
{
	const int n = t->call->noperand;
	const uint64_t need = ay_layout_own_bytes(t);
	uint8_t *to;

	if (need > t->j->copy_bytes) {
		AY_ASSERT(!from); /* no copy is there that would move */
		t->j->copy = ay_xrealloc(t->j->copy, need);
		t->j->copy_bytes = need;
	}
	to = t->j->copy;
	for (int at = 0; at < (from + nset) * n; at++) {
		const uint64_t bytes = t->j->pool.slot[t->slot[at]].bytes;

		if (t->call->operand[at % n]->role == AY_IN)
			continue;
		if (at >= from * n)
			memcpy(to, slot_mem(t, at), bytes);
		t->copy[at] = to;
		to += bytes;
	}
}

void ay_layout_take(struct case_run *t, int set)
{
	const int n = t->call->noperand;

	for (int at = set * n; at < (set + 1) * n; at++)
		t->copy[at] = slot_mem(t, at);
	if (!is_out_of_reach(t))
		copy_written(t, set, 1);
}

void ay_layout_keep(struct case_run *t)
{
	if (is_out_of_reach(t))
		copy_written(t, 0, t->nset);
}

void ay_layout_show(struct case_run *t, int s)
{
	int n = t->call->noperand;

	for (int i = 0; i < n; i++) {
		struct ay_operand *o = t->call->operand[i];

		if (o->role != AY_IN)
			o->view.data = ay_layout_data(o, t->copy[s * n + i] + t->offset[s * n + i]);
	}
}
