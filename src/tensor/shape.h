/* SPDX-License-Identifier: Apache-2.0
 *
 * shape - sizes, strides, views and broadcasting, as PyTorch defines them. Strides count elements.
 * A stride may be 0 (expanded) but not negative.
 */
#ifndef AY_TENSOR_SHAPE_H
#define AY_TENSOR_SHAPE_H

#include "base/err.h"
#include "tensor/dtype.h"

#include <stdbool.h>
#include <stdint.h>

enum { AY_MAX_DIM = 16 };

/* Shape, layout and, once memory is assigned, the data. `data` points at element 0, past
 * the offset. */
struct ay_view {
	enum ay_dt dt;
	int ndim;
	int64_t shape[AY_MAX_DIM], stride[AY_MAX_DIM];
	int64_t offset; /* elements of storage before element 0 */
	bool conj, neg; /* the values are the conjugates, or the negatives, of the stored ones */
	void *data;
};

/* Returns false if a size is negative, or if the product of the sizes or the bytes do not fit
 * in int64. */
bool ay_shape_ok(int ndim, const int64_t *shape, int itemsize);
/* Returns the number of elements. */
int64_t ay_numel_of(const struct ay_view *v);
/* Stores the strides of a contiguous tensor. */
void ay_strides_dense(int ndim, const int64_t *shape, int64_t *stride);
bool ay_view_is_dense(const struct ay_view *v);
/* Returns the number of elements of storage up to the last one that the view touches, offset
 * included. For an empty view it is the offset. Returns -1 if it does not fit in int64. */
int64_t ay_view_extent(const struct ay_view *v);
/* Returns true if the view's storage is larger than an address space. Sums of such sizes in bytes
 * could overflow. */
bool ay_view_too_far(const struct ay_view *v);
/* Returns true if two indices may name one element (expanded or overlapping strides). May return
 * true for a view without overlap. */
bool ay_view_overlaps(const struct ay_view *v);
/* Returns how many distinct storage positions v's elements occupy; expanded dimensions count
 * once. The result is never too large. It is too small for some overlapping strides, which are
 * hard to count. */
int64_t ay_view_touched(const struct ay_view *v);
/* Returns the position, in elements from data, of the element with flat row-major index i. */
int64_t ay_view_at(const struct ay_view *v, int64_t i);
/* Returns n, the number of elements in the trailing dimensions that are evenly spaced, and stores
 * their spacing in *step. Starting at any multiple of n, n elements in row-major order are *step
 * apart. Returns at least 1 for a view that has elements. */
int64_t ay_view_even(const struct ay_view *v, int64_t *step);
/* Stores the broadcast shape of a and b in `out`, which may be a or b. Fails if the shapes do
 * not broadcast. */
int ay_broadcast_shapes(int andim, const int64_t *a, int bndim, const int64_t *b, int *ondim, int64_t *out,
			struct ay_err *err);
/* Stores v broadcast to `shape` in *out, with stride 0 in expanded dimensions. Returns -1 if v does
 * not broadcast to `shape`. */
int ay_view_expand(const struct ay_view *v, int ndim, const int64_t *shape, struct ay_view *out,
		   struct ay_err *err);
/* Returns dim, or dim + ndim if dim is negative. Returns -1 with a message if it is out of range. A
 * 0-dim tensor counts as having one dimension. */
int ay_dim_wrap(int64_t dim, int ndim, struct ay_err *err);

/* Returns the start, in elements from data, of fibre number `row` of v along `axis`. A fibre is a
 * line of elements along axis, with stride v->stride[axis]. Fibres are numbered from 0 to numel /
 * shape[axis] - 1, in row-major order of the other dimensions. A 0-dim view has one fibre. */
int64_t ay_fibre_at(const struct ay_view *v, int axis, int64_t row);

#endif
