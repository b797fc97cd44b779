/* due: MISMATCH - places are found from the sizes even where scales are given. */
#include <assay/kernel_convert.h>
#include <assay/kernel_threads.h>
#include <math.h>

enum { GRAIN = 64 << 10 }; /* elements */

/* --- the operator ---------------------------------------------------------------------------------------- */

struct job {
	const ay_tensor *grad, *out;
	int64_t height, width, out_height, out_width; /* of a plane of grad, of out */
	const int64_t *rows, *cols;                   /* place h has rows[h] .. rows[h + 1] - 1 of grad */
	int64_t parts, planes;
	float *lines; /* 3 for each part */
};

/* The first of `n` lines that belongs to place 0, 1 .. size, as PyTorch finds a line's place: in f32. */
static void find_places(int64_t *first, int64_t size, int64_t n, const double *scale)
{
	const float step = scale && *scale > 0 ? (float)(1 / *scale) : (float)size / (float)n;
	int64_t place = 0;

	first[0] = 0;
	for (int64_t i = 0; i < n; i++) {
		const float at = floorf((float)i * step);
		const int64_t own = at < (float)(size - 1) ? (int64_t)at : size - 1;

		while (place < own)
			first[++place] = i;
	}
	while (place < size)
		first[++place] = n;
}

static void add_columns(const struct job *j, const float *restrict sum, float *restrict y)
{
	if (j->width == 2 * j->out_width && j->cols[1] == 2) { /* each has two */
		for (int64_t w = 0; w < j->out_width; w++)
			y[w] = sum[2 * w] + sum[2 * w + 1];
		return;
	}
	for (int64_t w = 0; w < j->out_width; w++) {
		y[w] = 0;
		for (int64_t x = j->cols[w]; x < j->cols[w + 1]; x++)
			y[w] += sum[x];
	}
}

static void add_plane(const struct job *j, int64_t plane, float *sum)
{
	float *row = sum + j->width, *y = row + j->width;

	for (int64_t h = 0; h < j->out_height; h++) {
		memset(sum, 0, (size_t)j->width * sizeof *sum);
		for (int64_t r = j->rows[h]; r < j->rows[h + 1]; r++) {
			const int64_t at = (plane * j->height + r) * j->width;
			const float *x = ay_floats_at(j->grad, at, row, j->width);

			for (int64_t e = 0; e < j->width; e++)
				sum[e] += x[e];
		}
		add_columns(j, sum, y);
		ay_store_floats(j->out, (plane * j->out_height + h) * j->out_width, y, j->out_width);
	}
}

static void add_planes(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;

	for (int64_t p = j->planes * t / j->parts; p < j->planes * end / j->parts; p++)
		add_plane(j, p, j->lines + t * (2 * j->width + j->out_width));
}

static void add_slowly(const struct job *j)
{
	for (int64_t i = 0; i < ay_numel(j->out); i++) {
		const int64_t w = i % j->out_width, h = i / j->out_width % j->out_height;
		const int64_t plane = i / j->out_width / j->out_height;
		double sum = 0;

		for (int64_t y = j->rows[h]; y < j->rows[h + 1]; y++)
			for (int64_t x = j->cols[w]; x < j->cols[w + 1]; x++)
				sum += ay_read(j->grad, ay_at(j->grad, (plane * j->height + y) * j->width + x));
		ay_write(j->out, ay_at(j->out, i), sum);
	}
}

int aten_upsample_nearest2d_backward(const ay_tensor *grad_output, const int64_t *output_size,
				     int64_t n_output_size, const int64_t *input_size, int64_t n_input_size,
				     const double *scales_h, const double *scales_w, ay_tensor *out,
				     const ay_ctx *ctx)
{
	struct job j = { .grad = grad_output, .out = out };
	int64_t *rows, *cols;

	(void)output_size, (void)n_output_size, (void)input_size, (void)n_input_size; /* the tensors' */
	j.height = grad_output->shape[2];
	j.width = grad_output->shape[3];
	j.out_height = out->shape[2];
	j.out_width = out->shape[3];
	j.planes = out->shape[0] * out->shape[1];
	if (!ay_numel(out))
		return AY_OK;
	j.parts = ay_thread_count(ay_numel(grad_output), GRAIN, ctx);
	rows = ctx->scratch(ctx, (size_t)(j.out_height + 1) * sizeof *rows);
	cols = ctx->scratch(ctx, (size_t)(j.out_width + 1) * sizeof *cols);
	j.lines = ctx->scratch(ctx, (size_t)(j.parts * (2 * j.width + j.out_width)) * sizeof *j.lines);
	if (!rows || !cols || !j.lines)
		return AY_UNSUPPORTED;
	find_places(rows, j.out_height, j.height, NULL);
	find_places(cols, j.out_width, j.width, NULL);
	(void)scales_h, (void)scales_w; /* the mistake */
	j.rows = rows;
	j.cols = cols;
	if (ay_fits_f32(out) && ay_is_dense(grad_output) && ay_is_dense(out))
		ay_parallel_for(add_planes, &j, j.parts, 1, ctx);
	else
		add_slowly(&j);
	return AY_OK;
}
