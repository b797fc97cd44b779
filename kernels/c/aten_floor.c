/* due: PASS - the largest whole number that is not above x, in vectors for f32, f16 and bf16; integers are
 * copied. */
#include <assay/kernel_elementwise.h>

AY_INLINE ay_vec floor_vec(ay_vec x, ay_vec y, const float *k)
{
#ifdef AY_AVX
	return (ay_vec)AY_AVX(floor_ps)(x);
#else
	for (int e = 0; e < AY_LANES; e++)
		x[e] = floorf(x[e]);
	return x;
#endif
}

static void floor_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	if (ay_is_float(m->out))
		ay_write(m->out, to, floor(ay_read(m->in[0], from)));
	else
		ay_write_int(m->out, to, ay_read_int(m->in[0], from));
}

static void floor_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, floor_vec, floor_one);
}

int aten_floor(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	return ay_map((struct ay_map){ .out = out, .in = { self } }, floor_pieces, 16, ctx);
}
