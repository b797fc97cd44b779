/* SPDX-License-Identifier: Apache-2.0
 *
 * product - are the results of a large product of matrices right? Asked of a device, in the judge's own context.
 *
 * Theory of operation. The factors are widened to double, where they lie next to each other, and multiplied by cuBLAS;
 * their squares are multiplied too, which gives the 2-norm of each sum's terms. From both comes the bound of each
 * element, by the formula that the oracle uses (tensor/error_weight.h), and what a kernel left is compared with it.
 *
 * The oracle's bound also knows the largest prefix of each sum, so this one is never larger; besides it is made smaller
 * by more than double can be wrong by. What is within it is within the oracle's. What is not is looked at by the oracle,
 * whose word counts: a device alone finds nobody wrong.
 */
#ifndef AY_DEVICE_MATMUL_CHECK_H
#define AY_DEVICE_MATMUL_CHECK_H

#include "device/device.h"
#include "tensor/shape.h"

/* Strided elements on the device: `at` is the address of element 0, data and offset of the view do not count. */
struct ay_dev_matrix {
	const struct ay_view *view;
	uint64_t at;
};

/* got[i][j] = sum over k of left[i][k] * right[stack of i][j][k], as struct ay_factors of op/op.h has it. */
struct ay_dev_matmul {
	struct ay_dev_matrix left, right, bias; /* f16, bf16 or f32; bias.view NULL: none */
	int64_t rows, columns, k;               /* of one of the stack */
	bool scaled;                            /* alpha * the sum + beta * old */
	double alpha, beta;
	uint64_t old, got; /* dense, of dtype dt: f16, bf16 or f32 */
	enum ay_dt dt;
	double growth, k_out, per_mag; /* of the bound */
};

/* Can this be asked of this device at all, cuBLAS and NVRTC included? The first time takes long. */
bool ay_dev_can_multiply(struct ay_dev *d, const struct ay_dev_matmul *p);
/* Bytes of the device that it takes meanwhile. */
uint64_t ay_dev_matmul_bytes(const struct ay_dev_matmul *p);
/* *right: every element is within its bound. */
int ay_dev_matmul_is_right(struct ay_dev *d, const struct ay_dev_matmul *p, bool *right, struct ay_err *err);

#endif
