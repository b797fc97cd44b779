/* SPDX-License-Identifier: Apache-2.0
 *
 * mm of dense f32 "on the device" of fake.c. WRONG_AFTER: the call from which on one element is wrong; 0: never.
 */
#include <assay/kernel.h>

#ifndef WRONG_AFTER
#define WRONG_AFTER 0
#endif

int aten_mm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	const float *restrict x = self->data, *restrict y = mat2->data;
	const int64_t m = self->shape[0], k = self->shape[1], n = mat2->shape[1];
	float *restrict z = out->data;
	static int calls;

	(void)ctx;
	if (ay_dt(self) != AY_F32 || !ay_is_dense(self) || !ay_is_dense(mat2) || !ay_is_dense(out))
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++)
			z[i * n + j] = 0;
		for (int64_t l = 0; l < k; l++)
			for (int64_t j = 0; j < n; j++)
				z[i * n + j] += x[i * k + l] * y[l * n + j];
	}
	if (WRONG_AFTER && ++calls > WRONG_AFTER)
		z[m * n / 2] += 1;
	return AY_OK;
}
