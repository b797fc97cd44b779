/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/oracle.h"
#include "base/multiversion.h"
#include "oracle/value_stats.h"
#include "tensor/in_bound.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Elements of all outputs in a range: values, weights and temporaries stay in the L2 cache. */
enum { RANGE = 8192, FEW = 2, TYPICAL = 8 };
/* Below this many elements a second thread costs more than it saves. */
enum { ALONE = 1 << 16 };

static const struct ay_diff no_diff = { .first = -1, .first_skipped = -1, .least = INFINITY, .most = -INFINITY };

static const size_t num_bytes[AY_NUM_COUNT] = { sizeof(double), sizeof(long double), sizeof(double complex),
						sizeof(long double complex) };

/* A sweep over all rows, shared by its threads. */
struct sweep {
	const struct ay_compare *q;
	const struct ay_op *op;
	enum ay_num_type type;
	int nout;
	bool wraps; /* see struct ay_ref */
	struct ay_rowmap *map;
	int64_t rows, end, step;
	_Atomic int64_t next;
	const struct ay_view *const *dst; /* produce; NULL = compare */
	const void *shared;               /* what prepare() made, in the sweep's arena */
	struct ay_diff *diff;
	pthread_mutex_t lock;
};

/* One range of a sweep. */
struct range {
	struct sweep *w;
	struct ay_arena tmp;
	struct ay_ref ref;
	struct ay_diff *diff; /* of this thread */
};

/* --- one element ------------------------------------------------------------------------------ */

static bool flushes(enum ay_dt dt)
{
	return dt == AY_DT_F32 || dt == AY_DT_BF16;
}

AY_WITHIN(within, long double)

bool ay_within(const struct ay_bound *b, long double want, long double got, double mag, long double *bound)
{
	const bool exact = b->exact || mag < 0, integral = ay_dt_is_integral(b->dt);

	*bound = 0;
	if (mag == -INFINITY) /* AY_FREE */
		return true;
	if (isnan(want) || isnan(got) || isinf(want) || (exact && !integral))
		return within(want, got, -1, 0, 0);
	if (exact)
		return want == got;
	if (integral) {
		*bound = b->rounded ? 0.5L + b->k_acc * ay_u_acc(b->dt) * mag : 0;
		return fabsl(got - want) <= *bound;
	}
	if (isinf(mag)) /* of a result near the largest f64; an infinite bound accepts nothing */
		mag = DBL_MAX;
	*bound = AY_BOUND_OF((long double)b->k_out, ay_dt_ulp(b->dt, want), b->k_acc * ay_u_acc(b->dt), mag);
	return within(want, got, *bound, ay_dt_max(b->dt),
		      flushes(b->dt) ? ldexpl(1, ay_dt_info(b->dt)->emin) : 0);
}

static bool same_real(double a, double b)
{
	return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && signbit(a) == signbit(b);
}

bool ay_same_scalar(const struct ay_value *want, const struct ay_value *got)
{
	if (want->kind != got->kind)
		return false;
	switch (want->kind) {
	case AY_V_BOOL: return want->b == got->b;
	case AY_V_INT: return want->i == got->i;
	case AY_V_FLOAT: return same_real(want->f, got->f);
	case AY_V_COMPLEX: return same_real(want->c[0], got->c[0]) && same_real(want->c[1], got->c[1]);
	default: return false;
	}
}

static void note_bad(struct ay_diff *d, int64_t index, bool imag, long double want, long double got,
		     long double bound, double norm)
{
	d->bad++;
	if (d->first < 0 || index < d->first) {
		d->first = index;
		d->want = want;
		d->got = got;
		d->bound = bound;
		d->imag = imag;
	}
	/* rounded TF32 inputs were measured at 2.3 * 2^-11 * norm, truncated ones at 6.1 */
	if (norm > 0 && fabsl(got - want) <= bound + 8 * 0x1p-11 * norm)
		d->fits_tf32++;
}

/* --- one row ---------------------------------------------------------------------------------- */

/* Position of an output's row: n elements, `stride` apart, from `at`. For the flat index of element
 * j see row_index(). */
struct row_range {
	const struct ay_view *v;
	int64_t at, stride, n;
};

static struct row_range line_of(const struct ay_view *v, const struct ay_rowmap *m, int64_t row)
{
	if (m->axis >= 0)
		return (struct row_range){ v, ay_fibre_at(v, m->axis, row), v->stride[m->axis], m->len };
	return (struct row_range){ v, 0, 0, m->len };
}

/* Returns the flat (row-major) index of element j of a row. */
static int64_t row_index(const struct ay_view *v, const struct ay_rowmap *m, int64_t row, int64_t j)
{
	int64_t inner = 1;

	if (m->axis == AY_FLAT)
		return row;
	if (m->axis == AY_WHOLE)
		return j;
	for (int d = m->axis + 1; d < v->ndim; d++)
		inner *= v->shape[d];
	return row / inner * inner * v->shape[m->axis] + j * inner + row % inner;
}

static uint8_t *place(const struct ay_view *v, int64_t at)
{
	return (uint8_t *)v->data + at * ay_dt_info(v->dt)->bytes;
}

static void load_num(enum ay_num_type t, enum ay_dt dt, const void *src, int64_t stride, int64_t n, void *dst)
{
	switch (t) {
	case AY_NUM_D: ay_row_load_d(dt, src, stride, n, dst); break;
	case AY_NUM_LD: ay_row_load_ld(dt, src, stride, n, dst); break;
	case AY_NUM_Z: ay_row_load_z(dt, src, stride, n, dst); break;
	default: ay_row_load_lz(dt, src, stride, n, dst);
	}
}

static void store_num(enum ay_num_type t, enum ay_dt dt, void *dst, int64_t stride, int64_t n, const void *src)
{
	switch (t) {
	case AY_NUM_D: ay_row_store_d(dt, dst, stride, n, src); break;
	case AY_NUM_LD: ay_row_store_ld(dt, dst, stride, n, src); break;
	case AY_NUM_Z: ay_row_store_z(dt, dst, stride, n, src); break;
	default: ay_row_store_lz(dt, dst, stride, n, src);
	}
}

/* Calls fn(memory, stride, n, offset in the range's numbers) for evenly spaced pieces. */
static void each_piece(const struct range *g, int k, const struct ay_view *v,
		       void (*fn)(const struct range *g, int k, uint8_t *at, int64_t stride, int64_t n,
				  int64_t from, void *user),
		       void *user)
{
	const struct ay_rowmap *m = &g->w->map[k];
	int64_t lo = g->ref.lo, hi = g->ref.hi;

	if (m->axis >= 0) {
		for (int64_t row = lo; row < hi; row++) {
			struct row_range l = line_of(v, m, row);

			fn(g, k, place(v, l.at), l.stride, l.n, (row - lo) * m->len, user);
		}
		return;
	}
	/* flat order */
	int64_t from = m->axis == AY_FLAT ? lo : 0, to = m->axis == AY_FLAT ? hi : m->len;
	int64_t step, last = ay_view_even(v, &step);

	for (int64_t i = from; i < to;) {
		int64_t n = last - i % last < to - i ? last - i % last : to - i;

		fn(g, k, place(v, ay_view_at(v, i)), step, n, i - from, user);
		i += n;
	}
}

static void store_piece(const struct range *g, int k, uint8_t *at, int64_t stride, int64_t n, int64_t from,
			void *user)
{
	const struct ay_view *v = user;

	store_num(g->w->type, v->dt, at, stride, n,
		  (uint8_t *)g->ref.val[k] + from * (int64_t)num_bytes[g->w->type]);
}

static void load_piece(const struct range *g, int k, uint8_t *at, int64_t stride, int64_t n, int64_t from,
		       void *user)
{
	load_num(g->w->type, g->w->q->call->out[k]->view.dt, at, stride, n,
		 (uint8_t *)user + from * (int64_t)num_bytes[g->w->type]);
}

/* --- comparing a range ------------------------------------------------------------------------ */

struct range_scan {
	const struct range *g;
	int k;
	struct ay_bound b;
	int parts;
	struct ay_diff *d;
	const void *want, *got;
};

static long double part_of(const struct range_scan *s, const void *nums, int64_t p)
{
	bool wide = s->g->w->type == AY_NUM_LD || s->g->w->type == AY_NUM_LZ;

	return wide ? ((const long double *)nums)[p] : ((const double *)nums)[p];
}

/* Checks number p of the range (a complex element has two), which the fast pass did not accept. */
static void look_closely(const struct range_scan *s, int64_t p)
{
	const struct ay_ref *r = &s->g->ref;
	const struct ay_rowmap *m = &s->g->w->map[s->k];
	const struct ay_compare *q = s->g->w->q;
	int64_t e = p / s->parts, index;
	long double want = part_of(s, s->want, p), got = part_of(s, s->got, p), bound;
	double mag = r->mag[s->k][e];

	if (ay_within(&s->b, want, got, mag, &bound))
		return;
	index = row_index(&q->call->out[s->k]->view, m, r->lo + e / m->len, e % m->len);
	if (q->mask && q->mask(q->mask_user, s->k, index)) {
		s->d->skipped++;
		if (s->d->first_skipped < 0 || index < s->d->first_skipped)
			s->d->first_skipped = index;
		return;
	}
	note_bad(s->d, index, s->parts == 2 && p % 2, want, got, bound, r->norm[s->k][e]);
}

/* Passes every number of the range to the caller. */
static void show_each(const struct range_scan *s, int64_t n)
{
	const struct ay_ref *r = &s->g->ref;
	const struct ay_rowmap *m = &s->g->w->map[s->k];
	const struct ay_compare *q = s->g->w->q;

	for (int64_t p = 0; p < n; p++) {
		const int64_t e = p / s->parts;
		const double mag = r->mag[s->k][e];
		struct ay_element x = { .out = s->k, .imag = p % s->parts };

		x.index = row_index(&q->call->out[s->k]->view, m, r->lo + e / m->len, e % m->len);
		x.want = part_of(s, s->want, p);
		x.got = part_of(s, s->got, p);
		x.right = ay_within(&s->b, x.want, x.got, mag, &x.bound);
		if (mag == -INFINITY) /* AY_FREE */
			x.bound = INFINITY;
		q->each(q->each_user, &x);
	}
}

/* The fast pass accepts most elements, BLOCK of them at once. It accepts a result that is bit for
 * bit what is wanted, or within a lower estimate of its bound: |want| * 2^-mant * k_out <= k_out *
 * ulp. NaNs, zeros of the other sign and all other elements are checked by look_closely. An
 * infinite bound accepts nothing: inf <= inf would accept 7 for infinity. */
enum { BLOCK = 64 };

/* Compares bits, so that a NaN equals the same NaN. */
static inline bool same_double(double w, double g)
{
	uint64_t a, b;

	memcpy(&a, &w, sizeof a);
	memcpy(&b, &g, sizeof b);
	return a == b;
}

static inline bool same_long(long double w, long double g)
{
	return w == g && (w != 0 || signbit(w) == signbit(g));
}

#define SCAN(name, real, is_same, and, or)                                                                      \
	static inline bool name##_doubts(real w, real g, double m, real rel, double per_mag)                    \
	{                                                                                                       \
		const real e = g - w, bound = (w < 0 ? -w : w) * rel + (real)(m * per_mag);                     \
		const bool same = is_same(w, g) and (m == m);                                                   \
                                                                                                                \
		return !(same or                                                                                \
			 ((m >= 0) and (w != 0) and ((e < 0 ? -e : e) <= bound) and (bound < (real)INFINITY))); \
	}                                                                                                       \
                                                                                                                \
	static inline void name##_by(const struct range_scan *s, int64_t n, int shift)                          \
	{                                                                                                       \
		const real *want = s->want, *got = s->got;                                                      \
		const double *mag = s->g->ref.mag[s->k];                                                        \
		const bool exact = s->b.exact || (ay_dt_is_integral(s->b.dt) && !s->b.rounded);                 \
		const real rel = exact ? 0 : (real)(s->b.k_out * ldexp(1, -ay_dt_info(s->b.dt)->mant));         \
		const double per_mag = exact ? 0 : s->b.k_acc * ay_u_acc(s->b.dt);                              \
                                                                                                                \
		for (int64_t lo = 0; lo < n; lo += BLOCK) {                                                     \
			const int64_t hi = lo + BLOCK < n ? lo + BLOCK : n;                                     \
			int64_t doubts = 0;                                                                     \
                                                                                                                \
			for (int64_t p = lo; p < hi; p++)                                                       \
				doubts += name##_doubts(want[p], got[p], mag[p >> shift], rel, per_mag);        \
			for (int64_t p = lo; p < hi && doubts; p++)                                             \
				if (name##_doubts(want[p], got[p], mag[p >> shift], rel, per_mag))              \
					look_closely(s, p);                                                     \
		}                                                                                               \
	}                                                                                                       \
                                                                                                                \
	AY_MULTIVERSION("avx2") static void name(const struct range_scan *s, int64_t n)                         \
	{                                                                                                       \
		if (s->parts == 2)                                                                              \
			name##_by(s, n, 1);                                                                     \
		else                                                                                            \
			name##_by(s, n, 0);                                                                     \
	}
SCAN(scan_double, double, same_double, &, |)    /* no branches: vectors */
SCAN(scan_long, long double, same_long, &&, ||) /* long double has no vectors */

/* Counts zeros and the range of the wanted values. A case whose answer is one constant, or almost
 * only zeros, proves little. */
static void note_wanted(struct range_scan *s, int64_t n)
{
	struct ay_diff *d = s->d;

	for (int64_t p = 0; p < n; p += s->parts) {
		bool nothing = true;

		for (int64_t k = p; k < p + s->parts; k++) {
			long double x = part_of(s, s->want, k);

			nothing &= x == 0 || isnan(x);
			if (x < d->least)
				d->least = x;
			if (x > d->most)
				d->most = x;
		}
		d->zeros += nothing;
	}
}

/* Converts wanted values to what an output can hold: integers wrap, and a bool is "not zero". */
static void wrap_wanted(struct range *g, enum ay_dt dt, int64_t n, void *want)
{
	void *tmp = ay_alloc(&g->tmp, (size_t)n * (size_t)ay_dt_info(dt)->bytes + 1);

	store_num(g->w->type, dt, tmp, 1, n, want);
	load_num(g->w->type, dt, tmp, 1, n, want);
}

static void compare_output(struct range *g, int k)
{
	const struct sweep *w = g->w;
	const struct ay_view *v = &w->q->call->out[k]->view;
	int64_t n = w->map[k].axis == AY_WHOLE ? w->map[k].len : (g->ref.hi - g->ref.lo) * w->map[k].len;
	bool complex_ = w->type >= AY_NUM_Z;
	struct range_scan s = {
		.g = g, .k = k, .parts = complex_ ? 2 : 1, .d = &g->diff[k], .want = g->ref.val[k]
	};
	void *got = ay_alloc_raw(&g->tmp, (size_t)n * num_bytes[w->type]);

	s.b = ay_oracle_bound(w->op, w->q->call, v->dt);
	s.got = got;
	/* integers wrap; a sum of integers that a float dtype does not hold is rounded once */
	if (ay_dt_is_integral(v->dt) ? !s.b.rounded : s.b.k_out == 0)
		wrap_wanted(g, v->dt, n, g->ref.val[k]);
	each_piece(g, k, v, load_piece, got);
	s.d->n += n;
	if (w->q->each)
		show_each(&s, n * s.parts);
	if (w->type == AY_NUM_D || w->type == AY_NUM_Z)
		scan_double(&s, n * s.parts);
	else
		scan_long(&s, n * s.parts);
	if (w->type == AY_NUM_D)
		ay_value_stats_doubles(s.d, s.want, n);
	else
		note_wanted(&s, n * s.parts);
}

/* --- sweeping --------------------------------------------------------------------------------- */

/* Returns true if output k has rows in the range that begins at lo. An output with fewer rows than
 * the others (a scale beside its values) belongs to the first range. */
static bool has_rows(const struct sweep *w, int k, int64_t lo)
{
	return w->map[k].rows == w->rows || lo == 0;
}

static void run_range(struct range *g, int64_t lo, int64_t hi)
{
	struct sweep *w = g->w;
	struct ay_ref *r = &g->ref;

	ay_arena_clear(&g->tmp);
	*r = (struct ay_ref){ .c = w->q->call, .lo = lo, .hi = hi, .tmp = &g->tmp, .shared = w->shared };
	r->acc_bits = w->q->acc_bits;
	r->in_bits = w->q->in_bits;
	r->wraps = w->wraps;
	r->len = AY_NEW_N(&g->tmp, int64_t, w->nout);
	r->val = AY_NEW_N(&g->tmp, void *, w->nout);
	r->mag = AY_NEW_N(&g->tmp, double *, w->nout);
	r->norm = AY_NEW_N(&g->tmp, double *, w->nout);
	for (int k = 0; k < w->nout; k++) {
		int64_t n = has_rows(w, k, lo)
				    ? (w->map[k].rows == w->rows ? hi - lo : w->map[k].rows) * w->map[k].len
				    : 0;

		r->len[k] = n ? w->map[k].len : 0;
		r->val[k] = ay_alloc(&g->tmp, (size_t)n * num_bytes[w->type]);
		r->mag[k] = AY_NEW_N(&g->tmp, double, n);
		r->norm[k] = AY_NEW_N(&g->tmp, double, n);
	}
	w->op->reference(r);
	for (int k = 0; k < w->nout; k++) {
		if (!has_rows(w, k, lo) || !r->len[k])
			continue;
		if (w->map[k].rows != w->rows) /* all rows of this output are in this range */
			r->hi = lo + w->map[k].rows;
		if (w->dst)
			each_piece(g, k, w->dst[k], store_piece, (void *)w->dst[k]);
		else
			compare_output(g, k);
		r->hi = hi;
	}
}

static void merge(struct ay_diff *to, const struct ay_diff *from)
{
	to->n += from->n;
	to->bad += from->bad;
	to->skipped += from->skipped;
	if (from->first_skipped >= 0 && (to->first_skipped < 0 || from->first_skipped < to->first_skipped))
		to->first_skipped = from->first_skipped;
	to->fits_tf32 += from->fits_tf32;
	to->zeros += from->zeros;
	to->least = fminl(to->least, from->least);
	to->most = fmaxl(to->most, from->most);
	if (from->first >= 0 && (to->first < 0 || from->first < to->first)) {
		to->first = from->first;
		to->want = from->want;
		to->got = from->got;
		to->bound = from->bound;
		to->imag = from->imag;
	}
}

static void *work(void *user)
{
	struct sweep *w = user;
	struct range g = { .w = w };
	struct ay_arena keep = { 0 };
	int64_t lo;

	g.diff = AY_NEW_N(&keep, struct ay_diff, w->nout);
	for (int k = 0; k < w->nout; k++)
		g.diff[k] = no_diff;
	while ((lo = atomic_fetch_add(&w->next, w->step)) < w->end)
		run_range(&g, lo, lo + w->step < w->end ? lo + w->step : w->end);
	pthread_mutex_lock(&w->lock);
	for (int k = 0; k < w->nout && w->diff; k++)
		merge(&w->diff[k], &g.diff[k]);
	pthread_mutex_unlock(&w->lock);
	ay_arena_release(&g.tmp);
	ay_arena_release(&keep);
	return NULL;
}

static void map_rows(struct sweep *w, struct ay_arena *a)
{
	int64_t per_row = 0, total = 0;

	w->map = AY_NEW_N(a, struct ay_rowmap, w->nout);
	w->wraps = w->nout > 0;
	for (int k = 0; k < w->nout; k++) {
		const struct ay_view *v = &w->q->call->out[k]->view;

		w->map[k] = (struct ay_rowmap){ ay_numel_of(v), 1, AY_FLAT };
		if (w->op->rows)
			w->op->rows(w->q->call, k, &w->map[k]);
		if (w->map[k].rows > w->rows)
			w->rows = w->map[k].rows;
		w->wraps &= ay_dt_info(v->dt)->cls == AY_CLASS_INT;
		total += ay_numel_of(v);
	}
	for (int k = 0; k < w->nout; k++)
		if (w->map[k].rows == w->rows)
			per_row += w->map[k].len;
	w->step = per_row < RANGE ? RANGE / (per_row ? per_row : 1) : 1;
	if (total < ALONE)
		return;
	/* every thread should get several ranges, so that none waits long for the last one */
	while (w->step > 1 && w->rows / w->step < TYPICAL)
		w->step /= FEW;
}

static void sweep(struct sweep *w)
{
	enum { MAX_THREADS = 64 };
	int64_t total = 0;
	pthread_t t[MAX_THREADS];
	struct ay_arena a = { 0 };
	int n = w->q->threads, started = 0;

	w->nout = w->q->call->nout;
	w->type = ay_call_num_type(w->q->call);
	w->op = w->q->op->op[w->type];
	if (w->op->reference) {
		map_rows(w, &a);
		w->end = w->q->row_hi ? w->q->row_hi : w->rows;
		w->next = w->q->row_lo;
		if (w->op->prepare)
			w->shared = w->op->prepare(&(struct ay_ref){ .c = w->q->call,
								     .tmp = &a,
								     .acc_bits = w->q->acc_bits,
								     .in_bits = w->q->in_bits });
		for (int k = 0; k < w->nout; k++)
			total += w->map[k].rows * w->map[k].len;
		if (total < ALONE || w->end - w->next <= w->step)
			n = 1;
		pthread_mutex_init(&w->lock, NULL);
		for (; started + 1 < n && started < MAX_THREADS; started++)
			if (pthread_create(&t[started], NULL, work, w))
				break;
		work(w);
		while (started)
			pthread_join(t[--started], NULL);
		pthread_mutex_destroy(&w->lock);
	}
	ay_arena_release(&a);
}

int64_t ay_oracle_rows(const struct ay_entry_op *op, const struct ay_call *c)
{
	struct ay_compare q = { .op = op, .call = c };
	struct sweep w = { .q = &q, .nout = c->nout, .op = op->op[ay_call_num_type(c)] };
	struct ay_arena a = { 0 };

	if (w.op->reference)
		map_rows(&w, &a);
	ay_arena_release(&a);
	return w.rows;
}

void ay_oracle_compare(const struct ay_compare *q, struct ay_diff *diff)
{
	struct sweep w = { .q = q, .diff = diff };

	for (int k = 0; k < q->call->nout; k++)
		diff[k] = no_diff;
	sweep(&w);
}

void ay_oracle_produce(const struct ay_compare *q, const struct ay_view *const *dst)
{
	struct sweep w = { .q = q, .dst = dst };

	sweep(&w);
}
