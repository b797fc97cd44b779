/* SPDX-License-Identifier: Apache-2.0
 *
 * aten_crosscheck - tests of small calls that represent larger ones when two oracles are compared.
 */
#include "helpers.h"
#include "judge/aten_crosscheck.h"
#include "op/fill.h"
#include "test.h"
#include "aten_oracle_fixture.h"

#include <string.h>

/* Calls of the torchbench trace, with the first shrink strategy that gives a valid call. */
static const struct {
	const char *line;
	int way;
} calls[] = {
	{ "aten::silu_backward((T([128, 256, 64, 64], f16), T([128, 256, 64, 64], f16)), {})", 0 },
	{ "aten::_log_softmax_backward_data((T([8192, 30522], f16), T([8192, 30522], f16), 1, f16), {})", 0 },
	{ "aten::native_batch_norm((T([64, 192, 112, 112], f16), T([192], f16), T([192], f16), T([192], f16), "
	  "T([192], f16), True, 0.1, 1e-05), {})",
	  0 },
	{ "aten::convolution((T([128, 448, 56, 56], f16), T([256, 448, 1, 1], f16), None, [1, 1], [0, 0], [1, 1], "
	  "False, [0, 0], 1), {})",
	  0 },
	/* one filter per channel: groups is a size too */
	{ "aten::convolution((T([128, 240, 56, 56], f16), T([240, 1, 3, 3], f16), None, [1, 1], [1, 1], [1, 1], "
	  "False, [0, 0], 240), {})",
	  0 },
	/* a pooled image is half as high, whatever else is smaller; its strides are those of
	 * channels last */
	{ "aten::max_pool2d_with_indices_backward((T([64, 64, 112, 112], f16), T([64, 64, 224, 224], f16), [2, "
	  "2], "
	  "[2, 2], [0, 0], [1, 1], False, T([64, 64, 112, 112], i64)), {})",
	  1 },
	{ "aten::convolution_backward((T([64, 128, 56, 56], f16, stride=(401408, 1, 7168, 128)), T([64, 64, 112, "
	  "112], f16), T([128, 64, 3, 3], f16), [0], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, "
	  "False]), {})",
	  1 },
	/* 8192 is 64 * 128 */
	{ "aten::_unsafe_view((T([8192, 50265], f16), [64, 128, 50265]), {})", 3 },
	{ "aten::native_group_norm((T([48, 256, 64, 64], f16), T([256], f16), T([256], f16), 48, 256, 4096, 32, "
	  "1e-05), {})",
	  2 },
};

static int64_t elements(const struct ay_call *c)
{
	int64_t n = 0;

	for (int i = 0; i < c->noperand; i++)
		n += c->operand[i]->role != AY_RESULT ? ay_numel_of(&c->operand[i]->view) : 0;
	return n;
}

/* Returns the first shrink strategy whose call the processor can answer, or -1. */
static int way_of(struct aten_oracle_fixture *g, const char *line)
{
	struct ay_call *c, *less;
	const struct ay_entry_op *op = aten_oracle_fixture_bind(g, line, &c);

	CHECKF(op && c, "%s", line);
	for (int way = 0; way < AY_ATEN_CROSSCHECK_WAYS; way++) {
		less = ay_aten_crosscheck_smaller(&g->a, c, way);
		if (!less || ay_aten_oracle_answer(&g->w, op, less, &g->a, &g->why, &g->err))
			continue;
		CHECKF(ay_aten_crosscheck_kind(less) == ay_aten_crosscheck_kind(c), "%s: way %d", line, way);
		CHECKF(elements(less) <= elements(c) / 10, "%s: %lld elements", line, (long long)elements(less));
		return way;
	}
	return -1;
}

TEST(aten_crosscheck_large_calls_have_small_ones_of_their_kind)
{
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	aten_oracle_fixture_begin(&g, NULL, NULL);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		const int way = way_of(&g, calls[i].line);

		CHECKF(way == calls[i].way, "%s: way %d: %s", calls[i].line, way, g.why ? g.why : "");
	}
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_release(&g);
}

TEST(aten_crosscheck_smaller_calls_keep_what_makes_their_kind)
{
	struct aten_oracle_fixture g = { 0 };
	struct ay_call *c, *less;

	aten_oracle_fixture_registry(&g, NULL);
	aten_oracle_fixture_bind(
		&g,
		"aten::silu_backward((T([64, 8, 33], f16, stride=(264, 1, 8)), T([64, 8, 33], f16, stride=(0, "
		"33, 1))), {})",
		&c);
	less = ay_aten_crosscheck_smaller(&g.a, c, 0);
	CHECK(less && less->operand[0]->view.shape[0] == 4 && less->operand[0]->view.shape[1] == 8 &&
	      less->operand[0]->view.shape[2] == 7);
	CHECK(less->operand[0]->view.stride[0] == 56 && less->operand[0]->view.stride[1] == 1 &&
	      less->operand[0]->view.stride[2] == 8);
	CHECK(less->operand[1]->view.stride[0] == 0 && less->operand[1]->view.stride[1] == 7);
	CHECK(c->operand[0]->view.shape[0] == 64); /* and the call is unchanged */
	/* nothing to shrink: sizes that are small, or that the line's data fix */
	aten_oracle_fixture_bind(&g, "my::shift((T([16, 3], f32),), {})", &c);
	CHECK(!ay_aten_crosscheck_smaller(&g.a, c, 0));
	ay_registry_release(&g.r);
	ay_arena_release(&g.a);
}

/* An answer in double is to be better than results can be: the last bits of single precision are
 * enough for halves. */
TEST(aten_crosscheck_answers_may_differ_by_less_than_results_can)
{
	static const struct {
		enum ay_dt dt;
		double by; /* of the weight */
		bool concur;
	} t[] = {
		{ AY_DT_F16, 0x1p-35, true },  { AY_DT_F16, 0x1p-33, false }, { AY_DT_BF16, 0x1p-35, true },
		{ AY_DT_F32, 0x1p-35, false }, { AY_DT_F32, 0x1p-41, true },  { AY_DT_C64, 0x1p-41, true },
		{ AY_DT_F64, 0x1p-41, false }, { AY_DT_F64, 0x1p-52, true },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const bool pairs = t[i].dt == AY_DT_C64;
		double want[2] = { 1, 0 }, other[2] = { 1 + 4 * t[i].by, 0 }, mag = 4;
		struct ay_answer x = { .meta = { .dt = t[i].dt },
				       .want = { .dt = pairs ? AY_DT_C128 : AY_DT_F64, .data = want },
				       .mag = &mag },
				 y = x;
		const struct ay_expected ours = { .n = 1, .answer = &x }, its = { .n = 1, .answer = &y };

		y.want.data = other;
		CHECKF(ay_aten_crosscheck_concur(&ours, &its) == t[i].concur, "line %zu", i);
	}
}

/* --- in place of the first of a kind --- */

#define HUGE_CALL "my::shift((T([4194304], f32, fill=zeros),), {}) seed=1"

TEST_SLOW(aten_crosscheck_a_small_call_speaks_for_a_large_one)
{
	struct aten_oracle_fixture g;

	aten_oracle_fixture_init(&g, true);
	aten_oracle_fixture_begin(&g, aten_oracle_fixture_marked, g.d);
	CHECK(aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, HUGE_CALL)) == 1000 && g.w.on_gpu &&
	      g.w.ncrosscheck == 1);
	aten_oracle_fixture_end(&g);
	/* and against it */
	aten_oracle_fixture_begin(
		&g, WITNESS_ON_GPU "def reference(x):\n    return x + (1 if gpu and x.numel() < 99 else 0)\n",
		g.d);
	CHECK(aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, HUGE_CALL)) == 0 && !g.w.on_gpu &&
	      g.w.failures == WITNESS_FAILURES);
	aten_oracle_fixture_end(&g);
	/* if no smaller call is valid, both devices compute the large one */
	aten_oracle_fixture_begin(
		&g, WITNESS_ON_GPU "def reference(x):\n    assert x.numel() > 99\n    return x\n", g.d);
	CHECK(aten_oracle_fixture_first(aten_oracle_fixture_ask(&g, HUGE_CALL)) == 0 && !g.w.on_gpu &&
	      g.w.ncrosscheck == 1 && !g.w.failures);
	aten_oracle_fixture_end(&g);
	aten_oracle_fixture_release(&g);
}
