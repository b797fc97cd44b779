/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/floor.h"

#include "op/op.h"

#include <math.h>

/* Returns the bytes of all tensors, each once. A tensor that is read and written counts as read
 * only, because content that does not change need not be written. */
static double each_once(const struct ay_call *c)
{
	double sum = 0;

	for (int i = 0; i < c->noperand; i++)
		sum += c->operand[i]->wrapped ? 0 : ay_touched(&c->operand[i]->view);
	return sum;
}

/* Returns true if the call has no results, so that it needs no input. */
static bool gives_nothing(const struct ay_call *c)
{
	for (int i = 0; i < c->nout; i++)
		if (ay_numel_of(&c->out[i]->view))
			return false;
	return !c->nscalar_out;
}

void ay_floor_cost(const struct ay_call *c, struct ay_floor *f)
{
	struct ay_cost k = { 0 };

	if (c->op->cost && !gives_nothing(c))
		c->op->cost(c, &k);
	*f = (struct ay_floor){ .bytes = k.bytes < 0 ? each_once(c) : k.bytes, .flops = k.flops };
}

enum ay_dt ay_multiplied(const struct ay_call *c)
{
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];

		if (o->role == AY_IN && !o->wrapped && o->view.ndim > 1 &&
		    (!ay_dt_is_integral(o->view.dt) || o->view.dt == AY_DT_I8))
			return o->view.dt;
	}
	return c->nout ? c->out[0]->view.dt : AY_DT_F32;
}

/* On a busy machine the quick measurement has shown half of the real speed of a shared cache. For
 * a GPU's L2 it has shown 0.95 of it. */
#define QUICK_MARGIN     2.0
#define QUICK_MARGIN_GPU 1.1

void ay_floor(const struct ay_call *c, const struct ay_ceilings *m, int threads, double pool_bytes, double null_ns,
	      struct ay_floor *f)
{
	const double margin = !m->quick ? 1 : m->gpu.read ? QUICK_MARGIN_GPU : QUICK_MARGIN;
	double per_s = ay_ceiling_bytes_per_s(m, threads, pool_bytes) * margin;

	ay_floor_cost(c, f);
	f->ns = fmax(null_ns, f->bytes / per_s * 1e9);
}
