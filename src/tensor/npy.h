/* SPDX-License-Identifier: Apache-2.0
 *
 * npy - tensors as files that numpy.load reads.
 */
#ifndef AY_TENSOR_NPY_H
#define AY_TENSOR_NPY_H

#include "tensor/shape.h"

/* The dtype that a file holds in place of one that numpy has not (bf16, c32, 8-bit floats): a wider one with the same
 * values. Others are their own. */
enum ay_dt ay_npy_dtype(enum ay_dt dt);
/* What numpy calls a dtype that it has: "float32". */
const char *ay_npy_name(enum ay_dt dt);
/* Writes the elements in row-major order, as ay_npy_dtype(v->dt), conjugated or negated as the view says. */
int ay_npy_write(const char *path, const struct ay_view *v, struct ay_err *err);

#endif
