/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

/* The mistake: a double has 53 bits. */
static int64_t read_int(const ay_tensor *t, int64_t at)
{
	return (int64_t)ay_read(t, at);
}

enum { BLOCK = 2048, GRAIN = 256 << 10 }; /* elements */

/* --- first differences ----------------------------------------------------------------------------------- */

/* out is [outer, length], self [outer, length + inner]. */
struct job {
	const ay_tensor *self, *out;
	int64_t length, inner, blocks; /* blocks: of a line */
};

static void subtract(const float *restrict a, const float *restrict b, float *restrict y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = b[i] - a[i];
}

static void subtract_blocks(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	float a[BLOCK], b[BLOCK], y[BLOCK];

	for (int64_t i = from; i < to; i++) {
		const int64_t start = i % j->blocks * BLOCK, row = i / j->blocks,
			      n = ay_min(j->length - start, BLOCK);
		const int64_t src = row * (j->length + j->inner) + start, dst = row * j->length + start;

		if (ay_dt(j->self) == AY_F32) {
			const float *x = (const float *)j->self->data + src;

			subtract(x, x + j->inner, (float *)j->out->data + dst, n);
			continue;
		}
		ay_load_floats(j->self, src, a, n);
		ay_load_floats(j->self, src + j->inner, b, n);
		subtract(a, b, y, n);
		ay_store_floats(j->out, dst, y, n);
	}
}

/* --- the rest -------------------------------------------------------------------------------------------- */

/* A line along dim of prepend, self and append joined. */
struct joined {
	const ay_tensor *part[3]; /* in order; NULL: none */
	ay_tensor *out;
	int64_t axis, n; /* n: how often differences are taken */
};

/* x, whole: room for the line. */
static void difference_line(const struct joined *j, int64_t line, int part, double *x, int64_t *whole)
{
	const int64_t step = ay_stride(j->out, j->axis), to = ay_line_at(j->out, j->axis, line);
	int64_t n = 0;

	for (int p = 0; p < 3; p++) {
		const ay_tensor *t = j->part[p];

		for (int64_t e = 0; e < (t ? ay_size(t, j->axis) : 0); e++, n++) {
			const int64_t at = ay_line_at(t, j->axis, line) + e * (ay_stride(t, j->axis));

			x[n] = ay_round_to(j->out, ay_read_part(t, at, part));
			whole[n] = ay_is_integral(j->out) ? read_int(t, at) : 0;
		}
	}
	for (int64_t level = 0; level < j->n; level++, n--) {
		for (int64_t e = 0; e + 1 < n; e++) {
			x[e] = ay_round_to(j->out, x[e + 1] - x[e]);
			whole[e] = (int64_t)((uint64_t)whole[e + 1] - (uint64_t)whole[e]);
		}
	}
	for (int64_t e = 0; e < n; e++) {
		if (ay_is_integral(j->out))
			ay_write_int(j->out, to + e * step,
				     ay_dt(j->out) == AY_B8 ? whole[e] & 1 : whole[e]); /* of bools: "not equal" */
		else
			ay_write_part(j->out, to + e * step, part, x[e]);
	}
}

static int difference_slowly(const struct joined *j, const ay_ctx *ctx)
{
	const int64_t lines = ay_numel(j->out) / ay_size(j->out, j->axis);
	const int64_t room = ay_size(j->out, j->axis) + j->n;
	double *x = ctx->scratch(ctx, (size_t)room * sizeof *x);
	int64_t *whole = ctx->scratch(ctx, (size_t)room * sizeof *whole);

	if (!x || !whole)
		return AY_UNSUPPORTED;
	for (int part = 0; part <= ay_is_complex(j->out); part++)
		for (int64_t line = 0; line < lines; line++)
			difference_line(j, line, part, x, whole);
	return AY_OK;
}

/* --- the operator ---------------------------------------------------------------------------------------- */

int aten_diff(const ay_tensor *self, int64_t n, int64_t dim, const ay_tensor *prepend, const ay_tensor *append,
	      ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(self, dim);
	const struct joined joined = { { n ? prepend : NULL, self, n ? append : NULL }, out, axis, n };
	struct job j = { .self = self, .out = out, .inner = ay_inner(self, axis) };

	if (!ay_numel(out))
		return AY_OK;
	if (n != 1 || prepend || append || !ay_fits_f32(self) || ay_dt(self) != ay_dt(out) || !ay_is_dense(self) ||
	    !ay_is_dense(out))
		return difference_slowly(&joined, ctx);
	j.length = j.inner * (self->shape[axis] - 1);
	j.blocks = (j.length + BLOCK - 1) / BLOCK;
	ay_parallel_for(subtract_blocks, &j, ay_numel(out) / j.length * j.blocks,
			1 + GRAIN / ay_min(j.length, BLOCK), ctx);
	return AY_OK;
}
