/* due: PASS - in in vectors for f32, f16 and bf16: the rest of x after quarter turns, and two polynomials. Huge
 * arguments through libm, f64, complex numbers and integers too. */
#include <assay/kernel.h>
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#define AVX(name) _mm512_##name /* the instruction for a whole vec */
enum { LANES = 16 };
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <immintrin.h>
#define AVX(name) _mm256_##name
enum { LANES = 8 };
#else
enum { LANES = 8 };
#endif

enum { PIECE = 4096, GRAIN = 4, LARGE = 16 << 20, MAX_THREADS = 64 }; /* numbers, pieces a thread, bytes */

/* --- threads --------------------------------------------------------------------------------------------- */

struct part {
	void (*work)(const void *job, int64_t from, int64_t to);
	const void *job;
	int64_t from, to;
};

static void *run_part(void *arg)
{
	const struct part *p = arg;

	p->work(p->job, p->from, p->to);
	return NULL;
}

/* work on 0 .. n - 1, shared by threads that have at least `grain` each: to start one takes about 20 us. */
static void share(void (*work)(const void *, int64_t, int64_t), const void *job, int64_t n, int64_t grain,
		  const ay_ctx *ctx)
{
	int64_t k = ctx->threads < MAX_THREADS ? ctx->threads : MAX_THREADS;
	struct part part[MAX_THREADS];
	pthread_t id[MAX_THREADS];
	bool runs[MAX_THREADS] = { false };

	k = n / grain < k ? n / grain : k;
	k = k < 1 ? 1 : k;
	for (int64_t i = k - 1; i >= 0; i--) {
		part[i] = (struct part){ work, job, n * i / k, n * (i + 1) / k };
		runs[i] = i && !pthread_create(&id[i], NULL, run_part, &part[i]);
		if (!runs[i])
			run_part(&part[i]);
	}
	for (int64_t i = 1; i < k; i++)
		if (runs[i])
			pthread_join(id[i], NULL);
}

/* --- LANES numbers --------------------------------------------------------------------------------------- */

#define ALWAYS inline __attribute__((always_inline)) /* dt is a constant inside */

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef uint16_t halves __attribute__((vector_size(2 * LANES)));
typedef long long packed __attribute__((vector_size(2 * LANES))); /* halves, as instructions have them */

static ALWAYS vec load_all(int32_t dt, const void *p)
{
	halves h;
	vec v;

	if (dt == AY_F32) {
		memcpy(&v, p, sizeof v);
		return v;
	}
	memcpy(&h, p, sizeof h);
	if (dt == AY_BF16)
		return (vec)(__builtin_convertvector(h, words) << 16);
#ifdef AVX
	v = (vec)AVX(cvtph_ps)((packed)h);
	__asm__("" : "+v"(v)); /* else clang compares them as f16, one by one */
#else
	for (int e = 0; e < LANES; e++)
		v[e] = ay_from_f16(h[e]);
#endif
	return v;
}

static ALWAYS halves to_halves(int32_t dt, vec v)
{
	const words u = (words)v, nan = (words)(v != v), rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;

	if (dt == AY_BF16)
		return __builtin_convertvector((nan & 0x7fc0) | (~nan & rounded), halves);
#ifdef AVX
	return (halves)AVX(cvtps_ph)(v, _MM_FROUND_TO_NEAREST_INT);
#else
	halves h;

	for (int e = 0; e < LANES; e++)
		h[e] = ay_to_f16(v[e]);
	return h;
#endif
}

/* past: past the caches; p is aligned then. */
static ALWAYS void store_all(int32_t dt, void *p, vec v, bool past)
{
	const halves h = dt == AY_F32 ? (halves){ 0 } : to_halves(dt, v);

#ifdef __clang__
	if (past && dt == AY_F32)
		__builtin_nontemporal_store(v, (vec *)p);
	else if (past)
		__builtin_nontemporal_store(h, (halves *)p);
	else
#endif
		memcpy(p, dt == AY_F32 ? (const void *)&v : &h, dt == AY_F32 ? sizeof v : sizeof h);
	(void)past;
}

/* The first k < LANES numbers; those behind are 0. */
static ALWAYS vec load_some(int32_t dt, const void *p, int64_t k)
{
	vec some = { 0 };

	memcpy(&some, p, (size_t)k * (dt == AY_F32 ? 4 : 2));
	return load_all(dt, &some);
}

static ALWAYS void store_some(int32_t dt, void *p, int64_t k, vec v)
{
	vec some;

	store_all(dt, &some, v, false);
	memcpy(p, &some, (size_t)k * (dt == AY_F32 ? 4 : 2));
}

static ALWAYS vec pick(ints where, vec a, vec b)
{
	return (vec)((where & (ints)a) | (~where & (ints)b));
}

/* sin and cos of r in [-pi/4, pi/4], as minimax polynomials in z = r^2. */
static ALWAYS vec sin_near_0(vec r, vec z)
{
	vec p = z * -1.9515295891e-4f + 8.3321608736e-3f;

	p = p * z - 1.6666654611e-1f;
	return p * z * r + r;
}

static ALWAYS vec cos_near_0(vec z)
{
	vec p = z * 2.443315711809948e-5f - 1.388731625493765e-3f;

	p = p * z + 4.166664568298827e-2f;
	return p * (z * z) - 0.5f * z + 1;
}

#ifdef AVX
enum { FARTHEST = 32768 }; /* k is below 2^15: the third part of pi/2 is enough for it */
#else
enum { FARTHEST = 0 };
#endif

/* x - k pi/2. pi/2 comes in three parts; the first difference is exact and the others are rounded once, so that r
 * is good to its last bits also where it nearly is 0. */
static ALWAYS vec reduce(vec x, vec k)
{
#ifdef AVX
	static const float part[] = { 0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f };

	for (int i = 0; i < 3; i++)
		x = (vec)AVX(fnmadd_ps)(k, AVX(set1_ps)(part[i]), x);
#else
	(void)k; /* not asked: see FARTHEST */
#endif
	return x;
}

static ALWAYS bool any(ints where)
{
#if defined(__AVX512F__)
	return _mm512_test_epi32_mask((__m512i)where, (__m512i)where);
#elif defined(AVX)
	return _mm256_movemask_ps((__m256)where);
#else
	int32_t all = 0;

	for (int e = 0; e < LANES; e++)
		all |= where[e];
	return all;
#endif
}

/* Quarter turn k is a sine or a cosine of the rest, with either sign. */
static ALWAYS vec cos_v(vec x)
{
	const ints far = ~((vec)((words)x & 0x7fffffff) < FARTHEST);
	const vec magic = (vec){ 0 } + 0x1.8p23f, k = pick(far, (vec){ 0 }, x) * 0.636619772f + magic - magic;
	const vec r = reduce(x, k), z = r * r;
	const ints turn = __builtin_convertvector(k, ints) + 1, odd = -(turn & 1);
	vec y = (vec)((ints)pick(odd, cos_near_0(z), sin_near_0(r, z)) ^ (turn >> 1 << 31));

	if (any(far)) /* NaN and infinity too: libm has all bits of pi */
		for (int e = 0; e < LANES; e++)
			y[e] = far[e] ? cosf(x[e]) : y[e];
	return y;
}

/* --- any dtype, any step --------------------------------------------------------------------------------- */

static double complex read_z(const ay_tensor *t, int64_t at)
{
	double complex z = ay_dt(t) == AY_C64    ? ((const float complex *)t->data)[at]
			   : ay_dt(t) == AY_C128 ? ((const double complex *)t->data)[at]
						 : ay_read(t, at);

	return t->flags & AY_CONJ ? conj(z) : z;
}

static void write_z(const ay_tensor *t, int64_t at, double complex z)
{
	if (ay_dt(t) == AY_C64)
		((float complex *)t->data)[at] = (float complex)z;
	else
		((double complex *)t->data)[at] = z;
}

/* Integers become f32 first, each with one rounding. */
static double real_at(const ay_tensor *t, int64_t at)
{
	if (ay_dt(t) == AY_I64)
		return (float)((const int64_t *)t->data)[at];
	return t->dtype.code == AY_CODE_INT ? (float)ay_read(t, at) : ay_read(t, at);
}

static void cos_one(const ay_tensor *self, int64_t from, const ay_tensor *out, int64_t to)
{
	if (ay_is_complex(out))
		write_z(out, to, ccos(read_z(self, from)));
	else
		ay_write(out, to, cos(real_at(self, from)));
}

/* --- all of them ----------------------------------------------------------------------------------------- */

/* line: elements that follow each other in out, and in self lie `step` apart. */
struct job {
	const ay_tensor *self, *out;
	int64_t line, step, pieces; /* pieces: of one line */
	int32_t outer;              /* the dimension that leads from one line to the next */
	bool large;
};

/* Joins dimensions from the last on for as long as both tensors go on evenly. */
static void find_lines(struct job *j)
{
	j->line = j->step = 1;
	for (j->outer = j->out->ndim - 1; j->outer >= 0; j->outer--) {
		const int64_t from = j->self->strides[j->outer], to = j->out->strides[j->outer];

		if (j->out->shape[j->outer] == 1)
			continue;
		if (j->line == 1)
			j->step = from;
		if (to != j->line || from != j->step * j->line)
			break;
		j->line *= j->out->shape[j->outer];
	}
	j->pieces = (j->line + PIECE - 1) / PIECE;
}

/* Where a line begins, and how many there are up to the end of dimension `outer`. */
struct place {
	int64_t self, out, left;
};

static struct place place_of(const struct job *j, int64_t line)
{
	const int64_t most = j->outer < 0 ? 1 : j->out->shape[j->outer];

	return (struct place){ ay_at(j->self, line * j->line), ay_at(j->out, line * j->line), most - line % most };
}

/* Where line begins, given where the one before does: mostly one step away. */
static struct place next_place(const struct job *j, int64_t line, struct place p)
{
	if (p.left == 1)
		return place_of(j, line);
	return (struct place){ p.self + j->self->strides[j->outer], p.out + j->out->strides[j->outer],
			       p.left - 1 };
}

static ALWAYS void cos_run(int32_t dt, const char *x, char *y, int64_t n, bool large)
{
	const int64_t size = dt == AY_F32 ? 4 : 2;
	const bool past = large && (uintptr_t)y % (size_t)(LANES * size) == 0;
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES)
		store_all(dt, y + i * size, cos_v(load_all(dt, x + i * size)), past);
	if (i < n)
		store_some(dt, y + i * size, n - i, cos_v(load_some(dt, x + i * size, n - i)));
}

static void cos_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int32_t dt = j->step == 1 && ay_dt(j->self) == ay_dt(j->out) ? ay_dt(j->out) : 0;
	const int64_t size = j->out->dtype.bits / 8;

	int64_t line = from / j->pieces, first = from % j->pieces * PIECE;
	struct place p = place_of(j, line);

	for (int64_t u = from; u < to; u++) {
		const int64_t n = j->line - first < PIECE ? j->line - first : PIECE;
		const int64_t ix = p.self + first * j->step, iy = p.out + first;
		const char *x = (const char *)j->self->data + ix * size;
		char *y = (char *)j->out->data + iy * size;

		switch (dt) {
		case AY_F32: cos_run(AY_F32, x, y, n, j->large); break;
		case AY_F16: cos_run(AY_F16, x, y, n, j->large); break;
		case AY_BF16: cos_run(AY_BF16, x, y, n, j->large); break;
		default:
			for (int64_t e = 0; e < n; e++)
				cos_one(j->self, ix + e * j->step, j->out, iy + e);
		}
		first += PIECE;
		if (first >= j->line && u + 1 < to) {
			p = next_place(j, ++line, p);
			first = 0;
		}
	}
#ifdef AVX
	_mm_sfence(); /* what went past the caches is there before others are told */
#endif
}

int aten_cos(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(out);
	struct job j = { .self = self, .out = out, .large = n * out->dtype.bits / 8 >= LARGE };

	if (ay_dt(self) == AY_C32 || ay_dt(out) == AY_C32)
		return AY_UNSUPPORTED;
	if (!n)
		return AY_OK;
	find_lines(&j);
	share(cos_pieces, &j, n / j.line * j.pieces, 1 + GRAIN * PIECE / (j.line < PIECE ? j.line : PIECE), ctx);
	return AY_OK;
}
