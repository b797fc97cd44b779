/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/content.h"

#include "device/make.h"
#include "exec/exec.h"
#include "op/fill.h"

#include <string.h>

/* How a set is made from the master. */
enum how {
	WRITTEN, /* not at all: the kernel writes it */
	MIX,     /* lines of the master in any order, with other significands */
	DRAW,    /* lines of the master in any order */
	TOUCH, /* the master with other significands, but for zeros and special values: every element has its place */
	REFILL, /* by the fill, with a key of its own */
};

struct ay_master_part {
	enum how how;
	uint8_t *base;
	uint64_t bytes;
	bool can_be_hard;
};

enum {
	HARD_ONE_IN = 16,
	HARD_BY = 5,           /* added to the exponent: 32 times */
	COLOURS = 16,          /* places that a large tensor may begin at, */
	COLOURED = 4096,       /* large being this, */
	COLOURS_SMALL = 4,     /* and a small one */
	DRAWN_FROM = 64 << 10, /* fewer bytes than this are filled anew: it costs little */
	LINE = 64,       /* bytes that are drawn together: as many as a kernel cannot help to read together */
	AHEAD = 24,      /* lines; drawn from memory they come late */
	TURN = 64 << 10, /* bytes that one of two gets before the other */
	NOISE = 1024,    /* lines of random bits that significands are mixed with: they stay in the cache */
};

/* --- what floats look like ------------------------------------------------------------------------------- */

/* Significand bits of every element in eight bytes; the exponent's bits, its lowest, and 1/256, of one element. */
struct lanes {
	uint64_t significand, exponent, one, small;
	int bytes;
};

static bool lanes_of(enum ay_dt dt, struct lanes *l)
{
	static const struct lanes f64 = { 0x000fffffffffffff, 0x7ff0000000000000, 1ull << 52, 1015ull << 52, 8 };
	static const struct lanes f32 = { 0x007fffff007fffff, 0x7f800000, 1ull << 23, 119ull << 23, 4 };
	static const struct lanes f16 = { 0x03ff03ff03ff03ff, 0x7c00, 1ull << 10, 7ull << 10, 2 };
	static const struct lanes bf16 = { 0x007f007f007f007f, 0x7f80, 1ull << 7, 119ull << 7, 2 };

	switch (ay_dt_component(dt)) {
	case AY_DT_F64: *l = f64; return true;
	case AY_DT_F32: *l = f32; return true;
	case AY_DT_F16: *l = f16; return true;
	case AY_DT_BF16: *l = bf16; return true;
	default: return false;
	}
}

static uint64_t load(const uint8_t *p, int bytes)
{
	uint64_t x = 0;

	memcpy(&x, p, (size_t)bytes);
	return x;
}

/* With other significands zeros would become subnormal, which is slow: they are made small numbers first (of
 * a million normal numbers a few are 0). False if there are infinities or NaN, which would become each other. */
static bool make_plain(uint8_t *p, uint64_t bytes, const struct lanes *l)
{
	for (uint64_t i = 0; i + (uint64_t)l->bytes <= bytes; i += (uint64_t)l->bytes) {
		const uint64_t e = load(p + i, l->bytes) & l->exponent;

		if (e == l->exponent)
			return false;
		if (!e)
			memcpy(p + i, &l->small, (size_t)l->bytes);
	}
	return true;
}

/* --- the master ------------------------------------------------------------------------------------------ */

static bool is_fill(const struct ay_operand *o, const char *name)
{
	return !o->data && !strcmp(o->fill.name, name);
}

static bool is_own_fill(const struct ay_master *m, const struct ay_operand *o)
{
	for (const struct ay_maker *k = m->call->op->makers; k && k->name; k++)
		if (is_fill(o, k->name))
			return true;
	return false;
}

static enum how choose(const struct ay_master *m, const struct ay_operand *o, const struct ay_master_part *p)
{
	struct lanes l = { 0 };

	if (o->data) /* given by the line: it is what it is */
		return REFILL;
	if ((is_fill(o, "normal") || is_fill(o, "uniform")) && lanes_of(o->view.dt, &l) &&
	    make_plain(p->base, p->bytes, &l))
		return MIX;
	if ((is_fill(o, "int") || is_fill(o, "index") || is_fill(o, "uniform") || is_fill(o, "normal")) &&
	    p->bytes >= DRAWN_FROM)
		return DRAW;
	/* an operator's own fill can be slow, and knows places: a triangle */
	if (is_own_fill(m, o) && p->bytes >= DRAWN_FROM && lanes_of(o->view.dt, &l))
		return TOUCH;
	return REFILL;
}

void ay_master_init(struct ay_master *m, struct ay_call *c)
{
	const struct ay_key key = c->key;

	*m = (struct ay_master){ .call = c };
	m->part = ay_xrealloc(NULL, sizeof *m->part * (size_t)(c->noperand + 1));
	m->noise = ay_xrealloc(NULL, NOISE * LINE);
	for (int i = 0; i < NOISE * LINE / 8; i++)
		m->noise[i] = ay_secret_u64();
	c->key = (struct ay_key){ { ay_secret_u64(), ay_secret_u64() } };
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];
		struct ay_master_part *p = &m->part[i];

		*p = (struct ay_master_part){ .how = WRITTEN, .bytes = ay_operand_bytes(o) };
		m->bytes += p->bytes;
		if (o->role != AY_IN && o->role != AY_INOUT)
			continue;
		p->base = ay_xrealloc(NULL, p->bytes + 8);
		ay_fill_storage(c, o, p->base);
		p->how = choose(m, o, p);
		p->can_be_hard = p->how == MIX && is_fill(o, "normal");
	}
	c->key = key;
}

void ay_master_release(struct ay_master *m)
{
	ay_master_release_gpu(m);
	for (int i = 0; m->part && i < m->call->noperand; i++)
		ay_xfree(m->part[i].base);
	ay_xfree(m->part);
	ay_xfree(m->noise);
	*m = (struct ay_master){ 0 };
}

/* --- one set --------------------------------------------------------------------------------------------- */

/* Two words of a set's own, and two of one operand in it. */
static void draw(struct ay_key key, int set, int operand, uint64_t out[4])
{
	const uint64_t counter[4] = { (uint64_t)set, (uint64_t)operand + 1, 0x74696d6564, 0 };

	ay_philox(key, counter, out);
}

/* splitmix64: a bijection of a counter, good enough to be different everywhere, and the compiler makes vectors of
 * it. */
static inline uint64_t stream(uint64_t start, uint64_t i)
{
	uint64_t x = start + i * 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	return x ^ x >> 27;
}

/*
 * Which line of the master stands at line i of a set. With replacement: elements are independent of each other, and
 * of the same ones in another order the sum, the largest or the sorted row would be what it was in the last set.
 */
static inline uint64_t line_at(uint64_t start, uint64_t i, uint64_t lines)
{
	return (stream(start, i) >> 32) * lines >> 32;
}

/* One draw for 64 bytes: which line of the master, and which line of noise. */
static void mix(const struct ay_master *m, const struct ay_master_part *p, enum ay_dt dt, uint64_t start,
		uint8_t *dst)
{
	const uint64_t lines = p->bytes / LINE, rest = p->bytes % LINE;
	struct lanes l = { 0 };

	lanes_of(dt, &l);
	for (uint64_t i = 0; i < lines; i++) {
		const uint64_t *noise = m->noise + stream(start, i) % NOISE * (LINE / 8);
		uint64_t x[LINE / 8];

		__builtin_prefetch(p->base + line_at(start, i + AHEAD, lines) * LINE);
		memcpy(x, p->base + line_at(start, i, lines) * LINE, LINE);
		for (int k = 0; k < LINE / 8; k++)
			x[k] ^= noise[k] & l.significand;
		memcpy(dst + i * LINE, x, LINE);
	}
	for (uint64_t at = 0; at < rest; at += 8) {
		const int n = rest - at < 8 ? (int)(rest - at) : 8;
		const uint64_t x = load(p->base + lines * LINE + at, n) ^
				   (stream(start, lines + at / 8) & l.significand);

		memcpy(dst + lines * LINE + at, &x, (size_t)n);
	}
}

static void hard_stretch(enum ay_dt dt, uint64_t bytes, const uint64_t chance[4], uint64_t *from, uint64_t *len)
{
	struct lanes l = { 0 };
	uint64_t n;

	lanes_of(dt, &l);
	n = bytes / (uint64_t)l.bytes;
	*from = n ? chance[1] % n : 0;
	*len = n / 8 + 64 < n - *from ? n / 8 + 64 : n - *from;
}

/* A stretch that is 32 times larger. */
static void harden(enum ay_dt dt, uint64_t bytes, const uint64_t chance[4], uint8_t *dst)
{
	struct lanes l = { 0 };
	uint64_t from, len;

	lanes_of(dt, &l);
	hard_stretch(dt, bytes, chance, &from, &len);
	for (uint64_t i = from; i < from + len; i++) {
		uint64_t x = load(dst + i * (uint64_t)l.bytes, l.bytes);

		if ((x & l.exponent) < l.exponent - HARD_BY * l.one)
			x += HARD_BY * l.one;
		memcpy(dst + i * (uint64_t)l.bytes, &x, (size_t)l.bytes);
	}
}

static void touch(const struct ay_master_part *p, enum ay_dt dt, uint64_t start, uint8_t *dst)
{
	struct lanes l = { 0 };
	uint64_t n;

	lanes_of(dt, &l);
	n = p->bytes / (uint64_t)l.bytes;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t x = load(p->base + i * (uint64_t)l.bytes, l.bytes);
		const uint64_t e = x & l.exponent;

		if (e && e != l.exponent)
			x ^= stream(start, i) & l.significand;
		memcpy(dst + i * (uint64_t)l.bytes, &x, (size_t)l.bytes);
	}
}

static void redraw(const struct ay_master_part *p, const uint64_t chance[4], uint8_t *dst)
{
	const uint64_t lines = p->bytes / LINE;

	for (uint64_t i = 0; i < lines; i++) {
		__builtin_prefetch(p->base + line_at(chance[2], i + AHEAD, lines) * LINE);
		memcpy(dst + i * LINE, p->base + line_at(chance[2], i, lines) * LINE, LINE);
	}
	memcpy(dst + lines * LINE, p->base + lines * LINE, p->bytes % LINE);
}

static void refill(const struct ay_master *m, int i, const uint64_t chance[4], uint8_t *dst)
{
	struct ay_call c = *m->call;

	c.key = (struct ay_key){ { chance[2], chance[3] } };
	ay_fill_storage(&c, m->call->operand[i], dst);
}

static int hard_operand(const struct ay_master *m, struct ay_key key, int set)
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

bool ay_master_is_hard(const struct ay_master *m, struct ay_key key, int set)
{
	return hard_operand(m, key, set) >= 0;
}

void ay_master_write(const struct ay_master *m, int i, struct ay_key key, int set, uint8_t *dst)
{
	const struct ay_master_part *p = &m->part[i];
	const enum ay_dt dt = m->call->operand[i]->view.dt;
	uint64_t chance[4];

	draw(key, set, i, chance);
	switch (p->how) {
	case WRITTEN: break;
	case MIX:
		mix(m, p, dt, chance[0], dst);
		if (hard_operand(m, key, set) == i)
			harden(dt, p->bytes, chance, dst);
		break;
	case DRAW: redraw(p, chance, dst); break;
	case TOUCH: touch(p, dt, chance[0], dst); break;
	case REFILL: refill(m, i, chance, dst); break;
	}
}

const uint8_t *ay_master_base(const struct ay_master *m, int i, uint64_t *bytes)
{
	const struct ay_master_part *p = &m->part[i];
	const bool used = p->how == MIX || p->how == DRAW || p->how == TOUCH;

	*bytes = used ? p->bytes : 0;
	return used ? p->base : NULL;
}

uint64_t ay_master_noise_bytes(void)
{
	return NOISE * LINE;
}

bool ay_master_is_input(const struct ay_master *m, int i)
{
	return m->part[i].how != WRITTEN;
}

bool ay_master_job(const struct ay_master *m, int i, struct ay_key key, int set, struct ay_make *job)
{
	static const enum ay_make_how hows[] = {
		[MIX] = AY_MAKE_MIX, [DRAW] = AY_MAKE_DRAW, [TOUCH] = AY_MAKE_TOUCH
	};
	const struct ay_master_part *p = &m->part[i];
	uint64_t chance[4];

	if (p->how == WRITTEN || p->how == REFILL)
		return false;
	draw(key, set, i, chance);
	job->how = hows[p->how];
	job->dt = m->call->operand[i]->view.dt;
	job->bytes = p->bytes;
	job->start = p->how == DRAW ? chance[2] : chance[0];
	job->hard = job->nhard = 0;
	if (p->how == MIX && hard_operand(m, key, set) == i)
		hard_stretch(m->call->operand[i]->view.dt, p->bytes, chance, &job->hard, &job->nhard);
	return true;
}

/* --- sets in memory -------------------------------------------------------------------------------------- */

static uint64_t colours(uint64_t bytes)
{
	return bytes >= COLOURED ? COLOURS : COLOURS_SMALL;
}

int ay_sets_init(struct ay_sets *s, const struct ay_master *m, int cap, bool fold, struct ay_err *err)
{
	const int n = m->call->noperand;
	struct ay_need need[3] = { { 0, false }, { 0, true }, { ay_exec_told_bytes(m->call, cap), true } };
	uint64_t at[2] = { 0, 0 };

	*s = (struct ay_sets){ .m = m, .cap = cap, .fold = fold, .told = 2, .pool = { .fd = { -1, -1 } } };
	for (int i = 0; i < n; i++) {
		uint64_t room = m->part[i].bytes + colours(m->part[i].bytes) * AY_ALIGN + AY_ALIGN;

		need[m->call->operand[i]->role != AY_IN].bytes += room * (uint64_t)(fold ? 1 : cap);
	}
	if (ay_pool_init(&s->pool, 3, need, err))
		return -1;
	s->slot = ay_xrealloc(NULL, sizeof *s->slot * (size_t)(n * cap + 1));
	s->offset = ay_xrealloc(NULL, sizeof *s->offset * (size_t)(n * cap + 1));
	for (int k = 0; k < n * cap; k++) {
		const uint64_t bytes = m->part[k % n].bytes;
		const int which = m->call->operand[k % n]->role != AY_IN;

		if (fold && k % n == 0)
			at[0] = at[1] = 0;
		s->slot[k] = which;
		s->offset[k] = at[which] + ay_secret_below(colours(bytes)) * AY_ALIGN;
		at[which] = (s->offset[k] + bytes + AY_ALIGN - 1) / AY_ALIGN * AY_ALIGN;
	}
	for (int k = 0; k < n * cap; k++)
		if (m->call->operand[k % n]
			    ->wrapped) /* read when all is made ready; given by the line: always the same */
			ay_master_write(m, k % n, (struct ay_key){ 0 }, 0, ay_sets_at(s, k / n, k % n));
	return 0;
}

void ay_sets_share_pages(const struct ay_sets *x, const struct ay_sets *y)
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

void ay_sets_release(struct ay_sets *s)
{
	if (s->dev)
		ay_sets_release_gpu(s);
	ay_pool_release(&s->pool);
	ay_xfree(s->slot);
	ay_xfree(s->offset);
	*s = (struct ay_sets){ .pool = { .fd = { -1, -1 } } };
}

uint8_t *ay_sets_at(const struct ay_sets *s, int set, int operand)
{
	const int k = set * s->m->call->noperand + operand;

	if (s->dev)
		return ay_sets_at(s->shadow, set, operand);
	return s->pool.slot[s->slot[k]].mem + s->offset[k];
}

int ay_sets_write(struct ay_sets *s, struct ay_key key, int from, int n, uint8_t poison, struct ay_err *err)
{
	if (s->dev)
		return ay_sets_write_gpu(s, key, from, n, poison, err);
	for (int set = from; set < from + n; set++) {
		for (int i = 0; i < s->m->call->noperand; i++) {
			uint8_t *at = ay_sets_at(s, set, i);

			if (s->m->part[i].how == WRITTEN)
				memset(at, poison, s->m->part[i].bytes);
			else
				ay_master_write(s->m, i, key, set, at);
		}
	}
	return 0;
}
