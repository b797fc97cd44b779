/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bound applies to the results of a call.
 */
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

static bool is_small_number(const struct ay_value *v)
{
	enum { MOST = 1000 };

	return v->kind == AY_V_BOOL || (v->kind == AY_V_INT && v->i >= -MOST && v->i <= MOST);
}

/* Returns true if o holds small integers: by its data, its fill, or the fill that integers get without one. */
static bool is_small(const struct ay_operand *o)
{
	for (int i = 0; o->data && ay_dt_is_integral(o->view.dt) && i < o->data->list.n; i++)
		if (!is_small_number(&o->data->list.v[i]))
			return false;
	if (!ay_dt_is_integral(o->view.dt))
		return !strcmp(o->fill.name, "exact");
	if (o->data || o->view.dt == AY_DT_B8 || !strcmp(o->fill.name, "exact"))
		return true;
	/* u8 holds a negative number as one up to 255: such sums may need more digits than bf16 has */
	if (o->view.dt == AY_DT_U8)
		return false;
	return !strcmp(o->fill.name, "int") && o->fill.n == 2 && o->fill.arg[0].kind == AY_V_INT &&
	       o->fill.arg[1].kind == AY_V_INT && o->fill.arg[0].i >= -9 && o->fill.arg[1].i <= 9;
}

/* Returns true if all inputs are integers, and small where the result, of dtype dt, is a float. Then
 * every sum and product of them is exact, in any order. */
static bool all_integers(const struct ay_call *c, enum ay_dt dt)
{
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];

		if (o->role <= AY_INOUT && !(ay_dt_is_integral(dt) && ay_dt_is_integral(o->view.dt)) &&
		    !is_small(o))
			return false;
	}
	for (int i = 0; i < c->s->narg; i++)
		if (c->arg[i].v.kind == AY_V_FLOAT && c->arg[i].v.f != rint(c->arg[i].v.f))
			return false;
	return true;
}

struct ay_bound ay_oracle_bound(const struct ay_op *op, const struct ay_call *c, enum ay_dt dt)
{
	bool integers = op->flags & AY_INTEGRAL && all_integers(c, dt);

	return (struct ay_bound){ .dt = ay_dt_component(dt),
				  .k_out = integers    ? 0
					   : op->k_out ? op->k_out
						       : 1,
				  .k_acc = integers ? 0 : AY_K_ACC,
				  .exact = op->flags & AY_EXACT || dt == AY_DT_B8,
				  .rounded = op->flags & AY_ROUNDED };
}
