/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/shape.h"
#include "test.h"

#include <string.h>

#define SIZES(...)          \
	(const int64_t[])   \
	{                   \
		__VA_ARGS__ \
	}

/* A view of n dimensions; dense if stride is NULL. */
static struct ay_view view(int n, const int64_t *shape, const int64_t *stride)
{
	struct ay_view v = { .dt = AY_DT_F32, .ndim = n };

	for (int d = 0; d < n; d++)
		v.shape[d] = shape[d];
	ay_strides_dense(n, shape, v.stride);
	for (int d = 0; stride && d < n; d++)
		v.stride[d] = stride[d];
	return v;
}

TEST(shape_ok_refuses_what_does_not_fit)
{
	CHECK(ay_shape_ok(0, NULL, 16));
	CHECK(ay_shape_ok(2, SIZES(3, 4), 4));
	CHECK(ay_shape_ok(1, SIZES(0), 4));
	CHECK(!ay_shape_ok(2, SIZES(3, -1), 4));
	CHECK(!ay_shape_ok(2, SIZES(0, -1), 4));
	CHECK(!ay_shape_ok(2, SIZES(INT64_C(1) << 32, INT64_C(1) << 31), 1));
	CHECK(ay_shape_ok(2, SIZES(INT64_C(1) << 31, INT64_C(1) << 31), 1));
	CHECK(!ay_shape_ok(2, SIZES(INT64_C(1) << 31, INT64_C(1) << 31), 2)); /* the bytes */
	CHECK(ay_shape_ok(1, SIZES(INT64_MAX), 1));
	/* PyTorch: an empty tensor has strides too, and they must fit; it has 0 bytes. */
	CHECK(ay_shape_ok(2, SIZES(0, INT64_C(1) << 61), 4));
	CHECK(!ay_shape_ok(3, SIZES(0, INT64_C(1) << 62, INT64_C(1) << 62), 1));
	CHECK(!ay_shape_ok(AY_MAX_DIM + 1, (int64_t[AY_MAX_DIM + 1]){ 0 }, 1));
}

TEST(shape_dense_strides_and_numel)
{
	struct ay_view v = view(3, SIZES(2, 3, 4), NULL), empty = view(3, SIZES(2, 0, 4), NULL),
		       s = view(0, NULL, NULL);

	CHECK(v.stride[0] == 12 && v.stride[1] == 4 && v.stride[2] == 1);
	CHECK(empty.stride[0] == 4 && empty.stride[1] == 4 && empty.stride[2] == 1); /* as PyTorch: not 0 */
	CHECK(ay_numel_of(&v) == 24);
	CHECK(ay_numel_of(&empty) == 0);
	CHECK(ay_numel_of(&s) == 1);
}

TEST(shape_dense_or_not)
{
	struct ay_view dense = view(3, SIZES(2, 3, 4), NULL), t = view(2, SIZES(3, 2), SIZES(1, 3));
	struct ay_view ones = view(3, SIZES(2, 1, 4), SIZES(4, 99, 1)), empty = view(2, SIZES(0, 5), SIZES(7, 7));
	struct ay_view gaps = view(2, SIZES(2, 3), SIZES(4, 1)), expanded = view(2, SIZES(2, 3), SIZES(0, 1));
	struct ay_view s = view(0, NULL, NULL);

	CHECK(ay_view_is_dense(&dense));
	CHECK(ay_view_is_dense(&ones));
	CHECK(ay_view_is_dense(&empty));
	CHECK(ay_view_is_dense(&s));
	CHECK(!ay_view_is_dense(&t));
	CHECK(!ay_view_is_dense(&gaps));
	CHECK(!ay_view_is_dense(&expanded));
	dense.offset = 5;
	CHECK(ay_view_is_dense(&dense));
}

TEST(shape_extent)
{
	struct ay_view v = view(2, SIZES(3, 4), SIZES(10, 2)), s = view(0, NULL, NULL);
	struct ay_view empty = view(2, SIZES(0, 4), SIZES(10, 2)), expanded = view(2, SIZES(9, 4), SIZES(0, 1));
	struct ay_view far = view(2, SIZES(3, 3), SIZES(INT64_MAX / 3, INT64_MAX / 3));
	struct ay_view last = view(1, SIZES(2), SIZES(INT64_MAX - 1)), back = view(1, SIZES(2), SIZES(-1));
	struct ay_view one = view(1, SIZES(1), SIZES(INT64_MAX));

	CHECK(ay_view_extent(&v) == 27);
	v.offset = 5;
	CHECK(ay_view_extent(&v) == 32);
	CHECK(ay_view_extent(&s) == 1);
	empty.offset = 3;
	CHECK(ay_view_extent(&empty) == 3);
	CHECK(ay_view_extent(&expanded) == 4);
	CHECK(ay_view_extent(&far) == -1);
	CHECK(ay_view_extent(&last) == INT64_MAX);
	last.offset = 1;
	CHECK(ay_view_extent(&last) == -1);
	last.stride[0] = INT64_MAX;
	last.shape[0] = 3;
	CHECK(ay_view_extent(&last) == -1);
	CHECK(ay_view_extent(&back) == -1);
	CHECK(ay_view_extent(&one) == 1);
}

/* Computes the true answer by marking every element. */
static bool meets(const struct ay_view *v)
{
	bool seen[4096] = { false };
	const int64_t n = ay_numel_of(v);

	for (int64_t i = 0; i < n; i++) {
		bool *cell = &seen[ay_view_at(v, i)];

		if (*cell)
			return true;
		*cell = true;
	}
	return false;
}

/* All views of three dimensions with sizes up to 3 and strides up to 7: an overlap is never
 * missed. */
TEST(shape_overlaps_never_misses_one)
{
	int clear = 0;

	for (int k = 0; k < 64 * 512; k++) {
		const struct ay_view v = view(3, SIZES(k & 3, k >> 2 & 3, k >> 4 & 3),
					      SIZES(k >> 6 & 7, k >> 9 & 7, k >> 12 & 7));
		const bool truth = meets(&v);

		CHECKF(ay_view_overlaps(&v) || !truth, "missed: case %d", k);
		clear += !ay_view_overlaps(&v) && ay_numel_of(&v) > 0;
	}
	CHECK(clear > 1000); /* and the function does not always return true */
}

TEST(shape_overlaps)
{
	struct ay_view dense = view(3, SIZES(2, 3, 4), NULL), turned = view(3, SIZES(4, 2, 3), SIZES(1, 12, 4));
	struct ay_view sliced = view(2, SIZES(3, 2), SIZES(8, 2)), expanded = view(2, SIZES(3, 2), SIZES(0, 1));
	struct ay_view one = view(2, SIZES(1, 2), SIZES(0, 1)), empty = view(2, SIZES(0, 2), SIZES(0, 0));
	struct ay_view windows = view(2, SIZES(4, 3), SIZES(1, 1)),
		       far = view(2, SIZES(3, 3), SIZES(INT64_MAX, 1));

	CHECK(!ay_view_overlaps(&dense));
	CHECK(!ay_view_overlaps(&turned));
	CHECK(!ay_view_overlaps(&sliced));
	CHECK(!ay_view_overlaps(&one));
	CHECK(!ay_view_overlaps(&empty));
	CHECK(ay_view_overlaps(&expanded));
	CHECK(ay_view_overlaps(&windows));
	CHECK(ay_view_overlaps(&far)); /* not representable in int64: the safe answer */
}

TEST(shape_view_at_walks_in_row_major_order)
{
	const struct ay_view v = view(3, SIZES(2, 3, 4), SIZES(100, 10, 1)), s = view(0, NULL, NULL);
	int64_t i = 0;

	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 3; b++)
			for (int c = 0; c < 4; c++)
				CHECK(ay_view_at(&v, i++) == 100 * a + 10 * b + c);
	CHECK(ay_view_at(&s, 0) == 0);
}

static bool broadcasts_to(int an, const int64_t *a, int bn, const int64_t *b, int n, const int64_t *want)
{
	struct ay_err err = { 0 };
	int64_t out[AY_MAX_DIM];
	int ondim;

	return !ay_broadcast_shapes(an, a, bn, b, &ondim, out, &err) && ondim == n &&
	       !memcmp(out, want, (size_t)n * sizeof *out);
}

/* Whatever the strides: each of its runs is evenly spaced, and what one can see at once to be
 * longer is found. */
TEST(shape_view_even)
{
	static const int64_t strides[] = { 0, 1, 2, 3, 4, 6, 8, 12 };
	int64_t step;

	for (int k = 0; k < 8 * 8 * 8 * 27; k++) {
		const int64_t shape[3] = { 1 + k % 3, 1 + k / 3 % 3, 1 + k / 9 % 3 };
		const int64_t stride[3] = { strides[k / 27 % 8], strides[k / 216 % 8], strides[k / 1728] };
		const struct ay_view v = view(3, shape, stride);
		const int64_t n = ay_numel_of(&v), run = ay_view_even(&v, &step);

		CHECK(run >= 1 && n % run == 0 && run >= shape[2]);
		for (int64_t i = 0; i < n; i++)
			CHECKF(ay_view_at(&v, i) == ay_view_at(&v, i - i % run) + i % run * step,
			       "strides %d %d %d, element %d", (int)stride[0], (int)stride[1], (int)stride[2],
			       (int)i);
	}
	CHECK(ay_view_even(&(struct ay_view){ .ndim = 0 }, &step) == 1);
#define RUN(n, want_step, ...) (ay_view_even(&(struct ay_view){ __VA_ARGS__ }, &step) == n && step == want_step)
	CHECK(RUN(24, 1, .ndim = 3, .shape = { 2, 3, 4 }, .stride = { 12, 4, 1 }));
	CHECK(RUN(24, 2, .ndim = 4, .shape = { 2, 1, 3, 4 }, .stride = { 24, 99, 8, 2 }));
	CHECK(RUN(12, 0, .ndim = 3, .shape = { 2, 3, 4 }, .stride = { 1, 0, 0 }));
	CHECK(RUN(4, 1, .ndim = 2, .shape = { 3, 4 }, .stride = { 5, 1 }));
#undef RUN
}

TEST(shape_broadcast)
{
	CHECK(broadcasts_to(2, SIZES(2, 3), 1, SIZES(3), 2, SIZES(2, 3)));
	CHECK(broadcasts_to(1, SIZES(3), 2, SIZES(2, 1), 2, SIZES(2, 3)));
	CHECK(broadcasts_to(3, SIZES(5, 1, 4), 2, SIZES(3, 1), 3, SIZES(5, 3, 4)));
	CHECK(broadcasts_to(0, NULL, 2, SIZES(2, 3), 2, SIZES(2, 3)));
	CHECK(broadcasts_to(0, NULL, 0, NULL, 0, SIZES(0)));
	CHECK(broadcasts_to(1, SIZES(1), 1, SIZES(0), 1, SIZES(0))); /* size 1 broadcasts to size 0 */
	CHECK(broadcasts_to(2, SIZES(0, 1), 1, SIZES(4), 2, SIZES(0, 4)));
}

TEST(shape_broadcast_into_its_own_operand)
{
	struct ay_err err = { 0 };
	int64_t a[AY_MAX_DIM] = { 3, 1 }, b[AY_MAX_DIM] = { 3, 1 };
	int n = 2;

	CHECK(!ay_broadcast_shapes(n, a, 3, SIZES(7, 1, 5), &n, a, &err));
	CHECK(n == 3 && a[0] == 7 && a[1] == 3 && a[2] == 5);
	n = 2;
	CHECK(!ay_broadcast_shapes(3, SIZES(7, 1, 5), n, b, &n, b, &err));
	CHECK(n == 3 && b[0] == 7 && b[1] == 3 && b[2] == 5);
}

TEST(shape_broadcast_errors_name_both_shapes)
{
	struct ay_err err = { 0 };
	int64_t a[AY_MAX_DIM] = { 2, 3, 1 };
	int n = -7;

	CHECK(ay_broadcast_shapes(3, a, 2, SIZES(4, 5), &n, a, &err) == -1);
	CHECK_STR(err.msg, "cannot broadcast shapes [2, 3, 1] and [4, 5]");
	CHECK(err.code == AY_ERR_BIND && n == -7);
	ay_err_clear(&err);
	CHECK(ay_broadcast_shapes(1, SIZES(0), 1, SIZES(3), &n, a, &err) == -1);
	CHECK_STR(err.msg, "cannot broadcast shapes [0] and [3]");
}

TEST(shape_expand)
{
	struct ay_view v = view(2, SIZES(3, 1), SIZES(5, 9)), s = view(0, NULL, NULL), out;
	struct ay_err err = { 0 };

	v.offset = 4;
	v.conj = true;
	CHECK(!ay_view_expand(&v, 3, SIZES(2, 3, 4), &out, &err));
	CHECK(out.ndim == 3 && out.shape[0] == 2 && out.shape[1] == 3 && out.shape[2] == 4);
	CHECK(out.stride[0] == 0 && out.stride[1] == 5 && out.stride[2] == 0);
	CHECK(out.offset == 4 && out.conj && out.dt == AY_DT_F32);
	CHECK(!ay_view_expand(&v, 2, SIZES(3, 1), &out, &err));
	CHECK(out.stride[0] == 5 && out.stride[1] == 9); /* nothing was stretched */
	CHECK(!ay_view_expand(&s, 1, SIZES(6), &s, &err));
	CHECK(s.ndim == 1 && s.shape[0] == 6 && s.stride[0] == 0);
	CHECK(!ay_view_expand(&v, 3, SIZES(2, 3, 4), &v, &err)); /* into itself */
	CHECK(v.ndim == 3 && v.stride[0] == 0 && v.stride[1] == 5 && v.stride[2] == 0);
}

TEST(shape_expand_errors_name_both_shapes)
{
	const struct ay_view v = view(2, SIZES(3, 1), NULL);
	struct ay_err err = { 0 };
	struct ay_view out;

	CHECK(ay_view_expand(&v, 2, SIZES(4, 2), &out, &err) == -1);
	CHECK_STR(err.msg, "cannot expand shape [3, 1] to [4, 2]");
	ay_err_clear(&err);
	CHECK(ay_view_expand(&v, 1, SIZES(3), &out, &err) == -1);
	CHECK_STR(err.msg, "cannot expand shape [3, 1] to [3]");
	ay_err_clear(&err);
	CHECK(ay_view_expand(&v, 2, SIZES(1, 1), &out, &err) == -1); /* never smaller */
	ay_err_clear(&err);
	CHECK(ay_view_expand(&v, 2, SIZES(3, -1), &out, &err) == -1);
}

TEST(shape_dim_wrap)
{
	struct ay_err err = { 0 };

	CHECK(ay_dim_wrap(0, 3, &err) == 0);
	CHECK(ay_dim_wrap(2, 3, &err) == 2);
	CHECK(ay_dim_wrap(-1, 3, &err) == 2);
	CHECK(ay_dim_wrap(-3, 3, &err) == 0);
	CHECK(ay_dim_wrap(0, 0, &err) == 0);
	CHECK(ay_dim_wrap(-1, 0, &err) == 0);
	CHECK(!err.code);
	CHECK(ay_dim_wrap(3, 3, &err) == -1);
	CHECK_STR(err.msg, "dimension 3 is outside [-3, 2]");
	ay_err_clear(&err);
	CHECK(ay_dim_wrap(-4, 3, &err) == -1 && err.code);
	ay_err_clear(&err);
	CHECK(ay_dim_wrap(1, 0, &err) == -1 && err.code);
	ay_err_clear(&err);
	CHECK(ay_dim_wrap((INT64_C(1) << 32) + 1, 3, &err) == -1 && err.code);
}

/* Fibre by fibre, every element is met once, and the fibres come in row-major order of the other
 * dimensions. */
TEST(shape_fibres)
{
	const struct ay_view v = view(3, SIZES(2, 3, 4), SIZES(100, 10, 1)), s = view(0, NULL, NULL);
	int64_t row = 0;

	for (int a = 0; a < 2; a++)
		for (int c = 0; c < 4; c++)
			CHECK(ay_fibre_at(&v, 1, row++) == 100 * a + c);
	row = 0;
	for (int b = 0; b < 3; b++)
		for (int c = 0; c < 4; c++)
			CHECK(ay_fibre_at(&v, 0, row++) == 10 * b + c);
	for (row = 0; row < 6; row++)
		CHECK(ay_fibre_at(&v, 2, row) == ay_view_at(&v, 4 * row));
	CHECK(ay_fibre_at(&s, 0, 0) == 0);
}
