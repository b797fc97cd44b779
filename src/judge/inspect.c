/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect - what an author may want to see of a case: the kernel's output to the terminal, and the
 * tensors as files.
 *
 * The judge writes all of it in its own process, after the kernel's call. The executor learns
 * nothing of it.
 */
#include "base/file.h"
#include "base/json.h"
#include "exec/printed.h"
#include "judge/case_run.h"
#include "op/fill.h"
#include "oracle/oracle.h"
#include "tensor/npy.h"

#include <math.h>
#include <string.h>

enum { NAME_MAX_LEN = 60, TEXT_MAX = 8192 };

/* --- what it printed ------------------------------------------------------------------------------------------- */

struct printed ay_case_run_printed_so_far(const struct case_run *t)
{
	const struct ay_printed *p = t->j->policy.printed;

	return p ? (struct printed){ p->n, p->dropped } : (struct printed){ 0 };
}

void ay_case_run_unprint(struct case_run *t, const struct printed *to)
{
	struct ay_printed *p = t->j->policy.printed;

	if (!p)
		return;
	p->n = to->n;
	p->dropped = to->dropped;
}

void ay_case_run_printed(struct case_run *t)
{
	struct ay_printed *p = t->j->policy.printed;
	struct ay_str b = { 0 };

	if (!p || !p->n)
		return;
	ay_str_add_safe(&b, p->text, p->n, sizeof p->text);
	t->rep->printed = ay_strdup(t->a, ay_str_text(&b));
	t->rep->printed_dropped = p->dropped;
	p->n = 0;
	p->dropped = 0;
	ay_str_release(&b);
}

/* --- what is wanted, element by element ------------------------------------------------------------------------ */

/* Dense arrays for one output: wanted values, errors, bounds, and whether each element is right.
 * Views without data: not known. */
struct wanted {
	struct ay_view want, error, bound, right;
};

struct dump {
	struct case_run *t;
	struct wanted *wanted; /* one per output */
	bool taken;            /* results are available */
	json_t *index;
	struct ay_err *err;
	int rc;
};

static void put(const struct ay_view *v, int64_t i, bool imag, double x)
{
	double *at = v->data;

	at[ay_dt_is_complex(v->dt) ? 2 * i + imag : i] = x;
}

static void take_element(void *user, const struct ay_element *e)
{
	struct wanted *w = &((struct dump *)user)->wanted[e->out];
	uint8_t *right = w->right.data;

	if (w->want.dt == AY_DT_I64)
		((int64_t *)w->want.data)[e->index] = (int64_t)e->want;
	else if (w->want.dt == AY_DT_B8)
		((uint8_t *)w->want.data)[e->index] = e->want != 0;
	else
		put(&w->want, e->index, e->imag, (double)e->want);
	put(&w->error, e->index, e->imag, (double)(e->got - e->want));
	put(&w->bound, e->index, e->imag, (double)e->bound);
	right[e->index] = e->right && (!e->imag || right[e->index]); /* the real part comes first */
}

static struct ay_view dense(struct ay_arena *a, const struct ay_view *like, enum ay_dt dt)
{
	struct ay_view v = *like;

	v.dt = dt;
	v.offset = 0;
	v.conj = v.neg = false;
	ay_strides_dense(v.ndim, v.shape, v.stride);
	v.data = ay_alloc(a, (size_t)ay_numel_of(&v) * (size_t)ay_dt_info(dt)->bytes + 1);
	return v;
}

/* Returns true if a reference is available. Gets an answer that is only on a GPU again. */
static bool has_reference(struct case_run *t)
{
	const struct ay_op *op = t->op->op[ay_call_num_type(t->call)];
	struct ay_err ignored = { 0 };
	const char *why;

	if (!op->reference || t->op->op[0]->flags & AY_META)
		return false;
	return !t->call->given || !t->call->given->shape_only ||
	       !ay_aten_oracle_again(&t->j->aten_oracle, t->op, t->call, t->a, &why, &ignored);
}

static void compare(struct dump *d)
{
	struct case_run *t = d->t;
	struct ay_diff *ignored = AY_NEW_N(t->a, struct ay_diff, t->call->nout + 1);
	const struct ay_compare q = { .op = t->op,
				      .call = t->call,
				      .threads = t->j->policy.oracle_threads,
				      .each = take_element,
				      .each_user = d };

	d->wanted = AY_NEW_N(t->a, struct wanted, t->call->nout + 1);
	if (!has_reference(t))
		return;
	for (int k = 0; k < t->call->nout; k++) {
		struct ay_operand *o = t->call->out[k];
		const enum ay_dt dt = o->view.dt;
		const enum ay_dt real = ay_dt_is_complex(dt) ? AY_DT_C128 : AY_DT_F64;

		if (!d->taken) /* the wanted values do not depend on a result */
			o->view.data = ay_layout_data(o, ay_alloc(t->a, ay_operand_bytes(o) + 1));
		d->wanted[k].want = dense(t->a, &o->view,
					  dt == AY_DT_B8          ? AY_DT_B8
					  : ay_dt_is_integral(dt) ? AY_DT_I64
								  : real);
		d->wanted[k].error = dense(t->a, &o->view, real);
		d->wanted[k].bound = dense(t->a, &o->view, real);
		d->wanted[k].right = dense(t->a, &o->view, AY_DT_B8);
	}
	ay_oracle_compare(&q, ignored);
}

/* --- files ----------------------------------------------------------------------------------------------------- */

static void set_text(json_t *j, const char *key, const char *s)
{
	if (s)
		json_object_set_new(j, key, ay_json_text(s, strlen(s), TEXT_MAX));
}

/* Returns the dtype to write. Bools that also hold other bytes are written as bytes. */
static enum ay_dt dtype_of(const struct ay_view *v)
{
	if (v->dt == AY_DT_B8)
		for (int64_t i = 0, n = ay_numel_of(v); i < n; i++)
			if (((const uint8_t *)v->data)[ay_view_at(v, i)] > 1)
				return AY_DT_U8;
	return v->dt;
}

/* Writes one array to a file. Stores the file's name in `to` under `key`. */
static void write_array(struct dump *d, json_t *to, const char *key, const char *name, const struct ay_view *v)
{
	struct ay_view w = *v;
	const char *file = ay_sprintf(d->t->a, "%s_%s.npy", key, name);

	if (!v->data || d->rc)
		return;
	w.dt = dtype_of(v);
	d->rc = ay_npy_write(ay_sprintf(d->t->a, "%s/%s", d->t->j->policy.dump, file), &w, d->err);
	json_object_set_new(to, key, json_string(file));
	if (ay_npy_dtype(w.dt) != v->dt)
		json_object_set_new(to, ay_sprintf(d->t->a, "%s_stored_as", key),
				    json_string(ay_npy_name(ay_npy_dtype(w.dt))));
}

/* Returns the name of the argument or result, with a number if a list has several of that name. */
static const char *name_of(const struct case_run *t, int i)
{
	const struct ay_call *c = t->call;
	int same = 0, before = 0;

	for (int k = 0; k < c->noperand; k++)
		if (!strcmp(c->operand[k]->name, c->operand[i]->name)) {
			same++;
			before += k < i;
		}
	return same > 1 ? ay_sprintf(t->a, "%.*s_%d", NAME_MAX_LEN, c->operand[i]->name, before)
			: ay_sprintf(t->a, "%.*s", NAME_MAX_LEN, c->operand[i]->name);
}

static json_t *sizes(int n, const int64_t *x)
{
	json_t *list = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_integer(x[i]));
	return list;
}

static json_t *describe(const char *name, const struct ay_view *v)
{
	json_t *j = json_object();

	json_object_set_new(j, "name", json_string(name));
	json_object_set_new(j, "dtype", json_string(ay_dt_info(v->dt)->name));
	json_object_set_new(j, "shape", sizes(v->ndim, v->shape));
	json_object_set_new(j, "stride", sizes(v->ndim, v->stride));
	return j;
}

static void dump_input(struct dump *d, int i, json_t *list)
{
	const struct ay_operand *o = d->t->call->operand[i];
	const char *name = name_of(d->t, i);
	json_t *j;

	if (o->role != AY_IN && o->role != AY_INOUT)
		return;
	j = describe(name, &o->view);
	write_array(d, j, "in", name, o->role == AY_INOUT ? &o->old : &o->view);
	json_array_append_new(list, j);
}

/* Writes the results of the first call, and of the second one if they differ, which is rare. */
static void dump_got(struct dump *d, int k, const char *name, json_t *j)
{
	struct case_run *t = d->t;
	struct ay_view *v = &t->call->out[k]->view, first;
	const size_t item = (size_t)ay_dt_info(v->dt)->bytes;
	bool same = true;

	if (!d->taken)
		return;
	write_array(d, j, "got", name, v);
	first = *v;
	ay_layout_show(t, 1);
	for (int64_t i = 0, n = ay_numel_of(v); i < n && same; i++) {
		const size_t at = (size_t)ay_view_at(v, i) * item;

		same = !memcmp((uint8_t *)first.data + at, (uint8_t *)v->data + at, item);
	}
	if (!same)
		write_array(d, j, "got_again", name, v);
	ay_layout_show(t, 0);
}

/* Marks bytes that are no bool as wrong, whatever they stand for. */
static void refuse_bytes(const struct ay_view *got, const struct ay_view *right)
{
	for (int64_t i = 0, n = ay_numel_of(got); got->dt == AY_DT_B8 && right->data && i < n; i++)
		if (((const uint8_t *)got->data)[ay_view_at(got, i)] > 1)
			((uint8_t *)right->data)[i] = 0;
}

static void dump_output(struct dump *d, int k, json_t *list)
{
	const struct ay_operand *o = d->t->call->out[k];
	const char *name = name_of(d->t, o->ordinal);
	const struct wanted *w = &d->wanted[k];
	json_t *j;

	if (o->absent)
		return;
	if (d->taken)
		refuse_bytes(&o->view, &w->right);
	j = describe(name, &o->view);
	write_array(d, j, "want", name, &w->want);
	dump_got(d, k, name, j);
	if (d->taken)
		write_array(d, j, "error", name, &w->error);
	write_array(d, j, "bound", name, &w->bound);
	if (d->taken)
		write_array(d, j, "right", name, &w->right);
	json_array_append_new(list, j);
}

static void dump_tensors(struct dump *d)
{
	struct case_run *t = d->t;
	json_t *in = json_array(), *out = json_array();

	d->taken = t->copy[0] != NULL;
	if (d->taken)
		ay_layout_show(t, 0);
	compare(d);
	for (int i = 0; i < t->call->noperand; i++)
		dump_input(d, i, in);
	for (int k = 0; k < t->call->nout; k++)
		dump_output(d, k, out);
	json_object_set_new(d->index, "inputs", in);
	json_object_set_new(d->index, "outputs", out);
}

/* Returns true if the tensors have content: they were filled. */
static bool is_filled(const struct case_run *t)
{
	for (int i = 0; t->call && i < t->call->noperand; i++) {
		const struct ay_operand *o = t->call->operand[i];

		if ((o->role == AY_IN && !o->view.data) || (o->role == AY_INOUT && !o->old.data))
			return false;
	}
	return t->call && t->copy && t->j->has_pool;
}

static int add_text(const char *s, size_t n, void *b)
{
	ay_str_addn(b, s, n);
	return 0;
}

int ay_case_run_dump(struct case_run *t, struct ay_err *err)
{
	struct dump d = { .t = t, .index = json_object(), .err = err };
	const char *path = ay_sprintf(t->a, "%s/case.json", t->j->policy.dump);
	struct ay_str text = { 0 };

	if (ay_file_mkdirs(t->j->policy.dump, err)) {
		json_decref(d.index);
		return -1;
	}
	set_text(d.index, "case", t->rep->line);
	json_object_set_new(d.index, "verdict", json_string(ay_verdict_name(t->rep->verdict)));
	set_text(d.index, "detail", t->rep->detail);
	if (is_filled(t))
		dump_tensors(&d);
	if (json_dump_callback(d.index, add_text, &text, JSON_INDENT(1)))
		AY_BUG("an index could not be printed");
	ay_str_addc(&text, '\n');
	if (!d.rc)
		d.rc = ay_file_write(path, ay_str_text(&text), text.len, err);
	t->rep->dump = path;
	ay_str_release(&text);
	json_decref(d.index);
	return d.rc;
}
