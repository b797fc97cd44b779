/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul_gpu - compares large matrix products on the device (device/matmul_check.h).
 *
 * The CPU would take seconds, and a product of doubles on a GPU takes milliseconds. For timed sets
 * the inputs are made again on the device. For a call in host memory the operands are copied
 * there.
 */
#include "timing/matmul_gpu.h"

#include "device/dev_mem.h"
#include "timing/inputs_gpu_internal.h"

#include "op/fill.h"
#include "oracle/oracle.h"

#define WORTH 0x1p28 /* scalar products: one CPU core takes 0.2 s for this many */

/* Returns the address of element 0 of a tensor whose storage lies at `at`. */
static uint64_t element_0(const struct ay_view *v, uint64_t at)
{
	return at + (uint64_t)(v->offset * ay_dt_info(v->dt)->bytes);
}

static struct ay_dev_matrix matrix(const uint64_t *at, const struct ay_view *v, const struct ay_operand *of)
{
	return (struct ay_dev_matrix){ v, element_0(&of->view, at[of->ordinal]) };
}

static const struct ay_operand *owner(const struct ay_call *c, const struct ay_view *v)
{
	for (int i = 0; i < c->noperand; i++)
		if (&c->operand[i]->view == v)
			return c->operand[i];
	return NULL;
}

/* Describes the product except for the address of its result. at: for each operand, the address of
 * its storage before the call. *f must live as long as *p. Returns false if the device cannot
 * check this call. */
static bool describe(const struct ay_call *c, const struct ay_entry_op *e, const uint64_t *at,
		     struct ay_factors *f, struct ay_dev_matmul *p)
{
	const struct ay_op *op = e->op[ay_call_num_type(c)];
	const struct ay_operand *bias;
	struct ay_bound b;

	if (!op->factors || op->check || c->nout != 1 || !ay_view_is_dense(&c->out[0]->view) || !op->factors(c, f))
		return false;
	b = ay_oracle_bound(op, c, c->out[0]->view.dt);
	*p = (struct ay_dev_matmul){ .left = matrix(at, &f->left, f->a),
				     .right = matrix(at, &f->right, f->b),
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
		p->bias = matrix(at, f->bias, bias);
	if (f->c)
		p->old = element_0(&f->c->view, at[f->c->ordinal]);
	return !b.exact && !b.rounded && !bias == !f->bias;
}

static bool is_large(const struct ay_call *c, const struct ay_factors *f)
{
	return (double)ay_numel_of(&c->out[0]->view) * (double)f->k >= WORTH;
}

/* Returns true if the device supports the product and has memory for it and for `more` bytes. */
static bool fits(struct ay_dev *d, const struct ay_dev_matmul *p, uint64_t more)
{
	return ay_dev_matmul_bytes(p) + more <= ay_dev_free_bytes(d) / 2 && ay_dev_can_multiply(d, p);
}

bool ay_input_template_can_multiply(const struct ay_input_template *m, const struct ay_entry_op *op)
{
	struct ay_dev_matmul p;
	struct ay_factors f;

	return m->gpu && m->gpu->can_make && describe(m->call, op, m->gpu->again, &f, &p) &&
	       is_large(m->call, &f) && fits(m->gpu->dev, &p, 0);
}

int ay_input_sets_are_right(struct ay_input_sets *s, const struct ay_entry_op *op, int set, bool *right,
			    struct ay_err *err)
{
	const struct ay_operand *out = s->m->call->out[0];
	const uint64_t again = s->m->gpu->again[out->ordinal];
	struct ay_dev_matmul p;
	struct ay_factors f;
	bool changed = false;

	*right = false;
	if (!describe(s->m->call, op, s->m->gpu->again, &f, &p) || !ay_dev_can_multiply(s->dev, &p))
		return 0;
	if (ay_input_sets_again(s, set, &changed, err))
		return -1;
	if (changed)
		return 0;
	p.got = element_0(&out->view, ay_input_sets_address(s, set * s->m->call->noperand + out->ordinal));
	if (s->python && out->role == AY_RESULT) {
		p.got = element_0(&out->view, again);
		if (ay_dev_write(s->dev, again, ay_input_sets_at(s, set, out->ordinal), ay_operand_bytes(out),
				 err))
			return -1;
	}
	return ay_dev_matmul_is_right(s->dev, &p, right, err);
}

/* --- a call that lies here ------------------------------------------------------------------------------- */

static uint64_t padded(const struct ay_dev *d, const struct ay_operand *o)
{
	return (ay_operand_bytes(o) + d->info.align - 1) / d->info.align * d->info.align;
}

static const uint8_t *storage_of(const struct ay_view *v)
{
	return (const uint8_t *)v->data - v->offset * ay_dt_info(v->dt)->bytes;
}

/* Copies the content before the call to the device, one operand behind the other, and the results
 * behind them. */
static int bring(struct ay_dev *d, const struct ay_call *c, const uint64_t *at, struct ay_err *err)
{
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];
		const struct ay_view *v = o->role == AY_INOUT ? &o->old : &o->view;

		if ((o->role == AY_IN || o->role == AY_INOUT) &&
		    ay_dev_write(d, at[i], storage_of(v), ay_operand_bytes(o), err))
			return -1;
	}
	return ay_dev_write(d, at[c->noperand], storage_of(&c->out[0]->view), ay_operand_bytes(c->out[0]), err);
}

bool ay_product_is_large(const struct ay_entry_op *op, const struct ay_call *c)
{
	struct ay_factors f;

	return op->op[0]->factors && c->nout == 1 && op->op[0]->factors(c, &f) && is_large(c, &f);
}

int ay_product_is_right(struct ay_dev *d, const struct ay_entry_op *op, const struct ay_call *c, bool *right,
			struct ay_err *err)
{
	uint64_t *at = ay_xrealloc(NULL, sizeof *at * (size_t)(c->noperand + 1)), bytes = 0;
	struct ay_dev_mem mem = { .fd = -1 };
	struct ay_dev_matmul p;
	struct ay_factors f;
	int rc = 0;

	*right = false;
	for (int i = 0; i <= c->noperand; i++) {
		at[i] = bytes;
		bytes += i < c->noperand ? padded(d, c->operand[i]) : c->nout ? padded(d, c->out[0]) : 0;
	}
	bytes = (bytes + d->info.grain) / d->info.grain * d->info.grain;
	if (describe(c, op, at, &f, &p) && fits(d, &p, bytes)) {
		rc = ay_dev_mem_alloc(d, bytes, false, &mem, err);
		for (int i = 0; i <= c->noperand; i++)
			at[i] += mem.at;
		if (!rc)
			rc = bring(d, c, at, err);
		if (!rc && describe(c, op, at, &f, &p)) {
			p.got = element_0(&c->out[0]->view, at[c->noperand]);
			rc = ay_dev_matmul_is_right(d, &p, right, err);
		}
		ay_dev_mem_free(d, &mem);
	}
	ay_xfree(at);
	return rc;
}
