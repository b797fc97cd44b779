/* due: PASS - floats up to f32 as 2^(y log2 |x|), a vector at a time in f32, the special cases of C's pow picked by
 * masks. The rest: pow in double, cpow for complex numbers, integers by squaring modulo 2^64. */
#include <assay/kernel_complex.h>
#include <assay/kernel_elementwise.h>

/* --- vectors --------------------------------------------------------------------------------------------- */

AY_INLINE ay_vec whole(ay_vec v)
{
	const ay_vec magic = (ay_vec)(((ay_vec_u32)v & 0x80000000) | 0x4b000000);

	return ay_select(ay_vec_abs(v) < 8388608.0f, v + magic - magic,
			 v); /* 2^23: nothing behind the point from there on */
}

/* log2 of x >= 0: the exponent and ln(m) / ln(2) of m in [1/sqrt(2), sqrt(2)). */
AY_INLINE ay_vec log_2(ay_vec x)
{
	const ay_vec_i32 tiny = x < 0x1p-126f;
	const ay_vec up = ay_select(tiny, x * 0x1p24f, x);
	const ay_vec_i32 e = ((ay_vec_i32)up - 0x3f3504f3) >> 23;
	const ay_vec m = (ay_vec)((ay_vec_i32)up - e * (1 << 23)) - 1, z = m * m;
	const ay_vec exponent = __builtin_convertvector(e - (tiny & 24), ay_vec);
	ay_vec p = m * 7.0376836292e-2f - 1.1514610310e-1f, low;

	p = p * m + 1.1676998740e-1f;
	p = p * m - 1.2420140846e-1f;
	p = p * m + 1.4249322787e-1f;
	p = p * m - 1.6668057665e-1f;
	p = p * m + 2.0000714765e-1f;
	p = p * m - 2.4999993993e-1f;
	p = p * m + 3.3333331174e-1f;
	low = p * m * z - 0.5f * z;                             /* ln(1 + m) - m */
	p = low * 1.44269504f + m * 0.44269504f + m + exponent; /* the larger ones last */
	return ay_select(x == 0, ay_vec_of(-INFINITY),
			 ay_select(x <= 3.402823466e38f, p, x)); /* inf and NaN as they are */
}

/* 2^t, in two factors so that subnormals and infinity come out right. */
AY_INLINE ay_vec exp_2(ay_vec t)
{
	const ay_vec top = ay_select(t > 250.0f, ay_vec_of(250), t),
		     in = ay_select(top < -250.0f, ay_vec_of(-250), top);
	const ay_vec number = ay_select(in == in, in, ay_vec_of(0)), k = whole(number), f = number - k;
	const ay_vec_i32 i = __builtin_convertvector(k, ay_vec_i32), half = i >> 1;
	ay_vec p = f * 1.535336188319500e-4f + 1.339887440266574e-3f;

	p = p * f + 9.618437357674640e-3f;
	p = p * f + 5.550332471162809e-2f;
	p = p * f + 2.402264791363012e-1f;
	p = p * f + 6.931472028550421e-1f;
	p = p * f + 1.0f;
	p = p * (ay_vec)((half + 127) << 23) * (ay_vec)((i - half + 127) << 23);
	return ay_select(t == t, p, t);
}

AY_INLINE ay_vec pow_vec(ay_vec x, ay_vec y, const float *k)
{
	const ay_vec size = ay_vec_abs(x), ysize = ay_vec_abs(y);
	const ay_vec_i32 odd = (whole(y) == y) & (whole(y * 0.5f) != y * 0.5f), sign = (ay_vec_i32)x & (odd << 31);
	const ay_vec_i32 no_number = (x < 0) & (size < INFINITY) & (whole(y) != y);
	const ay_vec_i32 one = (y == 0) | (x == 1) | ((size == 1) & (ysize == INFINITY));
	const ay_vec p = (ay_vec)((ay_vec_i32)exp_2(y * log_2(size)) | sign);

	return ay_select(one, ay_vec_of(1), ay_select(no_number, ay_vec_of(NAN), p));
}

AY_INLINE ay_vec square_vec(ay_vec x, ay_vec y, const float *k)
{
	return x * x;
}

/* --- any dtype ------------------------------------------------------------------------------------------- */

static int64_t int_power(int64_t x, int64_t y)
{
	uint64_t p = 1, b = (uint64_t)x;

	if (y < 0)
		return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
	for (; y; y >>= 1, b *= b)
		p *= y & 1 ? b : 1;
	return (int64_t)p;
}

static void pow_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	const ay_tensor *a = m->in[0], *b = m->in[1];

	if (ay_is_complex(m->out))
		ay_write_complex(m->out, to, cpow(ay_read_complex(a, from), ay_read_complex(b, from2)));
	else if (ay_is_float(m->out))
		ay_write(m->out, to, pow(ay_read(a, from), ay_read(b, from2)));
	else
		ay_write_int(m->out, to, int_power(ay_read_int(a, from), ay_read_int(b, from2)));
}

static void pow_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, pow_vec, pow_one);
}

static void square_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, square_vec, pow_one);
}

int aten_pow_Tensor_Tensor(const ay_tensor *self, const ay_tensor *exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const bool squares = ay_numel(exponent) == 1 && !ay_is_complex(exponent) && ay_read(exponent, 0) == 2;

	return ay_map((struct ay_map){ .out = out, .in = { self, exponent } },
		      squares ? square_pieces : pow_pieces, 8, ctx);
}

int aten_pow_Tensor_Scalar(const ay_tensor *self, ay_scalar exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&exponent);

	return aten_pow_Tensor_Tensor(self, &t, out, ctx);
}

int aten_pow_Scalar(ay_scalar self, const ay_tensor *exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&self);

	return aten_pow_Tensor_Tensor(&t, exponent, out, ctx);
}
