/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "helpers.h"
#include "op/op.h"
#include "timing/floor.h"

#include <string.h>

/* 10 GB/s in memory, 100 in the first cache: a byte is 0.1 or 0.01 ns. */
static const struct ay_ceilings machine = {
	.cpus = 1,
	.cache = { 32 << 10, 1 << 20, 16 << 20 },
	.nthread = 1,
	.row = { { 1, 2, { { 16e3, 100e9 }, { 64e6, 10e9 } }, 64e9, 32e9 } },
};

/* Counted by hand: what every correct kernel must touch. */
static const struct {
	const char *line;
	double bytes, flops;
} due[] = {
	/* self read, out written; an expanded dimension is read once; in place once; a strided one
	 * without its gaps */
	{ "aten::relu((T([100, 10], f32),), {})", 4000 + 4000, 1000 },
	{ "aten::relu((T([100, 10], f32, stride=(0, 1)),), {})", 40 + 4000, 1000 },
	{ "aten::relu((T([100, 10], f16, stride=(40, 2), offset=3),), {})", 2000 + 2000, 1000 },
	{ "aten::relu_((T([100, 10], f64),), {})", 8000, 1000 },
	{ "aten::relu((T([0, 10], f32),), {})", 0, 0 },
	/* overlapping strides: at least the elements of one dimension */
	{ "aten::relu((T([4, 6], f32, stride=(2, 4)),), {})", 6 * 4 + 24 * 4, 24 },
	/* two inputs, one of them broadcast; a number needs no memory */
	{ "aten::add.Tensor((T([8, 4], f32), T([4], f32)), {})", 128 + 16 + 128, 64 },
	{ "aten::add.Tensor((T([8, 4], i32), T([8, 4], i32)), {'alpha': 0})", 0, 64 },
	{ "aten::add.Tensor((T([8, 4], f32), T([8, 4], f32)), {'alpha': 0})", 384,
	  64 }, /* NaN must come through */
	{ "aten::add.Tensor((T([8, 4], b8), T([8, 4], b8)), {})", 32, 64 },
	{ "aten::add.Scalar((T([8, 4], f16), 2.5), {})", 128, 64 },
	/* 6 x 5 times 5 x 7; nothing if the result is empty */
	{ "aten::matmul((T([6, 5], f32), T([5, 7], f32)), {})", 4 * (30 + 35 + 42), 2 * 42 * 5 },
	{ "aten::matmul((T([6, 5], f32), T([5, 0], f32)), {})", 0, 0 },
	/* values f32 and indices i64 */
	{ "aten::sort((T([9, 5], f32),), {})", 45 * (4 + 4 + 8), 0 },
	{ "aten::cat(([T([2, 3], f16), T([4, 3], f16)],), {})", 2 * (6 + 12 + 18), 0 },
	{ "aten::expand((T([1, 6], f32), [5, 6]), {})", 24 + 120, 0 },
	{ "aten::_to_copy((T([3, 7], f32),), {'dtype': torch.float16})", 84 + 42, 0 },
	{ "aten::sum((T([10, 10], f32),), {})", 400 + 4, 100 },
	/* what the indices name may be one row: the table is not counted, nor more than the indices
	 * have memory */
	{ "aten::embedding((T([1000, 16], f32), T([20], i64)), {})", 20 * 16 * 4 + 20 * 8, 0 },
	{ "aten::embedding((T([1000, 16], f32), T([20], i64, stride=(0,))), {})", 20 * 16 * 4 + 8, 0 },
	{ "aten::gather((T([50, 4], f32), 0, T([3, 4], i64)), {})", 12 * 4 + 12 * 8, 0 },
	/* ten places; accumulated, they may be one place */
	{ "aten::index_put_((T([100], f32), [T([10], i64)], T([10], f32)), {})", 80 + 40 + 40, 0 },
	{ "aten::index_put_((T([100], f32), [T([10], i64)], T([10], f32), True), {})", 80 + 40, 10 },
	{ "aten::index_put_((T([100], f32), [T([10], i64)], T([1], f32)), {})", 80 + 4 + 40, 0 },
	{ "aten::index_select((T([50, 4], f32), 0, T([3], i64)), {})", 12 * 4 + 3 * 8, 0 },
	{ "aten::index.Tensor((T([50, 4], f32), [T([3], i64)]), {})", 12 * 4 + 3 * 8, 0 },
	/* twelve of forty are overwritten, and twelve of src are read; a sum needs all of self */
	{ "aten::scatter.src((T([10, 4], f32), 0, T([3, 4], i64), T([5, 4], f32)), {})", 160 + 96 + 112 + 48, 0 },
	{ "aten::scatter.value((T([10, 4], f32), 0, T([3, 4], i64), 1), {})", 160 + 96 + 112, 0 },
	{ "aten::scatter.reduce((T([10, 4], f32), 0, T([3, 4], i64), T([5, 4], f32)), {'reduce': 'add'})",
	  160 + 96 + 160 + 48, 12 },
	/* with a mask that is false everywhere the rest stays unread */
	{ "aten::masked_fill_.Scalar((T([8, 4], f32), T([4], b8), 1), {})", 4, 0 },
	{ "aten::select_backward((T([4], f32), [3, 4], 0, 1), {})", 16 + 48, 0 },
	{ "aten::stack(([T([2, 3], f16), T([2, 3], f16)],), {})", 2 * (6 + 6 + 12), 0 },
	{ "aten::rot90((T([2, 3], f32),), {})", 24 + 24, 0 },
	/* every second row and column, of which four places are used */
	{ "aten::im2col((T([1, 4, 4], f32), [1, 1], [1, 1], [0, 0], [2, 2]), {})", 16 + 16, 0 },
	/* self is only a shape */
	{ "aten::reflection_pad1d_backward((T([1, 6], f32), T([1, 4], f32), [1, 1]), {})", 24 + 16, 6 },
	{ "aten::upsample_nearest2d_backward((T([1, 1, 4, 4], f32), [4, 4], [1, 1, 2, 2]), {})", 64 + 16, 16 },
	{ "aten::affine_grid_generator((T([1, 2, 3], f32), [1, 1, 2, 2], False), {})", 24 + 32, 32 },
	/* x^0 = 1 and 1^y = 1 need only one operand */
	{ "aten::pow.Tensor_Tensor((T([8, 4], f32), T([4], f32)), {})", 128 + 16, 640 },
	{ "aten::pow.Tensor_Scalar((T([8, 4], f32), 0), {})", 128, 640 },
	{ "aten::pow.Tensor_Scalar((T([8, 4], f32), 2), {})", 256, 640 },
	{ "aten::pow.Scalar((1, T([8, 4], f32)), {})", 128, 640 },
	{ "aten::mean((T([10, 10], f32),), {})", 400 + 4, 100 },
	/* the least integer ends the search, but no float does: NaN may follow */
	{ "aten::amin((T([10, 10], f32), [0]), {})", 400 + 40, 100 },
	{ "aten::amin((T([10, 10], i32), [0]), {})", 40, 100 },
	{ "aten::argmax((T([10, 10], f16), 1), {})", 200 + 80, 100 },
	{ "aten::argmax((T([10, 10], u8),), {})", 8, 100 },
	{ "aten::mm.dtype((T([6, 5], f16), T([5, 7], f16), f32), {})", 2 * (30 + 35) + 4 * 42, 2 * 42 * 5 },
	{ "aten::linear((T([6, 5], f32), T([7, 5], f32), T([7], f32)), {})", 4 * (30 + 35 + 7 + 42), 2 * 42 * 5 },
	/* nine rows give seven second differences; three elements have no third difference */
	{ "aten::diff((T([9, 5], f32), 2, 0), {})", 4 * (45 + 35), 2 * 35 },
	{ "aten::diff((T([3], f32), 3), {})", 0, 0 },
	{ "aten::pairwise_distance((T([6, 5], f32), T([5], f32)), {})", 4 * (30 + 5 + 6), 4 * 30 },
	{ "aten::renorm((T([6, 5], f32), 2, 0, 1.0), {})", 120 + 120, 90 },
	{ "aten::exponential_((T([8, 4], f32),), {})", 128, 320 },
	{ "aten::poisson((T([8, 4], f32),), {})", 256, 640 },
	/* noise is written in training only */
	{ "aten::rrelu_with_noise((T([8, 4], f32), T([8, 4], f32)), {})", 256, 64 },
	{ "aten::rrelu_with_noise((T([8, 4], f32), T([8, 4], f32), 0.1, 0.4, True), {})", 384, 64 },
	/* with p, self gives only the shape */
	{ "aten::bernoulli.p((T([8, 4], f32), 0.5), {})", 128, 32 },
	{ "aten::bernoulli((T([8, 4], f32),), {})", 256, 32 },
	/* m, n, k = 3, 4, 5 in f32 with two rows of padding */
	{ "cublas::cublasSgemm_v2(('N', 'N', 3, 4, 5, 1.0, T([5, 5], f32), 5, T([4, 7], f32), 7, 0.5, T([4, 5], "
	  "f32), 5), {})",
	  4 * (15 + 20 + 12), 12 * 12 },
	{ "cublas::cublasSgemm_v2(('N', 'N', 3, 4, 5, 0.0, T([5, 5], f32), 5, T([4, 7], f32), 7, 1.0, T([4, 5], "
	  "f32), 5), {})",
	  0, 0 },
	/* read and quantised; nothing is written to the padding */
	{ "vllm13::scaled_fp8_quant((T([3, 8], f16), T([1], f32, fill=const(0.01)), 100), {})", 48 + 24, 48 },
	{ "vllm13::fused_add_rms_norm((T([4, 8], f16), T([4, 8], f16), T([8], f16), 1e-6), {})", 64 + 64 + 16,
	  160 },
	/* two sequences of 40 tokens; blocks may be shared */
	{ "vllm13::paged_attention_v1((T([2, 4, 64], f16, fill=out), T([2, 4, 64], f16), T([9, 2, 8, 16, 8], "
	  "f16), "
	  "T([9, 2, 64, 16], f16), 2, 0.125, T([2, 3], i32), T([2], i32, fill=const(40)), 16, 40, None, 'auto', "
	  "T([1], f32), T([1], f32)), {})",
	  512 * 2 + 2 * 4, 4 * 80 * 256 },
};

TEST(floor_bytes_are_those_counted_by_hand)
{
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		struct ay_err err = { 0 };
		struct ay_call *c = help_bind(help_registry(), &a, due[i].line, &err);
		struct ay_floor f;

		CHECKF(c, "%s: %s", due[i].line, err.msg);
		if (!c)
			continue;
		ay_floor(c, &machine, 1, 1e9, 0, &f);
		CHECKF(f.bytes == due[i].bytes, "%s: %.0f bytes, not %.0f", due[i].line, f.bytes, due[i].bytes);
		CHECKF(f.flops == due[i].flops, "%s: %.0f FLOPs, not %.0f", due[i].line, f.flops, due[i].flops);
		ay_arena_clear(&a);
	}
	ay_arena_release(&a);
}

TEST(floor_is_the_empty_call_or_the_bytes)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(help_registry(), &a, "aten::relu((T([1000], f32),), {})", &err);
	struct ay_ceilings quick = machine;
	struct ay_floor f;

	ay_floor(c, &machine, 1, 1e9, 5, &f); /* 8000 bytes from memory */
	CHECKF(f.ns == 800, "%g", f.ns);
	ay_floor(c, &machine, 1, 8000, 5, &f); /* the eight bytes come from the first cache */
	CHECKF(f.ns == 80, "%g", f.ns);
	quick.quick = true;
	ay_floor(c, &quick, 1, 1e9, 5, &f);
	CHECKF(f.ns == 400, "%g", f.ns);
	quick.gpu.read = 1; /* even the quick measurement of a GPU gives a better figure */
	ay_floor(c, &quick, 1, 1e9, 5, &f);
	CHECKF(f.ns > 600 && f.ns < 800, "%g", f.ns);
	ay_floor(c, &machine, 1, 8000, 90, &f);
	CHECKF(f.ns == 90, "%g", f.ns);
	ay_arena_release(&a);
}

TEST(floor_knows_what_is_multiplied)
{
	static const struct {
		const char *line;
		enum ay_dt due;
	} list[] = {
		{ "aten::mm((T([2, 3], f16), T([3, 4], f16)), {})", AY_DT_F16 },
		{ "aten::argmax((T([2, 3], f16),), {})", AY_DT_F16 }, /* not i64 */
		{ "aten::pow.Tensor_Tensor((T([2, 3], i32), T([2, 3], f32)), {})", AY_DT_F32 },
		{ "aten::relu((T([1000], f64),), {})", AY_DT_F64 },
		{ "aten::embedding((T([10, 4], f32), T([3], i64, fill=index(10))), {})", AY_DT_F32 },
		/* weights of four bits, widened to f16 */
		{ "vllm13::awq_gemm((T([2, 128], f16), T([128, 8], i32), T([1, 64], f16), T([1, 8], i32), 1), {})",
		  AY_DT_F16 },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct ay_err err = { 0 };
		struct ay_call *c = help_bind(help_registry(), &a, list[i].line, &err);

		CHECKF(c && ay_multiplied(c) == list[i].due, "%s: %s", list[i].line,
		       c ? ay_dt_info(ay_multiplied(c))->name : err.msg);
	}
	ay_arena_release(&a);
}

/* No operator claims more than reading and writing all it is given: catches a cost that counts
 * twice. */
TEST(floor_claims_no_more_than_all_there_is)
{
	const struct ay_registry *r = help_registry();
	struct ay_arena keep = { 0 }, one = { 0 };
	struct ay_err err = { 0 };
	int seen = 0;

	for (int i = 0; i < r->n; i++) {
		struct ay_suite s = { 0 };

		CHECK(!ay_suite_add_op(&s, &keep, r, &r->op[i], AY_PERF, &err));
		for (int k = 0; k < s.n; k++) {
			double all = 0;
			struct ay_call *c;
			struct ay_floor f;

			ay_arena_clear(&one);
			if (ay_call_bind(&one, r->op[i].op[0], s.c[k].schema, s.c[k].line, &c, &err))
				continue; /* ops_all_cases_bind_and_have_a_cost reports the error */
			for (int o = 0; o < c->noperand; o++)
				all += ay_touched(&c->operand[o]->view) *
				       (c->operand[o]->role == AY_INOUT ? 2 : 1);
			ay_floor(c, &machine, 1, 1e9, 0, &f);
			CHECKF(f.bytes >= 0 && f.flops >= 0 && f.bytes <= all, "%s: %.0f bytes of %.0f",
			       r->op[i].name, f.bytes, all);
			seen++;
		}
		ay_suite_release(&s);
	}
	CHECK(seen > 1000);
	ay_arena_release(&one);
	ay_arena_release(&keep);
}
