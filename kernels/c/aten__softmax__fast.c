/* due: PASS - softmax along dim in f32, with an exponential that vectorises. Neighbouring lines are turned into rows
 * sixteen at a time, so that every cache line is read once. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>
#include <assay/kernel_simd.h>

enum { LINES = 16, LANES = 32, GRAIN = 64 << 10 };

/* --- one row --------------------------------------------------------------------------------------------- */

static float largest(const float *x, int64_t n)
{
	float lane[LANES], top = -INFINITY;
	int64_t i = 0;

	for (int e = 0; e < LANES; e++)
		lane[e] = top;
	for (; i + LANES <= n; i += LANES)
		for (int e = 0; e < LANES; e++)
			lane[e] = x[i + e] > lane[e] ? x[i + e] : lane[e];
	for (int e = 0; e < LANES; e++)
		top = lane[e] > top ? lane[e] : top;
	for (; i < n; i++)
		top = x[i] > top ? x[i] : top;
	return top;
}

static float sum_of(const float *x, int64_t n)
{
	float lane[LANES] = { 0 }, sum = 0;
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int e = 0; e < LANES; e++)
			lane[e] += x[i + e];
	for (int e = 0; e < LANES; e++)
		sum += lane[e];
	for (; i < n; i++)
		sum += x[i];
	return sum;
}

/* NaN, +inf and a row of -inf alone make the sum NaN, and so every quotient. */
static void softmax_row(float *x, int64_t n)
{
	const float top = largest(x, n);
	float factor;

	for (int64_t i = 0; i < n; i++)
		x[i] = ay_exp_negative(x[i] - top);
	factor = 1 / sum_of(x, n);
	for (int64_t i = 0; i < n; i++)
		x[i] *= factor;
}

/* --- all of them ----------------------------------------------------------------------------------------- */

/* out[o, :, i] for o < outer, i < inner, the elements of a line `inner` apart in both tensors. */
struct job {
	const ay_tensor *self, *out;
	int64_t n, inner, groups, parts; /* groups: of LINES lines, in one o */
	float *rows;
};

static void turn(const float *restrict src, int64_t rows, int64_t cols, float *restrict dst)
{
	for (int64_t c = 0; c < cols; c++)
		for (int64_t r = 0; r < rows; r++)
			dst[c * rows + r] = src[r * cols + c];
}

/* The lines from element `at` on; `rows` and `turned` have room for them. */
static void softmax_group(const struct job *j, int64_t at, int64_t lines, float *rows, float *turned)
{
	const int64_t piece = lines == j->inner ? lines * j->n : lines; /* neighbours in memory */

	for (int64_t e = 0; e * piece < lines * j->n; e++)
		ay_load_floats(j->self, at + e * j->inner, turned + e * piece, piece);
	if (lines > 1)
		turn(turned, j->n, lines, rows);
	else
		rows = turned;
	for (int64_t l = 0; l < lines; l++)
		softmax_row(rows + l * j->n, j->n);
	if (lines > 1)
		turn(rows, lines, j->n, turned);
	for (int64_t e = 0; e * piece < lines * j->n; e++)
		ay_store_floats(j->out, at + e * j->inner, turned + e * piece, piece);
}

static void softmax_part(const void *job, int64_t t, int64_t end)
{
	const struct job *j = job;
	float *rows = j->rows + 2 * t * LINES * j->n;
	const int64_t all = ay_numel(j->self) / (j->n * j->inner) * j->groups;

	for (int64_t g = all * t / j->parts; g < all * end / j->parts; g++) {
		const int64_t first = g % j->groups * LINES;
		const int64_t lines = ay_min(j->inner - first, LINES);

		softmax_group(j, g / j->groups * j->n * j->inner + first, lines, rows, rows + LINES * j->n);
	}
}

/* Any strides, any dtype, in double. */
static int softmax_slowly(const ay_tensor *self, int64_t axis, int64_t n, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t from = ay_stride(self, axis), to = ay_stride(out, axis);
	double *e = ctx->scratch(ctx, (size_t)n * sizeof *e);

	for (int64_t row = 0; e && row < ay_numel(self) / n; row++) {
		const int64_t src = ay_line_at(self, axis, row), dst = ay_line_at(out, axis, row);
		double top = -INFINITY, sum = 0;

		for (int64_t i = 0; i < n; i++)
			top = fmax(top, e[i] = ay_read(self, src + i * from));
		for (int64_t i = 0; i < n; i++)
			sum += e[i] = exp(e[i] - top);
		for (int64_t i = 0; i < n; i++)
			ay_write(out, dst + i * to, e[i] / sum);
	}
	return e ? AY_OK : AY_UNSUPPORTED;
}

int aten__softmax(const ay_tensor *self, int64_t dim, bool half_to_float, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(self, dim);
	struct job j = { .self = self, .out = out, .n = ay_size(self, axis), .inner = ay_inner(self, axis) };

	(void)half_to_float; /* out has the dtype it asks for */
	if (!ay_numel(self))
		return AY_OK;
	if (!ay_fits_f32(self) || !ay_fits_f32(out) || !ay_is_dense(self) || !ay_is_dense(out))
		return softmax_slowly(self, axis, j.n, out, ctx);
	j.groups = (j.inner + LINES - 1) / LINES;
	j.parts = ay_thread_count(ay_numel(self), GRAIN, ctx);
	j.rows = ctx->scratch(ctx, (size_t)(j.parts * 2 * LINES * j.n) * sizeof *j.rows);
	if (!j.rows)
		return AY_UNSUPPORTED;
	ay_parallel_for(softmax_part, &j, j.parts, 1, ctx);
	return AY_OK;
}
