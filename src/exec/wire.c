/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/wire.h"

#include <string.h>

static size_t padded(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* --- bounded reading and writing ------------------------------------------------------------------------- */

const void *ay_wire_take(struct ay_wire_reader *r, size_t n)
{
	const uint8_t *p = r->p;

	if (r->bad || n > AY_WIRE_MAX || padded(n, 8) > r->left) {
		r->bad = true;
		return NULL;
	}
	r->p += padded(n, 8);
	r->left -= padded(n, 8);
	return p;
}

bool ay_wire_get(struct ay_wire_reader *r, void *dst, size_t n)
{
	const void *p = ay_wire_take(r, n);

	if (p && n)
		memcpy(dst, p, n);
	return p;
}

void ay_wire_put(struct ay_wire_writer *w, const void *src, size_t n)
{
	if (w->full || n > AY_WIRE_MAX || padded(n, 8) > w->cap - w->len) {
		w->full = true;
		return;
	}
	if (n)
		memcpy(w->buf + w->len, src, n);
	memset(w->buf + w->len + n, 0, padded(n, 8) - n);
	w->len += padded(n, 8);
}

bool ay_wire_head_ok(const void *msg, size_t n, struct ay_wire_head *h)
{
	if (n < sizeof *h)
		return false;
	memcpy(h, msg, sizeof *h);
	if (h->magic != AY_WIRE_MAGIC || h->version != AY_WIRE_VERSION || h->bytes > AY_WIRE_MAX || h->bytes % 8)
		return false;
	return n - sizeof *h == (h->bytes > AY_WIRE_INLINE ? 0 : h->bytes);
}

bool ay_wire_status_ok(const struct ay_wire_status *s, uint32_t nset, uint32_t nslot)
{
	if (s->what == AY_WIRE_UNSET || s->what > AY_WIRE_FAULTED || s->fault > AY_WIRE_ON_DEVICE)
		return false;
	if (s->set > nset || s->slot < -1 || s->slot >= (int64_t)nslot)
		return false;
	if (s->what == AY_WIRE_SIGNAL)
		return s->signal > 0 && s->signal < 65;
	if (s->what == AY_WIRE_REFUSED || s->what == AY_WIRE_FAULTED)
		return s->rc != 0;
	return true;
}

/* --- MAP and LOADED -------------------------------------------------------------------------------------- */

int ay_wire_map_open(const void *payload, size_t n, uint64_t *at, const struct ay_wire_slot **slot)
{
	struct ay_wire_reader r = { payload, n, false };
	struct ay_wire_map m = { 0 };
	uint64_t total = 0;

	if (!ay_wire_get(&r, &m, sizeof m) || m.count > AY_WIRE_MAX / sizeof **slot ||
	    r.left != m.count * sizeof **slot || m.at % 4096)
		return -1;
	*at = m.at;
	*slot = ay_wire_take(&r, r.left);
	for (uint64_t i = 0; i < m.count; i++) {
		struct ay_wire_slot s;

		memcpy(&s, *slot + i, sizeof s);
		if (s.written > 1 || s.device > AY_WIRE_LATE || s.offset % 4096 || s.bytes % 4096 || !s.bytes ||
		    s.offset > (uint64_t)1 << 60 || s.bytes > (uint64_t)1 << 60 ||
		    (total += s.bytes) > (uint64_t)1 << 60)
			return -1;
	}
	return (int)m.count;
}

bool ay_wire_lend_open(const void *payload, size_t n, uint32_t nslot, struct ay_wire_lend *l)
{
	if (n != sizeof *l)
		return false;
	memcpy(l, payload, sizeof *l);
	return l->n && l->n <= AY_WIRE_FDS && l->n <= nslot && l->from <= nslot - l->n;
}

bool ay_wire_heap_open(const void *payload, size_t n, struct ay_wire_heap *h)
{
	if (n != sizeof *h)
		return false;
	memcpy(h, payload, sizeof *h);
	return h->bytes && h->bytes % AY_WIRE_HEAP_GRAIN == 0 && h->bytes <= (uint64_t)1 << 40;
}

bool ay_wire_forget_open(const void *payload, size_t n, struct ay_wire_forget *f)
{
	if (n != sizeof *f)
		return false;
	memcpy(f, payload, sizeof *f);
	return f->poison <= 0xff;
}

bool ay_wire_is_sparse(uint64_t span, uint64_t bytes)
{
	/* bytes beside a result that may be read for reading it at once */
	enum { WASTE_MAX = 64 << 20 };

	return span / 2 > bytes && span > WASTE_MAX;
}

/* Returns the bytes of one identifier and its NUL, or 0 if it is none. */
static size_t name_len(const char *s, size_t n)
{
	for (size_t i = 0; i < n && i < AY_WIRE_NAME; i++) {
		if (!s[i])
			return i ? i + 1 : 0;
		if (!((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z') && s[i] != '_' &&
		    !(i && s[i] >= '0' && s[i] <= '9'))
			return 0;
	}
	return 0;
}

int ay_wire_loaded_open(const void *payload, size_t n, uint32_t *flags, const char **names)
{
	struct ay_wire_reader r = { payload, n, false };
	struct ay_wire_loaded l = { 0 };
	const char *s, *end;

	if (!ay_wire_get(&r, &l, sizeof l) || l.n > AY_WIRE_ENTRIES)
		return -1;
	*flags = l.flags;
	end = (const char *)r.p + r.left;
	s = *names = (const char *)r.p;
	for (uint32_t i = 0; i < l.n; i++) {
		size_t len = name_len(s, (size_t)(end - s));

		if (!len)
			return -1;
		s += len;
	}
	return end - s < 8 ? (int)l.n : -1;
}

/* --- RUN ------------------------------------------------------------------------------------------------- */

static bool part_ok(const struct ay_wire_part *p, const struct ay_wire_slot *s)
{
	return p->bytes && p->bytes % 4096 == 0 && p->offset % 4096 == 0 && p->bytes <= s->bytes &&
	       p->offset <= s->bytes - p->bytes;
}

bool ay_wire_run_open(const void *payload, size_t n, uint32_t nset, const struct ay_wire_slot *slot,
		      uint32_t nslot, struct ay_wire_run *r, const struct ay_wire_part **part)
{
	struct ay_wire_reader in = { payload, n, false };
	uint32_t late = 0;

	*part = NULL;
	if (!ay_wire_get(&in, r, sizeof *r) || !r->n || r->n > nset || r->from > nset - r->n)
		return false;
	if (!in.left)
		return true;
	*part = ay_wire_take(&in, in.left);
	if (!*part) /* the length is no multiple of 8 */
		return false;
	for (uint32_t i = 0; i < nslot; i++) {
		struct ay_wire_part p;

		if (slot[i].device != AY_WIRE_LATE)
			continue;
		if ((late + 1) * sizeof p > n - sizeof *r)
			return false;
		memcpy(&p, *part + late++, sizeof p);
		if (!part_ok(&p, &slot[i]))
			return false;
	}
	return late && late <= AY_WIRE_FDS && late * sizeof **part == n - sizeof *r;
}

/* --- CALL ------------------------------------------------------------------------------------------------ */

/* Rounds n up: each piece of a set's memory begins at a multiple of 16. */
static size_t piece(size_t n)
{
	return padded(n, 16);
}

static bool operands_ok(const struct ay_wire_call *c)
{
	for (uint32_t i = 0; i < c->h.noperand; i++) {
		struct ay_wire_operand o;

		memcpy(&o, c->operand + i * sizeof o, sizeof o);
		if (o.ndim < 0 || o.ndim > AY_WIRE_DIMS || o.dtype.lanes != 1)
			return false;
	}
	return true;
}

static bool places_ok(const struct ay_wire_call *c, const struct ay_wire_slot *slot, uint32_t nslot)
{
	uint64_t n = (uint64_t)c->h.nset * c->h.noperand;

	for (uint64_t i = 0; i < n; i++) {
		struct ay_wire_place p;
		struct ay_wire_slot s;

		memcpy(&p, c->place + i * sizeof p, sizeof p);
		if (p.slot >= nslot)
			return false;
		memcpy(&s, slot + p.slot, sizeof s);
		if (p.byte > s.bytes)
			return false;
	}
	return true;
}

static bool tensors_ok(const uint8_t *data, size_t n, uint32_t noperand, int32_t least)
{
	for (size_t i = 0; i < n; i += 4) {
		int32_t at;

		memcpy(&at, data + i, 4);
		if (at < least || at >= (int64_t)noperand)
			return false;
	}
	return n % 4 == 0;
}

static size_t count_strings(const uint8_t *data, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += !data[i];
	return count;
}

/* Returns the memory that one parameter needs in a set, or -1 if it is malformed. */
static int64_t param_bytes(const struct ay_wire_call_head *h, struct ay_wire_param p, const uint8_t *data)
{
	uint32_t at;

	switch (p.tag) {
	case AY_WIRE_BYTES: return (int64_t)piece(p.bytes ? p.bytes : 1);
	case AY_WIRE_TENSOR: return p.bytes == 4 && tensors_ok(data, 4, h->noperand, 0) ? 0 : -1;
	case AY_WIRE_TENSORS:
		if (!tensors_ok(data, p.bytes, h->noperand, -1))
			return -1;
		return (int64_t)piece(p.bytes / 4 * sizeof(void *) + 1);
	case AY_WIRE_STRS:
		if (p.bytes && data[p.bytes - 1])
			return -1;
		return (int64_t)(piece(p.bytes + 1) + piece((count_strings(data, p.bytes) + 1) * sizeof(char *)));
	case AY_WIRE_OUT:
		if (p.bytes != 4)
			return -1;
		memcpy(&at, data, 4);
		return at < h->nscalar ? 0 : -1;
	case AY_WIRE_NULL:
	case AY_WIRE_RNG:
	case AY_WIRE_CTX: return p.bytes ? -1 : 0;
	}
	return -1;
}

static bool params_ok(struct ay_wire_call *c)
{
	struct ay_wire_reader r = { c->param, c->param_bytes, false };
	struct ay_wire_param p;

	for (uint32_t i = 0; i < c->h.nparam; i++) {
		const uint8_t *data;
		int64_t need;

		if (!ay_wire_get(&r, &p, sizeof p) || !(data = ay_wire_take(&r, p.bytes)))
			return false;
		need = param_bytes(&c->h, p, data);
		if (need < 0)
			return false;
		c->set_bytes += (size_t)need;
	}
	return !r.left;
}

/* Returns true if the description of results fits into its slot, which must be writable. */
static bool told_ok(const struct ay_wire_call_head *h, const struct ay_wire_slot *slot, uint32_t nslot)
{
	struct ay_wire_slot s;

	if (h->told_slot == AY_WIRE_NOT_TOLD)
		return true;
	if (h->told_slot >= nslot || h->nresult > (h->open ? AY_WIRE_PARAMS : h->noperand))
		return false;
	memcpy(&s, slot + h->told_slot, sizeof s);
	return s.written &&
	       sizeof(struct ay_wire_told) + (uint64_t)h->nset * h->nresult * sizeof(struct ay_wire_result) <=
		       s.bytes;
}

/* Returns true if the sets' ay_rng lie in a slot of host memory. */
static bool rng_ok(const struct ay_wire_call_head *h, const struct ay_wire_slot *slot, uint32_t nslot)
{
	const uint64_t bytes = (uint64_t)h->nset * sizeof(ay_rng);
	struct ay_wire_slot s;

	if (h->rng_slot == AY_WIRE_NO_SLOT)
		return true;
	if (h->rng_slot >= nslot || h->rng_at % _Alignof(ay_rng))
		return false;
	memcpy(&s, slot + h->rng_slot, sizeof s);
	return s.device == AY_WIRE_POOLED && bytes <= s.bytes && h->rng_at <= s.bytes - bytes;
}

bool ay_wire_call_open(const void *payload, size_t n, uint32_t nentry, const struct ay_wire_slot *slot,
		       uint32_t nslot, struct ay_wire_call *c)
{
	struct ay_wire_reader r = { payload, n, false };
	struct ay_wire_call_head *h = &c->h;
	const uint64_t most = AY_WIRE_MAX / sizeof(struct ay_wire_place);

	*c = (struct ay_wire_call){ .slot = slot };
	if (!ay_wire_get(&r, h, sizeof *h) || h->entry >= nentry || h->nparam > AY_WIRE_PARAMS || !h->nset ||
	    h->nset > most || h->noperand > most || (uint64_t)h->nset * h->noperand > most ||
	    (uint64_t)h->nset * h->nscalar > AY_WIRE_SCALARS || !h->called || h->called > h->nset ||
	    !told_ok(h, slot, nslot) || !rng_ok(h, slot, nslot))
		return false;
	c->operand = ay_wire_take(&r, h->noperand * sizeof(struct ay_wire_operand));
	c->place = ay_wire_take(&r, (size_t)h->nset * h->noperand * sizeof(struct ay_wire_place));
	c->rng = ay_wire_take(&r, h->nset * sizeof(ay_rng));
	c->param = r.p;
	c->param_bytes = r.left;
	c->scalar_at = piece(h->nparam * sizeof(void *));
	c->set_bytes = c->scalar_at + piece(h->nscalar * sizeof(ay_scalar)) + piece(sizeof(ay_rng)) +
		       h->noperand * (piece(sizeof(ay_tensor)) + 2 * AY_WIRE_DIMS * sizeof(int64_t));
	return !r.bad && operands_ok(c) && places_ok(c, slot, nslot) && params_ok(c);
}

static void *carve(uint8_t **at, size_t n)
{
	void *p = *at;

	*at += piece(n);
	return p;
}

static void build_tensor(const struct ay_wire_call *c, uint32_t set, uint32_t i, uint8_t *const *base,
			 ay_device device, uint8_t **at, ay_tensor *t)
{
	struct ay_wire_operand o;
	struct ay_wire_place p;
	struct ay_wire_slot s;

	memcpy(&o, c->operand + i * sizeof o, sizeof o);
	memcpy(&p, c->place + ((uint64_t)set * c->h.noperand + i) * sizeof p, sizeof p);
	memcpy(&s, c->slot + p.slot, sizeof s);
	*t = (ay_tensor){ .data = base[p.slot] + p.byte,
			  .device = s.device ? device : (ay_device){ AY_CPU, 0 },
			  .ndim = o.ndim,
			  .dtype = o.dtype,
			  .flags = o.flags };
	t->shape = carve(at, AY_WIRE_DIMS * sizeof(int64_t));
	t->strides = carve(at, AY_WIRE_DIMS * sizeof(int64_t));
	memcpy(t->shape, o.shape, sizeof o.shape);
	memcpy(t->strides, o.stride, sizeof o.stride);
}

static ay_tensor *tensor_at(uint8_t *tensors, const uint8_t *data, size_t i)
{
	int32_t which;

	memcpy(&which, data + 4 * i, 4);
	return which < 0 ? NULL : (ay_tensor *)(tensors + (size_t)which * piece(sizeof(ay_tensor)));
}

static void *build_strings(const uint8_t *data, size_t n, uint8_t **at)
{
	char *text = carve(at, n + 1);
	char **list = carve(at, (count_strings(data, n) + 1) * sizeof *list), **next = list;

	memcpy(text, data, n);
	for (size_t i = 0; i < n; i++)
		if (!i || !text[i - 1])
			*next++ = text + i;
	*next = NULL;
	return list;
}

static void *build_param(struct ay_wire_param p, const uint8_t *data, uint8_t *tensors, uint8_t **at)
{
	void *mem;

	switch (p.tag) {
	case AY_WIRE_BYTES:
		mem = carve(at, p.bytes ? p.bytes : 1);
		memcpy(mem, data, p.bytes);
		return mem;
	case AY_WIRE_TENSOR: return tensor_at(tensors, data, 0);
	case AY_WIRE_TENSORS:
		mem = carve(at, p.bytes / 4 * sizeof(void *) + 1);
		for (size_t i = 0; i < p.bytes / 4; i++)
			((ay_tensor **)mem)[i] = tensor_at(tensors, data, i);
		return mem;
	case AY_WIRE_STRS: return build_strings(data, p.bytes, at);
	default: return NULL;
	}
}

void ay_wire_call_build(const struct ay_wire_call *c, uint32_t set, uint8_t *const *base, const ay_ctx *ctx,
			void *mem)
{
	struct ay_wire_reader r = { c->param, c->param_bytes, false };
	uint8_t *at = mem, *tensors;
	const bool in_slot = c->h.rng_slot != AY_WIRE_NO_SLOT;
	void **v = carve(&at, c->h.nparam * sizeof *v);
	ay_scalar *scalar = carve(&at, c->h.nscalar * sizeof *scalar);
	ay_rng *rng = carve(&at, sizeof *rng);

	memset(scalar, 0xff, c->h.nscalar * sizeof *scalar);
	memcpy(rng, c->rng + set * sizeof *rng, sizeof *rng);
	tensors = carve(&at, c->h.noperand * piece(sizeof(ay_tensor)));
	for (uint32_t i = 0; i < c->h.noperand; i++)
		build_tensor(c, set, i, base, ctx->device, &at,
			     (ay_tensor *)(tensors + i * piece(sizeof(ay_tensor))));
	for (uint32_t i = 0; i < c->h.nparam; i++) {
		struct ay_wire_param p = { 0 };
		const uint8_t *data;
		uint32_t k;

		ay_wire_get(&r, &p, sizeof p);
		data = ay_wire_take(&r, p.bytes);
		v[i] = build_param(p, data, tensors, &at);
		if (p.tag == AY_WIRE_RNG)
			v[i] = in_slot ? base[c->h.rng_slot] + c->h.rng_at + set * sizeof *rng : (uint8_t *)rng;
		if (p.tag == AY_WIRE_CTX)
			v[i] = (void *)(uintptr_t)ctx;
		if (p.tag == AY_WIRE_OUT) {
			memcpy(&k, data, 4);
			v[i] = &scalar[k];
		}
	}
}
