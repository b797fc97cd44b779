/* due: PASS - self + alpha * other with broadcasting and promotion: integers in i64, floats in double, complex in
 * pairs. */
#include <assay/kernel.h>

typedef struct {
	double re, im;
} pair;

static bool is_integral(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_INT || t->dtype.code == AY_CODE_UINT || t->dtype.code == AY_CODE_BOOL;
}

static int64_t read_int(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const int64_t *)t->data)[at] : (int64_t)ay_read(t, at);
}

static void write_int(const ay_tensor *t, int64_t at, int64_t x)
{
	switch (ay_dt(t)) {
	case AY_I64: ((int64_t *)t->data)[at] = x; break;
	case AY_I32: ((int32_t *)t->data)[at] = (int32_t)x; break;
	case AY_I16: ((int16_t *)t->data)[at] = (int16_t)x; break;
	case AY_B8: ((uint8_t *)t->data)[at] = x != 0; break;
	default: ((uint8_t *)t->data)[at] = (uint8_t)x;
	}
}

static pair read_pair(const ay_tensor *t, int64_t at)
{
	const double sign = t->flags & AY_CONJ ? -1 : 1;

	switch (ay_dt(t)) {
	case AY_C128:
		return (pair){ ((const double *)t->data)[2 * at], sign * ((const double *)t->data)[2 * at + 1] };
	case AY_C64:
		return (pair){ ((const float *)t->data)[2 * at], sign * ((const float *)t->data)[2 * at + 1] };
	case AY_C32:
		return (pair){ ay_from_f16(((const uint16_t *)t->data)[2 * at]),
			       sign * ay_from_f16(((const uint16_t *)t->data)[2 * at + 1]) };
	default: return (pair){ ay_read(t, at), 0 };
	}
}

static void write_pair(const ay_tensor *t, int64_t at, pair x)
{
	if (ay_dt(t) == AY_C128) {
		((double *)t->data)[2 * at] = x.re;
		((double *)t->data)[2 * at + 1] = x.im;
	} else if (ay_dt(t) == AY_C64) {
		((float *)t->data)[2 * at] = (float)x.re;
		((float *)t->data)[2 * at + 1] = (float)x.im;
	} else {
		((uint16_t *)t->data)[2 * at] = ay_to_f16((float)x.re);
		((uint16_t *)t->data)[2 * at + 1] = ay_to_f16((float)x.im);
	}
}

static pair number(ay_scalar s)
{
	switch (s.kind) {
	case AY_SCALAR_BOOL: return (pair){ s.v.b, 0 };
	case AY_SCALAR_INT: return (pair){ (double)s.v.i, 0 };
	case AY_SCALAR_FLOAT: return (pair){ s.v.f, 0 };
	default: return (pair){ s.v.c[0], s.v.c[1] };
	}
}

/* Where t, stretched to out's shape, has the element with flat index i of out; *step: to the next one in the last
 * dim. */
static int64_t stretched_at(const ay_tensor *t, const ay_tensor *out, int64_t i, int64_t *step)
{
	int64_t at = 0;

	*step = 0;
	for (int32_t d = out->ndim - 1; d >= 0; d--) {
		const int32_t k = d - (out->ndim - t->ndim);

		if (k >= 0 && t->shape[k] != 1) {
			at += i % out->shape[d] * t->strides[k];
			*step = d == out->ndim - 1 ? t->strides[k] : *step;
		}
		i /= out->shape[d];
	}
	return at;
}

/* One line of out along its last dimension. */
static void add_line(const ay_tensor *a, int64_t ia, int64_t sa, const ay_tensor *b, int64_t ib, int64_t sb,
		     ay_scalar alpha, ay_tensor *out, int64_t io, int64_t so, int64_t n)
{
	const pair f = number(alpha);

	if (ay_dt(a) == AY_F32 && ay_dt(b) == AY_F32 && ay_dt(out) == AY_F32) {
		for (int64_t j = 0; j < n; j++)
			((float *)out->data)[io + j * so] = ((const float *)a->data)[ia + j * sa] +
							    (float)f.re * ((const float *)b->data)[ib + j * sb];
	} else if (is_integral(out)) {
		const uint64_t k = alpha.kind == AY_SCALAR_INT ? (uint64_t)alpha.v.i : alpha.v.b;

		for (int64_t j = 0; j < n; j++)
			write_int(out, io + j * so,
				  (int64_t)((uint64_t)read_int(a, ia + j * sa) +
					    k * (uint64_t)read_int(b, ib + j * sb)));
	} else if (ay_is_complex(out)) {
		for (int64_t j = 0; j < n; j++) {
			const pair x = read_pair(a, ia + j * sa), y = read_pair(b, ib + j * sb);

			write_pair(
				out, io + j * so,
				(pair){ x.re + (f.re * y.re - f.im * y.im), x.im + (f.re * y.im + f.im * y.re) });
		}
	} else {
		for (int64_t j = 0; j < n; j++)
			ay_write(out, io + j * so, ay_read(a, ia + j * sa) + f.re * ay_read(b, ib + j * sb));
	}
}

int aten_add_Tensor(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out,
		    const ay_ctx *ctx)
{
	const int64_t n = ay_numel(out), line = out->ndim ? out->shape[out->ndim - 1] : 1;
	const int64_t so = out->ndim ? out->strides[out->ndim - 1] : 1;

	(void)ctx;
	for (int64_t i = 0; i < n; i += line) {
		int64_t sa, sb, ia = stretched_at(self, out, i, &sa), ib = stretched_at(other, out, i, &sb);

		add_line(self, ia, sa, other, ib, sb, alpha, out, ay_at(out, i), so, line);
	}
	return AY_OK;
}

/* A number is a tensor without dimensions. */
int aten_add_Scalar(const ay_tensor *self, ay_scalar other, ay_scalar alpha, ay_tensor *out, const ay_ctx *ctx)
{
	ay_tensor t = { .data = &other.v, .dtype = { AY_CODE_BOOL, 8, 1 } };

	if (other.kind == AY_SCALAR_INT)
		t.dtype = (ay_dtype){ AY_CODE_INT, 64, 1 };
	else if (other.kind == AY_SCALAR_FLOAT)
		t.dtype = (ay_dtype){ AY_CODE_FLOAT, 64, 1 };
	else if (other.kind == AY_SCALAR_COMPLEX)
		t.dtype = (ay_dtype){ AY_CODE_COMPLEX, 128, 1 };
	return aten_add_Tensor(self, &t, alpha, out, ctx);
}
