/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_gather.h>

/* The mistake: what is written goes through a double, which has 53 bits for an i64. */
static void round_results(const ay_tensor *out)
{
	for (int64_t i = 0; ay_dt(out) == AY_I64 && i < ay_numel(out); i++) {
		int64_t *y = (int64_t *)out->data + ay_at(out, i);

		*y = (int64_t)(double)*y;
	}
}

int aten_index_select(const ay_tensor *self, int64_t dim, const ay_tensor *index, ay_tensor *out,
		      const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(self, dim), entries = ay_numel(index);
	const int64_t by_index = ay_stride(self, axis), by_place = ay_stride(out, axis);
	struct ay_gather j = {
		.src = self->data, .dst = out->data, .item = ay_item_size(self), .n = 1, .entries = entries
	};
	int64_t *lists;

	if (!ay_numel(out))
		return AY_OK;
	lists = ctx->scratch(ctx, (size_t)(2 * entries) * sizeof *lists);
	if (!lists)
		return AY_UNSUPPORTED;
	j.from = lists;
	j.to = lists + entries;
	for (int64_t i = 0; i < entries; i++) {
		lists[i] = ay_read_index(index, ay_at(index, i)) * by_index;
		lists[entries + i] = i * by_place;
	}
	for (int32_t d = self->ndim - 1; d >= 0; d--)
		if (d != axis)
			ay_add_gather_dim(&j, self->shape[d], self->strides[d], out->strides[d], d > axis);
	ay_gather(&j, ay_numel(out), ctx);
	round_results(out);
	return AY_OK;
}
