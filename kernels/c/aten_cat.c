/* due: PASS - tensors one behind the other along dim: lines are copied where nothing has to be converted. */
#include <assay/kernel.h>
#include <string.h>

static bool is_integral(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_INT || t->dtype.code == AY_CODE_UINT || t->dtype.code == AY_CODE_BOOL;
}

static double part_at(const ay_tensor *t, int64_t at, int part)
{
	switch (ay_dt(t)) {
	case AY_C128: return ((const double *)t->data)[2 * at + part];
	case AY_C64: return ((const float *)t->data)[2 * at + part];
	case AY_C32: return ay_from_f16(((const uint16_t *)t->data)[2 * at + part]);
	default: return part ? 0 : ay_read(t, at);
	}
}

/* One element of another dtype. */
static void convert(const ay_tensor *src, int64_t from, ay_tensor *dst, int64_t to)
{
	if (ay_dt(dst) == AY_I64 && is_integral(src)) {
		((int64_t *)dst->data)[to] = (int64_t)ay_read(src,
							      from); /* promotion never narrows: src is no i64 */
	} else if (ay_is_complex(dst)) {
		for (int part = 0; part < 2; part++) {
			const double x = part_at(src, from, part) * (part && src->flags & AY_CONJ ? -1 : 1);

			if (ay_dt(dst) == AY_C128)
				((double *)dst->data)[2 * to + part] = x;
			else if (ay_dt(dst) == AY_C64)
				((float *)dst->data)[2 * to + part] = (float)x;
			else
				((uint16_t *)dst->data)[2 * to + part] = ay_to_f16((float)x);
		}
	} else {
		ay_write(dst, to, ay_read(src, from));
	}
}

/* n elements along the last dimension. */
static void copy_line(const ay_tensor *src, int64_t from, ay_tensor *dst, int64_t to, int64_t n)
{
	const int64_t s = src->strides[src->ndim - 1], d = dst->strides[dst->ndim - 1];
	const size_t item = (size_t)src->dtype.bits / 8;

	if (ay_dt(src) != ay_dt(dst) || src->flags) {
		for (int64_t j = 0; j < n; j++)
			convert(src, from + j * s, dst, to + j * d);
	} else if (s == 1 && d == 1) {
		memcpy((char *)dst->data + (size_t)to * item, (const char *)src->data + (size_t)from * item,
		       (size_t)n * item);
	} else {
		for (int64_t j = 0; j < n; j++)
			memcpy((char *)dst->data + (size_t)(to + j * d) * item,
			       (const char *)src->data + (size_t)(from + j * s) * item, item);
	}
}

int aten_cat(const ay_tensor *const *tensors, int64_t n_tensors, int64_t dim, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + out->ndim : dim;
	int64_t start = 0;

	(void)ctx;
	for (int64_t k = 0; k < n_tensors; k++) {
		const ay_tensor *t = tensors[k];
		ay_tensor window = *out; /* the part of out that t fills */
		const int64_t n = ay_numel(t), line = t->shape[t->ndim - 1];

		if (!n)
			continue;
		window.data = (char *)out->data + start * out->strides[axis] * (out->dtype.bits / 8);
		window.shape = t->shape;
		for (int64_t i = 0; i < n; i += line)
			copy_line(t, ay_at(t, i), &window, ay_at(&window, i), line);
		start += t->shape[axis];
	}
	return AY_OK;
}
