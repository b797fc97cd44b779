/* due: PASS - between dense floats in tiles that stay in the first cache, past the caches where the result is large;
 * equal dtypes as bytes; the rest element by element. */
#include <assay/kernel_copy.h>

enum { TILE = 1024, GRAIN = 128, STREAM = 8 << 20 }; /* elements, tiles a thread, bytes */

static bool is_real_float(const ay_tensor *t)
{
	return ay_fits_f32(t) || ay_dt(t) == AY_F64;
}

struct job {
	const ay_tensor *self, *out;
	int64_t n;
};

/* Through f32, as PyTorch does from f64 to half types. */
static void convert_tiles(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int64_t item = ay_item_size(j->out);
	_Alignas(64) float floats[TILE];
	_Alignas(64) double made[TILE]; /* the widest there is */

	for (int64_t at = from * TILE; at < to * TILE && at < j->n; at += TILE) {
		const int64_t n = ay_min(j->n - at, TILE);
		const void *x = ay_floats_at(j->self, at, floats, n);

		if (ay_dt(j->out) != AY_F32) {
			ay_floats_to(ay_dt(j->out), x, made, n);
			x = made;
		}
		ay_copy_bytes(ay_address(j->out, at), x, (size_t)(n * item), j->n * item >= STREAM);
	}
}

int aten__to_copy(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		  const bool *pin_memory, bool non_blocking, int32_t memory_format, ay_tensor *out,
		  const ay_ctx *ctx)
{
	const struct job j = { self, out, ay_numel(out) };

	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)non_blocking, (void)memory_format;
	if (ay_dt(self) != ay_dt(out) && is_real_float(self) && is_real_float(out) && ay_is_dense(self) &&
	    ay_is_dense(out))
		ay_parallel_for(convert_tiles, &j, (j.n + TILE - 1) / TILE, GRAIN, ctx);
	else
		ay_copy_tensor(out, self, ctx);
	return AY_OK;
}
