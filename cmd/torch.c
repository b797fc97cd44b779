/* SPDX-License-Identifier: Apache-2.0 */
#include "torch.h"

int torch_policy(struct torch_options *o, struct ay_policy *p, struct ay_err *err)
{
	p->torch_use = AY_TORCH_ALL;
	o->interpreter.wish = o->python;
	p->python = &o->interpreter;
	return o->allow ? ay_torch_use_find(o->allow, &p->torch_use, err) : 0;
}
