/* due: PASS - the larger of two, or the one that is no NaN. In vectors of f32 where the dtypes are f32, f16 or
 * bf16 and lines are dense or one repeated number; the rest element by element. */
#include <assay/kernel_elementwise.h>

AY_INLINE ay_vec fmax_vec(ay_vec x, ay_vec y, const float *k)
{
	return ay_select((x > y) | (y != y), x, y);
}

static void fmax_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	if (ay_is_float(m->out)) {
		const double x = ay_read(m->in[0], from), y = ay_read(m->in[1], from2);

		ay_write(m->out, to, y != y || x > y ? x : y);
	} else {
		const int64_t x = ay_wrap_int(m->out, ay_read_int(m->in[0], from)),
			      y = ay_wrap_int(m->out, ay_read_int(m->in[1], from2));

		ay_write_int(m->out, to, x > y ? x : y);
	}
}

static void fmax_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, fmax_vec, fmax_one);
}

int aten_fmax(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	if (ay_is_complex(self) || ay_is_complex(other))
		return AY_UNSUPPORTED;
	return ay_map((struct ay_map){ .out = out, .in = { self, other } }, fmax_pieces, 16, ctx);
}
