/* due: PASS - running sums along dim. Dense f32, f16 and bf16 in f32: vectors are scanned by three shifted additions,
 * or whole rows are added to a row of sums. The rest: floats in double, integers modulo 2^64. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

enum { LANES = 8, SPAN = 1024, SHORT = 16, GRAIN = 128 << 10 }; /* GRAIN: numbers of a part */
typedef float vec __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

/* --- floats up to f32 ------------------------------------------------------------------------------------ */

/* out[o, i, e] = self[o, 0, e] + ... + self[o, i, e], i < n, e < inner. */
struct job {
	const ay_tensor *self, *out;
	int64_t n, inner, pieces; /* pieces: of a row of `inner` */
};

/* Running sums of x, on top of `sum`; the last one is returned. */
static float scan(float *x, int64_t n, float sum)
{
	const vec zero = { 0 };
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		vec v = *(vec *)(x + i);

		v += __builtin_shufflevector(zero, v, 0, 8, 9, 10, 11, 12, 13, 14);
		v += __builtin_shufflevector(zero, v, 0, 0, 8, 9, 10, 11, 12, 13);
		v += __builtin_shufflevector(zero, v, 0, 0, 0, 0, 8, 9, 10, 11);
		*(vec *)(x + i) = v + sum;
		sum += v[LANES - 1];
	}
	for (; i < n; i++)
		x[i] = sum += x[i];
	return sum;
}

/* One o whose rows are short: they are neighbours, and the sum before x[i] is x[i - inner]. */
static void scan_short(const struct job *j, int64_t at)
{
	const int64_t all = j->n * j->inner, step = SPAN / j->inner * j->inner;
	float buf[SHORT + SPAN] = { 0 }, *x = buf + j->inner,
			  sum = 0; /* the last row of the span before is in front */

	for (int64_t i = 0; i < all; i += step) {
		const int64_t n = ay_min(step, all - i);

		ay_load_floats(j->self, at + i, x, n);
		if (j->inner == 1)
			sum = scan(x, n, sum);
		for (int64_t e = 0; e < n && j->inner > 1; e++)
			x[e] += x[e - j->inner];
		ay_store_floats(j->out, at + i, x, n);
		memmove(buf, x + n - j->inner, (size_t)j->inner * sizeof *buf);
	}
}

/* Columns from `at` on, which are neighbours. */
static void scan_columns(const struct job *j, int64_t at, int64_t cols)
{
	float sum[SPAN] = { 0 }, x[SPAN];

	for (int64_t i = 0; i < j->n; i++, at += j->inner) {
		ay_load_floats(j->self, at, x, cols);
		for (int64_t e = 0; e < cols; e++)
			sum[e] += x[e];
		ay_store_floats(j->out, at, sum, cols);
	}
}

static void scan_pieces(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;

	for (int64_t p = from; p < to; p++) {
		const int64_t at = p / j->pieces * j->n * j->inner, col = p % j->pieces * SPAN;

		if (j->inner <= SHORT)
			scan_short(j, at);
		else
			scan_columns(j, at + col, ay_min(SPAN, j->inner - col));
	}
}

/* --- the rest -------------------------------------------------------------------------------------------- */

/* One line: n elements, sx and so apart. */
static void scan_slowly(const ay_tensor *x, int64_t ix, int64_t sx, const ay_tensor *out, int64_t io, int64_t so,
			int64_t n)
{
	const bool whole = !ay_is_float(out);
	uint64_t total = 0;
	double sum = 0;

	for (int64_t i = 0; i < n; i++, ix += sx, io += so) {
		if (whole)
			ay_write_int(out, io, (int64_t)(total += (uint64_t)ay_read_int(x, ix)));
		else
			ay_write(out, io, sum += ay_round_to(out, ay_read(x, ix)));
	}
}

int aten_cumsum(const ay_tensor *self, int64_t dim, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(self, dim), all = ay_numel(self);
	const int64_t sx = ay_stride(self, axis), so = ay_stride(out, axis);
	struct job j = { self, out, ay_size(self, axis), ay_inner(self, axis), 1 };

	(void)dtype; /* out's dtype says it already */
	if (ay_is_complex(self) != ay_is_complex(out))
		return AY_UNSUPPORTED;
	if (all && ay_fits_f32(self) && ay_dt(self) == ay_dt(out) && ay_is_dense(self) && ay_is_dense(out)) {
		j.pieces = (j.inner + SPAN - 1) / SPAN;
		ay_parallel_for(scan_pieces, &j, all / (j.n * j.inner) * j.pieces,
				1 + GRAIN / (j.n * ay_min(j.inner, SPAN)), ctx);
		return AY_OK;
	}
	for (int64_t row = 0; all && row < all / j.n; row++) {
		const int64_t ix = ay_line_at(self, axis, row), io = ay_line_at(out, axis, row);

		if (!ay_is_complex(self))
			scan_slowly(self, ix, sx, out, io, so, j.n);
		for (int part = 0; part < 2 && ay_is_complex(self); part++) {
			const ay_tensor x = ay_part_of(self, part), y = ay_part_of(out, part);

			scan_slowly(&x, 2 * ix, 2 * sx, &y, 2 * io, 2 * so, j.n);
		}
	}
	return AY_OK;
}
