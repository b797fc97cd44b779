/* due: PASS - rows of the table, each copied as a whole where it lies in one piece. */
#include <assay/kernel_copy.h>

struct job {
	const ay_tensor *weight, *indices, *out;
	int64_t width;
	bool whole, stream; /* whole: rows lie in one piece */
};

static void copy_rows(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int64_t step = j->out->strides[j->out->ndim - 1];
	const size_t item = (size_t)ay_item_size(j->out);

	for (int64_t i = from; i < to; i++) {
		const int64_t src = ay_read_index(j->indices, ay_at(j->indices, i)) * j->weight->strides[0];
		const int64_t dst = ay_at(j->out, i * j->width);

		if (j->whole)
			ay_copy_bytes(ay_address(j->out, dst), ay_address(j->weight, src), (size_t)j->width * item,
				      j->stream);
		for (int64_t e = 0; e < j->width && !j->whole; e++)
			memcpy(ay_address(j->out, dst + e * step),
			       ay_address(j->weight, src + e * j->weight->strides[1]), item);
	}
}

int aten_embedding(const ay_tensor *weight, const ay_tensor *indices, int64_t padding_idx, bool scale_grad_by_freq,
		   bool sparse, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t width = weight->shape[1], row_bytes = width * ay_item_size(weight);
	struct job j = { weight, indices, out, width, false, ay_numel(indices) * row_bytes >= AY_COPY_STREAM };

	(void)padding_idx, (void)scale_grad_by_freq, (void)sparse; /* they are for the gradient */
	j.whole = weight->strides[1] == 1 && out->strides[out->ndim - 1] == 1;
	if (width)
		ay_parallel_for(copy_rows, &j, ay_numel(indices), AY_COPY_GRAIN / row_bytes + 1, ctx);
	return AY_OK;
}
