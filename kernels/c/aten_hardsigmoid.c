/* due: PASS - clamp(x / 6 + 1/2, 0, 1), in vectors for f32, f16 and bf16; f64 element by element. */
#include <assay/kernel_elementwise.h>

AY_INLINE ay_vec hardsigmoid_vec(ay_vec x, ay_vec y, const float *k)
{
	const ay_vec inside = (x + 3) * (1 / 6.0f);

	return ay_select(x > -3, ay_select(x < 3, inside, ay_vec_of(1)), ay_select(x == x, ay_vec_of(0), x));
}

static void hardsigmoid_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	const double y = (ay_read(m->in[0], from) + 3) / 6;

	ay_write(m->out, to, y < 0 ? 0 : y > 1 ? 1 : y);
}

static void hardsigmoid_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, hardsigmoid_vec, hardsigmoid_one);
}

int aten_hardsigmoid(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	return ay_map((struct ay_map){ .out = out, .in = { self } }, hardsigmoid_pieces, 16, ctx);
}
