/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups the entries of topk_ids by expert, each group padded to a multiple of block_size, for grouped matrix
 * products:
 *
 *	sorted_token_ids  = for each expert in ascending order the flat indices of its entries, then padding
 *	experts_ids       = for each block of these the expert; 0 for blocks that are not needed (later vLLMs: -1)
 *	num_tokens_post_pad = how many elements of sorted_token_ids are in use
 *
 * The padding value is numel(topk_ids), from the end of each group to its block's end and from there to the end of
 * the tensor: vLLM 0.13 (csrc/moe/moe_align_sum_kernels.cu) fills all of sorted_token_ids with it first. With
 * expert_map, expert e counts as expert_map[e], and its entries are left out where that is -1; num_experts is the
 * number of ids that topk_ids may hold.
 *
 * Judged exactly but for one freedom: vLLM places entries by atomic additions, so their order within a group is
 * free, and `check` demands that a group holds each of its entries once. Where the padding stands within it is
 * free too: a reader of a group skips every value from numel on. The reference shows ascending order, padding
 * last.
 *
 * What the original test missed: it compares sets, group by group, so an entry that occurs twice in place of
 * padding passes; expert_map is always None; ids are evenly spread, so no expert is ever empty or has all of them;
 * block sizes and numbers of experts are powers of two, and no count of tokens is below 128.
 *
 * Cases: original 360, all sound and distinct; here 360 full.
 */
#include "op/op.h"

#include <stdio.h>

/* Which expert an entry is for; -1 = none. */
static int64_t expert_of(const struct ay_ref *r, int64_t i)
{
	const struct ay_view *map = ay_t(r->c, "expert_map");
	const int64_t experts = ay_int(r->c, "num_experts");
	int64_t e = (int64_t)re(ay_get(r, ay_t(r->c, "topk_ids"), i));

	if (e < 0 || e >= experts)
		return -1;
	if (map)
		e = (int64_t)re(ay_get(r, map, e));
	return e < 0 || e >= experts ? -1 : e;
}

/* Where the groups lie: expert e has count[e] entries from start[e] to start[e + 1], padding included. */
struct groups {
	int64_t n, experts, block;
	int64_t *of; /* the expert of each entry */
	int64_t *count, *start;
};

static struct groups find_groups(struct ay_ref *r)
{
	struct groups g = { ay_numel_of(ay_t(r->c, "topk_ids")), ay_int(r->c, "num_experts"),
			    ay_int(r->c, "block_size") };

	g.of = AY_NEW_N(r->tmp, int64_t, g.n + 1);
	g.count = AY_NEW_N(r->tmp, int64_t, g.experts + 1);
	g.start = AY_NEW_N(r->tmp, int64_t, g.experts + 1);
	for (int64_t i = 0; i < g.n; i++) {
		g.of[i] = expert_of(r, i);
		if (g.of[i] >= 0)
			g.count[g.of[i]]++;
	}
	for (int64_t e = 0; e < g.experts; e++)
		g.start[e + 1] = g.start[e] + (g.count[e] + g.block - 1) / g.block * g.block;
	return g;
}

/* One of the right answers: ascending within each group. */
static void sort_entries(struct ay_ref *r, const struct groups *g, num *sorted, int64_t room)
{
	int64_t *next = AY_NEW_N(r->tmp, int64_t, g->experts + 1);

	for (int64_t i = 0; i < room; i++)
		sorted[i] = g->n;
	for (int64_t i = 0; i < g->n; i++)
		if (g->of[i] >= 0)
			sorted[g->start[g->of[i]] + next[g->of[i]]++] = i;
}

static void moe_align_block_size(struct ay_ref *r)
{
	const struct groups g = find_groups(r);

	sort_entries(r, &g, ay_val(r, 0, 0, 0), r->len[0]);
	for (int64_t i = 0; i < r->len[0]; i++)
		*ay_mag(r, 0, 0, i) = i < g.start[g.experts] ? AY_FREE : -1;
	for (int64_t k = 0; k < r->len[1]; k++) {
		*ay_val(r, 1, 0, k) = 0;
		*ay_mag(r, 1, 0, k) = -1;
	}
	for (int64_t e = 0; e < g.experts; e++)
		for (int64_t k = g.start[e] / g.block; k < g.start[e + 1] / g.block; k++)
			*ay_val(r, 1, 0, k) = e;
	*ay_val(r, 2, 0, 0) = g.start[g.experts];
	*ay_mag(r, 2, 0, 0) = -1;
}

/* --- groups whose order is free -------------------------------------------------------------------------- */

/* What a kernel left, and what the reference would show there. */
struct answer {
	num *got, *shown;
	bool *seen; /* per entry */
};

static void note(struct ay_finding *f, const struct answer *a, int64_t i, const char *what, int64_t e)
{
	if (f->bad++)
		return;
	f->index = i;
	f->want = (double)re(a->shown[i]);
	f->got = (double)re(a->got[i]);
	snprintf(f->text, sizeof f->text, "%.0f %s expert %lld", f->got, what, (long long)e);
}

static void check_group(const struct groups *g, int64_t e, const struct answer *a, struct ay_finding *f)
{
	int64_t padding = g->start[e + 1] - g->start[e] - g->count[e];

	for (int64_t i = g->start[e]; i < g->start[e + 1]; i++) {
		const int64_t id = (int64_t)re(a->got[i]);

		if (id == g->n && padding-- > 0)
			continue;
		if (id == g->n)
			note(f, a, i, "is padding, but an entry is missing from the group of", e);
		else if (id < 0 || id > g->n || g->of[id] != e)
			note(f, a, i, "is no entry for", e);
		else if (a->seen[id])
			note(f, a, i, "occurs twice in the group of", e);
		else
			a->seen[id] = true;
	}
}

static void check(const struct ay_call *c, const struct ay_view *const *got, struct ay_finding *f)
{
	const int64_t room = got[0]->shape[0];
	struct ay_arena tmp = { 0 };
	struct ay_ref r = { .c = c, .tmp = &tmp };
	const struct groups g = find_groups(&r);
	struct answer a = { ay_tmp(&r, room + 1), ay_tmp(&r, room + 1), AY_NEW_N(&tmp, bool, g.n + 1) };

	ay_load(&r, got[0], 0, 0, a.got);
	sort_entries(&r, &g, a.shown, room);
	for (int64_t e = 0; e < g.experts; e++)
		check_group(&g, e, &a, f);
	ay_arena_release(&tmp);
}

/* --- around it ------------------------------------------------------------------------------------------- */

static int check_output(const struct ay_call *c, const char *name, struct ay_err *err)
{
	const struct ay_view *v = &ay_operand(c, name)->view;

	if (v->dt != AY_DT_I32 || v->ndim != 1 || !ay_view_is_dense(v))
		return ay_fail(err, AY_ERR_BIND, "%s must be a dense 1-dim i32 tensor", name);
	if (ay_operand(c, name)->role != AY_OUT)
		return ay_fail(err, AY_ERR_BIND, "%s is only written: fill=out", name);
	return 0;
}

/* Groups may need up to block_size - 1 elements of padding for each expert that has an entry. */
static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *ids = ay_t(c, "topk_ids"), *map = ay_t(c, "expert_map");
	const int64_t experts = ay_int(c, "num_experts"), block = ay_int(c, "block_size"), n = ay_numel_of(ids);
	int64_t room, need;

	if (!ay_dt_is_integral(ids->dt) || ids->dt == AY_DT_B8 || !ay_view_is_dense(ids))
		return ay_fail(err, AY_ERR_BIND, "topk_ids must be dense and of integers");
	if (experts < 1 || experts > 1 << 20 || block < 1 || block > 1 << 20 || n >= 1 << 30)
		return ay_fail(err, AY_ERR_BIND,
			       "num_experts and block_size are from 1 to 2^20, entries fewer than 2^30");
	if (check_output(c, "sorted_token_ids", err) || check_output(c, "experts_ids", err) ||
	    check_output(c, "num_tokens_post_pad", err))
		return -1;
	room = ay_operand(c, "sorted_token_ids")->view.shape[0];
	need = n + (experts < n ? experts : n) * (block - 1);
	if (room < need || room >= 1LL << 31)
		return ay_fail(err, AY_ERR_BIND, "sorted_token_ids has %lld elements, but %lld may be needed",
			       (long long)room, (long long)need);
	if (ay_operand(c, "experts_ids")->view.shape[0] != (room + block - 1) / block)
		return ay_fail(err, AY_ERR_BIND, "experts_ids needs one element for each of the %lld blocks",
			       (long long)((room + block - 1) / block));
	if (ay_operand(c, "num_tokens_post_pad")->view.shape[0] != 1)
		return ay_fail(err, AY_ERR_BIND, "num_tokens_post_pad has one element");
	if (map && (map->dt != AY_DT_I32 || map->ndim != 1 || map->shape[0] != experts || !ay_view_is_dense(map)))
		return ay_fail(err, AY_ERR_BIND, "expert_map must be dense, i32 and have num_experts elements");
	return 0;
}

/* Every other expert lives here, under a number of its own: those with an even one or those with an odd one. */
static double make_locals(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			  uint64_t bits)
{
	(void)o, (void)f, (void)bits;
	return i % 2 == (int64_t)(c->seed & 1) ? (double)(i / 2) : -1;
}

static const struct ay_maker makers[] = { { "locals", make_locals }, { 0 } };

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	(void)c;
	k->flops = 0;
	k->bytes = -1;
}

/* clang-format off */
#define LINE(ids, room, map) \
	"((T([n, k], dt" ids "), e, b, T([" room "], i32), T([(" room " + b - 1) / b], i32), T([1], i32)" map "), {})"
#define ROOM "n * k + e * (b - 1)"

const struct ay_op ay_ops_moe_align_block_size[] = {{
	.schemas   = AY_SCHEMAS("vllm13::moe_align_block_size(Tensor topk_ids, int num_experts, int block_size, Tensor(a!) sorted_token_ids, Tensor(b!) experts_ids, Tensor(c!) num_tokens_post_pad, Tensor? expert_map=None) -> ()"),
	.doc       = "Groups the flat indices 0 .. numel - 1 of topk_ids by expert. sorted_token_ids gets, for each expert in ascending "
		     "order, the indices i with topk_ids[i] = expert, each group padded with the value numel to a multiple of block_size; "
		     "the rest of the tensor is numel, too. experts_ids[k] = the expert of elements k * block_size and up, 0 behind the "
		     "last group. num_tokens_post_pad[0] = the length of all groups with their padding. All three are i32 and written "
		     "whole. The order within a group is free. With expert_map (i32, one element an expert) expert e is expert_map[e], "
		     "and where that is -1 its indices are left out.",
	.cases     = {
		{ LINE("", ROOM, ""), "dt=i32|i64 (n,k,e,b)=(1,1,1,1)|(1,1,4,16)|(0,2,4,8)|(7,2,5,3)|(17,1,8,4)|(33,10,4,1)|(9,3,7,16)|(128,2,4,8)|(129,4,6,5)", AY_QUICK },
		{ LINE("", ROOM, ""), "dt=i32|i64|i16|u8 (n,k,e,b)=(130,10,16,16)|(500,6,33,32)", AY_QUICK },
		{ LINE(", fill=index(3)", ROOM, ""), "dt=i32|i64 (n,k,e,b)=(65,2,8,8)|(129,4,5,16)", AY_QUICK },
		{ LINE(", fill=const(2)", ROOM, ""), "dt=i32 (n,k,e,b)=(65,2,4,8)|(3,5,4,16)", AY_QUICK },
		{ LINE("", "n * k * b", ""), "dt=i32|i64 (n,k,e,b)=(3,2,64,4)|(1,8,33,3)", AY_QUICK },
		{ LINE("", "(" ROOM " + 2 * b) / b * b", ""), "dt=i32 (n,k,e,b)=(33,4,6,8)|(129,2,4,16)", AY_QUICK },
		{ LINE("", ROOM, ", T([e], i32)"), "dt=i32|i64 (n,k,e,b)=(7,2,4,3)|(33,4,8,4)|(129,2,16,8)|(500,6,33,16)", AY_QUICK },
		{ LINE("", ROOM, ""), "dt=i32 k=2|4|10 b=8|16|32|64 e=4|8|16|32|64 n=128|1024|4096|6152|11575|16384", AY_FULL },
		{ LINE("", ROOM, ""), "dt=i32 (n,k,e,b)=(1024,2,8,16)|(4096,4,32,32)|(16384,10,64,64)", AY_PERF },
	},
	.vary      = {{ "((ids, e, b, T([room], i32), T([(room + b - 1) / b], i32), T([1], i32), map), {})", "n=last() k=int(1, 10) e=size(1, 64) b=1|3|4|5|8|16|32|int(1, 64) dt=i32|i64|i16|u8 ids=T([n, k], dt)|T([n, k], dt)|T([n, k], dt, fill=index((e + 1) / 2))|T([n, k], dt, fill=const(e - 1)) room=n * k + e * (b - 1)|(n * k + e * (b - 1) + 2 * b) / b * b|n * k < e ? n * k * b : n * k + e * (b - 1) map=None|None|T([e], i32)" }},
	.fills     = "topk_ids=index(num_experts); sorted_token_ids=out; experts_ids=out; num_tokens_post_pad=out; expert_map=locals",
	.makers    = makers,
	.accepts   = accepts,
	.rows      = ay_rows_whole,
	.reference = moe_align_block_size,
	.check     = check,
	.cost      = cost,
	.promises  = "The order of a group's elements, padding included.",
	.flags     = AY_ANY_ORDER | AY_DENSE_ONLY,
}, {0}};
