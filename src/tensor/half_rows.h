/* SPDX-License-Identifier: Apache-2.0
 *
 * halves - dense rows of f16 and bf16 by the processor's own conversions.
 *
 * Each does a number of elements from the row's start and says how many: fewer than n where the next few have
 * one among them that the processor treats otherwise than we do (a NaN, whose bits are ours to choose; for bf16 also
 * what would be subnormal on the way), or where too few are left. That is the caller's, by his own rule.
 * On a processor that lacks the instructions the answer is 0.
 */
#ifndef AY_TENSOR_HALF_ROWS_H
#define AY_TENSOR_HALF_ROWS_H

#include <stdint.h>

int64_t ay_f16_load(const void *src, int64_t n, double *dst);
int64_t ay_f16_store(void *dst, int64_t n, const double *src);
int64_t ay_bf16_store(void *dst, int64_t n, const double *src);

#endif
