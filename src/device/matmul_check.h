/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul_check - checks the results of a large matrix product on a device, in the judge's own
 * context.
 *
 * Theory of operation. The factors are widened to double and laid out densely; cuBLAS multiplies
 * them. It multiplies their squares too, which gives the 2-norm of each sum's terms. The bound of
 * each element follows from both by the oracle's formula (tensor/error_weight.h). The kernel's
 * results are compared with that.
 *
 * The oracle's bound also includes the largest prefix of each sum, so the bound here is never
 * larger. It is further reduced by more than the rounding error of double. So a result within this
 * bound is within the oracle's. A result outside is checked by the oracle, which decides: a device
 * alone never finds a kernel wrong.
 */
#ifndef AY_DEVICE_MATMUL_CHECK_H
#define AY_DEVICE_MATMUL_CHECK_H

#include "device/device.h"
#include "tensor/shape.h"

/* A strided matrix on the device. `at` is the address of element 0; the view's own data and offset
 * are ignored. */
struct ay_dev_matrix {
	const struct ay_view *view;
	uint64_t at;
};

/* got[i][j] = sum over k of left[i][k] * right[stack of i][j][k], as in struct ay_factors of
 * op/op.h. */
struct ay_dev_matmul {
	struct ay_dev_matrix left, right, bias; /* f16, bf16 or f32; bias.view NULL: none */
	int64_t rows, columns, k;               /* of one matrix of the stack */
	bool scaled;                            /* the result is alpha * the sum + beta * old */
	double alpha, beta;
	uint64_t old, got; /* dense, of dtype dt: f16, bf16 or f32 */
	enum ay_dt dt;
	double growth, k_out, per_mag; /* of the bound, see AY_BOUND_OF */
};

/* Returns true if this device can check this product, which needs cuBLAS and NVRTC. The first call
 * takes long. */
bool ay_dev_can_multiply(struct ay_dev *d, const struct ay_dev_matmul *p);
/* Returns the bytes of device memory that the check needs while it runs. */
uint64_t ay_dev_matmul_bytes(const struct ay_dev_matmul *p);
/* Sets *right to true if every element is within its bound. */
int ay_dev_matmul_is_right(struct ay_dev *d, const struct ay_dev_matmul *p, bool *right, struct ay_err *err);

#endif
