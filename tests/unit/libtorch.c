/* SPDX-License-Identifier: Apache-2.0
 *
 * ATen called from C: which overloads its ABI has types for, and that what is generated for them is right.
 */
#include "exec/python.h"
#include "helpers.h"
#include "judge/judge.h"
#include "test.h"
#include "timing/libtorch.h"
#include "timing_rig.h"

#include <string.h>
#include <unistd.h>

TEST(libtorch_takes_what_the_abi_has_types_for)
{
	static const struct {
		const char *schema;
		bool takes;
	} t[] = {
		{ "aten::relu(Tensor self) -> Tensor", true },
		{ "aten::relu_(Tensor(a!) self) -> Tensor(a!)", true },
		{ "aten::cat(Tensor[] tensors, int dim=0) -> Tensor", true },
		{ "aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
		  "Tensor(a!)",
		  true },
		{ "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) "
		  "-> Tensor",
		  true },
		{ "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
		  true },
		{ "aten::is_nonzero(Tensor self) -> bool", true },
		{ "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", false },
		{ "aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor", false },
		{ "aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", false },
		{ "aten::item(Tensor self) -> Scalar", false },
		{ "aten::_batch_norm_impl_index(Tensor input) -> (Tensor, Tensor, Tensor, Tensor, int)", false },
		{ "mine::relu(Tensor self) -> Tensor", false },
	};
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_schema *s;

		CHECKF(!ay_schema_parse(&a, t[i].schema, &s, &err), "%s: %s", t[i].schema, err.msg);
		CHECKF(ay_libtorch_takes(s) == t[i].takes, "%s", t[i].schema);
	}
	ay_arena_release(&a);
}

/* The verdict on ATen's function, built so, on the rig's case. */
static enum ay_verdict judge(struct timing_rig *r, struct ay_python *python, enum ay_libtorch what)
{
	const struct ay_policy policy = { .threads = 1,
					  .oracle_threads = 1,
					  .call_timeout_s = 20,
					  .python = python,
					  .sandbox = r->sandbox,
					  .folders = ay_libtorch_folders(&r->a, python->folders) };
	const char *source = ay_libtorch_source(&r->a, r->proto, what, python->library);
	struct ay_report rep;
	struct ay_built b = { .fd = -1 };
	struct ay_judge j;

	CHECKF(!ay_forge_build(&r->f, &r->a, source, strlen(source), AY_LANG_C, 1, &r->proto, 60, &b, &r->err) &&
		       b.ok,
	       "%s\n%s", r->err.msg, b.log ? b.log : "");
	CHECKF(!b.log || !b.log[0], "the compiler says: %s", b.log);
	CHECKF(!ay_judge_init(&j, help_registry(), &policy, b.fd, NULL, &r->a, &rep, &r->err), "%s", r->err.msg);
	if (rep.verdict == AY_VERDICT_NONE)
		CHECKF(!ay_judge_case(&j, &r->sc, &r->a, &rep, &r->err), "%s", r->err.msg);
	ay_judge_release(&j);
	close(b.fd);
	return rep.verdict;
}

/* Every kind of argument and of result. */
static const char *const lines[] = {
	"aten::relu((T([33], f32),), {}) seed=5",
	"aten::relu((T([4, 9], bf16, stride=[1, 4], offset=1),), {}) seed=5",
	"aten::relu_((T([33], f16),), {}) seed=5",
	"aten::relu.out((T([33], f32),), {'out': T([33], f32)}) seed=5",
	"aten::sort((T([7, 65], f32), -1, True), {}) seed=5",
	"aten::sum.dim_IntList((T([7, 65], f32), [1]), {}) seed=5",
	"aten::sum.dim_IntList((T([7, 65], f32), None, True), {'dtype': f64}) seed=5",
	"aten::cat(([T([3, 4], i64), T([5, 4], i64)], 0), {}) seed=5",
	"aten::cumsum((T([7, 65], c64), 1), {'dtype': c128}) seed=5",
	"aten::cumsum((T([7, 65], c64, conj=True), 1), {}) seed=5",
	"aten::gather((T([9, 5], f32), 0, T([4, 5], i64)), {'sparse_grad': False}) seed=5",
	"aten::index_put_((T([9, 5], f32), [None, T([3], i64)], T([9, 3], f32), True), {}) seed=5",
	"aten::matmul((T([7, 9], f64), T([9, 5], f64)), {}) seed=5",
	"aten::_to_copy((T([9], f32),), {'dtype': f16}) seed=5",
};

TEST_SLOW(libtorch_functions_are_right)
{
	struct ay_python python = { .wish = help_python() };
	struct ay_err err = { 0 };

	CHECKF(!ay_python_open(&python, &err), "%s", err.msg);
	if (!python.library)
		test_skip("torch %s is too old for its C ABI", python.torch);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct timing_rig r;
		enum ay_verdict v;

		timing_rig_init(&r, lines[i]);
		CHECKF(ay_libtorch_takes(r.proto->s), "%s", lines[i]);
		if (ay_forge_init(&r.f, NULL, &r.err) || !r.f.cc)
			test_skip("no compiler");
		v = judge(&r, &python, AY_LIBTORCH_JUDGED);
		CHECKF(v == AY_VERDICT_PASS, "%s: %s", lines[i], ay_verdict_name(v));
		/* what is timed leaves its result where nobody looks for it, unless the call has a place for it */
		v = judge(&r, &python, AY_LIBTORCH_TIMED);
		CHECKF((v == AY_VERDICT_PASS) == (ay_schema_inplace(r.proto->s) || ay_schema_out(r.proto->s)),
		       "%s: %s", lines[i], ay_verdict_name(v));
		v = judge(&r, &python, AY_LIBTORCH_LEAST);
		CHECKF(v != AY_VERDICT_PASS && v != AY_VERDICT_CRASH, "%s: %s", lines[i], ay_verdict_name(v));
		timing_rig_release(&r);
	}
	ay_python_close(&python);
}
