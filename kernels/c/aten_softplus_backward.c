/* due: PASS - grad_output sigmoid(beta self) up to beta self = threshold, grad_output above. In vectors of f32
 * where the dtypes are f32, f16 or bf16 and lines are dense or one repeated number: from e^-|z|, which never
 * overflows. The rest in double. */
#include <assay/kernel_elementwise.h>

enum { BETA, THRESHOLD };

AY_INLINE ay_vec gradient_vec(ay_vec g, ay_vec x, const float *k)
{
	const ay_vec z = x * k[BETA], size = ay_vec_abs(z);
	const ay_vec e = ay_vec_exp(-ay_select(size < 104, size, ay_vec_of(104))); /* 0 from there on */
	const ay_vec s = ay_select(z < 0, e, ay_vec_of(1)) / (1 + e);

	return ay_select(z > k[THRESHOLD], g, g * ay_select(z == z, s, z));
}

static void gradient_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	const double g = ay_read(m->in[0], from), z = ay_read(m->in[1], from2) * m->number[BETA],
		     e = exp(-fabs(z));

	ay_write(m->out, to, z > m->number[THRESHOLD] ? g : g * ((z < 0 ? e : 1) / (1 + e)));
}

static void gradient_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, gradient_vec, gradient_one);
}

int aten_softplus_backward(const ay_tensor *grad_output, const ay_tensor *self, ay_scalar beta,
			   ay_scalar threshold, ay_tensor *out, const ay_ctx *ctx)
{
	const struct ay_map m = { .out = out,
				  .in = { grad_output, self },
				  .number = { ay_scalar_real(beta), ay_scalar_real(threshold) } };

	if (ay_is_complex(grad_output) || ay_is_complex(self))
		return AY_UNSUPPORTED;
	return ay_map(m, gradient_pieces, 4, ctx);
}
