/* SPDX-License-Identifier: Apache-2.0
 *
 * promote - PyTorch's type promotion. Tensors with dimensions decide first; 0-dim tensors and then plain numbers
 * ("wrapped numbers") only count if their class (bool < int < float < complex) is higher than what was decided.
 */
#ifndef AY_TENSOR_PROMOTE_H
#define AY_TENSOR_PROMOTE_H

#include "tensor/dtype.h"

/* torch.promote_types. AY_DT_NONE for two dtypes that do not promote (two different 8-bit floats, say). */
enum ay_dt ay_promote(enum ay_dt a, enum ay_dt b);

/* torch.result_type over operands added one by one. {0}-initialise with AY_PROMOTE_INIT. */
struct ay_promotion {
	enum ay_dt dim, zero, wrapped;
};
#define AY_PROMOTE_INIT ((struct ay_promotion){ AY_DT_NONE, AY_DT_NONE, AY_DT_NONE })

void ay_promote_tensor(struct ay_promotion *p, enum ay_dt dt, int ndim);
/* A number written in the call: b8, i64, f32 (default float) or c64 by its class. */
void ay_promote_number(struct ay_promotion *p, enum ay_class cls);
enum ay_dt ay_promote_result(const struct ay_promotion *p);

#endif
