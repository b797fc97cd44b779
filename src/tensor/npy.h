/* SPDX-License-Identifier: Apache-2.0
 *
 * npy - writes tensors as files that numpy.load reads.
 */
#ifndef AY_TENSOR_NPY_H
#define AY_TENSOR_NPY_H

#include "tensor/shape.h"

/* Returns the dtype that a file holds for tensors of dt. For a dtype that numpy lacks (bf16, c32,
 * 8-bit floats) it is a wider one with the same values; otherwise it is dt. */
enum ay_dt ay_npy_dtype(enum ay_dt dt);
/* Returns numpy's name of a dtype, such as "float32". NULL if numpy lacks the dtype. */
const char *ay_npy_name(enum ay_dt dt);
/* Writes the elements in row-major order, as ay_npy_dtype(v->dt). The view's conj and neg flags are
 * applied to the values. */
int ay_npy_write(const char *path, const struct ay_view *v, struct ay_err *err);

#endif
