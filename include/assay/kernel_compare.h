/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons for a kernel in C: both inputs are taken in the dtype that PyTorch's promotion gives, as they lie or through
 * tiles, and compared by one loop for each dtype. AY_COMPARE_LOOPS(name, op) defines the loops of one operator, and
 * ay_compare() runs them:
 *
 *	AY_COMPARE_LOOPS(gt, >)
 *	int aten_gt_Tensor(...) { return ay_compare(self, other, false, out, &gt_loops, ctx); }
 */
#ifndef ASSAY_KERNEL_COMPARE_H
#define ASSAY_KERNEL_COMPARE_H

#include <assay/kernel_complex.h>
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

enum { AY_COMPARE_PIECE = 2048, AY_COMPARE_GRAIN = 16 };

/* --- promotion ------------------------------------------------------------------------------------------- */

enum ay_category { AY_BOOLS, AY_INTS, AY_FLOATS, AY_COMPLEX };

static inline enum ay_category ay_category_of(ay_dtype d)
{
	return d.code == AY_CODE_BOOL                            ? AY_BOOLS
	       : d.code == AY_CODE_INT || d.code == AY_CODE_UINT ? AY_INTS
	       : d.code == AY_CODE_COMPLEX                       ? AY_COMPLEX
								 : AY_FLOATS;
}

/* Returns true if d is made of f64. */
static inline bool ay_is_wide(ay_dtype d)
{
	return d.bits == (ay_category_of(d) == AY_COMPLEX ? 128 : ay_category_of(d) == AY_FLOATS ? 64 : 0);
}

/* Returns PyTorch's promotion of two tensors that both have dimensions, or both have none. */
static inline ay_dtype ay_promote_dtypes(ay_dtype a, ay_dtype b)
{
	const enum ay_category ca = ay_category_of(a), cb = ay_category_of(b);

	if (ca == AY_COMPLEX || cb == AY_COMPLEX)
		return (ay_dtype){ AY_CODE_COMPLEX, ay_is_wide(a) || ay_is_wide(b) ? 128 : 64, 1 };
	if (ca != cb)
		return ca > cb ? a : b;
	if (a.bits == b.bits && a.code != b.code) /* f16 and bf16, i8 and u8 */
		return ca == AY_FLOATS ? (ay_dtype){ AY_CODE_FLOAT, 32, 1 } : (ay_dtype){ AY_CODE_INT, 16, 1 };
	return a.bits >= b.bits ? a : b;
}

/* Returns PyTorch's promotion of two tensors. A number counts less than a tensor without dimensions, and that less than
 * others: it changes the dtype only if its category is higher. */
static inline ay_dtype ay_promote(const ay_tensor *a, const ay_tensor *b, bool b_is_number)
{
	const int rank_a = 1 + (a->ndim > 0), rank_b = b_is_number ? 0 : 1 + (b->ndim > 0);
	const ay_dtype high = rank_a >= rank_b ? a->dtype : b->dtype;
	ay_dtype low = rank_a >= rank_b ? b->dtype : a->dtype;

	if (b_is_number && ay_category_of(low) >= AY_FLOATS)
		low.bits /= 2; /* f32 and c64 are what it would be alone */
	return rank_a == rank_b || ay_category_of(low) > ay_category_of(high) ? ay_promote_dtypes(high, low)
									      : high;
}

/* --- inputs in that dtype -------------------------------------------------------------------------------- */

/* Converts the element at `at` to element i of dst, which is of dt, or of f32 for half types. */
static inline void ay_convert_promoted(const ay_tensor *t, int64_t at, ay_dtype d, void *dst, int64_t i)
{
	const int32_t dt = AY_DT(d.code, d.bits);
	const ay_tensor to = { .data = dst, .dtype = d };

	if (dt == AY_F16 || dt == AY_BF16) {
		const float f = ay_dt(t) == AY_I64 ? (float)ay_read_int(t, at) : (float)ay_read(t, at);

		((float *)dst)[i] = (float)ay_round_to(&to, f);
	} else if (dt == AY_B8 || (ay_category_of(d) == AY_INTS && !ay_is_integral(t))) {
		ay_write_int(&to, i, (int64_t)ay_read(t, at)); /* wraps, as 300 does to 44 */
	} else {
		ay_convert(t, at, &to, i);
	}
}

/* Returns n elements of t from place `at` on, or one where step is 0: where they lie, or converted into tile. */
static inline const void *ay_promoted_at(const ay_tensor *t, int64_t at, int64_t step, ay_dtype d, void *tile,
					 int64_t n)
{
	const int32_t dt = AY_DT(d.code, d.bits);
	const bool half = dt == AY_F16 || dt == AY_BF16;

	if (step == 1 && ay_dt(t) == dt && dt != AY_B8)
		return half ? ay_floats_at(t, at, (float *)tile, n) : (const float *)ay_address(t, at);
	for (int64_t i = 0; i < (step ? n : 1); i++)
		ay_convert_promoted(t, at + i * step, d, tile, i);
	return tile;
}

/* --- comparing ------------------------------------------------------------------------------------------- */

/* z[i] = a[i * step_a] op b[i * step_b], steps 1 or 0. */
typedef void ay_compare_fn(const void *a, int64_t step_a, const void *b, int64_t step_b, uint8_t *z, int64_t n);

struct ay_compare_loops {
	ay_compare_fn *f32, *f64, *i64, *i32, *i16, *i8, *u8;
};

#define AY_COMPARE_LOOP(name, op, type)                                                                   \
	static inline void name(const void *a, int64_t step_a, const void *b, int64_t step_b, uint8_t *z, \
				int64_t n)                                                                \
	{                                                                                                 \
		const type *x = (const type *)a, *y = (const type *)b, one = *y;                          \
                                                                                                          \
		if (step_a && step_b)                                                                     \
			for (int64_t i = 0; i < n; i++)                                                   \
				z[i] = x[i] op y[i];                                                      \
		else if (step_a)                                                                          \
			for (int64_t i = 0; i < n; i++)                                                   \
				z[i] = x[i] op one;                                                       \
		else                                                                                      \
			for (int64_t i = 0; i < n; i++)                                                   \
				z[i] = *x op y[i * step_b];                                               \
	}

#define AY_COMPARE_LOOPS(name, op)                                                                            \
	AY_COMPARE_LOOP(name##_f32, op, float)                                                                \
	AY_COMPARE_LOOP(name##_f64, op, double)                                                               \
	AY_COMPARE_LOOP(name##_i64, op, int64_t)                                                              \
	AY_COMPARE_LOOP(name##_i32, op, int32_t)                                                              \
	AY_COMPARE_LOOP(name##_i16, op, int16_t)                                                              \
	AY_COMPARE_LOOP(name##_i8, op, int8_t)                                                                \
	AY_COMPARE_LOOP(name##_u8, op, uint8_t)                                                               \
	static const struct ay_compare_loops name##_loops = { name##_f32, name##_f64, name##_i64, name##_i32, \
							      name##_i16, name##_i8,  name##_u8 };

/* Half types are compared as f32, which holds all of their numbers. */
static inline ay_compare_fn *ay_compare_loop(const struct ay_compare_loops *l, ay_dtype d)
{
	switch (AY_DT(d.code, d.bits)) {
	case AY_F64: return l->f64;
	case AY_I64: return l->i64;
	case AY_I32: return l->i32;
	case AY_I16: return l->i16;
	case AY_I8: return l->i8;
	case AY_U8:
	case AY_B8: return l->u8;
	default: return l->f32;
	}
}

struct ay_comparison {
	const ay_tensor *out, *in[2];
	const struct ay_compare_loops *loops;
	ay_dtype dtype;
	struct ay_lines lines;
};

/* Complex numbers are compared for equality, both rounded to f32 where that is the dtype of their parts. */
static inline bool ay_equal_complex(const struct ay_comparison *j, int64_t a, int64_t b)
{
	const double complex x = ay_read_complex(j->in[0], a), y = ay_read_complex(j->in[1], b);

	return j->dtype.bits == 64 ? (float complex)x == (float complex)y : x == y;
}

static inline void ay_compare_pieces(const void *job, int64_t from, int64_t to)
{
	const struct ay_comparison *j = (const struct ay_comparison *)job;
	const int64_t *step = j->lines.step;
	_Alignas(64) char tile_a[8 * AY_COMPARE_PIECE], tile_b[8 * AY_COMPARE_PIECE];

	for (struct ay_piece p = ay_piece_at(&j->lines, from); p.index < to; ay_next_piece(&j->lines, &p)) {
		uint8_t *z = (uint8_t *)ay_address(j->out, p.out);

		if (j->dtype.code == AY_CODE_COMPLEX)
			for (int64_t e = 0; e < p.n; e++)
				z[e] = ay_equal_complex(j, p.in[0] + e * step[0], p.in[1] + e * step[1]);
		else
			ay_compare_loop(j->loops, j->dtype)(
				ay_promoted_at(j->in[0], p.in[0], step[0], j->dtype, tile_a, p.n), step[0] != 0,
				ay_promoted_at(j->in[1], p.in[1], step[1], j->dtype, tile_b, p.n), step[1] != 0, z,
				p.n);
	}
}

/* Compares a and b, which may be a number. Complex ones only for equality: other kernels return AY_UNSUPPORTED first. */
static inline int ay_compare(const ay_tensor *a, const ay_tensor *b, bool b_is_number, ay_tensor *out,
			     const struct ay_compare_loops *loops, const ay_ctx *ctx)
{
	const struct ay_comparison j = {
		out, { a, b }, loops, ay_promote(a, b, b_is_number), ay_find_lines(out, 2, a, b, AY_COMPARE_PIECE)
	};

	if (ay_dt(a) == AY_C32 || ay_dt(b) == AY_C32 || ay_dt(out) != AY_B8)
		return AY_UNSUPPORTED;
	ay_parallel_pieces(ay_compare_pieces, &j, &j.lines, AY_COMPARE_GRAIN, ctx);
	return AY_OK;
}

#endif
