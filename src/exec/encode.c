/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/encode.h"

#include <string.h>

struct encoder {
	struct ay_wire_writer *w;
	const struct ay_batch *b;
	struct ay_err *err;
	struct ay_str tmp; /* for building a list, element by element */
	uint32_t nscalar;
};

/* Where a parameter's value comes from: a bound argument, or tensors (of an argument or of
 * results). Both NULL: None. */
struct source {
	const struct ay_value *v;
	struct ay_operand *const *t;
	int n;
};

/* --- finding values -------------------------------------------------------------------------------------- */

static struct source from_arg(const struct ay_barg *arg)
{
	if (ay_stype_is_tensor(&arg->s->type))
		return (struct source){ .t = arg->t, .n = arg->n };
	return (struct source){ .v = arg->v.kind == AY_V_NONE ? NULL : &arg->v };
}

/* Returns the out= argument that is result r of a call that returns nothing; -1 if there is
 * none. */
static int out_arg(const struct ay_call *c, int r)
{
	for (int i = 0; i < c->s->narg && !c->s->nret; i++)
		if (c->s->arg[i].kwonly && ay_stype_written(&c->s->arg[i].type) && !r--)
			return i;
	return -1;
}

/* Finds the tensors of result r: an argument's, or those among the operands. Only one result can be
 * a list, so its length is what the other results leave. */
static int from_ret(const struct ay_call *c, int r, struct source *src, struct ay_err *err)
{
	int arg = r < c->s->nret ? ay_schema_ret_arg(c->s, r) : out_arg(c, r);
	int first = 0, total = 0, others = 0, before = 0;

	if (arg < 0 && (r >= c->s->nret || !ay_stype_is_tensor(&c->s->ret[r].type)))
		return ay_fail(err, AY_ERR_EXEC, "the call of '%s' has no tensor for result %d", c->s->base, r);
	if (arg >= 0) {
		*src = from_arg(&c->arg[arg]);
		return 0;
	}
	while (first < c->noperand && c->operand[first]->role != AY_RESULT)
		first++;
	total = c->noperand - first;
	for (int i = 0; i < c->s->nret; i++) {
		bool tensor = ay_stype_is_tensor(&c->s->ret[i].type) && ay_schema_ret_arg(c->s, i) < 0;

		others += tensor && i != r;
		before += tensor && i < r;
	}
	src->n = c->s->ret[r].type.list ? total - others : 1;
	/* A list before this result takes more than one operand. */
	src->t = c->operand + (before == others ? c->noperand - src->n : first + before);
	return 0;
}

/* Finds argument i of the function in the call, which may be of another form. */
static int find_arg(const struct encoder *e, int i, struct source *src)
{
	const struct ay_schema *s = e->b->proto->s;
	const struct ay_call *c = e->b->call;

	for (int k = 0; k < c->s->narg; k++) {
		if (s == c->s ? k == i : !strcmp(c->s->arg[k].name, s->arg[i].name)) {
			*src = from_arg(&c->arg[k]);
			return 0;
		}
	}
	for (int r = 0; r < s->nret && ay_stype_written(&s->arg[i].type); r++)
		if (ay_schema_ret_arg(s, r) == i)
			return from_ret(c, r, src, e->err);
	if (s->arg[i].type.optional)
		return 0;
	return ay_fail(e->err, AY_ERR_EXEC, "a call of '%s' cannot be made through %s: it has no '%s'", c->s->base,
		       e->b->proto->symbol, s->arg[i].name);
}

/* --- values ---------------------------------------------------------------------------------------------- */

static void put(struct encoder *e, enum ay_wire_tag tag, const void *data, size_t n)
{
	struct ay_wire_param p = { tag, (uint32_t)n };

	ay_wire_put(e->w, &p, sizeof p);
	ay_wire_put(e->w, data, n);
}

static ay_scalar scalar_of(const struct ay_value *v, enum ay_type type)
{
	ay_scalar s;

	memset(&s, 0, sizeof s); /* its padding is sent to the kernel */
	switch (v->kind) {
	case AY_V_BOOL:
		s.kind = AY_SCALAR_BOOL;
		s.v.b = v->b;
		break;
	case AY_V_INT:
		s.kind = AY_SCALAR_INT;
		s.v.i = v->i;
		break;
	case AY_V_FLOAT:
		s.kind = AY_SCALAR_FLOAT;
		s.v.f = v->f;
		break;
	default: s.kind = AY_SCALAR_COMPLEX; memcpy(s.v.c, v->c, sizeof s.v.c);
	}
	if (type != AY_TYPE_COMPLEX || s.kind == AY_SCALAR_COMPLEX)
		return s;
	s.v.c[0] = v->kind == AY_V_FLOAT ? v->f : v->kind == AY_V_INT ? (double)v->i : v->b;
	s.v.c[1] = 0;
	s.kind = AY_SCALAR_COMPLEX;
	return s;
}

/* Writes one element in the form that its parameter has in memory. */
static void add_element(struct encoder *e, const struct ay_param *p, const struct ay_value *v)
{
	enum ay_type type = e->b->proto->s->arg[p->arg].type.base;
	ay_scalar s;
	double f;

	switch (p->kind) {
	case AY_PARAM_I64:
	case AY_PARAM_I64_P: ay_str_addn(&e->tmp, (const char *)&v->i, sizeof v->i); break;
	case AY_PARAM_F64:
	case AY_PARAM_F64_P:
		f = v->kind == AY_V_INT ? (double)v->i : v->f;
		ay_str_addn(&e->tmp, (const char *)&f, sizeof f);
		break;
	case AY_PARAM_BOOL:
	case AY_PARAM_BOOL_P: ay_str_addn(&e->tmp, (const char *)&v->b, sizeof v->b); break;
	case AY_PARAM_STR:
	case AY_PARAM_STRS: ay_str_addn(&e->tmp, v->s, strlen(v->s) + 1); break;
	default: s = scalar_of(v, type); ay_str_addn(&e->tmp, (const char *)&s, sizeof s);
	}
}

static void put_value(struct encoder *e, const struct ay_param *p, const struct ay_value *v)
{
	if (!v) {
		put(e, AY_WIRE_NULL, NULL, 0);
		return;
	}
	ay_str_clear(&e->tmp);
	if (v->kind == AY_V_LIST)
		for (int i = 0; i < v->list.n; i++)
			add_element(e, p, &v->list.v[i]);
	else
		add_element(e, p, v);
	put(e, p->kind == AY_PARAM_STRS ? AY_WIRE_STRS : AY_WIRE_BYTES, e->tmp.s, e->tmp.len);
}

static void put_code(struct encoder *e, const struct ay_value *v)
{
	int32_t code = -1;

	if (v && v->kind == AY_V_DTYPE)
		code = AY_DT(ay_dt_info(v->dt)->dl_code, ay_dt_info(v->dt)->dl_bits);
	else if (v)
		code = (int32_t)v->i;
	put(e, AY_WIRE_BYTES, &code, sizeof code);
}

static int32_t operand_index(const struct ay_call *c, const struct ay_operand *o)
{
	if (!o)
		return -1;
	AY_ASSERT(o->ordinal < c->noperand && c->operand[o->ordinal] == o);
	return o->ordinal;
}

static void put_tensors(struct encoder *e, const struct source *src, bool list)
{
	if (!src->t || (!list && !src->t[0])) {
		put(e, AY_WIRE_NULL, NULL, 0);
		return;
	}
	ay_str_clear(&e->tmp);
	for (int i = 0; i < (list ? src->n : 1); i++) {
		int32_t at = operand_index(e->b->call, src->t[i]);

		ay_str_addn(&e->tmp, (const char *)&at, sizeof at);
	}
	put(e, list ? AY_WIRE_TENSORS : AY_WIRE_TENSOR, e->tmp.s, e->tmp.len);
}

static void put_sourced(struct encoder *e, const struct ay_param *p, const struct source *src)
{
	const ay_device cpu = { AY_CPU, 0 };
	int64_t n;

	switch (p->kind) {
	case AY_PARAM_TENSOR:
	case AY_PARAM_TENSOR_W: put_tensors(e, src, false); break;
	case AY_PARAM_TENSORS:
	case AY_PARAM_TENSORS_W: put_tensors(e, src, true); break;
	case AY_PARAM_COUNT:
		n = src->t ? src->n : src->v && src->v->kind == AY_V_LIST ? src->v->list.n : 0;
		put(e, AY_WIRE_BYTES, &n, sizeof n);
		break;
	case AY_PARAM_I32: put_code(e, src->v); break;
	case AY_PARAM_DEVICE: put(e, AY_WIRE_BYTES, &cpu, sizeof cpu); break;
	case AY_PARAM_DEVICE_P:
		put(e, src->v ? AY_WIRE_BYTES : AY_WIRE_NULL, &cpu, src->v ? sizeof cpu : 0);
		break;
	default: put_value(e, p, src->v);
	}
}

static int put_param(struct encoder *e, const struct ay_param *p)
{
	struct source src = { 0 };

	switch (p->kind) {
	case AY_PARAM_CTX: put(e, AY_WIRE_CTX, NULL, 0); return 0;
	case AY_PARAM_RNG: put(e, AY_WIRE_RNG, NULL, 0); return 0;
	case AY_PARAM_SCALAR_OUT:
	case AY_PARAM_I64_OUT:
	case AY_PARAM_F64_OUT:
	case AY_PARAM_BOOL_OUT:
		put(e, AY_WIRE_OUT, &e->nscalar, sizeof e->nscalar);
		e->nscalar++;
		return 0;
	default: break;
	}
	if (p->arg < 0 && e->b->room) { /* the results are not known yet */
		put(e, AY_WIRE_NULL, NULL, 0);
		return 0;
	}
	if (p->arg >= 0 ? find_arg(e, p->arg, &src) : from_ret(e->b->call, p->ret, &src, e->err))
		return -1;
	put_sourced(e, p, &src);
	return 0;
}

/* --- tensors --------------------------------------------------------------------------------------------- */

static void put_operand(struct encoder *e, const struct ay_operand *from)
{
	const struct ay_view *v = &from->view;
	const struct ay_dt_info *dt = ay_dt_info(v->dt);
	struct ay_wire_operand o = { .dtype = { (uint8_t)dt->dl_code, (uint8_t)dt->dl_bits, 1 },
				     .ndim = v->ndim,
				     .flags = (v->conj ? AY_CONJ : 0u) | (v->neg ? AY_NEG : 0u),
				     .wrapped = from->wrapped };

	_Static_assert((int)AY_WIRE_DIMS == (int)AY_MAX_DIM, "a view must fit");
	memcpy(o.shape, v->shape, sizeof(int64_t) * (size_t)v->ndim);
	memcpy(o.stride, v->stride, sizeof(int64_t) * (size_t)v->ndim);
	ay_wire_put(e->w, &o, sizeof o);
}

/* Asserts that the tensor lies within its slot, and that a result's slot is writable. Otherwise the
 * kernel would crash and be blamed. */
static void put_place(struct encoder *e, int set, int i)
{
	const struct ay_batch *b = e->b;
	const struct ay_operand *o = b->call->operand[i];
	int at = set * b->call->noperand + i, slot = b->slot[at];
	uint64_t item = (uint64_t)ay_dt_info(o->view.dt)->bytes;
	struct ay_wire_place p = { .slot = (uint32_t)slot,
				   .byte = b->offset[at] + (uint64_t)o->view.offset * item };

	AY_ASSERT(slot >= 0 && slot < b->pool->nslot);
	AY_ASSERT(b->offset[at] + (uint64_t)ay_view_extent(&o->view) * item <= b->pool->slot[slot].bytes);
	AY_ASSERT(o->role == AY_IN || b->pool->slot[slot].written);
	ay_wire_put(e->w, &p, sizeof p);
}

int ay_encode_nscalar(const struct ay_proto *p)
{
	int n = 0;

	for (int i = 0; i < p->n; i++)
		n += p->param[i].kind >= AY_PARAM_SCALAR_OUT && p->param[i].kind <= AY_PARAM_BOOL_OUT;
	return n;
}

int ay_encode_nresult(const struct ay_call *c)
{
	int n = 0;

	for (int i = 0; i < c->noperand; i++)
		n += c->operand[i]->role == AY_RESULT;
	return n;
}

/* Returns a bit for each argument that has its default value. */
static uint64_t plain_args(const struct ay_call *c)
{
	uint64_t plain = 0;

	for (int i = 0; i < c->s->narg && i < 64; i++) {
		const struct ay_barg *arg = &c->arg[i];
		const struct ay_value *def = arg->s->def;

		if (!def)
			continue;
		if (ay_stype_is_tensor(&arg->s->type) ? !arg->n || !arg->t[0] : ay_value_equal(&arg->v, def))
			plain |= 1ull << i;
	}
	return plain;
}

int ay_encode_call(struct ay_wire_writer *w, const struct ay_batch *b, int entry, uint64_t scratch_max, bool told,
		   struct ay_err *err)
{
	const ay_rng none = { 0, 0 };
	struct encoder e = { .w = w, .b = b, .err = err };
	struct ay_wire_call_head h = { .entry = (uint32_t)entry,
				       .threads = (uint32_t)(b->threads > 0 ? b->threads : 1),
				       .nset = (uint32_t)b->nset,
				       .noperand = (uint32_t)b->call->noperand,
				       .nparam = (uint32_t)b->proto->n,
				       .nscalar = (uint32_t)ay_encode_nscalar(b->proto),
				       .scratch_max = scratch_max,
				       .told_slot = AY_WIRE_NOT_TOLD,
				       .called = (uint32_t)(b->called ? b->called : b->nset),
				       .rng_slot = AY_WIRE_NO_SLOT };
	int rc = 0;

	memcpy(h.poison, b->poison, sizeof h.poison);
	if (told) {
		h.told_slot = (uint32_t)b->told;
		h.nresult = (uint32_t)(b->room ? b->room : ay_encode_nresult(b->call));
		h.open = b->room > 0;
		h.plain = plain_args(b->call);
	}
	if (b->rng_place) {
		h.rng_slot = (uint32_t)b->rng_place->slot;
		h.rng_at = b->rng_place->offset;
	}
	ay_wire_put(w, &h, sizeof h);
	for (int i = 0; i < b->call->noperand; i++)
		put_operand(&e, b->call->operand[i]);
	for (int s = 0; s < b->nset; s++)
		for (int i = 0; i < b->call->noperand; i++)
			put_place(&e, s, i);
	for (int s = 0; s < b->nset; s++)
		ay_wire_put(w, b->rng ? &b->rng[s] : &none, sizeof none);
	for (int i = 0; i < b->proto->n && !rc; i++)
		rc = put_param(&e, &b->proto->param[i]);
	ay_str_release(&e.tmp);
	return rc;
}

ay_scalar ay_encode_scalar(const struct ay_proto *p, int k, const void *raw)
{
	ay_scalar s;
	uint8_t b;
	int i = 0;

	memcpy(&s, raw, sizeof s);
	memcpy(&b, raw, 1);
	for (int seen = -1; i < p->n; i++) {
		seen += p->param[i].kind >= AY_PARAM_SCALAR_OUT && p->param[i].kind <= AY_PARAM_BOOL_OUT;
		if (seen == k)
			break;
	}
	AY_ASSERT(i < p->n);
	switch (p->param[i].kind) {
	case AY_PARAM_I64_OUT: s.kind = AY_SCALAR_INT; break;
	case AY_PARAM_F64_OUT: s.kind = AY_SCALAR_FLOAT; break;
	case AY_PARAM_BOOL_OUT:
		s.kind = b < 2 ? AY_SCALAR_BOOL : -1;
		memset(&s.v, 0, sizeof s.v);
		s.v.b = b == 1;
		return s;
	default:
		if (s.kind < AY_SCALAR_BOOL || s.kind > AY_SCALAR_COMPLEX)
			s.kind = -1;
		if (s.kind == AY_SCALAR_BOOL) { /* any byte may be there; only 0 and 1 are a bool */
			memcpy(&b, (const uint8_t *)raw + offsetof(ay_scalar, v), 1);
			memset(&s.v, 0, sizeof s.v);
			s.v.b = b == 1;
			s.kind = b < 2 ? AY_SCALAR_BOOL : -1;
		}
		return s;
	}
	memcpy(&s.v, raw, sizeof(int64_t));
	return s;
}
