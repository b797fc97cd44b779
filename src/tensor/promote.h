/* SPDX-License-Identifier: Apache-2.0
 *
 * promote - PyTorch's type promotion. Tensors with dimensions decide first. A 0-dim tensor counts
 * only if its class (bool < int < float < complex) is higher than theirs. A plain number ("wrapped
 * number") counts only if its class is higher than that of all tensors.
 */
#ifndef AY_TENSOR_PROMOTE_H
#define AY_TENSOR_PROMOTE_H

#include "tensor/dtype.h"

/* torch.promote_types. Returns AY_DT_NONE for two dtypes that do not promote (for example two
 * different 8-bit floats). */
enum ay_dt ay_promote(enum ay_dt a, enum ay_dt b);

/* torch.result_type over operands that are added one by one. Initialise with AY_PROMOTE_INIT. */
struct ay_promotion {
	enum ay_dt dim, zero, wrapped;
};
#define AY_PROMOTE_INIT ((struct ay_promotion){ AY_DT_NONE, AY_DT_NONE, AY_DT_NONE })

void ay_promote_tensor(struct ay_promotion *p, enum ay_dt dt, int ndim);
/* Adds a number written in the call: b8, i64, f32 (the default float) or c64, by its class. */
void ay_promote_number(struct ay_promotion *p, enum ay_class cls);
/* Returns the result type, or AY_DT_NONE if the operands do not promote or there were none. */
enum ay_dt ay_promote_result(const struct ay_promotion *p);

#endif
