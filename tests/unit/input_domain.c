/* SPDX-License-Identifier: Apache-2.0
 *
 * input_domain - tests that inputs of operators without a file make sense: indices are in range,
 * windows hold the elements chosen from them, and predicates have both results.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "exec/python.h"
#include "op/fill.h"
#include "op/input_domain.h"

#include <math.h>
#include <string.h>

static struct ay_arena a;

/* Binds and fills a line as a call of that schema, with the fills of the table or without. On
 * failure returns NULL and fails the test. */
static struct ay_call *filled(const char *schema, const char *line, bool meaning)
{
	struct ay_op *op = AY_NEW(&a, struct ay_op);
	struct ay_err err = { 0 };
	struct ay_schema *s;
	struct ay_case *c;
	struct ay_call *call;

	if (ay_schema_parse(&a, schema, &s, &err) || ay_case_parse(&a, line, strlen(line), &c, &err)) {
		test_fail(__FILE__, __LINE__, "%s: %s", schema, err.msg);
		return NULL;
	}
	op->fills = meaning ? ay_input_domain_fills(s) : NULL;
	op->makers = ay_input_domain_makers;
	c->has_seed = true;
	c->seed = 7;
	if (ay_call_bind(&a, op, s, c, &call, &err)) {
		test_fail(__FILE__, __LINE__, "%s: %s", line, err.msg);
		return NULL;
	}
	ay_fill_call(&a, call);
	return call;
}

static double at(const struct ay_view *v, int64_t i)
{
	double x;

	ay_row_load_d(v->dt, (const char *)v->data + ay_view_at(v, i) * ay_dt_info(v->dt)->bytes, 1, 1, &x);
	return x;
}

/* The least and greatest value, and the number of different values (up to 64). */
struct spread {
	double lo, hi;
	int kinds;
};

static struct spread spread_of(const struct ay_view *v)
{
	struct spread s = { INFINITY, -INFINITY, 0 };
	double seen[64];

	for (int64_t i = 0; i < ay_numel_of(v); i++) {
		const double x = at(v, i);
		int k = 0;

		s.lo = fmin(s.lo, x);
		s.hi = fmax(s.hi, x);
		while (k < s.kinds && seen[k] != x)
			k++;
		if (k == s.kinds && s.kinds < 64)
			seen[s.kinds++] = x;
	}
	return s;
}

/* --- ranges ----------------------------------------------------------------------------------- */

static const struct {
	const char *schema, *line, *arg;
	double lo, hi; /* what it may be */
	int kinds;     /* least number of different values */
	/* the default fill of the dtype is out of range; otherwise it is only poor */
	bool without;
} ranges[] = {
	{ "aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt "
	  "padding_idx, bool "
	  "scale_grad_by_freq) -> Tensor",
	  "((T([8, 64, 4], f16), T([8, 64], i64), 40, -1, False), {})", "indices", 0, 39, 30, true },
	{ "aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) "
	  "-> "
	  "(Tensor output, Tensor total_weight)",
	  "((T([500, 20], f16), T([500], i64), None, 1, -100), {})", "target", 0, 19, 20, true },
	{ "aten::nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt "
	  "ignore_index) -> "
	  "(Tensor output, Tensor total_weight)",
	  "((T([2, 5, 16, 16], f16), T([2, 16, 16], i64), T([5], f16), 1, -100), {})", "target", 0, 4, 5, true },
	{ "aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, "
	  "SymInt "
	  "ignore_index, Tensor total_weight) -> Tensor",
	  "((T([], f16), T([9, 3], f16), T([9], i64), None, 1, -100, T([], f16)), {})", "total_weight", 9, 9, 1,
	  true },
	{ "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt "
	  "ignore_index=-100, float label_smoothing=0.) -> Tensor",
	  "((T([64, 9], f32), T([64, 9], f32)), {})", "target", 0, 1, 60, true },
	{ "aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, "
	  "Tensor? "
	  "running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> "
	  "(Tensor, "
	  "Tensor, Tensor)",
	  "((T([2, 64, 3, 3], f16), T([2, 64, 3, 3], f16), T([64], f16), T([64], f16), T([64], f16), T([64], "
	  "f32), "
	  "T([64], f32), True, 1e-05, [True, True, True]), {})",
	  "save_invstd", 0.8, 1.2, 50, true },
	{ "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
	  "running_var, "
	  "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
	  "((T([2, 64, 3, 3], f16), None, None, T([64], f16), T([64], f16), False, 0.1, 1e-05), {})",
	  "running_var", 0.5, 1.5, 50, true },
	{ "aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> "
	  "Tensor",
	  "((T([8, 99], f32), T([8, 99], f32), -1, f32), {})", "output", 0, 0.02, 60, true },
	{ "aten::rsqrt_(Tensor(a!) self) -> Tensor(a!)", "((T([99], f16),), {})", "self", 0.09, 9.01, 60, true },
	{ "aten::sqrt.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
	  "((T([99], f16),), {'out': T([99], f16)})", "self", 0.09, 9.01, 60, true },
	{ "aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
	  "align_corners) -> "
	  "Tensor",
	  "((T([1, 1, 8, 8], f16), T([1, 8, 8, 2], f16), 0, 0, False), {})", "grid", -1.21, 1.21, 60, true },
	{ "aten::le.Scalar(Tensor self, Scalar other) -> Tensor", "((T([99], f16), 800), {})", "self", 799, 801, 5,
	  true },
	{ "aten::ge.Scalar(Tensor self, Scalar other) -> Tensor", "((T([99], i64), 40), {})", "self", 38, 42, 5,
	  true },
	{ "aten::eq.Scalar(Tensor self, Scalar other) -> Tensor", "((T([99], b8), True), {})", "self", 0, 1, 2,
	  false },
	{ "aten::eq.Scalar(Tensor self, Scalar other) -> Tensor", "((T([99], f32), 1), {})", "self", 0, 2, 5,
	  true },
	{ "aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
	  "((T([4, 5], f32), T([99], i64)), {})", "indices", 0, 19, 20, true },
	{ "aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
	  "((T([4, 8, 8], f32), T([4, 16, 5], f32), T([4, 8, 8], i64)), {})", "indices", 0, 79, 60, true },
	{ "aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, "
	  "Tensor "
	  "self_or_result) -> Tensor",
	  "((T([99], f32), 1.0, 1, 1, True, T([99], f32)), {})", "self_or_result", -0.95, 3, 60, true },
	{ "aten::_sparse_coo_tensor_with_dims_and_tensors(int sparse_dim, int dense_dim, SymInt[] size, Tensor "
	  "indices, Tensor "
	  "values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, "
	  "bool? "
	  "is_coalesced=None) -> Tensor",
	  "((1, 1, [30, 2], T([1, 400], i64), T([400, 2], f16)), {'dtype': f16, 'layout': torch.sparse_coo})",
	  "indices", 0, 29, 30, true },
};

TEST(input_domain_values_lie_where_they_mean_something)
{
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		for (int meaning = 1; meaning >= 0; meaning--) {
			struct ay_call *c = filled(ranges[i].schema, ranges[i].line, meaning);
			const struct spread s = c ? spread_of(ay_t(c, ranges[i].arg)) : (struct spread){ 0 };
			const bool good = s.lo >= ranges[i].lo && s.hi <= ranges[i].hi &&
					  s.kinds >= ranges[i].kinds;

			/* the planted defect: without the table this line must be found wrong */
			CHECKF(meaning ? good : good != ranges[i].without,
			       "%.40s: '%s' is in [%g, %g], %d kinds%s", ranges[i].schema, ranges[i].arg, s.lo,
			       s.hi, s.kinds, meaning ? "" : ", without the table");
		}
	}
}

/* Returns all non-zero values of the argument, of both signs if both occur. */
TEST(input_domain_divisors_are_not_zero)
{
	static const char schema[] = "aten::floor_divide(Tensor self, Tensor other) -> Tensor";
	static const char *const dts[] = { "i64", "i8", "u8", "f16", "f32" };

	for (size_t d = 0; d < sizeof dts / sizeof *dts; d++) {
		struct ay_call *c = filled(
			schema, ay_sprintf(&a, "((T([999], %s), T([999], %s)), {})", dts[d], dts[d]), true);
		bool zero = false, negative = false;

		for (int64_t i = 0; c && i < 999; i++) {
			const double x = at(ay_t(c, "other"), i);

			zero |= fabs(x) < 0.5;
			negative |= x < 0;
		}
		CHECKF(!zero && negative == (strcmp(dts[d], "u8") != 0), "%s", dts[d]);
	}
}

/* A special value in an integer tensor is an ordinary number: nothing may trap. */
TEST(input_domain_specials_are_harmless_in_integers)
{
	struct ay_call *c = filled("aten::isnan(Tensor self) -> Tensor", "((T([999], i32),), {})", true);

	CHECK(c && spread_of(ay_t(c, "self")).kinds > 2);
}

/* any and all: over many seeds, a constant answer must be wrong. */
TEST(input_domain_any_and_all_have_both_answers)
{
	static const char *const schemas[] = { "aten::any(Tensor self) -> Tensor",
					       "aten::all(Tensor self) -> Tensor" };

	for (int k = 0; k < 2; k++) {
		int yes = 0;

		for (int seed = 0; seed < 40; seed++) {
			struct ay_call *c = filled(schemas[k], "((T([64, 64], b8),), {})", true);
			struct spread s;

			if (!c)
				return;
			c->key.k[0] += (uint64_t)seed;
			ay_fill_call(&a, c);
			s = spread_of(ay_t(c, "self"));
			yes += k ? s.lo == 1 : s.hi == 1;
		}
		CHECKF(yes > 4 && yes < 36, "%s: %d of 40", schemas[k], yes);
	}
}

/* --- places ----------------------------------------------------------------------------------- */

static const char pool2d[] = "aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] "
			     "kernel_size, int[2] stride, int[2] "
			     "padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor";

/* Returns true if index x of output place (h, w) is a place of its window inside the input. */
static bool in_window(const int *g, int64_t h, int64_t w, int64_t x)
{
	const int64_t row = x / g[1], col = x % g[1];

	for (int i = 0; i < g[2]; i++)
		for (int j = 0; j < g[2]; j++)
			if (row == h * g[3] - g[4] + i * g[5] && col == w * g[3] - g[4] + j * g[5])
				return row >= 0 && row < g[0] && col < g[1];
	return false;
}

static int outside(const struct ay_call *c, const int *g)
{
	const struct ay_view *v = ay_t(c, "indices");
	const int64_t w = v->shape[3], h = v->shape[2];
	int bad = 0;

	for (int64_t i = 0; i < ay_numel_of(v); i++)
		bad += !in_window(g, i / w % h, i % w, (int64_t)at(v, i));
	return bad;
}

TEST(input_domain_pooling_indices_lie_in_their_windows)
{
	/* height, width of the input, kernel, stride, padding, dilation, height and width of the
	 * output */
	static const int geometry[][8] = {
		{ 42, 40, 3, 1, 1, 1, 42, 40 }, { 9, 11, 2, 2, 0, 1, 4, 5 },
		{ 9, 11, 2, 2, 0, 1, 5, 6 }, /* ceil_mode */
		{ 13, 13, 3, 2, 1, 2, 6, 6 },   { 5, 7, 5, 5, 2, 1, 1, 2 },
	};
	/* dense, and channels last */
	static const char *const layouts[] = { "", ", stride=(%d, 1, %d, 4)" };

	for (size_t k = 0; k < sizeof geometry / sizeof *geometry; k++) {
		const int *g = geometry[k];

		for (int l = 0; l < 2; l++) {
			char stride[60];
			const char *line;
			struct ay_call *c, *poor;

			snprintf(stride, sizeof stride, layouts[l], g[6] * g[7] * 4, g[7] * 4);
			line = ay_sprintf(
				&a,
				"((T([2, 4, %d, %d], f16), T([2, 4, %d, %d], f16), [%d, %d], [%d], %d, [%d, %d], "
				"True, T([2, 4, %d, %d], i64%s)), {})",
				g[6], g[7], g[0], g[1], g[2], g[2], g[3], g[4], g[5], g[5], g[6], g[7], stride);
			c = filled(pool2d, line, true);
			poor = filled(pool2d, line, false);
			if (!c || !poor)
				continue;
			CHECKF(!outside(c, g), "%s: %d indices are outside", line, outside(c, g));
			CHECKF(spread_of(ay_t(c, "indices")).kinds > (k == 4 ? 3 : 10), "%s", line);
			CHECK(outside(poor, g)); /* BackendBench's range: -9 to 9 */
		}
	}
}

/* Returns true if a fibre along dim has a value twice. */
static int twice(const struct ay_view *v, int dim)
{
	int64_t inner = 1, n = v->shape[dim], m = ay_numel_of(v) / (n ? n : 1);
	int bad = 0;

	for (int d = dim + 1; d < v->ndim; d++)
		inner *= v->shape[d];
	for (int64_t f = 0; f < m; f++)
		for (int64_t i = 0; i < n; i++)
			for (int64_t j = 0; j < i; j++) {
				const int64_t base = f / inner * inner * n + f % inner;

				bad += at(v, base + i * inner) == at(v, base + j * inner);
			}
	return bad;
}

TEST(input_domain_what_is_stored_goes_to_different_places)
{
	static const char scatter[] =
		"aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
	static const char unpool[] =
		"aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor";
	struct ay_call *c;

	for (int dim = -1; dim < 3; dim++) {
		c = filled(scatter,
			   ay_sprintf(&a, "((T([9, 8, 12], f32), %d, T([7, 8, 5], i64), T([7, 8, 5], f32)), {})",
				      dim),
			   true);
		if (!c)
			return;
		const struct spread s = spread_of(ay_t(c, "index"));
		const int64_t size = (int64_t[]){ 12, 9, 8, 12 }[dim + 1];

		CHECKF(!twice(ay_t(c, "index"), dim < 0 ? 2 : dim) && s.lo >= 0 && s.hi < (double)size &&
			       s.kinds > 5,
		       "dim %d: [%g, %g], %d kinds", dim, s.lo, s.hi, s.kinds);
	}
	c = filled(unpool, "((T([2, 3, 4], f32), T([2, 3, 4], i64), [6, 9]), {})", true);
	if (!c)
		return;
	struct ay_view plane = *ay_t(c, "indices");

	plane.ndim = 2; /* the last two as one */
	plane.shape[1] = 12;
	plane.stride[1] = 1;
	CHECK(!twice(&plane, 1) && spread_of(&plane).lo >= 0 && spread_of(&plane).hi < 54);
	/* the defect is noticed: without the table some values occur twice */
	c = filled(scatter, "((T([9, 8, 12], f32), 1, T([7, 8, 5], i64), T([7, 8, 5], f32)), {})", false);
	CHECK(c && twice(ay_t(c, "index"), 1));
}

/* Impossible geometry gives some number, and no trap. */
TEST(input_domain_impossible_windows_are_harmless)
{
	static const char *const numbers[] = { "9223372036854775807", "-9223372036854775807", "0", "-1" };

	for (int k = 0; k < 256; k++) {
		struct ay_call *c = filled(
			pool2d,
			ay_sprintf(&a,
				   "((T([3, 4, 4], f16), T([3, 9, 9], f16), [%s], [%s], [%s], [%s], False, "
				   "T([3, 4, 4], i64)), {})",
				   numbers[k & 3], numbers[k >> 2 & 3], numbers[k >> 4 & 3], numbers[k >> 6]),
			true);

		CHECK(c && spread_of(ay_t(c, "indices")).lo >= 0);
	}
	filled("aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor",
	       "((T([2, 3, 4], f32), T([2, 3, 4], i64), [9223372036854775807, 1]), {})", true);
	filled("aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
	       "((T([3], f32), T([5], i64), T([5], f32), True), {})", true);
}

TEST(input_domain_lists_of_indices_each_have_their_dimension)
{
	struct ay_call *c = filled(
		"aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
		"((T([3, 50, 4, 4, 7], f32), [None, T([99], i64), T([4, 4], b8), T([99], i64)]), {})", true);

	if (!c)
		return;
	CHECK(!ay_t_at(c, "indices", 0));
	const struct spread rows = spread_of(ay_t_at(c, "indices", 1)), mask = spread_of(ay_t_at(c, "indices", 2));
	const struct spread last = spread_of(ay_t_at(c, "indices", 3));

	CHECK(rows.lo >= 0 && rows.hi < 50 && rows.kinds > 30);
	CHECK(mask.kinds == 2 && last.lo >= 0 && last.hi < 7 && last.kinds == 7);
}

TEST(input_domain_bags_begin_at_nought_and_go_up)
{
	static const char bag[] = "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
				  "scale_grad_by_freq=False, int mode=0, "
				  "bool sparse=False, Tensor? per_sample_weights=None, bool "
				  "include_last_offset=False, int padding_idx=-1) -> "
				  "(Tensor, Tensor, Tensor, Tensor)";

	for (int last = 0; last < 2; last++) {
		struct ay_call *c = filled(
			bag,
			ay_sprintf(&a,
				   "((T([9, 4], f32), T([20], i64), T([6], i64), False, 0, False, None, %s), {})",
				   last ? "True" : "False"),
			true);
		const struct ay_view *v = c ? ay_t(c, "offsets") : NULL;

		if (!v)
			return;
		CHECK(at(v, 0) == 0 && (!last || at(v, 5) == 20));
		for (int i = 1; i < 6; i++)
			CHECK(at(v, i) >= at(v, i - 1) && at(v, i) <= 20);
	}
}

TEST(input_domain_dominant_matrices_are_symmetric)
{
	struct ay_call *c = filled(
		"aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> "
		"(Tensor L, Tensor info)",
		"((T([2, 9, 9], f64, stride=(90, 1, 9)),), {})", true);
	const struct ay_view *v = c ? ay_t(c, "self") : NULL;

	for (int64_t i = 0; v && i < 162; i++) {
		const int64_t m = i / 81, r = i / 9 % 9, k = i % 9;

		CHECK(r == k ? at(v, i) > 4.5 : fabs(at(v, i)) <= 0.5 && at(v, i) == at(v, m * 81 + k * 9 + r));
	}
}

/* --- the table against PyTorch ---------------------------------------------------------------- */

/* All schemas of torch's aten that the parser accepts. */
static int torch_schemas(struct ay_schema **list, int max)
{
	const char *python = help_python();
	struct ay_err err = { 0 };
	char *text, *next;
	int n = 0;

	if (help_run(&a,
		     ay_sprintf(&a,
				"%s -c 'import torch\nfor s in torch._C._jit_get_all_schemas():\n if "
				"s.name.startswith(\"aten::\"): print(s)'",
				python),
		     120, &text))
		test_skip("%s cannot list its schemas: %.200s", python, text);
	for (; *text && n < max; text = next) {
		next = text + strcspn(text, "\n");
		if (*next)
			*next++ = 0;
		err = (struct ay_err){ 0 };
		n += !ay_schema_parse(&a, text, &list[n], &err);
	}
	return n;
}

static bool takes_tensor(const struct ay_schema *s, const char *name, size_t len)
{
	for (int i = 0; i < s->narg; i++)
		if (strlen(s->arg[i].name) == len && !strncmp(s->arg[i].name, name, len) &&
		    ay_stype_is_tensor(&s->arg[i].type))
			return true;
	return false;
}

/* Returns the argument of a row that no overload of the named operator has, or NULL if each is in
 * some overload. `other` is for second arguments. */
static bool row_fits(struct ay_schema *const *list, int n, const char *fills, bool *any)
{
	bool fits = false;

	*any = false;
	for (int i = 0; i < n; i++) {
		if (ay_input_domain_fills(list[i]) != fills)
			continue;
		*any = true;
		for (const char *p = fills; *p && !fits; p += strcspn(p, ";"), p += strspn(p, "; "))
			fits |= takes_tensor(list[i], p, strcspn(p, "="));
	}
	return fits;
}

TEST(input_domain_rows_are_operators_of_torch)
{
	static struct ay_schema *list[8000];
	const int n = torch_schemas(list, 8000);
	bool any;

	CHECKF(n > 3000, "%d schemas", n);
	for (const struct ay_input_domain *m = ay_input_domains; m->names; m++) {
		const bool fits = row_fits(list, n, m->fills, &any);

		CHECKF(any, "no overload of torch is one of '%s'", m->names);
		CHECKF(fits, "'%s': no such tensor argument in '%s'", m->names, m->fills);
		for (const char *p = m->names; *p; p += strspn(p, " ")) {
			const size_t len = strcspn(p, " "), base = strcspn(p, ". ");
			bool found = false;

			for (int i = 0; i < n && !found; i++)
				found = strlen(list[i]->base) == base && !strncmp(list[i]->base, p, base) &&
					(base == len ||
					 (strlen(list[i]->overload) == len - base - 1 &&
					  !strncmp(list[i]->overload, p + base + 1, len - base - 1)));
			CHECKF(found, "torch has no '%.*s'", (int)len, p);
			p += len;
		}
	}
	/* the check itself, on a row that is wrong */
	CHECK(!row_fits(list, n, "indices=index(3)", &any) && !any);
}

/* Every line of the trace can be filled: expressions find their names, ranges are not empty. */
TEST(input_domain_every_line_of_the_trace_can_be_filled)
{
	static struct ay_schema *list[8000];
	const char *path = ay_strdup(&a, test_shared("data/torchbench.trace"));
	const int n = torch_schemas(list, 8000);
	struct ay_reader r = { 0 };
	struct ay_err err = { 0 };
	struct ay_case *line;
	char *text;
	int lines = 0, bad = 0;

	CHECKF(!ay_file_read(&a, path, 1 << 28, &text, &r.len, &err), "%s", err.msg);
	r.text = text;
	while (ay_reader_next(&r, &a, &line, &err) > 0) {
		struct ay_op op = { .makers = ay_input_domain_makers };
		const struct ay_schema *s = NULL;
		struct ay_err why = { 0 };
		struct ay_call *c;

		for (int i = 0; i < n && !s; i++)
			if (!strcmp(list[i]->base, line->base) && !strcmp(list[i]->overload, line->overload) &&
			    list[i]->narg && strcmp(list[i]->ns, "aten") == 0 &&
			    (list[i]->narg > 1 || ay_stype_is_tensor(&list[i]->arg[0].type)))
				s = list[i];
		lines++;
		if (!s) {
			test_fail(__FILE__, __LINE__, "line %d: torch has no %s.%s", r.line, line->base,
				  line->overload);
			return;
		}
		op.fills = ay_input_domain_fills(s);
		if (ay_call_bind(&a, &op, s, line, &c, &why) && bad++ < 10)
			test_fail(__FILE__, __LINE__, "line %d, %s: %s", r.line, line->base, why.msg);
	}
	CHECKF(lines == 15568 && !bad, "%d of %d lines cannot be filled", bad, lines);
}
