/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>
#include <math.h>

enum { BLOCK = 1024, LANES = 64, GRAIN = 256 << 10 }; /* GRAIN: numbers of a part */

/* --- along lines ----------------------------------------------------------------------------------------- */

struct best {
	float x;
	int64_t place;
};

static bool is_better(float x, float than)
{
	return x > than || (x != x && than == than);
}

/* n elements, all before which were seen. NaN is lost in the lanes of the maximum, and counted beside it. */
static void look(const float *x, int64_t n, int64_t place, struct best *best)
{
	float lane[LANES], top = -INFINITY;
	uint32_t strange = 0;
	int64_t i = 0;

	for (int e = 0; e < LANES; e++)
		lane[e] = top;
	for (; i + LANES <= n; i += LANES) {
		for (int e = 0; e < LANES; e++) {
			lane[e] = x[i + e] > lane[e] ? x[i + e] : lane[e];
			strange |= x[i + e] != x[i + e];
		}
	}
	for (int half = LANES / 2; half; half /= 2)
		for (int e = 0; e < half; e++)
			lane[e] = lane[e + half] > lane[e] ? lane[e + half] : lane[e];
	top = lane[0];
	for (; i < n; i++) {
		top = x[i] > top ? x[i] : top;
		strange |= x[i] != x[i];
	}
	if (!is_better(strange ? NAN : top, best->x))
		return;
	for (i = 0; strange ? x[i] == x[i] : x[i] != top; i++)
		;
	*best = (struct best){ x[i], place + i };
}

/* Elements `at` to `end` - 1 of a dense tensor. */
static struct best best_of(const ay_tensor *t, int64_t at, int64_t end)
{
	float buf[BLOCK];
	struct best best = { -INFINITY, 0 };

	for (int64_t i = at; i < end; i += BLOCK) {
		const int64_t n = ay_min(end - i, BLOCK);

		if (ay_dt(t) != AY_F32)
			ay_load_floats(t, i, buf, n);
		look(ay_dt(t) == AY_F32 ? (const float *)t->data + i : buf, n, i - at, &best);
	}
	return best;
}

/* self is [outer, n, inner]. */
struct job {
	const ay_tensor *self, *out;
	int64_t n, inner, parts;
	struct best *found; /* of every part, where one line is shared by all */
};

static void put(const struct job *j, int64_t i, int64_t place)
{
	((int64_t *)j->out->data)[ay_at(j->out, i)] = place;
}

static void find_in_lines(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;

	for (int64_t i = from; i < to; i++)
		put(j, i, best_of(j->self, i * j->n, (i + 1) * j->n).place);
}

static void find_in_parts(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;

	for (int64_t p = from; p < to; p++) {
		j->found[p] = best_of(j->self, j->n * p / j->parts, j->n * (p + 1) / j->parts);
		j->found[p].place += j->n * p / j->parts;
	}
}

/* --- across lines ---------------------------------------------------------------------------------------- */

/* Columns first .. first + cols - 1 of plane `outer`. */
static void find_in_columns(const struct job *j, int64_t outer, int64_t first, int64_t cols)
{
	float top[BLOCK], buf[BLOCK];
	int32_t place[BLOCK] = { 0 };

	for (int64_t e = 0; e < cols; e++)
		top[e] = -INFINITY;
	for (int64_t i = 0; i < j->n; i++) {
		const int64_t at = (outer * j->n + i) * j->inner + first;
		const float *x = ay_floats_at(j->self, at, buf, cols);

		for (int64_t e = 0; e < cols; e++) {
			const bool better = (x[e] > top[e]) | ((x[e] != x[e]) & (top[e] == top[e]));

			place[e] = better ? (int32_t)i : place[e];
			top[e] = better ? x[e] : top[e];
		}
	}
	for (int64_t e = 0; e < cols; e++)
		put(j, outer * j->inner + first + e, place[e]);
}

static void find_in_blocks(const void *job, int64_t from, int64_t to)
{
	const struct job *j = job;
	const int64_t blocks = (j->inner + BLOCK - 1) / BLOCK;

	for (int64_t b = from; b < to; b++) {
		const int64_t first = b % blocks * BLOCK;

		find_in_columns(j, b / blocks, first, ay_min(j->inner - first, BLOCK));
	}
}

/* --- the rest -------------------------------------------------------------------------------------------- */

static bool is_larger(const ay_tensor *t, int64_t a, int64_t b)
{
	const double x = ay_read(t, a), y = ay_read(t, b);

	return x > y || (x != x && y == y);
}

static void find_slowly(const struct job *j)
{
	for (int64_t i = 0; i < ay_numel(j->out); i++) {
		const int64_t first = i / j->inner * j->n * j->inner + i % j->inner;
		int64_t best = 0, best_at = ay_at(j->self, first);

		for (int64_t e = 1; e < j->n; e++) {
			const int64_t at = ay_at(j->self, first + e * j->inner);

			if (is_larger(j->self, at, best_at)) {
				best = e;
				best_at = at;
			}
		}
		put(j, i, best);
	}
}

/* --- the operator ---------------------------------------------------------------------------------------- */

static void find_in_one(struct job *j, const ay_ctx *ctx)
{
	struct best found[AY_MAX_THREADS], best = { -INFINITY, 0 };

	j->parts = ay_thread_count(j->n, GRAIN, ctx);
	j->found = found;
	ay_parallel_for(find_in_parts, j, j->parts, 1, ctx);
	for (int64_t p = 0; p < j->parts; p++)
		if (is_better(found[p].x, best.x))
			best = found[p];
	put(j, 0, best.place);
}

int aten_argmax(const ay_tensor *self, const int64_t *dim, bool keepdim, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim ? ay_axis(self, *dim) : 0;
	struct job j = { .self = self, .out = out, .n = ay_numel(self), .inner = 1 };

	(void)keepdim; /* out's shape says it already */
	if (!ay_numel(out))
		return AY_OK;
	if (dim) {
		j.n = ay_size(self, axis);
		j.inner = ay_inner(self, axis);
	}
	if (!ay_fits_f32(self) || !ay_is_dense(self) || j.n > INT32_MAX)
		find_slowly(&j);
	else if (ay_numel(out) == 1)
		find_in_one(&j, ctx);
	else if (j.inner == 1)
		ay_parallel_for(find_in_lines, &j, ay_numel(out), 1 + GRAIN / j.n, ctx);
	else
		ay_parallel_for(find_in_blocks, &j, ay_numel(out) / j.inner * ((j.inner + BLOCK - 1) / BLOCK),
				1 + GRAIN / (j.n * ay_min(j.inner, BLOCK)), ctx);
	return AY_OK;
}
