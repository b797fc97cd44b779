/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_opts.h"
#include "exec/interpreter.h"

#include <string.h>

int torch_policy(struct torch_options *o, struct ay_policy *p, struct ay_err *err)
{
	p->torch_use = AY_TORCH_ALL;
	o->interpreter.wish = o->python;
	p->python = &o->interpreter;
	return o->allow ? ay_torch_use_find(o->allow, &p->torch_use, err) : 0;
}

static json_t *text(const char *s)
{
	return s ? ay_json_text(s, strlen(s), 4096) : json_null();
}

void torch_record(const struct ay_policy *p, struct ay_arena *a, json_t *into)
{
	struct ay_interpreter i;
	struct ay_err ignored = { 0 }; /* a later start of the interpreter reports the error */

	ay_interpreter_look(a, p->python->wish, &i, &ignored);
	json_object_set_new(into, "allow_torch", text(ay_torch_use_name(p->torch_use)));
	json_object_set_new(into, "interpreter", text(i.path));
	json_object_set_new(into, "python", text(i.version));
	json_object_set_new(into, "torch", text(i.torch));
	json_object_set_new(into, "triton", text(i.triton));
}
