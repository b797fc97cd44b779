/* due: PASS - x / (1 + e^-x), in vectors for f32, f16 and bf16: from e^-|x|, which never overflows. The rest in
 * double. */
#include <assay/kernel_complex.h>
#include <assay/kernel_elementwise.h>

AY_INLINE ay_vec silu_vec(ay_vec x, ay_vec y, const float *k)
{
	const ay_vec size = ay_vec_abs(x);
	const ay_vec e = ay_vec_exp(
		-ay_select(size < 104, size, ay_vec_of(104))); /* 0 from there on; NaN comes with x */

	return x * (ay_select(x < 0, e, ay_vec_of(1)) / (1 + e));
}

static double complex silu_complex(double complex z)
{
	return creal(z) < 0 ? z * cexp(z) / (1 + cexp(z)) : z / (1 + cexp(-z));
}

static double silu_real(double x)
{
	return x < 0 ? x * (exp(x) / (1 + exp(x))) : x / (1 + exp(-x));
}

static void silu_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	if (ay_is_complex(m->out))
		ay_write_complex(m->out, to, silu_complex(ay_read_complex(m->in[0], from)));
	else
		ay_write(m->out, to, silu_real(ay_read(m->in[0], from)));
}

static void silu_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, silu_vec, silu_one);
}

int aten_silu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	return ay_map((struct ay_map){ .out = out, .in = { self } }, silu_pieces, 4, ctx);
}
