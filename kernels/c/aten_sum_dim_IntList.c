/* due: PASS - sums over listed dimensions: floats in double, integers in i64, complex numbers part by part. */
#include <assay/kernel.h>

enum { MAX_DIM = 16 };

/* self with the kept dimensions in front and the summed ones behind. */
struct order {
	int kept, summed;
	int64_t shape[MAX_DIM], stride[MAX_DIM];
	int64_t n; /* elements in one sum */
};

static struct order arrange(const ay_tensor *self, unsigned mask)
{
	struct order o = { .n = 1 };

	for (int pass = 0; pass < 2; pass++) {
		for (int d = 0; d < self->ndim; d++) {
			if ((int)(mask >> d & 1) != pass)
				continue;
			o.shape[o.kept + o.summed] = self->shape[d];
			o.stride[o.kept + o.summed] = self->strides[d];
			o.n *= pass ? self->shape[d] : 1;
			*(pass ? &o.summed : &o.kept) += 1;
		}
	}
	return o;
}

static int64_t offset(const struct order *o, int from, int to, int64_t i)
{
	int64_t at = 0;

	for (int d = to - 1; d >= from; d--) {
		at += i % o->shape[d] * o->stride[d];
		i /= o->shape[d];
	}
	return at;
}

static double sum_line(const ay_tensor *t, int64_t at, int64_t step, int64_t n)
{
	double sum = 0;

	if (ay_dt(t) == AY_F32)
		for (int64_t j = 0; j < n; j++)
			sum += ((const float *)t->data)[at + j * step];
	else
		for (int64_t j = 0; j < n; j++)
			sum += ay_read(t, at + j * step);
	return sum;
}

static uint64_t sum_line_int(const ay_tensor *t, int64_t at, int64_t step, int64_t n)
{
	uint64_t sum = 0;

	for (int64_t j = 0; j < n; j++, at += step)
		sum += ay_dt(t) == AY_I64 ? ((const uint64_t *)t->data)[at] : (uint64_t)(int64_t)ay_read(t, at);
	return sum;
}

/* A complex tensor is two real ones that lie between each other. */
static ay_tensor part_of(const ay_tensor *t, int part)
{
	ay_tensor p = *t;

	p.dtype = (ay_dtype){ AY_CODE_FLOAT, (uint8_t)(t->dtype.bits / 2), 1 };
	p.data = (char *)t->data + part * t->dtype.bits / 16;
	return p;
}

static int sum_into(const ay_tensor *self, const struct order *o, ay_tensor *out, int scale)
{
	const int dims = o->kept + o->summed;
	const int64_t line = o->summed ? o->shape[dims - 1] : 1, step = o->summed ? o->stride[dims - 1] : 1;
	const bool whole = out->dtype.code == AY_CODE_INT;

	for (int64_t i = 0; i < ay_numel(out); i++) {
		const int64_t base = offset(o, 0, o->kept, i);
		double sum = 0;
		uint64_t total = 0;

		for (int64_t j = 0; j < o->n; j += line) {
			const int64_t at = base + offset(o, o->kept, dims, j);

			if (whole)
				total += sum_line_int(self, at, step, line);
			else
				sum += sum_line(self, at * scale, step * scale, line);
		}
		if (whole && ay_dt(out) == AY_I64)
			((uint64_t *)out->data)[ay_at(out, i)] = total;
		else
			ay_write(out, ay_at(out, i) * scale, whole ? (double)(int64_t)total : sum);
	}
	return AY_OK;
}

static int sum_mask(const ay_tensor *self, unsigned mask, ay_tensor *out)
{
	const struct order o = arrange(self, mask);

	if (ay_is_complex(self) != ay_is_complex(out))
		return AY_UNSUPPORTED;
	if (!ay_is_complex(self))
		return sum_into(self, &o, out, 1);
	for (int part = 0; part < 2; part++) {
		const ay_tensor x = part_of(self, part);
		ay_tensor y = part_of(out, part);

		sum_into(&x, &o, &y, 2);
	}
	return AY_OK;
}

int aten_sum_dim_IntList(const ay_tensor *self, const int64_t *dim, int64_t n_dim, bool keepdim, int32_t dtype,
			 ay_tensor *out, const ay_ctx *ctx)
{
	unsigned mask = n_dim ? 0 : ~0u;

	(void)keepdim, (void)dtype, (void)ctx; /* out's shape and dtype say it already */
	for (int64_t k = 0; k < n_dim; k++)
		mask |= 1u << (dim[k] < 0 ? dim[k] + (self->ndim ? self->ndim : 1) : dim[k]);
	return sum_mask(self, mask, out);
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype, (void)ctx;
	return sum_mask(self, ~0u, out);
}
