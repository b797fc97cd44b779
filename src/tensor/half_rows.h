/* SPDX-License-Identifier: Apache-2.0
 *
 * half_rows - converts dense rows of f16 and bf16 with the processor's own instructions.
 *
 * Each function converts elements from the start of the row, in groups, and returns how many it has
 * converted. It returns fewer than n if the next group has an element that the processor treats
 * differently from dtype.c, or if too few elements are left for a group. Such elements are NaNs,
 * whose bits assay chooses, and for bf16 also numbers that are subnormal as f32. The caller
 * converts the rest itself. Returns 0 on a processor without the instructions.
 */
#ifndef AY_TENSOR_HALF_ROWS_H
#define AY_TENSOR_HALF_ROWS_H

#include <stdint.h>

int64_t ay_f16_load(const void *src, int64_t n, double *dst);
int64_t ay_f16_store(void *dst, int64_t n, const double *src);
int64_t ay_bf16_store(void *dst, int64_t n, const double *src);

#endif
