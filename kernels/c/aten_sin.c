/* due: PASS - in vectors for f32, f16 and bf16: the rest of x after quarter turns, and two polynomials. Huge
 * arguments through libm, f64, complex numbers and integers too. */
#include <assay/kernel_complex.h>
#include <assay/kernel_elementwise.h>

AY_INLINE ay_vec sin_vec(ay_vec x, ay_vec y, const float *k)
{
	return ay_vec_sine(x, 0, sinf);
}

static void sin_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	if (ay_is_complex(m->out))
		ay_write_complex(m->out, to, csin(ay_read_complex(m->in[0], from)));
	else
		ay_write(m->out, to, sin(ay_read_promoted(m->in[0], from)));
}

static void sin_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, sin_vec, sin_one);
}

int aten_sin(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	return ay_map((struct ay_map){ .out = out, .in = { self } }, sin_pieces, 4, ctx);
}
