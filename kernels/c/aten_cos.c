/* due: PASS - in vectors for f32, f16 and bf16: the rest of x after quarter turns, and two polynomials. Huge
 * arguments through libm, f64, complex numbers and integers too. */
#include <assay/kernel_complex.h>
#include <assay/kernel_elementwise.h>

AY_INLINE ay_vec cos_vec(ay_vec x, ay_vec y, const float *k)
{
	return ay_vec_sine(x, 1, cosf);
}

static void cos_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	if (ay_is_complex(m->out))
		ay_write_complex(m->out, to, ccos(ay_read_complex(m->in[0], from)));
	else
		ay_write(m->out, to, cos(ay_read_promoted(m->in[0], from)));
}

static void cos_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, cos_vec, cos_one);
}

int aten_cos(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	return ay_map((struct ay_map){ .out = out, .in = { self } }, cos_pieces, 4, ctx);
}
