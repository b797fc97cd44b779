/* SPDX-License-Identifier: Apache-2.0 */
#include "op/fill.h"
#include "base/multiversion.h"
#include "base/thread_ranges.h"
#include "op/fill_values.h"
#include "op/normal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of half types, FIRST elements are drawn, more than they have values. Later elements repeat lines
 * of those. */
enum { CHUNK = 256, FIRST = 4 << 20, LINE = 256 };

struct fillctx;
/* Makes one number that a double may not hold. */
typedef long double (*wide_fn)(const struct fillctx *f, const uint64_t bits[2]);

/* The state of a fill function: its arguments as doubles, and its tensor. */
struct fillctx {
	const struct ay_call *c;
	const struct ay_operand *o;
	const struct ay_maker *maker;
	wide_fn wide; /* instead of a fill_fn; NULL: none */
	double arg[2];
	int64_t n; /* logical elements */
	int parts; /* numbers per element: 2 for complex */
};

/* Writes numbers lo..hi of the stream (two per complex element), at most CHUNK of them. */
typedef void (*fill_fn)(const struct fillctx *f, int64_t lo, int64_t hi, double *dst);

/* Returns the sum of the four 16-bit words of x. */
static uint64_t word_sum(uint64_t x)
{
	x = (x & 0x0000ffff0000ffff) + (x >> 16 & 0x0000ffff0000ffff);
	return (x & 0xffffffff) + (x >> 32);
}

static double normal_of(const uint64_t bits[2])
{
	return ay_normal_of((int32_t)(word_sum(bits[0]) + word_sum(bits[1])));
}

static double one_uniform(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	(void)i;
	return f->arg[0] + (f->arg[1] - f->arg[0]) * ay_fill_unit(bits[0]);
}

/* Draws an integer from a to b, both included. */
static double one_int(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	uint64_t range = (uint64_t)((int64_t)f->arg[1] - (int64_t)f->arg[0]) + 1;
	uint64_t k = (uint64_t)((unsigned __int128)bits[0] * range >> 64);

	(void)i;
	return (double)((int64_t)f->arg[0] + (int64_t)k);
}

static double one_index(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	(void)i;
	return (double)(uint64_t)((unsigned __int128)bits[0] * (uint64_t)f->arg[0] >> 64);
}

static double one_bool(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	(void)i;
	return ay_fill_unit(bits[0]) < f->arg[0];
}

static double one_heavy(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	(void)i;
	return f->arg[0] * ay_fill_heavy(bits);
}

static double one_const(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	(void)i, (void)bits;
	return f->arg[0];
}

static double one_zeros(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	(void)f, (void)i, (void)bits;
	return 0;
}

static double one_ones(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	(void)f, (void)i, (void)bits;
	return 1;
}

/* One element in eight is a value that arithmetic treats specially; the others are normal. */
static double one_special(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	(void)i;
	return bits[1] >> 61 ? f->arg[0] + normal_of(bits) : ay_fill_special(f->o->view.dt, bits[0]);
}

/* Like one_special, without the largest values: their sums overflow in one order of addition and
 * not in another. */
static double one_nonfinite(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	double x = one_special(f, i, bits);

	return isfinite(x) && fabs(x) > 1e3 ? 1 : x;
}

/* Runs of 32 elements, each of another kind: of normal size, small, large, small integers, or zeros of
 * both signs. A kernel that is right for one kind of content only is wrong here. */
static double one_mixed(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	const uint64_t ctr[4] = { (uint64_t)i >> 5, (uint64_t)f->o->ordinal, 0, 4 };
	uint64_t kind[4];

	ay_philox(f->c->key, ctr, kind);
	switch (kind[0] % 8) {
	case 0: return 0x1p-10 * normal_of(bits);
	case 1: return 0x1p5 * normal_of(bits);
	case 2: return (double)(int64_t)(bits[0] % 17) - 8;
	case 3: return bits[0] & 1 ? 0.0 : -0.0;
	default: return normal_of(bits);
	}
}

static double one_perm(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	(void)bits;
	return (double)ay_fill_permuted(f->c->key, (uint64_t)f->o->ordinal, (uint64_t)f->arg[0], (uint64_t)i);
}

static double one_sorted(const struct fillctx *f, int64_t i, const uint64_t bits[2])
{
	return f->arg[0] + (f->arg[1] - f->arg[0]) * (((double)i + ay_fill_unit(bits[0])) / (double)f->n);
}

static long double wide_edge(const struct fillctx *f, const uint64_t bits[2])
{
	const enum ay_dt dt = ay_dt_component(f->o->view.dt);

	return ay_fill_edge(dt, f->arg[0] < 0 ? ay_fill_edge_bits(dt) : (int)f->arg[0], bits);
}

static long double wide_ties(const struct fillctx *f, const uint64_t bits[2])
{
	return ay_fill_tie((enum ay_dt)f->arg[0], ay_dt_component(f->o->view.dt), bits);
}

/* A range of generator blocks. Each block gives 256 bits, that is, two numbers. */
struct draw {
	uint64_t first[4]; /* counter */
	int64_t blocks;
};

static struct draw draw_of(const struct fillctx *f, int64_t lo, int64_t hi)
{
	return (struct draw){ { (uint64_t)lo >> 1, (uint64_t)f->o->ordinal, 0, 1 }, (hi + 1) / 2 - lo / 2 };
}

typedef uint64_t bits_of_chunk[CHUNK / 2 + 1][4];

/* Draws 128 bits for every number. */
static const uint64_t (*draw_bits(const struct fillctx *f, int64_t lo, int64_t hi, bits_of_chunk buf))[2]
{
	const struct draw d = draw_of(f, lo, hi);

	ay_philox_run(f->c->key, d.first, d.blocks, buf);
	return (const uint64_t(*)[2])buf[0] + lo % 2;
}

/* One loop per fill, so that the compiler can optimise each. QUIET is for fills that use no
 * random bits. */
#define LOOP_OVER(one, bits)              \
	for (int64_t i = lo; i < hi; i++) \
		dst[i - lo] = one(f, f->parts == 2 ? i >> 1 : i, bits);
#define LOOP(name)                                                                            \
	static void fill_##name(const struct fillctx *f, int64_t lo, int64_t hi, double *dst) \
	{                                                                                     \
		bits_of_chunk buf;                                                            \
		const uint64_t(*bits)[2] = draw_bits(f, lo, hi, buf);                         \
                                                                                              \
		LOOP_OVER(one_##name, bits[i - lo])                                           \
	}
#define QUIET(name)                                                                           \
	static void fill_##name(const struct fillctx *f, int64_t lo, int64_t hi, double *dst) \
	{                                                                                     \
		LOOP_OVER(one_##name, NULL)                                                   \
	}
LOOP(uniform)
LOOP(int)
LOOP(index)
LOOP(bool)
LOOP(heavy)
QUIET(const)
QUIET(zeros)
QUIET(ones)
LOOP(special)
LOOP(nonfinite)
LOOP(mixed)
QUIET(perm)
LOOP(sorted)

/* Most inputs are normal. Of their random bits only the sums are stored. */
AY_MULTIVERSION("avx2") static void fill_normal(const struct fillctx *f, int64_t lo, int64_t hi, double *dst)
{
	const struct draw d = draw_of(f, lo, hi);
	const double mean = f->arg[0], sd = f->arg[1];
	int32_t sums[CHUNK / 2 + 1][2], *sum = sums[0] + lo % 2;

	ay_philox_sums(f->c->key, d.first, d.blocks, sums);
	for (int64_t i = 0; i < hi - lo; i++)
		dst[i] = mean + sd * ay_normal_of(sum[i]);
}

static void fill_made(const struct fillctx *f, int64_t lo, int64_t hi, double *dst)
{
	bits_of_chunk buf;
	const uint64_t(*bits)[2] = draw_bits(f, lo, hi, buf);

	if (f->maker->many && f->parts == 1) {
		f->maker->many(f->c, f->o, lo, hi, bits, dst);
		return;
	}
	for (int64_t i = lo; i < hi; i++)
		dst[i - lo] = f->maker->make(f->c, f->o, &f->o->fill, f->parts == 2 ? i >> 1 : i, bits[i - lo][0]);
}

/* The table of fills. `logical`: i is the logical index, else the position in storage. A NAN
 * default means that the argument is mandatory. `wide` replaces fn. */
static const struct kind {
	const char *name;
	fill_fn fn;
	int args;
	double def[2];
	bool logical;
	wide_fn wide;
} kinds[] = {
	{ "normal", fill_normal, 2, { 0, 1 }, false },    { "uniform", fill_uniform, 2, { 0, 1 }, false },
	{ "int", fill_int, 2, { NAN, NAN }, false },      { "index", fill_index, 1, { NAN }, false },
	{ "exact", fill_int, 2, { -2, 2 }, false },       { "bool", fill_bool, 1, { 0.5 }, false },
	{ "heavy", fill_heavy, 1, { 1 }, false },         { "special", fill_special, 1, { 0 }, false },
	{ "nonfinite", fill_nonfinite, 1, { 0 }, false }, { "const", fill_const, 1, { NAN }, false },
	{ "zeros", fill_zeros, 0, { 0 }, false },         { "ones", fill_ones, 0, { 0 }, false },
	{ "perm", fill_perm, 1, { -1 }, true },           { "sorted", fill_sorted, 2, { 0, 1 }, true },
	{ "mixed", fill_mixed, 0, { 0 }, false },         { "edge", NULL, 1, { -1 }, false, wide_edge },
	{ "ties", NULL, 1, { NAN }, false, wide_ties },   { "out", fill_zeros, 0, { 0 }, false },
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static const struct ay_maker *find_maker(const struct ay_call *c, const char *name)
{
	for (const struct ay_maker *m = c->op->makers; m && m->name; m++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

static int check_data(const struct ay_operand *o, struct ay_err *err)
{
	const struct ay_value *d = o->data;

	if (d->list.n != ay_numel_of(&o->view))
		return ay_fail(err, AY_ERR_BIND, "data= of '%s' has %d values, the shape asks for %lld", o->name,
			       d->list.n, (long long)ay_numel_of(&o->view));
	for (int i = 0; i < d->list.n; i++)
		if (d->list.v[i].kind < AY_V_BOOL || d->list.v[i].kind > AY_V_COMPLEX)
			return ay_fail_at(err, AY_ERR_BIND, d->list.v[i].col,
					  "column %d: data= takes numbers, not %s", d->list.v[i].col,
					  ay_kind_name(d->list.v[i].kind));
	return 0;
}

static int fill_names(struct ay_err *err, const struct ay_operand *o)
{
	char all[400];
	size_t n = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && n < sizeof all; i++)
		n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", kinds[i].name);
	return ay_fail(err, AY_ERR_BIND, "there is no fill '%s' (for '%s'); there are %s", o->fill.name, o->name,
		       all);
}

static int fill_args(const struct kind *k, const struct ay_operand *o, double arg[2], struct ay_err *err)
{
	if (o->fill.n > k->args)
		return ay_fail(err, AY_ERR_BIND, "fill '%s' of '%s' takes %d arguments, not %d", k->name, o->name,
			       k->args, o->fill.n);
	for (int i = 0; i < k->args; i++) {
		const struct ay_value *v = i < o->fill.n ? &o->fill.arg[i] : NULL;

		if (v &&
		    (k->wide == wide_ties ? v->kind != AY_V_DTYPE : v->kind != AY_V_INT && v->kind != AY_V_FLOAT))
			return ay_fail(err, AY_ERR_BIND, "fill '%s' of '%s' takes %s, not %s", k->name, o->name,
				       k->wide == wide_ties ? "a dtype" : "numbers", ay_kind_name(v->kind));
		arg[i] = !v                      ? k->def[i]
			 : v->kind == AY_V_INT   ? (double)v->i
			 : v->kind == AY_V_DTYPE ? (double)v->dt
						 : v->f;
		if (isnan(arg[i]) && !v)
			return ay_fail(err, AY_ERR_BIND, "fill '%s' of '%s' needs %d argument%s", k->name, o->name,
				       k->args, k->args > 1 ? "s" : "");
	}
	return 0;
}

static int check_wide(const struct kind *k, const struct ay_operand *o, double arg, struct ay_err *err)
{
	const enum ay_dt dt = ay_dt_component(o->view.dt);

	if (k->wide == wide_edge && arg != -1 && !(arg >= 1 && arg <= 63 && arg == floor(arg)))
		return ay_fail(err, AY_ERR_BIND, "fill edge(%g) of '%s': 1 to 63 bits", arg, o->name);
	if (k->wide == wide_ties && !ay_fill_has_ties((enum ay_dt)arg, dt))
		return ay_fail(err, AY_ERR_BIND,
			       "fill ties(%s) of '%s': %s has no numbers half-way between two of %s",
			       ay_dt_info((enum ay_dt)arg)->name, o->name, ay_dt_info(dt)->name,
			       ay_dt_info((enum ay_dt)arg)->name);
	return 0;
}

static int check_range(const struct kind *k, const struct ay_operand *o, const double arg[2], struct ay_err *err)
{
	int64_t n = ay_numel_of(&o->view);
	bool integers = k->fn == fill_int || k->fn == fill_index || k->fn == fill_perm;

	if (k->wide)
		return check_wide(k, o, arg[0], err);
	if (integers && (!(fabs(arg[0]) < 0x1p53) || (k->args > 1 && !(fabs(arg[1]) < 0x1p53))))
		return ay_fail(err, AY_ERR_BIND, "fill '%s' of '%s': the numbers are too large", k->name, o->name);
	if (k->fn == fill_int && arg[1] < arg[0])
		return ay_fail(err, AY_ERR_BIND, "fill '%s' of '%s': the range is empty", k->name, o->name);
	if (k->fn == fill_index && arg[0] < 1 && n)
		return ay_fail(err, AY_ERR_BIND, "fill index(%g) of '%s': there is nothing to index", arg[0],
			       o->name);
	if (k->fn == fill_perm && arg[0] >= 0 && arg[0] < (double)n)
		return ay_fail(err, AY_ERR_BIND, "fill perm(%g) of '%s': %lld distinct values are needed", arg[0],
			       o->name, (long long)n);
	return 0;
}

int ay_fill_check(const struct ay_call *c, const struct ay_operand *o, struct ay_err *err)
{
	const struct kind *k = find_kind(o->fill.name);
	double arg[2] = { 0 };

	if ((o->data || (k && k->logical)) && ay_view_overlaps(&o->view))
		return ay_fail(err, AY_ERR_BIND,
			       "'%s' shares storage between elements, so %s cannot be given by position", o->name,
			       o->data ? "data=" : o->fill.name);
	if (o->data)
		return check_data(o, err);
	if (find_maker(c, o->fill.name))
		return 0;
	if (!k)
		return fill_names(err, o);
	return fill_args(k, o, arg, err) || check_range(k, o, arg, err) ? -1 : 0;
}

bool ay_fill_is_uniform(const struct ay_operand *o, double range[2])
{
	const struct kind *k = find_kind(o->fill.name);
	struct ay_err err = { 0 };

	return !o->data && k && k->fn == fill_uniform && !fill_args(k, o, range, &err);
}

/* An operator's own fill may depend on another tensor, or on all of that tensor's elements. */
bool ay_fill_is_by_place(const struct ay_call *c, const struct ay_operand *o)
{
	const struct kind *k = find_kind(o->fill.name);

	if (o->data)
		return false;
	return find_maker(c, o->fill.name) ? c->op->makers == ay_input_domain_makers : k && k->fn != fill_perm;
}

/* --- generating ------------------------------------------------------------------------------- */

static fill_fn start(struct fillctx *f, const struct ay_call *c, const struct ay_operand *o, bool *logical)
{
	const struct kind *k = find_kind(o->fill.name);
	struct ay_err err = { 0 };

	*f = (struct fillctx){ .c = c, .o = o, .maker = find_maker(c, o->fill.name), .n = ay_numel_of(&o->view) };
	f->parts = ay_dt_is_complex(o->view.dt) ? 2 : 1;
	if (f->maker) {
		*logical = false;
		return fill_made;
	}
	if (!k || fill_args(k, o, f->arg, &err))
		AY_BUG("fill '%s' was not checked", o->fill.name);
	if (k->fn == fill_perm && f->arg[0] < 0)
		f->arg[0] = (double)f->n;
	f->wide = k->wide;
	*logical = k->logical;
	return k->fn;
}

/* Draws elements [lo, hi) of a wide fill. */
static void draw_wide(const struct fillctx *f, int64_t lo, int64_t hi, uint8_t *dst)
{
	const enum ay_dt dt = f->o->view.dt;
	long double buf[CHUNK];
	bits_of_chunk random;

	for (int64_t i = lo, n; i < hi; i += n) {
		const uint64_t(*bits)[2];

		n = hi - i < CHUNK / f->parts ? hi - i : CHUNK / f->parts;
		bits = draw_bits(f, i * f->parts, (i + n) * f->parts, random);
		for (int64_t k = 0; k < n * f->parts; k++)
			buf[k] = f->wide(f, bits[k]);
		ay_row_store_ld(ay_dt_component(dt), dst + (i - lo) * ay_dt_info(dt)->bytes, 1, n * f->parts, buf);
	}
}

/* Draws elements [lo, hi) one by one. */
static void draw_range(const struct fillctx *f, fill_fn fn, int64_t lo, int64_t hi, uint8_t *dst)
{
	const enum ay_dt dt = f->o->view.dt;
	double buf[CHUNK];

	if (f->wide) {
		draw_wide(f, lo, hi, dst);
		return;
	}
	for (int64_t i = lo, n; i < hi; i += n) {
		n = hi - i < CHUNK / f->parts ? hi - i : CHUNK / f->parts;
		fn(f, i * f->parts, (i + n) * f->parts, buf);
		ay_row_store_d(ay_dt_component(dt), dst + (i - lo) * ay_dt_info(dt)->bytes, 1, n * f->parts, buf);
	}
}

/* Returns true if later elements repeat earlier ones. Tensors of half types can have gigabytes, and
 * drawing them takes longer than everything else done with them. */
static bool repeats(const struct fillctx *f)
{
	return !f->maker && ay_dt_is_float(f->o->view.dt) && ay_dt_info(f->o->view.dt)->bytes <= 2;
}

/* Returns the first of the elements that i and the rest of its line repeat. Limits *n to the length
 * of that rest. */
static int64_t source_of(const struct fillctx *f, int64_t i, int64_t *n)
{
	const uint64_t ctr[4] = { (uint64_t)i / LINE, (uint64_t)f->o->ordinal, 0, 3 };
	uint64_t out[4];

	ay_philox(f->c->key, ctr, out);
	if (*n > LINE - i % LINE)
		*n = LINE - i % LINE;
	return (int64_t)(out[0] % (FIRST / LINE)) * LINE + i % LINE;
}

/* A storage to fill, of which threads get parts. */
struct storage {
	const struct fillctx *f;
	fill_fn fn;
	uint8_t *base;
};

static void draw_part(void *user, int64_t lo, int64_t hi)
{
	const struct storage *s = user;

	draw_range(s->f, s->fn, lo, hi, s->base + lo * ay_dt_info(s->f->o->view.dt)->bytes);
}

/* Copies elements from the part that is drawn already. */
static void repeat_part(void *user, int64_t lo, int64_t hi)
{
	const struct storage *s = user;
	const int bytes = ay_dt_info(s->f->o->view.dt)->bytes;

	for (int64_t i = lo, n; i < hi; i += n) {
		int64_t from;

		n = hi - i;
		from = source_of(s->f, i, &n);
		memcpy(s->base + i * bytes, s->base + from * bytes, (size_t)(n * bytes));
	}
}

static void make_by(const struct fillctx *f, fill_fn fn, int64_t n, uint8_t *storage, int threads)
{
	enum { LEAST = 1 << 18 /* elements per thread */ };
	struct storage s = { f, fn, storage };
	const int64_t drawn = repeats(f) && n > FIRST ? FIRST : n;

	ay_thread_ranges(draw_part, &s, 0, drawn, LEAST, threads);
	if (drawn < n)
		ay_thread_ranges(repeat_part, &s, drawn, n, LEAST, threads);
}

static void store_datum(const struct ay_operand *o, int64_t i, void *dst)
{
	const struct ay_value *v = &o->data->list.v[i];
	long double complex z = 0;

	switch (v->kind) {
	case AY_V_BOOL: z = v->b; break;
	case AY_V_INT: z = (long double)v->i; break;
	case AY_V_FLOAT: z = v->f; break;
	default: z = CMPLXL(v->c[0], v->c[1]);
	}
	if (ay_dt_is_complex(o->view.dt)) {
		ay_row_store_lz(o->view.dt, dst, 1, 1, &z);
	} else {
		long double x = creall(z);

		ay_row_store_ld(o->view.dt, dst, 1, 1, &x);
	}
}

void ay_fill_storage_by(const struct ay_call *c, const struct ay_operand *o, void *dst, int threads)
{
	int bytes = ay_dt_info(o->view.dt)->bytes;
	int64_t extent = ay_view_extent(&o->view), n = ay_numel_of(&o->view);
	uint8_t *base = dst;
	struct fillctx f;
	bool logical = true;
	fill_fn fn = NULL;

	if (!o->data)
		fn = start(&f, c, o, &logical);
	if (!logical) {
		make_by(&f, fn, extent, dst, threads);
		return;
	}
	memset(dst, 0, (size_t)(extent * bytes));
	for (int64_t i = 0; i < n; i++) {
		uint8_t *at = base + (o->view.offset + ay_view_at(&o->view, i)) * bytes;

		if (o->data)
			store_datum(o, i, at);
		else
			draw_range(&f, fn, i, i + 1, at);
	}
}

void ay_fill_storage(const struct ay_call *c, const struct ay_operand *o, void *dst)
{
	ay_fill_storage_by(c, o, dst, 1);
}

void ay_fill_one(const struct ay_call *c, const struct ay_operand *o, int64_t position, void *dst)
{
	struct fillctx f;
	int64_t one = 1;
	bool logical;
	fill_fn fn;

	if (o->data) {
		store_datum(o, position, dst);
		return;
	}
	fn = start(&f, c, o, &logical);
	if (!logical && position >= FIRST && repeats(&f))
		position = source_of(&f, position, &one);
	draw_range(&f, fn, position, position + 1, dst);
}

uint64_t ay_operand_bytes(const struct ay_operand *o)
{
	return (uint64_t)ay_view_extent(&o->view) * (uint64_t)ay_dt_info(o->view.dt)->bytes;
}

void ay_fill_call(struct ay_arena *a, struct ay_call *c)
{
	for (int i = 0; i < c->noperand; i++) {
		struct ay_operand *o = c->operand[i];
		size_t bytes = ay_operand_bytes(o),
		       skip = (size_t)(o->view.offset * ay_dt_info(o->view.dt)->bytes);
		uint8_t *storage = ay_alloc(a, bytes + 1);

		o->view.data = storage + skip;
		if (o->role == AY_IN || o->role == AY_INOUT)
			ay_fill_storage(c, o, storage);
		if (o->role == AY_INOUT) {
			uint8_t *old = ay_alloc(a, bytes + 1);

			memcpy(old, storage, bytes);
			o->old.data = old + skip;
		}
	}
}
