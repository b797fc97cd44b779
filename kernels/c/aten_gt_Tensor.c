/* due: PASS - self > other. Both are taken in the dtype that promotion gives, as they lie or through tiles, and
 * compared by one loop per dtype. */
#include <assay/kernel.h>
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

enum { PIECE = 2048, GRAIN = 16, MAX_THREADS = 64 }; /* numbers, pieces a thread */

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

/* --- lines ----------------------------------------------------------------------------------------------- */

/* line: elements that follow each other in out; a and b go on by step_a and step_b from one to the next. */
struct job {
	const ay_tensor *a, *b, *out;
	int64_t line, step_a, step_b, pieces; /* pieces: of one line */
	int32_t outer;                        /* the dimension that leads from one line to the next */
	ay_dtype dtype;                       /* that they are compared in */
};

/* The stride of t, stretched to out's shape, along out's dimension d. */
static int64_t stride_at(const ay_tensor *t, const ay_tensor *out, int32_t d)
{
	const int32_t k = d - (out->ndim - t->ndim);

	return k >= 0 && t->shape[k] != 1 ? t->strides[k] : 0;
}

/* Where t, stretched to out's shape, has the element with flat index i of out. */
static int64_t stretched_at(const ay_tensor *t, const ay_tensor *out, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = out->ndim - 1; d >= 0; d--) {
		at += i % out->shape[d] * stride_at(t, out, d);
		i /= out->shape[d];
	}
	return at;
}

/* Joins dimensions from the last on for as long as all three tensors go on evenly. */
static void find_lines(struct job *j)
{
	j->line = 1;
	for (j->outer = j->out->ndim - 1; j->outer >= 0; j->outer--) {
		const int64_t a = stride_at(j->a, j->out, j->outer), b = stride_at(j->b, j->out, j->outer);

		if (j->out->shape[j->outer] == 1)
			continue;
		if (j->line == 1) {
			j->step_a = a;
			j->step_b = b;
		}
		if (j->out->strides[j->outer] != j->line || a != j->step_a * j->line || b != j->step_b * j->line)
			break;
		j->line *= j->out->shape[j->outer];
	}
	j->pieces = (j->line + PIECE - 1) / PIECE;
}

/* Where a line begins, and how many there are up to the end of dimension `outer`. */
struct place {
	int64_t a, b, out, left;
};

static struct place place_of(const struct job *j, int64_t line)
{
	const int64_t i = line * j->line, most = j->outer < 0 ? 1 : j->out->shape[j->outer];

	return (struct place){ stretched_at(j->a, j->out, i), stretched_at(j->b, j->out, i), ay_at(j->out, i),
			       most - line % most };
}

/* Where line begins, given where the one before does: mostly one step away. */
static struct place next_place(const struct job *j, int64_t line, struct place p)
{
	if (p.left == 1)
		return place_of(j, line);
	return (struct place){ p.a + stride_at(j->a, j->out, j->outer), p.b + stride_at(j->b, j->out, j->outer),
			       p.out + j->out->strides[j->outer], p.left - 1 };
}

/* --- loops over one dtype -------------------------------------------------------------------------------- */

/* sa and sb: 1, or 0 where all are compared with one number. */
#define LOOP(type, loop)                                                                              \
	static void loop(const void *a, int64_t sa, const void *b, int64_t sb, uint8_t *z, int64_t n) \
	{                                                                                             \
		const type *x = a, *y = b, one = *y;                                                  \
                                                                                                      \
		if (sa && sb)                                                                         \
			for (int64_t i = 0; i < n; i++)                                               \
				z[i] = x[i] > y[i];                                                   \
		else if (sa)                                                                          \
			for (int64_t i = 0; i < n; i++)                                               \
				z[i] = x[i] > one;                                                    \
		else                                                                                  \
			for (int64_t i = 0; i < n; i++)                                               \
				z[i] = *x > y[i * sb];                                                \
	}
LOOP(float, loop_f32)
LOOP(double, loop_f64)
LOOP(int64_t, loop_i64)
LOOP(int32_t, loop_i32)
LOOP(int16_t, loop_i16)
LOOP(int8_t, loop_i8)
LOOP(uint8_t, loop_u8)

typedef void (*loop_fn)(const void *a, int64_t sa, const void *b, int64_t sb, uint8_t *z, int64_t n);

/* Half types are compared as f32, which holds all of their numbers. */
static loop_fn loop_of(int32_t dt)
{
	switch (dt) {
	case AY_F64: return loop_f64;
	case AY_I64: return loop_i64;
	case AY_I32: return loop_i32;
	case AY_I16: return loop_i16;
	case AY_I8: return loop_i8;
	case AY_U8:
	case AY_B8: return loop_u8;
	default: return loop_f32;
	}
}

/* --- the dtype that two are compared in ------------------------------------------------------------------ */

enum category { BOOLS, INTS, FLOATS };

static enum category category_of(ay_dtype d)
{
	return d.code == AY_CODE_BOOL ? BOOLS : d.code == AY_CODE_INT || d.code == AY_CODE_UINT ? INTS : FLOATS;
}

/* PyTorch's promotion of two tensors that both have dimensions, or both have none. */
static ay_dtype promoted(ay_dtype a, ay_dtype b)
{
	const enum category ca = category_of(a), cb = category_of(b);

	if (ca != cb)
		return ca > cb ? a : b;
	if (a.bits == b.bits && a.code != b.code) /* f16 and bf16, i8 and u8 */
		return ca == FLOATS ? (ay_dtype){ AY_CODE_FLOAT, 32, 1 } : (ay_dtype){ AY_CODE_INT, 16, 1 };
	return a.bits >= b.bits ? a : b;
}

/* A number counts less than a tensor without dimensions, and that less than others: only if its kind is higher. */
static ay_dtype common_dtype(const ay_tensor *a, const ay_tensor *b, bool b_is_number)
{
	const int rank_a = 1 + (a->ndim > 0), rank_b = b_is_number ? 0 : 1 + (b->ndim > 0);
	const ay_dtype high = rank_a >= rank_b ? a->dtype : b->dtype;
	ay_dtype low = rank_a >= rank_b ? b->dtype : a->dtype;

	if (b_is_number && category_of(low) >= FLOATS)
		low.bits = 32; /* what it would be alone */
	return rank_a == rank_b || category_of(low) > category_of(high) ? promoted(high, low) : high;
}

/* --- operands as that dtype ------------------------------------------------------------------------------ */

#define ALWAYS inline __attribute__((always_inline)) /* dt is a constant inside */

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef uint16_t halves __attribute__((vector_size(2 * LANES)));
typedef long long packed __attribute__((vector_size(2 * LANES))); /* halves, as instructions have them */

static ALWAYS vec from_halves(int32_t dt, const void *p)
{
	halves h;
	vec v;

	memcpy(&h, p, sizeof h);
	if (dt == AY_BF16)
		return (vec)(__builtin_convertvector(h, words) << 16);
#ifdef AVX
	v = (vec)AVX(cvtph_ps)((packed)h);
#else
	for (int e = 0; e < LANES; e++)
		v[e] = ay_from_f16(h[e]);
#endif
	return v;
}

/* Element `at` of t as element i of dst, which is of dt, or f32 for half types. */
static void convert(const ay_tensor *t, int64_t at, int32_t dt, void *dst, int64_t i)
{
	const double x = ay_read(t, at);
	const float f = ay_dt(t) == AY_I64 ? (float)((const int64_t *)t->data)[at] : (float)x;

	switch (dt) {
	case AY_F64: ((double *)dst)[i] = x; break;
	case AY_F32: ((float *)dst)[i] = f; break;
	case AY_F16: ((float *)dst)[i] = ay_from_f16(ay_to_f16(f)); break;
	case AY_BF16: ((float *)dst)[i] = ay_from_bf16(ay_to_bf16(f)); break;
	case AY_I64: ((int64_t *)dst)[i] = ay_dt(t) == AY_I64 ? ((const int64_t *)t->data)[at] : (int64_t)x; break;
	case AY_I32: ((uint32_t *)dst)[i] = (uint32_t)(int64_t)x; break;
	case AY_I16: ((uint16_t *)dst)[i] = (uint16_t)(int64_t)x; break;
	default: ((uint8_t *)dst)[i] = (uint8_t)(int64_t)x; /* wraps, as 300 does to 44 */
	}
}

/* n elements of t, or one where step is 0: where they lie, or converted. */
static const void *as_dtype(const ay_tensor *t, int64_t at, int64_t step, int32_t dt, void *tile, int64_t n)
{
	const bool half = dt == AY_F16 || dt == AY_BF16;
	const char *p = (const char *)t->data + at * (t->dtype.bits / 8);
	int64_t i = 0;

	if (step == 1 && ay_dt(t) == dt && !half && dt != AY_B8)
		return p;
	for (; step == 1 && half && ay_dt(t) == dt && i + LANES <= n; i += LANES) {
		const vec v = dt == AY_F16 ? from_halves(AY_F16, p + 2 * i) : from_halves(AY_BF16, p + 2 * i);

		memcpy((float *)tile + i, &v, sizeof v);
	}
	for (; i < (step ? n : 1); i++)
		convert(t, at + i * step, dt, tile, i);
	return tile;
}

/* --- all of them ----------------------------------------------------------------------------------------- */

static void gt_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int32_t dt = AY_DT(j->dtype.code, j->dtype.bits);
	_Alignas(64) char tile_a[8 * PIECE], tile_b[8 * PIECE];

	int64_t line = from / j->pieces, first = from % j->pieces * PIECE;
	struct place p = place_of(j, line);

	for (int64_t u = from; u < to; u++) {
		const int64_t n = j->line - first < PIECE ? j->line - first : PIECE;
		const int64_t ia = p.a + first * j->step_a, ib = p.b + first * j->step_b;
		uint8_t *z = (uint8_t *)j->out->data + p.out + first;

		loop_of(dt)(as_dtype(j->a, ia, j->step_a, dt, tile_a, n), j->step_a != 0,
			    as_dtype(j->b, ib, j->step_b, dt, tile_b, n), j->step_b != 0, z, n);
		first += PIECE;
		if (first >= j->line && u + 1 < to) {
			p = next_place(j, ++line, p);
			first = 0;
		}
	}
}

static int gt_all(const ay_tensor *self, const ay_tensor *other, bool number, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(out);
	struct job j = { .a = self, .b = other, .out = out, .dtype = common_dtype(self, other, number) };

	if (ay_is_complex(self) || ay_is_complex(other) || ay_dt(out) != AY_B8)
		return AY_UNSUPPORTED;
	if (!n)
		return AY_OK;
	find_lines(&j);
	share(gt_pieces, &j, n / j.line * j.pieces, 1 + GRAIN * PIECE / (j.line < PIECE ? j.line : PIECE), ctx);
	return AY_OK;
}

/* A number is a tensor without dimensions. */
static ay_tensor tensor_of(ay_scalar *s)
{
	static const ay_dtype kinds[] = { [AY_SCALAR_BOOL] = { AY_CODE_BOOL, 8, 1 },
					  [AY_SCALAR_INT] = { AY_CODE_INT, 64, 1 },
					  [AY_SCALAR_FLOAT] = { AY_CODE_FLOAT, 64, 1 },
					  [AY_SCALAR_COMPLEX] = { AY_CODE_COMPLEX, 128, 1 } };

	return (ay_tensor){ .data = &s->v, .dtype = kinds[s->kind] };
}

int aten_gt_Tensor(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	return gt_all(self, other, false, out, ctx);
}

int aten_gt_Scalar(const ay_tensor *self, ay_scalar other, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = tensor_of(&other);

	return gt_all(self, &t, true, out, ctx);
}
