/* due: PASS - 1 / sqrt(x), in vectors for f32, f16 and bf16, by the instructions for root and quotient, which are
 * exact to one rounding each; the rest in double. */
#include <assay/kernel_complex.h>
#include <assay/kernel_elementwise.h>

AY_INLINE ay_vec rsqrt_vec(ay_vec x, ay_vec y, const float *k)
{
#ifdef AY_AVX
	return 1 / (ay_vec)AY_AVX(sqrt_ps)(x);
#else
	for (int e = 0; e < AY_LANES; e++)
		x[e] = 1 / sqrtf(x[e]);
	return x;
#endif
}

static void rsqrt_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	if (ay_is_complex(m->out))
		ay_write_complex(m->out, to, 1 / csqrt(ay_read_complex(m->in[0], from)));
	else
		ay_write(m->out, to, 1 / sqrt(ay_read_promoted(m->in[0], from)));
}

static void rsqrt_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, rsqrt_vec, rsqrt_one);
}

int aten_rsqrt(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	return ay_map((struct ay_map){ .out = out, .in = { self } }, rsqrt_pieces, 8, ctx);
}
