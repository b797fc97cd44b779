/* SPDX-License-Identifier: Apache-2.0
 *
 * result_desc - tests of an executor's descriptions of results in its own memory. Every false
 * description is found, and memory that does not exist is not read. The test itself plays the
 * executor.
 */
#include "exec/result_desc.h"
#include "exec/transact.h"
#include "helpers.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct ay_dt_info *info(const struct ay_operand *o)
{
	return ay_dt_info(o->view.dt);
}

static struct ay_call *bind(struct ay_arena *a, const char *line)
{
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(help_registry(), a, line, &err);

	if (!c)
		test_skip("%s: %s", line, err.msg);
	return c;
}

static struct ay_operand *result(struct ay_call *c, int k)
{
	for (int i = 0; i < c->noperand; i++)
		if (c->operand[i]->role == AY_RESULT && !k--)
			return c->operand[i];
	test_skip("no result");
}

/* Returns the true description of a dense result at an address. */
static struct ay_wire_result honest(const struct ay_operand *o, const void *at)
{
	struct ay_wire_result r = { .data = (uintptr_t)at, .ndim = o->view.ndim };

	r.dtype = (ay_dtype){ info(o)->dl_code, info(o)->dl_bits, 1 };
	memcpy(r.shape, o->view.shape, sizeof *r.shape * (size_t)r.ndim);
	ay_strides_dense(r.ndim, r.shape, r.stride);
	return r;
}

/* --- examining -------------------------------------------------------------------------------- */

enum lie {
	NONE,
	STRANGE,
	NO_TENSOR,
	DIMS,
	DIMS_MANY,
	SHAPE,
	DTYPE,
	NEGATIVE,
	ENDLESS,
	WRAPS,
	OVERLAP,
	EXPANDED,
	MEET
};

static void tell_lie(struct ay_wire_result *r, enum lie lie)
{
	switch (lie) {
	case NONE: break;
	case STRANGE: /* 0 4 8, 3 7 11, 6 10 14, 9 13 17: interleaved, but disjoint */
		r->stride[0] = 3;
		r->stride[1] = 4;
		break;
	case NO_TENSOR: r->ndim = -1; break;
	case DIMS: r->ndim = 1; break;
	case DIMS_MANY: r->ndim = 1 << 30; break;
	case SHAPE: r->shape[1]++; break;
	case DTYPE: r->dtype.bits = 16; break;
	case NEGATIVE: r->stride[0] = -3; break;
	case ENDLESS: r->stride[0] = INT64_MAX / 2; break;
	case WRAPS: r->data = UINT64_MAX - 8; break;
	case OVERLAP: r->stride[0] = 1; break;
	case EXPANDED: r->stride[0] = 0; break;
	case MEET: /* 0 3 6, 2 5 8, 4 7 10, 6... */
		r->stride[0] = 2;
		r->stride[1] = 3;
		break;
	}
}

TEST(result_desc_lies_are_found)
{
	static const char *const reason[] = { [NONE] = NULL,
					      [STRANGE] = NULL,
					      [NO_TENSOR] = "no tensor",
					      [DIMS] = "with shape [4], [4, 3] is due",
					      [DIMS_MANY] = "no tensor",
					      [SHAPE] = "with shape [4, 4], [4, 3] is due",
					      [DTYPE] = "another dtype than f32",
					      [NEGATIVE] = "strides that cannot be",
					      [ENDLESS] = "strides that cannot be",
					      [WRAPS] = "an address that cannot be",
					      [OVERLAP] = "elements that share memory",
					      [EXPANDED] = "elements that share memory",
					      [MEET] = "elements that share memory" };
	struct ay_arena a = { 0 };
	const struct ay_operand *o = result(bind(&a, "aten::relu((T([4, 3], f32),), {})"), 0);
	struct ay_result_desc t;
	float mem[32];

	for (int lie = NONE; lie <= MEET; lie++) {
		struct ay_wire_result r = honest(o, mem);
		char text[400] = "";
		int rc;

		tell_lie(&r, (enum lie)lie);
		rc = ay_result_desc_examine(&t, &r, o, false, text, sizeof text);
		CHECKF(rc == (lie > STRANGE), "lie %d: %d %s", lie, rc, text);
		CHECKF(!reason[lie] || strstr(text, reason[lie]), "lie %d: %s", lie, text);
	}
	ay_arena_release(&a);
}

TEST(result_desc_views_may_share_and_promised_strides_bind)
{
	struct ay_arena a = { 0 };
	const struct ay_operand *view = result(bind(&a, "aten::expand((T([1], f32), [4]), {})"), 0);
	const struct ay_operand *promised = result(
		bind(&a, "aten::empty_strided(([2, 3], [1, 2]), {'dtype': f32})"), 0);
	struct ay_wire_result r = honest(view, "1234");
	struct ay_result_desc t;
	char text[400] = "";

	r.stride[0] = 0;
	CHECK(!ay_result_desc_examine(&t, &r, view, true, text, sizeof text) && t.hi - t.lo == 4);
	r = honest(promised, "123456781234567812345678");
	CHECK(ay_result_desc_examine(&t, &r, promised, false, text, sizeof text) && strstr(text, "strides"));
	r.stride[0] = 1;
	r.stride[1] = 2;
	CHECK(!ay_result_desc_examine(&t, &r, promised, false, text, sizeof text));
	ay_arena_release(&a);
}

/* resolve_conj must leave nothing to conjugate. */
TEST(result_desc_resolved_views_are_no_views)
{
	struct ay_arena a = { 0 };
	const struct ay_operand *conj = result(bind(&a, "aten::resolve_conj((T([1], c64, conj=True),), {})"), 0);
	const struct ay_operand *neg = result(bind(&a, "aten::resolve_neg((T([2], f32, neg=True),), {})"), 0);
	struct ay_wire_result r = honest(conj, "12345678");
	struct ay_result_desc t;
	char text[400] = "";

	CHECK(!ay_result_desc_examine(&t, &r, conj, true, text, sizeof text));
	r.flags = AY_NEG;
	CHECK(!ay_result_desc_examine(&t, &r, conj, true, text, sizeof text));
	r.flags = AY_CONJ;
	CHECK(ay_result_desc_examine(&t, &r, conj, true, text, sizeof text) && strstr(text, "to be conjugated"));
	r = honest(neg, "12345678");
	r.flags = AY_NEG;
	CHECK(ay_result_desc_examine(&t, &r, neg, true, text, sizeof text) && strstr(text, "to be negated"));
	ay_arena_release(&a);
}

TEST(result_desc_layouts_and_signs_become_what_is_due)
{
	struct ay_arena a = { 0 };
	struct ay_operand *o = result(bind(&a, "aten::relu((T([2, 2], f32),), {})"), 0);
	float got[4] = { 0 }, turned[4] = { 1, 3, 2, 4 };
	struct ay_wire_result r = honest(o, turned);
	struct ay_view to = o->view;
	struct ay_result_desc t;
	char text[400];

	r.stride[0] = 1;
	r.stride[1] = 2;
	r.flags = AY_NEG;
	to.data = got;
	CHECK(!ay_result_desc_examine(&t, &r, o, false, text, sizeof text));
	CHECK(!ay_result_desc_is_sparse(&t));
	ay_result_desc_lay(&t, (uint8_t *)turned, &to);
	CHECKF(got[0] == -1 && got[1] == -2 && got[2] == -3 && got[3] == -4, "%g %g %g %g", got[0], got[1], got[2],
	       got[3]);
	ay_arena_release(&a);
}

/* --- taking ----------------------------------------------------------------------------------- */

/* A batch of two sets whose executor is this process. */
struct fixture {
	struct ay_arena a;
	struct ay_exec x;
	struct ay_pool pool;
	struct ay_call *call;
	struct ay_batch b;
	int slot[16], nresult;
	uint64_t offset[16];
	struct ay_wire_result *r; /* the description of each set */
};

static void fixture_init(struct fixture *g, const char *line)
{
	struct ay_need need[20];
	struct ay_err err = { 0 };
	int n;

	*g = (struct fixture){ 0 };
	g->call = bind(&g->a, line);
	n = 2 * g->call->noperand;
	for (int i = 0; i < n; i++) {
		const struct ay_operand *o = g->call->operand[i % g->call->noperand];

		need[i] = (struct ay_need){ (uint64_t)(ay_numel_of(&o->view) * info(o)->bytes), o->role != AY_IN };
		g->slot[i] = i;
		g->nresult += i < g->call->noperand && o->role == AY_RESULT;
	}
	need[n] = (struct ay_need){ ay_exec_told_bytes(g->call, 2), true };
	if (ay_pool_init(&g->pool, n + 1, need, &err))
		test_skip("%s", err.msg);
	g->x.executor = getpid();
	g->x.python = true;
	g->x.pool_at = 1ull << 44;
	g->b = (struct ay_batch){
		.call = g->call, .pool = &g->pool, .nset = 2, .slot = g->slot, .offset = g->offset
	};
	g->b.told = n;
	g->r = (struct ay_wire_result *)(g->pool.slot[n].mem + sizeof(struct ay_wire_told));
}

static struct ay_outcome take(struct fixture *g, int set)
{
	struct ay_outcome o = { 0 };
	struct ay_err err = { 0 };

	CHECK(!ay_exec_take(&g->x, &g->b, set, &o, &err));
	return o;
}

static void fixture_release(struct fixture *g)
{
	ay_pool_release(&g->pool);
	ay_arena_release(&g->a);
}

static bool says(const struct ay_outcome *o, const char *text)
{
	return text ? o->what == AY_EXEC_UNFIT && strstr(o->text, text) : o->what == AY_EXEC_RAN;
}

#define CHECK_SAYS(o, words) CHECKF(says(&(o), words), "%d %s", (o).what, (o).text)

TEST(result_desc_results_are_read_where_they_are)
{
	const float mine[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
	struct ay_outcome o;
	struct fixture g;

	fixture_init(&g, "aten::relu((T([3], f32),), {})");
	for (int s = 0; s < 2; s++) {
		const struct ay_operand *r = result(g.call, 0);

		g.r[s] = honest(r, mine[s]);
		o = take(&g, s);
		CHECK_SAYS(o, NULL);
		CHECK(!memcmp(g.pool.slot[s * g.call->noperand + r->ordinal].mem, mine[s], sizeof mine[s]));
	}
	g.r[1].data = g.r[0].data + 8; /* takes one element of the first set's memory */
	o = take(&g, 1);
	CHECK_SAYS(o, "what an earlier call returned");
	o = take(&g, 0);
	CHECK_SAYS(o, NULL);
	fixture_release(&g);
}

TEST(result_desc_results_in_arguments_or_nowhere_are_refused)
{
	void *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ay_outcome o;
	struct fixture g;

	fixture_init(&g, "aten::relu((T([3], f32),), {})");
	g.r[0] = honest(result(g.call, 0), gone);
	o = take(&g, 0);
	CHECK_SAYS(o, "cannot be read");
	for (int s = 0; s < g.pool.nslot; s++) { /* every slot, from its first byte to its last */
		uint64_t at = g.x.pool_at + AY_WIRE_GUARD;

		for (int i = 0; i < s; i++)
			at += g.pool.slot[i].bytes + AY_WIRE_GUARD;
		g.r[0].data = at - 8;
		o = take(&g, 0);
		CHECK_SAYS(o, "memory of an argument");
		g.r[0].data = at + g.pool.slot[s].bytes - 4;
		o = take(&g, 0);
		CHECK_SAYS(o, "memory of an argument");
		if (getenv("ASSAY_SANITIZED")) /* its shadow lies there */
			continue;
		g.r[0].data = at + g.pool.slot[s].bytes;
		o = take(&g, 0);
		CHECK_SAYS(o, "cannot be read");
	}
	g.x.executor = 0x3fffffff; /* it has ended in between */
	g.r[0].data = (uintptr_t)&g;
	o = take(&g, 0);
	CHECK_SAYS(o, "cannot be read");
	munmap(gone, 4096);
	fixture_release(&g);
}

/* `to` may return self; with copy=True it may not. */
TEST(result_desc_copies_have_memory_of_their_own)
{
	static const char *const lines[] = { "aten::to.dtype((T([3], f32), f32), {})",
					     "aten::to.dtype((T([3], f32), f32), {'copy': True})" };

	for (int copy = 0; copy < 2; copy++) {
		struct ay_outcome o;
		struct fixture g;

		fixture_init(&g, lines[copy]);
		g.r[0] = honest(result(g.call, 0), (void *)(uintptr_t)(g.x.pool_at + AY_WIRE_GUARD));
		o = take(&g, 0);
		CHECKF(!strstr(o.text, "memory of an argument") == !copy, "copy %d: %s", copy, o.text);
		fixture_release(&g);
	}
}

TEST(result_desc_results_of_one_call_are_apart)
{
	double both[5] = { 1, 2, 3, 4, 5 };
	int64_t places[3] = { 0, 1, 2 };
	struct ay_outcome o;
	struct fixture g;

	fixture_init(&g, "aten::sort((T([3], f64), -1, False), {})");
	CHECK(g.nresult == 2);
	g.r[0] = honest(result(g.call, 0), both);
	g.r[1] = honest(result(g.call, 1), both + 2);
	o = take(&g, 0);
	CHECK_SAYS(o, "memory of another result");
	g.r[1] = honest(result(g.call, 1), places);
	o = take(&g, 0);
	CHECK_SAYS(o, NULL);
	fixture_release(&g);
}

/* Sixteen gigabytes lie between two elements; the judge must not read what is between. */
TEST(result_desc_elements_far_apart_are_read_alone)
{
	const size_t size = 16ull << 30;
	float *wide = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const int64_t step = (int64_t)(size / 4 / 2) - 1;
	const struct ay_operand *r;
	struct ay_outcome o;
	struct fixture g;
	float got[3];

	if (wide == MAP_FAILED)
		test_skip("no address space");
	fixture_init(&g, "aten::relu((T([3], f32),), {})");
	r = result(g.call, 0);
	for (int i = 0; i < 3; i++)
		wide[i * step] = (float)(i + 7);
	g.r[0] = honest(r, wide);
	g.r[0].stride[0] = step;
	g.r[0].flags = AY_NEG;
	o = take(&g, 0);
	CHECK_SAYS(o, NULL);
	memcpy(got, g.pool.slot[r->ordinal].mem, sizeof got);
	CHECKF(got[0] == -7 && got[1] == -8 && got[2] == -9, "%g %g %g", got[0], got[1], got[2]);
	munmap((char *)wide + size - (64 << 20), 64 << 20); /* its last element is unmapped */
	o = take(&g, 0);
	CHECK_SAYS(o, "cannot be read");
	munmap(wide, size);
	fixture_release(&g);
}
