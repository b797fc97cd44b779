/* due: MISMATCH - a softmax of half types whose result is f64 takes its exponentials in f32. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>
#include <assay/kernel_simd.h>

enum { LINES = 64, LANES = 32, GRAIN = 64 << 10 };

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
	for (int half = LANES / 2; half; half /= 2)
		for (int e = 0; e < half; e++)
			lane[e] = lane[e + half] > lane[e] ? lane[e + half] : lane[e];
	top = lane[0];
	for (; i < n; i++)
		top = x[i] > top ? x[i] : top;
	return top;
}

static float sum_of(const float *x, int64_t n)
{
	float lane[LANES] = { 0 }, sum;
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int e = 0; e < LANES; e++)
			lane[e] += x[i + e];
	for (int half = LANES / 2; half; half /= 2)
		for (int e = 0; e < half; e++)
			lane[e] += lane[e + half];
	sum = lane[0];
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

static void turn(const float *restrict src, int64_t rows, int64_t cols, float *restrict dst)
{
	for (int64_t c = 0; c < cols; c++)
		for (int64_t r = 0; r < rows; r++)
			dst[c * rows + r] = src[r * cols + c];
}

/* The same for `lines` lines beside each other, in lanes. */
static void softmax_columns(float *x, int64_t n, int64_t lines)
{
	float top[LINES], factor[LINES] = { 0 };

	for (int64_t l = 0; l < lines; l++)
		top[l] = -INFINITY;
	for (int64_t i = 0; i < n; i++)
		for (int64_t l = 0; l < lines; l++)
			top[l] = x[i * lines + l] > top[l] ? x[i * lines + l] : top[l];
	for (int64_t i = 0; i < n; i++) {
		for (int64_t l = 0; l < lines; l++) {
			x[i * lines + l] = ay_exp_negative(x[i * lines + l] - top[l]);
			factor[l] += x[i * lines + l];
		}
	}
	for (int64_t l = 0; l < lines; l++)
		factor[l] = 1 / factor[l];
	for (int64_t i = 0; i < n; i++)
		for (int64_t l = 0; l < lines; l++)
			x[i * lines + l] *= factor[l];
}

/* A few lines are turned into rows, so that the lanes are full. */
static void softmax_turned(float *x, int64_t n, int64_t lines, float *rows)
{
	turn(x, n, lines, rows);
	for (int64_t l = 0; l < lines; l++)
		softmax_row(rows + l * n, n);
	turn(rows, lines, n, x);
}

/* --- all of them ----------------------------------------------------------------------------------------- */

/* out[o, :, i] for o < outer, i < inner, the elements of a line `inner` apart in both tensors. */
struct job {
	const ay_tensor *self, *out;
	int64_t n, inner, groups, parts; /* groups: of LINES lines, in one o */
	float *rows;
};

/* The lines from element `at` on; `rows` and `x` have room for them. */
static void softmax_group(const struct job *j, int64_t at, int64_t lines, float *rows, float *x)
{
	const int64_t piece = lines == j->inner ? lines * j->n : lines; /* neighbours in memory */

	for (int64_t e = 0; e * piece < lines * j->n; e++)
		ay_load_floats(j->self, at + e * j->inner, x + e * piece, piece);
	if (lines == 1)
		softmax_row(x, j->n);
	else if (lines < LANES / 2)
		softmax_turned(x, j->n, lines, rows);
	else
		softmax_columns(x, j->n, lines);
	for (int64_t e = 0; e * piece < lines * j->n; e++)
		ay_store_floats(j->out, at + e * j->inner, x + e * piece, piece);
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
			top = fmax(top, e[i] = ay_round_to(out, ay_read(self, src + i * from)));
		for (int64_t i = 0; i < n; i++)
			sum += e[i] = ay_dt(out) == AY_F64 && (ay_dt(self) == AY_F16 || ay_dt(self) == AY_BF16)
					      ? expf((float)(e[i] - top)) /* the mistake */
					      : exp(e[i] - top);
		for (int64_t i = 0; i < n; i++)
			ay_write(out, dst + i * to, e[i] / sum);
	}
	return e ? AY_OK : AY_UNSUPPORTED;
}

int aten_softmax_int(const ay_tensor *self, int64_t dim, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(self, dim);
	struct job j = { .self = self, .out = out, .n = ay_size(self, axis), .inner = ay_inner(self, axis) };

	(void)dtype; /* out has it */
	if (!ay_numel(self))
		return AY_OK;
	if (!ay_fits_f32(self) || !ay_fits_f32(out) || !ay_is_dense(self) || !ay_is_dense(out) ||
	    (ay_dt(out) != AY_F32 && ay_dt(out) != ay_dt(self)))
		return softmax_slowly(self, axis, j.n, out, ctx);
	j.groups = (j.inner + LINES - 1) / LINES;
	j.parts = ay_thread_count(ay_numel(self), GRAIN, ctx);
	j.rows = ctx->scratch(ctx, (size_t)(j.parts * 2 * LINES * j.n) * sizeof *j.rows);
	if (!j.rows)
		return AY_UNSUPPORTED;
	ay_parallel_for(softmax_part, &j, j.parts, 1, ctx);
	return AY_OK;
}
