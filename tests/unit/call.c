/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "helpers.h"
#include "op/fill.h"

#include <string.h>

static struct ay_arena a;

static struct ay_call *bind(const char *line)
{
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(help_registry(), &a, line, &err);

	if (!c)
		test_fail(__FILE__, __LINE__, "%s\n      %s", line, err.msg);
	return c;
}

TEST(call_gives_results_shape_and_dtype)
{
	static const struct {
		const char *line;
		enum ay_dt dt;
		int ndim;
		int64_t shape[4];
	} t[] = {
		{ "aten::add.Tensor((T([6, 1, 9], f16), T([4, 1], f16)), {})", AY_DT_F16, 3, { 6, 4, 9 } },
		{ "aten::add.Tensor((T([3], f16), T([3], bf16)), {})", AY_DT_F32, 1, { 3 } },
		{ "aten::add.Tensor((T([3], f16), T([], f64)), {})", AY_DT_F16, 1, { 3 } },
		{ "aten::add.Tensor((T([3], i32), T([], f16)), {})", AY_DT_F16, 1, { 3 } },
		{ "aten::add.Tensor((T([3], i32), 2.5), {})", AY_DT_F32, 1, { 3 } },
		{ "aten::add.Tensor((2, T([3], i16)), {})", AY_DT_I16, 1, { 3 } },
		{ "aten::add.Scalar((T([3], b8), 2), {})", AY_DT_I64, 1, { 3 } },
		{ "aten::add.Scalar((T([2, 0], u8), 1.5), {})", AY_DT_F32, 2, { 2, 0 } },
		{ "aten::sum((T([3, 4], i8),), {})", AY_DT_I64, 0, { 0 } },
		{ "aten::sum.dim_IntList((T([3, 4, 5], f16), [-1, 0], True), {})", AY_DT_F16, 3, { 1, 4, 1 } },
		{ "aten::sum.dim_IntList((T([3, 4, 5], f16), 1), {'dtype': f64})", AY_DT_F64, 2, { 3, 5 } },
		{ "aten::sum.SymInt((T([3, 4], f32), [1]), {})", AY_DT_F32, 1, { 3 } },
		{ "aten.sum.default((T([3, 4], f32),), {})", AY_DT_F32, 0, { 0 } },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_call *c = bind(t[i].line);

		if (!c)
			continue;
		CHECKF(c->nout == 1 && c->out[0]->view.dt == t[i].dt, "%s: dtype %s", t[i].line,
		       ay_dt_info(c->out[0]->view.dt)->name);
		CHECKF(c->out[0]->view.ndim == t[i].ndim, "%s: %d dims", t[i].line, c->out[0]->view.ndim);
		for (int d = 0; d < t[i].ndim; d++)
			CHECKF(c->out[0]->view.shape[d] == t[i].shape[d], "%s: dim %d", t[i].line, d);
	}
}

/* An operator that guarantees strides gets them, even if elements share memory. */
TEST(call_gives_results_their_strides)
{
	struct ay_call *c = bind("aten::empty_strided(([5, 9], [18, 2]), {'dtype': f16})");
	const struct ay_view *v = c ? &c->out[0]->view : NULL;

	CHECK(v && v->dt == AY_DT_F16 && v->stride[0] == 18 && v->stride[1] == 2 && ay_view_extent(v) == 89);
	c = bind("aten::empty_strided(([4, 3], [0, 1]), {})");
	v = c ? &c->out[0]->view : NULL;
	CHECK(v && v->dt == AY_DT_F32 && v->stride[0] == 0 && ay_view_extent(v) == 3);
	c = bind("aten::item((T([1], f32),), {})");
	CHECK(c && c->nout == 0 && c->nscalar_out == 1);
}

/* A list of results has as many as the operator says, each of its own shape; so has a list that is
 * written. */
TEST(call_gives_lists_of_results)
{
	static const int64_t rows[] = { 2, 2, 1 };
	struct ay_call *c = bind("aten::unsafe_split.Tensor((T([5, 3], f16), 2), {})");

	CHECK(c && c->nout == 3 && c->noperand == 4);
	for (int k = 0; c && k < c->nout; k++)
		CHECKF(c->out[k]->role == AY_RESULT && c->out[k]->view.dt == AY_DT_F16 &&
			       c->out[k]->view.shape[0] == rows[k] && c->out[k]->view.shape[1] == 3,
		       "piece %d", k);
	c = bind("aten::unsafe_split_with_sizes((T([5, 3], f16), [0, 5]), {})");
	CHECK(c && c->nout == 2 && c->out[0]->view.shape[0] == 0 && c->out[1]->view.shape[0] == 5);
	c = bind("aten::unsafe_split.Tensor_out((T([3], f32), 2), {'out': [T([2], f32), T([1], f32)]})");
	CHECK(c && c->nout == 2 && c->out[0]->role == AY_OUT && c->out[1]->view.shape[0] == 1);
}

/* A memory format guarantees strides; for a size of 1 they mean nothing. */
TEST(call_gives_formats_their_strides)
{
	static const struct {
		const char *line;
		bool promised;
		int64_t stride[4];
	} t[] = {
		{ "aten::contiguous((T([4, 3], f32, stride=(1, 4)),), {})", true, { 3, 1 } },
		{ "aten::contiguous((T([2, 3, 5, 7], f32),), {'memory_format': torch.channels_last})",
		  true,
		  { 105, 1, 21, 3 } },
		{ "aten::contiguous((T([4, 1], f32),), {})", false, { 1, 1 } },
		{ "aten::clone((T([4, 3], f32, stride=(1, 4)),), {})", false, { 3, 1 } },
		{ "aten::clone((T([4, 3], f32, stride=(1, 4)),), {'memory_format': torch.preserve_format})",
		  true,
		  { 1, 4 } },
		{ "aten::clone((T([4, 3], f32, stride=(1, 5)),), {'memory_format': torch.preserve_format})",
		  false,
		  { 3, 1 } },
		{ "aten::clone((T([4, 3], f32, stride=(0, 1)),), {'memory_format': torch.preserve_format})",
		  false,
		  { 3, 1 } },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_call *c = bind(t[i].line);
		const struct ay_operand *o = c ? c->out[0] : NULL;

		CHECKF(o && o->has_stride == t[i].promised &&
			       !memcmp(o->view.stride, t[i].stride, sizeof *t[i].stride * (size_t)o->view.ndim),
		       "%s", t[i].line);
	}
}

TEST(call_knows_what_is_written)
{
	struct ay_call *c = bind("aten::add_.Tensor((T([3], f32), T([3], f32)), {})");

	CHECK(c && c->nout == 1 && c->out[0]->role == AY_INOUT && c->noperand == 2);
	c = bind("aten::add.out((T([3], f32), T([3], f32)), {'out': T([3], f32)})");
	CHECK(c && c->nout == 1 && c->out[0]->role == AY_OUT && c->noperand == 3);
	c = bind("aten::add.Tensor((T([3], f32), T([3], f32)), {})");
	CHECK(c && c->nout == 1 && c->out[0]->role == AY_RESULT && c->noperand == 3);
}

TEST(call_scalar_is_a_tensor_too)
{
	struct ay_call *c = bind("aten::add.Scalar((T([3], f32), 2.5, 3), {})");
	const struct ay_view *other = c ? ay_t(c, "other") : NULL;
	double x = 0;

	CHECK(other && other->ndim == 0 && other->dt == AY_DT_F64);
	if (other)
		ay_row_load_d(other->dt, other->data, 1, 1, &x);
	CHECK(x == 2.5);
	CHECK(c && ay_int(c, "alpha") == 3);
}

TEST(call_refuses_with_a_reason)
{
	static const struct {
		const char *line, *part;
	} bad[] = {
		{ "aten::relu((T([3], c64),), {})", "no meaning for c64" },
		{ "aten::erfc((T([3], c64),), {})", "no meaning for c64" },
		{ "aten::sin((T([3], f8e4m3fn),), {})", "no meaning for f8e4m3fn" },
		{ "aten::sin.out((T([3], i32),), {'out': T([3], f64)})", "out must be f32" },
		{ "aten::neg((T([3], b8),), {})", "no meaning for b8" },
		{ "aten::polygamma((-1, T([3], f32)), {})", "must not be negative" },
		{ "aten::logit((T([3], f32), 0.6), {})", "at most 1/2" },
		{ "aten::relu((), {})", "needs its argument 'self'" },
		{ "aten::relu((T([3], f32), 1), {})", "takes 1 positional arguments, not 2" },
		{ "aten::relu((T([3], f32),), {'x': 1})", "has no argument 'x'" },
		{ "aten::add.Tensor((T([3], f32), T([3], f32)), {'self': 1})", "given twice" },
		{ "aten::add.Tensor((T([3], f32), T([4], f32)), {})", "[3]" },
		{ "aten::add.Tensor((T([3], f32), 'x'), {})", "takes a tensor" },
		{ "aten::add.Tensor((T([3], i32), T([3], i32)), {'alpha': 0.5})", "alpha must be an integer" },
		{ "aten::add_.Tensor((T([3], i32), T([3], f32)), {})", "which self cannot hold" },
		{ "aten::add_.Tensor((T([3, 3], f32, stride=(0, 1)), T([3], f32)), {})", "share memory" },
		{ "aten::add.out((T([3], f32), T([3], f32)), {'out': T([4], f32)})",
		  "not the shape of the result" },
		{ "aten::sum.dim_IntList((T([3], f32), [1]), {})", "dim" },
		{ "aten::sum.dim_IntList((T([3, 4], f32), [0, -2]), {})", "listed twice" },
		{ "aten::sum.nodim((T([3], f32),), {})", "has no overload 'nodim'" },
		{ "aten::rleu((T([3], f32),), {})", "did you mean aten::relu" },
		{ "aten::sum.dim_IntList((T([3], f32), [0], 1), {})", "takes True or False" },
		{ "((T([3], f32),), {})", "names no operator" },
		{ "aten::relu((T([4611686018427387904, 4], f32),), {})", "impossible" },
		{ "aten::relu((T([3, 3], f32, stride=(4611686018427387904, 4611686018427387904)),), {})",
		  "reach too far" },
		/* fewer elements than int64 counts, but more bytes than uint64 does: they came out
		 * as 8 */
		{ "aten::relu((T([2], f64, stride=(4611686018427387904,)),), {})", "reach too far" },
		{ "aten::relu((T([1], f32, offset=4611686018427387904),), {})", "reach too far" },
		{ "aten::empty_strided(([2], [4611686018427387904]), {'dtype': f64})", "reach too far" },
		{ "aten::empty_strided(([2, 3], [1]), {})", "size has 2 numbers, stride 1" },
		{ "aten::empty_strided(([2], [-1]), {})", "not negative" },
		{ "aten::empty_strided(([-2], [1]), {})", "not negative" },
		{ "aten::empty_strided.out(([2], [1]), {'out': T([2], f32, stride=(3,))})", "out has stride 3" },
		{ "aten::unsafe_split.Tensor((T([5], f32), 0), {})", "split_size is positive" },
		{ "aten::unsafe_split.Tensor((T([], f32), 1), {})", "no dimension to split" },
		{ "aten::unsafe_split.Tensor((T([100000], f32), 1), {})", "more than 4000 pieces" },
		{ "aten::unsafe_split_with_sizes((T([5], f32), [3, 3]), {})", "do not add up to 5" },
		{ "aten::unsafe_split_with_sizes((T([5], f32), [3]), {})", "add up to 3, not 5" },
		{ "aten::unsafe_split.Tensor_out((T([3], f32), 2), {'out': [T([2], f32)]})",
		  "1 tensors are given for 2 results" },
		{ "aten::unsafe_split.Tensor_out((T([3], f32), 2), {'out': [T([2], f32), T([2], f32)]})",
		  "not the shape of the result" },
		{ "aten::as_strided((T([4], f32), [2], [4]), {})", "beyond self's storage" },
		{ "aten::as_strided((T([4], f32, offset=1), [2], [1], 0), {})", "without offset" },
		{ "aten::narrow((T([4], f32), 0, 2, 3), {})", "do not fit into 4" },
		{ "aten::select.int((T([4], f32), 0, 4), {})", "no index 4 among 4" },
		{ "aten::reshape((T([4], f32), [3, -1]), {})", "self's 4 elements" },
		{ "aten::relu((T([3], i32, neg=True),), {})", "neg= is for floats" },
		{ "aten::full(([2], 70000.0), {'dtype': f16})", "f16 does not hold this" },
		{ "aten::arange((0.5,), {'dtype': i32})", "does not hold fractions" },
		{ "aten::arange.start_step((0, 4, -1), {})", "no -4 steps" },
		{ "aten::item((T([2], f32),), {})", "has 2 elements" },
		{ "aten::item((T([0], f32),), {})", "has 0 elements" },
		{ "cublas::cublasStrsv_v2((2, 0, 0, 1, T([1, 1], f32), 1, T([1], f32), 1), {})", "uplo and diag" },
		{ "cublas::cublasStrsv_v2((0, -1, 0, 1, T([1, 1], f32), 1, T([1], f32), 1), {})", "trans is 0" },
		{ "cublas::cublasStrsv_v2((0, 0, 0, 2, T([2, 2], f32), 1, T([2], f32), 1), {})", "lda smaller" },
		{ "cublas::cublasStrsv_v2((0, 0, 0, 2, T([2, 2], f32), 2, T([2], f32), 0), {})", "incx = 0" },
		{ "cublas::cublasStrsv_v2((0, 0, 0, 2, T([2, 2], f32), 2, T([2], f32), -9223372036854775807), {})",
		  "2 are used" },
		{ "cublas::cublasStrsv_v2((0, 0, 0, 3, T([2, 3], f32), 3, T([3], f32), 1), {})", "holds n x n" },
		{ "vllm13::moe_align_block_size((T([4], i32), 4, 8, T([31], i32), T([4], i32), T([1], i32)), {})",
		  "32 may be needed" },
		{ "vllm13::moe_align_block_size((T([4], i32), 4, 8, T([32], i32), T([5], i32), T([1], i32)), {})",
		  "each of the 4 blocks" },
		{ "vllm13::moe_align_block_size((T([4], i32), 4, 0, T([32], i32), T([4], i32), T([1], i32)), {})",
		  "from 1 to 2^20" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ay_err err = { 0 };

		CHECKF(!help_bind(help_registry(), &a, bad[i].line, &err), "accepted: %s", bad[i].line);
		CHECKF(strstr(err.msg, bad[i].part), "%s\n      said: %s", bad[i].line, err.msg);
	}
}

/* The line with every argument written out is a valid line and gives equal bytes. */
TEST(call_line_written_out_is_the_same_case)
{
	struct ay_call
		*c = bind("aten::add.Tensor((T([5, 3], f32, stride=(1, 5)), T([3], i32)), {'alpha': 2}) seed=77"),
		*d;
	struct ay_str b = { 0 };

	if (!c)
		return;
	ay_case_print(&b, ay_call_line(&a, c));
	CHECK_STR(ay_str_text(&b),
		  "aten::add.Tensor((T([5, 3], f32, stride=(1, 5), fill=normal), T([3], i32, fill=int(-9, 9))), "
		  "{'alpha': 2}) seed=77");
	d = bind(ay_str_text(&b));
	if (!d)
		return;
	ay_fill_call(&a, c);
	ay_fill_call(&a, d);
	CHECK(!memcmp(c->operand[0]->view.data, d->operand[0]->view.data, 60));
	CHECK(!memcmp(c->operand[1]->view.data, d->operand[1]->view.data, 12));
	ay_str_release(&b);
}

TEST(registry_finds_every_spelling)
{
	static const char *const names[] = { "aten::add.Tensor", "aten.add.Tensor", "add.Tensor", "add_Tensor",
					     "aten_add_Tensor" };
	const struct ay_schema *s;
	struct ay_err err = { 0 };
	bool exact;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct ay_entry_op *e = ay_registry_find(help_registry(), names[i], &s, &exact, &err);

		CHECKF(e && exact && !strcmp(e->name, "aten::add") && !strcmp(s->overload, "Tensor"), "%s",
		       names[i]);
	}
	CHECK(ay_registry_find(help_registry(), "add_", &s, &exact, &err) && !exact && !strcmp(s->base, "add_"));
	CHECK(ay_registry_find(help_registry(), "aten_add__Tensor", &s, &exact, &err) && exact &&
	      !strcmp(s->base, "add_"));
	CHECK(!ay_registry_find(help_registry(), "no_such_thing", &s, &exact, &err) &&
	      strstr(err.msg, "assay ops"));
}

TEST(registry_pairs_forms_by_signature)
{
	static const char *const pairs[][2] = { { "add.out", "Tensor" },     { "add.Scalar_out", "Scalar" },
						{ "add_.Tensor", "Tensor" }, { "sum.IntList_out", "dim_IntList" },
						{ "sum.out", "" },           { "relu_", "" } };
	const struct ay_entry_op *owner;
	const struct ay_schema *s, *f;
	struct ay_err err = { 0 };
	bool exact;

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		CHECK(ay_registry_find(help_registry(), pairs[i][0], &s, &exact, &err) != NULL);
		f = ay_registry_functional(help_registry(), s, &owner);
		CHECKF(f && !strcmp(f->overload, pairs[i][1]), "%s pairs with %s", pairs[i][0],
		       f ? f->overload : "nothing");
	}
	CHECK(ay_registry_find(help_registry(), "add.Tensor", &s, &exact, &err) &&
	      !ay_registry_functional(help_registry(), s, &owner));
}
