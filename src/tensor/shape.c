/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/shape.h"
#include "base/str.h"

static int64_t at_least_one(int64_t n)
{
	return n > 1 ? n : 1;
}

/* Zeros count as ones here, as in PyTorch, because the strides of an empty tensor must fit too. */
bool ay_shape_ok(int ndim, const int64_t *shape, int itemsize)
{
	int64_t n = 1, bytes;
	bool empty = false;

	if (ndim < 0 || ndim > AY_MAX_DIM)
		return false;
	for (int d = 0; d < ndim; d++) {
		if (shape[d] < 0 || __builtin_mul_overflow(n, at_least_one(shape[d]), &n))
			return false;
		empty |= !shape[d];
	}
	return empty || !__builtin_mul_overflow(n, (int64_t)itemsize, &bytes);
}

/* Looks for zeros first, so that the product cannot overflow, whatever the order of sizes. */
int64_t ay_numel_of(const struct ay_view *v)
{
	int64_t n = 1;

	for (int d = 0; d < v->ndim; d++)
		if (!v->shape[d])
			return 0;
	for (int d = 0; d < v->ndim; d++)
		n *= v->shape[d];
	return n;
}

void ay_strides_dense(int ndim, const int64_t *shape, int64_t *stride)
{
	int64_t step = 1;

	for (int d = ndim - 1; d >= 0; d--) {
		stride[d] = step;
		step *= at_least_one(shape[d]);
	}
}

bool ay_view_is_dense(const struct ay_view *v)
{
	int64_t step = 1;

	if (!ay_numel_of(v))
		return true;
	for (int d = v->ndim - 1; d >= 0; d--) {
		if (v->shape[d] != 1 && v->stride[d] != step)
			return false;
		step *= v->shape[d];
	}
	return true;
}

/* A negative stride or offset reaches before the storage, so no storage is large enough. */
int64_t ay_view_extent(const struct ay_view *v)
{
	int64_t last = v->offset, span;

	if (v->offset < 0)
		return -1;
	if (!ay_numel_of(v))
		return v->offset;
	for (int d = 0; d < v->ndim; d++) {
		if (v->shape[d] == 1)
			continue;
		if (v->stride[d] < 0 || __builtin_mul_overflow(v->shape[d] - 1, v->stride[d], &span) ||
		    __builtin_add_overflow(last, span, &last))
			return -1;
	}
	return __builtin_add_overflow(last, 1, &last) ? -1 : last;
}

/* Stores the dimensions with more than one element in `order`, by increasing stride. Returns
 * their number. */
static int sort_dims(const struct ay_view *v, int *order)
{
	int n = 0;

	for (int d = 0; d < v->ndim; d++) {
		int at = n;

		if (v->shape[d] == 1)
			continue;
		for (; at && v->stride[order[at - 1]] > v->stride[d]; at--)
			order[at] = order[at - 1];
		order[at] = d;
		n++;
	}
	return n;
}

bool ay_view_too_far(const struct ay_view *v)
{
	int64_t extent = ay_view_extent(v);

	return extent < 0 || extent > ((int64_t)1 << 47) / ay_dt_info(v->dt)->bytes;
}

/* No two elements share memory if each stride is larger than all that the smaller strides reach.
 * Some other strides do not overlap either, like (2, 3) of shape (2, 2); the result is true for
 * them. */
bool ay_view_overlaps(const struct ay_view *v)
{
	int order[AY_MAX_DIM];
	const int n = sort_dims(v, order);
	int64_t reach = 0, span;

	if (!ay_numel_of(v))
		return false;
	for (int k = 0; k < n; k++) {
		const int d = order[k];

		if (v->stride[d] <= reach)
			return true;
		if (__builtin_mul_overflow(v->shape[d] - 1, v->stride[d], &span) ||
		    __builtin_add_overflow(reach, span, &reach))
			return true;
	}
	return false;
}

int64_t ay_view_touched(const struct ay_view *v)
{
	struct ay_view w = *v;
	int64_t longest = 1;

	for (int d = 0; d < w.ndim && ay_numel_of(v); d++) {
		w.shape[d] = w.stride[d] ? w.shape[d] : 1;
		longest = w.shape[d] > longest ? w.shape[d] : longest;
	}
	return ay_view_overlaps(&w) ? longest : ay_numel_of(&w);
}

int64_t ay_view_at(const struct ay_view *v, int64_t i)
{
	int64_t at = 0;

	for (int d = v->ndim - 1; d >= 0; d--) {
		at += i % v->shape[d] * v->stride[d];
		i /= v->shape[d];
	}
	return at;
}

static void print_shape(struct ay_str *s, int ndim, const int64_t *shape)
{
	ay_str_addc(s, '[');
	for (int d = 0; d < ndim; d++)
		ay_str_addf(s, d ? ", %lld" : "%lld", (long long)shape[d]);
	ay_str_addc(s, ']');
}

/* Makes the message "WHAT [2, 3] HOW [4]". */
static int fail_shapes(struct ay_err *err, const char *what, int andim, const int64_t *a, const char *how,
		       int bndim, const int64_t *b)
{
	struct ay_str s = { 0 };

	ay_str_addf(&s, "%s ", what);
	print_shape(&s, andim, a);
	ay_str_addf(&s, " %s ", how);
	print_shape(&s, bndim, b);
	ay_fail(err, AY_ERR_BIND, "%s", ay_str_text(&s));
	ay_str_release(&s);
	return -1;
}

int64_t ay_view_even(const struct ay_view *v, int64_t *step)
{
	int64_t n = 1;

	*step = 1;
	for (int d = v->ndim - 1; d >= 0; d--) {
		if (v->shape[d] == 1)
			continue;
		if (n == 1)
			*step = v->stride[d];
		else if (v->stride[d] != *step * n)
			break;
		n *= v->shape[d];
	}
	return n;
}

int ay_broadcast_shapes(int andim, const int64_t *a, int bndim, const int64_t *b, int *ondim, int64_t *out,
			struct ay_err *err)
{
	const int n = andim > bndim ? andim : bndim;
	int64_t res[AY_MAX_DIM]; /* out may be a or b, and both are named if this fails */

	AY_ASSERT(n <= AY_MAX_DIM);
	for (int k = 1; k <= n; k++) {
		const int64_t x = k <= andim ? a[andim - k] : 1, y = k <= bndim ? b[bndim - k] : 1;

		if (x != y && x != 1 && y != 1)
			return fail_shapes(err, "cannot broadcast shapes", andim, a, "and", bndim, b);
		res[n - k] = x == 1 ? y : x;
	}
	for (int d = 0; d < n; d++)
		out[d] = res[d];
	*ondim = n;
	return 0;
}

int ay_view_expand(const struct ay_view *v, int ndim, const int64_t *shape, struct ay_view *out,
		   struct ay_err *err)
{
	struct ay_view res = *v; /* out may be v */

	AY_ASSERT(ndim <= AY_MAX_DIM);
	if (ndim < v->ndim)
		return fail_shapes(err, "cannot expand shape", v->ndim, v->shape, "to", ndim, shape);
	res.ndim = ndim;
	for (int k = 1; k <= ndim; k++) {
		const int64_t want = shape[ndim - k], have = k <= v->ndim ? v->shape[v->ndim - k] : 1;
		const bool keeps = k <= v->ndim && have == want;

		if (want < 0 || (have != want && have != 1))
			return fail_shapes(err, "cannot expand shape", v->ndim, v->shape, "to", ndim, shape);
		res.shape[ndim - k] = want;
		res.stride[ndim - k] = keeps ? v->stride[v->ndim - k] : 0;
	}
	*out = res;
	return 0;
}

int ay_dim_wrap(int64_t dim, int ndim, struct ay_err *err)
{
	const int n = ndim > 0 ? ndim : 1;

	if (dim < -n || dim >= n)
		return ay_fail(err, AY_ERR_BIND, "dimension %lld is outside [%d, %d]", (long long)dim, -n, n - 1);
	return (int)(dim < 0 ? dim + n : dim);
}

int64_t ay_fibre_at(const struct ay_view *v, int axis, int64_t row)
{
	int64_t at = 0;

	for (int d = v->ndim - 1; d >= 0; d--) {
		if (d == axis)
			continue;
		at += row % v->shape[d] * v->stride[d];
		row /= v->shape[d];
	}
	return at;
}
