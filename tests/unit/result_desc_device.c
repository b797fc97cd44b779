/* SPDX-License-Identifier: Apache-2.0
 *
 * result_desc_device - tests of an executor's descriptions of results on its device. Results are
 * read in place, from a heap or slot, and nowhere else. The test itself plays the executor, and
 * ordinary memory is the device.
 */
#include "exec/transact.h"
#include "exec/result_desc.h"
#include "helpers.h"
#include "oracle/read_set.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { HEAP = 8 << 20 };

/* A batch of two sets: the arguments, then the results of each, one slot for each. */
struct fixture {
	struct ay_arena a;
	struct ay_dev dev;
	struct ay_exec x;
	struct ay_pool pool;
	struct ay_call *call;
	struct ay_batch b;
	int slot[16], first; /* first: the first result among the operands */
	uint64_t offset[16];
	uint8_t *heap;
	struct ay_wire_result *r; /* the description of each set */
};

static void fixture_init(struct fixture *g, const char *line)
{
	struct ay_need need[20];
	struct ay_err err = { 0 };
	int n;

	*g = (struct fixture){ .first = -1 };
	g->call = help_bind(help_registry(), &g->a, line, &err);
	if (!g->call)
		test_skip("%s: %s", line, err.msg);
	n = 2 * g->call->noperand;
	for (int i = 0; i < n; i++) {
		const struct ay_operand *o = g->call->operand[i % g->call->noperand];

		need[i] = (struct ay_need){ (uint64_t)(ay_view_extent(&o->view) * ay_dt_info(o->view.dt)->bytes),
					    o->role != AY_IN };
		g->slot[i] = i;
		if (o->role == AY_RESULT && g->first < 0)
			g->first = i;
	}
	need[n] = (struct ay_need){ ay_exec_told_bytes(g->call, 2), true, true };
	if (ay_pool_init(&g->pool, n + 1, need, &err))
		test_skip("%s", err.msg);
	g->dev = (struct ay_dev){ .cls = ay_dev_cpu()->cls, .info = { .kind = AY_DEV_CUDA } };
	g->heap = calloc(1, HEAP);
	g->x = (struct ay_exec){ .python = true, .device = &g->dev, .pool_at = 1ull << 44 };
	g->x.heap = (struct ay_dev_mem){ .at = (uintptr_t)g->heap, .bytes = HEAP, .fd = -1 };
	g->b = (struct ay_batch){
		.call = g->call, .pool = &g->pool, .nset = 2, .slot = g->slot, .offset = g->offset, .told = n
	};
	g->r = (struct ay_wire_result *)(g->pool.slot[n].mem + sizeof(struct ay_wire_told));
}

static void fixture_release(struct fixture *g)
{
	ay_pool_release(&g->pool);
	ay_arena_release(&g->a);
	free(g->heap);
}

/* Returns the true description of a dense result. */
static struct ay_wire_result honest(const struct fixture *g, int k, enum ay_wire_where where, uint32_t slot,
				    uint64_t at)
{
	const struct ay_operand *o = g->call->operand[g->first + k];
	const struct ay_dt_info *dt = ay_dt_info(o->view.dt);
	struct ay_wire_result r = { .data = at, .ndim = o->view.ndim, .where = where, .slot = slot };

	r.dtype = (ay_dtype){ dt->dl_code, dt->dl_bits, 1 };
	memcpy(r.shape, o->view.shape, sizeof *r.shape * (size_t)r.ndim);
	ay_strides_dense(r.ndim, r.shape, r.stride);
	return r;
}

static struct ay_outcome take(struct fixture *g, int set)
{
	struct ay_outcome o = { 0 };
	struct ay_err err = { 0 };

	CHECK(!ay_exec_take(&g->x, &g->b, set, &o, &err));
	return o;
}

static bool says(const struct ay_outcome *o, const char *text)
{
	return text ? o->what == AY_EXEC_UNFIT && strstr(o->text, text) : o->what == AY_EXEC_RAN;
}

#define CHECK_SAYS(o, words) CHECKF(says(&(o), words), "%d %s", (o).what, (o).text)

static const float *result(const struct fixture *g, int set, int k)
{
	return (const float *)g->pool.slot[set * g->call->noperand + g->first + k].mem;
}

static void fill(struct fixture *g, uint64_t at, int n)
{
	for (int i = 0; i < n; i++) {
		const float v = (float)(i + 1);

		memcpy(g->heap + at + 4 * (uint64_t)i, &v, sizeof v);
	}
}

#define RELU "aten::relu((T([2, 3], f32),), {})"

TEST(result_desc_device_results_are_read_out_of_the_heap)
{
	const float want[] = { 1, 2, 3, 4, 5, 6 };
	struct ay_outcome o;
	struct fixture g;

	fixture_init(&g, RELU);
	fill(&g, 512, 6);
	g.r[0] = honest(&g, 0, AY_WIRE_IN_HEAP, 0, 512);
	g.r[1] = honest(&g, 0, AY_WIRE_IN_HEAP, 0, 1024);
	for (int i = 0; i < 6; i++) /* column by column, with gaps */
		memcpy(g.heap + 1024 + 4 * (i / 3 * 2 + i % 3 * 7), &want[i], 4);
	g.r[1].stride[0] = 2;
	g.r[1].stride[1] = 7;
	for (int s = 0; s < 2; s++) {
		o = take(&g, s);
		CHECK_SAYS(o, NULL);
		CHECK(!memcmp(result(&g, s, 0), want, sizeof want));
	}
	/* an element of the first call's result */
	g.r[1] = honest(&g, 0, AY_WIRE_IN_HEAP, 0, 512 + 20);
	o = take(&g, 1);
	CHECK_SAYS(o, "what an earlier call returned");
	g.r[1].data = 512 + 24;
	o = take(&g, 1);
	CHECK_SAYS(o, NULL);
	fixture_release(&g);
}

/* What is needed is read, and nothing else. */
TEST(result_desc_device_parts_of_results)
{
	static const struct {
		struct ay_byte_range need;
		float want[6];
	} part[] = {
		{ { 0, 24 }, { 1, 2, 3, 4, 5, 6 } },        { { 0, UINT64_MAX }, { 1, 2, 3, 4, 5, 6 } },
		{ { 8, 16 }, { -1, -1, 3, 4, -1, -1 } },    { { 20, 100 }, { -1, -1, -1, -1, -1, 6 } },
		{ { 24, 30 }, { -1, -1, -1, -1, -1, -1 } }, { { UINT64_MAX, 0 }, { -1, -1, -1, -1, -1, -1 } }
	};
	struct ay_byte_range need[8];
	struct fixture g;

	fixture_init(&g, RELU);
	fill(&g, 512, 6);
	g.r[0] = honest(&g, 0, AY_WIRE_IN_HEAP, 0, 512);
	g.b.need = need;
	for (size_t t = 0; t < sizeof part / sizeof *part; t++) {
		float *at = (float *)result(&g, 0, 0);
		struct ay_outcome o;

		for (int i = 0; i < 6; i++)
			at[i] = -1;
		need[0] = (struct ay_byte_range){ 0, 0 };
		need[g.first] = part[t].need;
		o = take(&g, 0);
		CHECK_SAYS(o, NULL);
		CHECKF(!memcmp(at, part[t].want, sizeof part[t].want), "part %d", (int)t);
	}
	g.r[0].flags = AY_NEG; /* the stored value is not the value it represents */
	CHECK(take(&g, 0).what == AY_EXEC_RAN && result(&g, 0, 0)[0] == -1 && result(&g, 0, 0)[5] == -6);
	g.r[0].flags = 0;
	g.r[0].data = HEAP - 20; /* parts that are not read must exist too */
	need[g.first] = (struct ay_byte_range){ 0, 4 };
	CHECK(take(&g, 0).what == AY_EXEC_UNFIT);
	fixture_release(&g);
}

TEST(result_desc_device_places_that_are_not_there)
{
	static const struct {
		uint32_t where, slot;
		uint64_t at;
		int64_t stride;
	} lies[] = {
		{ AY_WIRE_IN_HEAP, 0, HEAP - 20, 3 },
		{ AY_WIRE_IN_HEAP, 0, HEAP, 3 },
		{ AY_WIRE_IN_HEAP, 0, HEAP + 4096, 3 },
		{ AY_WIRE_IN_HEAP, 0, UINT64_MAX - 8, 3 },
		{ AY_WIRE_IN_HEAP, 0, 1ull << 63, 3 },
		{ AY_WIRE_IN_HEAP, 0, 0, HEAP / 4 },
		{ AY_WIRE_IN_HEAP, 0, 0, 1ull << 42 },
		{ AY_WIRE_HERE, 0, 0, 3 },
		{ AY_WIRE_COPIED + 1, 0, 0, 3 },
		{ UINT32_MAX, 0, 0, 3 },
		{ AY_WIRE_IN_SLOT, 5, 0, 3 },
		{ AY_WIRE_IN_SLOT, 1u << 31, 0, 3 },
		{ AY_WIRE_IN_SLOT, UINT32_MAX, 0, 3 },
		/* at the descriptions' own place, which is not the device's */
		{ AY_WIRE_IN_SLOT, 4, 0, 3 },
		{ AY_WIRE_IN_SLOT, 0, 4096 - 20, 3 },
		{ AY_WIRE_IN_SLOT, 0, 1ull << 50, 3 },
	};
	struct ay_outcome o;
	struct fixture g;

	fixture_init(&g, RELU);
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		g.r[0] = honest(&g, 0, (enum ay_wire_where)lies[i].where, lies[i].slot, lies[i].at);
		g.r[0].stride[0] = lies[i].stride;
		o = take(&g, 0);
		CHECKF(says(&o, "cannot be read"), "lie %zu: %d %s", i, o.what, o.text);
	}
	g.r[0] = honest(&g, 0, AY_WIRE_IN_HEAP, 0, HEAP - 24); /* to its last byte */
	o = take(&g, 0);
	CHECK_SAYS(o, NULL);
	g.x.heap = (struct ay_dev_mem){ 0 }; /* it has none */
	g.r[0].data = 0;
	o = take(&g, 0);
	CHECK_SAYS(o, "cannot be read");
	fixture_release(&g);
}

TEST(result_desc_device_results_in_arguments)
{
	const float x[] = { 7, 8 };
	uint8_t *twin[3];
	struct ay_dev_mapping_slot map_slot[8] = { { 0 } };
	struct ay_dev_mapping mapping = { .id = 1, .nslot = 5, .slot = map_slot, .pad = 4096 };
	struct ay_outcome o;
	struct fixture g;

	fixture_init(&g, RELU);
	for (uint32_t s = 0; s < 4; s++) { /* slots of results belong to no result either */
		g.r[0] = honest(&g, 0, AY_WIRE_IN_SLOT, s, 4096 - 24);
		o = take(&g, 0);
		CHECK_SAYS(o, "memory of an argument");
	}
	fixture_release(&g);
	fixture_init(&g, "aten::expand((T([2, 1], f32), [2, 3]), {})"); /* a view may */
	memcpy(g.pool.slot[0].mem, x, sizeof x);
	g.r[0] = honest(&g, 0, AY_WIRE_IN_SLOT, 0, 0);
	g.r[0].stride[0] = 1;
	g.r[0].stride[1] = 0;
	o = take(&g, 0);
	CHECK_SAYS(o, NULL);
	CHECK(result(&g, 0, 0)[0] == 7 && result(&g, 0, 0)[2] == 7 && result(&g, 0, 0)[5] == 8);
	/* and memory shared at that time is read there */
	for (int s = 0; s < 2; s++) {
		twin[s] = calloc(1, 3 * 4096);
		map_slot[s] = (struct ay_dev_mapping_slot){ .fd = -1,
							    .at = (uintptr_t)twin[s],
							    .bytes = 3 * 4096 };
	}
	twin[0][4096 + 3] = 0x40; /* 2.0 */
	g.b.mapping = &mapping;
	o = take(&g, 0);
	CHECK_SAYS(o, NULL);
	CHECK(result(&g, 0, 0)[0] == 2 && result(&g, 0, 0)[5] == 0);
	free(twin[0]);
	free(twin[1]);
	fixture_release(&g);
}

TEST(result_desc_device_results_share_with_none)
{
	struct ay_outcome o;
	struct fixture g;

	fixture_init(&g, "aten::sort((T([3], f64), -1, False), {})");
	g.r[0] = honest(&g, 0, AY_WIRE_IN_HEAP, 0, 512);
	g.r[1] = honest(&g, 1, AY_WIRE_IN_HEAP, 0, 512 + 16);
	o = take(&g, 0);
	CHECK_SAYS(o, "memory of another result");
	g.r[1] = honest(&g, 1, AY_WIRE_COPIED, 0, 512 + 16); /* elsewhere: another 528 */
	o = take(&g, 0);
	CHECK_SAYS(o, NULL);
	g.r[0] = honest(&g, 0, AY_WIRE_COPIED, 0, 512);
	o = take(&g, 0);
	CHECK_SAYS(o, "memory of another result");
	fixture_release(&g);
}

/* A result that the executor's code has copied is in place already, and still has a slot of its
 * own. */
TEST(result_desc_device_copies_are_left_as_they_are)
{
	const float want[] = { 1, 2, 3, 4, 5, 6 };
	struct ay_outcome o;
	struct fixture g;

	fixture_init(&g, RELU);
	for (int s = 0; s < 2; s++) {
		memcpy(g.pool.slot[s * 2 + 1].mem, want, sizeof want);
		g.r[s] = honest(&g, 0, AY_WIRE_COPIED, 0, 1ull << 45);
	}
	o = take(&g, 0);
	CHECK_SAYS(o, NULL);
	CHECK(!memcmp(result(&g, 0, 0), want, sizeof want));
	o = take(&g, 1);
	CHECK_SAYS(o, "what an earlier call returned");
	/* sixteen times farther apart than is worth reading: nothing of it is read */
	g.x.heap.bytes = 1ull << 30;
	g.r[1] = honest(&g, 0, AY_WIRE_IN_HEAP, 0, 0);
	g.r[1].stride[0] = 100 << 20;
	o = take(&g, 1);
	CHECK_SAYS(o, NULL);
	CHECK(!memcmp(result(&g, 1, 0), want, sizeof want));
	fixture_release(&g);
}

TEST(result_desc_device_results_are_found)
{
	struct ay_dev_mapping_slot map_slot[8] = { { 0 } };
	struct ay_dev_mapping mapping = { .id = 1, .nslot = 5, .slot = map_slot, .pad = 4096 };
	struct ay_outcome o = { 0 };
	struct ay_view v;
	struct fixture g;
	uint64_t at;

	fixture_init(&g, RELU);
	g.r[0] = honest(&g, 0, AY_WIRE_IN_HEAP, 0, 512);
	g.r[0].stride[0] = 5;
	CHECK(!ay_exec_find(&g.x, &g.b, 0, 0, &v, &at, &o) && at == g.x.heap.at + 512 && v.stride[0] == 5);
	g.r[1] = honest(&g, 0, AY_WIRE_COPIED, 0, 77);
	g.offset[3] = 64;
	CHECK(!ay_exec_find(&g.x, &g.b, 1, 0, &v, &at, &o) && !at);
	map_slot[3] = (struct ay_dev_mapping_slot){ .at = 1 << 20, .bytes = 3 * 4096 };
	g.b.mapping = &mapping;
	CHECK(!ay_exec_find(&g.x, &g.b, 1, 0, &v, &at, &o) && at == (1 << 20) + 4096 + 64 && v.stride[0] == 3);
	g.r[0].data = HEAP;
	CHECK(ay_exec_find(&g.x, &g.b, 0, 0, &v, &at, &o) && o.what == AY_EXEC_UNFIT && !at);
	fixture_release(&g);
}

TEST(result_desc_device_messages)
{
	struct ay_wire_heap h = { AY_WIRE_HEAP_GRAIN }, got;
	struct ay_wire_forget f = { 0xff, 0 }, heard;

	CHECK(ay_wire_heap_open(&h, sizeof h, &got) && got.bytes == AY_WIRE_HEAP_GRAIN);
	CHECK(!ay_wire_heap_open(&h, sizeof h - 1, &got));
	h.bytes = 0;
	CHECK(!ay_wire_heap_open(&h, sizeof h, &got));
	h.bytes = AY_WIRE_HEAP_GRAIN + 4096;
	CHECK(!ay_wire_heap_open(&h, sizeof h, &got));
	h.bytes = 1ull << 50;
	CHECK(!ay_wire_heap_open(&h, sizeof h, &got));
	CHECK(ay_wire_forget_open(&f, sizeof f, &heard) && heard.poison == 0xff);
	CHECK(!ay_wire_forget_open(&f, 0, &heard));
	f.poison = 0x100;
	CHECK(!ay_wire_forget_open(&f, sizeof f, &heard));
}
