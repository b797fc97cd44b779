/* due: PASS - self / other, also in place. Quotients in vectors of f32 where the dtypes are f32, f16 or bf16 and lines are dense
 * or one repeated number, whose reciprocal is multiplied. Rounding modes and the rest element by element:
 * integers as such, floats and complex numbers in double. */
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

enum { PIECE = 4096, GRAIN = 16, LARGE = 16 << 20, MAX_THREADS = 64 }; /* numbers, pieces a thread, bytes */

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

enum mode { QUOTIENT, TRUNC, FLOOR };

static enum mode mode_of(const char *rounding_mode)
{
	return !rounding_mode ? QUOTIENT : strcmp(rounding_mode, "floor") ? TRUNC : FLOOR;
}

/* --- lines ----------------------------------------------------------------------------------------------- */

/* line: elements that follow each other in out; a and b go on by step_a and step_b from one to the next. */
struct job {
	const ay_tensor *a, *b, *out;
	int64_t line, step_a, step_b, pieces; /* pieces: of one line */
	int32_t outer;                        /* the dimension that leads from one line to the next */
	enum mode mode;
	bool large;
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

static uint64_t read_int(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const uint64_t *)t->data)[at] : (uint64_t)(int64_t)ay_read(t, at);
}

static void write_int(const ay_tensor *t, int64_t at, uint64_t x)
{
	switch (ay_dt(t)) {
	case AY_I64: ((uint64_t *)t->data)[at] = x; break;
	case AY_I32: ((uint32_t *)t->data)[at] = (uint32_t)x; break;
	case AY_I16: ((uint16_t *)t->data)[at] = (uint16_t)x; break;
	case AY_B8: ((uint8_t *)t->data)[at] = x != 0; break;
	default: ((uint8_t *)t->data)[at] = (uint8_t)x;
	}
}

static bool is_float(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_FLOAT || t->dtype.code == AY_CODE_BFLOAT;
}

/* The smallest integer over -1 wraps; what is over 0 nobody promises. */
static uint64_t int_quotient(int64_t x, int64_t y, bool floors)
{
	if (y == 0 || y == -1)
		return 0 - (uint64_t)x;
	return (uint64_t)(x / y - (floors && x % y && (x < 0) != (y < 0)));
}

/* From the remainder, which is exact: a rounded quotient may reach the next integer. */
static double floor_quotient(double x, double y)
{
	const double rest = fmod(x, y);

	if (y == 0)
		return x / y;
	return round((x - rest) / y) - (rest != 0 && (rest < 0) != (y < 0));
}

/* A number is one of out's dtype, or of f32 beside half types. */
static double number_at(const struct job *j, const ay_tensor *t, int64_t at)
{
	return ay_dt(j->out) == AY_F64 ? ay_read(t, at) : (float)ay_read(t, at);
}

static void div_one(const struct job *j, int64_t ia, int64_t ib, int64_t io)
{
	if (ay_is_complex(j->out)) {
		write_z(j->out, io, read_z(j->a, ia) / read_z(j->b, ib));
	} else if (!is_float(j->out)) {
		write_int(
			j->out, io,
			int_quotient((int64_t)read_int(j->a, ia), (int64_t)read_int(j->b, ib), j->mode == FLOOR));
	} else {
		const double x = number_at(j, j->a, ia), y = number_at(j, j->b, ib);

		ay_write(j->out, io,
			 j->mode == FLOOR   ? floor_quotient(x, y)
			 : j->mode == TRUNC ? trunc(x / y)
					    : x / y);
	}
}

/* --- all of them ----------------------------------------------------------------------------------------- */

/* An operand along a line: numbers that follow each other, or (more is NULL) one for all. */
struct operand {
	const char *more;
	vec same;
};

static struct operand operand_at(const ay_tensor *t, int64_t at, int64_t step)
{
	return (struct operand){ step ? (const char *)t->data + at * (t->dtype.bits / 8) : NULL,
				 (vec){ 0 } + (step ? 0 : (float)ay_read(t, at)) };
}

static ALWAYS void div_run(int32_t dt, struct operand a, struct operand b, char *out, int64_t n,
			   const struct job *j)
{
	const int64_t size = dt == AY_F32 ? 4 : 2;
	const bool past = j->large && (uintptr_t)out % (size_t)(LANES * size) == 0;
	const float one_over_b = b.more ? 0 : 1 / b.same[0], size_b = one_over_b < 0 ? -one_over_b : one_over_b;
	const bool times = !b.more && size_b >= 0x1p-126f && size_b <= 0x1p126f;
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		const vec x = a.more ? load_all(dt, a.more + i * size) : a.same;
		const vec y = b.more ? load_all(dt, b.more + i * size) : b.same;

		store_all(dt, out + i * size, times ? x * one_over_b : x / y, past);
	}
	if (i < n) {
		const vec x = a.more ? load_some(dt, a.more + i * size, n - i) : a.same;
		const vec y = b.more ? load_some(dt, b.more + i * size, n - i) : b.same;

		store_some(dt, out + i * size, n - i, times ? x * one_over_b : x / y);
	}
}

/* Does the operand go through a line as a vector of dt does, or is it a real number? */
static bool is_even(const ay_tensor *t, int64_t step, int32_t dt)
{
	return step ? step == 1 && ay_dt(t) == dt : !ay_is_complex(t);
}

static void div_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int32_t out_dt = ay_dt(j->out);
	const bool even = is_even(j->a, j->step_a, out_dt) && is_even(j->b, j->step_b, out_dt) &&
			  j->mode == QUOTIENT;

	int64_t line = from / j->pieces, first = from % j->pieces * PIECE;
	struct place p = place_of(j, line);

	for (int64_t u = from; u < to; u++) {
		const int64_t n = j->line - first < PIECE ? j->line - first : PIECE;
		const int64_t ia = p.a + first * j->step_a, ib = p.b + first * j->step_b, io = p.out + first;
		const struct operand a = operand_at(j->a, ia, j->step_a), b = operand_at(j->b, ib, j->step_b);
		char *out = (char *)j->out->data + io * (j->out->dtype.bits / 8);

		switch (even ? out_dt : 0) {
		case AY_F32: div_run(AY_F32, a, b, out, n, j); break;
		case AY_F16: div_run(AY_F16, a, b, out, n, j); break;
		case AY_BF16: div_run(AY_BF16, a, b, out, n, j); break;
		default:
			for (int64_t e = 0; e < n; e++)
				div_one(j, ia + e * j->step_a, ib + e * j->step_b, io + e);
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

static int div_all(struct job j, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(j.out);

	if (ay_dt(j.a) == AY_C32 || ay_dt(j.b) == AY_C32 || ay_dt(j.out) == AY_C32)
		return AY_UNSUPPORTED;
	if (!n)
		return AY_OK;
	j.large = n * j.out->dtype.bits / 8 >= LARGE;
	find_lines(&j);
	share(div_pieces, &j, n / j.line * j.pieces, 1 + GRAIN * PIECE / (j.line < PIECE ? j.line : PIECE), ctx);
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

int aten_div_Tensor(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	return div_all((struct job){ .a = self, .b = other, .out = out }, ctx);
}

int aten_div_Tensor_mode(const ay_tensor *self, const ay_tensor *other, const char *rounding_mode, ay_tensor *out,
			 const ay_ctx *ctx)
{
	return div_all((struct job){ .a = self, .b = other, .out = out, .mode = mode_of(rounding_mode) }, ctx);
}

int aten_div_Scalar(const ay_tensor *self, ay_scalar other, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = tensor_of(&other);

	return div_all((struct job){ .a = self, .b = &t, .out = out }, ctx);
}

int aten_div_Scalar_mode(const ay_tensor *self, ay_scalar other, const char *rounding_mode, ay_tensor *out,
			 const ay_ctx *ctx)
{
	const ay_tensor t = tensor_of(&other);

	return div_all((struct job){ .a = self, .b = &t, .out = out, .mode = mode_of(rounding_mode) }, ctx);
}

int aten_div__Tensor(ay_tensor *self, const ay_tensor *other, const ay_ctx *ctx)
{
	return div_all((struct job){ .a = self, .b = other, .out = self }, ctx);
}

int aten_div__Tensor_mode(ay_tensor *self, const ay_tensor *other, const char *rounding_mode, const ay_ctx *ctx)
{
	return div_all((struct job){ .a = self, .b = other, .out = self, .mode = mode_of(rounding_mode) }, ctx);
}

int aten_div__Scalar(ay_tensor *self, ay_scalar other, const ay_ctx *ctx)
{
	const ay_tensor t = tensor_of(&other);

	return div_all((struct job){ .a = self, .b = &t, .out = self }, ctx);
}

int aten_div__Scalar_mode(ay_tensor *self, ay_scalar other, const char *rounding_mode, const ay_ctx *ctx)
{
	const ay_tensor t = tensor_of(&other);

	return div_all((struct job){ .a = self, .b = &t, .out = self, .mode = mode_of(rounding_mode) }, ctx);
}
