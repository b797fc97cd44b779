/* SPDX-License-Identifier: Apache-2.0
 *
 * shape - sizes, strides, views and broadcasting, as PyTorch defines them. Strides count elements and may be 0
 * (expanded) but not negative.
 */
#ifndef AY_TENSOR_SHAPE_H
#define AY_TENSOR_SHAPE_H

#include "base/err.h"
#include "tensor/dtype.h"

#include <stdbool.h>
#include <stdint.h>

enum { AY_MAX_DIM = 16 };

/* Shape, layout and, once there is memory, the data. `data` points at element 0, past the offset. */
struct ay_view {
	enum ay_dt dt;
	int ndim;
	int64_t shape[AY_MAX_DIM], stride[AY_MAX_DIM];
	int64_t offset; /* elements of storage before element 0 */
	bool conj, neg; /* values are the conjugates, the negatives of what is stored */
	void *data;
};

/* False if a size is negative or the product (or the bytes) would not fit in int64. */
bool ay_shape_ok(int ndim, const int64_t *shape, int itemsize);
int64_t ay_numel_of(const struct ay_view *v);
void ay_strides_dense(int ndim, const int64_t *shape, int64_t *stride);
bool ay_view_is_dense(const struct ay_view *v);
/* Elements of storage from the first to the last touched, offset included; 0 + offset for an empty view. -1 if it
 * does not fit in int64. */
int64_t ay_view_extent(const struct ay_view *v);
/* It reaches beyond what an address can name: counting the bytes of several such tensors would overflow, too. */
bool ay_view_too_far(const struct ay_view *v);
/* Two indices may name one element (expanded or overlapping strides). May err on the side of true. */
bool ay_view_overlaps(const struct ay_view *v);
/* Places of storage that v's elements lie in, expanded dimensions once; never more than there are, fewer where
 * they overlap in a way that is hard to count. */
int64_t ay_view_touched(const struct ay_view *v);
/* Place, in elements from data, of the element with flat row-major index i. */
int64_t ay_view_at(const struct ay_view *v, int64_t i);
/* How many elements in row-major order are `step` apart from each other, counted from any multiple of that number: the
 * last dimensions that lie as one. At least 1, of a view that has elements. */
int64_t ay_view_even(const struct ay_view *v, int64_t *step);
/* b's shape broadcast with a's, into out; both may be the same as out. */
int ay_broadcast_shapes(int andim, const int64_t *a, int bndim, const int64_t *b, int *ondim, int64_t *out,
			struct ay_err *err);
/* v seen with another shape: stride 0 where it is stretched. -1 if v does not broadcast to it. */
int ay_view_expand(const struct ay_view *v, int ndim, const int64_t *shape, struct ay_view *out,
		   struct ay_err *err);
/* dim or dim + ndim; -1 and a message if it is outside. A 0-dim tensor counts as having one dimension. */
int ay_dim_wrap(int64_t dim, int ndim, struct ay_err *err);

/* Fibres: row i (0 <= i < numel/shape[axis]) is the i-th line of elements along axis, the others in row-major
 * order. Gives where it starts, in elements from data; its stride is v->stride[axis]. A 0-dim view has one. */
int64_t ay_fibre_at(const struct ay_view *v, int axis, int64_t row);

#endif
