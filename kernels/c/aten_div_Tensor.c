/* due: PASS - self / other, also in place. Quotients in vectors of f32 where the dtypes are f32, f16 or bf16 and lines
 * are dense or one repeated number; by one number, as a product with its reciprocal. Rounding modes and the rest
 * element by element: integers as such, floats and complex numbers in double. */
#include <assay/kernel_complex.h>
#include <assay/kernel_elementwise.h>

enum mode { QUOTIENT, TRUNC, FLOOR }; /* number[0] of the map */

AY_INLINE ay_vec div_vec(ay_vec x, ay_vec y, const float *k)
{
	return x / y;
}

AY_INLINE ay_vec times_vec(ay_vec x, ay_vec y, const float *k)
{
	return x * k[1];
}

/* The smallest integer over -1 wraps; a quotient over 0 is undefined. */
static int64_t int_quotient(int64_t x, int64_t y, bool floors)
{
	if (y == 0 || y == -1)
		return (int64_t)(0 - (uint64_t)x);
	return x / y - (floors && x % y && (x < 0) != (y < 0));
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
static double number_at(const struct ay_map *m, const ay_tensor *t, int64_t at)
{
	return ay_dt(m->out) == AY_F64 ? ay_read(t, at) : (float)ay_read(t, at);
}

static void div_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	const ay_tensor *a = m->in[0], *b = m->in[1];
	const enum mode mode = (enum mode)m->number[0];

	if (ay_is_complex(m->out)) {
		ay_write_complex(m->out, to, ay_read_complex(a, from) / ay_read_complex(b, from2));
	} else if (!ay_is_float(m->out)) {
		const int64_t x = ay_wrap_int(m->out, ay_read_int(a, from)),
			      y = ay_wrap_int(m->out, ay_read_int(b, from2));

		ay_write_int(m->out, to, int_quotient(x, y, mode == FLOOR));
	} else {
		const double x = number_at(m, a, from), y = number_at(m, b, from2);

		ay_write(m->out, to, mode == FLOOR ? floor_quotient(x, y) : mode == TRUNC ? trunc(x / y) : x / y);
	}
}

/* One number is a factor if its reciprocal is a normal one. */
AY_INLINE void div_run(int32_t dt, struct ay_map *m, const struct ay_piece *p)
{
	const float inverse = m->lines.step[1] ? 0 : 1 / (float)ay_read(m->in[1], p->in[1]);

	m->number[1] = inverse;
	if (fabsf(inverse) >= 0x1p-126f && fabsf(inverse) <= 0x1p126f)
		ay_map_run(dt, m, p, times_vec);
	else
		ay_map_run(dt, m, p, div_vec);
}

static void div_pieces(const void *job, int64_t from, int64_t to)
{
	struct ay_map m = *(const struct ay_map *)job;
	const int64_t *step = m.lines.step;
	const int32_t dt = ay_dt(m.out);
	const bool even = ay_is_vectorisable(m.in[0], step[0], dt) && ay_is_vectorisable(m.in[1], step[1], dt) &&
			  (enum mode)m.number[0] == QUOTIENT;

	for (struct ay_piece p = ay_piece_at(&m.lines, from); p.index < to; ay_next_piece(&m.lines, &p)) {
		switch (even ? dt : 0) {
		case AY_F32: div_run(AY_F32, &m, &p); break;
		case AY_F16: div_run(AY_F16, &m, &p); break;
		case AY_BF16: div_run(AY_BF16, &m, &p); break;
		default:
			for (int64_t e = 0; e < p.n; e++)
				div_one(&m, p.out + e, p.in[0] + e * step[0], p.in[1] + e * step[1]);
		}
	}
	ay_stream_fence();
}

static int div_all(const ay_tensor *a, const ay_tensor *b, const char *rounding_mode, ay_tensor *out,
		   const ay_ctx *ctx)
{
	const enum mode mode = !rounding_mode ? QUOTIENT : strcmp(rounding_mode, "floor") ? TRUNC : FLOOR;

	return ay_map((struct ay_map){ .out = out, .in = { a, b }, .number = { mode } }, div_pieces, 16, ctx);
}

int aten_div_Tensor(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	return div_all(self, other, NULL, out, ctx);
}

int aten_div_Tensor_mode(const ay_tensor *self, const ay_tensor *other, const char *rounding_mode, ay_tensor *out,
			 const ay_ctx *ctx)
{
	return div_all(self, other, rounding_mode, out, ctx);
}

int aten_div_Scalar(const ay_tensor *self, ay_scalar other, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&other);

	return div_all(self, &t, NULL, out, ctx);
}

int aten_div_Scalar_mode(const ay_tensor *self, ay_scalar other, const char *rounding_mode, ay_tensor *out,
			 const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&other);

	return div_all(self, &t, rounding_mode, out, ctx);
}

int aten_div__Tensor(ay_tensor *self, const ay_tensor *other, const ay_ctx *ctx)
{
	return div_all(self, other, NULL, self, ctx);
}

int aten_div__Tensor_mode(ay_tensor *self, const ay_tensor *other, const char *rounding_mode, const ay_ctx *ctx)
{
	return div_all(self, other, rounding_mode, self, ctx);
}

int aten_div__Scalar(ay_tensor *self, ay_scalar other, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&other);

	return div_all(self, &t, NULL, self, ctx);
}

int aten_div__Scalar_mode(ay_tensor *self, ay_scalar other, const char *rounding_mode, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&other);

	return div_all(self, &t, rounding_mode, self, ctx);
}
