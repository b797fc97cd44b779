/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products for a kernel in C, of any dtype, strides and stacks of matrices. f32, f16 and bf16 are packed into panels
 * and multiplied in blocks, or in one pass over one matrix where the other has a few rows; sums are f32. f64, integers and
 * complex numbers are multiplied in plain loops.
 *
 * Names: m rows and n columns of the result C, k elements of a dot product. A register tile of C has AY_GEMM_MR rows and
 * AY_GEMM_NR columns: 24 of AVX-512's 32 registers, 12 of AVX2's 16.
 */
#ifndef ASSAY_KERNEL_GEMM_H
#define ASSAY_KERNEL_GEMM_H

#include <assay/kernel_complex.h>
#include <assay/kernel_convert.h>
#include <assay/kernel_simd.h>
#include <assay/kernel_threads.h>
#if defined(__SSE__)
#include <immintrin.h>
#endif

#ifdef __AVX512F__
enum { AY_GEMM_LANES = 16, AY_GEMM_MR = 12 };
#else
enum { AY_GEMM_LANES = 8, AY_GEMM_MR = 6 };
#endif
enum {
	AY_GEMM_NR = 2 * AY_GEMM_LANES,
	AY_GEMM_KC = 256,        /* depth of a panel */
	AY_GEMM_MC = 240,        /* rows of a block of A */
	AY_GEMM_FEW = 4,         /* up to so many rows are multiplied without packing */
	AY_GEMM_SPAN = 4096,     /* elements of a line that are taken at once then */
	AY_GEMM_GRAIN = 8 << 20, /* products of a thread's part */
	AY_GEMM_STACK = 62,      /* dimensions of a stack */
};

#ifdef __clang__
#define AY_GEMM_WIDE __attribute__((min_vector_width(512))) /* clang would halve the vectors */
#else
#define AY_GEMM_WIDE
#endif
typedef float ay_gemm_vec __attribute__((vector_size(AY_GEMM_LANES * sizeof(float)), aligned(4), may_alias));

/* A matrix: element (i, j) is at place `at + i * row + j * col` of t. */
struct ay_matrix {
	const ay_tensor *t;
	int64_t at, row, col;
};

static inline struct ay_matrix ay_transposed(struct ay_matrix x)
{
	return (struct ay_matrix){ x.t, x.at, x.col, x.row };
}

/* Returns n elements of row i from column j on as f32: the tensor's own if they are neighbours, else in buf. */
static inline const float *ay_row_floats(struct ay_matrix x, int64_t i, int64_t j, int64_t n, float *buf)
{
	const int64_t at = x.at + i * x.row + j * x.col;

	if (x.col == 1 && ay_fits_f32(x.t))
		return ay_floats_at(x.t, at, buf, n);
	for (int64_t e = 0; e < n; e++)
		buf[e] = (float)ay_read(x.t, at + e * x.col);
	return buf;
}

static inline void ay_put_row_floats(struct ay_matrix x, int64_t i, const float *src, int64_t n)
{
	const int64_t at = x.at + i * x.row;

	if (x.col == 1 && ay_fits_f32(x.t))
		ay_store_floats(x.t, at, src, n);
	else
		for (int64_t e = 0; e < n; e++)
			ay_write(x.t, at + e * x.col, src[e]);
}

/* --- many rows and columns ------------------------------------------------------------------------------- */

/* C = A * B, A m x k, B k x n, C in floats with rows `ldc` apart. */
struct ay_gemm_block {
	struct ay_matrix a, b;
	float *c;
	int64_t m, n, k, ldc;
};

/* `rows` rows of x from row i on as columns, each number `width` behind the one before. */
static inline void ay_gemm_turn(struct ay_matrix x, int64_t i, int64_t rows, int64_t cols, int width, float *dst)
{
	float buf[AY_GEMM_FEW][AY_GEMM_KC];
	const float *src[AY_GEMM_FEW];
	int64_t j = 0;

	for (int64_t r = 0; r < rows; r++)
		src[r] = ay_row_floats(x, i + r, 0, cols, buf[r]);
#ifdef __SSE__
	for (; rows == AY_GEMM_FEW && j + 4 <= cols; j += 4) {
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
static inline void ay_gemm_pack(struct ay_matrix x, int64_t rows, int64_t cols, int width, float *dst)
{
	float buf[AY_GEMM_NR];

	for (int64_t i = 0; i < rows; i += width, dst += width * cols) {
		const int64_t n = ay_min(rows - i, width);

		if (n < width)
			memset(dst, 0, (size_t)(width * cols) * sizeof *dst);
		if (x.row == 1) {
			for (int64_t j = 0; j < cols; j++) {
				const float *src = ay_row_floats(ay_transposed(x), j, i, n, buf);

				if (n == AY_GEMM_NR)
					memcpy(dst + j * width, src,
					       AY_GEMM_NR * sizeof *dst); /* a few instructions */
				else
					memcpy(dst + j * width, src, (size_t)n * sizeof *dst);
			}
			continue;
		}
		for (int64_t r = 0; r < n; r += AY_GEMM_FEW)
			ay_gemm_turn(x, i + r, ay_min(n - r, AY_GEMM_FEW), cols, width, dst + r);
	}
}

/* A panel of A times a panel of B, to C or added to it. */
AY_GEMM_WIDE static inline void ay_gemm_panels(int64_t k, const float *a, const float *b, float *c, int64_t ldc,
					       bool first)
{
	ay_gemm_vec sum[AY_GEMM_MR][2] = { 0 };

	for (int64_t p = 0; p < k; p++, a += AY_GEMM_MR, b += AY_GEMM_NR) {
		const ay_gemm_vec b0 = *(const ay_gemm_vec *)b, b1 = *(const ay_gemm_vec *)(b + AY_GEMM_LANES);

#pragma GCC unroll 12
		for (int i = 0; i < AY_GEMM_MR; i++) {
			sum[i][0] += a[i] * b0;
			sum[i][1] += a[i] * b1;
		}
	}
#pragma GCC unroll 12
	for (int i = 0; i < AY_GEMM_MR; i++, c += ldc) {
		if (!first) {
			sum[i][0] += *(ay_gemm_vec *)c;
			sum[i][1] += *(ay_gemm_vec *)(c + AY_GEMM_LANES);
		}
		*(ay_gemm_vec *)c = sum[i][0];
		*(ay_gemm_vec *)(c + AY_GEMM_LANES) = sum[i][1];
	}
}

/* A tile at C's edge goes through a buffer. */
static inline void ay_gemm_tile(const struct ay_gemm_block *g, int64_t k, const float *a, const float *b,
				int64_t i0, int64_t j0, bool first)
{
	const int64_t m = ay_min(g->m - i0, AY_GEMM_MR), n = ay_min(g->n - j0, AY_GEMM_NR);
	float *c = g->c + i0 * g->ldc + j0, tile[AY_GEMM_MR * AY_GEMM_NR];

	if (m == AY_GEMM_MR && n == AY_GEMM_NR) {
		ay_gemm_panels(k, a, b, c, g->ldc, first);
		return;
	}
	ay_gemm_panels(k, a, b, tile, AY_GEMM_NR, true);
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++)
			c[i * g->ldc + j] = tile[i * AY_GEMM_NR + j] + (first ? 0 : c[i * g->ldc + j]);
}

/* Panels of B stay in the first cache, blocks of A in the second. */
static inline void ay_gemm_many(const struct ay_gemm_block *g, float *packed)
{
	float *pa = packed, *pb = packed + AY_GEMM_MC * AY_GEMM_KC;

	for (int64_t p = 0; p == 0 || p < g->k; p += AY_GEMM_KC) {
		const int64_t k = ay_min(g->k - p, AY_GEMM_KC);
		struct ay_matrix a = g->a, b = ay_transposed(g->b);

		b.at += p * b.col;
		ay_gemm_pack(b, g->n, k, AY_GEMM_NR, pb);
		a.at += p * a.col;
		for (int64_t i = 0; i < g->m; i += AY_GEMM_MC, a.at += AY_GEMM_MC * a.row) {
			const int64_t rows = ay_min(g->m - i, AY_GEMM_MC);

			ay_gemm_pack(a, rows, k, AY_GEMM_MR, pa);
			for (int64_t j = 0; j < g->n; j += AY_GEMM_NR) {
				for (int64_t r = 0; r < rows; r += AY_GEMM_MR)
					ay_gemm_tile(g, k, pa + r * k, pb + j * k, i + r, j, p == 0);
			}
		}
	}
}

/* --- a few rows ------------------------------------------------------------------------------------------ */

/* c[l] += the dot product of x and line l, for AY_GEMM_FEW lines of dtype dt: several streams are fetched faster than
 * one. */
AY_INLINE void ay_gemm_add_dots(int32_t dt, float *c, const float *x, const char *const *line, int64_t n)
{
	ay_vec sum[AY_GEMM_FEW] = { { 0 } };
	int64_t i = 0;

	for (; i + AY_LANES <= n; i += AY_LANES) {
		const ay_vec v = ay_load_vec(AY_F32, x + i);

#pragma GCC unroll 4
		for (int l = 0; l < AY_GEMM_FEW; l++)
			sum[l] += v * ay_load_vec(dt, line[l] + i * ay_vec_item(dt));
	}
	for (int l = 0; l < AY_GEMM_FEW; l++) {
		float lane[AY_LANES];

		if (i < n)
			sum[l] += ay_load_some(AY_F32, x + i, n - i) *
				  ay_load_some(dt, line[l] + i * ay_vec_item(dt), n - i);
		memcpy(lane, &sum[l], sizeof lane);
		for (int half = AY_LANES / 2; half; half /= 2)
			for (int e = 0; e < half; e++)
				lane[e] += lane[e + half];
		c[l] += lane[0];
	}
}

/* Returns the sum of x[l] * line l, for up to n elements from element i on. */
AY_INLINE ay_vec ay_gemm_scaled(int32_t dt, const float *x, const char *const *line, int64_t i, int64_t n)
{
	const int64_t at = i * ay_vec_item(dt);
	const ay_vec a = x[0] * ay_load_some(dt, line[0] + at, n) + x[1] * ay_load_some(dt, line[1] + at, n);

	return a + (x[2] * ay_load_some(dt, line[2] + at, n) + x[3] * ay_load_some(dt, line[3] + at, n));
}

/* c += x[l] * line l for AY_GEMM_FEW lines of dtype dt. */
AY_INLINE void ay_gemm_add_scaled(int32_t dt, float *c, const float *x, const char *const *line, int64_t n)
{
	int64_t i = 0;

	for (; i + AY_LANES <= n; i += AY_LANES)
		ay_store_vec(AY_F32, c + i, ay_load_vec(AY_F32, c + i) + ay_gemm_scaled(dt, x, line, i, AY_LANES),
			     false);
	if (i < n)
		ay_store_some(AY_F32, c + i,
			      ay_load_some(AY_F32, c + i, n - i) + ay_gemm_scaled(dt, x, line, i, n - i), n - i);
}

/* Multiplies in one pass over B, of dtype dt: rows of C gather rows of B, or are dot products with its columns. x has room
 * for A as f32. Missing lines are zeros. */
AY_INLINE void ay_gemm_few_of(int32_t dt, const struct ay_gemm_block *g, float *x)
{
	static const float zeros[AY_GEMM_SPAN];
	const bool by_columns = g->b.row == 1;
	const int64_t lines = by_columns ? g->n : g->k, length = by_columns ? g->k : g->n;
	const int64_t apart = by_columns ? g->b.col : g->b.row;

	for (int64_t i = 0; i < g->m; i++) {
		const float *row = ay_row_floats(g->a, i, 0, g->k, x + i * g->k);

		memmove(x + i * g->k, row, (size_t)g->k * sizeof *x);
		memset(g->c + i * g->ldc, 0, (size_t)g->n * sizeof *g->c);
	}
	for (int64_t s = 0; s < length; s += AY_GEMM_SPAN) {
		const int64_t n = ay_min(length - s, AY_GEMM_SPAN);

		for (int64_t l = 0; l < lines; l += AY_GEMM_FEW) {
			const int64_t count = ay_min(lines - l, AY_GEMM_FEW);
			const char *line[AY_GEMM_FEW];

			for (int64_t f = 0; f < AY_GEMM_FEW; f++)
				line[f] = f < count
						  ? (const char *)ay_address(g->b.t, g->b.at + (l + f) * apart + s)
						  : (const char *)zeros;
			for (int64_t i = 0; i < g->m; i++) {
				float *c = g->c + i * g->ldc, part[AY_GEMM_FEW] = { 0 };

				if (by_columns) {
					ay_gemm_add_dots(dt, part, x + i * g->k + s, line, n);
					for (int64_t e = 0; e < count; e++)
						c[l + e] += part[e];
				} else {
					memcpy(part, x + i * g->k + l, (size_t)count * sizeof *part);
					ay_gemm_add_scaled(dt, c + s, part, line, n);
				}
			}
		}
	}
}

static inline void ay_gemm_few(const struct ay_gemm_block *g, float *x)
{
	switch (ay_dt(g->b.t)) {
	case AY_F32: ay_gemm_few_of(AY_F32, g, x); break;
	case AY_F16: ay_gemm_few_of(AY_F16, g, x); break;
	default: ay_gemm_few_of(AY_BF16, g, x);
	}
}

/* --- products of any dtype ------------------------------------------------------------------------------- */

/* C = A B + bias for each matrix of a stack. ay_gemm() does it. */
struct ay_gemm {
	struct ay_matrix a, b, c, bias; /* of the first matrix; bias.t NULL: none. All stacks have the same bias */
	int64_t m, n, k;
	int stack_dims; /* a stack is counted over these dimensions; stride 0 broadcasts */
	int64_t stack[AY_GEMM_STACK], stack_a[AY_GEMM_STACK], stack_b[AY_GEMM_STACK], stack_c[AY_GEMM_STACK];
	/* set by ay_gemm */
	int64_t units, cuts, parts, room; /* a unit is one of `cuts` groups of rows or columns of a matrix */
	float *memory;                    /* `room` numbers for each part */
};

/* Moves a, b and c to matrix `index` of the stack. */
static inline void ay_gemm_move(const struct ay_gemm *j, int64_t index, struct ay_matrix *a, struct ay_matrix *b,
				struct ay_matrix *c)
{
	*a = j->a;
	*b = j->b;
	*c = j->c;
	for (int d = j->stack_dims - 1; d >= 0; d--) {
		const int64_t i = index % j->stack[d];

		a->at += i * j->stack_a[d];
		b->at += i * j->stack_b[d];
		c->at += i * j->stack_c[d];
		index /= j->stack[d];
	}
}

static inline void ay_gemm_add_bias(const struct ay_gemm_block *g, struct ay_matrix bias, int64_t at)
{
	float buf[AY_GEMM_SPAN];

	bias.at += at;
	for (int64_t i = 0; i < g->m; i++) {
		for (int64_t s = 0; s < g->n; s += AY_GEMM_SPAN) {
			const int64_t n = ay_min(g->n - s, AY_GEMM_SPAN);
			const float *x = ay_row_floats(bias, i, s, n, buf);

			for (int64_t e = 0; e < n; e++)
				g->c[i * g->ldc + s + e] += x[e];
		}
	}
}

/* Multiplies cut `cut` of one matrix: a group of rows if there are more rows than columns, else of columns. */
static inline void ay_gemm_unit(const struct ay_gemm *j, struct ay_matrix a, struct ay_matrix b,
				struct ay_matrix c, int64_t cut, float *memory)
{
	const bool by_rows = j->m > j->n, direct = c.col == 1 && ay_dt(c.t) == AY_F32;
	const int64_t size = by_rows ? j->m : j->n, step = (size + j->cuts - 1) / j->cuts,
		      from = ay_min(size, cut * step);
	struct ay_gemm_block g = { a, b, NULL, j->m, j->n, j->k, 0 };

	*(by_rows ? &g.m : &g.n) = ay_min(size - from, step);
	g.a.at += by_rows ? from * a.row : 0;
	g.b.at += by_rows ? 0 : from * b.col;
	c.at += from * (by_rows ? c.row : c.col);
	g.ldc = direct ? c.row : g.n;
	g.c = direct ? (float *)c.t->data + c.at : memory;
	memory += direct ? 0 : g.m * g.n;
	if (g.m <= AY_GEMM_FEW && (b.row == 1 || b.col == 1) && ay_fits_f32(b.t))
		ay_gemm_few(&g, memory);
	else
		ay_gemm_many(&g, memory);
	if (j->bias.t)
		ay_gemm_add_bias(&g, j->bias, from * (by_rows ? j->bias.row : j->bias.col));
	for (int64_t i = 0; !direct && i < g.m; i++)
		ay_put_row_floats(c, i, g.c + i * g.ldc, g.n);
}

static inline void ay_gemm_part(const void *job, int64_t t, int64_t end)
{
	const struct ay_gemm *j = (const struct ay_gemm *)job;
	struct ay_matrix a, b, c;

	for (int64_t u = j->units * t / j->parts; u < j->units * end / j->parts; u++) {
		ay_gemm_move(j, u / j->cuts, &a, &b, &c);
		ay_gemm_unit(j, a, b, c, u % j->cuts, j->memory + t * j->room);
	}
}

/* Returns the transposed product: a few columns become a few rows. */
static inline struct ay_gemm ay_gemm_transposed(struct ay_gemm j)
{
	const struct ay_gemm old = j;

	j.a = ay_transposed(old.b);
	j.b = ay_transposed(old.a);
	j.c = ay_transposed(old.c);
	j.bias = ay_transposed(old.bias);
	memcpy(j.stack_a, old.stack_b, sizeof j.stack_a);
	memcpy(j.stack_b, old.stack_a, sizeof j.stack_b);
	j.m = old.n;
	j.n = old.m;
	return j;
}

static inline int ay_gemm_floats(struct ay_gemm j, int64_t stacks, const ay_ctx *ctx)
{
	const int64_t work = stacks * j.m * j.n * j.k;

	if (j.n < j.m && j.n <= AY_GEMM_FEW)
		j = ay_gemm_transposed(j);
	j.parts = ay_thread_count(work * (j.m <= AY_GEMM_FEW ? 8 : 1), AY_GEMM_GRAIN, ctx);
	j.cuts = stacks % j.parts ? j.parts : 1;
	j.units = stacks * j.cuts;
	j.room = (AY_GEMM_MC + j.n + AY_GEMM_NR) * AY_GEMM_KC + j.m * j.n + (j.m <= AY_GEMM_FEW ? j.m * j.k : 0);
	j.memory = (float *)ctx->scratch(ctx, (size_t)(j.parts * j.room) * sizeof *j.memory);
	if (!j.memory)
		return AY_UNSUPPORTED;
	ay_parallel_for(ay_gemm_part, &j, j.parts, 1, ctx);
	return AY_OK;
}

/* The plain loops for one matrix. */
#define AY_GEMM_LOOPS(name, num, read, write)                                                                 \
	static inline void name(const struct ay_gemm *j, struct ay_matrix a, struct ay_matrix b,              \
				struct ay_matrix c)                                                           \
	{                                                                                                     \
		for (int64_t i = 0; i < j->m; i++) {                                                          \
			for (int64_t e = 0; e < j->n; e++) {                                                  \
				num sum = j->bias.t ? read(j->bias.t, i * j->bias.row + e * j->bias.col) : 0; \
                                                                                                              \
				for (int64_t p = 0; p < j->k; p++)                                            \
					sum += read(a.t, a.at + i * a.row + p * a.col) *                      \
					       read(b.t, b.at + p * b.row + e * b.col);                       \
				write(c.t, c.at + i * c.row + e * c.col, sum);                                \
			}                                                                                     \
		}                                                                                             \
	}
AY_GEMM_LOOPS(ay_gemm_double, double, ay_read, ay_write)
AY_GEMM_LOOPS(ay_gemm_int, int64_t, ay_read_int, ay_write_int)
AY_GEMM_LOOPS(ay_gemm_complex, double complex, ay_read_complex, ay_write_complex)
#undef AY_GEMM_LOOPS

/* Computes C = A B + bias. The dtype of C decides how. */
static inline int ay_gemm(struct ay_gemm j, const ay_ctx *ctx)
{
	struct ay_matrix a, b, c;
	int64_t stacks = 1;

	for (int d = 0; d < j.stack_dims; d++)
		stacks *= j.stack[d];
	if (!stacks || !j.m || !j.n)
		return AY_OK;
	if (ay_fits_f32(j.c.t))
		return ay_gemm_floats(j, stacks, ctx);
	for (int64_t s = 0; s < stacks; s++) {
		ay_gemm_move(&j, s, &a, &b, &c);
		(ay_is_complex(c.t)     ? ay_gemm_complex
		 : ay_dt(c.t) == AY_F64 ? ay_gemm_double
					: ay_gemm_int)(&j, a, b, c);
	}
	return AY_OK;
}

#endif
