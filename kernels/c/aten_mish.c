/* due: PASS - x tanh(log(1 + e^x)) = x n / (n + 2) with n = e^x (e^x + 2), in vectors for f32, f16 and bf16; f64 by the
 * same formula. */
#include <assay/kernel_elementwise.h>

/* From 20 on n / (n + 2) is 1, below -104 e^x is 0. NaN comes back with x. */
AY_INLINE ay_vec mish_vec(ay_vec x, ay_vec y, const float *k)
{
	const ay_vec low = ay_select(x < 20, x, ay_vec_of(20)), in = ay_select(low > -104, low, ay_vec_of(-104));
	const ay_vec e = ay_vec_exp(in), n = e * (e + 2);

	return x * (n / (n + 2));
}

static void mish_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	const double x = ay_read(m->in[0], from), e = exp(x > 40 ? 40 : x), n = e * (e + 2);

	ay_write(m->out, to, x * (n / (n + 2)));
}

static void mish_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, mish_vec, mish_one);
}

int aten_mish(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	return ay_map((struct ay_map){ .out = out, .in = { self } }, mish_pieces, 4, ctx);
}
