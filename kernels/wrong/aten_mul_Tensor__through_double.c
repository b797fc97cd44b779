/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_complex.h>
#include <assay/kernel_elementwise.h>

/* The mistake: a double has 53 bits. */
static int64_t read_int(const ay_tensor *t, int64_t at)
{
	return (int64_t)ay_read(t, at);
}

AY_INLINE ay_vec mul_vec(ay_vec x, ay_vec y, const float *k)
{
	return x * y;
}

static void mul_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	const ay_tensor *a = m->in[0], *b = m->in[1];

	if (ay_is_complex(m->out))
		ay_write_complex(m->out, to, ay_read_complex(a, from) * ay_read_complex(b, from2));
	else if (ay_is_float(m->out))
		ay_write(m->out, to, ay_read(a, from) * ay_read(b, from2));
	else
		ay_write_int(m->out, to, (int64_t)((uint64_t)read_int(a, from) * (uint64_t)read_int(b, from2)));
}

static void mul_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, mul_vec, mul_one);
}

int aten_mul_Tensor(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	return ay_map((struct ay_map){ .out = out, .in = { self, other } }, mul_pieces, 16, ctx);
}

int aten_mul_Scalar(const ay_tensor *self, ay_scalar other, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&other);

	return aten_mul_Tensor(self, &t, out, ctx);
}
