/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_complex.h>
#include <assay/kernel_elementwise.h>

/* The mistake: a double has 53 bits. */
static int64_t read_int(const ay_tensor *t, int64_t at)
{
	return (int64_t)ay_read(t, at);
}

AY_INLINE ay_vec square_vec(ay_vec x, ay_vec y, const float *k)
{
	return x * x;
}

static void square_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	if (ay_is_complex(m->out)) {
		const double complex z = ay_read_complex(m->in[0], from);

		ay_write_complex(m->out, to, z * z);
	} else if (ay_is_float(m->out)) {
		const double x = ay_read(m->in[0], from);

		ay_write(m->out, to, x * x);
	} else {
		const uint64_t x = (uint64_t)read_int(m->in[0], from);

		ay_write_int(m->out, to, (int64_t)(x * x));
	}
}

static void square_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, square_vec, square_one);
}

int aten_square(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	return ay_map((struct ay_map){ .out = out, .in = { self } }, square_pieces, 16, ctx);
}
