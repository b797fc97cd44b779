/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/inputs.h"

#include "device/dev_fill.h"
#include "exec/exec.h"
#include "op/fill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How an input of a set is made from the template. */
enum how {
	WRITTEN, /* not at all: only the kernel writes it */
	MIX,     /* lines of the template in random order, with other significands */
	DRAW,    /* lines of the template in random order */
	/* the template with other significands; zeros and special values stay: every element has
	 * its place */
	TOUCH,
	PICK,   /* each line in its place, from one of two templates */
	REFILL, /* filled anew, with a key of its own */
};

struct ay_input_template_part {
	enum how how;
	uint8_t *base; /* the template; PICK: the second template follows at the next line */
	uint64_t bytes;
	bool can_be_hard;
};

enum {
	HARD_ONE_IN = 16,
	COLOURS = 16,          /* places where a large tensor may begin */
	COLOURED = 4096,       /* bytes from which a tensor is large */
	COLOURS_SMALL = 4,     /* places for a small tensor */
	DRAWN_FROM = 64 << 10, /* tensors with fewer bytes are filled anew, which costs little */
	/* the same limit for trusted code, which may have hundreds of small tensors */
	DRAWN_LEAST = 1 << 10,
	AHEAD = 24,      /* lines to prefetch, since lines drawn from memory arrive late */
	TURN = 64 << 10, /* bytes that one side touches before the other does */
};

/* --- what floats look like ------------------------------------------------------------------------------- */

static bool lanes_of(enum ay_dt dt, struct ay_lanes *l)
{
	*l = ay_lanes_of(ay_lane_kind(dt));
	return ay_lane_kind(dt) != AY_LANES_NONE;
}

static uint64_t load(const uint8_t *p, uint64_t bytes)
{
	uint64_t x = 0;

	memcpy(&x, p, bytes);
	return x;
}

/* Replaces zeros by small numbers, because other significands would make them subnormal, which is
 * slow. Of a million normal numbers a few are 0. Returns false if there are infinities or NaN,
 * which would turn into each other. */
static bool make_plain(uint8_t *p, uint64_t bytes, const struct ay_lanes *l)
{
	for (uint64_t i = 0; i + l->bytes <= bytes; i += l->bytes) {
		const uint64_t e = load(p + i, l->bytes) & l->exponent;

		if (e == l->exponent)
			return false;
		if (!e)
			memcpy(p + i, &l->small, l->bytes);
	}
	return true;
}

/* All combinations of sign and exponent; f64 has the most. */
enum { BINADES = 4096 };

/* Finds the binades of normal numbers, by sign and exponent, that lie completely inside the
 * range. */
static void find_inside(enum ay_dt dt, const struct ay_lanes *l, const double range[2], bool inside[BINADES])
{
	const uint64_t count = (l->exponent / l->one + 1) * 2;

	for (uint64_t k = 0; k < count; k++) {
		const uint64_t end[2] = { k * l->one, (k + 1) * l->one - 1 };
		double x[2];

		for (int i = 0; i < 2; i++)
			ay_row_load_d(dt, &end[i], 1, 1, &x[i]);
		inside[k] = (k * l->one & l->exponent) && isfinite(x[0]) && isfinite(x[1]) &&
			    fmin(x[0], x[1]) >= range[0] && fmax(x[0], x[1]) <= range[1];
	}
}

/*
 * Prepares the elements of a uniform fill, whose range is what the operator accepts. No
 * significand may lead out of it, so every element must lie in a binade that is inside. A power of
 * two at the end of the range, which half types round to, is alone in its binade and moves into
 * the one below. Returns false if any other element lies outside: in uniform(0.5, 1.5) elements
 * above 1 could become 1.9. Elements changed before that are inside.
 */
static bool make_inside(enum ay_dt dt, uint8_t *p, uint64_t bytes, const struct ay_lanes *l, const double range[2])
{
	bool inside[BINADES];

	find_inside(dt, l, range, inside);
	for (uint64_t i = 0; i + l->bytes <= bytes; i += l->bytes) {
		uint64_t x = load(p + i, l->bytes);

		if (!(x & l->exponent))
			x = l->small;
		if (!inside[x / l->one] && !(x & (l->one - 1)))
			x -= l->one;
		if (!inside[x / l->one])
			return false;
		memcpy(p + i, &x, l->bytes);
	}
	return true;
}

/* --- the template ------------------------------------------------------------------------------------------ */

static bool is_fill(const struct ay_operand *o, const char *name)
{
	return !o->data && !strcmp(o->fill.name, name);
}

/* Returns the operator's own fill of o; NULL if the fill is one of fill.c. */
static const struct ay_maker *own_fill(const struct ay_input_template *m, const struct ay_operand *o)
{
	for (const struct ay_maker *k = m->call->op->makers; k && k->name; k++)
		if (is_fill(o, k->name))
			return k;
	return NULL;
}

/* Returns true if any significand may be given to each element. */
static bool are_normal(const uint8_t *p, uint64_t bytes, const struct ay_lanes *l)
{
	for (uint64_t i = 0; i + l->bytes <= bytes; i += l->bytes) {
		const uint64_t e = load(p + i, l->bytes) & l->exponent;

		if (!e || e == l->exponent)
			return false;
	}
	return true;
}

/* Returns true if the elements are independent of their places. */
static bool is_independent(const struct ay_operand *o)
{
	static const char *const fills[] = {
		"normal", "uniform", "int", "index", "exact", "bool", "edge", "ties"
	};

	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
		if (is_fill(o, fills[i]))
			return true;
	return false;
}

static enum how choose(const struct ay_input_template *m, const struct ay_operand *o,
		       const struct ay_input_template_part *p)
{
	const bool many = p->bytes >= (m->trusted ? DRAWN_LEAST : DRAWN_FROM);
	const struct ay_maker *own = own_fill(m, o);
	struct ay_lanes l;
	double range[2];

	if (o->data) /* given by the line, so it must not change */
		return REFILL;
	if (is_fill(o, "normal") && lanes_of(o->view.dt, &l) && make_plain(p->base, p->bytes, &l))
		return MIX;
	if (ay_fill_is_uniform(o, range) && lanes_of(o->view.dt, &l) &&
	    make_inside(ay_dt_component(o->view.dt), p->base, p->bytes, &l, range))
		return MIX;
	if (many && is_independent(o))
		return DRAW;
	/* An operator's own fill can be slow. If elements have their places (a triangle), sign and exponent
	 * of each stay the same in all sets; else none may stay, or a sort learns the order. */
	if (own && own->anywhere && many && lanes_of(o->view.dt, &l))
		return are_normal(p->base, p->bytes, &l) ? MIX : DRAW;
	if (own && many && lanes_of(o->view.dt, &l))
		return TOUCH;
	if (ay_fill_is_by_place(m->call, o) && many && !lanes_of(o->view.dt, &l))
		return PICK;
	return REFILL;
}

static uint64_t whole_lines(uint64_t bytes)
{
	return (bytes + AY_LINE - 1) / AY_LINE * AY_LINE;
}

/* Derives a key for one purpose. No key reveals another. */
static struct ay_key derive(struct ay_key from, const char *what, uint64_t n)
{
	char label[80];

	snprintf(label, sizeof label, "assay timed %s %016llx%016llx", what, (unsigned long long)from.k[0],
		 (unsigned long long)from.k[1]);
	return ay_key_from_seed(label, n);
}

struct ay_key ay_input_template_key(const struct ay_input_template *m, uint64_t n)
{
	return derive(m->root, "content", n);
}

static void make_noise(struct ay_input_template *m)
{
	const struct ay_key key = derive(m->root, "noise", 0);

	m->noise = ay_xrealloc(NULL, AY_NOISE_LINES * AY_LINE);
	for (uint64_t i = 0; i < AY_NOISE_LINES * AY_LINE / 8; i += 4)
		ay_philox(key, (const uint64_t[4]){ i }, m->noise + i);
}

static void make_second(struct ay_call *c, const struct ay_operand *o, struct ay_input_template_part *p,
			int threads)
{
	const struct ay_key key = c->key;

	p->base = ay_xrealloc(p->base, 2 * whole_lines(p->bytes));
	memset(p->base + p->bytes, 0, whole_lines(p->bytes) - p->bytes);
	c->key = derive(key, "second", 0);
	ay_fill_storage_by(c, o, p->base + whole_lines(p->bytes), threads);
	c->key = key;
}

void ay_input_template_init(struct ay_input_template *m, struct ay_call *c)
{
	ay_input_template_init_by(m, c, 1, false);
}

void ay_input_template_init_by(struct ay_input_template *m, struct ay_call *c, int threads, bool trusted)
{
	*m = (struct ay_input_template){ .call = c, .trusted = trusted, .root = derive(c->key, "root", 0) };
	m->part = ay_xrealloc(NULL, sizeof *m->part * (size_t)(c->noperand + 1));
	make_noise(m);
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];
		struct ay_input_template_part *p = &m->part[i];

		*p = (struct ay_input_template_part){ .how = WRITTEN, .bytes = ay_operand_bytes(o) };
		m->bytes += p->bytes;
		if (o->role != AY_IN && o->role != AY_INOUT)
			continue;
		p->base = ay_xrealloc(NULL, p->bytes + 8);
		ay_fill_storage_by(c, o, p->base, threads);
		p->how = choose(m, o, p);
		if (p->how == PICK)
			make_second(c, o, p, threads);
		p->can_be_hard = p->how == MIX && is_fill(o, "normal");
	}
}

void ay_input_template_release(struct ay_input_template *m)
{
	ay_input_template_release_gpu(m);
	for (int i = 0; m->part && i < m->call->noperand; i++)
		ay_xfree(m->part[i].base);
	ay_xfree(m->part);
	ay_xfree(m->noise);
	*m = (struct ay_input_template){ 0 };
}

/* --- one set --------------------------------------------------------------------------------------------- */

/* Draws four random words for one operand of a set; operand -1: for the set itself. */
static void draw(struct ay_key key, int set, int operand, uint64_t out[4])
{
	const uint64_t counter[4] = { (uint64_t)set, (uint64_t)operand + 1, 0x74696d6564, 0 };

	ay_philox(key, counter, out);
}

/* Copies random lines of the template, XORed with random lines of noise. One draw serves 64
 * bytes. */
static void mix(const struct ay_fill_op *k, const uint8_t *base, const uint64_t *all_noise, uint8_t *dst)
{
	const struct ay_lanes l = ay_lanes_of(ay_lane_kind(k->dt));
	const uint64_t start = k->start, lines = k->bytes / AY_LINE, rest = k->bytes % AY_LINE;

	for (uint64_t i = 0; i < lines; i++) {
		const uint64_t *noise = all_noise + ay_noise_at(start, i) * (AY_LINE / 8);
		uint64_t x[AY_LINE / 8];

		__builtin_prefetch(base + ay_line_at(start, i + AHEAD, lines) * AY_LINE);
		memcpy(x, base + ay_line_at(start, i, lines) * AY_LINE, AY_LINE);
		for (int w = 0; w < AY_LINE / 8; w++)
			x[w] ^= noise[w] & l.significand;
		memcpy(dst + i * AY_LINE, x, AY_LINE);
	}
	for (uint64_t at = 0; at < rest; at += 8) {
		const uint64_t n = rest - at < 8 ? rest - at : 8;
		const uint64_t x = load(base + lines * AY_LINE + at, n) ^
				   (ay_stream(start, lines + at / 8) & l.significand);

		memcpy(dst + lines * AY_LINE + at, &x, n);
	}
}

/* Makes the elements of a stress range 32 times larger. */
static void harden(const struct ay_fill_op *k, uint8_t *dst)
{
	const struct ay_lanes l = ay_lanes_of(ay_lane_kind(k->dt));

	for (uint64_t i = k->stress; i < k->stress + k->nstress; i++) {
		const uint64_t x = ay_element_hardened(load(dst + i * l.bytes, l.bytes), &l);

		memcpy(dst + i * l.bytes, &x, l.bytes);
	}
}

static void touch(const struct ay_fill_op *k, const uint8_t *base, uint8_t *dst)
{
	const struct ay_lanes l = ay_lanes_of(ay_lane_kind(k->dt));
	const uint64_t start = k->start, n = k->bytes / l.bytes;

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t x = ay_element_touched(load(base + i * l.bytes, l.bytes), ay_stream(start, i), &l);

		memcpy(dst + i * l.bytes, &x, l.bytes);
	}
}

static void redraw(const struct ay_fill_op *k, const uint8_t *base, uint8_t *dst)
{
	const uint64_t start = k->start, lines = k->bytes / AY_LINE;

	for (uint64_t i = 0; i < lines; i++) {
		__builtin_prefetch(base + ay_line_at(start, i + AHEAD, lines) * AY_LINE);
		memcpy(dst + i * AY_LINE, base + ay_line_at(start, i, lines) * AY_LINE, AY_LINE);
	}
	memcpy(dst + lines * AY_LINE, base + lines * AY_LINE, k->bytes % AY_LINE);
}

static void pick(const struct ay_fill_op *k, const uint8_t *base, uint8_t *dst)
{
	const uint8_t *second = base + whole_lines(k->bytes);

	for (uint64_t at = 0; at < k->bytes; at += AY_LINE)
		memcpy(dst + at, (ay_is_second(k->start, at / AY_LINE) ? second : base) + at,
		       k->bytes - at < AY_LINE ? k->bytes - at : AY_LINE);
}

static void refill(const struct ay_input_template *m, int i, const uint64_t chance[4], uint8_t *dst)
{
	struct ay_call c = *m->call;

	c.key = (struct ay_key){ { chance[2], chance[3] } };
	ay_fill_storage(&c, m->call->operand[i], dst);
}

static int hard_operand(const struct ay_input_template *m, struct ay_key key, int set)
{
	uint64_t chance[4];
	int n = 0;

	draw(key, set, -1, chance);
	if (chance[0] % HARD_ONE_IN)
		return -1;
	for (int i = 0; i < m->call->noperand; i++)
		n += m->part[i].can_be_hard;
	n = n ? (int)(chance[1] % (uint64_t)n) : -1;
	for (int i = 0; i < m->call->noperand && n >= 0; i++)
		if (m->part[i].can_be_hard && !n--)
			return i;
	return -1;
}

bool ay_input_template_is_stress(const struct ay_input_template *m, struct ay_key key, int set)
{
	return hard_operand(m, key, set) >= 0;
}

/* Chooses the stress range. */
static void plan_hard(struct ay_fill_op *k, uint64_t chance)
{
	const uint64_t n = k->bytes / ay_lanes_of(ay_lane_kind(k->dt)).bytes;

	k->stress = n ? chance % n : 0;
	k->nstress = n / 8 + 64 < n - k->stress ? n / 8 + 64 : n - k->stress;
}

bool ay_input_template_plan(const struct ay_input_template *m, int i, struct ay_key key, int set,
			    struct ay_fill_op *k)
{
	static const enum ay_fill_op_how as[] = { [MIX] = AY_FILL_OP_MIX,
						  [DRAW] = AY_FILL_OP_DRAW,
						  [TOUCH] = AY_FILL_OP_TOUCH,
						  [PICK] = AY_FILL_OP_PICK };
	const struct ay_input_template_part *p = &m->part[i];
	uint64_t chance[4];

	if (p->how == WRITTEN || p->how == REFILL)
		return false;
	draw(key, set, i, chance);
	*k = (struct ay_fill_op){ .bytes = p->bytes,
				  .start = p->how == DRAW || p->how == PICK ? chance[2] : chance[0],
				  .how = as[p->how],
				  .dt = m->call->operand[i]->view.dt };
	if (p->how == MIX && hard_operand(m, key, set) == i)
		plan_hard(k, chance[1]);
	return true;
}

const uint8_t *ay_input_template_base(const struct ay_input_template *m, int i)
{
	return m->part[i].base;
}

uint64_t ay_input_template_base_bytes(const struct ay_input_template *m, int i)
{
	const struct ay_input_template_part *p = &m->part[i];

	return p->how == PICK ? 2 * whole_lines(p->bytes) : p->how == WRITTEN || p->how == REFILL ? 0 : p->bytes;
}

void ay_input_template_write(const struct ay_input_template *m, int i, struct ay_key key, int set, uint8_t *dst)
{
	const uint8_t *base = m->part[i].base;
	uint64_t chance[4];
	struct ay_fill_op k;

	if (m->part[i].how == REFILL) {
		draw(key, set, i, chance);
		refill(m, i, chance, dst);
	}
	if (!ay_input_template_plan(m, i, key, set, &k))
		return;
	switch (k.how) {
	case AY_FILL_OP_MIX:
		mix(&k, base, m->noise, dst);
		if (k.nstress)
			harden(&k, dst);
		break;
	case AY_FILL_OP_DRAW: redraw(&k, base, dst); break;
	case AY_FILL_OP_PICK: pick(&k, base, dst); break;
	default: touch(&k, base, dst);
	}
}

uint64_t ay_input_template_read_bytes(const struct ay_input_template *m)
{
	uint64_t sum = 0;

	for (int i = 0; i < m->call->noperand; i++)
		if (m->call->operand[i]->role == AY_IN)
			sum += m->part[i].bytes;
	return sum;
}

void ay_input_template_write_part(const struct ay_input_template *m, int i, struct ay_key key, int set,
				  struct ay_byte_range part, uint8_t *dst)
{
	const uint64_t end = part.hi < m->part[i].bytes ? part.hi : m->part[i].bytes;
	struct ay_lanes l;
	struct ay_fill_op k;

	if (!ay_input_template_plan(m, i, key, set, &k)) {
		ay_input_template_write(m, i, key, set, dst);
		return;
	}
	l = ay_lanes_of(ay_lane_kind(k.dt));
	ay_fill_op_aim(&k, (uintptr_t)m->part[i].base, (uintptr_t)m->noise);
	for (uint64_t at = part.lo / AY_UNIT * AY_UNIT; at < end; at += AY_UNIT) {
		const uint32_t n = k.bytes - at < AY_UNIT ? (uint32_t)(k.bytes - at) : AY_UNIT;

		ay_unit_store_part((uintptr_t)dst + at, ay_unit_of(&k, k.how, &l, at, n), n);
	}
}

bool ay_input_template_is_input(const struct ay_input_template *m, int i)
{
	return m->part[i].how != WRITTEN;
}

bool ay_input_template_is_updated(const struct ay_input_template *m)
{
	for (int i = 0; i < m->call->noperand; i++)
		if (m->call->operand[i]->role == AY_INOUT)
			return true;
	return false;
}

/* --- sets in memory -------------------------------------------------------------------------------------- */

static uint64_t colours(uint64_t bytes)
{
	return bytes >= COLOURED ? COLOURS : COLOURS_SMALL;
}

int ay_input_sets_init(struct ay_input_sets *s, const struct ay_input_template *m, int cap, bool shared_storage,
		       struct ay_err *err)
{
	const int n = m->call->noperand;
	struct ay_need need[4] = { { 0, false },
				   { 0, true },
				   { ay_exec_told_bytes(m->call, cap), true },
				   { sizeof(ay_rng) * (uint64_t)cap, false } };
	const bool has_rng = ay_input_template_has_rng(m);
	uint64_t at[2] = { 0, 0 };

	*s = (struct ay_input_sets){
		.m = m, .cap = cap, .shared_storage = shared_storage, .told = 2, .pool = { .fd = { -1, -1 } }
	};
	s->has_rng = has_rng;
	s->rng = (struct ay_rng_place){ .slot = 3 };
	for (int i = 0; i < n; i++) {
		uint64_t room = m->part[i].bytes + colours(m->part[i].bytes) * AY_ALIGN + AY_ALIGN;

		need[m->call->operand[i]->role != AY_IN].bytes += room * (uint64_t)(shared_storage ? 1 : cap);
	}
	if (ay_pool_init(&s->pool, 3 + has_rng, need, err))
		return -1;
	s->slot = ay_xrealloc(NULL, sizeof *s->slot * (size_t)(n * cap + 1));
	s->offset = ay_xrealloc(NULL, sizeof *s->offset * (size_t)(n * cap + 1));
	for (int k = 0; k < n * cap; k++) {
		const uint64_t bytes = m->part[k % n].bytes;
		const int which = m->call->operand[k % n]->role != AY_IN;

		if (shared_storage && k % n == 0)
			at[0] = at[1] = 0;
		s->slot[k] = which;
		s->offset[k] = at[which] + ay_secret_below(colours(bytes)) * AY_ALIGN;
		at[which] = (s->offset[k] + bytes + AY_ALIGN - 1) / AY_ALIGN * AY_ALIGN;
	}
	/* read when the sets are prepared; given by the line, so always the same */
	for (int k = 0; k < n * cap; k++)
		if (m->call->operand[k % n]->wrapped)
			ay_input_template_write(m, k % n, (struct ay_key){ 0 }, 0,
						ay_input_sets_at(s, k / n, k % n));
	return 0;
}

void ay_input_sets_share_pages(const struct ay_input_sets *x, const struct ay_input_sets *y)
{
	for (int half = 0; half < 2; half++) {
		const uint64_t n = x->pool.size[half];

		AY_ASSERT(n == y->pool.size[half]);
		for (uint64_t at = 0; at < n; at += TURN) {
			const uint64_t len = n - at < TURN ? n - at : TURN;

			memset(x->pool.mem[half] + at, 0, len);
			memset(y->pool.mem[half] + at, 0, len);
		}
	}
}

void ay_input_sets_release(struct ay_input_sets *s)
{
	if (s->dev)
		ay_input_sets_release_gpu(s);
	ay_pool_release(&s->pool);
	ay_xfree(s->slot);
	ay_xfree(s->offset);
	*s = (struct ay_input_sets){ .pool = { .fd = { -1, -1 } } };
}

uint8_t *ay_input_sets_at(const struct ay_input_sets *s, int set, int operand)
{
	const int k = set * s->m->call->noperand + operand;

	if (s->dev)
		return ay_input_sets_at(s->shadow, set, operand);
	return s->pool.slot[s->slot[k]].mem + s->offset[k];
}

int ay_input_sets_write(struct ay_input_sets *s, struct ay_key key, int from, int n, uint8_t poison,
			struct ay_err *err)
{
	ay_input_sets_write_rng(s, key, from, n);
	if (s->dev)
		return ay_input_sets_write_gpu(s, key, from, n, poison, err);
	for (int set = from; set < from + n; set++) {
		for (int i = 0; i < s->m->call->noperand; i++) {
			uint8_t *at = ay_input_sets_at(s, set, i);

			if (s->m->part[i].how == WRITTEN)
				memset(at, poison, s->m->part[i].bytes);
			else
				ay_input_template_write(s->m, i, key, set, at);
		}
	}
	return 0;
}
