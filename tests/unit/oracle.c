/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "helpers.h"
#include "op/fill.h"
#include "oracle/oracle.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct ay_arena a;

/* Rows: want, got, mag -> within the bound? One row for each rule of docs/error-bound.md. */
TEST(oracle_bound_rule_by_rule)
{
	const double ulp32 = 0x1p-23, ulp16 = 0x1p-10;
	const struct {
		enum ay_dt dt;
		double want, got, mag;
		bool exact, inside;
		const char *why;
	} t[] = {
		{ AY_DT_F32, 1, 1, 0, false, true, "equal" },
		{ AY_DT_F32, 1, 1 + ulp32, 0, false, true, "one ulp" },
		{ AY_DT_F32, 1, 1 + 2 * ulp32, 0, false, false, "two ulps" },
		{ AY_DT_F32, 1, 1 + 2 * ulp32, 1, false, true, "two ulps with weight 1 (4 * 2^-24 more)" },
		{ AY_DT_F32, 1, 1 + 5 * ulp32, 1, false, false, "five ulps with weight 1" },
		{ AY_DT_F16, 1, 1 + ulp16, 0, false, true, "one f16 ulp" },
		{ AY_DT_F16, 1, 1 + 2 * ulp16, 1, false, false,
		  "two f16 ulps: the weight counts in f32 roundoffs" },
		{ AY_DT_F64, 1, 1 + 0x1p-52, 0, false, true, "one f64 ulp" },
		{ AY_DT_F64, 1, 1 + 0x1p-50, 0, false, false, "four f64 ulps" },
		{ AY_DT_F64, 1.7e308, 1.6e308, INFINITY, false, false, "no weight admits everything" },
		{ AY_DT_F64, 1.7e308, INFINITY, INFINITY, false, false, "nor infinity" },
		{ AY_DT_F32, NAN, NAN, 0, false, true, "NaN is NaN" },
		{ AY_DT_F32, NAN, 1, 1e30, false, false, "NaN is nothing else" },
		{ AY_DT_F32, 1, NAN, 1e30, false, false, "a number is not NaN" },
		{ AY_DT_F32, INFINITY, INFINITY, 0, false, true, "infinity" },
		{ AY_DT_F32, INFINITY, -INFINITY, 0, false, false, "the other infinity" },
		{ AY_DT_F32, INFINITY, 3e38, 1e30, false, false, "finite for infinity" },
		{ AY_DT_F32, 1, INFINITY, 1, false, false, "infinity for finite" },
		{ AY_DT_F16, 65519, INFINITY, 0, false, true, "an f16 that may round to infinity" },
		{ AY_DT_F16, 65519, -INFINITY, 0, false, false, "with the wrong sign" },
		{ AY_DT_F16, 70000, INFINITY, 0, false, true, "beyond f16" },
		{ AY_DT_F16, 131008, 65504, 0, false, false, "saturated instead of infinite" },
		{ AY_DT_F32, 1e-40, 0, 0, false, true, "subnormal flushed to zero" },
		{ AY_DT_F32, 1e-40, -0.0, 0, false, false, "to the wrong zero" },
		{ AY_DT_F16, 3e-5, 0, 0, false, false, "f16 subnormals are not flushed" },
		{ AY_DT_F32, 0, -0.0, 0, false, true, "the sign of zero is free" },
		{ AY_DT_F32, 0, -0.0, 0, true, false, "but not in a copy" },
		{ AY_DT_F32, 1, 1 + ulp32, 100, true, false, "a copy is exact" },
		{ AY_DT_F32, 1, 1 + ulp32, -1, false, false, "negative weight is exact" },
		{ AY_DT_I32, 3, 3, 0, false, true, "integers" },
		{ AY_DT_I32, 3, 4, 0, false, false, "are exact" },
		{ AY_DT_I64, 1e10, 1e10 + 1, 1e12, false, false, "whatever their weight" },
		{ AY_DT_BF16, 1, 1 + 0x1p-7, 0, false, true, "one bf16 ulp" },
		{ AY_DT_BF16, 1, 1 + 0x1p-6, 0, false, false, "two bf16 ulps" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_bound b = { .dt = t[i].dt, .k_out = 1, .k_acc = AY_K_ACC, .exact = t[i].exact };
		long double bound;

		CHECKF(ay_within(&b, t[i].want, t[i].got, t[i].mag, &bound) == t[i].inside, "%s", t[i].why);
	}
}

/* Half of the smallest f64 is not representable. */
TEST(oracle_bound_of_half_an_ulp_reaches_down_to_zero)
{
	const struct ay_bound b = { .dt = AY_DT_F64, .k_out = 0.5, .k_acc = AY_K_ACC };
	long double bound;

	CHECK(ay_within(&b, 0x1p-1075L, 0, 0, &bound) && ay_within(&b, 0x1p-2000L, 0, 0, &bound));
	CHECK(!ay_within(&b, 0x1.8p-1075L, 0, 0, &bound));
}

TEST(oracle_rounded_integers_may_be_either_neighbour_of_a_tie)
{
	struct ay_bound b = { .dt = AY_DT_I8, .k_out = 1, .k_acc = AY_K_ACC, .rounded = true };
	long double bound;

	CHECK(ay_within(&b, 2.5L, 2, 1, &bound) && ay_within(&b, 2.5L, 3, 1, &bound));
	CHECK(!ay_within(&b, 2.4L, 3, 1, &bound));
}

static struct ay_call *ready(const char *line, const struct ay_entry_op **e)
{
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(help_registry(), &a, line, &err);

	if (!c) {
		test_fail(__FILE__, __LINE__, "%s: %s", line, err.msg);
		return NULL;
	}
	ay_fill_call(&a, c);
	for (int i = 0; i < help_registry()->n; i++)
		if (help_registry()->op[i].op[0] == c->op)
			*e = &help_registry()->op[i];
	return c;
}

static void answer(const struct ay_entry_op *e, struct ay_call *c, int threads)
{
	struct ay_compare q = { .op = e, .call = c, .threads = threads };
	const struct ay_view *dst[8];

	for (int k = 0; k < c->nout; k++)
		dst[k] = &c->out[k]->view;
	ay_oracle_produce(&q, dst);
}

static int64_t bad_elements(const struct ay_entry_op *e, struct ay_call *c, int threads, int64_t *first)
{
	struct ay_compare q = { .op = e, .call = c, .threads = threads };
	struct ay_diff d[8];

	ay_oracle_compare(&q, d);
	*first = d[0].first;
	return d[0].bad;
}

/* Where converting, flushing or rounding before the last step decides, both ways are right; others are not. */
TEST(oracle_allows_what_the_order_of_conversions_decides)
{
	static const struct {
		const char *line;
		int64_t at;
		double got;
		bool inside;
	} t[] = {
		/* a 0-dim f32 is rounded to f16 first, or not */
		{ "aten::add.Tensor((T([1], f16, data=[-0.1]), T([], f32, data=[0.1])), {})", 0, 0, true },
		{ "aten::add.Tensor((T([1], f16, data=[-0.1]), T([], f32, data=[0.1])), {})", 0, 2.4414e-05,
		  true },
		{ "aten::add.Tensor((T([1], f16, data=[-0.1]), T([], f32, data=[0.1])), {})", 0, 1e-4, false },
		{ "aten::add.Scalar((T([1], f16, data=[-0.1]), 0.1), {})", 0, 0, false },
		{ "aten::logaddexp2((T([1], f16, data=[-1.0]), T([], f32, data=[-1.0004])), {})", 0, 0, true },
		{ "aten::logaddexp2((T([1], f16, data=[-1.0]), T([], f32, data=[-1.0004])), {})", 0, 0.001,
		  false },
		{ "aten::div.Tensor((T([1], f16, data=[1.9609375]), T([], f32, data=[1.00927711])), {})", 0,
		  1.9443359375, true },
		{ "aten::div.Tensor((T([1], f16, data=[1.9609375]), T([], f32, data=[1.00927711])), {})", 0,
		  1.947335937, false },
		/* integers wrap first */
		{ "aten::fmax((T([1], u8, data=[250]), T([], i64, data=[-3])), {})", 0, 253, true },
		{ "aten::fmax((T([1], u8, data=[250]), T([], i64, data=[-3])), {})", 0, 250, false },
		{ "aten::floor_divide((T([1], u8, data=[5]), T([], i64, data=[-3])), {})", 0, 0, true },
		{ "aten::floor_divide((T([1], u8, data=[5]), T([], i64, data=[-3])), {})", 0, 254, false },
		/* 255 is no small integer, and -511 no bf16 */
		{ "aten::sub.Tensor((T([1], bf16, fill=exact(-1, -1)), T([1], u8, fill=const(255))), {'alpha': "
		  "2})",
		  0, -512, true },
		/* z / rms = 7.50 units of the smallest f16 is rounded before it is multiplied */
		{ "vllm13::fused_add_rms_norm((T([1, 2], f16, data=[3.159046173095703e-06, 10.0]), T([1, 2], f16, "
		  "data=[0.0, 0.0]), "
		  "T([2], f16, data=[1.4921875, 1.0]), 1e-06), {})",
		  0, 5.960464477539062e-07, true },
		/* infinity times what may be 0 */
		{ "aten::affine_grid_generator((T([1, 2, 3], f32, data=[inf, 0.0, 0.0, 0.0, 0.0, 0.0]), "
		  "[1, 1, 1, 3], True), {})",
		  2, -INFINITY, true },
		{ "aten::affine_grid_generator((T([1, 2, 3], f32, data=[inf, 0.0, 0.0, 0.0, 0.0, 0.0]), "
		  "[1, 1, 1, 1], True), {})",
		  0, -INFINITY, false },
		{ "aten::log_sigmoid_backward((T([1], f16, data=[inf]), T([1], f16, data=[40.0]), "
		  "T([1], f16, data=[0.0])), {})",
		  0, NAN, true },
		{ "aten::log_sigmoid_backward((T([1], f16, data=[inf]), T([1], f16, data=[4.0]), "
		  "T([1], f16, data=[0.0183])), {})",
		  0, NAN, false },
		{ "aten::mish_backward((T([1], f64, data=[inf]), T([1], f64, data=[-747.0])), {})", 0, NAN, true },
		{ "aten::mish_backward((T([1], f64, data=[inf]), T([1], f64, data=[-7.0])), {})", 0, NAN, false },
		{ "aten::mish_backward((T([1], f64, data=[1.7976931348623157e+308]), T([1], f64, data=[20.0])), "
		  "{})",
		  0, 1.7976931348623157e+308, true },
		/* the mean's 1 / n times a small difference is subnormal, and has few digits */
		{ "aten::smooth_l1_loss_backward((T([], f32, data=[30.0]), T([3], f32, data=[1e-43, 0.0, 0.0]), "
		  "T([3], f32, data=[0.0, 0.0, 0.0]), 1, 0.001), {})",
		  0, 1.0089e-39, true },
		/* a product that is rounded to 0 is not above a threshold of 0 */
		{ "aten::softplus_backward((T([1], f64, data=[1.0]), T([1], f64, data=[5e-324]), 0.5, 0), {})", 0,
		  0.5, true },
		{ "aten::softplus_backward((T([1], f64, data=[1.0]), T([1], f64, data=[1e-9]), 0.5, 0), {})", 0,
		  0.5, false },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const struct ay_entry_op *e = NULL;
		struct ay_call *c = ready(t[i].line, &e);
		const struct ay_view *out;
		int64_t first;

		if (!c)
			return;
		out = &c->out[0]->view;
		answer(e, c, 1);
		ay_row_store_d(out->dt, (uint8_t *)out->data + t[i].at * ay_dt_info(out->dt)->bytes, 1, 1,
			       &t[i].got);
		CHECKF(!bad_elements(e, c, 1, &first) == t[i].inside, "%s: %g", t[i].line, t[i].got);
	}
}

TEST(oracle_finds_one_wrong_element_anywhere)
{
	static const char *const lines[] = {
		"aten::relu((T([70000], f32),), {}) seed=1",
		"aten::add.Tensor((T([3, 50], f64), T([50], f64)), {}) seed=1",
		"aten::add.Tensor((T([61], c64), T([61], c64)), {}) seed=1",
		"aten::add.out((T([9, 31], f16), T([9, 31], f16)), {'out': T([9, 31], f16, stride=(62, 2), "
		"offset=5)}) seed=1",
		"aten::sum.dim_IntList((T([300, 40], f32), [1]), {}) seed=1",
		"aten::add.Tensor((T([100], i64), T([100], i64)), {}) seed=1",
		"aten::sum.dim_IntList((T([60, 40], i32, fill=int(-2000000000, 2000000000)), [1]), {}) seed=1",
	};

	for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
		const struct ay_entry_op *e = NULL;
		struct ay_call *c = ready(lines[l], &e);
		int64_t n, first;

		if (!c)
			continue;
		n = ay_numel_of(&c->out[0]->view);
		answer(e, c, 1);
		CHECKF(!bad_elements(e, c, 1, &first), "%s: right, but %lld is refused", lines[l],
		       (long long)first);
		for (int64_t i = 0; i < n; i += n / 3) {
			uint8_t *at = (uint8_t *)c->out[0]->view.data +
				      ay_view_at(&c->out[0]->view, i) * ay_dt_info(c->out[0]->view.dt)->bytes;
			bool integer = ay_dt_is_integral(c->out[0]->view.dt);
			uint8_t *top = integer ? at
					       : at + ay_dt_info(ay_dt_component(c->out[0]->view.dt))->bytes - 1;

			*top ^= 0x40; /* flips the exponent, or a low bit of an integer */
			CHECKF(bad_elements(e, c, 2, &first) == 1 && first == i, "%s: element %lld, found %lld",
			       lines[l], (long long)i, (long long)first);
			*top ^= 0x40;
		}
	}
}

TEST(oracle_is_the_same_for_any_number_of_threads)
{
	const struct ay_entry_op *e = NULL;
	struct ay_call *c = ready("aten::sum.dim_IntList((T([3000, 70], f32), [1]), {}) seed=5", &e);
	float *one;

	if (!c)
		return;
	answer(e, c, 1);
	one = ay_alloc(&a, 3000 * sizeof *one);
	memcpy(one, c->out[0]->view.data, 3000 * sizeof *one);
	for (int threads = 2; threads <= 5; threads++) {
		memset(c->out[0]->view.data, 0, 3000 * sizeof *one);
		answer(e, c, threads);
		CHECK(!memcmp(one, c->out[0]->view.data, 3000 * sizeof *one));
	}
}

/* The fast pass of the comparison must not take a finite number for an infinite one, nor the other
 * way round. */
TEST(oracle_infinity_is_infinity_in_every_pass)
{
	const struct ay_entry_op *e = NULL;
	struct ay_call *c = ready("aten::add.Tensor((T([3], f32, data=[inf, -inf, 1.0]), T([3], f32, data=[1.0, "
				  "1.0, 1.0])), {}) seed=1",
				  &e);
	int64_t first;
	float *x;

	if (!c)
		return;
	answer(e, c, 1);
	x = c->out[0]->view.data;
	CHECK(isinf(x[0]) && x[1] < 0 && x[2] == 2 && !bad_elements(e, c, 1, &first));
	x[0] = 7;
	CHECK(bad_elements(e, c, 1, &first) == 1 && first == 0);
	x[1] = -7;
	x[2] = INFINITY;
	CHECK(bad_elements(e, c, 1, &first) == 3);
}

/* For every pair of these, wanted and got, the fast pass and the rule for one element agree. */
TEST(oracle_every_pass_follows_the_rule)
{
	static const float v[] = { 0,        -0.0f,    1,         -1,         1 + 0x1p-23f, 1 + 0x1p-20f,
				   3,        -3,       0x1p-149f, -0x1p-149f, 0x1p-126f,    FLT_MAX,
				   -FLT_MAX, INFINITY, -INFINITY, NAN,        -NAN };
	enum { K = sizeof v / sizeof *v };
	const struct ay_entry_op *e = NULL;
	struct ay_call *c = ready(
		ay_sprintf(&a, "aten::add.Tensor((T([%d], f32), T([%d], f32, fill=const(-0.0))), {})", K * K,
			   K * K),
		&e);
	struct ay_compare q = { .op = e, .call = c, .threads = 1 };
	struct ay_diff d;

	for (int k = 0; k < K * K && c; k++) {
		const struct ay_bound b = ay_oracle_bound(c->op, c, AY_DT_F32);
		const float want = v[k / K], got = v[k % K];
		long double bound;

		/* the pair at its place, among right values */
		for (int i = 0; i < K * K; i++) {
			((float *)c->operand[0]->view.data)[i] = i == k ? want : 2;
			((float *)c->out[0]->view.data)[i] = i == k ? got : 2;
		}
		ay_oracle_compare(&q, &d);
		CHECKF(!d.bad == ay_within(&b, want, got, fabs(want), &bound), "wanted %a, got %a", want, got);
	}
}

/* For as many values as are counted at a time, and for a remainder; NaNs do not count. */
TEST(oracle_says_what_wanted_values_are_like)
{
	for (int n = 1; n < 10000; n += n < 40 ? 1 : 4999) {
		const struct ay_entry_op *e = NULL;
		struct ay_call *c = ready(
			ay_sprintf(&a, "aten::clone((T([%d], f32, fill=special),), {}) seed=%d", n, n), &e);
		struct ay_compare q = { .op = e, .call = c, .threads = 1 };
		float least = INFINITY, most = -INFINITY, *x;
		int64_t zeros = 0;
		struct ay_diff d;

		if (!c)
			return;
		answer(e, c, 1);
		x = c->operand[0]->view.data;
		for (int i = 0; i < n; i++) {
			zeros += x[i] == 0 || isnan(x[i]);
			least = x[i] < least ? x[i] : least;
			most = x[i] > most ? x[i] : most;
		}
		ay_oracle_compare(&q, &d);
		CHECKF(!d.bad && d.n == n && d.zeros == zeros && d.least == least && d.most == most,
		       "%d: %lld bad, %lld zeros, %Lg to %Lg, not %lld, %g to %g", n, (long long)d.bad,
		       (long long)d.zeros, d.least, d.most, (long long)zeros, least, most);
	}
}

/* With integer inputs, one unit in the last place is too much. */
TEST(oracle_exact_fill_demands_bit_equality)
{
	static const char *const fills[] = { "exact", "normal" };

	for (int i = 0; i < 2; i++) {
		const struct ay_entry_op *e = NULL;
		struct ay_call *c = ready(
			ay_sprintf(&a, "aten::sum.dim_IntList((T([5, 60], f32, fill=%s), [1]), {}) seed=3",
				   fills[i]),
			&e);
		int64_t first;
		uint32_t *x;

		if (!c)
			continue;
		answer(e, c, 1);
		x = c->out[0]->view.data;
		x[3] ^= 1;
		CHECKF(bad_elements(e, c, 1, &first) == (i == 0), "fill %s", fills[i]);
	}
}

/* Cases, found among drawn ones, in which the rounded reference was refused. */
TEST(oracle_accepts_its_own_answers)
{
	static const char *const lines[] = {
		/* a sum of integers that bf16 does not hold */
		"aten::sum((T([4097], bf16, fill=exact(0, 2)),), {}) seed=1",
		/* the real part of a complex number, near a tie */
		"aten::_to_copy((T([3, 82], c128, stride=(1, 3), offset=1),), {'dtype': f16}) seed=913117629",
		/* products below the least subnormal of f64 */
		"aten::renorm((T([38, 10], f64, fill=nonfinite), 2, 0, 0.01), {}) seed=393",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const struct ay_entry_op *e = NULL;
		struct ay_call *c = ready(lines[i], &e);
		int64_t first;

		if (!c)
			continue;
		answer(e, c, 1);
		CHECKF(!bad_elements(e, c, 1, &first), "%s: at %lld", lines[i], (long long)first);
	}
}

/* eps nearly cancels x1 - x2 = -511 / 1024, which bf16 rounds to -1/2 or -255 / 512. */
TEST(oracle_distance_may_round_what_eps_cancels)
{
	static const char *const p[] = { "inf", "-inf", "1.0", "2.0", "-1.0", "0.5" };
	static const struct {
		uint16_t bits;
		int64_t bad;
	} given[] = { { 0x3a80, 0 }, { 0x3b00, 0 }, { 0x0000, 0 }, { 0x3c80, 1 } }; /* 2^-10, 2^-9, 0, 2^-6 */

	for (size_t i = 0; i < sizeof p / sizeof *p; i++)
		for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
			const struct ay_entry_op *e = NULL;
			struct ay_call *c = ready(
				ay_sprintf(&a,
					   "aten::pairwise_distance((T([1, 1], bf16, data=[0.0009765625]), "
					   "T([1, 1], bf16, data=[0.5]), %s, 0.5), {})",
					   p[i]),
				&e);
			int64_t first;

			if (!c)
				continue;
			answer(e, c, 1);
			*(uint16_t *)c->out[0]->view.data = given[k].bits;
			CHECKF(bad_elements(e, c, 1, &first) == given[k].bad, "p=%s, %x", p[i], given[k].bits);
		}
}

/* A lazily negated real number has no imaginary part: its zero is not turned. */
TEST(oracle_negated_view_of_reals)
{
	const struct ay_entry_op *e = NULL;
	struct ay_call *c = ready("aten::copy_((T([2], c128), T([2], f64, data=[1, -2], neg=True)), {})", &e);
	const double *x;

	if (!c)
		return;
	answer(e, c, 1);
	x = c->out[0]->view.data;
	CHECK(x[0] == -1 && x[2] == 2 && !signbit(x[1]) && !signbit(x[3]));
}

/* Numbers are equal if kind and value are. */
TEST(oracle_numbers_are_equal_by_kind_and_value)
{
	static const struct {
		struct ay_value want, got;
		bool same;
	} t[] = {
		{ { AY_V_INT, .i = 3 }, { AY_V_INT, .i = 3 }, true },
		{ { AY_V_INT, .i = 3 }, { AY_V_INT, .i = 4 }, false },
		{ { AY_V_INT, .i = 3 }, { AY_V_FLOAT, .f = 3 }, false },
		{ { AY_V_INT, .i = 1 }, { AY_V_BOOL, .b = true }, false },
		{ { AY_V_INT, .i = INT64_MAX }, { AY_V_INT, .i = INT64_MAX - 1 }, false },
		{ { AY_V_BOOL, .b = true }, { AY_V_BOOL, .b = true }, true },
		{ { AY_V_BOOL, .b = true }, { AY_V_BOOL, .b = false }, false },
		{ { AY_V_FLOAT, .f = 0.1 }, { AY_V_FLOAT, .f = 0.1 }, true },
		{ { AY_V_FLOAT, .f = 0.1 }, { AY_V_FLOAT, .f = 0.1f }, false },
		{ { AY_V_FLOAT, .f = 0.0 }, { AY_V_FLOAT, .f = -0.0 }, false },
		{ { AY_V_FLOAT, .f = NAN }, { AY_V_FLOAT, .f = -NAN }, true },
		{ { AY_V_FLOAT, .f = NAN }, { AY_V_FLOAT, .f = 0 }, false },
		{ { AY_V_FLOAT, .f = INFINITY }, { AY_V_FLOAT, .f = -INFINITY }, false },
		{ { AY_V_COMPLEX, .c = { 1, 2 } }, { AY_V_COMPLEX, .c = { 1, 2 } }, true },
		{ { AY_V_COMPLEX, .c = { 1, 2 } }, { AY_V_COMPLEX, .c = { 1, -2 } }, false },
		{ { AY_V_COMPLEX, .c = { 1, 0 } }, { AY_V_FLOAT, .f = 1 }, false },
		{ { AY_V_NONE }, { AY_V_NONE }, false }, /* not written, so never right */
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		CHECKF(ay_same_scalar(&t[i].want, &t[i].got) == t[i].same, "row %zu", i);
}

/* Masked elements are not counted as bad, but are counted as compared. */
static bool mask_all(void *user, int out, int64_t index)
{
	(void)user, (void)out, (void)index;
	return true;
}

TEST(oracle_mask_leaves_elements_out)
{
	const struct ay_entry_op *e = NULL;
	struct ay_call *c = ready("aten::relu((T([100], f32, fill=ones),), {}) seed=1", &e);
	struct ay_compare q = { .call = c, .threads = 1, .mask = mask_all };
	struct ay_diff d;

	if (!c)
		return;
	q.op = e;
	ay_oracle_compare(&q, &d); /* the outputs are zeros, so all would be wrong */
	CHECK(d.n == 100 && d.bad == 0 && d.skipped == 100);
	q.mask = NULL;
	ay_oracle_compare(&q, &d);
	CHECK(d.bad == 100 && d.first == 0 && d.want == 1 && d.got == 0);
	CHECK(d.least == d.most);
}

/* The foundations of the bound: growth and the weights of sums. */
TEST(oracle_weights_follow_their_formulas)
{
	CHECK(ay_growth(64) == 8 + 2);
	CHECK(ay_growth(1 << 20) == 1024 + 2048);
	CHECK(ay_err_sum(4, -3, 1, 2) == (2 + 0.125) * 3);
	CHECK(ay_err_sum(4, 1, 25, 2) == (2 + 0.125) * 5);
	CHECK(ay_err_sum(4, 1, 1, 7) == (2 + 0.125) * 7);
	/* 2 * u_f16 * r in units of 4 * 2^-24 */
	CHECK(ay_err_round(AY_DT_F16, AY_DT_F16, 3) == 2 * 0x1p-11 * 3 / (4 * 0x1p-24));
	/* k_acc * u_acc * mag is the whole result here */
	CHECK(ay_err_flush(AY_DT_BF16, 0x1p-127, -3) == 3 / (4 * 0x1p-24));
	CHECK(ay_err_flush(AY_DT_F32, 0x1p-126, 3) == 0);
	CHECK(ay_err_flush(AY_DT_F64, 0x1p-126, 3) == 0 &&
	      ay_err_flush(AY_DT_F64, 0x1p-1023, 3) == 3 / (4 * 0x1p-53));
	/* P(|sum| > t) <= 1e-9 for a fair coin 10000 times: between 6 and 7 standard deviations of
	 * 50 */
	CHECK(ay_bernstein(2500, 1e-9) > 300 && ay_bernstein(2500, 1e-9) < 350);
}
