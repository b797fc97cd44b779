/* due: PASS - the product of two matrices. Floats up to f32: packed and blocked, or one pass over the matrix where the
 * other has a few rows; sums are f32. The rest, f64, integers and complex numbers, in plain loops. */
#include <assay/kernel.h>
#include <complex.h>
#include <pthread.h>
#include <string.h>
#if defined(__SSE__) || defined(__F16C__)
#include <immintrin.h>
#endif

/* A tile has MR x NR numbers: 24 of AVX-512's 32 registers, 12 of AVX2's 16. */
#ifdef __AVX512F__
enum { LANES = 16, MR = 12 };
#else
enum { LANES = 8, MR = 6 };
#endif
enum { NR = 2 * LANES, KC = 256, MC = 240, FEW = 4, SPAN = 4096, GRAIN = 8 << 20, MAX_THREADS = 64 };

#ifdef __clang__
#define WIDE __attribute__((min_vector_width(512))) /* clang would halve the vectors */
#else
#define WIDE
#endif
typedef float vec __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

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

/* --- views ----------------------------------------------------------------------------------------------- */

/* A matrix: element (i, j) lies `at + i * row + j * col` elements behind t's first. */
struct view {
	const ay_tensor *t;
	int64_t at, row, col;
};

static struct view turned(struct view x)
{
	return (struct view){ x.t, x.at, x.col, x.row };
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void halves_to_floats(const uint16_t *src, float *dst, int64_t n)
{
	int64_t i = 0;

#ifdef __F16C__
	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(src + i))));
#endif
	for (; i < n; i++)
		dst[i] = ay_from_f16(src[i]);
}

/* n elements of row i from column j on: where they lie if they are floats in a line, else in buf. */
static const float *floats(struct view x, int64_t i, int64_t j, int64_t n, float *buf)
{
	const int64_t at = x.at + i * x.row + j * x.col;
	const int32_t dt = x.col == 1 ? ay_dt(x.t) : 0;

	if (dt == AY_F32)
		return (const float *)x.t->data + at;
	if (dt == AY_F16)
		halves_to_floats((const uint16_t *)x.t->data + at, buf, n);
	else if (dt == AY_BF16)
		for (int64_t e = 0; e < n; e++)
			buf[e] = ay_from_bf16(((const uint16_t *)x.t->data)[at + e]);
	else
		for (int64_t e = 0; e < n; e++)
			buf[e] = (float)ay_read(x.t, at + e * x.col);
	return buf;
}

/* n floats to row i of x. */
static void put_floats(struct view x, int64_t i, const float *src, int64_t n)
{
	const int64_t at = x.at + i * x.row;
	int64_t e = 0;

#ifdef __F16C__
	for (; x.col == 1 && ay_dt(x.t) == AY_F16 && e + 8 <= n; e += 8)
		_mm_storeu_si128((__m128i *)((uint16_t *)x.t->data + at + e),
				 _mm256_cvtps_ph(_mm256_loadu_ps(src + e), _MM_FROUND_TO_NEAREST_INT));
#endif
	for (; x.col == 1 && ay_dt(x.t) == AY_BF16 && e < n; e++)
		((uint16_t *)x.t->data)[at + e] = ay_to_bf16(src[e]);
	for (; e < n; e++)
		ay_write(x.t, at + e * x.col, src[e]);
}

/* --- many rows and columns ------------------------------------------------------------------------------- */

/* C = A * B, A m x k, B k x n, C in floats with rows `ldc` apart. */
struct gemm {
	struct view a, b;
	float *c;
	int64_t m, n, k, ldc;
};

/* `rows` rows of x from row i on as columns, each number `width` behind the one before. */
static void turn(struct view x, int64_t i, int64_t rows, int64_t cols, int width, float *dst)
{
	float buf[FEW][KC];
	const float *src[FEW];
	int64_t j = 0;

	for (int64_t r = 0; r < rows; r++)
		src[r] = floats(x, i + r, 0, cols, buf[r]);
#ifdef __SSE__
	for (; rows == FEW && j + 4 <= cols; j += 4) {
		__m128 a = _mm_loadu_ps(src[0] + j), b = _mm_loadu_ps(src[1] + j);
		__m128 c = _mm_loadu_ps(src[2] + j), d = _mm_loadu_ps(src[3] + j);

		_MM_TRANSPOSE4_PS(a, b, c, d);
		_mm_storeu_ps(dst + j * width, a);
		_mm_storeu_ps(dst + (j + 1) * width, b);
		_mm_storeu_ps(dst + (j + 2) * width, c);
		_mm_storeu_ps(dst + (j + 3) * width, d);
	}
#endif
	for (; j < cols; j++)
		for (int64_t r = 0; r < rows; r++)
			dst[j * width + r] = src[r][j];
}

/* Rows of x in panels of `width`, one column of a panel behind the other, filled up with zeros. */
static void pack(struct view x, int64_t rows, int64_t cols, int width, float *dst)
{
	float buf[NR];

	for (int64_t i = 0; i < rows; i += width, dst += width * cols) {
		const int64_t n = least(rows - i, width);

		if (n < width)
			memset(dst, 0, (size_t)(width * cols) * sizeof *dst);
		if (x.row == 1) {
			for (int64_t j = 0; j < cols; j++) {
				const float *src = floats(turned(x), j, i, n, buf);

				if (n == NR)
					memcpy(dst + j * width, src, NR * sizeof *dst); /* a few instructions */
				else
					memcpy(dst + j * width, src, (size_t)n * sizeof *dst);
			}
			continue;
		}
		for (int64_t r = 0; r < n; r += FEW)
			turn(x, i + r, least(n - r, FEW), cols, width, dst + r);
	}
}

/* A panel of A times a panel of B, to C or added to it. */
WIDE static void multiply_panels(int64_t k, const float *a, const float *b, float *c, int64_t ldc, bool first)
{
	vec sum[MR][2] = { 0 };

	for (int64_t p = 0; p < k; p++, a += MR, b += NR) {
		const vec b0 = *(const vec *)b, b1 = *(const vec *)(b + LANES);

#pragma GCC unroll 12
		for (int i = 0; i < MR; i++) {
			sum[i][0] += a[i] * b0;
			sum[i][1] += a[i] * b1;
		}
	}
#pragma GCC unroll 12
	for (int i = 0; i < MR; i++, c += ldc) {
		if (!first) {
			sum[i][0] += *(vec *)c;
			sum[i][1] += *(vec *)(c + LANES);
		}
		*(vec *)c = sum[i][0];
		*(vec *)(c + LANES) = sum[i][1];
	}
}

/* A tile at C's edge goes through a buffer. */
static void multiply_tile(const struct gemm *g, int64_t k, const float *a, const float *b, int64_t i0, int64_t j0,
			  bool first)
{
	const int64_t m = least(g->m - i0, MR), n = least(g->n - j0, NR);
	float *c = g->c + i0 * g->ldc + j0, tile[MR * NR];

	if (m == MR && n == NR) {
		multiply_panels(k, a, b, c, g->ldc, first);
		return;
	}
	multiply_panels(k, a, b, tile, NR, true);
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++)
			c[i * g->ldc + j] = tile[i * NR + j] + (first ? 0 : c[i * g->ldc + j]);
}

/* Panels of B stay in the first cache, blocks of A in the second. */
static void multiply_many(const struct gemm *g, float *packed)
{
	float *pa = packed, *pb = packed + MC * KC;

	for (int64_t p = 0; p == 0 || p < g->k; p += KC) {
		const int64_t k = least(g->k - p, KC);
		struct view a = g->a, b = turned(g->b);

		b.at += p * b.col;
		pack(b, g->n, k, NR, pb);
		a.at += p * a.col;
		for (int64_t i = 0; i < g->m; i += MC, a.at += MC * a.row) {
			const int64_t rows = least(g->m - i, MC);

			pack(a, rows, k, MR, pa);
			for (int64_t j = 0; j < g->n; j += NR) {
				for (int64_t r = 0; r < rows; r += MR)
					multiply_tile(g, k, pa + r * k, pb + j * k, i + r, j, p == 0);
			}
		}
	}
}

/* --- a few rows ------------------------------------------------------------------------------------------ */

/* c[l] += x * y[l] for FEW lines y: several streams are fetched faster than one. */
WIDE static void add_dots(float *c, const float *x, const float *const *y, int64_t n)
{
	vec sum[FEW] = { 0 };
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		const vec v = *(const vec *)(x + i);

#pragma GCC unroll 4
		for (int l = 0; l < FEW; l++)
			sum[l] += v * *(const vec *)(y[l] + i);
	}
	for (int l = 0; l < FEW; l++) {
		float lane[LANES];

		memcpy(lane, &sum[l], sizeof lane);
		for (int half = LANES / 2; half; half /= 2)
			for (int e = 0; e < half; e++)
				lane[e] += lane[e + half];
		for (int64_t e = i; e < n; e++)
			lane[0] += x[e] * y[l][e];
		c[l] += lane[0];
	}
}

/* sum += x[l] * y[l] for FEW lines y. */
static void add_scaled(float *restrict sum, const float *x, const float *const *y, int64_t n)
{
	const float *restrict y0 = y[0], *restrict y1 = y[1], *restrict y2 = y[2], *restrict y3 = y[3];
	const float x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];

	for (int64_t i = 0; i < n; i++)
		sum[i] += x0 * y0[i] + x1 * y1[i] + (x2 * y2[i] + x3 * y3[i]);
}

/* FEW lines of B from line l on, those that are missing as zeros. */
static void get_lines(struct view b, int64_t l, int64_t lines, int64_t s, int64_t n, float (*buf)[SPAN],
		      const float **y)
{
	for (int64_t f = 0; f < FEW; f++) {
		y[f] = buf[f];
		if (l + f < lines)
			y[f] = floats(b, l + f, s, n, buf[f]);
		else
			memset(buf[f], 0, (size_t)n * sizeof *buf[f]);
	}
}

/* One pass over B: rows of C gather rows of B, or are dot products with its columns. x: room for A. */
static void multiply_few(const struct gemm *g, float *x)
{
	const bool by_columns = g->b.row == 1;
	const int64_t lines = by_columns ? g->n : g->k, length = by_columns ? g->k : g->n;
	const float *y[FEW];
	float buf[FEW][SPAN];

	for (int64_t i = 0; i < g->m; i++) {
		const float *row = floats(g->a, i, 0, g->k, x + i * g->k);

		memmove(x + i * g->k, row, (size_t)g->k * sizeof *x);
		memset(g->c + i * g->ldc, 0, (size_t)g->n * sizeof *g->c);
	}
	for (int64_t s = 0; s < length; s += SPAN) {
		const int64_t n = least(length - s, SPAN);

		for (int64_t l = 0; l < lines; l += FEW) {
			const int64_t count = least(lines - l, FEW);

			get_lines(by_columns ? turned(g->b) : g->b, l, lines, s, n, buf, y);
			for (int64_t i = 0; i < g->m; i++) {
				float *c = g->c + i * g->ldc, part[FEW] = { 0 };

				if (by_columns) {
					add_dots(part, x + i * g->k + s, y, n);
					for (int64_t e = 0; e < count; e++)
						c[l + e] += part[e];
				} else {
					memcpy(part, x + i * g->k + l, (size_t)count * sizeof *part);
					add_scaled(c + s, part, y, n);
				}
			}
		}
	}
}

/* --- floats up to f32 ------------------------------------------------------------------------------------ */

struct job {
	struct view a, b, c;               /* of matrix 0 */
	int64_t apart_a, apart_b, apart_c; /* from a matrix of a stack to the next */
	int64_t m, n, k;
	int64_t units, cuts, parts, room; /* a unit is one of `cuts` groups of rows or columns of a matrix */
	float *memory;
};

static void multiply_unit(const struct job *j, struct view a, struct view b, struct view c, int64_t cut,
			  float *memory)
{
	const bool by_rows = j->m > j->n, direct = c.col == 1 && ay_dt(c.t) == AY_F32;
	const int64_t size = by_rows ? j->m : j->n, step = (size + j->cuts - 1) / j->cuts,
		      from = least(size, cut * step);
	struct gemm g = { a, b, NULL, j->m, j->n, j->k, 0 };

	*(by_rows ? &g.m : &g.n) = least(size - from, step);
	g.a.at += by_rows ? from * a.row : 0;
	g.b.at += by_rows ? 0 : from * b.col;
	c.at += from * (by_rows ? c.row : c.col);
	g.ldc = direct ? c.row : g.n;
	g.c = direct ? (float *)c.t->data + c.at : memory;
	memory += direct ? 0 : g.m * g.n;
	if (g.m <= FEW && (b.row == 1 || b.col == 1))
		multiply_few(&g, memory);
	else
		multiply_many(&g, memory);
	for (int64_t i = 0; !direct && i < g.m; i++)
		put_floats(c, i, g.c + i * g.ldc, g.n);
}

static void multiply_part(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;

	for (int64_t u = j->units * t / j->parts; u < j->units * end / j->parts; u++) {
		struct view a = j->a, b = j->b, c = j->c;

		a.at += u / j->cuts * j->apart_a;
		b.at += u / j->cuts * j->apart_b;
		c.at += u / j->cuts * j->apart_c;
		multiply_unit(j, a, b, c, u % j->cuts, j->memory + t * j->room);
	}
}

/* A few columns are a few rows of the transposed product. */
static struct job turned_job(struct job j)
{
	const struct job old = j;

	j.a = turned(old.b);
	j.b = turned(old.a);
	j.c = turned(old.c);
	j.apart_a = old.apart_b;
	j.apart_b = old.apart_a;
	j.m = old.n;
	j.n = old.m;
	return j;
}

static int multiply_floats(struct job j, int64_t stacks, const ay_ctx *ctx)
{
	const int64_t work = stacks * j.m * j.n * j.k;

	if (j.n < j.m && j.n <= FEW)
		j = turned_job(j);
	j.parts = least(ctx->threads, 1 + work * (j.m <= FEW ? 8 : 1) / GRAIN);
	j.cuts = stacks % j.parts ? j.parts : 1;
	j.units = stacks * j.cuts;
	j.room = (MC + j.n + NR) * KC + j.m * j.n + (j.m <= FEW ? j.m * j.k : 0);
	j.memory = ctx->scratch(ctx, (size_t)(j.parts * j.room) * sizeof *j.memory);
	if (!j.memory)
		return AY_UNSUPPORTED;
	share(multiply_part, &j, j.parts, 1, ctx);
	return AY_OK;
}

/* --- the rest -------------------------------------------------------------------------------------------- */

static double complex read_z(const ay_tensor *t, int64_t at)
{
	double complex z = ay_dt(t) == AY_C64 ? ((const float complex *)t->data)[at]
					      : ((const double complex *)t->data)[at];

	return t->flags & AY_CONJ ? conj(z) : z;
}

static void write_z(const ay_tensor *t, int64_t at, double complex z)
{
	if (ay_dt(t) == AY_C64)
		((float complex *)t->data)[at] = (float complex)z;
	else
		((double complex *)t->data)[at] = z;
}

static int64_t read_i(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const int64_t *)t->data)[at] : (int64_t)ay_read(t, at);
}

static void write_i(const ay_tensor *t, int64_t at, int64_t x)
{
	if (ay_dt(t) == AY_I64)
		((int64_t *)t->data)[at] = x;
	else
		ay_write(t, at, (double)x);
}

#define MULTIPLY(name, num, read, write)                                                       \
	static void name(const struct job *j, int64_t a, int64_t b, int64_t c)                 \
	{                                                                                      \
		for (int64_t i = 0; i < j->m; i++) {                                           \
			for (int64_t e = 0; e < j->n; e++) {                                   \
				num sum = 0;                                                   \
                                                                                               \
				for (int64_t p = 0; p < j->k; p++)                             \
					sum += read(j->a.t, a + i * j->a.row + p * j->a.col) * \
					       read(j->b.t, b + p * j->b.row + e * j->b.col);  \
				write(j->c.t, c + i * j->c.row + e * j->c.col, sum);           \
			}                                                                      \
		}                                                                              \
	}
MULTIPLY(multiply_d, double, ay_read, ay_write)
MULTIPLY(multiply_i, int64_t, read_i, write_i)
MULTIPLY(multiply_z, double complex, read_z, write_z)

/* --- the operator ---------------------------------------------------------------------------------------- */

int aten_mm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	struct job j = { .m = self->shape[0], .n = mat2->shape[1], .k = mat2->shape[0] };

	j.a = (struct view){ self, 0, self->strides[0], self->strides[1] };
	j.b = (struct view){ mat2, 0, mat2->strides[0], mat2->strides[1] };
	j.c = (struct view){ out, 0, out->strides[0], out->strides[1] };
	if (!ay_numel(out))
		return AY_OK;
	if (ay_dt(out) == AY_F32 || ay_dt(out) == AY_F16 || ay_dt(out) == AY_BF16)
		return multiply_floats(j, 1, ctx);
	(ay_is_complex(out) ? multiply_z : ay_dt(out) == AY_F64 ? multiply_d : multiply_i)(&j, 0, 0, 0);
	return AY_OK;
}

int aten_mm_dtype(const ay_tensor *self, const ay_tensor *mat2, int32_t out_dtype, ay_tensor *out,
		  const ay_ctx *ctx)
{
	(void)out_dtype; /* out has it */
	return aten_mm(self, mat2, out, ctx);
}
