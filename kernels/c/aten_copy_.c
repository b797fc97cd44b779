/* due: PASS - equal dtypes in lines as long as they are, or in squares where they are turned; dense floats of two
 * dtypes in pieces that stay in the first cache; the rest element by element. */
#include <assay/kernel_copy.h>

enum { TILE = 1024 };

static bool is_real_float(const ay_tensor *t)
{
	return ay_fits_f32(t) || ay_dt(t) == AY_F64;
}

struct job {
	const ay_tensor *src, *dst;
	int64_t n;
};

/* Through f32, as PyTorch does from f64 to half types. */
static void convert_tiles(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int64_t item = ay_item_size(j->dst);
	float floats[TILE];
	double made[TILE]; /* the widest there is */

	for (int64_t at = from * TILE; at < to * TILE && at < j->n; at += TILE) {
		const int64_t n = ay_min(j->n - at, TILE);
		const void *x = ay_floats_at(j->src, at, floats, n);

		if (ay_dt(j->dst) != AY_F32) {
			ay_floats_to(ay_dt(j->dst), x, made, n);
			x = made;
		}
		ay_copy_bytes(ay_address(j->dst, at), x, (size_t)(n * item), j->n * item >= AY_COPY_STREAM);
	}
}

int aten_copy_(ay_tensor *self, const ay_tensor *src, bool non_blocking, const ay_ctx *ctx)
{
	int64_t strides[AY_MAX_DIM];
	ay_tensor from = *src; /* of self's shape */
	const struct job j = { &from, self, ay_numel(self) };

	(void)non_blocking;
	for (int32_t d = 0; d < self->ndim; d++)
		strides[d] = ay_broadcast_stride(src, self, d);
	from.ndim = self->ndim;
	from.shape = self->shape;
	from.strides = strides;
	if (!src->flags && ay_dt(self) != ay_dt(src) && is_real_float(self) && is_real_float(src) &&
	    ay_is_dense(self) && ay_is_dense(&from))
		ay_parallel_for(convert_tiles, &j, (j.n + TILE - 1) / TILE, 128, ctx);
	else
		ay_copy_tensor(self, &from, ctx);
	return AY_OK;
}

int aten_copy__Tensor(ay_tensor *self, const ay_tensor *other, const ay_ctx *ctx)
{
	return aten_copy_(self, other, false, ctx);
}
