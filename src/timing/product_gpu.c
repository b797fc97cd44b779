/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole sets of large products, compared on the device (device/product.h) with inputs that are made again there: the
 * processor would take seconds, and a product of doubles takes milliseconds.
 */
#include "timing/content_gpu_inside.h"

#include "device/product.h"
#include "op/fill.h"
#include "oracle/oracle.h"

#define WORTH 0x1p28 /* products of numbers: the processor takes 0.2 s for as many, on one core */

/* The address of element 0 of a tensor whose storage lies at `at`. */
static uint64_t element_0(const struct ay_view *v, uint64_t at)
{
	return at + (uint64_t)(v->offset * ay_dt_info(v->dt)->bytes);
}

static struct ay_dev_matrix matrix(const struct ay_master *m, const struct ay_view *v, const struct ay_operand *of)
{
	return (struct ay_dev_matrix){ v, element_0(&of->view, m->gpu->again[of->ordinal]) };
}

static const struct ay_operand *owner(const struct ay_call *c, const struct ay_view *v)
{
	for (int i = 0; i < c->noperand; i++)
		if (&c->operand[i]->view == v)
			return c->operand[i];
	return NULL;
}

/* All of it but where the results lie. f must live as long as *p. */
static bool describe(const struct ay_master *m, const struct ay_entry_op *e, struct ay_factors *f,
		     struct ay_dev_product *p)
{
	const struct ay_call *c = m->call;
	const struct ay_op *op = e->op[ay_call_num_type(c)];
	const struct ay_operand *bias;
	struct ay_bound b;

	if (!op->factors || op->check || c->nout != 1 || !ay_view_is_dense(&c->out[0]->view) || !op->factors(c, f))
		return false;
	b = ay_oracle_bound(op, c, c->out[0]->view.dt);
	*p = (struct ay_dev_product){ .left = matrix(m, &f->left, f->a),
				      .right = matrix(m, &f->right, f->b),
				      .rows = f->rows,
				      .columns = f->columns,
				      .k = f->k,
				      .scaled = f->scaled,
				      .alpha = f->alpha,
				      .beta = f->beta,
				      .dt = c->out[0]->view.dt,
				      .growth = ay_growth(f->k + (f->bias != NULL)),
				      .k_out = b.k_out,
				      .per_mag = b.k_acc * ay_u_acc(b.dt) };
	bias = f->bias ? owner(c, f->bias) : NULL;
	if (bias)
		p->bias = matrix(m, f->bias, bias);
	if (f->c)
		p->old = element_0(&f->c->view, m->gpu->again[f->c->ordinal]);
	return !b.exact && !b.rounded && !bias == !f->bias;
}

bool ay_master_can_multiply(const struct ay_master *m, const struct ay_entry_op *op)
{
	struct ay_dev_product p;
	struct ay_factors f;

	return m->gpu && m->gpu->can_make && describe(m, op, &f, &p) &&
	       (double)ay_numel_of(&m->call->out[0]->view) * (double)f.k >= WORTH &&
	       ay_dev_product_bytes(&p) <= ay_dev_free_bytes(m->gpu->dev) / 2 &&
	       ay_dev_can_multiply(m->gpu->dev, &p);
}

int ay_sets_are_right(struct ay_sets *s, const struct ay_entry_op *op, int set, bool *right, struct ay_err *err)
{
	const struct ay_operand *out = s->m->call->out[0];
	const uint64_t again = s->m->gpu->again[out->ordinal];
	struct ay_dev_product p;
	struct ay_factors f;
	bool changed = false;

	*right = false;
	if (!describe(s->m, op, &f, &p) || !ay_dev_can_multiply(s->dev, &p))
		return 0;
	if (ay_sets_again(s, set, &changed, err))
		return -1;
	if (changed)
		return 0;
	p.got = element_0(&out->view, ay_sets_address(s, set * s->m->call->noperand + out->ordinal));
	if (s->python && out->role == AY_RESULT) {
		p.got = element_0(&out->view, again);
		if (ay_dev_write(s->dev, again, ay_sets_at(s, set, out->ordinal), ay_operand_bytes(out), err))
			return -1;
	}
	return ay_dev_product_is_right(s->dev, &p, right, err);
}
