/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/aten_request.h"

#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

enum { GOT, BOUND, MORE };

struct ay_schema *ay_aten_request_schema(struct ay_arena *a, const struct ay_schema *was)
{
	static const struct ay_value none = { .kind = AY_V_NONE };
	static const struct ay_sarg more[MORE] = {
		[GOT] = { .name = "assay_got",
			  .type = { .base = AY_TYPE_TENSOR, .list = true, .list_size = -1, .optional = true },
			  .def = &none,
			  .def_text = "None",
			  .kwonly = true },
		[BOUND] = { .name = "assay_bound",
			    .type = { .base = AY_TYPE_TENSOR, .optional = true },
			    .def = &none,
			    .def_text = "None",
			    .kwonly = true },
	};
	struct ay_schema *s = AY_NEW(a, struct ay_schema);

	*s = *was;
	s->arg = AY_NEW_N(a, struct ay_sarg, was->narg + MORE);
	memcpy(s->arg, was->arg, sizeof *s->arg * (size_t)was->narg);
	memcpy(s->arg + was->narg, more, sizeof more);
	s->narg += MORE;
	return s;
}

/* Adds an input that lies in memory to the request. */
static struct ay_operand *operand(struct ay_arena *a, struct ay_call *c, const char *name, const struct ay_view *v)
{
	struct ay_operand *o = AY_NEW(a, struct ay_operand);

	*o = (struct ay_operand){
		.view = *v, .role = AY_IN, .name = name, .ordinal = c->noperand, .fill.name = "zeros"
	};
	c->operand[c->noperand++] = o;
	return o;
}

/* Stores the two bound numbers of each result. Returns false if the bound is not linear in the
 * wanted value. */
static bool set_bounds(const struct ay_entry_op *op, const struct ay_call *was, double *to)
{
	const struct ay_op *o = op->op[ay_call_num_type(was)];

	for (int k = 0; k < was->nout; k++) {
		const enum ay_dt dt = was->out[k]->view.dt;
		const struct ay_bound b = ay_oracle_bound(o, was, dt);

		if (b.rounded || ay_dt_is_complex(dt) || was->out[k]->view.conj || was->out[k]->view.neg)
			return false;
		to[2 * k] = b.exact ? 0 : b.k_out * ldexp(1, -ay_dt_info(b.dt)->mant);
		to[2 * k + 1] = b.exact ? 0 : b.k_acc * ay_u_acc(b.dt);
	}
	return true;
}

static struct ay_view bounds_view(struct ay_arena *a, int n)
{
	struct ay_view v = { .dt = AY_DT_F64, .ndim = 2, .shape = { n, 2 }, .stride = { 2, 1 } };

	v.data = AY_NEW_N(a, double, 2 * n + 1);
	return v;
}

/* Copies all operands of the call except its results, with space for more. */
static struct ay_call *copy(struct ay_arena *a, const struct ay_call *was)
{
	struct ay_call *c = AY_NEW(a, struct ay_call);

	*c = *was;
	c->s = ay_aten_request_schema(a, was->s);
	c->arg = ay_call_copy_args(a, was, MORE);
	for (int i = was->s->narg; i < c->s->narg; i++)
		c->arg[i].v.kind = AY_V_NONE;
	for (int i = 0; i < c->s->narg; i++)
		c->arg[i].s = &c->s->arg[i];
	c->operand = AY_NEW_N(a, struct ay_operand *, was->noperand + was->nout + MORE);
	c->noperand = c->nout = 0;
	for (int i = 0; i < was->noperand && was->operand[i]->role != AY_RESULT; i++)
		c->operand[c->noperand++] = was->operand[i];
	return c;
}

struct ay_call *ay_aten_request_call(struct ay_arena *a, const struct ay_entry_op *op, const struct ay_call *was,
				     enum ay_aten_request q)
{
	struct ay_call *c = copy(a, was);
	const int at = was->s->narg, n = q == AY_ATEN_REQUEST_RIGHT ? was->nout : 0;
	struct ay_barg *got = &c->arg[at + GOT], *bound = &c->arg[at + BOUND];
	struct ay_view v = bounds_view(a, n ? n : 1);

	if (q == AY_ATEN_REQUEST_ANSWER)
		return c;
	if (q == AY_ATEN_REQUEST_RIGHT && (!n || !set_bounds(op, was, v.data)))
		return NULL;
	got->n = n;
	got->t = AY_NEW_N(a, struct ay_operand *, n + 1);
	for (int k = 0; k < n; k++)
		got->t[k] = operand(a, c, "assay_got", &was->out[k]->view);
	bound->n = 1;
	bound->t = AY_NEW(a, struct ay_operand *);
	bound->t[0] = operand(a, c, "assay_bound", &v);
	return c;
}
