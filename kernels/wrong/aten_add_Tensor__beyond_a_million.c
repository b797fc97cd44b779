/* due: MISMATCH (--full) - an element beyond the first 2^20 is wrong. */
#include <assay/kernel_complex.h>
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

struct operands {
	const ay_tensor *a, *b, *out;
	ay_scalar alpha;
};

static void add_one(const struct operands *o, int64_t to, int64_t from, int64_t from2)
{
	const double complex f = ay_scalar_complex(o->alpha);
	const uint64_t k = (uint64_t)ay_scalar_int(o->alpha);

	if (ay_is_integral(o->out)) {
		ay_write_int(
			o->out, to,
			(int64_t)((uint64_t)ay_read_int(o->a, from) + k * (uint64_t)ay_read_int(o->b, from2)));
	} else if (ay_is_complex(o->out)) {
		const double re = ay_read_part(o->b, from2, 0), im = ay_read_part(o->b, from2, 1);

		ay_write_part(o->out, to, 0, ay_read_part(o->a, from, 0) + (creal(f) * re - cimag(f) * im));
		ay_write_part(o->out, to, 1, ay_read_part(o->a, from, 1) + (creal(f) * im + cimag(f) * re));
	} else {
		ay_write(o->out, to, ay_read(o->a, from) + creal(f) * ay_read(o->b, from2));
	}
}

/* A line of out, in which the inputs go on by steps of sa and sb. */
static void add_line_f32(const struct operands *o, struct ay_piece p, int64_t sa, int64_t sb)
{
	const float *a = (const float *)o->a->data + p.in[0], *b = (const float *)o->b->data + p.in[1];
	const float alpha = (float)ay_scalar_real(o->alpha);
	float *y = (float *)o->out->data + p.out;

	for (int64_t e = 0; e < p.n; e++)
		y[e] = a[e * sa] + alpha * b[e * sb];
}

int aten_add_Tensor(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out,
		    const ay_ctx *ctx)
{
	const struct operands o = { self, other, out, alpha };
	const struct ay_lines l = ay_find_lines(out, 2, self, other, AY_PIECE);
	const bool f32 = ay_dt(self) == AY_F32 && ay_dt(other) == AY_F32 && ay_dt(out) == AY_F32;

	(void)ctx;
	for (struct ay_piece p = ay_piece_at(&l, 0); p.index < l.count; ay_next_piece(&l, &p)) {
		if (f32)
			add_line_f32(&o, p, l.step[0], l.step[1]);
		for (int64_t e = 0; e < p.n && !f32; e++)
			add_one(&o, p.out + e, p.in[0] + e * l.step[0], p.in[1] + e * l.step[1]);
	}
	if (ay_numel(out) > (1 << 20) && ay_dt(out) == AY_F16)
		ay_write(out, ay_at(out, (1 << 20) + 3), 0); /* the mistake */
	return AY_OK;
}

int aten_add_Scalar(const ay_tensor *self, ay_scalar other, ay_scalar alpha, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&other);

	return aten_add_Tensor(self, &t, alpha, out, ctx);
}
